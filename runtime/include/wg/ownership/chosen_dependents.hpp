// Calls that end some of what an object lends: those handles for which a condition of the spec holds.
// Static: the same for all packages that have such calls. Included by generated C++ only.
#ifndef WG_OWNERSHIP_CHOSEN_DEPENDENTS_HPP
#define WG_OWNERSHIP_CHOSEN_DEPENDENTS_HPP

#include "wg/base/pack.hpp"
#include "wg/ownership/dependents_in_calls.hpp"

namespace wg {

/// What is lent of all types but those of the handle types `Others`. What is of no handle type, such as an iterator, is among it.
template <class How, class Others>
struct LoansBut;
template <class How, class... Others>
struct LoansBut<How, Types<Others...>> {
    bool operator()(const HandleType &type) const { return !((&type == &How::template type<Others>()) || ...); }
    bool operator()(const Loan &) const { return true; }
};

/// Whether a handle is of one of the types `H`.
template <class How, class... H>
bool is_asked(const Held &each, Types<H...>) {
    return ((each.type == &How::template type<H>()) || ...);
}

/// Whether a call ends a handle: `when` tells of those of the types `H`; all others are ended.
template <class How, class... H, class When>
bool is_ended(const Held &each, Types<H...>, When &when) {
    bool is_chosen = true;
    const auto ask = [&](auto &value) {
        is_chosen = has_resource(value) && when(value);  // an argument of a callable whose call is over points to nothing
        return true;
    };
    static_cast<void>(((each.type == &How::template type<H>() && ask(How::template value<H>(*each.cell))) || ...));
    return is_chosen;
}

/// What a call may end, some at a time, each with one user more: nothing releases it while the condition is tested.
class Candidates {
public:
    Candidates() {
        held_.reserve(at_once);
        next_.reserve(at_once);
    }
    Candidates(const Candidates &) = delete;
    Candidates &operator=(const Candidates &) = delete;
    ~Candidates() { let_go(); }

    /// Adds to `ending` what `asked` says, of what a value has lent since a call began, or ever.
    template <class Chosen, class Asked>
    void add_to(Ending &ending, const KeptList &lender, const Cell *except, Chosen chosen, unsigned since, Asked asked) {
        while (find(lender, except, chosen, since))
            for (const Held &each : held_)
                if (asked(each)) ending.add(each);
    }

private:
    static constexpr std::size_t at_once = 64;  // they are in the processor's cache for the test

    /// The next ones: what was found last is held until then, and with it its place in the list.
    template <class Chosen>
    bool find(const KeptList &lender, const Cell *except, Chosen chosen, unsigned since) {
        const Loan *last = last_;
        {
            HeldAgain again(next_);
            const KeptLocked locked;
            lender.lends.for_each(chosen, [&](const Loan &loan) {
                if (loan.made_in < since) return LoanLists::Next::type;
                if (loan.lent.cell != except && again.add(loan.lent)) last_ = &loan;
                return next_.size() == at_once ? LoanLists::Next::none : LoanLists::Next::loan;
            }, last);
        }
        let_go();
        std::swap(held_, next_);
        return !held_.empty();
    }

    void let_go() noexcept {
        for (const Held &each : held_) let_go_of(each);
        held_.clear();
    }

    HeldList held_, next_;
    const Loan *last_ = nullptr;
};

/// Of what a call is given, what it takes: the object, and arguments without an owner, where `when` tells of them.
template <class How, class Asked, class When>
HeldList taken_by(const Held &own, const Owners &used, When &when) {
    HeldList out;
    const auto add = [&](const Held &each) {
        if (is_asked<How>(each, Asked()) && is_ended<How>(each, Asked(), when)) out.push_back(each);
    };
    if (own.cell != nullptr) add(own);
    for (const Held &each : used.held())
        if (each.cell != own.cell && owner_of(*each.cell).cell == nullptr) add(each);
    return out;
}

/// Before a call: ends those handles that `lender` has lent and `when` tells of, with all that they lend in turn. So it does with `own`,
/// the object of the call, and with arguments that nothing lends: they are closed as what a call takes, so that no release drops them.
template <class How, class Asked, class Others, class When>
void end_lent_where(const Held &lender, const Held &own, const Owners &used, When when) {
    const LoansBut<How, Others> chosen;
    const HeldList taken = taken_by<How, Asked>(own, used, when);
    const bool has_lent = lends_any(lender, chosen);
    if (taken.empty() && !has_lent) return;
    const LoansInCall in_call(has_lent ? lender : Held());
    Owners given(used);
    if (own.cell != nullptr) given.add(own);
    for (unsigned since = 0;; since = in_call.number()) {  // without a GIL, more may be lent while these are released
        Ending ending;
        for (const Held &each : taken) ending.add_taken(each);
        if (has_lent) {
            Candidates().add_to(ending, in_call.lender(), own.cell, chosen, since, [&when](const Held &each) {
                return is_ended<How>(each, Asked(), when);
            });
        }
        ending.add_further(own.cell);
        if (ending.is_done()) return;
        ending.end(given);
    }
}

}  // namespace wg

#endif  // WG_OWNERSHIP_CHOSEN_DEPENDENTS_HPP
