// Calls as generated code writes them, a line an entry:
//
//     inline f64 wg_do_hypot(f64 x_, f64 y_) { return returns<f64>(WG_CALL(std::hypot, x_, y_)); }
//     inline i32 wg_do_priority(CudaStream &wg_h) { return raises<Status, i32>(WG_FIND_METHOD(cudaStreamGetPriority, wg_h)); }
//
// A macro (call_macros.hpp) makes a call that has not run: what is called, and its arguments. The outcome around it says what is
// declared of the result.
#ifndef WG_ENTRIES_ENTRY_CALLS_HPP
#define WG_ENTRIES_ENTRY_CALLS_HPP

#include "wg/calls/addressed.hpp"
#include "wg/calls/argument_order.hpp"
#include "wg/entries/call_macros.hpp"
#include "wg/entries/callees.hpp"
#include "wg/entries/outcomes.hpp"

namespace wg {

// --- arguments as the call takes them ---------------------------------------------------------------------------------

template <class In>
constexpr bool is_plain_in = false;
template <class T>
constexpr bool is_plain_in<PlainIn<T>> = true;
template <class Whole, class Given, class P>
decltype(auto) bound(P &value, const char *name);  // in a room that not all packages use

/// What is asked for an argument, and what is given, in a call whose arguments stand as they are.
template <class In>
struct Checked {
    using Asked = typename In::Asked;
    template <class Whole, class Braced, class Given, std::size_t at>
    static decltype(auto) of(In &in) {
        return in.template given<Whole, Given, at>();
    }
};
template <class T>
struct Checked<NumberIn<T>> {
    using Asked = T &;
    template <class Whole, class Braced, class Given, std::size_t at>
    static decltype(auto) of(NumberIn<T> &in) {
        return wg::argument<Braced, Given, at>(const_cast<T &>(in.value), in.name);
    }
};
/// One that may be missing, which is constant in the typed function.
template <class T>
struct Checked<NumberIn<std::optional<T>>> {
    using Asked = const std::optional<T> &;
    template <class Whole, class Braced, class Given, std::size_t at>
    static decltype(auto) of(NumberIn<std::optional<T>> &in) {
        return wg::argument<Braced, Given, at>(in.value, in.name);
    }
};
template <>
struct Checked<TextIn> {
    using Asked = SomeText;
    template <class Whole, class Braced, class Given, std::size_t at>
    static decltype(auto) of(TextIn &in) {
        return wg::text<Whole, Braced, Given, at>(in.value, in.name);
    }
};
template <class V>
struct Checked<FittedIn<V>> {
    using Asked = V &;
    template <class Whole, class Braced, class Given, std::size_t at>
    static decltype(auto) of(FittedIn<V> &in) {
        return compound<Whole, Braced, Given, at>(in.value, in.name);
    }
};

/// The argument `at` of such a call: a plain pointer may have to become what it points to.
template <class Callee, class Asked, std::size_t at, class In>
decltype(auto) checked_of(In &in) {
    using Whole = typename Callee::Whole;
    if constexpr (is_bound_callee<Callee> && is_plain_in<In>)
        return bound<Whole, Asked>(in.value, "");
    else
        return Checked<In>::template of<Whole, typename Callee::template BracedAt<at>, Asked, at>(in);
}

/// `A` is what was given: what goes in as an rvalue stays one.
template <class A, class T>
decltype(auto) passed_on(T &argument) {
    if constexpr (is_consumed_in<std::decay_t<A>>)
        return argument.consumed();
    else if constexpr (std::is_rvalue_reference_v<A>)
        return static_cast<A>(argument);
    else
        return (argument);
}

template <class Asked, class Outcome, class Callee, class... In, std::size_t... I>
decltype(auto) call_checked(Outcome &outcome, const Callee &callee, [[maybe_unused]] PackOf<std::index_sequence<I...>, In...> &ins, std::index_sequence<I...>) {
    using Arguments = Pack<decltype(checked_of<Callee, Asked, I>(packs::at<I>(ins)))...>;
    [[maybe_unused]] Arguments arguments{{checked_of<Callee, Asked, I>(packs::at<I>(ins))}...};
    WG_EXPLAINED_PLAIN(Callee, decltype(callee.made(passed_on<PackedAt<I, Arguments>>(packs::at<I>(arguments))...)), decltype(passed_on<PackedAt<I, Arguments>>(packs::at<I>(arguments)))...)
    return outcome.value([&]() -> decltype(auto) { return callee.made(passed_on<PackedAt<I, Arguments>>(packs::at<I>(arguments))...); });
}

/// Whether bytes among the arguments may go as an address and a length.
template <class... In>
constexpr bool has_bytes_in = (std::is_same_v<In, BytesIn> || ...);

/// The same callee, where the address of a value may go in.
template <class Values, class Any, class Whole, class Made, class... Braced>
auto addressing(const Callee<Any, Whole, Made, Braced...> &callee) {
    return Callee<Addressing<Any, Values>, Addressing<Whole, Values>, Addressing<Made, Values>, Addressing<Braced, Values>...>{{callee.any}, {callee.made}};
}
/// Whether a call wants the address of a value among its arguments.
template <class Callee, class... In>
constexpr bool wants_address() {
    using Whole = typename Callee::Whole;
    if constexpr (!may_address<Whole, In...> || is_bound_callee<Callee>) return false;
    else if constexpr (is_taken_by<Whole>(decltype(wg::settle<Whole, typename Checked<In>::Asked...>())())) return false;
    else return is_taken_by<Addressing<Whole, AllValuesOf<In...>>>(decltype(wg::settle<Addressing<Whole, AllValuesOf<In...>>, typename Checked<In>::Asked...>())());
}

template <class Outcome, class Callee, class... In, std::size_t... I>
decltype(auto) call_as_it_stands(Outcome &outcome, const Callee &callee, PackOf<std::index_sequence<I...>, In...> &ins, std::index_sequence<I...>) {
    using Whole = typename Callee::Whole;
    if constexpr ((has_forms<typename Checked<In>::Asked> || ...)) {
        using Asked = decltype(wg::settle<Whole, typename Checked<In>::Asked...>());
        if constexpr (has_bytes_in<In...> && !is_taken_by<Whole>(Asked())) {
            using InPairs = Reading<decltype(callee.any), Types<In...>, Types<>, Lengths<In...>::mask_of(1), std::index_sequence<I...>>;
            if constexpr (!std::is_void_v<typename InPairs::Result>)
                return outcome.value([&]() -> decltype(auto) {
                    return InPairs::template call<true>(callee.any, Unchecked(), ins, std::index_sequence<>());
                });
            else
                return call_checked<Asked>(outcome, callee, ins, std::index_sequence<I...>());
        } else {
            return call_checked<Asked>(outcome, callee, ins, std::index_sequence<I...>());
        }
    } else {
        return call_checked<Given<typename Checked<In>::Asked...>>(outcome, callee, ins, std::index_sequence<I...>());
    }
}

// --- calls that have not run ------------------------------------------------------------------------------------------

template <class Callee, class... In>
struct AsItStands {
    Callee callee;
    Pack<In...> ins;
    template <class Outcome>
    decltype(auto) run(Outcome outcome) && {
        if constexpr (wants_address<Callee, In...>())
            return call_as_it_stands(outcome, addressing<AllValuesOf<In...>>(callee), ins, std::index_sequence_for<In...>());
        else
            return call_as_it_stands(outcome, callee, ins, std::index_sequence_for<In...>());
    }
};

namespace hidden {
template <class Callee, class... In>
AsItStands<Callee, In...> as_it_stands(const Callee &callee, In... in) {
    return {callee, {{std::move(in)}...}};
}
}  // namespace hidden

}  // namespace wg

#endif  // WG_ENTRIES_ENTRY_CALLS_HPP
