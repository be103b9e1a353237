// What C++ has for the methods of Python's protocols: operators, and the usual members where there is none.
// Static: the same for all packages. Included by generated C++ only.
#ifndef WG_OPERATORS_HPP
#define WG_OPERATORS_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "wg_results.hpp"

namespace wg::operators {

/// Whether `expression`, a generic lambda over these arguments, compiles.
template <class... A, class F>
constexpr bool compiles(F &&) {
    return std::is_invocable_v<F, A...>;
}

#define WG_COMPILES(arguments, ...) [] arguments->decltype(static_cast<void>(__VA_ARGS__)) {}

/// False, once there is a type to ask about.
template <class...>
inline constexpr bool never = false;

// --- of the object alone ------------------------------------------------------------------------

template <class T>
auto size(T &object) {
    if constexpr (compiles<T &>(WG_COMPILES((auto &o), o.size())))
        return object.size();
    else if constexpr (compiles<T &>(WG_COMPILES((auto &o), o.length())))
        return object.length();
    else if constexpr (compiles<T &>(WG_COMPILES((auto &o), o.count())))
        return object.count();
    else
        static_assert(never<T>, "wrapper-gen: it has no size(), length() or count(); say what implements __len__");
}

/// A conversion that C++ has, maybe an explicit one.
template <class To, class T>
To as(T &object) {
    static_assert(std::is_constructible_v<To, T &>, "wrapper-gen: C++ does not convert it; say what implements the method");
    return static_cast<To>(object);
}

template <class T>
auto hash(T &object) {
    if constexpr (compiles<T &>(WG_COMPILES((auto &o), std::hash<std::decay_t<decltype(o)>>()(o))))
        return std::hash<std::decay_t<T>>()(object);
    else if constexpr (compiles<T &>(WG_COMPILES((auto &o), o.hash())))
        return object.hash();
    else
        static_assert(never<T>, "wrapper-gen: it has no std::hash and no hash(); say what implements __hash__");
}

template <class T>
std::string text(T &object) {
    if constexpr (compiles<T &>(WG_COMPILES((auto &o), std::declval<std::ostream &>() << o))) {
        std::ostringstream out;
        out << object;
        return out.str();
    } else if constexpr (compiles<T &>(WG_COMPILES((auto &o), std::string(o.str())))) {
        return std::string(object.str());
    } else if constexpr (compiles<T &>(WG_COMPILES((auto &o), std::string(o.to_string())))) {
        return std::string(object.to_string());
    } else if constexpr (compiles<T &>(WG_COMPILES((auto &o), std::string(o.toString())))) {
        return std::string(object.toString());
    } else {
        static_assert(never<T>, "wrapper-gen: it has no operator<<, str() or to_string(); say what implements the method");
    }
}

template <class T>
decltype(auto) path(T &object) {
    if constexpr (compiles<T &>(WG_COMPILES((auto &o), o.path())))
        return object.path();
    else
        static_assert(never<T>, "wrapper-gen: it has no path(); say what implements __fspath__");
}

template <class T>
auto absolute(T &object) {
    using std::abs;
    return abs(object);
}

/// A copy, held as the handle holds its object.
template <class Held>
Held copy(Held &held) {
    using T = std::decay_t<decltype(object(held))>;
    static_assert(std::is_copy_constructible_v<T>, "wrapper-gen: it cannot be copied; say what implements the method");
    static_assert(!std::is_pointer_v<Held>, "wrapper-gen: a pointer does not say how its object is copied; say what implements the method");
    if constexpr (std::is_same_v<T, Held>)
        return held;
    else
        return Held(new T(object(held)));
}

/// What an operator gives, as a handle holds it: a value moves to where a smart pointer points.
template <class Held, class T>
Held held(T &&made) {
    if constexpr (std::is_convertible_v<T, Held>)
        return std::forward<T>(made);
    else
        return Held(new std::decay_t<T>(std::forward<T>(made)));
}

// --- with a key ---------------------------------------------------------------------------------

/// A position as whatever integer C++ takes, in whose range it is.
struct Position {
    i64 value;

    template <class I, class = std::enable_if_t<std::is_integral_v<I> && !std::is_same_v<I, bool>>>
    operator I() const {
        if (!fits<I>(value)) throw Own<std::out_of_range>("the position is out of range");
        return static_cast<I>(value);
    }
};

/// A key as C++ takes it: an integer where C++ would narrow it is checked.
template <class K>
decltype(auto) key(K &&given) {
    if constexpr (std::is_same_v<std::decay_t<K>, i64>)
        return Position{given};
    else
        return std::forward<K>(given);
}

template <class T, class... K>
decltype(auto) item(T &object, K &&...keys) {
    if constexpr (compiles<T &>(WG_COMPILES((auto &o), o.at(operators::key(std::declval<K>())...))))
        return object.at(operators::key(std::forward<K>(keys))...);
    else if constexpr (sizeof...(K) == 1 && compiles<T &>(WG_COMPILES((auto &o), o[(operators::key(std::declval<K>()), ...)])))
        return object[(operators::key(std::forward<K>(keys)), ...)];
    else if constexpr (sizeof...(K) == 1 && compiles<T &>(WG_COMPILES((auto &o), o[(std::declval<K>(), ...)])))
        return object[(std::forward<K>(keys), ...)];
    else if constexpr (compiles<T &>(WG_COMPILES((auto &o), o(operators::key(std::declval<K>())...))))
        return object(operators::key(std::forward<K>(keys))...);
    else
        static_assert(never<T>, "wrapper-gen: it has no at(), operator[] or operator() for such keys; say what implements __getitem__");
}

template <class T, class K, class V>
void put(T &object, V &&value, K &&key_) {
    if constexpr (std::is_same_v<std::decay_t<K>, i64>)
        operators::item(object, key_) = std::forward<V>(value);
    else if constexpr (compiles<T &>(WG_COMPILES((auto &o), o[std::declval<K>()] = std::declval<V>())))
        object[std::forward<K>(key_)] = std::forward<V>(value);  // which a map adds
    else
        operators::item(object, std::forward<K>(key_)) = std::forward<V>(value);
}

template <class T, class All, std::size_t... I>
void put_at(T &object, All &all, std::index_sequence<I...>) {
    operators::item(object, std::get<I>(all)...) = std::get<sizeof...(I)>(all);
}

/// Keys, then the value.
template <class T, class... A>
void set_item(T &object, A &&...arguments) {
    auto all = std::forward_as_tuple(std::forward<A>(arguments)...);
    constexpr std::size_t last = sizeof...(A) - 1;
    if constexpr (last == 1)
        operators::put(object, std::get<1>(all), std::get<0>(all));
    else
        operators::put_at(object, all, std::make_index_sequence<last>());
}

template <class T, class K>
void erase(T &object, K &&key_) {
    if constexpr (std::is_same_v<std::decay_t<K>, i64> && compiles<T &>(WG_COMPILES((auto &o), o.erase(o.begin() + std::ptrdiff_t{}))))
        object.erase(object.begin() + static_cast<std::ptrdiff_t>(key_));
    else if constexpr (compiles<T &>(WG_COMPILES((auto &o), o.erase(std::declval<K>()) == 0))) {
        if (object.erase(std::forward<K>(key_)) == 0) throw Own<std::out_of_range>("there is no such key");
    } else if constexpr (compiles<T &>(WG_COMPILES((auto &o), o.erase(operators::key(std::declval<K>())))))
        object.erase(operators::key(std::forward<K>(key_)));
    else
        static_assert(never<T>, "wrapper-gen: it has no erase() for such keys; say what implements __delitem__");
}

template <class T, class K>
bool contains(T &object, K &&key_) {
    if constexpr (compiles<T &>(WG_COMPILES((auto &o), o.contains(std::declval<K>()))))
        return static_cast<bool>(object.contains(std::forward<K>(key_)));
    else if constexpr (compiles<T &>(WG_COMPILES((auto &o), o.count(std::declval<K>()))))
        return object.count(std::forward<K>(key_)) != 0;
    else if constexpr (compiles<T &>(WG_COMPILES((auto &o), o.begin() != o.end())))
        return std::find(object.begin(), object.end(), key_) != object.end();
    else
        static_assert(never<T>, "wrapper-gen: it has no contains(), count() or begin(); say what implements __contains__");
}

/// Where a position is, counted from the start: a negative one counts from the end.
template <class N>
i64 position(i64 given, N length, const char *shown) {
    const i64 count = static_cast<i64>(length);
    const i64 at = given < 0 ? given + count : given;
    if (at < 0 || at >= count) throw Own<std::out_of_range>(std::string(shown) + " index out of range");
    return at;
}

// --- construction -------------------------------------------------------------------------------

/// `shared % new T(…)`, a smart pointer: C++ converts what T takes as for any other call, which no function does that is passed it.
struct Shared {
    template <class T>
    std::shared_ptr<T> operator%(T *made) const {
        return std::shared_ptr<T>(made);
    }
};

struct Unique {
    template <class T>
    std::unique_ptr<T> operator%(T *made) const {
        return std::unique_ptr<T>(made);
    }
};

inline constexpr Shared shared{};
inline constexpr Unique unique{};

}  // namespace wg::operators

#endif  // WG_OPERATORS_HPP
