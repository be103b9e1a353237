// How the elements of a value lie in memory, where its type says so.
// Static: the same for all packages. Included by generated C++ only, where a spec has memory with dimensions.
#ifndef WG_MEMORY_ELEMENT_ORDER_HPP
#define WG_MEMORY_ELEMENT_ORDER_HPP

#include <cstddef>
#include <type_traits>
#include <utility>

#include "wg/base/calls.hpp"

namespace wg {

/// How the elements of a class with dimensions lie. A spec may specialise it for classes that say it in no other way.
template <class T>
inline constexpr Order element_order = Order::any;

/// Whether a class says itself how its elements lie: `IsRowMajor`, as Eigen has it.
template <class To, class = void>
struct RowMajor {
    static constexpr bool is_said = false, is_it = false;
};
template <class To>
struct RowMajor<To, std::enable_if_t<!std::is_same_v<void, decltype(To::IsRowMajor)>>> {
    static constexpr bool is_said = true, is_it = static_cast<bool>(To::IsRowMajor);
};

/// The order that a class says of `N` dimensions. `IsRowMajor` speaks of rows and columns.
template <class T, std::size_t N>
constexpr Order own_order() {
    if (N < 2) return Order::any;
    if (N == 2 && RowMajor<T>::is_said) return RowMajor<T>::is_it ? Order::C : Order::F;
    return element_order<T>;
}

template <class To, class = void>
constexpr bool has_strides_of = false;
template <class To>
constexpr bool has_strides_of<To, std::void_t<decltype(std::declval<const To &>().stride(std::size_t{0}))>> = true;

/// Whether a matrix says how many elements lie between two rows, and between two columns.
template <class V, class = void>
constexpr bool has_row_strides = false;
template <class V>
constexpr bool has_row_strides<V, std::void_t<decltype(std::declval<V &>().rowStride()), decltype(std::declval<V &>().colStride())>> = true;

/// Whether a vector says how many elements lie between two neighbours.
template <class V, class = void>
constexpr bool has_inner_stride = false;
template <class V>
constexpr bool has_inner_stride<V, std::void_t<decltype(std::declval<V &>().innerStride())>> = true;

}  // namespace wg

#endif  // WG_MEMORY_ELEMENT_ORDER_HPP
