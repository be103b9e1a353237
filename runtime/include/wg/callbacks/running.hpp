// Calls that are running: the handles that each uses, and the callables that it was passed.
// Static: the same for all packages. Included by generated C++ only, where callables can reach what a running call uses.
#ifndef WG_CALLBACKS_RUNNING_HPP
#define WG_CALLBACKS_RUNNING_HPP

#include "wg/callbacks/callbacks.hpp"

namespace wg {

/// A call of this thread that is running.
class Running {
public:
    Running(const Running &) = delete;
    Running &operator=(const Running &) = delete;

    static const Running *innermost() noexcept { return CallsOfThread::here().running; }

    /// The call that was passed a callable, or an object with methods that C++ calls; null where none of this thread's was.
    static const Running *of(const Target *callable) noexcept {
        for (const Running *each = innermost(); each != nullptr; each = each->previous_) {
            if (callable->is_override() && each->passes_objects_) return each;
            for (std::size_t i = 0; i < each->count_; ++i)
                if (each->passed_[i] == callable) return each;
        }
        return nullptr;
    }

    /// Whether this call, or one around it, uses `lender` or something that it has lent.
    bool uses(const Held &lender) const {
        for (const Running *each = this; each != nullptr; each = each->previous_) {
            if (is_of(each->own_, lender)) return true;
            if (each->others_ == nullptr) continue;
            for (const Held &used : *each->others_)
                if (is_of(used, lender)) return true;
        }
        return false;
    }

    /// What owns the values of a type that a callable of this call is given: its object, or the only argument that can.
    Held owner_for(const HandleType &lender) const {
        if (asked_ == &lender) return {found_, found_type_};
        const Held found = find_owner(lender);
        found_ = found.cell;
        found_type_ = found.type;
        asked_ = found.cell == nullptr ? nullptr : &lender;
        return found;
    }

private:
    Held find_owner(const HandleType &lender) const {
        const Held own = own_.cell == nullptr ? own_ : lender_of(own_, lender);
        if (own.cell != nullptr || others_ == nullptr) return own;
        Held found;
        for (const Held &each : *others_) {
            const Held other = lender_of(each, lender);
            if (other.cell == nullptr) continue;
            if (found.cell != nullptr && found.cell != other.cell) return {};
            found = other;
        }
        return found;
    }

protected:
    [[gnu::always_inline]] Running(Held own, const HeldList *others, const Target *const *passed, std::size_t count, bool passes_objects)
        : own_(own), others_(others), passed_(passed), count_(count), passes_objects_(passes_objects), here_(CallsOfThread::here()), previous_(here_.running) {
        here_.running = this;
    }
    [[gnu::always_inline]] ~Running() { here_.running = previous_; }

private:
    static bool is_of(Held used, const Held &lender) {
        for (; used.cell != nullptr; used = owner_of(*used.cell))
            if (used.cell == lender.cell) return true;
        return false;
    }

    const Held own_;
    const HeldList *const others_;  // null where there are none
    const Target *const *passed_;
    const std::size_t count_;
    const bool passes_objects_;
    CallsOfThread &here_;
    const Running *const previous_;
    mutable const HandleType *asked_ = nullptr;  // the latest lender that a callable's arguments needed
    mutable Cell *found_;  // and what that is here, once it was asked for: as long as the call lasts, as it uses all of these
    mutable const HandleType *found_type_;
};

/// A call with so many callables. `own` is its object, or no cell; `others` are the handles among its arguments.
template <std::size_t count, bool passes_objects = false>
class RunningCall : public Running {
public:
    [[gnu::always_inline]] explicit RunningCall(Held own) : Running(own, nullptr, targets_, count, passes_objects), targets_{} {}
    template <class... F>
    explicit RunningCall(Held own, const Owners &others, const Callable<F> &...passed)
        : Running(own, &used_, targets_, count, passes_objects), used_(others.held()), targets_{passed.target()...} {}

private:
    const HeldList used_;
    const Target *const targets_[count + 1];
};

/// A call without callables, of an object and other handles that outlive this.
template <bool passes_objects = false>
class RecordedCall : public Running {
public:
    [[gnu::always_inline]] RecordedCall(Held own, const HeldList *others) : Running(own, others, nullptr, 0, passes_objects) {}
};

/// Before a call that ends what `lender` has lent: nothing that is running uses it.
inline void check_not_running(const Held &lender) {
    const Running *innermost = Running::innermost();
    if (lender.cell == nullptr || innermost == nullptr || !innermost->uses(lender)) return;
    throw Own<std::invalid_argument>("a call that is still running uses what this call ends: make it when that has returned");
}

}  // namespace wg

#endif  // WG_CALLBACKS_RUNNING_HPP
