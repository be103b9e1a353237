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

/// Whether the argument `at` goes into such a call as it is: most do, and by a function that all calls share.
template <class Callee, class Asked, std::size_t at, class In>
constexpr bool goes_as_it_is = false;
template <class Callee, class Asked, std::size_t at, class T>
constexpr bool goes_as_it_is<Callee, Asked, at, NumberIn<T>> = takes<typename Callee::template BracedAt<at>, Asked, at, T &>;
template <class Callee, class Asked, std::size_t at, class T>
constexpr bool goes_as_it_is<Callee, Asked, at, NumberIn<std::optional<T>>> =
    takes<typename Callee::template BracedAt<at>, Asked, at, Only<std::optional<T>> &>;
template <class Callee, class Asked, std::size_t at>
constexpr bool goes_as_it_is<Callee, Asked, at, TextIn> = std::is_same_v<Nth<Asked, at>, const std::string &>;
template <class Callee, class Asked, std::size_t at, class T>
constexpr bool goes_as_it_is<Callee, Asked, at, PlainIn<T>> = true;

/// How an argument is passed: as it is, or once it was checked in the form that this call takes.
struct Unchanged {
    template <class T>
    static T &of(NumberIn<T> &in) { return const_cast<T &>(in.value); }
    template <class T>
    static const std::optional<T> &of(NumberIn<std::optional<T>> &in) { return in.value; }
    static const std::string &of(TextIn &in) { return in.value; }
    template <class T>
    static T &&of(PlainIn<T> &in) { return static_cast<T &&>(in.value); }
};
template <class Callee, class Asked, std::size_t at>
struct OnceChecked {
    template <class In>
    static decltype(auto) of(In &in) {
        return Checked<In>::template of<typename Callee::Whole, typename Callee::template BracedAt<at>, Asked, at>(in);
    }
};
template <class Callee, class Asked, std::size_t at, class In>
using PassedBy = std::conditional_t<goes_as_it_is<Callee, Asked, at, In>, Unchanged, OnceChecked<Callee, Asked, at>>;

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

/// Whether bytes among the arguments may go as an address and a length.
template <class... In>
constexpr bool has_bytes_in = (std::is_same_v<In, BytesIn> || ...);

/// What such a call is asked for: all texts and bytes have a form that it takes.
template <class Whole, class... Asked>
auto asked_of() {
    if constexpr ((has_forms<Asked> || ...)) return wg::settle<Whole, Asked...>();
    else return Given<Asked...>();
}

/// The same callee, where the address of a value may go in.
template <class Values, class Any, class Whole, class Made, class... Braced>
auto addressing(const Callee<Any, Whole, Made, Probes<Braced...>> &callee) {
    using WithAddresses = Callee<Addressing<Any, Values>, Addressing<Whole, Values>, Addressing<Made, Values>, Probes<Addressing<Braced, Values>...>>;
    return WithAddresses{{callee.any}, {callee.whole}, {callee.made}, {{static_cast<const Braced &>(callee.braced)}...}};
}
/// Whether a call wants the address of a value among its arguments.
template <class Callee, class... In>
constexpr bool wants_address() {
    using Whole = typename Callee::Whole;
    if constexpr (!may_address<Whole, In...>) return false;
    else if constexpr (is_taken_by<Whole>(decltype(asked_of<Whole, typename Checked<In>::Asked...>())())) return false;
    else return is_taken_by<Addressing<Whole, AllValuesOf<In...>>>(decltype(wg::settle<Addressing<Whole, AllValuesOf<In...>>, typename Checked<In>::Asked...>())());
}

// --- calls that have not run ------------------------------------------------------------------------------------------

/// The arguments stand in C++'s order.
struct OrderAsGiven {
    template <class Outcome, class Callee, class... In>
    static constexpr bool stands = true;
};

/// A call that has not run. `Order` says whether its arguments stand in C++'s order, and finds that where they do not. An aggregate with
/// one function: what a call of an entry has of its own takes most of the compiler's time, and all else is shared by the types.
template <class Order, class Callee, class Ins>
struct EntryCall;
template <class Order, class Callee, std::size_t... I, class... In>
struct EntryCall<Order, Callee, PackOf<std::index_sequence<I...>, In...>> {
    Order order;
    Callee callee;
    Pack<In...> ins;

    template <class Outcome>
    decltype(auto) run(Outcome outcome) && {
        using Whole = typename Callee::Whole;
        if constexpr (!Order::template stands<Outcome, Callee, In...>) {
            return order.run(outcome, callee, ins);
        } else if constexpr (wants_address<Callee, In...>()) {
            return wg::EntryCall{OrderAsGiven(), addressing<AllValuesOf<In...>>(callee), std::move(ins)}.run(std::move(outcome));
        } else if constexpr (goes_in_pairs()) {
            return outcome.value([&]() -> decltype(auto) {
                return InPairs<Callee>::template call<true>(callee.any, Unchecked(), ins, std::index_sequence<>());
            });
        } else {
            using Asked = decltype(asked_of<Whole, typename Checked<In>::Asked...>());
            using Arguments = Pack<decltype(PassedBy<Callee, Asked, I, In>::of(packs::at<I>(ins)))...>;
            [[maybe_unused]] Arguments arguments{{PassedBy<Callee, Asked, I, In>::of(packs::at<I>(ins))}...};
            using Made = decltype(callee.made(passed_on<PackedAt<I, Arguments>>(packs::at<I>(arguments))...));
            WG_EXPLAINED_PLAIN(Callee, Made, decltype(passed_on<PackedAt<I, Arguments>>(packs::at<I>(arguments)))...)
            if constexpr (!takes_value<Outcome, Made>)
                return outcome.value([&]() -> decltype(auto) { return callee.made(passed_on<PackedAt<I, Arguments>>(packs::at<I>(arguments))...); });
            else if constexpr (std::is_void_v<Made>)
                callee.made(passed_on<PackedAt<I, Arguments>>(packs::at<I>(arguments))...);
            else
                return outcome.of(callee.made(passed_on<PackedAt<I, Arguments>>(packs::at<I>(arguments))...));
        }
    }

private:
    template <class C>
    using InPairs = Reading<decltype(C::any), Types<In...>, Types<>, Lengths<In...>::mask_of(1), std::index_sequence<I...>>;
    /// Whether the call compiles only with the lengths of bytes.
    static constexpr bool goes_in_pairs() {
        using Whole = typename Callee::Whole;
        if constexpr (!has_bytes_in<In...>) return false;
        else if constexpr (is_taken_by<Whole>(decltype(asked_of<Whole, typename Checked<In>::Asked...>())())) return false;
        else return !std::is_void_v<typename InPairs<Callee>::Result>;
    }
};
template <class Order, class Callee, class Ins>
EntryCall(Order, Callee, Ins) -> EntryCall<Order, Callee, Ins>;

}  // namespace wg

#endif  // WG_ENTRIES_ENTRY_CALLS_HPP
