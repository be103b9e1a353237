// Handle types of which one object stands for each address: a result is the object that is there already.
// Static: the same for all packages. Included by generated C++ only, where a spec has such types.
#ifndef WG_OWNERSHIP_IDENTITY_HPP
#define WG_OWNERSHIP_IDENTITY_HPP

#include <memory>
#include <unordered_set>
#include <vector>

#include "wg/base/once.hpp"
#include "wg/ownership/identities.hpp"

namespace wg {

/// Attaches what a call says of its result, which may be an object that was there before: that keeps what it has, and keeps alive what it does not yet.
class AttachedAgain {
public:
    WG_ONCE static void attach(const Owners &owners, const Held &made) WG_ELSEWHERE
#if WG_HAS_BODIES
    {
        const Held sole = owners.held_.empty() && is_alone(*made.type) ? sole_owner(owners, made) : Held();
        const KeptList *const before = made.cell->kept;
        if (sole.cell != nullptr && before != nullptr && before->owner.cell == sole.cell) return;  // it was there, with that owner
        const bool is_new = Identities::settle(made);
        if (sole.cell != nullptr && is_new && before == nullptr) return Owners::attach_owner(kept_of(made), sole, made);
        if (owners.empty() || !made.cell->users.hold_unless_gone()) return;  // another thread may have found it, and closed it
        const InUse in_use{made};
        const Held owner = made.type->lender == nullptr ? Held() : owners.owner_for(*made.type->lender);
        const Held argument = !is_new || made.type->lender == nullptr || owner.cell != nullptr ? Held() : owners.argument_of_callable();
        bool ends_with_call = false;
        CalledObjects called(owners.held_);
        {
            const KeptLocked locked;
            AttachedAgain all(kept_of(made), made, is_new);
            for (const Held &each : owners.held_) {
                const bool was_kept = all.has(each);
                ends_with_call |= all.keep(each);
                if (!was_kept && called.size() != 0 && all.has(each)) called.give(each, all.kept_.handles, 0);
            }
            if (owners.is_copy_ && is_new) owners.add_held(all.kept_, made);
            for (const KeptHandle &each : owners.borrowed_) all.lend(each, each.entry);
            if (is_new) all.kept_.is_ours = all.kept_.is_ours && owners.is_ours_;
            if (argument.cell != nullptr) ends_with_call |= all.keep(argument);
            if (owner.cell != nullptr) ends_with_call |= all.own(owner);
            if (owner.cell != nullptr && !owners.held_.empty() && !ends_with_call) all.come_to_belong_to(owner);
        }
        if (!ends_with_call) return;
        made.cell->users.end_with_call();
        Identities::remove(*made.cell, *made.type);
    }
#endif

private:
    /// What owns the result, where a call says nothing else of it.
    static Held sole_owner(const Owners &owners, const Held &made) {
        if (!owners.borrowed_.empty() || !owners.is_ours_ || made.type->lender == nullptr) return {};
        const Held owner = owners.owner_for(*made.type->lender);
        return owner.cell == nullptr || owner.cell == made.cell || owner.cell->users.ends_with_call() ? Held() : owner;
    }

    /// Nothing releases it meanwhile.
    struct InUse {
        const Held held;
        ~InUse() { leave(held); }
    };

    AttachedAgain(KeptList &kept, const Held &made, bool is_new) : kept_(kept), made_(made), is_new_(is_new), is_first_(kept.handles.empty()) {}

    /// Whether the object ends with what it is reached from: an argument of a callable.
    WG_ONCE bool keep(const Held &each) WG_ELSEWHERE
#if WG_HAS_BODIES
    {
        const bool ends_with_call = each.cell->users.ends_with_call();
        if (ends_with_call && !is_new_) return false;
        if (each.cell == made_.cell || has(each) || is_kept_by(each)) return false;
        if (is_first_) Owners::add_locks(kept_, each);  // later, calls of other threads may be looking at them
        Cycles::before_keeping(kept_);
        kept_.handles.push_back({each, 0});
        Cycles::keeps(*made_.cell, *each.cell);
        hold(each);
        if (ends_with_call) lend(each, 0);
        return ends_with_call;
    }
#endif

    bool own(const Held &owner) {
        const bool ends_with_call = keep(owner);
        if (!is_new_) return ends_with_call;
        kept_.owner = owner;
        kept_.is_ours = kept_.is_ours && !is_a(*made_.type, *made_.type->lender);
        if (!ends_with_call && owner.type->knows_lent) lend(owner, 0);
        return ends_with_call;
    }

    /// What owned itself, and all that belongs to it, belongs to the owner that the call names.
    void come_to_belong_to(const Held &owner) {
        if (is_new_ || kept_.owner.cell != nullptr || owner.cell == made_.cell || !owns_itself(*made_.type)) return;
        if (!has(owner)) {
            Cycles::before_keeping(kept_);
            kept_.handles.push_back({owner, 0});
            Cycles::keeps(*made_.cell, *owner.cell);
            hold(owner);
        }
        kept_.owner = owner;
        kept_.is_ours = false;
        if (!owner.type->knows_lent) return;
        lend(owner, 0);
        KeptList &to = kept_of(owner);
        kept_.lends.move_to(to.lends, to, [&](const Loan &loan) {
            KeptList *const lent = loan.lent.cell->kept;
            if (loan.entry != 0 || lent == nullptr || lent->owner.cell != made_.cell) return false;
            lent->owner = owner;
            return true;
        });
    }

    void lend(const Held &lender, unsigned entry) {
        const KeptList *from = &kept_of(lender);
        for (const Loan *loan = kept_.loans; loan != nullptr; loan = loan->further)
            if (loan->lender == from && loan->entry == entry) return;
        add_loan_locked(lender, made_, entry);
    }

    bool has(const Held &one) const {
        return std::any_of(kept_.handles.begin(), kept_.handles.end(), [&](const KeptHandle &each) { return each.cell == one.cell && each.entry == 0; });
    }

    /// Whether the object is among what another one keeps alive: if both did, nothing would release them.
    WG_ONCE bool is_kept_by(const Held &other) const WG_ELSEWHERE
#if WG_HAS_BODIES
    {
        if (is_new_) return false;
        std::vector<const Cell *> left = {other.cell};
        std::unordered_set<const Cell *> seen;
        while (!left.empty()) {
            const Cell *const one = left.back();
            left.pop_back();
            const KeptList *const kept = one->kept;
            if (one == made_.cell) return true;
            if (kept == nullptr || !seen.insert(one).second) continue;
            for (const Held &each : kept->handles) left.push_back(each.cell);
        }
        return false;
    }
#endif

    KeptList &kept_;
    const Held made_;
    const bool is_new_, is_first_;
};

template <class T>
T *address_of(T *pointer) {
    return pointer;
}
template <class P>
auto address_of(const P &pointer) -> decltype(pointer.get()) {
    return pointer.get();
}

template <class T, class = void>
constexpr bool has_address = false;
template <class T>
constexpr bool has_address<T, std::void_t<decltype(address_of(std::declval<const T &>()))>> = true;

/// How objects are found by the address of what they hold, as one of the handle type `R`, which the others of the family extend.
template <class R>
struct ByAddress {
    static constexpr bool is_kept = true;
    static constexpr void (*attach)(const Owners &, const Held &) = &AttachedAgain::attach;

    static void forget(const Cell &cell, const HandleType &type) noexcept { Identities::remove(cell, type); }

    template <class How, class H>
    static Place place(const H &handle) {
        static_assert(has_address<decltype(H::inner)>, "wrapper-gen: `identity: pointer` is for handle types that hold a pointer, or a class with get()");
        const decltype(address_of(std::declval<const R &>().inner)) address = address_of(handle.inner);
        return {address, &How::template type<R>()};
    }

    /// What stands for the same as a value; nothing where that stands for nothing.
    template <class How, class H>
    static There find(const H &handle) {
        const Place place = ByAddress::place<How>(handle);
        return place.address == nullptr ? There() : Identities::find(place, How::template type<H>());
    }

    /// A new object, which keeps `there`, unless another thread has made one meanwhile: that is returned, and the new one releases nothing.
    template <class How, class H>
    static There add(const H &handle, const Held &made, const There &there, bool is_new) {
        if (there.held.cell != nullptr) Identities::keep_closed(made, there);
        const Place place = ByAddress::place<How>(handle);
        if (place.address == nullptr) return {};
        const There other = Identities::add(place, made, is_new);
        if (other.is_open) kept_of(made).is_ours = false;
        return other;
    }
};

// --- the C ABI ------------------------------------------------------------------------------------------

template <class C>
C *cell_there(const typename C::Struct &value) {
    using H = typename C::Struct;
    const There there = Identity<H>::template find<InOwnedCells>(value);
    if (there.is_open) return reinterpret_cast<C *>(static_cast<OwnedCell *>(there.held.cell));
    if (there.held.cell != nullptr) let_go_of(there.held);
    return nullptr;
}

/// The cell that stands for what `make` returns: one that is there, unless it is a constructor's, or a new one.
template <bool is_new, class C, class Make>
C *known_cell(Make &&make) {
    using H = typename C::Struct;
    H value = make();
    const There there = is_new ? There() : Identity<H>::template find<InOwnedCells>(value);
    if (there.is_open) return reinterpret_cast<C *>(static_cast<OwnedCell *>(there.held.cell));
    std::unique_ptr<C, Release> made;
    There other;
    bool has_taken = there.held.cell == nullptr;
    try {
        made.reset(new_cell<C>([&value] { return H(std::move(value)); }, [&](OwnedCell *cell, auto &own) {
            has_taken = true;
            using Own = std::decay_t<decltype(own)>;
            other = Identity<Own>::template add<InOwnedCells>(own, held(cell), there, is_new);
        }));
    } catch (...) {
        if (!has_taken) let_go_of(there.held);
        throw;
    }
    return other.is_open ? reinterpret_cast<C *>(static_cast<OwnedCell *>(other.held.cell)) : made.release();
}

}  // namespace wg

#endif  // WG_OWNERSHIP_IDENTITY_HPP
