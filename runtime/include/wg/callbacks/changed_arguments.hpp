// Arguments of callables that C++ passes to be changed: a handle that would hold a copy of one does not compile.
// Static: the same for all packages. Included by generated C++ of specs with callables.
#ifndef WG_CALLBACKS_CHANGED_ARGUMENTS_HPP
#define WG_CALLBACKS_CHANGED_ARGUMENTS_HPP

#include "wg/callbacks/callback_values.hpp"
#include "wg/base/is_view.hpp"

namespace wg {

/// Whether a handle would hold a copy of an object that C++ passes to be changed, `T &`.
template <class D, class C>
constexpr bool loses_changes = false;
template <class H, class C>
constexpr bool holds_copy() {
    if constexpr (std::is_class_v<C> && std::is_same_v<C, decltype(H::inner)>)
        return !is_pointer_like<C>::value && !is_view<C> && !is_unchanged<H> && std::is_void_v<typename LentBy<H>::type>;
    else
        return false;
}
template <class H, class C>
constexpr bool loses_changes<types::LentHandle<H>, C &> = holds_copy<H, C>();
template <class D, class C>
constexpr bool loses_changes<types::Optional<D>, C> = loses_changes<D, C>;

/// Whether the handle of some part would hold such a copy.
template <class Split, class... D, class... C, std::size_t... I>
constexpr bool lose_changes(Types<D...>, Types<C...>, std::index_sequence<I...>) {
    [[maybe_unused]] constexpr auto way = Split::way();
    return (... || loses_changes<D, std::tuple_element_t<way.starts[I], std::tuple<C...>>>);
}
template <class... D, class... C>
constexpr bool lose_changes([[maybe_unused]] Types<D...> listed, [[maybe_unused]] Types<C...> given) {
    using Split = Taking<Types<D...>, C...>;
    if constexpr (Split::is_clear()) return lose_changes<Split>(listed, given, std::index_sequence_for<D...>());
    else return false;
}

/// For the parameters that C++ declares.
template <class F, class... C>
constexpr void check_no_copies() {
    static_assert(!lose_changes(typename F::Listed(), Types<C...>()),
                  "wrapper-gen: C++ passes the callable an object that it may change, T &, and the handle would hold a copy; let the handle type hold a "
                  "pointer, cpp_type: T *, or, where a copy is meant, make it in a lambda");
}

}  // namespace wg

#endif  // WG_CALLBACKS_CHANGED_ARGUMENTS_HPP
