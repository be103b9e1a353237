// What a spec says of the dimensions of arrays as results: numbers, members of the value or of the object, or what their types know.
// Static: the same for all packages. Included by generated C++ only, where a spec has such results.
#ifndef WG_ARRAY_DIMENSIONS_HPP
#define WG_ARRAY_DIMENSIONS_HPP

#include <string>
#include <type_traits>
#include <utility>

#include "wg_calls.hpp"

namespace wg {

struct Nothing {};
inline constexpr Nothing nothing{};

template <class T, class = void>
constexpr bool gives_extents = false;
template <class T>
constexpr bool gives_extents<T, std::void_t<decltype(std::declval<T &>().extent(0))>> = true;
template <class T, class = void>
constexpr bool gives_size = false;
template <class T>
constexpr bool gives_size<T, std::void_t<decltype(std::declval<T &>().size())>> = true;
template <class T, class = void>
constexpr bool gives_rows = false;
template <class T>
constexpr bool gives_rows<T, std::void_t<decltype(std::declval<T &>().rows()), decltype(std::declval<T &>().cols())>> = true;
template <class T, class = void>
constexpr bool gives_data = false;
template <class T>
constexpr bool gives_data<T, std::void_t<decltype(std::declval<T &>().data())>> = true;
template <class T, class = void>
constexpr bool points_to_class = false;
template <class T>
constexpr bool points_to_class<T, std::void_t<decltype(*std::declval<T &>())>> = std::is_class_v<std::remove_reference_t<decltype(*std::declval<T &>())>>;

/// The object that a value is, or points to.
template <class T>
decltype(auto) pointed(T &value) {
    if constexpr (!gives_data<T> && points_to_class<T>)
        return (*value);
    else
        return (value);
}

/// Dimension `at` of so many, as the type of the value knows it.
template <std::size_t at, std::size_t count>
struct Known {
    template <class V>
    static auto of(V &value) {
        if constexpr (gives_extents<V>)
            return value.extent(at);
        else if constexpr (count == 2 && gives_rows<V>)
            return at == 0 ? value.rows() : value.cols();
        else if constexpr (count == 1 && gives_size<V>)
            return value.size();
        else
            static_assert(always_false<V>::value, "wrapper-gen: neither the result nor the object has such a member, and the type of the result does not know its dimensions");
    }
};

template <class T>
constexpr bool is_void_pointer = std::is_pointer_v<T> && std::is_void_v<std::remove_pointer_t<T>>;

/// A member of the value, else of what the handle holds; else what the type of the value knows.
template <class F, class V, class H, class K>
auto member(const F &function, V &value, H &held, const K &known) {
    if constexpr (std::is_invocable_v<F, decltype(pointed(value))>)
        return function(pointed(value));
    else if constexpr (is_void_pointer<std::remove_cv_t<H>> || std::is_same_v<std::remove_cv_t<H>, Nothing>)
        return known.of(pointed(value));
    else if constexpr (std::is_invocable_v<F, decltype(object(held))>)
        return function(object(held));
    else
        return known.of(pointed(value));
}

/// A number of elements that an expression of the spec says.
template <class N>
i64 extent(N value) {
    static_assert(std::is_integral_v<N> || std::is_enum_v<N>, "wrapper-gen: a dimension that is no integer");
    if (!fits<i64>(value)) throw Own<std::overflow_error>("the result has a dimension of " + std::to_string(value));
    return static_cast<i64>(value);
}

}  // namespace wg

#endif  // WG_ARRAY_DIMENSIONS_HPP
