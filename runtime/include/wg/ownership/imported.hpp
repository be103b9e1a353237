// Handle types that a package shares with others: what it tells them, and what they do with its objects.
// Static: the same for all packages. Included by generated C++ only.
//
// Both packages have the same declaration of the handle struct. Whatever depends on more than that (how a value is released,
// found again, counted, locked at its end) is done by the package that has the type: by way of its `HandleType`, and by
// the functions of `SharedType`.
#ifndef WG_OWNERSHIP_IMPORTED_HPP
#define WG_OWNERSHIP_IMPORTED_HPP

#include <cstring>

#include "wg/ownership/owners.hpp"

namespace wg {

/// What a package tells of one of its handle types, as an engine has its objects.
struct SharedType {
    /// Stands for a function of a package that makes a handle struct of another one. The package of the type has none: to move
    /// a value may not compile where no entry does.
    using Move = void();

    const char *name;  // with the digest of what both packages have to know alike
    std::size_t size;  // of the handle struct
    const HandleType *type;
    /// The cell, or the Python object, that stands for a value, which `move` moves; null where Python has an error. `is_new` of
    /// what was just made.
    void *(*give)(void *value, Move *move, bool is_new);
    /// Ends a value that a call has taken.
    void (*end)(Cell &cell) noexcept;
    /// Releases what lies in no cell.
    void (*drop)(void *value) noexcept;
};

/// The handle types of a package.
struct SharedTypes {
    const SharedType *first;
    std::size_t count;
};

/// Whether `H` is a handle type of another package: specialised for those.
template <class H>
inline constexpr bool is_imported = false;

/// Whether a call can end values of `H` whose owner is another package's.
template <class H>
constexpr bool is_told_to_lender() {
    return is_imported<typename LentBy<H>::type> && knows_lent<typename LentBy<H>::type>;
}

/// What the package of an imported type tells of it; known once that is imported, of the engine that both have.
template <class H>
struct ImportedFrom {
    static inline const SharedType *cells = nullptr;
    static inline const SharedType *objects = nullptr;

    static void drop(H &value) noexcept { (cells != nullptr ? cells : objects)->drop(&value); }
};

/// Stands where the type of objects is asked for that another package has.
class ImportedType {
public:
    explicit constexpr ImportedType(const SharedType *const &of) noexcept : of_(&of) {}

    operator const HandleType &() const noexcept { return *(*of_)->type; }
    const HandleType *operator&() const noexcept { return (*of_)->type; }

private:
    const SharedType *const *of_;
};

/// Of imported types of which one object stands for each address: their package finds it.
struct FoundElsewhere {
    static constexpr bool is_kept = true;
    static constexpr void (*attach)(const Owners &, const Held &) = nullptr;
    static void forget(const Cell &, const HandleType &) noexcept {}
};

/// Finds a type by its name, with its digest; false where the package has another one, or none.
template <class H>
bool import_type(const void *types, const char *name, const SharedType *&out) noexcept {
    const auto &all = *static_cast<const SharedTypes *>(types);
    for (std::size_t i = 0; i < all.count; ++i) {
        const SharedType &each = all.first[i];
        if (std::strcmp(each.name, name) != 0 || each.size != sizeof(H)) continue;
        out = &each;
        return true;
    }
    return false;
}

template <class H>
H moved(void *value) {
    return H(std::move(*static_cast<H *>(value)));
}
template <class H>
H moved_by(SharedType::Move *move, void *value) {
    return reinterpret_cast<H (*)(void *)>(move)(value);
}

/// What an imported type's package makes of a value that `make` returns.
template <class H, class Make>
void *give_imported(const SharedType &of, Make &&make, bool is_new) {
    static_assert(std::is_move_constructible_v<H>, "wrapper-gen: only the package of this type can return one: its objects cannot be moved");
    H value(make());
    return of.give(&value, reinterpret_cast<SharedType::Move *>(&moved<H>), is_new);
}

}  // namespace wg

#endif  // WG_OWNERSHIP_IMPORTED_HPP
