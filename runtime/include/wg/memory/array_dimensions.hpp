// What a spec says of the dimensions of arrays as results: numbers, members of the value or of the object, or what their types know.
// Static: the same for all packages. Included by generated C++ only, where a spec has such results.
#ifndef WG_MEMORY_ARRAY_DIMENSIONS_HPP
#define WG_MEMORY_ARRAY_DIMENSIONS_HPP

#include <array>
#include <string>
#include <type_traits>
#include <utility>

#include "wg/base/calls.hpp"

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
constexpr bool points_to_class<T, std::void_t<decltype(*std::declval<T &>())>> =
    std::is_class_v<std::remove_reference_t<decltype(*std::declval<T &>())>> && !is_complex<std::decay_t<decltype(*std::declval<T &>())>>;

/// A type of elements: those that are arrays themselves, `std::array<float, 3>` or `float[3]`, are dimensions that the type knows.
template <class T>
struct InnerArray {
    using Element = T;
    static constexpr std::size_t rank = 0, count = 1;
    static constexpr std::size_t extent(std::size_t) { return 1; }
};
template <class T, std::size_t n, class Whole>
struct InnerRow {
    static_assert(sizeof(Whole) == n * sizeof(T), "wrapper-gen: the arrays that are elements of an array have no elements, or gaps between them");
    using Element = typename InnerArray<T>::Element;
    static constexpr std::size_t rank = 1 + InnerArray<T>::rank, count = n * InnerArray<T>::count;
    static constexpr std::size_t extent(std::size_t at) { return at == 0 ? n : InnerArray<T>::extent(at - 1); }
};
template <class T, std::size_t n>
struct InnerArray<T[n]> : InnerRow<T, n, T[n]> {};
template <class T, std::size_t n>
struct InnerArray<std::array<T, n>> : InnerRow<T, n, std::array<T, n>> {};
template <class T, std::size_t n>
struct InnerArray<const std::array<T, n>> : InnerRow<const T, n, std::array<T, n>> {};

/// Whether a value is the address of something that is an array: of one, or of the first of several.
template <class T>
constexpr bool points_to_arrays = std::is_pointer_v<std::remove_cv_t<T>> && InnerArray<std::remove_pointer_t<T>>::rank != 0;

/// The object that a value is, or points to.
template <class T>
decltype(auto) pointed(T &value) {
    if constexpr (!gives_data<T> && !std::is_array_v<T> && !points_to_arrays<T> && points_to_class<T>)
        return (*value);
    else
        return (value);
}

/// Where the elements of a value lie.
template <class V>
auto memory_of(V &value) {
    if constexpr (std::is_array_v<V>)
        return &value[0];
    else if constexpr (std::is_pointer_v<std::remove_cv_t<V>>)
        return value;
    else if constexpr (gives_data<V>)
        return value.data();
    else if constexpr (points_to_class<V>)
        return pointed(value).data();
    else
        return value.get();
}

template <class V, class = void>
struct InnerArraysOf : InnerArray<void> {};
template <class V>
struct InnerArraysOf<V, std::void_t<decltype(memory_of(std::declval<V &>()))>> : InnerArray<std::remove_pointer_t<decltype(memory_of(std::declval<V &>()))>> {};

/// How many of so many dimensions are not those of the elements that lie in memory: the last ones are, if these are arrays.
template <class V, std::size_t count>
constexpr std::size_t outer_dimensions() {
    constexpr std::size_t own = InnerArraysOf<V>::rank;
    if (own == 0) return count;
    if (count == own + 1) return 1;
    return count == own && points_to_arrays<V> ? 0 : count;
}

/// Dimension `at` of so many, as the type of the value knows it.
template <std::size_t at, std::size_t count>
struct Known {
    template <class V>
    static auto of(V &value) {
        constexpr std::size_t outer = outer_dimensions<V, count>();
        constexpr bool is_other = InnerArraysOf<V>::rank != 0 && outer == count;  // than the type has
        if constexpr (at >= outer)
            return InnerArraysOf<V>::extent(at - outer);
        else if constexpr (!is_other && gives_extents<V>)
            return value.extent(at);
        else if constexpr (outer == 2 && gives_rows<V>)
            return at == 0 ? value.rows() : value.cols();
        else if constexpr (!is_other && outer == 1 && std::is_array_v<V>)
            return std::extent_v<V>;
        else if constexpr (!is_other && outer == 1 && gives_size<V>)
            return value.size();
        else
            static_assert(always_false<V>::value, "wrapper-gen: neither the result nor the object has such a member, and the type of the result does not know its dimensions");
    }
};

template <class T>
constexpr bool is_void_pointer = std::is_pointer_v<T> && std::is_void_v<std::remove_pointer_t<T>>;

/// Two ways to read a member, of which one compiles.
template <class F, class G>
struct Either : F, G {
    using F::operator();
    using G::operator();
};
template <class F, class G>
Either(F, G) -> Either<F, G>;

/// Whether a member of the object may be meant: there is an object, and it has one.
template <class F, class H>
constexpr bool is_of_object() {
    if constexpr (is_void_pointer<std::remove_cv_t<H>> || std::is_same_v<std::remove_cv_t<H>, Nothing>)
        return false;
    else
        return std::is_invocable_v<F, decltype(object(std::declval<H &>()))>;
}

/// A member of the value, or of what the handle holds, whichever has it; else what the type of the value knows.
template <class F, class V, class H, class K>
auto member(const F &function, V &value, H &held, const K &known) {
    constexpr bool is_of_value = std::is_invocable_v<F, decltype(pointed(value))>;
    if constexpr (is_of_value && is_of_object<F, H>()) {
        static_assert(std::is_same_v<std::decay_t<decltype(pointed(value))>, std::decay_t<decltype(object(held))>>,
                      "wrapper-gen: the dimension is a member that both the result and the object have; say which: value.MEMBER, or h.inner.MEMBER "
                      "(h.inner->MEMBER of a pointer)");
    }
    if constexpr (is_of_value)
        return function(pointed(value));
    else if constexpr (is_of_object<F, H>())
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

#endif  // WG_MEMORY_ARRAY_DIMENSIONS_HPP
