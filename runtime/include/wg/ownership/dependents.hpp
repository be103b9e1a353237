// Calls that end what an object lends (its loans, which depend on it), so that it is not used afterwards.
// Static: the same for all packages. Included by generated C++ only, where a spec has such calls.
#ifndef WG_OWNERSHIP_DEPENDENTS_HPP
#define WG_OWNERSHIP_DEPENDENTS_HPP

#include <algorithm>
#include <exception>
#include <new>
#include <unordered_map>
#include <unordered_set>

#include "wg/base/once.hpp"
#include "wg/ownership/handles.hpp"

namespace wg {

/// All that is lent, of all types.
struct AnyLoan {
    bool operator()(const HandleType &) const { return true; }
    bool operator()(const Loan &) const { return true; }
};

/// What these entries of the spec lend.
template <unsigned... entry>
struct LoansOf {
    bool operator()(const HandleType &) const { return true; }
    bool operator()(const Loan &loan) const { return ((loan.entry == entry) || ...); }
};

/// What is lent, each with one user more, who holds its cell too: nothing else can release it meanwhile.
class HeldAgain {
public:
    explicit HeldAgain(HeldList &held) : held_(held) {}
    HeldAgain(const HeldAgain &) = delete;
    HeldAgain &operator=(const HeldAgain &) = delete;
    /// After `Common::kept_lock` is unlocked: what references end here may need it.
    ~HeldAgain() {
        for (const Held &each : referenced_) each.type->drop_reference(*each.cell);
    }

    /// False where another thread is releasing it, or has: its value must not be read then.
    WG_ONCE bool add(const Held &lent) WG_ELSEWHERE
#if WG_HAS_BODIES
    {
        if (lent.cell->users.is_gone()) return false;
        const bool has_references = lent.type->try_reference != nullptr;
        if (has_references) referenced_.reserve(referenced_.size() + 1);
        held_.push_back(lent);
        const bool is_there = !has_references || lent.type->try_reference(*lent.cell);
        if (is_there && lent.cell->users.hold_unless_gone()) return true;
        held_.pop_back();
        if (is_there && has_references) referenced_.push_back(lent);
        return false;
    }
#endif

private:
    HeldList &held_;
    HeldList referenced_;
};

/// What calls are about to end, each held for as long as this lives: nothing else can release it meanwhile.
class Ending {
public:
    Ending() = default;
    Ending(const Ending &) = delete;
    Ending &operator=(const Ending &) = delete;
    ~Ending() {
        while (!held_.empty()) {  // what is lent before what lends it
            const Held last = held_.back();
            held_.pop_back();
            let_go_of(last);
        }
    }

    /// Adds what an object lends and `chosen` says; without `except`, and without what is being destroyed. What is closed may be in use by
    /// what it lends.
    template <class Except, class Chosen>
    void add(const Cell &lender, const Except &except, Chosen chosen) {
        HeldAgain again(held_);
        const KeptLocked locked;
        const KeptList *kept = lender.kept;
        if (kept == nullptr) return;
        kept->lends.for_each(chosen, [&](const Loan &loan) {
            const Held &each = loan.lent;
            if (is_one_of(except, each.cell) || !chosen(loan) || allowed_.count(each.cell) != 0 || each.cell->users.is_gone()) return LoanLists::Next::loan;
            std::uintptr_t &allowed = allowed_[each.cell];
            if (again.add(each)) allowed = 1;  // this
            else allowed_.erase(each.cell);
            return LoanLists::Next::loan;
        });
    }

    /// Adds one that something else holds meanwhile.
    void add(const Held &held) {
        held_.reserve(held_.size() + 1);
        if (!allowed_.emplace(held.cell, 1).second) return;
        held_.push_back(held);
        hold(held);
    }

    /// Adds the object of the call, or an argument: the call takes it, so closing it drops nothing.
    void add_taken(const Held &given) {
        add(given);
        const KeptLocked locked;
        taken_.push_back(&kept_of(given));
    }

    /// The same of all that it has found so far, and so on.
    template <class Except>
    void add_further(const Except &except) {
        for (std::size_t i = 0; i < held_.size(); ++i) add(*held_[i].cell, except, AnyLoan());
    }

    /// Whether there is none but what is closed already.
    bool is_done() const {
        return std::all_of(held_.begin(), held_.end(), [](const Held &each) { return each.cell->users.is_closed(); });
    }

    /// Closes all of them; throws if something else uses one than its own handle and the call itself, which has `used`.
    void end(const Owners &used) { decide(used, true); }
    /// The same without closing them.
    void check(const Owners &used) { decide(used, false); }
    /// Closes all of them, also what is in use: that is released after that.
    void close_all() noexcept {
        for (const Held &each : held_) close(each);
    }

private:
    static bool is_one_of(const Cell *except, const Cell *one) { return one == except; }
    static bool is_one_of(const HeldList &several, const Cell *one) {
        return std::any_of(several.begin(), several.end(), [one](const Held &each) { return each.cell == one; });
    }

    WG_ONCE void decide(const Owners &used, bool closes) WG_ELSEWHERE
#if WG_HAS_BODIES
    {
        for (const Held &each : used.held()) allow(each.cell);
        allow_each_other();
        std::size_t count = 0;
        bool is_unused = true;
        while (is_unused && count < held_.size()) {
            Cell *cell = held_[count++].cell;
            is_unused = cell->users.begin_decision(allowed_[cell]);
        }
        if (is_unused && closes && !taken_.empty()) {
            const KeptLocked locked;
            for (KeptList *each : taken_) each->is_ours = false;
        }
        for (std::size_t i = 0; i < count; ++i) {
            if (is_unused && closes) close(held_[i]);
            held_[i].cell->users.end_decision();
        }
        if (!is_unused) refuse(held_[count - 1]);
    }
#endif

    [[noreturn]] WG_ONCE static void refuse(const Held &held) WG_ELSEWHERE
#if WG_HAS_BODIES
    {
        {
            const KeptLocked locked;
            const KeptList *const kept = held.cell->kept;
            if (kept != nullptr && kept->exports != 0) throw Exported(memory_in_use);
        }
        const char *const own = held.type->still_needed;
        throw Own<std::invalid_argument>(own != nullptr ? own : "this call ends an iterator that is still needed: another call uses it");
    }
#endif

    void allow(const Cell *cell) {
        const auto found = allowed_.find(cell);
        if (found != allowed_.end()) ++found->second;
    }

    void allow_each_other() {
        const KeptLocked locked;
        for (const Held &each : held_)
            if (const KeptList *kept = each.cell->kept)
                for (const Held &other : kept->handles) allow(other.cell);
    }

    HeldList held_;
    Few<KeptList *, 1> taken_;  // of what the call is given and takes
    std::unordered_map<const Cell *, std::uintptr_t> allowed_;  // how many users besides its own handle
};

/// Before a call: ends what `lender` lends and `chosen` says, with all that this lends in turn, but for `except`. What the call is
/// given, `used`, is released after it.
template <class Chosen>
void end_lent(const Held &lender, const Held &except, const Owners &used, Chosen chosen) {
    if (lender.cell == nullptr) return;
    for (bool is_done = false; !is_done;) {  // without a GIL, more may be lent while these are released
        Ending ending;
        ending.add(*lender.cell, except.cell, chosen);
        ending.add_further(except.cell);
        is_done = ending.is_done();
        ending.end(used);
    }
}

/// Those of these that are there.
template <class... H>
HeldList held_list(const H &...several) {
    HeldList out;
    static_cast<void>(((several.cell == nullptr || (out.push_back(several), true)) && ...));
    return out;
}

/// An argument that is a handle; no cell where it is missing.
inline Held only_of(const Owners &argument) { return argument.held().empty() ? Held() : argument.held()[0]; }
/// What owns a value, or the value itself where it has no owner, but lends what its own type lends.
inline Held owner_of(const Held &held) {
    if (held.cell == nullptr) return held;
    const Held owner = owner_of(*held.cell);
    return owner.cell == nullptr && held.type->lender != nullptr && is_a(*held.type, *held.type->lender) ? held : owner;
}

/// Ends what several objects lend, all of it or, where something else needs some, none, and the call is refused: before the call, or,
/// with `on_success`, once that has not failed.
template <bool on_success>
class EndedBy {
public:
    EndedBy(const HeldList &lenders, const HeldList &excepts, const Owners &used) {
        if constexpr (on_success) {
            find(ending_, lenders, excepts);
            ending_.check(used);
        } else {
            for (bool is_done = false; !is_done;) {  // without a GIL, more may be lent while these are released
                Ending ending;
                find(ending, lenders, excepts);
                is_done = ending.is_done();
                ending.end(used);
            }
        }
    }
    EndedBy(const EndedBy &) = delete;
    EndedBy &operator=(const EndedBy &) = delete;
    ~EndedBy() {
        if (on_success && std::uncaught_exceptions() == before_) ending_.close_all();
    }

private:
    static void find(Ending &ending, const HeldList &lenders, const HeldList &excepts) {
        for (const Held &each : lenders) ending.add(*each.cell, excepts, AnyLoan());
        ending.add_further(excepts);
    }

    const int before_ = std::uncaught_exceptions();
    Ending ending_;
};

/// Adds what `chosen` says of what `from` has lent since a call began, or ever, but for the value of `except`; and which of that has lent more.
template <class Chosen>
void add_lent(const KeptList &from, const KeptList &except, Chosen chosen, unsigned since, HeldList &found, std::vector<const KeptList *> &further) {
    HeldAgain again(found);
    const KeptLocked locked;
    from.lends.for_each(chosen, [&](const Loan &loan) {
        if (loan.made_in < since) return LoanLists::Next::type;
        const KeptList *const kept = loan.lent.cell->kept;
        if (kept == &except || !chosen(loan) || !again.add(loan.lent)) return LoanLists::Next::loan;
        if (kept != nullptr && kept->lends.first_type() != nullptr) further.push_back(kept);
        return LoanLists::Next::loan;
    });
}

/// Closes what `chosen` says of what a value has lent since a call began, or ever, and what that has lent in turn, which may be
/// the value itself: that stays open. What is in use is released after that. What there is no memory to find stays open too.
template <class Chosen>
void close_lent(const KeptList *lender, Chosen chosen, unsigned since) noexcept {
    if (lender == nullptr) return;
    HeldList found;
    try {
        std::vector<const KeptList *> further;
        add_lent(*lender, *lender, chosen, since, found, further);
        if (!further.empty()) {
            std::unordered_set<const KeptList *> seen;
            for (std::size_t i = 0; i < further.size(); ++i)
                if (seen.insert(further[i]).second) add_lent(*further[i], *lender, AnyLoan(), 0, found, further);
        }
    } catch (const std::bad_alloc &) {
    }
    while (!found.empty()) {  // what is lent before what lends it
        const Held last = found.back();
        found.pop_back();
        close(last);
        let_go_of(last);
    }
}

/// All that a handle lends, which something uses meanwhile.
inline void close_lent(const Held &lender) noexcept {
    KeptList *const kept = lender.cell->kept;
    if (kept == nullptr) return;
    kept->is_closing.store(true, std::memory_order_relaxed);
    close_lent(kept, AnyLoan(), 0);
}

/// The same before a handle is closed, which another thread may close too.
inline void close_lent_by(const Held &lender) noexcept {
    if (!enter(lender)) return;
    close_lent(lender);
    leave(lender);
}

/// The same of a handle of the cffi engine, which may be null.
inline void close_lent_by(void *cell) noexcept {
    if (cell != nullptr) close_lent_by(held(static_cast<OwnedCell *>(cell)));
}

/// What owns a value of a type that is lent by itself: its owner, or it is the owner.
inline Held owner_or_self(const Held &held) {
    const Held owner = owner_of(*held.cell);
    return owner.cell == nullptr ? held : owner;
}

}  // namespace wg

#endif  // WG_OWNERSHIP_DEPENDENTS_HPP
