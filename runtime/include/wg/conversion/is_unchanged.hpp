// Whether Python can change no object of a class that it holds by value, as far as only the compiler knows: that what the entries of the
// spec call is const.
// Static: the same for all packages. Included by generated C++ only, where a call may return such an object by reference.
#ifndef WG_CONVERSION_IS_UNCHANGED_HPP
#define WG_CONVERSION_IS_UNCHANGED_HPP

#include <type_traits>

#include "wg/base/is_view.hpp"
#include "wg/conversion/arguments.hpp"

/// What a member's name stands for: the one member, its overload without parameters that is const, and the one that is not.
#define WG_LOOKED_UP(name)                                                                                                                           \
    []([[maybe_unused]] auto *of) -> decltype(&std::remove_pointer_t<decltype(of)>::name) { return &std::remove_pointer_t<decltype(of)>::name; }
#define WG_CALLED_ALONE(name) []([[maybe_unused]] auto *of) -> decltype(static_cast<void>(of->name WG_NOT_EXPANDED())) {}
#define WG_CONST_FORM(name)                                                                                                                          \
    []([[maybe_unused]] auto *of) -> decltype(static_cast<void>(                                                                                     \
                                      static_cast<decltype(of->name WG_NOT_EXPANDED()) (std::remove_pointer_t<decltype(of)>::*)() const>(           \
                                          &std::remove_pointer_t<decltype(of)>::name))) {}
#define WG_OTHER_FORM(name)                                                                                                                          \
    []([[maybe_unused]] auto *of) -> decltype(static_cast<void>(                                                                                     \
                                      static_cast<decltype(of->name WG_NOT_EXPANDED()) (std::remove_pointer_t<decltype(of)>::*)()>(                 \
                                          &std::remove_pointer_t<decltype(of)>::name))) {}

/// Whether a call of a member of `Owner` leaves it alone, and a `T` among its arguments; one without arguments; what reads a property.
#define WG_READS(Owner, T, name) wg::reads<Owner, T>(WG_LOOKED_UP(name))
#define WG_READS_PLAINLY(Owner, name) wg::reads_plainly<Owner>(WG_LOOKED_UP(name), WG_CONST_FORM(name), WG_OTHER_FORM(name))
#define WG_READS_PROPERTY(Owner, name) (!wg::takes_object<Owner>(WG_CALLED_ALONE(name)) || WG_READS_PLAINLY(Owner, name))

/// Whether no function of this name takes an object of a class, which it might change.
#define WG_NO_FUNCTION(Owner, name)                                                                                                                  \
    !wg::takes_object<Owner>([]([[maybe_unused]] auto *of) -> decltype(static_cast<void>(name WG_NOT_EXPANDED(*of))) {})

namespace wg {

/// Whether what is passed as `P` cannot be changed where it is a `T`.
template <class T, class P>
constexpr bool is_left_alone() {
    using Plain = std::remove_cv_t<std::remove_reference_t<P>>;
    if constexpr (std::is_arithmetic_v<Plain> || std::is_enum_v<Plain>)
        return true;
    else if constexpr (std::is_pointer_v<Plain>)
        return std::is_const_v<std::remove_pointer_t<Plain>> || !std::is_convertible_v<T *, Plain>;
    else if constexpr (std::is_base_of_v<Plain, T>)
        return !std::is_reference_v<P> || std::is_const_v<std::remove_reference_t<P>>;
    else
        return !std::is_convertible_v<T &, P>;
}

template <class T, class C, class R, class... A>
constexpr bool is_reading(R (C::*)(A...) const) {
    return (... && is_left_alone<T, A>());
}
template <class T, class C, class R, class... A>
constexpr bool is_reading(R (C::*)(A...) const &) {
    return (... && is_left_alone<T, A>());
}
template <class T>
constexpr bool is_reading(...) {
    return false;
}

/// Whether a function takes an object, alone.
template <class Owner, class F>
constexpr bool takes_object(F) {
    return std::is_invocable_v<F, Owner *>;
}

template <class Owner, class T, class Member>
constexpr bool reads(Member member) {
    if constexpr (std::is_invocable_v<Member, Owner *>) return is_reading<T>(member(static_cast<Owner *>(nullptr)));
    else return false;
}

template <class Owner, class Member, class Const, class Other>
constexpr bool reads_plainly(Member member, Const, Other) {
    if constexpr (std::is_invocable_v<Const, Owner *>) return !std::is_invocable_v<Other, Owner *>;
    else return reads<Owner, Owner>(member);
}

}  // namespace wg

#endif  // WG_CONVERSION_IS_UNCHANGED_HPP
