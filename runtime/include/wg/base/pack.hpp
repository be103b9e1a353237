// Values of a call side by side, each of a type of its own.
// Static: the same for all packages. Included by generated C++ only.
//
// std::tuple compares and assigns as well, and the compiler would ask of the types of each call whether they can.
#ifndef WG_BASE_PACK_HPP
#define WG_BASE_PACK_HPP

#include <cstddef>
#include <utility>

namespace wg {

/// Types by themselves.
template <class... T>
struct Types {};
/// Lists of them as one.
template <class... List>
struct Joined;
template <class... T>
struct Joined<Types<T...>> {
    using type = Types<T...>;
};
template <class... T, class... U, class... Rest>
struct Joined<Types<T...>, Types<U...>, Rest...> : Joined<Types<T..., U...>, Rest...> {};

/// The value at place `i`.
template <std::size_t i, class T>
struct Packed {
    T value;
};

template <class Places, class... T>
struct PackOf;
template <std::size_t... i, class... T>
struct PackOf<std::index_sequence<i...>, T...> : Packed<i, T>... {
    static constexpr std::size_t size = sizeof...(T);
};
/// An aggregate: what a function gives need not be moved into it.
template <class... T>
using Pack = PackOf<std::index_sequence_for<T...>, T...>;

// A namespace of their own: C++ also looks for functions of a library in the namespace of an argument's type.
namespace packs {

template <std::size_t i, class T>
T &at(Packed<i, T> &packed) {
    return packed.value;
}
template <std::size_t i, class T>
Packed<i, T> found(const Packed<i, T> &);

template <class... T>
Pack<T...> of(T... values) {
    return {{std::move(values)}...};
}

/// The values of several packs.
template <class P>
P joined(P only) {
    return only;
}
template <std::size_t... i, class... T, std::size_t... j, class... U, class... Rest>
auto joined([[maybe_unused]] PackOf<std::index_sequence<i...>, T...> first, [[maybe_unused]] PackOf<std::index_sequence<j...>, U...> next, Rest... rest) {
    return packs::joined(Pack<T..., U...>{{std::move(packs::at<i>(first))}..., {std::move(packs::at<j>(next))}...}, std::move(rest)...);
}

}  // namespace packs

/// The type at place `i` of a pack.
template <std::size_t i, class P>
using PackedAt = decltype(packs::found<i>(std::declval<const P &>()).value);

}  // namespace wg

#endif  // WG_BASE_PACK_HPP
