// A handle as one of the type that a call wants: itself, unless its type extends that one (wg/conversion/inheritance.hpp).
// Static: the same for all packages. Included by generated C++ only.
#ifndef WG_OWNERSHIP_UPCAST_HPP
#define WG_OWNERSHIP_UPCAST_HPP

#include <deque>

#include "wg/ownership/owners.hpp"

namespace wg {

/// The handle types that one extends, and those that extend it: specialised for types that have any.
///   Bases: the nearest first; Subtypes: each before those that it extends; number: among all handle types of the package.
template <class H>
struct Family {
    static constexpr bool is_one = false;
    static constexpr bool has_subtypes = false;
    static constexpr unsigned number = 0;
};

/// The rows of a handle type's upcast table. `How` says where an engine's cells have their types and values.
template <class H, class How, bool = Family<H>::is_one>
struct Upcasts {
    static constexpr const Upcast *rows = nullptr;
    static constexpr std::size_t size = 0;
};

/// What a call sees of a handle. `see` is asked once it is in use, and `value` from then on until `end`.
template <class H, bool = Family<H>::is_one>
class Seen {
public:
    template <class Own>
    static constexpr bool see(const Held &, const HandleType &, Own &&) noexcept {
        return true;
    }
    template <class Own>
    static H &value(Own &&own) {
        return own();
    }
    static constexpr void end() noexcept {}
    static constexpr bool end_taken(Cell &) noexcept { return false; }
};

namespace hidden {  // from argument-dependent lookup: a library may have a function of this name
/// Gives `use` a value as what C++ knows its object to be: wg/conversion/inheritance.hpp.
template <class H, class Use>
auto most_derived(H &&value, Use &&use);
}  // namespace hidden
using namespace hidden;

/// How an expression of the spec reaches the owner of a handle: a member of the handle structs of types of which something is said by that.
struct OwnerLink {
    Cell *cell = nullptr;
    /// The owner as a call sees it, by way of a `Seen` of its type; null where there is none.
    void *(*find)(Cell &cell, void *seen) = nullptr;
};

template <class H, class = void>
struct has_owner_link : std::false_type {};
template <class H>
struct has_owner_link<H, std::void_t<decltype(std::declval<H &>().wg_owner)>> : std::true_type {};

/// Of a handle struct that lies in a cell. `How` says how an engine finds what lends it.
template <class How, class H>
void link_owner([[maybe_unused]] H &value, [[maybe_unused]] Cell &cell) noexcept {
    if constexpr (has_owner_link<H>::value)
        value.wg_owner = {&cell, [](Cell &own, void *seen) -> void * {
                              return How::template owner<H>(own, *static_cast<Seen<typename LentBy<H>::type> *>(seen));
                          }};
}

/// What `say` says by the owner of a handle; where it has none, what `otherwise` says.
template <class R, class H, class Say, class Otherwise>
R by_owner(H &h, Say &&say, Otherwise &&otherwise) {
    using Owner = typename LentBy<H>::type;
    Seen<Owner> seen;
    void *owner = h.wg_owner.cell == nullptr ? nullptr : h.wg_owner.find(*h.wg_owner.cell, &seen);
    return owner == nullptr ? otherwise() : say(*static_cast<Owner *>(owner));
}

/// What a call sees of a list of handles.
template <class H, bool = Family<H>::is_one>
class SeenList {
public:
    Seen<H> &next() { return only_; }
    Seen<H> &last() { return only_; }
    static constexpr void end() noexcept {}

private:
    Seen<H> only_;
};
template <class H>
class SeenList<H, true> {
public:
    Seen<H> &next() { return all_.emplace_back(); }
    Seen<H> &last() { return all_.back(); }
    void end() noexcept { all_.clear(); }

private:
    std::deque<Seen<H>> all_;
};

/// What a call sees of a handle in a container, as something that it keeps alive.
template <class H>
struct SeenCell : Cell {
    Seen<H> seen;

    /// Its only user is who calls this; it ends with the last one.
    static SeenCell *make() {
        auto *out = new SeenCell;
        out->users.open();
        out->users.hold();
        static_cast<void>(out->users.close());
        return out;
    }
    static const HandleType own_type;
};
template <class H>
constexpr HandleType SeenCell<H>::own_type = {
    [](Cell &cell) noexcept { delete static_cast<SeenCell *>(&cell); },
    [](Cell &) noexcept {},
    [](Cell &) noexcept {},
};

}  // namespace wg

#endif  // WG_OWNERSHIP_UPCAST_HPP
