// What the types of C++ are made of, and which have a copy of what they are assigned.
// Static: the same for all packages. Included by generated C++ only.
#ifndef WG_CONVERSION_COPIED_HPP
#define WG_CONVERSION_COPIED_HPP

#include <functional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "wg/conversion/arguments.hpp"

namespace wg {

/// The types that a value of this type is made of: its elements, items or alternatives.
template <class M, class = void>
struct PartsOf {
    using type = Types<>;
};
template <class M>
struct PartsOf<M, std::void_t<typename M::value_type>> {
    using type = Types<typename M::value_type>;
};
template <class... T>
struct PartsOf<std::tuple<T...>> {
    using type = Types<T...>;
};
template <class A, class B>
struct PartsOf<std::pair<A, B>> {
    using type = Types<A, B>;
};
template <class... T>
struct PartsOf<std::variant<T...>> {
    using type = Types<T...>;
};
template <class T>
struct PartsOf<std::reference_wrapper<T>> {
    using type = Types<T *>;
};

/// Whether a type, a part of it, or a part of that, is one that `Is` holds for.
template <template <class> class Is, class M, class... Outer>
struct HasPart;
template <template <class> class Is, class Parts, class... Outer>
struct AnyHasPart;
template <template <class> class Is, class... Part, class... Outer>
struct AnyHasPart<Is, Types<Part...>, Outer...> : std::disjunction<HasPart<Is, std::remove_cv_t<Part>, Outer...>...> {};
template <template <class> class Is, class M, class... Outer>
struct HasPart
    : std::conditional_t<(std::is_same_v<M, Outer> || ...), std::false_type, std::disjunction<Is<M>, AnyHasPart<Is, typename PartsOf<M>::type, M, Outer...>>> {};

template <class M>
struct RefersElsewhere : std::bool_constant<std::is_pointer_v<M> || std::is_reference_v<M> || std::is_array_v<M> || is_view_of_memory<M>::value> {};

/// Whether a value of this type has a copy of what it is assigned, and does not refer to that: nor do its parts.
template <class M>
constexpr bool is_copied = !HasPart<RefersElsewhere, M>::value;

}  // namespace wg

#endif  // WG_CONVERSION_COPIED_HPP
