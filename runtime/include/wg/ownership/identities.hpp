// Which cells stand for an address, of handle types with `identity`: what wg/ownership/identity.hpp finds objects by.
// Static: the same for all packages. Included by generated C++ only, where a spec has such types.
#ifndef WG_OWNERSHIP_IDENTITIES_HPP
#define WG_OWNERSHIP_IDENTITIES_HPP

#include <utility>

#include "wg/base/once.hpp"
#include "wg/ownership/handles.hpp"
#include "wg/base/pointer_tables.hpp"

namespace wg {

/// What an object stands for: an address, as one of the type that no other of its family is a base of.
struct Place {
    const void *address = nullptr;
    const HandleType *root = nullptr;

    bool operator==(const Place other) const { return address == other.address && root == other.root; }
};

/// What stands for a place. One that is open has one reference more, or was given to C once more. One that is closed and still in use has one user more.
struct There {
    Held held;
    bool is_open = false;
};

/// The cells of these types, by what they stand for; none is kept alive by that.
class Identities {
public:
    // Places and cells are passed in registers: what is written to memory as two words, and read as one, holds the processor up.

    /// What stands there, if it is of a type that extends `wanted`, or of that.
    static There find(const Place place, const HandleType &wanted) {
        Ended ended;
        const Locked all(wanted);
        Known **const newest = all->by_place.find(place);
        return newest == nullptr ? There() : look(*newest, wanted, ended);
    }

    /// A new cell, which stands there from now on, unless another thread has made one meanwhile that is open: that is returned. Of what a
    /// constructor makes there was none: what stood there does not know that the library has released its object. The new cell keeps
    /// what is closed and still in use, and does not release that.
    WG_ONCE static There add(const Place place, const Held made, bool is_new) WG_ELSEWHERE
#if WG_HAS_BODIES
    {
        if (made.type->allow_try_reference != nullptr) made.type->allow_try_reference(*made.cell);
        Ended ended;
        const Locked all(*made.type);
        all->by_cell.reserve();
        all->by_place.reserve();
        Known **const newest = all->by_place.find(place);
        const There there = is_new || newest == nullptr ? There() : look(*newest, *made.type, ended);
        if (there.is_open) return there;
        Known *const known = all->last = all->take();
        known->place.address = place.address;
        known->place.root = place.root;
        known->held.cell = made.cell;
        known->held.type = made.type;
        known->older = there.held.cell == nullptr ? nullptr : *newest;
        known->maker = this_thread();
        if (newest == nullptr) all->by_place.insert(known);
        else *newest = known;
        all->by_cell.insert(known);
        const KeptList *const kept = made.cell->kept;
        const bool is_kept = there.held.cell != nullptr && kept != nullptr && kept->value_owner == there.held.cell;
        if (is_kept) {  // which is another user of it, so that nothing ends here
            static_cast<void>(there.held.cell->users.leave());
            if (there.held.type->drop_reference != nullptr) there.held.type->drop_reference(*there.held.cell);
        } else if (there.held.cell != nullptr) {
            keep_closed(made, there);
        }
        return {};
    }
#endif

    /// A new cell keeps one that is closed and still in use: that, and not the new one, releases the value, unless it leaves that to others.
    WG_ONCE static void keep_closed(const Held &made, const There &there) WG_ELSEWHERE
#if WG_HAS_BODIES
    {
        const KeptLocked locked;
        KeptList &kept = kept_of(made);
        kept.handles.push_back({there.held, 0});
        const KeptList *const theirs = there.held.cell->kept;
        if (theirs != nullptr && !theirs->is_ours && theirs->value_owner == nullptr) return;
        kept.is_ours = false;
        kept.value_owner = there.held.cell;
    }
#endif

    /// Before the memory of a cell is freed, or where nothing may find it any more.
    WG_ONCE static void remove(const Cell &cell, const HandleType &type) noexcept WG_ELSEWHERE
#if WG_HAS_BODIES
    {
        const Locked all(type);
        Known **const known = all->by_cell.find(&cell);
        if (known == nullptr) return;
        Known *const gone = *known;
        if (Known **const found = all->by_place.find(gone->place)) {
            Known **link = found;
            while (*link != nullptr && *link != gone) link = &(*link)->older;
            if (link == found && gone->older == nullptr && *link == gone) all->by_place.erase(found);
            else if (*link != nullptr) *link = gone->older;
        }
        all->by_cell.erase(known);
        all->give_back(gone);
    }
#endif

    /// What a call says of its result is about to be attached: whether it has made it. Otherwise the object was there before.
    WG_ONCE static bool settle(const Held made) noexcept WG_ELSEWHERE
#if WG_HAS_BODIES
    {
        const Locked all(*made.type);
        Known *known = all->last;
        if (known == nullptr || known->held.cell != made.cell) {
            Known **const found = all->by_cell.find(made.cell);
            if (found == nullptr) return true;
            known = *found;
        }
        if (known->maker != this_thread()) return false;
        known->maker = nullptr;
        return true;
    }
#endif

private:
    struct Known {
        Place place;
        Held held;
        Known *older = nullptr;  // what stood there before, closed and then still in use: the value may outlive this one
        const void *maker = nullptr;  // the thread whose call has made it, until that call says what keeps it alive
    };

    struct ByPlace {
        using Key = Place;
        static Place key(const Known &known) noexcept { return known.place; }
        /// Few places differ in the root alone.
        static std::uint64_t hash(const Place place) noexcept { return mixed(place.address); }
    };
    struct ByCell {
        using Key = const Cell *;
        static const Cell *key(const Known &known) noexcept { return known.held.cell; }
        static std::uint64_t hash(const Cell *cell) noexcept { return mixed(cell); }
    };

    /// The cells of one engine: those of the other one stand for places of types of their own.
    struct All {
        PointerTable<Known, ByPlace> by_place;
        PointerTable<Known, ByCell> by_cell;
        ShortLock lock;
        Known *last = nullptr;  // the newest, which is most often asked for next
        Known *spare = nullptr;  // for the next ones, by `older`
        std::size_t spare_count = 0;

        Known *take() {
            if (spare == nullptr) return new Known;
            --spare_count;
            return std::exchange(spare, spare->older);
        }
        void give_back(Known *known) noexcept {
            if (last == known) last = nullptr;
            if (spare_count == most_spare) {
                delete known;
                return;
            }
            known->older = std::exchange(spare, known);
            ++spare_count;
        }
    };

    /// All of one engine, for one thread at a time: under its lock, or under the GIL alone.
    class Locked {
    public:
        explicit Locked(const HandleType &type) noexcept : all_(type.has_gil ? with_gil : others), locks_(!is_alone(type)) {
            if (locks_) all_.lock.lock();
        }
        Locked(const Locked &) = delete;
        Locked &operator=(const Locked &) = delete;
        ~Locked() {
            if (locks_) all_.lock.unlock();
        }
        All &operator*() const noexcept { return all_; }
        All *operator->() const noexcept { return &all_; }

    private:
        All &all_;
        const bool locks_ = true;
    };

    /// What ended while it was looked at: declared before `Locked`, as the last reference may end here.
    struct Ended {
        HeldList all;
        ~Ended() {
            for (const Held &each : all) each.type->drop_reference(*each.cell);
        }
    };

    /// Under the lock: the newest that has not ended.
    WG_ONCE static There look(Known *newest, const HandleType &wanted, Ended &ended) WG_ELSEWHERE
#if WG_HAS_BODIES
    {
        for (Known *each = newest; each != nullptr; each = each->older) {
            const Held &held = each->held;
            if (held.cell->users.is_gone()) continue;
            if (!is_a(*held.type, wanted)) return {};
            const bool has_references = held.type->try_reference != nullptr;
            if (has_references && !held.type->try_reference(*held.cell)) continue;
            // A cell that C has given up is about to be closed.
            if (!held.cell->users.is_closed() && (has_references || static_cast<OwnedCell *>(held.cell)->give_again())) return {held, true};
            if (held.cell->users.hold_unless_gone()) return {held, false};
            if (has_references) ended.all.push_back(held);
        }
        return {};
    }
#endif

    static const void *this_thread() noexcept {
        static thread_local const char here = 0;
        return &here;
    }

#ifdef __SANITIZE_ADDRESS__
    static constexpr std::size_t most_spare = 0;  // so that the sanitizer sees a use of one that is gone
#else
    static constexpr std::size_t most_spare = 64;
#endif
    static All with_gil, others;
};
inline Identities::All Identities::with_gil, Identities::others;

}  // namespace wg

#endif  // WG_OWNERSHIP_IDENTITIES_HPP
