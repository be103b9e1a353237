// Callables while they are called: those that calls of this thread pass on, and what stays until one has returned.
// Static: the same for all packages. Included by generated C++ only.
#ifndef WG_CALLBACKS_PASSING_HPP
#define WG_CALLBACKS_PASSING_HPP

#include "wg/base/once.hpp"
#include "wg/callbacks/callable_ref.hpp"

namespace wg {

/// The targets that the calls of this thread pass on, the innermost first: what is nearly always called. Those calls keep them.
struct Passing {
    Target *target;
    Passing *next;
    const Outer *enclosing;  // the call in which the one that passes it was made; null where there is none
    bool has_failed = false;  // the call, whose exception is not seen outside

    static Passing *&innermost() noexcept { return CallsOfThread::here().passing; }
    static bool has(const Target &target) noexcept {
        for (const Passing *each = innermost(); each != nullptr; each = each->next)
            if (each->target == &target) return true;
        return false;
    }
    /// Those of the innermost call.
    template <class Use>
    static void each_of(const Outer *enclosing, Use &&use) noexcept {
        for (Passing *each = innermost(); each != nullptr && each->enclosing == enclosing; each = each->next) use(*each);
    }
    /// At its end, which the other arguments of the call may reach before it or after it.
    static void forget(const Passing &passing) noexcept {
        for (Passing **at = &innermost(); *at != nullptr; at = &(*at)->next) {
            if (*at != &passing) continue;
            *at = passing.next;
            return;
        }
    }
};

/// Ends a target after its only call.
struct EndsTarget {
    Target *target;
    ~EndsTarget() {
        if (target != nullptr) target->end();
    }
};

/// Keeps the addresses valid that C got in the last call of a target, until another target has its last call on this thread.
WG_ONCE void keep_addressed(Target &target) noexcept WG_ELSEWHERE
#if WG_HAS_BODIES
{
    struct Latest {
        Target *target = nullptr;
        ~Latest() {
            if (target != nullptr) target->drop_memory();
        }
    };
    static thread_local Latest latest;
    target.add_memory();
    if (Target *before = std::exchange(latest.target, &target)) before->drop_memory();
}
#endif
struct KeepsAddressed {
    Target &target;
    const bool is_last;
    ~KeepsAddressed() {
        if ((is_last || target.has_ended()) && target.has_addressed()) keep_addressed(target);
    }
};

/// A target while it is called by who has it: what it does may make C++ forget it, and destroy whatever had it. One that is called
/// only while a call runs is kept by that.
template <Lasting lasting>
class KeptForCall {
public:
    explicit KeptForCall(Target &target) noexcept : target_(target), is_counted_(!Passing::has(target)) {
        if (is_counted_) target_.add();
    }
    KeptForCall(const KeptForCall &) = delete;
    KeptForCall &operator=(const KeptForCall &) = delete;
    ~KeptForCall() {
        if (lasting == Lasting::once) target_.end();
        const bool is_forgotten = target_.has_ended() || (is_counted_ && !target_.is_shared(1));
        if (is_forgotten && target_.has_addressed()) keep_addressed(target_);
        if (is_counted_) target_.drop();
    }

private:
    Target &target_;
    const bool is_counted_;
};
template <>
class KeptForCall<Lasting::call> {
public:
    explicit KeptForCall(Target &) noexcept {}
};

/// A target by what C has of it, for one call.
class Found {
public:
    explicit Found(std::uintptr_t token) {
        for (const Passing *each = Passing::innermost(); each != nullptr; each = each->next)
            if (each->target->is_called(token)) target_ = each->target;
        if (target_ == nullptr && token != 0) target_ = owned_ = Registry::instance().find(token);
        if (target_ != nullptr && target_->has_ended()) target_ = nullptr;
    }
    Found(const Found &) = delete;
    Found &operator=(const Found &) = delete;
    ~Found() {
        if (owned_ != nullptr) owned_->drop();
    }

    Target *get() const { return target_; }

private:
    Target *target_ = nullptr;
    Target *owned_ = nullptr;
};

}  // namespace wg

#endif  // WG_CALLBACKS_PASSING_HPP
