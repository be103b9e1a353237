// Calls that end some of what an object lends: those handles for which a condition of the spec holds.
// Static: the same for all packages that have such calls. Included by generated C++ only.
#ifndef WG_CHOSEN_LOANS_HPP
#define WG_CHOSEN_LOANS_HPP

#include "wg_loans.hpp"

namespace wg {

/// Whether a call ends a handle: `when` tells of those of the types `H`; those of the types `Others` stay. What is none of either, such
/// as an iterator, is ended always.
template <class How, class... H, class... Others, class When>
bool is_ended(const Held &each, Types<H...>, Types<Others...>, When &when) {
    bool is_one = false, is_chosen = false;
    const auto ask = [&](auto &value) {
        is_one = true;
        is_chosen = has_resource(value) && when(value);  // an argument of a callable whose call is over points to nothing
    };
    static_cast<void>(((each.type == &How::template type<H>() && (ask(How::template value<H>(*each.cell)), true)) || ...));
    if (is_one) return is_chosen;
    return !((each.type == &How::template type<Others>()) || ...);
}

/// Before a call: ends those handles that `lender` has lent and `when` tells of, with all that they lend in turn, but for `except`.
template <class How, class Asked, class Others, class When>
void end_lent_where(const Held &lender, const Held &except, const Owners &used, When when) {
    if (lender.cell == nullptr) return;
    for (bool is_done = false; !is_done;) {  // without a GIL, more may be lent while these are released
        Ending ending;
        ending.add(*lender.cell, except.cell, AnyLoan());
        ending.keep_only([&when](const Held &each) { return is_ended<How>(each, Asked(), Others(), when); });
        ending.add_further(except.cell);
        is_done = ending.is_done();
        if (!ending.end(used))
            throw Own<std::invalid_argument>("this call ends handles of which one is in use, or kept alive for another one");
    }
}

}  // namespace wg

#endif  // WG_CHOSEN_LOANS_HPP
