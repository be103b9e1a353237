// What `wrapper-gen explain` reads: warnings of the compiler that name each call as it was chosen.
// Included by what that command compiles, before all other headers, and by no package.
#ifndef WG_CALLS_EXPLAINED_CALLS_HPP
#define WG_CALLS_EXPLAINED_CALLS_HPP

#include "wg/base/first_invocable.hpp"
#include "wg/base/pack.hpp"

#pragma GCC diagnostic warning "-Wdeprecated-declarations"  // whatever the flags say

namespace wg {

template <class T, class... Way>
class Accessor;  // in a room that not all packages use
template <class F>
class Symbol;
template <class F>
struct Pointing;  // of a handle that holds a smart pointer

namespace explained {
template <std::size_t...>
struct Units;
template <std::size_t...>
struct Sizes;
/// The number of the way that reads or sets a property.
template <std::size_t>
struct Way;
template <class...>
struct Given;
/// Of the parameters of a function: these are all; any others may follow; these are all, and the first is the class of which it is a member.
struct Whole;
struct More;
struct Member;
}  // namespace explained

/// The compiler's warning names the call: its units in C's order (what it writes has the numbers after the others), how many arguments each
/// of these is, the way of a property, what the call gives, and the types of what goes in.
template <class Units, class Sizes, class Way, class Result, class In>
[[deprecated("wg-explain")]] constexpr bool explained_call = true;
/// The same of a function that has no overloads: what it gives, the types of its parameters, and what else is to be known of those.
template <class Result, class Parameters, class Rest>
[[deprecated("wg-explain")]] constexpr bool explained_signature = true;
/// What the C++ type of an error really is, as the results of calls are named: the type that a typedef stands for.
template <class Number, class T>
[[deprecated("wg-explain")]] constexpr bool explained_status = true;

template <class F, class... A>
constexpr std::size_t way_taken = 0;
template <class T, class... Way, class... A>
constexpr std::size_t way_taken<Accessor<T, Way...>, A...> = FirstWay<Way...>::template found<typename Accessor<T, Way...>::Object, T &, A...>();
template <class F, class... A>
constexpr std::size_t way_past_pointer() {
    if constexpr (std::is_invocable_v<const F &, A...>) return way_taken<F, A...>;
    else return 0;
}
template <class F, class... A>
constexpr std::size_t way_taken<Pointing<F>, A...> = way_past_pointer<F, A...>();

template <class Reading, std::size_t unit>
constexpr std::size_t size_of_unit() {
    if constexpr (Reading::lengths == 0) return 1;
    else return Reading::Split::sizes(std::make_index_sequence<Reading::outs>())[unit];
}
template <class F, class Reading, class Result, class... In, std::size_t... unit>
constexpr bool explains_in_order(explained::Given<In...> (*)(), std::index_sequence<unit...>) {
    return explained_call<explained::Units<unit...>, explained::Sizes<size_of_unit<Reading, unit>()...>, explained::Way<way_taken<F, In...>>, Result, explained::Given<In...>>;
}
template <class Call, class Result, class... In, std::size_t... unit>
constexpr bool explains_as_given(explained::Given<In...> (*)(), std::index_sequence<unit...>) {
    return explained_call<explained::Units<unit...>, explained::Sizes<(unit * 0 + 1)...>, explained::Way<0>, Result, explained::Given<In...>>;
}
template <class Call, class Result, class... In>
constexpr bool explains_all_as_given(explained::Given<In...> (*in)()) {
    return explains_as_given<Call, Result>(in, std::index_sequence_for<In...>());
}
/// A call whose arguments were put in order.
template <class F, class Reading, class Result, class In>
constexpr bool explains_reading() {
    return explains_in_order<F, Reading, Result>(static_cast<In (*)()>(nullptr), typename Reading::Units());
}
/// One whose arguments stand as they are given; `Call` is another type for each call, since a compiler warns of each function once.
template <class Call, class Result, class In>
constexpr bool explains_plain() {
    return explains_all_as_given<Call, Result>(static_cast<In (*)()>(nullptr));
}

template <std::size_t number, class T>
constexpr bool explains_status(explained::Given<T> (*)()) {
    return explained_status<explained::Way<number>, T>;
}

// Declared only: their types say what a function is. None of them is for one of several functions.
template <class Rest, class R, class... P>
struct SignatureOf {
    template <class F>
    static constexpr bool explains() { return explained_signature<R, explained::Given<P...>, Rest>; }
};
template <class R, class... P>
SignatureOf<explained::Whole, R, P...> signature(int, R (*)(P...));
template <class R, class... P>
SignatureOf<explained::More, R, P...> signature(int, R (*)(P..., ...));
template <class R, class... P>
SignatureOf<explained::Whole, R, P...> signature(int, const Symbol<R (*)(P...)> &);
template <class R, class T, class... P>
SignatureOf<explained::Member, R, T &, P...> signature(int, R (T::*)(P...));
template <class R, class T, class... P>
SignatureOf<explained::Member, R, const T &, P...> signature(int, R (T::*)(P...) const);

/// `F` asks about a function, or about one of an object of the type `O`; nothing is said where it may be one of several.
template <class... O, class F>
constexpr bool explains_signature(const F &) {
    if constexpr (std::is_invocable_v<F, int, O...>) return std::invoke_result_t<F, int, O...>::template explains<F>();
    else return false;
}

}  // namespace wg


// In generated code.
#define WG_EXPLAINED_AS_GIVEN(Result, ...) static_cast<void>(wg::explains_plain<wg::explained::Units<__COUNTER__>, Result, wg::explained::Given<__VA_ARGS__>>());
#define WG_EXPLAINED_SIGNATURE(number, ...) \
    inline bool wg_explained_##number() { return wg::explains_signature([](auto wg_0) -> decltype(wg::signature(wg_0, __VA_ARGS__)) { return {}; }); }
#define WG_EXPLAINED_STATUS(number, ...) \
    inline bool wg_explained_status_##number() { return wg::explains_status<number>(static_cast<wg::explained::Given<__VA_ARGS__> (*)()>(nullptr)); }
#define WG_EXPLAINED_MEMBER(number, H, ...)                                                            \
    inline bool wg_explained_##number() {                                                              \
        return wg::explains_signature<decltype(wg::object(std::declval<H &>().inner))>(                \
            [](auto wg_0, auto &wg_o) -> decltype(wg::signature(wg_0, &std::decay_t<decltype(wg_o)>::__VA_ARGS__)) { return {}; }); \
    }

#endif  // WG_CALLS_EXPLAINED_CALLS_HPP
