// The calls of the package that a thread is in: where one ends in which a callable has raised.
// Static: the same for all packages. Included by generated C++ only, of specs with callables.
#ifndef WG_BASE_CALL_STACK_HPP
#define WG_BASE_CALL_STACK_HPP

#include <atomic>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "wg/base/failures.hpp"

namespace wg {

/// A callable has raised, which the outer call raises when it returns.
struct Raised : Own<std::runtime_error> {
    Raised() : Own("a callable raised an exception") {}
};

class Outer;
class Running;  // wg/callbacks/running.hpp
class Target;  // wg/callbacks/callable_ref.hpp
struct Passing;  // wg/callbacks/callable_ref.hpp
class LentHandles;  // wg/callbacks/borrowed_arguments.hpp

/// The calls that a thread is in.
struct CallsOfThread {
    Outer *outer = nullptr;  // the innermost one
    const Running *running = nullptr;  // the innermost of those that are recorded
    Passing *passing = nullptr;  // the callables that they pass on, the innermost first
    LentHandles *lent = nullptr;  // those of the innermost call of a callable
    std::size_t last_raised = 0;
    bool is_beside = false;  // outside of all calls, though it may be in some
    bool calls_nothing = false;  // outside of all calls: what callables are made of may be gone

    /// Every call asks for it: each look costs a shared library a call of its own. In a function of its own it is looked up once
    /// a call, which the attribute allows: no call changes its thread.
    [[gnu::noinline, gnu::const]] static CallsOfThread &here() noexcept {
        static thread_local CallsOfThread calls;
        return calls;
    }
};

/// A call of the package's that this thread is in. What a callable raises meanwhile is kept for its end, and no callable is
/// called any more until then.
class Outer {
public:
    /// What an earlier call left is not this one's: at the end of its stack, Python could not ask.
    [[gnu::always_inline]] Outer() noexcept : here_(CallsOfThread::here()), previous_(here_.outer) {
        if (previous_ == nullptr) here_.last_raised = 0;
        here_.outer = this;
    }
    Outer(const Outer &) = delete;
    Outer &operator=(const Outer &) = delete;
    [[gnu::always_inline]] ~Outer() {
        here_.outer = previous_;
        if (alive_ != nullptr || has_raised) end();
    }

    /// Null where this thread is in no call.
    static Outer *innermost() noexcept { return CallsOfThread::here().outer; }
    static Outer *outermost() noexcept {
        Outer *found = innermost();
        while (found != nullptr && found->previous_ != nullptr) found = found->previous_;
        return found;
    }
    /// A number that only the innermost one has; 0 where there is none.
    static std::size_t current() noexcept { return innermost() == nullptr ? 0 : innermost()->number(); }
    /// The latest one of this thread in which a callable raised, until it is set back to 0.
    static std::size_t &last_raised() noexcept { return CallsOfThread::here().last_raised; }

    bool has_raised = false;
    void *exception = nullptr;  // what the engine keeps of it
    void *thread = nullptr;  // the engine's state of its thread, where that may run Python

    const Outer *enclosing() const noexcept { return previous_; }

    /// A number for what a callable raises on a thread that is in no call. It is odd: those of calls are even.
    static std::size_t number_elsewhere() noexcept { return next_number() | 1; }
    /// It is what this call raises.
    void raise_of(std::size_t number_of_raised) noexcept {
        number_ = number_of_raised;
        has_raised = true;
    }

    /// What results point to that C++ got: until the call ends.
    void keep(std::shared_ptr<void> alive) {
        if (alive_ == nullptr) alive_ = new std::vector<std::shared_ptr<void>>;
        alive_->push_back(std::move(alive));
    }
    bool keeps() const noexcept { return alive_ != nullptr; }
    /// Lets go of that before the end: what callables raise meanwhile is not this call's.
    void let_go() noexcept {
        here_.outer = previous_;
        delete std::exchange(alive_, nullptr);
        here_.outer = this;
    }

private:
    [[gnu::cold, gnu::noinline]] void end() noexcept {
        delete std::exchange(alive_, nullptr);  // which may make calls of its own, that set back what was raised
        if (has_raised) here_.last_raised = number();
    }
    std::size_t number() noexcept {
        if (number_ == 0) number_ = next_number();
        return number_;
    }
    static std::size_t next_number() noexcept {
        static std::atomic<std::size_t> latest{0};
        return latest += 2;
    }

    CallsOfThread &here_;
    std::vector<std::shared_ptr<void>> *alive_ = nullptr;  // mostly none, which takes no time then
    Outer *const previous_;
    std::size_t number_ = 0;
};

/// The end of a value, wherever that comes: in the middle of any call, where the last reference went or the collector ran. What
/// callables raise meanwhile is not that call's.
class BesideCalls {
public:
    explicit BesideCalls(bool may_call = true) noexcept
        : outer_(std::exchange(here_.outer, nullptr)), passing_(std::exchange(here_.passing, nullptr)), is_beside_(std::exchange(here_.is_beside, true)), calls_nothing_(here_.calls_nothing) {
        if (!may_call) here_.calls_nothing = true;
    }
    BesideCalls(const BesideCalls &) = delete;
    BesideCalls &operator=(const BesideCalls &) = delete;
    ~BesideCalls() {
        here_.outer = outer_;
        here_.passing = passing_;
        here_.is_beside = is_beside_;
        here_.calls_nothing = calls_nothing_;
    }

private:
    CallsOfThread &here_ = CallsOfThread::here();
    Outer *const outer_;
    Passing *const passing_;
    const bool is_beside_;
    const bool calls_nothing_;
};

/// Keeps what is thrown now for the end of the outer call, or of the one that waits for this callable, if any: the engine's own.
inline std::atomic<void (*)(Target *) noexcept> keep_thrown{nullptr};

}  // namespace wg

#endif  // WG_BASE_CALL_STACK_HPP
