// Calls whose arguments C++ puts in order, or the spec.
#ifndef WG_ENTRIES_ORDERED_CALLS_HPP
#define WG_ENTRIES_ORDERED_CALLS_HPP

#include "wg/calls/resolved_call.hpp"
#include "wg/entries/entry_calls.hpp"

namespace wg {

template <class V, bool may_change>
struct StructIn;  // in a room that not all packages use

/// Whether an argument is made of what Python gives, in a form that the call chooses: such a call never stands as it is.
template <class In>
constexpr bool is_prepared_in = false;
template <class V, bool may_change>
constexpr bool is_prepared_in<StructIn<V, may_change>> = true;

template <class First, class... Rest>
constexpr bool untyped_first(Types<First, Rest...>) { return is_untyped<std::decay_t<typename First::Asked>>; }
constexpr bool untyped_first(Types<>) { return false; }

/// True; does not compile where nothing says which of several orders it is.
template <class Order, std::size_t handles, class... In>
constexpr bool is_decided_order() {
    static_assert(!Order::is_undecided, "wrapper-gen: its arguments can stand in several orders; write the call in cpp, as C has it");
    static_assert(handles == 0 || sizeof...(In) == 1 || !untyped_first(Types<In...>()),
                  "wrapper-gen: a handle that is a void * could stand anywhere; write the call in cpp, as C has it");
    return true;
}
/// Whether the arguments stand as they are given, and the call's value is the one result: asked before all that a search needs.
template <class Any, class Declared, class... In>
constexpr bool gives_result_at_once = false;
template <class Any, auto is_status, class D, class... In>
constexpr bool gives_result_at_once<Any, Gives<is_status, D>, In...> =
    !is_surely_status<is_status>() && gives_at_once<Any, typename In::Asked...> && takes_as_it_is<Any, typename In::Asked...>();

template <class Any, std::size_t handles, class Declared, class... In>
constexpr bool stands_as_given() {
    if constexpr ((is_prepared_in<In> || ...)) {
        return !is_decided_order<Deduced<Any, handles, Declared, In...>, handles, In...>();
    } else if constexpr (handles == 0) {
        if constexpr (gives_result_at_once<Any, Declared, In...>) return true;
        else return is_decided_order<Deduced<Any, 0, Declared, In...>, 0, In...>() && Deduced<Any, 0, Declared, In...>::is_plain;
    } else {
        return is_decided_order<Deduced<Any, handles, Declared, In...>, handles, In...>() && Deduced<Any, handles, Declared, In...>::is_plain;
    }
}

/// Makes a call in the order that was found. One that may not stand as it is given has to compile in some order.
template <std::size_t handles, bool may_stand, class Outcome, class Any, std::size_t... I, class... In>
decltype(auto) run_found(Outcome &outcome, const Any &any, PackOf<std::index_sequence<I...>, In...> &&ins) {
    using FoundOrder = Deduced<Any, handles, typename Outcome::Gives, In...>;
    static_assert(may_stand || FoundOrder::compiles, "wrapper-gen: the call does not compile with its arguments; write the call in cpp, as C has it");
    FoundOrder found{any, std::move(ins)};
    if constexpr (FoundOrder::writes)
        return outcome.written([&](const auto &check) -> decltype(auto) { return std::move(found).call(check); });
    else
        return outcome.value([&]() -> decltype(auto) { return std::move(found).call(); });
}

/// C++ finds the order of the arguments, of which the first is the handle if `handles` is 1.
template <std::size_t handles>
struct OrderFound {
    template <class Outcome, class Callee, class... In>
    static constexpr bool stands = stands_as_given<decltype(Callee::any), handles, typename Outcome::Gives, In...>();

    template <class Outcome, class Callee, std::size_t... I, class... In>
    static decltype(auto) run(Outcome &outcome, const Callee &callee, PackOf<std::index_sequence<I...>, In...> &ins) {
        return run_found<handles, !(is_prepared_in<In> || ...)>(outcome, callee.any, std::move(ins));
    }
};
/// The same of a member: its object, the first, is no argument that could stand elsewhere.
struct OrderFoundOn {
    template <class Callee, class O>
    using On = OnObject<std::remove_reference_t<decltype(O::value)>, decltype(Callee::any)>;

    template <class Outcome, class Callee, class O, class... In>
    static constexpr bool stands = stands_as_given<On<Callee, O>, 0, typename Outcome::Gives, In...>();

    template <class Outcome, class Callee, std::size_t... I, class O, class... In>
    static decltype(auto) run(Outcome &outcome, const Callee &callee, PackOf<std::index_sequence<0, I...>, O, In...> &ins) {
        const On<Callee, O> any{packs::at<0>(ins).value, callee.any};
        return run_found<0, !(is_prepared_in<In> || ...)>(outcome, any, Pack<In...>{{std::move(packs::at<I>(ins))}...});
    }
};
/// The same through something that makes other forms of its arguments.
template <std::size_t handles, class Via>
struct OrderFoundVia {
    template <class Callee>
    using Through = std::decay_t<decltype(std::declval<const Via &>()(std::declval<const Callee &>().any))>;

    template <class Outcome, class Callee, class... In>
    static constexpr bool stands = !is_decided_order<Deduced<Through<Callee>, handles, typename Outcome::Gives, In...>, handles, In...>();

    const Via via;
    template <class Outcome, class Callee, std::size_t... I, class... In>
    decltype(auto) run(Outcome &outcome, const Callee &callee, PackOf<std::index_sequence<I...>, In...> &ins) const {
        return run_found<handles, false>(outcome, via(callee.any), std::move(ins));
    }
};

/// Stands for what a call writes: an item of the result.
template <class D>
struct OutIn {
    using Asked = OutIn;
};
template <class In>
constexpr bool is_out_in = false;
template <class D>
constexpr bool is_out_in<OutIn<D>> = true;
template <class In>
struct OutOf {
    using type = Types<>;
};
template <class D>
struct OutOf<OutIn<D>> {
    using type = Types<D>;
};

/// The units of a call in C's order: the arguments are numbered before what is written.
template <class... In>
constexpr std::array<std::size_t, sizeof...(In) + 1> units_of() {
    constexpr bool outs[] = {is_out_in<In>..., false};
    std::array<std::size_t, sizeof...(In) + 1> units = {};
    std::size_t next = 0;
    for (std::size_t i = 0; i < sizeof...(In); ++i)
        if (!outs[i]) units[i] = next++;
    for (std::size_t i = 0; i < sizeof...(In); ++i)
        if (outs[i]) units[i] = next++;
    return units;
}

/// The callee is called with just so many arguments, also where it is a macro; unless some of them may bring their lengths.
template <class Callee, class... In>
struct InOrder {
    Callee callee;
    Pack<In...> ins;
    const auto &function() const {
        if constexpr ((can_have_length<In> || ...)) return callee.any;
        else return callee.made;
    }
    template <class Outcome>
    decltype(auto) run(Outcome outcome) && {
        return run_in(outcome, std::index_sequence_for<In...>(), std::make_index_sequence<(std::size_t{0} + ... + (is_out_in<In> ? 1 : 0))>());
    }

private:
    /// The arguments alone, without what stands for out-parameters.
    template <std::size_t i>
    auto only_in() {
        using I = PackedAt<i, Pack<In...>>;
        if constexpr (is_out_in<I>)
            return Pack<>();
        else
            return Pack<I>{{std::move(packs::at<i>(ins))}};
    }
    template <class Outcome, std::size_t... I, std::size_t... O>
    decltype(auto) run_in(Outcome &outcome, std::index_sequence<I...>, std::index_sequence<O...> outs) {
        constexpr auto units = units_of<In...>();
        using Outs = typename Joined<Types<>, typename OutOf<In>::type...>::type;
        if constexpr (sizeof...(O) == 0)
            return run_stated<Outs, Units<units[I]...>, Units<>>(outcome, std::move(ins), outs);
        else
            return run_stated<Outs, Units<units[I]...>, Units<sizeof...(In) - sizeof...(O) + O...>>(outcome, packs::joined(only_in<I>()...), outs);
    }
    template <class Outs, class Order, class Items, class Outcome, std::size_t... P, class... Own, class O>
    decltype(auto) run_stated(Outcome &outcome, PackOf<std::index_sequence<P...>, Own...> &&own, O) {
        using FoundOrder = Stated<std::decay_t<decltype(function())>, typename Outcome::Gives, Outs, Order, Items, Own...>;
        static_assert(FoundOrder::compiles || O::size() != 0, "wrapper-gen: the call does not compile as it is written");
        static_assert(FoundOrder::compiles || O::size() == 0,
                      "wrapper-gen: the call does not compile as it is written, or writes values of other types; where its value is a status, say raises: NAME; "
                      "where nothing wants it, raises: nothing");
        FoundOrder found{function(), std::move(own)};
        if constexpr (O::size() != 0)
            return outcome.written([&](const auto &check) -> decltype(auto) { return std::move(found).call(check); });
        else
            return outcome.value([&]() -> decltype(auto) { return std::move(found).call(); });
    }
};

template <class Outcome, class Callee, std::size_t... I, class... In>
decltype(auto) run_in_order(Outcome &outcome, const Callee &callee, PackOf<std::index_sequence<I...>, In...> &&ins) {
    return InOrder<Callee, In...>{callee, std::move(ins)}.run(outcome);
}

/// The spec says the order.
struct OrderStated {
    template <class Outcome, class Callee, class... In>
    static constexpr bool stands = false;

    template <class Outcome, class Callee, std::size_t... I, class... In>
    static decltype(auto) run(Outcome &outcome, const Callee &callee, PackOf<std::index_sequence<I...>, In...> &ins) {
        return run_in_order(outcome, callee, std::move(ins));
    }
};
/// The same of a member, of the first.
struct OrderStatedOn {
    template <class Outcome, class Callee, class... In>
    static constexpr bool stands = false;

    template <class Outcome, class Callee, std::size_t... I, class O, class... In>
    static decltype(auto) run(Outcome &outcome, const Callee &callee, PackOf<std::index_sequence<0, I...>, O, In...> &ins) {
        auto &object = packs::at<0>(ins).value;
        return run_in_order(outcome, wg::Callee{on_object(object, callee.any), NoProbe(), on_object(object, callee.made), Probes<>{}},
                            Pack<In...>{{std::move(packs::at<I>(ins))}...});
    }
};
/// The same through something that makes other forms of its arguments.
template <class Via>
struct OrderStatedVia {
    template <class Outcome, class Callee, class... In>
    static constexpr bool stands = false;

    const Via via;
    template <class Outcome, class Callee, std::size_t... I, class... In>
    decltype(auto) run(Outcome &outcome, const Callee &callee, PackOf<std::index_sequence<I...>, In...> &ins) const {
        return run_in_order(outcome, wg::Callee{via(callee.any), NoProbe(), via(callee.made), Probes<>{}}, std::move(ins));
    }
};

namespace hidden {
template <std::size_t handles, class Via>
OrderFoundVia<handles, Via> order_found_via(const Via &via) {
    return {via};
}
template <class Via>
OrderStatedVia<Via> order_stated_via(const Via &via) {
    return {via};
}
}  // namespace hidden

}  // namespace wg

#endif  // WG_ENTRIES_ORDERED_CALLS_HPP
