// What C++ has for the methods of Python's protocols: operators, and the usual members where there is none.
// Static: the same for all packages. Included by generated C++ only.
#ifndef WG_CONVERSION_OPERATORS_HPP
#define WG_CONVERSION_OPERATORS_HPP

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
#include <typeinfo>
#include <utility>

#include "wg/base/positions.hpp"
#include "wg/conversion/results.hpp"

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
        static_assert(never<T>, "wrapper-gen: it has no std::hash and no hash(); say what implements __hash__, which is equal for what is equal");
}

/// It converts to `T`, and so to nothing else that `T` itself would convert to.
template <class T>
struct Only {
    operator T &() const;
};

/// Whether there is an `operator<<` for it: none for a number or a bool that it converts to.
template <class T>
constexpr bool is_written() {
    if constexpr (!compiles<T &>(WG_COMPILES((auto &o), std::declval<std::ostream &>() << o)))
        return false;
    else if constexpr (!std::is_class_v<T> || !std::is_convertible_v<T &, bool> || std::is_convertible_v<T &, const char *>)
        return true;
    else
        return compiles<Only<T>>(WG_COMPILES((auto &&o), std::declval<std::ostream &>() << o));
}

template <class T>
std::string text(T &object) {
    if constexpr (is_written<T>()) {
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
    if constexpr (std::is_same_v<T, Held>) {
        return held;
    } else {
        if constexpr (std::is_polymorphic_v<T>)
            if (typeid(object(held)) != typeid(T)) throw Misfit("this object cannot be copied: its class in C++ is one that the package does not wrap");
        return Held(new T(object(held)));
    }
}

/// The same where it is not said of the type itself, but of one that it extends.
template <class Held>
Held copy_if_possible(Held &held) {
    if constexpr (std::is_copy_constructible_v<std::decay_t<decltype(object(held))>>) return copy(held);
    else throw Misfit("this object cannot be copied: its class in C++ has no copy constructor");
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

template <class K>
inline constexpr bool is_integer = std::is_integral_v<K> && !std::is_same_v<K, bool>;

/// A key that is none of the type that C++ takes.
struct Unfitting : Own<std::out_of_range> {
    using Own::Own;
};

/// An integer as whatever integer C++ takes, in whose range it is.
template <class K>
struct Checked {
    K value;

    template <class I, class = std::enable_if_t<is_integer<I>>>
    operator I() const {
        if (!fits<I>(value)) throw Unfitting("the key is out of range");
        return static_cast<I>(value);
    }
};

/// What no member takes that does not take anything: a template, which would not convert what is checked.
struct Unknown {};

/// A key as C++ takes it: an integer where C++ would narrow it is checked.
template <class K>
decltype(auto) checked(K &&given) {
    if constexpr (is_integer<std::decay_t<K>>)
        return Checked<std::decay_t<K>>{given};
    else
        return std::forward<K>(given);
}

/// The same for a position.
template <class K>
decltype(auto) key(K &&given) {
    if constexpr (std::is_same_v<std::decay_t<K>, i64>)
        return operators::checked(std::forward<K>(given));
    else
        return std::forward<K>(given);
}

template <class T>
constexpr bool has_keys() {
    return compiles<T &>(WG_COMPILES((auto &o), std::declval<typename std::decay_t<decltype(o)>::key_type>()));
}

/// Whether the elements are at positions, and not at keys.
template <class T>
constexpr bool is_sequence() {
    return compiles<T &>(WG_COMPILES((auto &o), o.begin() + std::ptrdiff_t{})) && !has_keys<T>();
}

struct At {
    template <class T, class... K>
    auto operator()(T &object, K &&...keys) const -> decltype(object.at(std::forward<K>(keys)...)) {
        return object.at(std::forward<K>(keys)...);
    }
};

struct Subscript {
    template <class T, class K>
    auto operator()(T &object, K &&key_) const -> decltype(object[std::forward<K>(key_)]) {
        return object[std::forward<K>(key_)];
    }
};

struct Call {
    template <class T, class... K>
    auto operator()(T &object, K &&...keys) const -> decltype(object(std::forward<K>(keys)...)) {
        return object(std::forward<K>(keys)...);
    }
};

/// Whether the keys are converted to what C++ takes, and so can be checked. A template takes what it is given.
template <class How, class T, class... K>
constexpr bool converts_keys() {
    using Unchecked = std::invoke_result<How, T &, K...>;
    using WithChecks = std::invoke_result<How, T &, decltype(operators::key(std::declval<K>()))...>;
    if constexpr (!std::is_invocable_v<How, T &, decltype(operators::key(std::declval<K>()))...>)
        return false;
    else if constexpr (!std::is_invocable_v<How, T &, K...>)
        return true;
    else if constexpr (!std::is_same_v<typename Unchecked::type, typename WithChecks::type>)
        return false;
    else
        return !std::is_invocable_v<How, T &, std::conditional_t<std::is_same_v<std::decay_t<K>, i64>, Unknown, K>...>;
}

template <class How, class T, class... K>
decltype(auto) item_by(T &object, K &&...keys) {
    if constexpr (converts_keys<How, T, K...>())
        return How()(object, operators::key(std::forward<K>(keys))...);
    else
        return How()(object, std::forward<K>(keys)...);
}

template <class How, class T, class... K>
constexpr bool has_item = converts_keys<How, T, K...>() || std::is_invocable_v<How, T &, K...>;

/// `trusts`: C++ is to check these keys, and no code of ours does. Which of two members does, libraries do not agree on.
template <bool trusts = false, class T, class... K>
decltype(auto) item(T &object, K &&...keys) {
    static_assert(!trusts || !has_item<At, T, K...> || !has_item<Call, T, K...>,
                  "wrapper-gen: it has at() and operator() for such keys, and one of them may not check them; say in a cpp_body which one is called, or "
                  "what each key is checked against, such as (row: position[self.rows()], column: position[self.cols()])");
    if constexpr (has_item<At, T, K...>)
        return operators::item_by<At>(object, std::forward<K>(keys)...);
    else if constexpr (has_item<Subscript, T, K...>)
        return operators::item_by<Subscript>(object, std::forward<K>(keys)...);
    else if constexpr (has_item<Call, T, K...>)
        return operators::item_by<Call>(object, std::forward<K>(keys)...);
    else
        static_assert(never<T>, "wrapper-gen: it has no at(), operator[] or operator() for such keys; say what implements __getitem__");
}

template <bool adds, bool trusts, class T, class K, class V>
void put(T &object, V &&value, K &&key_) {
    if constexpr (adds && compiles<T &>(WG_COMPILES((auto &o), o[operators::checked(std::declval<K>())] = std::declval<V>())))
        object[operators::checked(std::forward<K>(key_))] = std::forward<V>(value);  // which a map adds
    else if constexpr (adds && compiles<T &>(WG_COMPILES((auto &o), o[std::declval<K>()] = std::declval<V>())))
        object[std::forward<K>(key_)] = std::forward<V>(value);
    else
        operators::item<trusts>(object, std::forward<K>(key_)) = std::forward<V>(value);
}

template <bool trusts, class T, class All, std::size_t... I>
void put_at(T &object, All &all, std::index_sequence<I...>) {
    operators::item<trusts>(object, std::get<I>(all)...) = std::get<sizeof...(I)>(all);
}

/// Keys, then the value.
template <bool trusts = false, class T, class... A>
void set_item(T &object, A &&...arguments) {
    auto all = std::forward_as_tuple(std::forward<A>(arguments)...);
    constexpr std::size_t last = sizeof...(A) - 1;
    if constexpr (last == 1)
        operators::put<!is_integer<std::decay_t<decltype(std::get<0>(all))>>, trusts>(object, std::get<1>(all), std::get<0>(all));
    else
        operators::put_at<trusts>(object, all, std::make_index_sequence<last>());
}

/// An integer that is no position, then the value.
template <class T, class K, class V>
void set_key(T &object, K &&key_, V &&value) {
    operators::put<!is_sequence<T>(), false>(object, std::forward<V>(value), std::forward<K>(key_));
}

template <class T, class K>
void erase(T &object, K &&key_) {
    constexpr bool is_any = is_integer<std::decay_t<K>> && compiles<T &>(WG_COMPILES((auto &o), o.erase(std::declval<Unknown>())));
    [[maybe_unused]] const auto require = [](bool was_there) {
        if (!was_there) throw Own<std::out_of_range>("there is no such key");
    };
    if constexpr (std::is_same_v<std::decay_t<K>, i64> && is_sequence<T>() && compiles<T &>(WG_COMPILES((auto &o), o.erase(o.begin() + std::ptrdiff_t{})))) {
        require(key_ >= 0 && key_ < static_cast<i64>(object.end() - object.begin()));
        object.erase(object.begin() + static_cast<std::ptrdiff_t>(key_));
    } else if constexpr (!is_any && compiles<T &>(WG_COMPILES((auto &o), o.erase(operators::checked(std::declval<K>())) == 0)))
        require(!(object.erase(operators::checked(std::forward<K>(key_))) == 0));
    else if constexpr (compiles<T &>(WG_COMPILES((auto &o), o.erase(std::declval<K>()) == 0)))
        require(!(object.erase(std::forward<K>(key_)) == 0));
    else if constexpr (!is_any && compiles<T &>(WG_COMPILES((auto &o), o.erase(operators::checked(std::declval<K>())))))
        object.erase(operators::checked(std::forward<K>(key_)));
    else if constexpr (compiles<T &>(WG_COMPILES((auto &o), o.erase(std::declval<K>()))))
        object.erase(std::forward<K>(key_));
    else
        static_assert(never<T>, "wrapper-gen: it has no erase() for such keys; say what implements __delitem__");
}

/// What a search gives; false where C++ cannot be asked for such a key.
template <class F>
bool sought(F &&search) {
    try {
        return static_cast<bool>(search());
    } catch (const Unfitting &) {
        return false;
    }
}

template <class T, class K>
bool contains(T &object, K &&key_) {
    constexpr bool is_number = is_integer<std::decay_t<K>>;
    constexpr bool has_any = is_number && compiles<T &>(WG_COMPILES((auto &o), o.contains(std::declval<Unknown>())));
    constexpr bool counts_any = is_number && compiles<T &>(WG_COMPILES((auto &o), o.count(std::declval<Unknown>())));
    if constexpr (!has_any && compiles<T &>(WG_COMPILES((auto &o), o.contains(operators::checked(std::declval<K>())))))
        return operators::sought([&] { return object.contains(operators::checked(std::forward<K>(key_))); });
    else if constexpr (compiles<T &>(WG_COMPILES((auto &o), o.contains(std::declval<K>()))))
        return static_cast<bool>(object.contains(std::forward<K>(key_)));
    else if constexpr (!counts_any && compiles<T &>(WG_COMPILES((auto &o), o.count(operators::checked(std::declval<K>())))))
        return operators::sought([&] { return object.count(operators::checked(std::forward<K>(key_))) != 0; });
    else if constexpr (compiles<T &>(WG_COMPILES((auto &o), o.count(std::declval<K>()))))
        return object.count(std::forward<K>(key_)) != 0;
    else if constexpr (compiles<T &>(WG_COMPILES((auto &o), o.begin() != o.end()))) {
        using Element = std::decay_t<decltype(*object.begin())>;
        if constexpr (is_number && is_integer<Element>)
            return fits<Element>(key_) && std::find(object.begin(), object.end(), static_cast<Element>(key_)) != object.end();
        else
            return std::find(object.begin(), object.end(), key_) != object.end();
    } else
        static_assert(never<T>, "wrapper-gen: it has no contains(), count() or begin(); say what implements __contains__");
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

#endif  // WG_CONVERSION_OPERATORS_HPP
