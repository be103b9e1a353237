// What the handles of a result keep alive: arguments of the call that made them, and what lends them.
// Static: the same for all packages. Included by generated C++ only.
#ifndef WG_OWNERSHIP_OWNERS_HPP
#define WG_OWNERSHIP_OWNERS_HPP

#include <algorithm>
#include <memory>
#include <type_traits>

#include "wg/base/once.hpp"
#include "wg/ownership/owner_lists.hpp"

namespace wg {

/// Of what is lent, the owner; of what owns itself, no cell. What owned itself may have come to belong to another one of its type: that is it, then.
inline Held owner_of(const Cell &cell) {
    const KeptList *kept = cell.kept;
    Held owner = kept == nullptr ? Held() : kept->owner;
    while (owner.cell != nullptr && owns_itself(*owner.type)) {
        kept = owner.cell->kept;
        if (kept == nullptr || kept->owner.cell == nullptr) break;
        owner = kept->owner;
    }
    return owner;
}

/// The nearest of a handle, its owner, the owner of that, and so on, that can lend what `lender` lends; else no cell.
inline Held lender_of(Held from, const HandleType &lender) {
    for (; from.cell != nullptr; from = owner_of(*from.cell)) {
        const bool is_lent_by_its_own = from.type->lender == &lender && owner_of(*from.cell).cell != nullptr;
        if (is_a(*from.type, lender) && !is_lent_by_its_own) return from;
    }
    return from;
}

/// Whether releasing a value drops it.
inline bool is_ours(const Cell &cell) {
    const KeptList *kept = cell.kept;
    return (kept == nullptr || kept->is_ours) && !cell.users.is_emptied();
}

/// The cell that drops what a cell holds: another one where the object was closed, and the library still has it. Under `KeptLocked`.
inline const Cell *owning_cell(const Cell *cell) noexcept {
    const KeptList *kept = cell->kept;
    for (; kept != nullptr && kept->value_owner != nullptr; kept = cell->kept) cell = kept->value_owner;
    return cell;
}

/// What a value keeps alive, which may be nothing yet.
[[gnu::always_inline]] inline KeptList &kept_of(const Held held) {
    KeptList *kept = held.cell->kept.load(std::memory_order_acquire);
    if (kept == nullptr) held.cell->kept.store(kept = SpareLists::take(*held.type), std::memory_order_release);
    return *kept;
}

/// The Python objects that C++ calls by way of handles, where these do not lie in them: kept as the handles are, for which they stand.
class CalledObjects {
public:
    explicit CalledObjects(const HeldList &handles) {
        for (const Held &each : handles)
            if (each.type->python != nullptr) add(each);
    }
    CalledObjects(const CalledObjects &) = delete;
    CalledObjects &operator=(const CalledObjects &) = delete;
    ~CalledObjects() {
        for (const Held &each : held_) leave(each);
    }

    std::size_t size() const { return held_.size(); }

    /// Gives the object of a handle to what has room for it; nothing, where there is none. Under `KeptLocked`.
    Held give(const Held &handle, KeptHandles &to, unsigned entry) noexcept {
        Held *const found = std::find_if(held_.begin(), held_.end(), [&](const Held &each) { return each.cell->kept.load()->value_owner == handle.cell; });
        if (found == held_.end()) return {};
        const Held given = *found;
        to.push_back({given, entry});
        held_.erase(found, found + 1);
        return given;
    }

private:
    struct Object : UsedCell {
        explicit Object(std::shared_ptr<void> object) : python(std::move(object)) {}

        const std::shared_ptr<void> python;
    };
    static constexpr HandleType object_type = type_of_argument([](Cell &cell) noexcept { delete static_cast<Object *>(&cell); });

    [[gnu::cold, gnu::noinline]] void add(const Held &handle) {
        std::shared_ptr<void> python = handle.type->python(*handle.cell);
        if (python == nullptr) return;
        held_.reserve(held_.size() + 1);
        auto *const object = new Object(std::move(python));
        held_.push_back({object, &object_type});
        kept_of(held_.back()).value_owner = handle.cell;
    }

    HeldList held_;
};

/// The handle type that lends what `H` holds: specialised for types that are lent.
template <class H>
struct LentBy {
    using type = void;
};

/// Whether releasing a value of `H` can drop it: specialised where that is left to its owner in any case.
template <class H>
inline constexpr bool is_dropped = true;

/// The claim of a call that takes a value out of its cell: only who owns it can give it away. Where a cell is another one's that owns
/// the value, that is asked as well; what holds that needs the value.
class ValueClaim {
public:
    template <class H>
    Users::Claim claim_value(Cell &cell) noexcept {
        const Users::Claim claim = cell.users.take();
        if (claim != Users::Claim::taken) return claim;
        last_ = cell_ = &cell;
        if constexpr (std::is_pointer_v<std::remove_cv_t<decltype(H::inner)>>) {  // anything else is the handle's own
            const bool has_owner = is_ours(cell) || (!is_dropped<H> && owner_of(cell).cell != nullptr);
            if (!has_owner) return claim_owners();
        }
        return claim;
    }

    /// The call has failed before it had the value.
    void give_back_value() noexcept {
        leave_owners(false);
        cell_->users.give_back();
    }
    /// The call has it; before what the cell keeps alive is released.
    void consume_value() noexcept { leave_owners(true); }

private:
    WG_ONCE Users::Claim claim_owners() noexcept WG_ELSEWHERE
#if WG_HAS_BODIES
    {
        Users::Claim claim = Users::Claim::taken;
        {
            const KeptLocked locked;
            while (claim == Users::Claim::taken && !is_ours(*last_)) {
                const KeptList *const kept = last_->kept;
                Cell *const owner = kept->value_owner;
                if (owner == nullptr) claim = Users::Claim::not_owned;
                else if (!owner->users.take_closed()) claim = Users::Claim::in_use;
                else last_ = owner;
            }
        }
        if (claim != Users::Claim::taken) give_back_value();
        return claim;
    }
#endif

    WG_ONCE void leave_owners(bool is_taken) noexcept WG_ELSEWHERE
#if WG_HAS_BODIES
    {
        if (last_ == cell_) return;
        const KeptLocked locked;
        for (const Cell *each = cell_; each != last_;) {
            const KeptList *const kept = each->kept;
            Cell *const owner = kept->value_owner;
            owner->users.leave_taken(is_taken);
            each = owner;
        }
    }
#endif

    Cell *cell_ = nullptr;
    const Cell *last_ = nullptr;  // which owns the value: that cell, or the last of those by which it has it
};

/// Whether values of `H` know what they lend, so that a call can end that: specialised where one can.
template <class H>
inline constexpr bool knows_lent = false;

/// Whether to close a value of `H` closes what it has lent: specialised where it does.
template <class H>
inline constexpr bool closes_lent = false;

/// What a call says that would end a value of `H` that is still needed: specialised where one can.
template <class H>
inline constexpr const char *still_needed = nullptr;

/// Whether arrays may use the memory of values of `H`: specialised where results are such.
template <class H>
inline constexpr bool exports_memory = false;

/// Whether an array uses the memory of this value.
bool is_exported(const Cell &cell);  // wg/arrays/arrays.hpp

/// Closes what a value has lent, and what that has lent in turn, before the value itself is closed.
void close_lent_by(const Held &lender) noexcept;  // wg/ownership/dependents.hpp

/// How the object that stands for an address is found again: specialised where results are that object (wg/ownership/identity.hpp).
template <class H>
struct Identity {
    static constexpr bool is_kept = false;
    static constexpr void (*attach)(const Owners &, const Held &) = nullptr;
    static void forget(const Cell &, const HandleType &) noexcept {}
};

/// How the end of a value runs, with what its destructor does: specialised where that waits.
template <class H>
struct EndOf {
    template <class Work>
    static void run(Work &&work) noexcept {
        work();
    }
};

/// What the end of a value stands apart from: specialised in packages with callables, which may be called then (wg/base/call_stack.hpp).
struct NoCalls {
    explicit NoCalls(bool = true) noexcept {}
};
template <class H>
struct Beside {
    using type = NoCalls;
};

/// Whether calls on values of `H` lock what owns these: specialised where other calls on that let other threads run meanwhile.
template <class H>
inline constexpr bool is_locked_by_calls = false;

/// What the end of a value keeps other calls off: what the value was made from, or nothing.
class EndLocks;  // wg/ownership/owner_locks.hpp
struct NoLocks {
    explicit NoLocks(const KeptList *) noexcept {}
    static constexpr bool may_end() { return true; }
};
template <class H>
using LocksAtEnd = std::conditional_t<is_locked_by_calls<H>, EndLocks, NoLocks>;

/// Remembers that `made` is lent, of which no other thread changes the list.
[[gnu::always_inline]] inline void add_loan_locked(const Held lender, const Held made, unsigned entry) {
    KeptList &from = kept_of(lender), &to = kept_of(made);
    Loan *&first = from.lends.first_of(*made.type);
    Loan *loan = to.loan.lender == nullptr ? &to.loan : new Loan;
    *loan = {made, entry, from.lends.latest_call(), &from, nullptr, first, to.loans};
    if (first != nullptr) first->previous = loan;
    first = to.loans = loan;
}
[[gnu::always_inline]] inline void add_loan(const Held lender, const Held made, unsigned entry) {
    if (made.type->allow_try_reference != nullptr) made.type->allow_try_reference(*made.cell);
    const KeptLocked locked(*made.type);
    add_loan_locked(lender, made, entry);
}

/// What the handles of a result keep alive. The call that makes them holds on to it meanwhile.
class Owners {
public:
    Owners &add(Held held) {
        if (held.cell != nullptr) held_.push_back(held);
        return *this;
    }
    Owners &add(const HeldList &several) {
        held_.append(several);
        return *this;
    }
    /// What another one keeps alive, which may be nothing.
    Owners &add(const KeptList *kept) { return kept == nullptr ? *this : add_kept(held_, *kept); }

    /// Handles that may lend what the result holds, or have an owner that does.
    Owners &lend(Held lender) {
        if (lender.cell != nullptr) lenders_.push_back(lender);
        return *this;
    }
    Owners &lend(const HeldList &several) {
        lenders_.append(several);
        return *this;
    }
    Owners &lend(const KeptList *kept) { return kept == nullptr ? *this : add_kept(lenders_, *kept); }
    Owners &lend(const Owners &several) { return lend(several.held_); }

    /// Keeps an object alive that lends the result until a call of certain methods.
    Owners &borrow(const Held &lender, unsigned entry) {
        borrowed_.push_back({lender, entry});
        return add(lender);
    }

    /// What the result holds is lent by another part of it: nothing is attached until all of it is there.
    Owners &lend_within() {
        is_within_ = true;
        return *this;
    }

    /// The result may be a copy of one of these: what that holds by entries of the spec, it may use too, also after that lets go of it.
    Owners &with_held() {
        is_copy_ = true;
        return *this;
    }

    bool are_within() const { return is_within_; }

    /// The handle that alone may lend the result, where nothing else is said of it; else null.
    const Held *sole_lender() const {
        return lenders_.size() == 1 && held_.empty() && borrowed_.empty() && is_ours_ && !is_within_ ? lenders_.begin() : nullptr;
    }

    const HeldList &held() const { return held_; }
    /// The result is the library's own: releasing it does not drop it.
    Owners &not_ours() {
        is_ours_ = false;
        return *this;
    }

    bool empty() const { return held_.empty() && lenders_.empty() && !is_within_ && is_ours_; }

    /// Lets `made` keep all of them alive, and its owner: mostly that is all.
    [[gnu::noinline]] void attach_to(const Held made) const {
        const Held *const sole = made.type->lender != nullptr && made.type->attach == nullptr ? sole_lender() : nullptr;
        if (sole != nullptr) {
            const Held owner = lender_of(*sole, *made.type->lender);
            if (owner.cell != nullptr) return attach_owner(kept_of(made), owner, made);
        }
        attach_all_to(made);
    }

private:
    [[gnu::noinline]] WG_ONCE void attach_all_to(const Held made) const WG_ELSEWHERE
#if WG_HAS_BODIES
    {
        if (is_within_) {
            made_.push_back(made);
            return;
        }
        if (made.type->attach != nullptr) {
            made.type->attach(*this, made);
            return;
        }
        const Held owner = made.type->lender == nullptr ? Held() : owner_for(*made.type->lender);
        if (owner.cell != nullptr && held_.empty() && borrowed_.empty() && is_ours_) {
            attach_owner(kept_of(made), owner, made);
            return;
        }
        const Held argument = made.type->lender == nullptr || owner.cell != nullptr ? Held() : argument_of_callable();
        if (held_.empty() && owner.cell == nullptr && argument.cell == nullptr && is_ours_) return;
        CalledObjects called(held_);
        KeptList &kept = kept_of(made);
        kept.handles.reserve(kept.handles.size() + held_.size() + called.size() + (owner.cell != nullptr || argument.cell != nullptr ? 1 : 0));
        for (const Held &each : held_) {
            keep(kept, each);
            if (called.size() != 0) called.give(each, kept.handles, 0);
            if (each.cell->users.ends_with_call()) end_with(each, made);
        }
        if (is_copy_) {
            const KeptLocked locked;
            add_held(kept, made);
        }
        for (const KeptHandle &each : borrowed_) add_loan(each, made, each.entry);
        kept.is_ours = is_ours_;
        if (argument.cell != nullptr) {
            keep(kept, argument);
            end_with(argument, made);
        }
        if (owner.cell == nullptr) return;
        attach_owner(kept, owner, made);
        kept.is_ours = is_ours_ && kept.is_ours;
    }
#endif

public:
    /// The same where nothing but the owner is kept alive. That is in registers: what is written to the stack as two words, and
    /// read as one, holds the processor up.
    [[gnu::always_inline]] static void attach_owner(KeptList &kept, const Held owner, const Held made) {
        keep(kept, owner);
        kept.owner = owner;
        if (owner.cell->users.ends_with_call()) end_with(owner, made);
        else if (owner.type->knows_lent || made.type->is_told_to_lender) add_loan(owner, made, 0);
        kept.is_ours = !is_a(*made.type, *made.type->lender);  // else the owner drops it with itself
    }

    /// All parts of the result are there: only where one may lend another.
    void settle() const {
        Owners whole(*this);
        whole.is_within_ = false;
        whole.lend(made_);
        for (const Held &each : made_) whole.attach_to(each);
        made_.clear();
    }

private:
    friend class AttachedAgain;

    Owners &add_kept(HeldList &out, const KeptList &kept) {
        for (const Held &each : kept.handles) out.push_back(each);
        return *this;
    }

    /// Lets `made` hold what those of its type do, by the same entries. Under `KeptLocked`.
    [[gnu::cold, gnu::noinline]] WG_ONCE void add_held(KeptList &kept, const Held made) const WG_ELSEWHERE
#if WG_HAS_BODIES
    {
        const bool may_have = held_.size() > 1;
        for (const Held &each : held_) {
            const KeptList *const from = each.cell == made.cell || !(is_a(*each.type, *made.type) || is_a(*made.type, *each.type)) ? nullptr : each.cell->kept.load();
            if (from == nullptr) continue;
            kept.handles.reserve(kept.handles.size() + from->handles.size());
            for (const KeptHandle &one : from->handles) {
                const auto is_same = [&](const KeptHandle &other) { return other.cell == one.cell && other.entry == one.entry; };
                if (one.entry == 0 || one.cell == made.cell || (may_have && std::any_of(kept.handles.begin(), kept.handles.end(), is_same))) continue;
                hold(one);
                Cycles::before_keeping(kept);
                kept.handles.push_back(one);
                Cycles::keeps(*made.cell, *one.cell);
            }
        }
    }
#endif

    /// The first of those that may lend what `lender` lends.
    Held owner_for(const HandleType &lender) const {
        for (const Held &each : lenders_) {
            const Held found = lender_of(each, lender);
            if (found.cell != nullptr) return found;
        }
        return {};
    }

    /// Of what has no owner that is known, the argument of a callable that it was reached from.
    Held argument_of_callable() const {
        for (const Held &each : lenders_)
            if (each.cell->users.ends_with_call()) return each;
        return {};
    }

    /// When the callable has returned, `made` is closed with what it was reached from.
    [[gnu::cold, gnu::noinline]] static void end_with(const Held argument, const Held made) {
        add_loan(argument, made, 0);
        made.cell->users.end_with_call();
    }

    [[gnu::always_inline]] static void keep(KeptList &kept, const Held each) {
        add_locks(kept, each);
        kept.handles.push_back({each, 0});
        hold(each);
    }

    [[gnu::always_inline]] static void add_locks(KeptList &out, const Held owner) {
        const KeptList *further = owner.cell->kept;
        if (further != nullptr && !further->locks.empty())
            add_all_locks(out, *further);
        else if (owner.type->is_exclusive || owner.type->is_locked_by_calls)
            add_lock(out, owner.cell);
    }
    [[gnu::noinline]] static void add_all_locks(KeptList &out, const KeptList &further) {
        for (Cell *each : further.locks) add_lock(out, each);
    }
    [[gnu::noinline]] static void add_lock(KeptList &out, Cell *lock) {
        for (const Cell *each : out.locks)
            if (each == lock) return;
        out.locks.push_back(lock);
    }

    HeldList held_;
    HeldList lenders_;
    KeptHandles borrowed_;
    bool is_within_ = false;
    bool is_ours_ = true;
    bool is_copy_ = false;
    mutable HeldList made_;  // parts of the result that wait for the others
};

/// What keeps nothing alive.
inline const Owners no_owners{};

/// What keeps a result alive that its call's object may lend, or what owns that: nothing else.
class SoleLender {
public:
    explicit SoleLender(Held object) : object_(object) {}
    bool empty() const { return false; }
    const Held *sole_lender() const { return &object_; }

    void attach_to(const Held made) const {
        const Held owner = made.type->lender == nullptr ? Held() : lender_of(object_, *made.type->lender);
        if (made.type->attach != nullptr) {
            const KeptList *const before = owner.cell != nullptr && is_alone(*made.type) ? made.cell->kept.load() : nullptr;
            const bool was_there = before != nullptr && before->owner.cell == owner.cell;
            if (!was_there) Owners().lend(object_).attach_to(made);
            return;
        }
        if (owner.cell != nullptr) Owners::attach_owner(kept_of(made), owner, made);
        else Owners().lend(object_).attach_to(made);
    }

private:
    const Held object_;
};

}  // namespace wg

#endif  // WG_OWNERSHIP_OWNERS_HPP
