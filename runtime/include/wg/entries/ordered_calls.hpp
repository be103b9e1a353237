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

/// The argument that is the object of a member, or none.
struct NoObject {};

template <class Callee, std::size_t handles, bool is_via, class Object, class... In>
struct InAnyOrder {
    static constexpr bool may_be_plain = !is_via && !(is_prepared_in<In> || ...);
    Callee callee;
    Object object;
    Pack<In...> ins;
    template <class Outcome>
    decltype(auto) run(Outcome outcome) && {
        const auto any = any_of(object);
        using FoundOrder = Deduced<std::decay_t<decltype(any)>, handles, typename Outcome::Gives, In...>;
        static_assert(!FoundOrder::is_undecided, "wrapper-gen: its arguments can stand in several orders; write the call in cpp, as C has it");
        static_assert(handles == 0 || sizeof...(In) == 1 || !is_untyped_first<In...>,
                      "wrapper-gen: a handle that is a void * could stand anywhere; write the call in cpp, as C has it");
        if constexpr (may_be_plain && FoundOrder::is_plain) {
            return run_plain(outcome, object, std::index_sequence_for<In...>());
        } else {
            static_assert(may_be_plain || FoundOrder::compiles, "wrapper-gen: the call does not compile with its arguments; write the call in cpp, as C has it");
            FoundOrder found{any, std::move(ins)};
            if constexpr (FoundOrder::writes)
                return outcome.written([&](const auto &check) -> decltype(auto) { return std::move(found).call(check); });
            else
                return outcome.value([&]() -> decltype(auto) { return std::move(found).call(); });
        }
    }
    const auto &any_of(NoObject) const { return callee.any; }
    template <class O>
    auto any_of(const O &of) const { return on_object(of.value, callee.any); }
    template <class Outcome, std::size_t... I>
    decltype(auto) run_plain(Outcome &outcome, NoObject, std::index_sequence<I...> all) { return call_as_it_stands(outcome, callee, ins, all); }
    template <class Outcome, class O, std::size_t... I>
    decltype(auto) run_plain(Outcome &outcome, O &of, std::index_sequence<I...>) {
        Pack<O, In...> all{{of}, {std::move(packs::at<I>(ins))}...};
        return call_as_it_stands(outcome, callee, all, std::make_index_sequence<sizeof...(In) + 1>());
    }
    template <class First, class... Rest>
    static constexpr bool untyped_first(Types<First, Rest...>) { return is_untyped<std::decay_t<typename First::Asked>>; }
    static constexpr bool untyped_first(Types<>) { return false; }
    template <class... I>
    static constexpr bool is_untyped_first = untyped_first(Types<I...>());
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

namespace hidden {
template <std::size_t handles, class Callee, class... In>
InAnyOrder<Callee, handles, false, NoObject, In...> in_any_order(const Callee &callee, In... in) {
    return {callee, {}, {{std::move(in)}...}};
}
template <class Callee, class... In>
InOrder<Callee, In...> in_order(const Callee &callee, In... in) {
    return {callee, {{std::move(in)}...}};
}
/// Through something that makes other forms of its arguments.
template <class Via, class Any, class Whole, class Made, class... Braced>
auto through(const Via &via, const Callee<Any, Whole, Made, Braced...> &callee) {
    using Through = decltype(via(callee.any));
    return Callee<Through, Through, decltype(via(callee.made)), Braced...>{via(callee.any), via(callee.made)};
}
/// The same where arguments are bound: the call itself gets them as they have to be.
template <class Via, class Any, class Whole, class Made, class... Braced>
auto bound_through(const Via &via, const Callee<Any, Whole, Made, Braced...> &callee) {
    using Through = decltype(via(callee.any));
    return BoundCallee<Through, decltype(via(std::declval<Whole>())), Made, decltype(via(std::declval<Braced>()))...>{{via(callee.any), callee.made}};
}
template <std::size_t handles, class Via>
auto bound_in_any_order(const Via &via) {
    return [via](const auto &callee, auto... in) {
        using Through = decltype(bound_through(via, callee));
        return InAnyOrder<Through, handles, false, NoObject, decltype(in)...>{bound_through(via, callee), {}, {{std::move(in)}...}};
    };
}
template <std::size_t handles, class Via>
auto via_in_any_order(const Via &via) {
    return [via](const auto &callee, auto... in) {
        using Through = decltype(through(via, callee));
        return InAnyOrder<Through, handles, true, NoObject, decltype(in)...>{through(via, callee), {}, {{std::move(in)}...}};
    };
}
template <class Via>
auto via_in_order(const Via &via) {
    return [via](const auto &callee, auto... in) { return in_order(through(via, callee), std::move(in)...); };
}
/// The same callee with its object.
template <class Any, class Whole, class Made, class... Braced, class Object>
auto on_object_of(const Callee<Any, Whole, Made, Braced...> &callee, const Object &object) {
    using On = OnObject<std::remove_reference_t<decltype(object.value)>, Any>;
    using MadeOn = OnObject<std::remove_reference_t<decltype(object.value)>, Made>;
    return Callee<On, Whole, MadeOn, Braced...>{{object.value, callee.any}, {object.value, callee.made}};
}
/// Of a member the object is no argument that could stand elsewhere.
template <class Callee, class Object, class... In>
InAnyOrder<Callee, 0, false, Object, In...> in_any_order_on(const Callee &callee, const Object &object, In... in) {
    return {callee, object, {{std::move(in)}...}};
}
template <class Callee, class Object, class... In>
auto in_order_on(const Callee &callee, const Object &object, In... in) {
    return in_order(on_object_of(callee, object), std::move(in)...);
}
}  // namespace hidden

}  // namespace wg

#endif  // WG_ENTRIES_ORDERED_CALLS_HPP
