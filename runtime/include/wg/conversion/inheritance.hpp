// Handle types that extend others: their objects as those of their bases, and results as what C++ knows them to be.
// Static: the same for all packages. Included by generated C++ only, of specs with `extends`.
#ifndef WG_CONVERSION_INHERITANCE_HPP
#define WG_CONVERSION_INHERITANCE_HPP

#include <atomic>
#include <memory>
#include <new>
#include <string>
#include <type_traits>
#include <typeinfo>

#include "wg/conversion/arguments.hpp"
#include "wg/ownership/handles.hpp"

namespace wg {

template <class T>
constexpr bool is_unique_pointer = false;
template <class T, class D>
constexpr bool is_unique_pointer<std::unique_ptr<T, D>> = true;
template <class T>
constexpr bool is_shared_pointer = false;
template <class T>
constexpr bool is_shared_pointer<std::shared_ptr<T>> = true;

template <class T>
class Overridable;  // wg/callbacks/overrides.hpp
template <class T>
constexpr bool is_overridable = false;
template <class T>
constexpr bool is_overridable<Overridable<T>> = true;

template <class T>
struct Tag {
    using type = T;
};

template <class H>
using InnerOf = std::remove_cv_t<decltype(H::inner)>;

/// Whether what a handle holds points to its object.
template <class H>
constexpr bool points = std::is_pointer_v<InnerOf<H>> || is_unique_pointer<InnerOf<H>> || is_shared_pointer<InnerOf<H>> || is_overridable<InnerOf<H>>;

template <class T>
T *address(T *pointer) {
    return pointer;
}
template <class P>
auto address(const P &pointer) -> decltype(pointer.get()) {
    return pointer.get();
}

/// What its object is in C++.
template <class H, bool = points<H>>
struct ObjectOf {
    using type = std::remove_pointer_t<decltype(address(std::declval<InnerOf<H> &>()))>;
};
template <class H>
struct ObjectOf<H, false> {
    using type = InnerOf<H>;
};

/// Whether C++ can see the object of an `H` as one of a `B`.
template <class H, class B>
constexpr bool has_base() {
    if constexpr (points<B>)
        return std::is_convertible_v<typename ObjectOf<H>::type *, typename ObjectOf<B>::type *>;
    else
        return std::is_base_of_v<InnerOf<B>, InnerOf<H>>;
}

// --- kinds of objects of C, which a cast makes one of a base -------------------------------------------

/// Whether the spec says which objects of its base are of a handle type (`when`).
template <class H, class = void>
constexpr bool is_kind = false;
template <class H>
constexpr bool is_kind<H, std::void_t<decltype(H::wg_kind)>> = true;

template <class T, class P, class = void>
constexpr bool is_static_cast = false;
template <class T, class P>
constexpr bool is_static_cast<T, P, std::void_t<decltype(static_cast<T>(std::declval<P>()))>> = true;

/// A pointer as one of another class of its family: by what C++ knows of the two, else as C casts it.
template <class T, class P>
T cast_pointer(P pointer) {
    if constexpr (std::is_convertible_v<P, T>) return pointer;
    else if constexpr (is_static_cast<T, P>) return static_cast<T>(pointer);
    else if constexpr (std::is_convertible_v<T, P>) return dynamic_cast<T>(pointer);  // its base is a virtual one
    else return reinterpret_cast<T>(pointer);
}

template <class B, class P, class Next, class... Further>
auto cast_upward(P pointer, Types<Next, Further...>) {
    const auto next = cast_pointer<InnerOf<Next>>(pointer);
    if constexpr (std::is_same_v<Next, B>) return next;
    else return cast_upward<B>(next, Types<Further...>());
}

template <class B, class H, class Next, class... Further>
constexpr bool is_cast_upward(Types<Next, Further...>) {
    if constexpr (is_kind<H>) return true;
    else if constexpr (std::is_same_v<Next, B>) return false;
    else return is_cast_upward<B, Next>(Types<Further...>());
}

/// Whether a cast makes an object of `H` one of its base `B`.
template <class H, class B>
constexpr bool is_cast() {
    return is_cast_upward<B, H>(typename Family<H>::Bases());
}

/// Ends an object as one of the base that says what releases it.
template <class B, class H, class End>
void end_as_base(H &own, End &&end) {
    B seen{cast_pointer<InnerOf<B>>(own.inner)};
    end(seen);
}

// --- as one of a base ----------------------------------------------------------------------------------

/// Whether a type extends one that it can; it is asked once, at its own line of the spec, and takes it for granted elsewhere.
template <class H, class B>
constexpr bool goes_with_base() {
    if constexpr (is_kind<H>) {
        constexpr bool both_point = std::is_pointer_v<InnerOf<H>> && std::is_pointer_v<InnerOf<B>>;
        static_assert(both_point, "wrapper-gen: `when` is for classes that hold pointers: what this one or its base holds is none");
        if constexpr (both_point)
            static_assert(std::is_const_v<typename ObjectOf<H>::type> == std::is_const_v<typename ObjectOf<B>::type>,
                          "wrapper-gen: `when`: only one of this class and its base holds a pointer to const; let both, or none");
    } else {
        static_assert(points<H> == points<B>, "wrapper-gen: `extends`: one of the two types holds objects, and the other one points to them; "
                                              "let both hold their objects in the same way");
        if constexpr (points<H> == points<B>) {
            static_assert(points<B> || !has_owner_link<B>::value,
                          "wrapper-gen: something is said by the `owner` of this type, which others extend: its handles have to hold pointers");
            static_assert(has_base<H, B>(), "wrapper-gen: `extends`: in C++, this type does not derive from its base; "
                                            "where a cast makes it one, say which objects of that it is: when: kind(value) == KIND");
        }
    }
    return true;
}

/// A handle struct of the base `B`: in `room`, or, where handles hold the objects themselves, the part of the object.
template <class H, class B>
void *see_as([[maybe_unused]] H &own, [[maybe_unused]] void *room) {
    if constexpr (is_cast<H, B>()) {
        B *const seen = new (room) B{cast_upward<B>(own.inner, typename Family<H>::Bases())};
        if constexpr (has_owner_link<B>::value) seen->wg_owner = own.wg_owner;
        return seen;
    } else if constexpr (points<H> != points<B> || !has_base<H, B>()) {
        return nullptr;  // which is an error where it is extended
    } else if constexpr (!points<B>) {
        return static_cast<InnerOf<B> *>(&own.inner);
    } else {
        B *seen;
        if constexpr (is_unique_pointer<InnerOf<B>>) seen = new (room) B{InnerOf<B>(own.inner.get())};
        else seen = new (room) B{own.inner};
        if constexpr (has_owner_link<B>::value) seen->wg_owner = own.wg_owner;
        return seen;
    }
}

/// Ends a handle struct whose object another one has as one of a base.
template <class H>
void disown(H &own) noexcept {
    if constexpr (is_unique_pointer<InnerOf<H>>) static_cast<void>(own.inner.release());
}

/// What a call gives for an object as one of the base `B`.
template <class B, class H, class F>
auto as_base(H &own, F &&call) {
    if constexpr (!points<B>) {
        return call(*static_cast<B *>(see_as<H, B>(own, nullptr)));
    } else {
        alignas(B) unsigned char room[sizeof(B)];
        struct End {
            B &value;
            ~End() {
                disown(value);
                value.~B();
            }
        } end{*static_cast<B *>(see_as<H, B>(own, room))};
        return call(end.value);
    }
}

template <class H, class How, class B>
constexpr Upcast row_of() {
    return {
        &How::template type<B>(),
        [](Cell &cell, void *room) { return see_as<H, B>(How::template value<H>(cell), room); },
        [](Cell &cell) noexcept {
            disown(How::template value<H>(cell));
            How::template end<H>(cell);
        },
    };
}

template <class H, class How, class Bases>
struct UpcastRows;
template <class H, class How>
struct UpcastRows<H, How, Types<>> {
    static constexpr const Upcast *rows = nullptr;
    static constexpr std::size_t size = 0;
};
template <class H, class How, class... B>
struct UpcastRows<H, How, Types<B...>> {
    static const Upcast rows[sizeof...(B)];
    static constexpr std::size_t size = sizeof...(B);
};
/// Outside of the class, as the type of an owner may name a base that names the owner: only addresses are needed for that.
template <class H, class How, class... B>
const Upcast UpcastRows<H, How, Types<B...>>::rows[sizeof...(B)] = {row_of<H, How, B>()...};
template <class H, class How>
struct Upcasts<H, How, true> : UpcastRows<H, How, typename Family<H>::Bases> {};

template <class H>
class Seen<H, true> {
public:
    Seen() = default;
    Seen(const Seen &) = delete;
    Seen &operator=(const Seen &) = delete;
    ~Seen() { end(); }

    /// Whether the handle is one of `wanted`.
    template <class Own>
    [[gnu::always_inline]] bool see(const Held &held, const HandleType &wanted, Own &&own) {
        if (held.type == &wanted) {
            value_ = &own();
            return true;
        }
        upcast_ = upcast(*held.type, wanted);
        if (upcast_ == nullptr) return false;
        value_ = static_cast<H *>(upcast_->see(*held.cell, room_));
        return true;
    }
    template <class Own>
    H &value(Own &&) const {
        return *value_;
    }

    void end() noexcept {
        if (static_cast<void *>(value_) == room_) {
            if (!is_taken_) disown(*value_);
            value_->~H();
        }
        value_ = nullptr;
    }

    /// Ends the value of a cell, whose object was taken by way of this; false where that is one of `H` itself.
    bool end_taken(Cell &cell) noexcept {
        if (upcast_ == nullptr) return false;
        is_taken_ = true;
        end();
        upcast_->end_taken(cell);
        return true;
    }

private:
    static constexpr std::size_t size = points<H> ? sizeof(H) : 1;

    const Upcast *upcast_ = nullptr;
    H *value_ = nullptr;
    alignas(points<H> ? alignof(H) : 1) unsigned char room_[size];
    bool is_taken_ = false;
};

// --- what a result is ----------------------------------------------------------------------------------

template <class T, class = void>
constexpr bool is_known_polymorphic = false;
template <class T>
constexpr bool is_known_polymorphic<T, std::void_t<decltype(sizeof(T))>> = std::is_polymorphic_v<T>;

/// Whether C++ can find out which of the subtypes an object is.
template <class H, bool = Family<H>::has_subtypes && points<H>>
constexpr bool can_tell = is_known_polymorphic<typename ObjectOf<H>::type>;
template <class H>
constexpr bool can_tell<H, false> = false;

template <class H, class... D>
constexpr bool has_kinds(Types<D...>) {
    return (... || is_kind<D>);
}
/// Whether the spec says which objects are of a type that extends this one.
template <class H>
constexpr bool has_kinds() {
    if constexpr (Family<H>::has_subtypes) return has_kinds<H>(typename Family<H>::Subtypes());
    else return false;
}

template <class B, class Next, class... Further>
constexpr bool is_first(Types<Next, Further...>) {
    return std::is_same_v<B, Next>;
}
/// Whether `B` is the nearest base of a type that extends others.
template <class H, class B>
constexpr bool extends = is_first<B>(typename Family<H>::Bases());

[[noreturn, gnu::cold]] inline void fail_two_kinds(const char *one, const char *other) {
    throw Own<std::runtime_error>(std::string("an object of C is both ") + one + " and " + other + ", as their `when` say: one alone may hold, or one of them has to extend the other");
}

template <class D, class H>
D as_subtype(H &&value, typename ObjectOf<D>::type *found) {
    if constexpr (is_unique_pointer<InnerOf<H>>) {
        static_cast<void>(value.inner.release());
        return D{InnerOf<D>(found)};
    } else if constexpr (is_shared_pointer<InnerOf<H>>) {
        return D{InnerOf<D>(std::shared_ptr<typename ObjectOf<D>::type>(std::move(value.inner), found))};
    } else if constexpr (is_overridable<InnerOf<H>>) {
        return D{InnerOf<D>(value.inner.as(found))};
    } else {
        return D{found};
    }
}

/// A class in C++ whose objects, as results of type `H`, were of the type `D` before: to compare addresses takes less time than to ask
/// for the bases of a class, which compares names. Where it is another, as of a class that has one base twice, C++ is asked.
template <class H, class D>
inline std::atomic<const std::type_info *> seen_as{nullptr};

namespace hidden {  // from argument-dependent lookup: a library may have a function of this name
/// Gives `use` the value as the first of these types that its object is, else as it is.
template <class H, class Use, class... D>
auto most_derived(H &&value, Use &&use, Types<D...>) -> decltype(use(std::move(value))) {
    auto *object = address(value.inner);
    if (object == nullptr) return use(std::move(value));
    const std::type_info *exact = &typeid(*object);
    if (seen_as<H, H>.load(std::memory_order_relaxed) == exact) return use(std::move(value));
    decltype(use(std::move(value))) out{};
    const auto is = [&](auto tag) {
        using Found = typename decltype(tag)::type;
        auto *found = dynamic_cast<typename ObjectOf<Found>::type *>(object);
        if (found == nullptr) return false;
        seen_as<H, Found>.store(exact, std::memory_order_relaxed);
        out = use(as_subtype<Found>(std::move(value), found));
        return true;
    };
    if ((... || (seen_as<H, D>.load(std::memory_order_relaxed) == exact && is(Tag<D>())))) return out;
    if (*exact != typeid(typename ObjectOf<H>::type) && (... || is(Tag<D>()))) return out;
    seen_as<H, H>.store(exact, std::memory_order_relaxed);
    return use(std::move(value));
}

/// Gives `use` the value as the one of these types that extends its own and that it is a kind of, and so on; else as it is.
template <class H, class Use, class... D>
auto most_derived_kind(H &&value, Use &use, Types<D...> all) -> decltype(use(std::move(value))) {
    if (value.inner == nullptr) return use(std::move(value));
    const unsigned own = Family<H>::number;
    unsigned found = own;
    const char *name = nullptr;
    const auto look = [&](auto tag) {
        using Found = typename decltype(tag)::type;
        if constexpr (is_kind<Found> && extends<Found, H>) {
            if (!Found::wg_is_one(value.inner)) return;
            // The value is not released: whether it is the caller's to release is known only where its object is made.
            if (name != nullptr) fail_two_kinds(name, Found::wg_kind);
            found = Family<Found>::number;
            name = Found::wg_kind;
        } else if constexpr (extends<Found, H> && is_known_polymorphic<typename ObjectOf<H>::type>) {
            const bool is_one = name == nullptr && found == own && dynamic_cast<typename ObjectOf<Found>::type *>(value.inner) != nullptr;
            if (is_one) found = Family<Found>::number;
        }
    };
    (look(Tag<D>()), ...);
    if (found == own) return use(std::move(value));
    decltype(use(std::move(value))) out{};
    const auto give = [&](auto tag) {
        using Found = typename decltype(tag)::type;
        if constexpr (extends<Found, H>) {
            if (found != Family<Found>::number) return false;
            out = most_derived_kind(Found{cast_pointer<InnerOf<Found>>(value.inner)}, use, all);
            return true;
        } else {
            return false;
        }
    };
    static_cast<void>((... || give(Tag<D>())));
    return out;
}

/// The same with whatever extends its type.
template <class H, class Use>
auto most_derived(H &&value, Use &&use) {
    if constexpr (has_kinds<H>()) return most_derived_kind(std::move(value), use, typename Family<H>::Subtypes());
    else if constexpr (can_tell<H>) return most_derived(std::move(value), std::forward<Use>(use), typename Family<H>::Subtypes());
    else return use(std::move(value));
}
}  // namespace hidden
using namespace hidden;

}  // namespace wg

#endif  // WG_CONVERSION_INHERITANCE_HPP
