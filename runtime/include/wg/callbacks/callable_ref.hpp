// Callables of Python, to C++: what calls one, and how long it lasts.
// Static: the same for all packages. Included by generated C++ only. No Python here: an engine derives a `TargetOf` that calls.
#ifndef WG_CALLBACKS_CALLABLE_REF_HPP
#define WG_CALLBACKS_CALLABLE_REF_HPP

#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "wg/base/once.hpp"
#include "wg/conversion/containers.hpp"
#include "wg/calls/argument_candidates.hpp"
#include "wg/base/call_stack.hpp"
#include "wg/callbacks/waiting_calls.hpp"

namespace wg {

namespace types {

/// A handle that C++ lends Python for one call of a callable.
template <class H>
struct LentHandle {
    using Value = H;
};

}  // namespace types

/// How long C++ may call a callable. What is `unsaid` lasts while C++ keeps a copy.
enum class Lasting { unsaid, call, held, once, destroy, object };

/// Where among the parameters of a C callback its user data is.
enum class UserData { deduced, listed, computed };

/// What a spec says of a callable, besides what generated code adds: `R` and `A` describe types, `R` may be void. `Listed` is what
/// the arguments of C stand for: what Python sees, where a spec does not list more (wg/callbacks/listed_callbacks.hpp).
template <class R, class... A>
struct Callback {
    using Result = R;
    using Arguments = Types<A...>;
    using Listed = Types<A...>;
    static constexpr bool is_optional = false;
    static constexpr bool is_listed = false;
    static constexpr bool answers_failure = false;  // Said::wg_failed says what C++ gets where Python raised, of that or of C++'s arguments
    static constexpr bool is_spread = false;
    static constexpr bool has_type = false;  // Said::wg_Type, the C++ type that it goes as
    static constexpr UserData user_data = UserData::deduced;
    static constexpr bool has_fallback = false;
    static constexpr std::size_t place = 0;  // among those that share their user data

    /// What C++ gets where there is no result.
    template <class T>
    static T fallback() {
        static_assert(!std::is_reference_v<T>, "wrapper-gen: C++ wants a reference from a callable, and what Python returns lies nowhere; give C++ a lambda that "
                                               "keeps it");
        if constexpr (!std::is_void_v<T> && !std::is_reference_v<T>) return T();
        else if constexpr (std::is_reference_v<T>) std::terminate();
    }
};

/// The members that each has: `WG_CALLBACK(wg_callback_each, "each", call)`, with what messages call it, and how long C++ may call it.
#define WG_CALLBACK(tag, shown, lasts)                  \
    using Value = wg::Callable<tag>;                    \
    static constexpr const char *name = shown;          \
    static constexpr const char *returned = shown "()"; \
    static constexpr wg::Lasting lasting = wg::Lasting::lasts;
/// The head of a `fallback` of its own; the spec's expression stands outside of any macro, so that compilers show it as it is.
#define WG_FALLBACK                            \
    static constexpr bool has_fallback = true; \
    template <class wg_T>                      \
    static wg_T fallback()

template <class Listed>
struct ValuesOf;
template <class... A>
struct ValuesOf<Types<A...>> {
    using type = Pack<Value<A>...>;
};
/// What a callable is called with.
template <class F>
using ArgumentsOf = typename ValuesOf<typename F::Arguments>::type;

/// What a callable returned, and what that needs to stay what it is.
template <class D>
struct Answer {
    Value<D> value{};
    std::shared_ptr<void> alive;
};
template <>
struct Answer<void> {};

/// What C may get of an exception that a callable raised.
struct CallableFailure {
    std::string text;
    std::optional<i64> code;  // of the library's own exceptions
    std::vector<i32> kinds;  // of the exceptions that the spec declares, the indices of those that it is

    bool is(i32 index) const { return std::find(kinds.begin(), kinds.end(), index) != kinds.end(); }
};

/// An answer, or why there is none.
template <class D>
struct ToldAnswer : Answer<D> {
    CallableFailure failure;
};
template <class F>
using AnswerOf = std::conditional_t<F::answers_failure, ToldAnswer<typename F::Result>, Answer<typename F::Result>>;

/// Whether handles are in what a callable returns: they have to stay usable while C++ has them.
template <class D>
constexpr bool returns_handles = false;
template <class H>
constexpr bool returns_handles<types::Handle<H>> = true;
template <template <class...> class T, class... D>
constexpr bool returns_handles<T<D...>> = (... || returns_handles<D>);

/// Whether handles are in what it is called with, which are lent.
template <class D>
constexpr bool lends_handles = false;
template <class H>
constexpr bool lends_handles<types::LentHandle<H>> = true;
template <template <class...> class T, class... D>
constexpr bool lends_handles<T<D...>> = (... || lends_handles<D>);

/// The handles that a callable is called with, for the time of its call: wg/callbacks/borrowed_arguments.hpp.
class LentHandles;
struct NoLentHandles {
    explicit NoLentHandles(const void *) noexcept {}
};
template <class F>
using LentFor = std::conditional_t<lends_handles<typename F::Arguments>, LentHandles, NoLentHandles>;

/// Lets a new handle be one of those of this thread's innermost call of a callable.
template <class H>
void lend_for_call(const Held &held, H &value);
/// The same, where `attach` lets a handle keep its owner alive.
template <class H, class Attach>
void lend_for_call(const Held &held, H &value, Attach &&attach);

class Target;

/// The callables that C has, by the number that it has of each in place of a pointer: a number that C still has when its
/// callable has ended is refused.
class Registry {
public:
    std::uintptr_t add(Target &target) {
        const std::lock_guard<std::mutex> lock(mutex_);
        const std::uintptr_t token = (next_ += 2) | 1;
        targets_.emplace(token, &target);
        return token;
    }
    /// Numbers for so many that C has by one address: each is two more than the one before.
    std::uintptr_t reserve(std::size_t count) {
        const std::lock_guard<std::mutex> lock(mutex_);
        const std::uintptr_t first = (next_ += 2) | 1;
        next_ += 2 * (count - 1);
        return first;
    }
    void add(Target &target, std::uintptr_t token) {
        const std::lock_guard<std::mutex> lock(mutex_);
        targets_.emplace(token, &target);
    }
    WG_ONCE Target *remove(std::uintptr_t token) WG_ELSEWHERE
#if WG_HAS_BODIES
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto found = targets_.find(token);
        Target *target = found == targets_.end() ? nullptr : found->second;
        if (target != nullptr) targets_.erase(found);
        return target;
    }
#endif
    /// One user more of it; null where it has ended.
    inline Target *find(std::uintptr_t token);

    static Registry &instance() {
        static Registry *const registry = new Registry;  // threads may outlast everything else
        return *registry;
    }

private:
    std::mutex mutex_;
    std::unordered_map<std::uintptr_t, Target *> targets_;
    std::uintptr_t next_ = 0;
};

/// A callable of Python, counted by who may call it.
class Target {
public:
    explicit Target(const void *kind) : kind_(kind) {}
    Target(const Target &) = delete;
    Target &operator=(const Target &) = delete;

    void add() noexcept { users_.fetch_add(1, std::memory_order_relaxed); }
    void drop() noexcept {
        if (users_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
        end();
        drop_memory();
    }
    /// Whether so many may call it, or more.
    bool is_shared(std::size_t users) const noexcept { return users_.load(std::memory_order_acquire) > users; }

    /// For who does not call it, but looks at it.
    void add_memory() noexcept { memory_.fetch_add(1, std::memory_order_relaxed); }
    void drop_memory() noexcept {
        if (memory_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
    }

    bool has_ended() const noexcept { return has_ended_.load(std::memory_order_acquire); }

    /// It is not called any more, and Python's object is released.
    void end() noexcept {
        if (has_ended_.exchange(true, std::memory_order_acq_rel)) return;
        for (std::atomic<std::uintptr_t> *each : slots_) each->store(0, std::memory_order_release);
        release();
        if (token_ != 0 && Registry::instance().remove(token_) != nullptr) drop();
    }

    /// What C has of it, from here on until the end.
    std::uintptr_t token() {
        if (token_ == 0) {
            token_ = Registry::instance().add(*this);
            add();
        }
        return token_;
    }
    /// The same with a number that was reserved for it.
    void take_token(std::uintptr_t token) {
        Registry::instance().add(*this, token);
        token_ = token;
        add();
    }
    bool is_called(std::uintptr_t token) const noexcept { return token_ == token; }

    /// A place where its number stands, which is taken away at the end.
    void add_slot(std::atomic<std::uintptr_t> &slot) { slots_.push_back(&slot); }
    bool has_slot(const std::atomic<std::uintptr_t> &slot) const noexcept { return std::find(slots_.begin(), slots_.end(), &slot) != slots_.end(); }

    /// A call waits until C++ has done with it: that call raises what it raises on threads that are in no call.
    void be_waited_for() noexcept { elsewhere_.store(is_waited, std::memory_order_relaxed); }
    /// At that call's end, which now raises what was kept. No other thread calls it any more where nobody else has it.
    WG_ONCE void end_waiting() noexcept WG_ELSEWHERE
#if WG_HAS_BODIES
    {
        std::uintptr_t kept = elsewhere_.load(std::memory_order_acquire);
        if (kept == 0) return;
        if (kept == is_waited && !is_shared(1)) return elsewhere_.store(0, std::memory_order_relaxed);
        kept = elsewhere_.exchange(0, std::memory_order_acq_rel);
        if (kept > is_waited) raise_kept(kept, Outer::innermost());
    }
#endif
    /// Whether a call waits for it that this thread is not in.
    bool is_called_elsewhere() const noexcept {
        const CallsOfThread &calls = CallsOfThread::here();
        if (calls.outer != nullptr || calls.is_beside) return false;
        return object_ != nullptr ? object_->is_waited() : elsewhere_.load(std::memory_order_relaxed) != 0;
    }
    bool has_raised_elsewhere() const noexcept {
        return object_ != nullptr ? object_->stops(CallsOfThread::here()) : elsewhere_.load(std::memory_order_acquire) > is_waited;
    }
    /// Keeps what was raised there, as the engine does; false where another exception was first, or no call waits any more.
    bool keep_elsewhere(std::uintptr_t raised) noexcept {
        if (object_ != nullptr) return object_->keep(raised);
        std::uintptr_t waited = is_waited;
        return elsewhere_.compare_exchange_strong(waited, raised, std::memory_order_acq_rel);
    }

    /// Python's object, where the engine's collector of cycles knows it.
    virtual void *object() noexcept { return nullptr; }

    /// The target of this cell.
    static Target &of(Cell &cell) noexcept { return *static_cast<Kept &>(cell).target; }

private:
    struct Kept : Cell {
        explicit Kept(Target *own) : target(own) {}
        Target *const target;
    };

public:
    /// Whether it is one of the callable of this `callable_kind`: C may pass a callback what belongs to another one.
    bool is_of(const void *kind) const noexcept { return kind_ == kind; }

    /// Of a virtual function: calls are passed the object, and not the method.
    bool is_override() const noexcept { return object_ != nullptr; }
    void be_override_of(std::shared_ptr<Waited> object) noexcept { object_ = std::move(object); }

    Kept cell{this};  // for objects that have it

    /// What C got the addresses of in the latest call of a thread.
    struct Addressed {
        std::vector<std::unique_ptr<std::string>> texts;
        std::shared_ptr<void> alive;  // the result's handles, where no outer call keeps them alive

        std::vector<std::vector<std::shared_ptr<void>>> made;

        /// What was made for this item of the result.
        std::vector<std::shared_ptr<void>> &made_of(std::size_t item) {
            if (made.size() <= item) made.resize(item + 1);
            return made[item];
        }
        /// The text that is this item of the result.
        std::string &text_of(std::size_t item) {
            while (texts.size() <= item) texts.push_back(std::make_unique<std::string>());
            return *texts[item];
        }
    };
    /// Of this thread: others may be calling as well.
    Addressed &addressed() {
        const std::lock_guard<std::mutex> lock(addressed_mutex_);
        return addressed_[std::this_thread::get_id()];
    }
    bool has_addressed() {
        const std::lock_guard<std::mutex> lock(addressed_mutex_);
        return !addressed_.empty();
    }

protected:
    virtual ~Target() = default;
    virtual void release() noexcept = 0;
    /// Lets a call raise what was kept; without one, or where it raises already, that is reported.
    virtual void raise_kept(std::uintptr_t kept, Outer *outer) noexcept = 0;

private:
    static constexpr std::uintptr_t is_waited = 1;

    const void *const kind_;
    std::atomic<std::uintptr_t> elsewhere_{0};  // or what was raised
    std::shared_ptr<Waited> object_;  // set before the first call
    std::atomic<std::size_t> users_{1};
    std::atomic<std::size_t> memory_{1};  // all users count as one
    std::atomic<bool> has_ended_{false};
    std::uintptr_t token_ = 0;
    std::vector<std::atomic<std::uintptr_t> *> slots_;
    std::mutex addressed_mutex_;
    std::unordered_map<std::thread::id, Addressed> addressed_;
};

inline Target *Registry::find(std::uintptr_t token) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = targets_.find(token);
    if (found == targets_.end()) return nullptr;
    found->second->add();
    return found->second;
}

/// Its address tells the targets of a callable from all others.
template <class F>
inline constexpr char callable_kind = 0;

template <class F>
class TargetOf : public Target {
public:
    TargetOf() : Target(&callable_kind<F>) {}

    /// False where it raised, or cannot be called: then that is reported already. `outer` is this thread's outer call, or null.
    virtual bool call(Outer *outer, ArgumentsOf<F> &arguments, AnswerOf<F> &answer) = 0;
};

/// Whether a call that passes a callable waits for what C++ does with it, as far as the spec says. What lasts longer is kept by C++.
template <class F>
constexpr bool is_waited_for = F::lasting == Lasting::call || F::lasting == Lasting::unsaid;

[[noreturn]] inline void fail_ended(const char *name) {
    throw Own<std::runtime_error>(std::string(name) + ": this callable was called after its time");
}
[[noreturn]] inline void fail_other(const char *name) {
    throw Own<std::runtime_error>(std::string(name) + ": C calls it with the user data of another callable; pass the callables that share a pointer in one call, or give each an object of its own");
}

}  // namespace wg

#endif  // WG_CALLBACKS_CALLABLE_REF_HPP
