// A value of one of several types as the argument of a function of which C++ has several: the one for the value's type is called.
// Static: the same for all packages. Included by generated C++ only, of specs with such parameters.
#ifndef WG_CONVERSION_ALTERNATIVES_HPP
#define WG_CONVERSION_ALTERNATIVES_HPP

#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "wg/base/explained.hpp"
#include "wg/conversion/arguments.hpp"

namespace wg {

/// Whether numbers of `U` have every value that `N` has.
template <class U, class N>
constexpr bool holds_all() {
    if constexpr (!std::is_arithmetic_v<U> || std::is_same_v<U, bool>) {
        return std::is_same_v<U, N>;
    } else if constexpr (std::is_integral_v<U> == std::is_integral_v<N>) {
        using Of = std::numeric_limits<U>;
        using Own = std::numeric_limits<N>;
        return Of::digits >= Own::digits && (Of::is_signed || !Own::is_signed);
    } else {
        return std::is_integral_v<N> && std::numeric_limits<U>::digits >= std::numeric_limits<N>::digits;
    }
}

/// Stands for a number in the question what a call takes: as the same type only, or as one that has every value.
template <class N, bool or_wider>
struct NumberAsked {
    template <class U, std::enable_if_t<or_wider ? holds_all<U, N>() : std::is_same_v<U, N>, int> = 0>
    operator U() const;
};

/// The same number by the other name of its type, where C++ has two.
template <class N>
struct OtherName {
    using type = N;
};
template <>
struct OtherName<long> {
    using type = long long;
};
template <>
struct OtherName<unsigned long> {
    using type = unsigned long long;
};
template <>
struct OtherName<long long> {
    using type = long;
};
template <>
struct OtherName<unsigned long long> {
    using type = unsigned long;
};

/// Whether a call takes a number, and loses nothing of it.
template <class N, class Call, class... Others>
constexpr bool takes_alternative = std::is_invocable_v<Call, N, Others...> &&
                              (std::is_invocable_v<Call, NumberAsked<N, false>, Others...> || std::is_invocable_v<Call, NumberAsked<N, true>, Others...>);

/// The call.
template <class Call, class... A>
decltype(auto) call_one(Call &call, A &&...given) {
    WG_EXPLAINED_PLAIN(Call, decltype(call(std::forward<A>(given)...)), A &&...)
    return call(std::forward<A>(given)...);
}

/// Calls with the value of one alternative, in the first form that the call takes, and with the other arguments.
template <class Call, class V, class... Others>
decltype(auto) call_with([[maybe_unused]] const char *name, Call &call, V &&value, Others &&...others) {
    using Plain = std::decay_t<V>;
    if constexpr (std::is_arithmetic_v<Plain>) {
        using Other = typename OtherName<Plain>::type;
        constexpr bool as_it_is = takes_alternative<Plain, Call &, Others...>;
        static_assert(as_it_is || (sizeof(Other) == sizeof(Plain) && takes_alternative<Other, Call &, Others...>),
                      "wrapper-gen: C++ has no function for one of the numbers that the spec lists, or it would lose digits");
        if constexpr (as_it_is) return wg::call_one(call, Plain(value), std::forward<Others>(others)...);
        else return wg::call_one(call, static_cast<Other>(value), std::forward<Others>(others)...);
    } else if constexpr (std::is_same_v<Plain, std::string> && !std::is_invocable_v<Call &, V, Others...>) {
        return wg::call_one(call, c_text(value, name), std::forward<Others>(others)...);
    } else {
        return wg::call_one(call, std::forward<V>(value), std::forward<Others>(others)...);
    }
}

/// Calls with the variant, if that is what C++ takes, else with what it holds.
template <class Call, class V, class... Others>
decltype(auto) by_alternative([[maybe_unused]] const char *name, Call &&call, V &&value, Others &&...others) {
    if constexpr (std::is_invocable_v<Call &, V, Others...>) {
        return wg::call_one(call, std::forward<V>(value), std::forward<Others>(others)...);
    } else {
        const auto with = [&](auto &&each) -> decltype(auto) { return call_with(name, call, std::forward<decltype(each)>(each), std::forward<Others>(others)...); };
        return std::visit(with, std::forward<V>(value));
    }
}

}  // namespace wg

#endif  // WG_CONVERSION_ALTERNATIVES_HPP
