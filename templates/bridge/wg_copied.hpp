// Which data members have a copy of what they are assigned.
// Static: the same for all packages. Included by generated C++ only.
#ifndef WG_COPIED_HPP
#define WG_COPIED_HPP

#include <functional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "wg_arguments.hpp"

namespace wg {

/// Whether a value of this type has a copy of what it is assigned, and does not refer to that: nor do its parts.
template <class M, class... Outer>
struct Copied;

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

template <class Parts, class... Outer>
struct AllCopied;
template <class... Part, class... Outer>
struct AllCopied<Types<Part...>, Outer...> : std::conjunction<Copied<std::remove_cv_t<Part>, Outer...>...> {};

template <class M, class... Outer>
struct Copied : std::conditional_t<std::is_pointer_v<M> || std::is_reference_v<M> || std::is_array_v<M> || is_view_of_memory<M>::value, std::false_type,
                                   std::conditional_t<(std::is_same_v<M, Outer> || ...), std::true_type, AllCopied<typename PartsOf<M>::type, M, Outer...>>> {};

template <class M>
constexpr bool is_copied = Copied<M>::value;

}  // namespace wg

#endif  // WG_COPIED_HPP
