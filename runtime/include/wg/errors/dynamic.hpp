// Loads a library at first use, and calls its functions through objects of the same names.
// Static: the same for all packages. Included by generated C++ of specs with `dynamic:`.
#ifndef WG_ERRORS_DYNAMIC_HPP
#define WG_ERRORS_DYNAMIC_HPP

#ifdef _WIN32
// As windows.h declares them, whose macros would change names of others.
extern "C" {
struct HINSTANCE__;
__declspec(dllimport) HINSTANCE__ *__stdcall LoadLibraryA(const char *);
__declspec(dllimport) HINSTANCE__ *__stdcall GetModuleHandleA(const char *);
__declspec(dllimport) long long(__stdcall *__stdcall GetProcAddress(HINSTANCE__ *, const char *))();
__declspec(dllimport) unsigned long __stdcall GetLastError();
}
#else
#include <dlfcn.h>
#endif

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <string>
#include <vector>

#include "wg/base/once.hpp"
#include "wg/errors/support.hpp"

namespace wg {

/// One shared library, looked for in this order: the file that an environment variable names (nothing else then), a copy
/// that the process has loaded already, the folders that were added, the system's search path.
class Library {
public:
    Library(const char *variable, std::vector<const char *> sonames) : variable_(variable), sonames_(std::move(sonames)) {}

    void add_folder(const char *folder) {
        const std::lock_guard<std::mutex> lock(mutex_);
        folders_.emplace_back(folder);
    }

    /// What starts the library, at the first use of one of its functions; false within that.
    void start_with(bool (*first)()) { start_ = first; }
    bool start() const { return start_ == nullptr || start_(); }

    /// The address of a function; throws Unavailable when the library or the function is not there.
    WG_ONCE void *address(const char *symbol) WG_ELSEWHERE
#if WG_HAS_BODIES
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (handle_ == nullptr) handle_ = load();
        void *found = function(handle_, symbol);
        if (found == nullptr) throw Unavailable(std::string(symbol) + " is not in the library that was loaded: " + last_error());
        return found;
    }
#endif

private:
#ifdef _WIN32
    static std::string last_error() { return "error " + std::to_string(GetLastError()) + " of Windows"; }
    static void *open(const std::string &path) { return LoadLibraryA(path.c_str()); }
    static void *open_again(const std::string &path) { return GetModuleHandleA(path.c_str()) ? open(path) : nullptr; }
    static void *function(void *handle, const char *symbol) {
        return reinterpret_cast<void *>(GetProcAddress(static_cast<HINSTANCE__ *>(handle), symbol));
    }
#else
    static std::string last_error() {
        const char *text = dlerror();
        return text == nullptr ? "no reason given" : text;
    }
    static void *open(const std::string &path) { return dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL); }
    static void *open_again(const std::string &path) { return dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD); }
    static void *function(void *handle, const char *symbol) {
        dlerror();
        return dlsym(handle, symbol);
    }
#endif

    WG_ONCE void *load() WG_ELSEWHERE
#if WG_HAS_BODIES
    {
        const char *chosen = std::getenv(variable_);
        if (chosen != nullptr && *chosen != '\0') {
            if (void *handle = open(chosen)) return handle;
            throw Unavailable(std::string(variable_) + " names a library that cannot be loaded: " + last_error());
        }
        for (const char *soname : sonames_)
            if (void *handle = open_again(soname)) return handle;
        for (const std::string &folder : folders_)
            for (const char *soname : sonames_)
                if (void *handle = open(folder + "/" + soname)) return handle;
        std::string tried;
        for (const char *soname : sonames_) {
            if (void *handle = open(soname)) return handle;
            tried += (tried.empty() ? "" : "; ") + last_error();
        }
        throw Unavailable("the library cannot be loaded (" + tried + "); install it, or name its file in " + variable_);
    }
#endif

    const char *variable_;
    std::vector<const char *> sonames_;
    std::vector<std::string> folders_;
    std::mutex mutex_;
    void *handle_ = nullptr;
    bool (*start_)() = nullptr;
};

/// A function of the library: called like the function itself, found at the first call.
template <class F>
class Symbol {
public:
    Symbol(Library &library, const char *name) : library_(library), name_(name) {}

    template <class... A>
    auto operator()(A &&...a) const -> decltype(std::declval<F>()(static_cast<A &&>(a)...)) {
        return get()(static_cast<A &&>(a)...);
    }

    /// The function's address.
    F get() const {
        F found = function_.load(std::memory_order_acquire);
        if (found == nullptr) {
            found = reinterpret_cast<F>(library_.address(name_));
            if (library_.start()) function_.store(found, std::memory_order_release);
        }
        return found;
    }

private:
    Library &library_;
    const char *name_;
    mutable std::atomic<F> function_{nullptr};
};

/// The address of a function of the library, whether that is loaded or linked.
template <class F>
F address_of(const Symbol<F> &function) {
    return function.get();
}
template <class R, class... A>
auto address_of(R (*function)(A...)) {
    return function;
}

}  // namespace wg

#endif  // WG_ERRORS_DYNAMIC_HPP
