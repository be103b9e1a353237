// Which classes are views, values that point to memory which something else owns, and which share an object with their copies.
// Static: the same for all packages. Included by generated C++ only, where calls return values of classes.
#ifndef WG_BASE_IS_VIEW_HPP
#define WG_BASE_IS_VIEW_HPP

#include <functional>
#include <type_traits>

#include "wg/base/calls.hpp"

namespace wg {

/// Whether a class is made of an address and a length, as `std::span` and `std::string_view` are.
template <class T, class = void>
struct is_made_of_memory : std::false_type {};
template <class T>
struct is_made_of_memory<T, std::enable_if_t<is_view_of_memory<T>::value>>
    : std::is_constructible<T, decltype(std::declval<T &>().data()), decltype(std::declval<T &>().size())> {};

/// Whether a class names another one that is the same with memory of its own, as Eigen's `Ref`, `Map`, `Block` and expressions do.
template <class T, class = void>
struct is_expression : std::false_type {};
template <class T>
struct is_expression<T, std::enable_if_t<std::is_class_v<typename T::PlainObject>>>
    : std::bool_constant<!std::is_base_of_v<typename T::PlainObject, T>> {};

template <class T>
struct is_reference_to : std::false_type {};
template <class T>
struct is_reference_to<std::reference_wrapper<T>> : std::true_type {};

/// Whether values of a class point to memory that they do not own. A spec may specialise it for classes that say it in no other way.
template <class T>
inline constexpr bool is_view = is_made_of_memory<T>::value || is_expression<T>::value || is_reference_to<T>::value;

/// Whether a class counts those that share its object, as `std::shared_ptr` and tensors do.
template <class T, class = void>
struct has_use_count : std::false_type {};
template <class T>
struct has_use_count<T, std::void_t<decltype(std::declval<const T &>().use_count())>> : std::true_type {};

/// Whether copies of a value are one object: what is done to one is done to all. A spec may specialise it for classes that do not count.
template <class T>
inline constexpr bool is_shared = has_use_count<T>::value;

/// Whether no entry of the spec can change an object of a class that it holds by value (wg/conversion/is_unchanged.hpp).
template <class H>
inline constexpr bool is_unchanged = false;

/// For the result of a call that keeps nothing alive, and is given something that could end.
template <class H>
constexpr void check_no_view() {
    static_assert(!is_view<std::remove_cv_t<decltype(H::inner)>>,
                  "wrapper-gen: the handle that this returns holds a view, such as a span, and nothing keeps alive what that points to; say what it "
                  "points into, belongs_to: self, or that it points into nothing that ends, belongs_to: nothing");
}

}  // namespace wg

#endif  // WG_BASE_IS_VIEW_HPP
