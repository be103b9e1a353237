// Properties: which of the ways to read or set one a C++ type has.
// Static: the same for all packages. Included by generated C++ only.
#ifndef WG_CALLBACKS_ACCESSORS_HPP
#define WG_CALLBACKS_ACCESSORS_HPP

#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>

#include "wg/conversion/copied.hpp"
#include "wg/calls/resolved_call.hpp"
#include "wg/base/first_invocable.hpp"

// Each way is a lambda that takes the object, what the handle holds, and the value that is set, if there is one.

/// A member function.
#define WG_METHOD(name)                                                                                                    \
    [](auto &wg_object, auto &, auto &&...wg_a)                                                                            \
        -> decltype(wg_object.name WG_NOT_EXPANDED(static_cast<decltype(wg_a)>(wg_a)...)) {                                \
        return wg_object.name WG_NOT_EXPANDED(static_cast<decltype(wg_a)>(wg_a)...);                                       \
    }

/// A data member, read where it lies; a bit-field has no address, and is copied.
#define WG_MEMBER(name) [](auto &wg_object, auto &) -> wg::MemberRead<decltype((wg_object.name)), decltype(&wg_object.name)> { return wg_object.name; }
#define WG_BITS(name) [](auto &wg_object, auto &) -> std::decay_t<decltype(wg_object.name)> { return wg_object.name; }

/// A data member that is assigned.
#define WG_ASSIGNED(name)                                                                                                  \
    [](auto &wg_object, auto &, auto &&wg_a)                                                                               \
        -> decltype(static_cast<void>(wg_object.name = wg::as_member<decltype(wg_object.name)>(static_cast<decltype(wg_a)>(wg_a)))) { \
        using wg_Member = std::decay_t<decltype(wg_object.name)>;                                                          \
        if constexpr (std::is_integral_v<wg_Member>) {                                                                     \
            const auto wg_before = wg_object.name;                                                                         \
            const auto wg_value = wg::as_member<wg_Member>(static_cast<decltype(wg_a)>(wg_a));                             \
            wg_object.name = wg_value;                                                                                     \
            if (wg_object.name != wg_value) {                                                                              \
                wg_object.name = wg_before;                                                                                \
                throw wg::Own<std::overflow_error>(#name ": the value does not fit the bits of this member");              \
            }                                                                                                              \
        } else {                                                                                                           \
            wg_object.name = wg::as_member<decltype(wg_object.name)>(static_cast<decltype(wg_a)>(wg_a));                   \
        }                                                                                                                  \
    }

/// A function that takes what the handle holds; or `given`, which is `wg_object`, what that points to, or its address.
#define WG_FUNCTION(name) WG_FUNCTION_OF(name, wg_inner)
#define WG_FUNCTION_OF(name, given)                                                                                        \
    []([[maybe_unused]] auto &wg_object, [[maybe_unused]] auto &wg_inner, auto &&...wg_a)                                  \
        -> decltype(name WG_NOT_EXPANDED(given, static_cast<decltype(wg_a)>(wg_a)...)) {                                   \
        return name WG_NOT_EXPANDED(given, static_cast<decltype(wg_a)>(wg_a)...);                                          \
    }

namespace wg {

template <class T, class>
using MemberRead = T;

/// Whether a property reads a pointer, or an object, where that lies: who has it releases it, and a handle would do so too.
template <class F, bool is_pointer, class = void>
constexpr bool reads_place = false;
template <class F, bool is_pointer>
constexpr bool reads_place<F, is_pointer, std::void_t<decltype(std::declval<const F &>()())>> =
    std::is_lvalue_reference_v<decltype(std::declval<const F &>()())> &&
    (is_pointer || std::is_pointer_v<std::remove_reference_t<decltype(std::declval<const F &>()())>>);

/// What is assigned to a member: converted as the argument of a function is, and narrowed nowhere.
template <class M, class Plain = std::remove_cv_t<std::remove_reference_t<M>>>
std::enable_if_t<is_copied<Plain>, Plain> as_member(std::common_type_t<Plain> value) {
    return value;
}

/// What a handle's properties belong to: the object, or, of a type that nothing is known of, its address.
template <class T>
decltype(auto) accessed(T &inner) {
    if constexpr (is_untyped<std::remove_cv_t<T>>)
        return (inner);
    else
        return object(inner);
}

/// What a way gives: a setter that returns its object, so that calls can be chained, returns nothing.
template <class Object, class R>
using Accessed = std::conditional_t<std::is_same_v<R, Object>, void, R>;

/// What reads or sets a property: the first of several ways that takes the arguments.
template <class T, class... Way>
class Accessor {
public:
    using Object = decltype(accessed(std::declval<T &>()));

    explicit Accessor(T &inner, Way... ways) : object_(accessed(inner)), inner_(inner), ways_(first_way_of(std::move(ways)...)) {}

    template <class... A>
    auto operator()(A &&...a) const -> Accessed<Object, std::invoke_result_t<const FirstWay<Way...> &, Object, T &, A...>> {
        static_assert(!may_be_swapped<A...>(), "wrapper-gen: the object of this setter, a number or a void *, could stand first or last; "
                                               "say C's order: set: {cpp: \"NAME(self, VALUE)\"}");
        return static_cast<Accessed<Object, std::invoke_result_t<const FirstWay<Way...> &, Object, T &, A...>>>(
            ways_(object_, inner_, static_cast<A &&>(a)...));
    }

private:
    /// Whether a function takes the value where the object stands as well, and the object's type says nothing.
    template <class... A>
    static constexpr bool may_be_swapped() {
        using Inner = std::remove_cv_t<T>;
        if constexpr (sizeof...(A) == 1 && (is_untyped<Inner> || is_number_like<Inner>))
            return (... && std::is_invocable_v<const FirstWay<Way...> &, Object, std::add_lvalue_reference_t<A>, T &>);
        else
            return false;
    }

    Object object_;
    T &inner_;
    FirstWay<Way...> ways_;
};

template <class T, class... Way>
Accessor<T, Way...> accessor(T &inner, Way... ways) {
    return Accessor<T, Way...>(inner, std::move(ways)...);
}

}  // namespace wg

#endif  // WG_CALLBACKS_ACCESSORS_HPP
