// The library's start and end: at import or at its first use, and with the interpreter, once no handle is left.
// Static: the same for all packages. Included by generated C++ of specs with `init:` or `shutdown:`.
#ifndef WG_ERRORS_LIBRARY_INIT_HPP
#define WG_ERRORS_LIBRARY_INIT_HPP

#include <atomic>
#include <mutex>

#include "wg/base/once.hpp"
#include "wg/conversion/packed_results.hpp"
#include "wg/errors/statuses.hpp"

namespace wg {

/// Counts who needs the library: interpreters that imported the package, and handles.
class Lifetime {
public:
    using Step = void (*)();

    Lifetime(Step first, Step last) : start_(first), end_(last) {}
    Lifetime(const Lifetime &) = delete;
    Lifetime &operator=(const Lifetime &) = delete;

    /// An interpreter imported the package.
    void join() noexcept { interpreters_.fetch_add(1, std::memory_order_acq_rel); }

    /// It ends, or its import failed.
    void part() noexcept {
        if (interpreters_.fetch_sub(1, std::memory_order_acq_rel) == 1) end_if_over();
    }

    /// Starts the library unless it is; throws what that throws, and starts it at the next call then. False while it starts or ends.
    WG_ONCE bool start() WG_ELSEWHERE
#if WG_HAS_BODIES
    {
        if (is_started_.load(std::memory_order_acquire)) return true;
        const std::lock_guard<std::recursive_mutex> lock(mutex_);
        if (is_started_.load(std::memory_order_relaxed)) return true;
        if (is_changing_) return false;
        is_changing_ = true;
        try {
            start_();
        } catch (...) {
            is_changing_ = false;
            throw;
        }
        is_changing_ = false;
        is_started_.store(true, std::memory_order_release);
        return true;
    }
#endif

    void add_handle() noexcept { handles_.fetch_add(1, std::memory_order_relaxed); }
    void remove_handle() noexcept {
        if (handles_.fetch_sub(1, std::memory_order_acq_rel) == 1) end_if_over();
    }

private:
    WG_ONCE void end_if_over() noexcept WG_ELSEWHERE
#if WG_HAS_BODIES
    {
        if (interpreters_.load(std::memory_order_acquire) != 0) return;
        const std::lock_guard<std::recursive_mutex> lock(mutex_);
        const bool is_needed = interpreters_.load(std::memory_order_acquire) != 0 || handles_.load(std::memory_order_acquire) != 0;
        if (is_needed || !is_started_.load(std::memory_order_relaxed)) return;
        is_changing_ = true;
        is_started_.store(false, std::memory_order_release);
        try {
            end_();
        } catch (...) {  // errors are ignored here: the interpreter ends
        }
        is_changing_ = false;
    }
#endif

    const Step start_, end_;
    std::recursive_mutex mutex_;
    std::atomic<i64> interpreters_{0}, handles_{0};
    std::atomic<bool> is_started_{false};
    bool is_changing_ = false;
};

template <class Value, class... Status>
constexpr int count_of = (0 + ... + (std::is_same_v<typename Status::wg_Value, Value> ? 1 : 0));

/// Calls what starts the library; a failing status, of the only status type that has its C++ type, is thrown.
template <class... Status, class Call>
void check_start(Call &&call) {
    using Value = std::decay_t<decltype(call())>;
    if constexpr (std::is_void_v<Value>) {
        call();
    } else {
        static_assert(count_of<Value, Status...> == 1,
                      "wrapper-gen: `init` returns what no status type, or more than one, is: write init: wg_check<ERROR>(...), "
                      "or static_cast<void>(...) where it cannot fail");
        const Value value = call();
        (check_if_same<Status>(value), ...);
    }
}

/// Why the library did not start, as a text for C.
template <class B>
B *start_failure() noexcept {
    failure().kind = 0;
    return copied<B>(failure().message);
}

}  // namespace wg

#endif  // WG_ERRORS_LIBRARY_INIT_HPP
