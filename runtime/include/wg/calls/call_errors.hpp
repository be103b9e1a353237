// Calls that do not compile: which one argument, if it were of another type, would make the call compile, and of which. Calls
// that compile in several orders: which these are.
// Static: the same for all packages. Included by generated C++ only.
//
// All of it is compile errors that name templates of this header: `wrapper-gen` reads the argument and the type out of the names.
// Nothing of it is instantiated for a call that compiles.
#ifndef WG_CALLS_CALL_ERRORS_HPP
#define WG_CALLS_CALL_ERRORS_HPP

#include "wg/calls/argument_order.hpp"

namespace wg {

/// How many readings of one call an error shows.
constexpr std::size_t most_shown = 12;

/// Never complete. The argument of this number (the out-parameters follow the others) has another type in C++: `T`.
template <std::size_t unit, class T>
struct CppTakes;

/// Converts to whatever a parameter of `F` takes by value.
template <class F, std::size_t unit>
struct AnyValue {
    template <class T>
    operator T() const {
        return CppTakes<unit, T>::value;
    }
};
/// To what it takes by reference.
template <class F, std::size_t unit>
struct AnyReference {
    template <class T>
    operator T &() const {
        return CppTakes<unit, T &>::value;
    }
};
/// To the address that it writes to.
template <class F, std::size_t unit>
struct AnyAddress {
    template <class T, class = std::enable_if_t<!std::is_const_v<T> && !std::is_void_v<T> && !std::is_function_v<T>>>
    operator T *() const {
        return CppTakes<unit, T *>::value;
    }
};

template <class Any>
struct AnyIn {
    using Asked = const Any &;
    template <class Whole, class Given, std::size_t At>
    const Any &given() const;
};
template <class F, std::size_t unit>
struct OutPart<AnyAddress<F, unit>> {
    using Asked = const AnyAddress<F, unit> &;
};
template <class F, std::size_t unit>
struct OutTypes<AnyAddress<F, unit>> {
    using type = Types<int>;
};

/// A list with another type at one place.
template <std::size_t at, class New, class List, class Index>
struct ReplacedIn;
template <std::size_t at, class New, class... T, std::size_t... I>
struct ReplacedIn<at, New, Types<T...>, std::index_sequence<I...>> {
    using type = Types<std::conditional_t<I == at, New, T>...>;
};
template <std::size_t at, class New, class... T>
using Replaced = typename ReplacedIn<at, New, Types<T...>, std::index_sequence_for<T...>>::type;

/// The call, which nothing makes: to compile it names the types that it takes.
template <class F, class... A, std::size_t... I>
void make_refused_call(const F &function, std::tuple<A &&...> &given, std::index_sequence<I...>) {
    static_cast<void>(function(std::forward<std::tuple_element_t<I, std::tuple<A...>>>(std::get<I>(given))...));
}
template <class F, class Places, class... A>
constexpr bool is_made(Given<A...>) {
    [[maybe_unused]] constexpr void (*made)(const F &, std::tuple<A &&...> &, Places) = &make_refused_call<F, A...>;
    return true;  // a comparison with null would be no constant where gcc compiles for sanitizers
}
template <class F, class Reading, class... Others>
constexpr bool blame(Types<Reading, Others...>) {
    return !is_made<F, typename Reading::Places>(typename Reading::Asked());
}

/// `Call::With<List>` are the readings with these arguments, `Call::Writing<List>` with these out-parameters.
template <class F, class Call, std::size_t unit, class... In, class... Out>
constexpr bool blame_one(Types<In...> ins, Types<Out...> outs) {
    constexpr std::size_t count = sizeof...(In);
    if constexpr (unit < count) {
        using ByValue = typename Call::template With<Replaced<unit, AnyIn<AnyValue<F, unit>>, In...>>;
        using ByReference = typename Call::template With<Replaced<unit, AnyIn<AnyReference<F, unit>>, In...>>;
        if constexpr (!std::is_same_v<ByValue, Types<>>)
            return blame<F>(ByValue());
        else if constexpr (!std::is_same_v<ByReference, Types<>>)
            return blame<F>(ByReference());
        else
            return blame_one<F, Call, unit + 1>(ins, outs);
    } else if constexpr (unit < count + sizeof...(Out)) {
        using Written = typename Call::template Writing<Replaced<unit - count, AnyAddress<F, unit>, Out...>>;
        if constexpr (!std::is_same_v<Written, Types<>>)
            return blame<F>(Written());
        else
            return blame_one<F, Call, unit + 1>(ins, outs);
    } else {
        return false;
    }
}

/// False; does not compile where one argument is the reason why a call does not compile.
template <class F, class Call>
constexpr bool blames_an_argument() {
    if constexpr (std::is_same_v<typename Call::Found, Types<>>)
        return blame_one<F, Call, 0>(typename Call::Ins(), typename Call::Written());
    else
        return false;
}

/// A callable that is given the parts of a call, each length behind its address, and passes some of them on the other way around.
template <class F, class Places>
struct WithLengthsFirst;
template <class F, std::size_t... I>
struct WithLengthsFirst<F, std::index_sequence<I...>> {
    template <class... A, std::enable_if_t<sizeof...(A) == sizeof...(I), int> = 0>
    auto operator()(A &&...) const -> decltype(std::declval<const F &>()(std::declval<std::tuple_element_t<I, std::tuple<A &&...>>>()...));
};
template <std::size_t parts, std::size_t units>
constexpr std::array<std::size_t, parts> places_with_lengths_first(const std::array<std::size_t, units> &sizes) {
    std::array<std::size_t, parts> places = {};
    std::size_t at = 0;
    for (std::size_t unit = 0; unit < units; at += sizes[unit], ++unit)
        for (std::size_t part = 0; part < sizes[unit]; ++part) places[at + part] = at + (sizes[unit] == 2 ? 1 - part : part);
    return places;
}
template <class F, class Reading, std::size_t... I>
auto with_lengths_first(std::index_sequence<I...>) {
    constexpr auto places = places_with_lengths_first<sizeof...(I)>(Reading::Split::sizes(std::make_index_sequence<Reading::outs>()));
    return WithLengthsFirst<F, std::index_sequence<places[I]...>>();
}

/// Never complete. The call compiles with the lengths of these arguments, the bits of `mask`, before their addresses, and this many
/// out-parameters.
template <std::size_t mask, std::size_t outs>
struct LengthsStandFirst;
/// Nothing calls it: to compile it names the arguments.
template <class Call, std::size_t mask, std::size_t outs>
void show_lengths() {
    static_cast<void>(LengthsStandFirst<mask, outs>::value);
}
/// False; does not compile where there are such arguments.
template <class Call, class Reading>
constexpr bool shows_lengths(Types<Reading>) {
    [[maybe_unused]] constexpr void (*shown)() = &show_lengths<Call, Reading::lengths, Reading::outs>;
    return false;
}
template <class Call>
constexpr bool shows_lengths(Types<>) {
    return false;
}

/// Never complete. The call compiles with its units in this order (the out-parameters follow the others).
template <std::size_t... unit>
struct CompilesInOrder;
/// Nothing calls it: to compile it names the order.
template <class Reading, std::size_t... unit>
void show_order(std::index_sequence<unit...>) {
    static_cast<void>(CompilesInOrder<unit...>::value);
}
template <class Reading>
constexpr bool is_shown() {
    [[maybe_unused]] constexpr void (*shown)(typename Reading::Units) = &show_order<Reading>;
    return true;
}

/// Never complete. The call would compile if the argument of this number brought a length, and had so many out-parameters.
template <std::size_t unit, std::size_t outs>
struct GuessesLength;
template <class Reading, std::size_t unit, std::size_t outs>
void show_guess() {
    static_cast<void>(GuessesLength<unit, outs>::value);
}
/// False; does not compile where there is a reading that guesses a length.
constexpr bool shows_guess(Types<>) {
    return false;
}
template <class Reading>
constexpr bool shows_guess(Types<Reading>) {
    [[maybe_unused]] constexpr void (*shown)() = &show_guess<Reading, Reading::first_guess(), Reading::outs>;
    return false;
}

/// Whether there are several readings; does not compile where they are few enough to be shown.
template <class... R>
constexpr bool shows_readings(Types<R...>) {
    if constexpr (sizeof...(R) > 1 && sizeof...(R) <= most_shown)
        return (... || is_shown<R>());
    else
        return sizeof...(R) > 1;
}

}  // namespace wg

#endif  // WG_CALLS_CALL_ERRORS_HPP
