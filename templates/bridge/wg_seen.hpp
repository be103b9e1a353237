// A handle as one of the type that a call wants: itself, unless its type extends that one (wg_inheritance.hpp).
// Static: the same for all packages. Included by generated C++ only.
#ifndef WG_SEEN_HPP
#define WG_SEEN_HPP

#include <deque>

#include "wg_owners.hpp"

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

/// Gives `use` a value as what C++ knows its object to be: wg_inheritance.hpp.
template <class H, class Use>
auto most_derived(H &&value, Use &&use);

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

#endif  // WG_SEEN_HPP
