// What both engines know of an iterator: what it refers to, whether it is over, and why.
// Static: the same for all packages. Included by generated C++ only.
#ifndef WG_OWNERSHIP_ITERATION_HPP
#define WG_OWNERSHIP_ITERATION_HPP

#include <atomic>

#include "wg/base/once.hpp"
#include "wg/ownership/handles.hpp"

namespace wg {

#ifdef WG_OWNERSHIP_OWNER_LOCKS_HPP
using StepLocks = OwnerLocks;
#else
using StepLocks = NoLocks;
#endif

/// What both engines know of an iterator beside its range.
struct Iteration {
    Owners elements;  // what each element keeps alive
    HeldList used;  // the handles that the range may refer to
    bool can_end = false;  // whether a call may end it
    bool is_running = false;
    std::atomic<bool> has_ended{false};  // asked without a lock, too
    std::atomic<bool> is_of_closed{false};  // it was closed because what it goes over was

    /// Keeps alive what a call was given, and remembers who may end the iterator.
    WG_ONCE void attach(const Held &made, const Owners &kept, const Owners &of_elements, bool is_borrowed) WG_ELSEWHERE
#if WG_HAS_BODIES
    {
        elements = of_elements;
        kept.attach_to(made);
        can_end = made.cell->kept != nullptr && made.cell->kept.load()->loans != nullptr;
        if (!is_borrowed) return;
        for (const Held &each : kept.held())
            if (!each.type->is_argument) used.push_back(each);
        for (const Held &each : used)
            for (Held lender = each; lender.cell != nullptr; lender = owner_of(*lender.cell)) {
                if (!lender.type->knows_lent) continue;
                add_loan(lender, made, 0);
                can_end = true;
            }
    }
#endif

    /// Nothing is asked of an object that was closed.
    void check() const {
        for (const Held &each : used)
            if (each.cell->users.is_closed()) throw Closed(closed_message);
    }

    /// Before it lets go of what it goes over: remembers whether that, or what lends that, is being closed.
    void end() noexcept {
        for (const Held &each : used)
            for (Held lender = each; lender.cell != nullptr; lender = owner_of(*lender.cell)) {
                const KeptList *const kept = lender.cell->kept;
                const bool is_closing = kept != nullptr && kept->is_closing.load(std::memory_order_relaxed);
                if (is_closing || lender.cell->users.is_closed()) is_of_closed = true;
            }
    }

    /// What the next step of an iterator says that was closed.
    const char *ended_message() const {
        return is_of_closed ? closed_message : "the container changed during the iteration";
    }

    static constexpr const char *closed_message = "the handle that this iterator goes over is closed";
};

constexpr const char *running_message = "iterator already executing";

}  // namespace wg

#endif  // WG_OWNERSHIP_ITERATION_HPP
