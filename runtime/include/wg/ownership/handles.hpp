// Handles of the C ABI: values in cells of their own. What a call does with them: wg/ownership/handle_arguments.hpp.
// Static: the same for all packages. Included by generated C++ only.
#ifndef WG_OWNERSHIP_HANDLES_HPP
#define WG_OWNERSHIP_HANDLES_HPP

#include <atomic>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "wg/base/calls.hpp"
#include "wg/base/once.hpp"
#include "wg/ownership/imported.hpp"
#include "wg/ownership/upcast.hpp"

namespace wg {

template <class H, class = void>
struct has_empty : std::false_type {};
template <class H>
struct has_empty<H, std::void_t<decltype(H::wg_is_empty(std::declval<const H &>().inner))>> : std::true_type {};

namespace hidden {  // from argument-dependent lookup: a library may have a function of this name
/// An empty value stands for no resource: the library's own function to release one may not accept it.
template <class H>
bool has_resource(const H &handle) {
    if constexpr (has_empty<H>::value)
        return !H::wg_is_empty(handle.inner);
    else if constexpr (is_pointer_like<std::remove_cv_t<decltype(H::inner)>>::value)
        return static_cast<bool>(handle.inner);
    else
        return true;
}
}  // namespace hidden
using namespace hidden;

struct OwnedCell;

/// The C type of a handle type's cells: specialised for each by generated code.
template <class H>
struct CellOf;

/// A handle type whose values lie in cells of the C ABI.
struct OwnedType : HandleType {
    void (*free)(OwnedCell &) noexcept;
    /// Which of those of its package it is, where some extend others.
    unsigned number = 0;
};

/// What the C ABI's pointers to handles point to. Its memory is freed once the value is released and the pointer dropped: another
/// thread may call with a pointer that is closed: the cell says that it is.
struct OwnedCell : Cell {
    explicit OwnedCell(const OwnedType &of) : type(&of) { users.open(); }
    OwnedCell(const OwnedCell &) = delete;
    OwnedCell &operator=(const OwnedCell &) = delete;

    /// A pointer to the cell is given to C once more; false where C has dropped the last one.
    WG_ONCE bool give_again() noexcept WG_ELSEWHERE
#if WG_HAS_BODIES
    {
        unsigned now = given_.load(std::memory_order_relaxed);
        do {
            if (now == 0) return false;
        } while (!given_.compare_exchange_weak(now, now + 1, std::memory_order_relaxed));
        return true;
    }
#endif
    /// One of them is dropped: whether it was the last one.
    bool give_up() noexcept { return given_.fetch_sub(1, std::memory_order_acq_rel) == 1; }

    /// Either of the two has happened: the value is released, and no pointer is left.
    void end() noexcept {
        if (has_ended_.exchange(true, std::memory_order_acq_rel)) type->free(*this);
    }

    const OwnedType *const type;

private:
    std::atomic<bool> has_ended_{false};
    std::atomic<unsigned> given_{1};  // how many pointers to it C has
};

inline Held held(OwnedCell *cell) { return {cell, cell == nullptr ? nullptr : cell->type}; }

/// How the C ABI's cells have their types and values.
struct InOwnedCells {
    template <class H>
    static constexpr const HandleType &type() {
        return CellOf<H>::type::own_type;
    }
    template <class H>
    static H &value(Cell &cell) {
        return static_cast<typename CellOf<H>::type &>(cell).value;
    }
    template <class H>
    static void end(Cell &cell) noexcept {
        if constexpr (is_imported<H>) {
            ImportedFrom<H>::cells->end(cell);
        } else {
            value<H>(cell).~H();
            Counted<H>::remove();
        }
    }
    template <class H>
    static typename LentBy<H>::type *owner(Cell &cell, Seen<typename LentBy<H>::type> &seen);
};

/// What a call sees of a cell that it has entered.
template <class C>
bool see(C *cell, Seen<typename C::Struct> &seen) {
    return seen.see(held(cell), C::own_type, [cell]() -> typename C::Struct & { return cell->value; });
}
template <class C>
typename C::Struct &seen_value(C *cell, const Seen<typename C::Struct> &seen) {
    return seen.value([cell]() -> typename C::Struct & { return cell->value; });
}

/// What lends the value of a cell, as a call sees it; null where nothing does.
template <class H>
typename LentBy<H>::type *InOwnedCells::owner(Cell &cell, Seen<typename LentBy<H>::type> &seen) {
    using Lender = typename CellOf<typename LentBy<H>::type>::type;
    auto *lender = static_cast<Lender *>(owner_of(cell).cell);
    return lender != nullptr && see(lender, seen) ? &seen_value(lender, seen) : nullptr;
}

/// Whether C++ calls methods of the Python object that has a handle, by what that holds: specialised for that (wg/callbacks/overrides.hpp).
template <class Inner>
struct PythonOf {
    static constexpr bool is_called = false;
};

/// Holds one handle struct. `Drop` is what releasing it does, `Own` the class that derives from this one.
template <class Own, class H, auto Drop>
struct ValueCell : OwnedCell {
    using Struct = H;

    union {
        H value;
    };

    template <class Make>
    explicit ValueCell(Make &&make) : OwnedCell(own_type), value(make()) {
        link_owner<InOwnedCells>(value, *this);
        Counted<H>::add();
    }
    ~ValueCell() {}  // the value ended before

    /// Where another package's type lends these, it is complete once that is imported.
    static std::conditional_t<is_imported<typename LentBy<H>::type>, OwnedType, const OwnedType> own_type;

    /// Of a value that has no cell. What only its owner can drop is left to that.
    static void drop_value(H &value) noexcept {
        if constexpr (std::is_invocable_v<decltype(Drop), H &> && !std::is_same_v<typename LentBy<H>::type, H>)
            EndOf<H>::run([&value] { drop_by([&value] { Drop(value); }); });
    }

private:
    static void drop_value(H &value, Cell &cell) noexcept {
        if (!is_ours(cell)) return;
        if constexpr (std::is_invocable_v<decltype(Drop), H &>) {
            drop_by([&value] { Drop(value); });
        } else {
            Seen<typename LentBy<H>::type> seen;
            if (auto *owner = InOwnedCells::owner<H>(cell, seen)) drop_by([&] { Drop(value, *owner); });
        }
    }

    template <class Work>
    static void drop_by(Work &&work) noexcept {
        try {
            work();
        } catch (...) {  // errors are ignored here: a release cannot raise
        }
    }

    static constexpr const HandleType *lender() {
        if constexpr (std::is_void_v<typename LentBy<H>::type> || is_imported<typename LentBy<H>::type>)
            return nullptr;
        else
            return &CellOf<typename LentBy<H>::type>::type::own_type;
    }

    static constexpr auto python() -> std::shared_ptr<void> (*)(Cell &) {
        if constexpr (PythonOf<decltype(H::inner)>::is_called)
            return [](Cell &cell) { return PythonOf<decltype(H::inner)>::alive(static_cast<Own &>(cell).value.inner); };
        else
            return nullptr;
    }

    static constexpr auto waited() -> std::shared_ptr<Waited> (*)(Cell &) {
        if constexpr (PythonOf<decltype(H::inner)>::is_called)
            return [](Cell &cell) { return PythonOf<decltype(H::inner)>::waited(static_cast<Own &>(cell).value.inner); };
        else
            return nullptr;
    }

    static void release(Cell &cell) noexcept {
        auto *own = static_cast<Own *>(&cell);
        [[maybe_unused]] const typename Beside<H>::type beside;
        const LocksAtEnd<H> locks(cell.kept);
        if (!locks.may_end()) return;
        EndOf<H>::run([own, &cell] {
            drop_value(own->value, cell);
            own->value.~H();
        });
        own->end();
        Counted<H>::remove();
    }
    static void free(OwnedCell &cell) noexcept {
        Identity<H>::forget(cell, own_type);
        delete static_cast<Own *>(&cell);
    }
};

template <class Own, class H, auto Drop>
std::conditional_t<is_imported<typename LentBy<H>::type>, OwnedType, const OwnedType> ValueCell<Own, H, Drop>::own_type = {{&release, nullptr, nullptr, false, is_locked_by_calls<H>, Upcasts<H, InOwnedCells>::rows, Upcasts<H, InOwnedCells>::size, lender(), knows_lent<H>, nullptr, nullptr, nullptr, false, Identity<H>::attach, python(), PythonOf<decltype(H::inner)>::is_called, still_needed<H>, waited(), nullptr, false, is_told_to_lender<H>()}, &free, Family<H>::number};

/// The same of a handle type of another package, which makes them.
template <class Own, class H>
struct ImportedCell : OwnedCell {
    using Struct = H;

    union {
        H value;
    };

    ~ImportedCell() = delete;

    static inline const ImportedType own_type{ImportedFrom<H>::cells};

    static void drop_value(H &value) noexcept { ImportedFrom<H>::drop(value); }
};

/// The cell that another package makes for what `make` returns.
template <class C, class Make>
C *imported_cell(Make &&make, bool is_new) {
    using H = typename C::Struct;
    return static_cast<C *>(static_cast<OwnedCell *>(give_imported<H>(*ImportedFrom<H>::cells, std::forward<Make>(make), is_new)));
}

/// A new cell for what `make` returns: of the type that C++ knows the object to be, where others extend `C`'s. `lend` gets it
/// with its value, as what they are.
template <class C, class Make, class Lend>
C *new_cell(Make &&make, [[maybe_unused]] Lend &&lend) {
    using H = typename C::Struct;
    if constexpr (is_imported<H>) {
        C *cell = imported_cell<C>(std::forward<Make>(make), false);
        lend(cell, cell->value);
        return cell;
    } else if constexpr (Family<H>::has_subtypes && is_pointer_like<std::remove_cv_t<decltype(H::inner)>>::value) {
        return most_derived<H>(make(), [&](auto &&value) {
            using Own = std::decay_t<decltype(value)>;
            auto *cell = new typename CellOf<Own>::type([&value] { return Own(std::move(value)); });
            lend(cell, cell->value);
            return reinterpret_cast<C *>(static_cast<OwnedCell *>(cell));  // all that is asked of it, its type answers
        });
    } else {
        auto *cell = new C(std::forward<Make>(make));
        lend(cell, cell->value);
        return cell;
    }
}
template <class C, class Make>
C *new_cell(Make &&make) {
    return new_cell<C>(std::forward<Make>(make), [](OwnedCell *, auto &) {});
}

/// The cell for what a call gives: one that is there may stand for that (wg/ownership/identity.hpp). `is_new` of what a constructor makes.
template <bool is_new, class C, class Make>
C *known_cell(Make &&make);
/// The cell that stands for the same as a value, as it is given to C; null where none is open.
template <class C>
C *cell_there(const typename C::Struct &value);
template <class C, bool is_new = false, class Make>
C *cell_for(Make &&make) {
    if constexpr (is_imported<typename C::Struct>) return imported_cell<C>(std::forward<Make>(make), is_new);
    else if constexpr (Identity<typename C::Struct>::is_kept) return known_cell<is_new, C>(std::forward<Make>(make));
    else return new_cell<C>(std::forward<Make>(make));
}

/// What other packages need of a handle type, by its name with a digest.
template <class H>
constexpr SharedType shared_cells(const char *name) {
    using C = typename CellOf<H>::type;
    return {name, sizeof(H), &C::own_type,
            [](void *value, SharedType::Move *move, bool is_new) -> void * {
                const auto make = [=] { return moved_by<H>(move, value); };
                return static_cast<OwnedCell *>(is_new ? cell_for<C, true>(make) : cell_for<C>(make));
            },
            [](Cell &cell) noexcept { InOwnedCells::end<H>(cell); }, [](void *value) noexcept { C::drop_value(*static_cast<H *>(value)); }};
}

/// Which of the handle types of its package a cell's is, where some extend others.
inline std::int32_t number_of(const void *cell) { return static_cast<std::int32_t>(static_cast<const OwnedCell *>(cell)->type->number); }

/// What an exported drop function does: no call may be given the cell any more.
inline void drop(OwnedCell *cell) noexcept {
    if (cell == nullptr || !cell->give_up()) return;
    close(held(cell));
    cell->end();
}

/// Releases the value when no call uses it any more; calls that come later say that it is closed.
inline void close_now(void *cell) noexcept {
    if (cell != nullptr) close(held(static_cast<OwnedCell *>(cell)));
}

inline bool is_closed(const void *cell) { return cell == nullptr || static_cast<const OwnedCell *>(cell)->users.is_closed(); }

/// The cell of the owner of this cell's value; null where the value has no owner, or is released: a call of another thread may release it.
inline void *owner_cell(void *cell) {
    auto *const own = static_cast<OwnedCell *>(cell);
    if (own == nullptr || !enter(held(own))) return nullptr;
    auto *const owner = static_cast<OwnedCell *>(owner_of(*own).cell);
    leave(held(own));
    return owner;
}

/// A handle is given to C once more, which drops it once more then; false where it is null, or C has dropped it.
inline bool give_again(void *cell) noexcept { return cell != nullptr && static_cast<OwnedCell *>(cell)->give_again(); }

/// Whether a call took the value out of this cell.
inline bool is_taken(const void *cell) { return cell != nullptr && static_cast<const OwnedCell *>(cell)->users.is_gone(); }

/// Drops a new cell when the call that made it fails.
struct Release {
    void operator()(OwnedCell *cell) const noexcept { drop(cell); }
};

/// The cells of a list of handles.
template <class C>
HeldList held(C *const *cells, std::size_t size) {
    HeldList out;
    for (std::size_t i = 0; i < size; ++i)
        if (cells[i] != nullptr) out.push_back(held(cells[i]));
    return out;
}

/// Lets `cell` keep others alive; passes `cell` on, which may be null.
template <class C>
C *keep_alive(C *cell, const Owners &owners) {
    std::unique_ptr<C, Release> made(cell);
    if (cell != nullptr) owners.attach_to(held(cell));
    return made.release();
}

}  // namespace wg

/// Stands for a handle type that something in the spec returns and nothing releases: what it holds may be an alias of a pointer.
#define WG_OWNED(handle, inner, at)                                                                                                             \
    static_assert(!std::is_pointer_v<inner>,                                                                                                    \
                  "wrapper-gen: " at ": " #handle " holds a pointer, and the spec does not say who owns the one that this returns; on " #handle \
                  " say what releases it, release, or what it belongs to, belongs_to; or here that it is the library's: release: nothing")

/// Of one that a call returns and does not let Python release.
#define WG_NOT_OURS(handle, inner, at)                     \
    static_assert(std::is_trivially_destructible_v<inner>, \
                  "wrapper-gen: " at ": " #handle " holds an object whose destructor runs in any case; let it hold a pointer, or drop `release`")

#endif  // WG_OWNERSHIP_HANDLES_HPP
