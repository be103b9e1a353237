// What objects lend while a call runs that ends what they lend: callables, and other threads, may make them do so.
// Static: the same for all packages. Included by generated C++ only, where a spec has such calls.
#ifndef WG_OWNERSHIP_DEPENDENTS_IN_CALLS_HPP
#define WG_OWNERSHIP_DEPENDENTS_IN_CALLS_HPP

#include "wg/ownership/dependents.hpp"

namespace wg {

/// Whether a value lends anything of the types that `chosen` tells of.
template <class Chosen>
bool lends_any(const Held &lender, Chosen chosen) {
    if (lender.cell == nullptr) return false;
    const KeptLocked locked;
    const KeptList *const kept = lender.cell->kept;
    bool found = false;
    if (kept == nullptr) return false;
    kept->lends.for_each(chosen, [&found](const Loan &) {
        found = true;
        return LoanLists::Next::none;
    });
    return found;
}

/// While this lives, what a value begins to lend can be told from what it has lent before. The value is in use meanwhile.
class LoansInCall {
public:
    explicit LoansInCall(const Held &lender) {
        if (lender.cell == nullptr) return;
        const KeptLocked locked;
        lender_ = &kept_of(lender);
        number_ = lender_->lends.begin_call();
    }
    LoansInCall(const LoansInCall &) = delete;
    LoansInCall &operator=(const LoansInCall &) = delete;
    ~LoansInCall() {
        if (lender_ == nullptr) return;
        const KeptLocked locked;
        lender_->lends.end_call();
    }

    const KeptList &lender() const { return *lender_; }
    /// What the loans have at least, as `made_in`.
    unsigned number() const { return number_; }

    /// Makes the call; then ends what `chosen` says of what was lent meanwhile. What it points to may be gone: no condition is
    /// tested. A result is lent later. With `on_success`, a call that fails ends nothing.
    template <bool on_success = false, class Chosen, class Call>
    decltype(auto) end_after(Chosen chosen, Call &&call) const {
        struct After {
            const LoansInCall &loans;
            const Chosen chosen;
            const int before = std::uncaught_exceptions();
            ~After() {
                if (!on_success || std::uncaught_exceptions() == before) close_lent(loans.lender_, chosen, loans.number_);
            }
        };
        const After after{*this, chosen};
        return call();
    }

private:
    KeptList *lender_ = nullptr;
    unsigned number_ = 0;
};

}  // namespace wg

#endif  // WG_OWNERSHIP_DEPENDENTS_IN_CALLS_HPP
