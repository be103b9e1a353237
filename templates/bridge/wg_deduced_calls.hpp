// Calls whose arguments C++ puts in order: where a handle and the out-parameters stand, and which arrays bring their length.
// Static: the same for all packages. Included by generated C++ only.
//
// The units of a call are the handle, the other arguments and the out-parameters. A reading is an order of them, with arguments and
// out-parameters in their own order each, that compiles. The one with the handle first and the out-parameters last wins;
// otherwise just one reading may compile. Only types are asked, nothing is called to find out.
#pragma once

#include <array>

#include "wg_deduced_arguments.hpp"

/// Takes what the function of this name takes. A function-like macro is not expanded: it takes nothing.
#define WG_CALLABLE(...)                                                                                                    \
    [](auto &&...wg_a) -> decltype(__VA_ARGS__ WG_NOT_EXPANDED(static_cast<decltype(wg_a)>(wg_a)...)) {                     \
        return __VA_ARGS__ WG_NOT_EXPANDED(static_cast<decltype(wg_a)>(wg_a)...);                                           \
    }

namespace wg {

// --- orders ---------------------------------------------------------------------------------------

/// How many orders there are of a handle (if there is one), arguments and out-parameters.
constexpr std::size_t count_orders(std::size_t handles, std::size_t arguments, std::size_t outs) {
    std::size_t count = handles == 0 ? 1 : arguments + 1;
    for (std::size_t i = 1; i <= outs; ++i) count = count * (handles + arguments + i) / i;
    return count;
}

/// Order `k` of the units, where the first has the handle first and the out-parameters last.
template <std::size_t handles, std::size_t arguments, std::size_t outs>
constexpr std::array<std::size_t, handles + arguments + outs> order_of(std::size_t k) {
    constexpr std::size_t size = handles + arguments + outs;
    std::array<std::size_t, size> kinds = {};
    for (std::size_t i = 0; i < size; ++i) kinds[i] = i < handles ? 0 : i < handles + arguments ? 1 : 2;
    for (; k > 0; --k) {  // the next permutation
        std::size_t last = size - 1, other = size - 1;
        while (kinds[last - 1] >= kinds[last]) --last;
        while (kinds[other] <= kinds[last - 1]) --other;
        const std::size_t kept = kinds[last - 1];
        kinds[last - 1] = kinds[other];
        kinds[other] = kept;
        for (std::size_t i = last, j = size - 1; i < j; ++i, --j) {
            const std::size_t swapped = kinds[i];
            kinds[i] = kinds[j];
            kinds[j] = swapped;
        }
    }
    std::array<std::size_t, size> order = {};
    std::size_t next[3] = {0, handles, handles + arguments};
    for (std::size_t i = 0; i < size; ++i) order[i] = next[kinds[i]]++;
    return order;
}

/// The places of a call's parts in an order of its units, some of which have two.
template <std::size_t parts, std::size_t units>
constexpr std::array<std::size_t, parts> places_of(const std::array<std::size_t, units> &order, std::size_t mask) {
    const auto is_pair = [&](std::size_t unit) { return ((mask >> unit) & 1) != 0; };
    std::array<std::size_t, parts> places = {};
    std::size_t filled = 0;
    for (std::size_t i = 0; i < units; ++i) {
        std::size_t start = 0;
        for (std::size_t unit = 0; unit < order[i]; ++unit) start += is_pair(unit) ? 2 : 1;
        places[filled++] = start;
        if (is_pair(order[i])) places[filled++] = start + 1;
    }
    return places;
}

/// A callable that is given the parts of a call and passes them on in another order.
template <class F, class Places>
struct Ordered;
template <class F, std::size_t... I>
struct Ordered<F, std::index_sequence<I...>> {
    template <class... A, class G = F>
    auto operator()(A &&...) const -> std::invoke_result_t<const G &, std::tuple_element_t<I, std::tuple<A &&...>>...>;
};

// --- readings -------------------------------------------------------------------------------------

/// What the spec declares: the items of the result, and whether the call's own value is a status, which `raises` takes away.
template <bool is_status, class... D>
struct Gives {};

template <class Parts>
constexpr bool has_forms = false;
template <class... P>
constexpr bool has_forms<std::tuple<P...>> = (... || (std::is_same_v<typename P::Asked, SomeText> || std::is_same_v<typename P::Asked, SomeBytes> ||
                                                       std::is_same_v<typename P::Asked, SomeAddress>));

template <class In>
constexpr bool is_consumed_in = false;
template <class T>
constexpr bool is_consumed_in<TakenIn<T>> = true;

/// The check of a call whose value is no status.
struct Unchecked {
    template <class V>
    void operator()(const V &) const {}
};

template <class D>
struct OutPart {
    using Asked = AnyOut<typename OutTypes<D>::type> &;
};

/// The reading in which the arguments of `mask` bring a length, `D` are out-parameters, and the units have order `k`.
template <class F, std::size_t handles, class Ins, class Outs, std::size_t mask, std::size_t k>
struct Reading;
template <class F, std::size_t handles, class... In, class... D, std::size_t mask, std::size_t k>
struct Reading<F, handles, Types<In...>, Types<D...>, mask, k> {
    static constexpr std::size_t outs = sizeof...(D);

    template <std::size_t... I>
    static auto parts(std::index_sequence<I...>, In &&...in) {
        return std::tuple_cat(parts_of(std::move(in), std::bool_constant<((mask >> I) & 1) != 0>())...);
    }
    using Parts = decltype(parts(std::index_sequence_for<In...>(), std::declval<In>()...));
    static constexpr std::size_t given = std::tuple_size_v<Parts>;

    template <std::size_t... I>
    static auto places(std::index_sequence<I...>) {
        constexpr auto all = places_of<given + outs>(order_of<handles, sizeof...(In) - handles, outs>(k), mask);
        return std::index_sequence<all[I]...>();
    }
    using Places = decltype(places(std::make_index_sequence<given + outs>()));
    using Whole = Ordered<F, Places>;

    template <class... P>
    static auto types(const std::tuple<P...> *) {
        if constexpr (has_forms<Parts>)
            return settle<Whole, typename P::Asked..., typename OutPart<D>::Asked...>();
        else
            return Given<typename P::Asked..., typename OutPart<D>::Asked...>();
    }
    using Asked = decltype(types(static_cast<Parts *>(nullptr)));

    template <class... A>
    static auto value(Given<A...>) {
        if constexpr (std::is_invocable_v<Whole, A...>) return Types<std::invoke_result_t<Whole, A...>>();
    }
    /// `Types` of the call's value; void where it does not compile.
    using Result = decltype(value(Asked()));

    /// How many units stand before the handle.
    static constexpr std::size_t place_of_handle() {
        constexpr auto order = order_of<handles, sizeof...(In) - handles, outs>(k);
        std::size_t place = 0;
        while (place < order.size() && order[place] != 0) ++place;
        return place;
    }
    static constexpr std::size_t handle_place = place_of_handle();

    /// Makes the call; gives what it writes and (with `uses_value`) its own value, as one thing or a tuple. The arguments are
    /// checked first, in their order; then comes what the call consumes.
    template <class UsesValue, class Check>
    static decltype(auto) call(UsesValue, const F &function, const Check &check, Parts &&parts) {
        return called<UsesValue::value>(function, check, parts, std::make_index_sequence<given>(), std::index_sequence_for<D...>(), Places());
    }

private:
    template <std::size_t j>
    using OutAt = std::tuple_element_t<j, std::tuple<D...>>;
    template <std::size_t j, class U>
    static OutSlot<OutAt<j>, U> slot(Types<U>);
    template <std::size_t j>
    using Slot = decltype(slot<j>(out_type<Whole, Asked, given + j>(typename OutTypes<OutAt<j>>::type())));

    template <bool uses_value, class Check, std::size_t... P, std::size_t... J, std::size_t... I>
    static decltype(auto) called(const F &function, const Check &check, [[maybe_unused]] Parts &parts, std::index_sequence<P...>,
                                 std::index_sequence<J...>, std::index_sequence<I...>) {
        using Arguments = std::tuple<decltype(std::get<P>(parts).template given<Whole, Asked, P>())...>;
        [[maybe_unused]] Arguments arguments{std::get<P>(parts).template given<Whole, Asked, P>()...};
        [[maybe_unused]] std::tuple<Slot<J>...> slots;
        const auto run = [&]() -> decltype(auto) { return function(passed<I>(arguments, slots)...); };
        using V = decltype(run());
        if constexpr (std::is_void_v<V> || (outs == 0 && std::is_same_v<Check, Unchecked>)) {
            if constexpr (outs == 0) return run();
            else return run(), all_of(std::get<J>(slots).take()...);
        } else {
            auto &&value = run();
            check(value);
            if constexpr (uses_value && outs == 0) return static_cast<V>(static_cast<V &&>(value));
            else if constexpr (uses_value) return std::tuple<decltype(std::get<J>(slots).take())..., V>(std::get<J>(slots).take()..., static_cast<V &&>(value));
            else return all_of(std::get<J>(slots).take()...);
        }
    }

    /// Argument `i` of the call, in the order of its parts.
    template <std::size_t i, class Arguments, class Slots>
    static decltype(auto) passed([[maybe_unused]] Arguments &arguments, [[maybe_unused]] Slots &slots) {
        if constexpr (i >= given) {
            auto &room = std::get<i - given>(slots).room();
            return Out<std::remove_reference_t<decltype(room)>>(room);
        } else {
            using A = std::tuple_element_t<i, Arguments>;
            if constexpr (is_consumed_in<std::decay_t<A>>) return std::get<i>(arguments).consumed();
            else return static_cast<A &&>(std::get<i>(arguments));
        }
    }

    static void all_of() {}
    template <class T>
    static T all_of(T &&only) { return std::forward<T>(only); }
    template <class T, class... Rest, class = std::enable_if_t<sizeof...(Rest) != 0>>
    static std::tuple<T, Rest...> all_of(T &&first, Rest &&...rest) { return {std::forward<T>(first), std::forward<Rest>(rest)...}; }
};

/// Where what a call gives comes from: out-parameters alone, or its value too.
template <class Reading, bool is_status, std::size_t items>
constexpr bool is_usable() {
    using Result = typename Reading::Result;
    if constexpr (std::is_void_v<Result>)
        return false;
    else if constexpr (Reading::outs == items)
        return items == 0 || is_status || std::is_same_v<Result, Types<void>>;
    else
        return !std::is_same_v<Result, Types<void>>;
}

/// The first `count` of a list.
template <std::size_t count, class List, class Taken = Types<>>
struct FirstOf {
    using type = Taken;
};
template <std::size_t count, class T, class... Rest, class... Taken>
struct FirstOf<count, Types<T, Rest...>, Types<Taken...>>
    : std::conditional_t<sizeof...(Taken) == count, FirstOf<0, Types<>, Types<Taken...>>, FirstOf<count, Types<Rest...>, Types<Taken..., T>>> {};

/// The orders of more units than these are not tried.
constexpr std::size_t most_orders = 200;

/// What a call comes to: `F` is a callable, `In` are its arguments, of which the first is the handle if `handles` is 1.
template <class F, std::size_t handles, class Declared, class... In>
struct Deduced;
template <class F, std::size_t handles, bool is_status, class... D, class... In>
struct Deduced<F, handles, Gives<is_status, D...>, In...> {
    static constexpr std::size_t items = sizeof...(D);

    // How many out-parameters there are: none, as many as items, or one less, where the call's value is the last.
    static constexpr std::size_t shapes = items == 0 ? 1 : items == 1 ? 2 : 3;
    static constexpr std::size_t outs_of(std::size_t shape) { return shape == 0 ? 0 : shape == 1 ? items : items - 1; }

    // Which arguments bring a length: none, all that can, or some.
    static constexpr std::size_t lengths = (std::size_t{0} + ... + (brings_length<In> ? 1 : 0));
    static constexpr std::size_t masks = lengths == 0 ? 1 : lengths > 3 ? 2 : std::size_t{1} << lengths;
    static constexpr std::size_t mask_of(std::size_t i) {
        constexpr bool brings[] = {brings_length<In>..., false};
        std::size_t chosen = i == 0 ? 0 : i == 1 ? (std::size_t{1} << lengths) - 1 : i - 1, mask = 0;
        for (std::size_t at = handles; at < sizeof...(In); ++at) {
            if (!brings[at]) continue;
            mask |= (chosen & 1) << at;
            chosen >>= 1;
        }
        return mask;
    }

    template <std::size_t shape, std::size_t mask, std::size_t k>
    using At = Reading<F, handles, Types<In...>, typename FirstOf<outs_of(shape), Types<D...>>::type, mask_of(mask), k>;
    template <class R>
    static constexpr bool usable = is_usable<R, is_status, items>();

    /// The reading with the handle first and the out-parameters last, as `Types`; none where none compiles.
    template <std::size_t i = 0>
    static auto first() {
        if constexpr (i == shapes * masks)
            return Types<>();
        else if constexpr (usable<At<i / masks, i % masks, 0>>)
            return Types<At<i / masks, i % masks, 0>>();
        else
            return first<i + 1>();
    }

    template <std::size_t shape, std::size_t mask, std::size_t... k>
    static auto others(std::index_sequence<k...>) {
        return typename Joined<Types<>, std::conditional_t<usable<At<shape, mask, k>>, Types<At<shape, mask, k>>, Types<>>...>::type();
    }
    template <std::size_t shape, std::size_t mask>
    static auto in_other_orders() {
        constexpr std::size_t count = count_orders(handles, sizeof...(In) - handles, outs_of(shape));
        return others<shape, mask>(std::make_index_sequence<count <= most_orders ? count : 1>());
    }
    template <std::size_t... i>
    static auto all(std::index_sequence<i...>) {
        return typename Joined<decltype(in_other_orders<i / masks, i % masks>())...>::type();
    }
    static auto found() {
        if constexpr (std::is_same_v<decltype(first()), Types<>>)
            return all(std::make_index_sequence<shapes * masks>());
        else
            return first();
    }
    using Found = decltype(found());

    template <class... R>
    static constexpr std::size_t count(Types<R...>) { return sizeof...(R); }
    static constexpr bool is_undecided = count(Found()) > 1;

    /// Whether it compiles with the handle after so many arguments.
    template <class... R>
    static constexpr bool is_there(std::size_t place, Types<R...>) {
        return (... || (R::handle_place == place));
    }
    static constexpr bool has_handle_at(std::size_t place) { return is_undecided && is_there(place, Found()); }

    /// Whether generated code calls it as it stands: the arguments in their order and nothing else; also where nothing compiles,
    /// which may be a macro's matter, and is the compiler's to explain.
    static constexpr bool is_plain = count(Found()) != 1 || std::is_same_v<Found, Types<At<0, 0, 0>>>;

    const F &function;
    std::tuple<In...> arguments;

    /// `check` throws for a status that is not fine.
    template <class Check = Unchecked>
    decltype(auto) call(const Check &check = Check()) && {
        return std::move(*this).call_as(Found(), std::index_sequence_for<In...>(), check);
    }

private:
    template <class R, std::size_t... I, class Check>
    decltype(auto) call_as(Types<R>, std::index_sequence<I...> in_order, const Check &check) && {
        return R::call(std::bool_constant<items != 0 && R::outs != items>(), function, check, R::parts(in_order, std::get<I>(std::move(arguments))...));
    }
};

template <std::size_t handles, class Declared, class F, class... In>
Deduced<F, handles, Declared, In...> deduced(const F &function, In &&...in) {
    return {function, std::tuple<In...>(std::move(in)...)};
}

/// Whether a handle's type says nothing of where it belongs.
template <class Inner>
constexpr bool is_untyped = std::is_same_v<Inner, void *> || std::is_same_v<Inner, const void *>;

/// A value whose type depends on a template's own parameters: what is not chosen there need not compile.
template <class..., class T>
T &late(T &value) {
    return value;
}

}  // namespace wg
