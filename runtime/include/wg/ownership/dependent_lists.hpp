// What values lend, in lists: one for each type, so that a call that ends what is lent of one type does not look at others.
// Static: the same for all packages. Included by generated C++ only.
#ifndef WG_OWNERSHIP_DEPENDENT_LISTS_HPP
#define WG_OWNERSHIP_DEPENDENT_LISTS_HPP

#include <utility>

#include "wg/base/once.hpp"
#include "wg/ownership/ownership.hpp"

namespace wg {

/// That one value is lent by another, for as long as it lives or until a call ends that.
struct Loan {
    Held lent;
    unsigned entry = 0;  // of the spec, where a call ends what that lends; 0 where it is lent by its owner
    unsigned made_in = 0;  // the latest of the running calls that end what the lender lends; 0 where it was made in none
    KeptList *lender = nullptr;
    Loan *previous = nullptr, *next = nullptr;  // of the same lender and type: the next one is older
    Loan *further = nullptr;  // of the same value
};

/// What a value lends. Under `KeptLocked`.
class LoanLists {
public:
    LoanLists() noexcept {}
    LoanLists(const LoanLists &) = delete;
    LoanLists &operator=(const LoanLists &) = delete;
    ~LoanLists() {
        for (OfType *each = own_.next; each != nullptr;) delete std::exchange(each, each->next);
    }

    /// Makes room for a loan of this type.
    [[gnu::always_inline]] Loan *&first_of(const HandleType &type) {
        return own_.type == &type ? own_.first : other_first_of(type);
    }
    unsigned latest_call() const noexcept { return latest_call_; }

    void remove(Loan &loan) noexcept {
        if (loan.next != nullptr) loan.next->previous = loan.previous;
        if (loan.previous != nullptr) {
            loan.previous->next = loan.next;
            return;
        }
        of_type(*loan.lent.type)->first = loan.next;
    }

    /// Calls `look` for each of the types that `chosen` tells of, which says how to go on; the latest of a type come first. Those
    /// before `last`, and that one, are left out.
    enum class Next { loan, type, none };
    template <class Chosen, class Look>
    void for_each(Chosen chosen, Look look, const Loan *last = nullptr) const {
        for (const OfType *list = last == nullptr ? &own_ : of_type(*last->lent.type); list != nullptr; list = list->next) {
            const Loan *loan = last == nullptr ? list->first : last->next;
            last = nullptr;
            if (loan == nullptr || !chosen(*list->type)) continue;
            for (Next next = Next::loan; loan != nullptr && next != Next::type; loan = loan->next)
                if ((next = look(*loan)) == Next::none) return;
        }
    }

    /// The type of what it has lent first; null where it never lent anything.
    const HandleType *first_type() const noexcept { return own_.type; }
    bool has_lent() const noexcept { return own_.type != nullptr; }

    /// From now on `to`, whose lists these others are, lends what the value lent, where `moved` says so of a loan.
    template <class Moved>
    void move_to(LoanLists &others, KeptList &to, Moved moved) {
        for (OfType *list = &own_; list != nullptr && list->type != nullptr; list = list->next) {
            Loan *&first = others.first_of(*list->type);
            for (Loan *loan = list->first; loan != nullptr;) {
                Loan *const each = std::exchange(loan, loan->next);
                if (!moved(*each)) continue;
                remove(*each);
                each->lender = &to;
                each->made_in = others.latest_call();
                each->previous = nullptr;
                each->next = first;
                if (first != nullptr) first->previous = each;
                first = each;
            }
        }
    }

    /// The value is gone before what it lent: `gone` stands for it from now on.
    void leave_to(KeptList &gone) noexcept {
        for (OfType *list = &own_; list != nullptr; list = list->next)
            for (Loan *loan = std::exchange(list->first, nullptr); loan != nullptr; loan = loan->next) loan->lender = &gone;
    }

    /// A call begins that ends what the value lends: `made_in` of what is lent from now on is at least what this returns.
    unsigned begin_call() noexcept {
        ++running_calls_;
        return ++latest_call_;
    }
    void end_call() noexcept {
        if (--running_calls_ != 0) return;
        latest_call_ = 0;
        for (OfType *list = &own_; list != nullptr; list = list->next)
            for (Loan *loan = list->first; loan != nullptr && loan->made_in != 0; loan = loan->next) loan->made_in = 0;
    }

private:
    struct OfType {
        const HandleType *type = nullptr;
        Loan *first = nullptr;
        OfType *next = nullptr;
    };

    OfType *of_type(const HandleType &type) noexcept {
        OfType *list = &own_;
        while (list->type != &type) list = list->next;
        return list;
    }
    const OfType *of_type(const HandleType &type) const noexcept { return const_cast<LoanLists *>(this)->of_type(type); }

    [[gnu::noinline]] WG_ONCE Loan *&other_first_of(const HandleType &type) WG_ELSEWHERE
#if WG_HAS_BODIES
    {
        if (own_.type == nullptr) own_.type = &type;
        OfType *list = &own_;
        while (list->type != &type) {
            if (list->next == nullptr) list->next = new OfType{&type};
            list = list->next;
        }
        return list->first;
    }
#endif

    OfType own_;
    unsigned running_calls_ = 0, latest_call_ = 0;
};

}  // namespace wg

#endif  // WG_OWNERSHIP_DEPENDENT_LISTS_HPP
