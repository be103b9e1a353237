// Readings of a call: the orders in which its parts can stand, whether one compiles, and the call itself.
// Static: the same for all packages. Included by generated C++ only.
//
// The units of a call are the handle, the other arguments and the out-parameters; bytes and the like can be two parts, an address and a
// length.
#ifndef WG_CALLS_ARGUMENT_ORDER_HPP
#define WG_CALLS_ARGUMENT_ORDER_HPP

#include <array>

#include "wg/base/explained.hpp"
#include "wg/calls/argument_candidates.hpp"

namespace wg {

// --- orders ---------------------------------------------------------------------------------------

/// How many orders there are of a handle (if there is one), arguments and out-parameters.
constexpr std::size_t count_orders(std::size_t handles, std::size_t arguments, std::size_t outs) {
    std::size_t count = handles == 0 ? 1 : arguments + 1;
    for (std::size_t i = 1; i <= outs; ++i) count = count * (handles + arguments + i) / i;
    return count;
}

/// The orders of more units than these are not tried.
constexpr std::size_t most_orders = 200;

/// The orders of the units; the first has the handle first and the out-parameters last. It is the only one where there are too many.
template <std::size_t handles, std::size_t arguments, std::size_t outs>
struct Orders {
    static constexpr std::size_t size = handles + arguments + outs;
    static constexpr std::size_t count = count_orders(handles, arguments, outs) <= most_orders ? count_orders(handles, arguments, outs) : 1;
    using Table = std::array<std::array<std::size_t, size>, count>;

    static constexpr Table made() {
        Table found = {};
        std::array<std::size_t, size> kinds = {};
        for (std::size_t i = 0; i < size; ++i) kinds[i] = i < handles ? 0 : i < handles + arguments ? 1 : 2;
        for (std::size_t k = 0; k < count; ++k) {
            if (k != 0) permute(kinds);
            std::size_t next[3] = {0, handles, handles + arguments};
            for (std::size_t i = 0; i < size; ++i) found[k][i] = next[kinds[i]]++;
        }
        return found;
    }
    static constexpr void permute(std::array<std::size_t, size> &kinds) {  // the next one
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
    static constexpr Table all = made();
};

template <class Orders, std::size_t k, std::size_t... I>
auto units_in_order(std::index_sequence<I...>) {
    return std::index_sequence<Orders::all[k][I]...>();
}
/// Order `k` as a type.
template <std::size_t handles, std::size_t arguments, std::size_t outs, std::size_t k>
using UnitsAt = decltype(units_in_order<Orders<handles, arguments, outs>, k>(std::make_index_sequence<handles + arguments + outs>()));

/// The places of a call's parts in an order of its units, some of which have several: `sizes` says how many.
template <std::size_t parts, std::size_t units>
constexpr std::array<std::size_t, parts> places_of(const std::array<std::size_t, units> &order, const std::array<std::size_t, units> &sizes) {
    std::array<std::size_t, parts> places = {};
    std::size_t filled = 0;
    for (std::size_t i = 0; i < units; ++i) {
        std::size_t start = 0;
        for (std::size_t unit = 0; unit < order[i]; ++unit) start += sizes[unit];
        for (std::size_t part = 0; part < sizes[order[i]]; ++part) places[filled++] = start + part;
    }
    return places;
}

/// A callable that is given the parts of a call and passes them on in another order.
template <class F, class Places>
struct Ordered;
template <class F, std::size_t... I>
struct Ordered<F, std::index_sequence<I...>> {
    /// What the call gives.
    template <class G, class... A>
    using Value = decltype(std::declval<const G &>()(std::declval<std::tuple_element_t<I, std::tuple<A &&...>>>()...));
    template <class... A, class G = F>
    auto operator()(A &&...) const -> decltype(static_cast<void>(std::declval<Value<G, A...> (*)()>()));
};

// --- readings -------------------------------------------------------------------------------------

/// Takes what the function of this name takes. A function-like macro is not expanded: it takes nothing.
#define WG_CALLABLE(...)                                                                                                    \
    wg::also_in_braces(                                                                                                     \
        [&](auto &&...wg_a) -> decltype(__VA_ARGS__ WG_NOT_EXPANDED(static_cast<decltype(wg_a)>(wg_a)...)) {                \
            return __VA_ARGS__ WG_NOT_EXPANDED(static_cast<decltype(wg_a)>(wg_a)...);                                       \
        },                                                                                                                  \
        []([[maybe_unused]] auto &&...wg_a) -> decltype(static_cast<void>(__VA_ARGS__ WG_NOT_EXPANDED({static_cast<decltype(wg_a)>(wg_a)}...))) {})

/// The same of a member of an object.
#define WG_CALLABLE_MEMBER(object, ...)                                                                                     \
    wg::on_object(object, wg::also_in_braces(                                                                               \
        [](auto &wg_o, auto &&...wg_a) -> decltype(wg_o.__VA_ARGS__ WG_NOT_EXPANDED(static_cast<decltype(wg_a)>(wg_a)...)) { \
            return wg_o.__VA_ARGS__ WG_NOT_EXPANDED(static_cast<decltype(wg_a)>(wg_a)...);                                  \
        },                                                                                                                  \
        []([[maybe_unused]] auto &wg_o, [[maybe_unused]] auto &&...wg_a)                                                    \
            -> decltype(static_cast<void>(wg_o.__VA_ARGS__ WG_NOT_EXPANDED({static_cast<decltype(wg_a)>(wg_a)}...))) {}))

/// A member of an object. The object is an argument of the call: clang++ 14 and 16 end with an error of their own where the type of a lambda's
/// result names a variable from outside, and callables in containers are arguments.
template <class T, class F>
struct OnObject {
    T &object;
    F call;
    template <class... A>
    auto operator()(A &&...given) const -> decltype(std::declval<const F &>()(std::declval<T &>(), static_cast<A &&>(given)...)) {
        return call(object, static_cast<A &&>(given)...);
    }
};
template <class T, class F>
struct InBraces<OnObject<T, F>> {
    template <class Probe>
    struct On {
        using type = OnObject<T, Probe>;
    };
    using type = typename std::conditional_t<std::is_void_v<typename InBraces<F>::type>, InBraces<F>, On<typename InBraces<F>::type>>::type;
};
namespace hidden {  // from argument-dependent lookup: a library may have a function of this name
template <class T, class F>
OnObject<T, F> on_object(T &object, F call) {
    return {object, call};
}
}  // namespace hidden
using namespace hidden;

/// What the spec declares: the items of the result, and whether the call's own value is a status, which is none of them: true, false, or
/// `untold<U>` where the type of the value tells that to `U` (wg/errors/statuses.hpp).
template <auto is_status, class... D>
struct Gives {};
template <class U>
constexpr U *untold = nullptr;

template <auto is_status>
constexpr bool is_surely_status() {
    if constexpr (std::is_same_v<std::remove_cv_t<decltype(is_status)>, bool>) return is_status;
    else return false;
}
/// Whether a call that returns what `Types` has gives a status beside what it writes.
template <auto is_status, class V>
constexpr bool gives_status(Types<V>) {
    if constexpr (std::is_same_v<std::remove_cv_t<decltype(is_status)>, bool>) return is_status;
    else return std::remove_pointer_t<decltype(is_status)>::template is_status<V>;
}

template <class Asked>
constexpr bool has_forms = std::is_same_v<Asked, SomeText> || std::is_same_v<Asked, SomeBytes> || std::is_same_v<Asked, SomeAddress> ||
                           is_maybe<Asked> || is_number_or_address<Asked>;

template <class In>
constexpr bool is_consumed_in = false;
template <class T>
constexpr bool is_consumed_in<TakenIn<T>> = true;

/// The check of a call whose value is no status.
struct Unchecked {
    template <class... V>
    void operator()(const V &...) const {}
};

/// The check of a call whose value may be a status, if it is no item of the result.
template <class Check>
struct UntoldCheck {
    Check check;
    template <class V, class... Slots>
    decltype(auto) operator()(const V &value, Slots &...slots) const {
        return check(value, slots...);
    }
};
namespace hidden {  // from argument-dependent lookup: a library may have a function of this name
template <class Check>
UntoldCheck<Check> untold_check(Check check) {
    return {check};
}
}  // namespace hidden
template <class Check>
constexpr bool is_untold_check = false;
template <class Check>
constexpr bool is_untold_check<UntoldCheck<Check>> = true;

template <class D>
struct OutPart {
    using Asked = AnyOut<AllOutTypes<D>> &;
};

template <class D, class U>
struct OutPart<Pointer<D, U>> {
    using Asked = U *const &;
};
template <class D>
constexpr bool is_pointer_out = false;
template <class D, class U>
constexpr bool is_pointer_out<Pointer<D, U>> = true;

/// What arguments are where those of `mask` bring a length: by the types of their parts, and how many parts each is.
template <class Places, std::size_t mask, class... In>
struct SplitInto;
template <std::size_t... I, std::size_t mask, class... In>
struct SplitInto<std::index_sequence<I...>, mask, In...> {
    template <class... P, std::size_t... p>
    static Types<P...> types(const PackOf<std::index_sequence<p...>, P...> &);
    static auto of(Pack<In...> &in) { return packs::joined(parts_of(std::move(packs::at<I>(in)), std::bool_constant<((mask >> I) & 1) != 0>())...); }
    using Parts = decltype(types(of(std::declval<Pack<In...> &>())));
    template <std::size_t... O>
    static constexpr std::array<std::size_t, sizeof...(In) + sizeof...(O)> sizes(std::index_sequence<O...>) {
        return {decltype(parts_of(std::declval<In>(), std::bool_constant<((mask >> I) & 1) != 0>()))::size..., (O * 0 + 1)...};
    }
};
/// Without a length, they are these parts themselves.
template <std::size_t... I, class... In>
struct SplitInto<std::index_sequence<I...>, 0, In...> {
    static Pack<In...> &of(Pack<In...> &in) { return in; }
    using Parts = Types<In...>;
};

/// The reading in which the arguments of `mask` bring a length, `D` are out-parameters, and the units stand in this order.
template <class F, class Ins, class Outs, std::size_t mask, class Units>
struct Reading;
template <class F, class... In, class... D, std::size_t mask, std::size_t... unit>
struct Reading<F, Types<In...>, Types<D...>, mask, std::index_sequence<unit...>> {
    using Function = F;
    static constexpr std::size_t outs = sizeof...(D);
    static constexpr std::size_t lengths = mask;
    using Units = std::index_sequence<unit...>;

    using Split = SplitInto<std::index_sequence_for<In...>, mask, In...>;
    template <class... P>
    static constexpr std::size_t count(Types<P...>) { return sizeof...(P); }
    static constexpr std::size_t given = count(typename Split::Parts());

    template <std::size_t... I>
    static auto places(std::index_sequence<I...>) {
        constexpr std::array<std::size_t, sizeof...(unit)> order = {unit...};
        constexpr auto all = places_of<given + outs>(order, Split::sizes(std::make_index_sequence<outs>()));
        return std::index_sequence<all[I]...>();
    }
    static auto places() {
        if constexpr (given == sizeof...(In))
            return Units();
        else
            return places(std::make_index_sequence<given + outs>());
    }
    using Places = decltype(places());
    using Whole = Ordered<F, Places>;

    template <class... P>
    static auto types(Types<P...>) {
        if constexpr ((has_forms<typename P::Asked> || ...))
            return settle<Whole, typename P::Asked..., typename OutPart<D>::Asked...>();
        else
            return Given<typename P::Asked..., typename OutPart<D>::Asked...>();
    }
    using Asked = decltype(types(typename Split::Parts()));

    template <class... A>
    static auto value(Given<A...>) {
        if constexpr (TakesAll<Whole, void, A...>::value) return Types<typename Whole::template Value<F, A...>>();
    }
    /// `Types` of the call's value; void where it does not compile.
    using Result = decltype(value(Asked()));

    /// How many units stand before the first, which is the handle.
    static constexpr std::size_t place_of_handle() {
        constexpr std::size_t order[] = {unit..., 0};
        std::size_t place = 0;
        while (order[place] != 0) ++place;
        return place;
    }

    /// Where an item of the result is after the call: a part of the arguments, or (behind them all) a slot.
    static constexpr std::size_t source_of(std::size_t of) {
        if (of >= sizeof...(In)) return given + (of - sizeof...(In));
        std::size_t source = of;
        for (std::size_t i = 0; i < of; ++i) source += (mask >> i) & 1;
        return source;
    }

    /// Whether the length that argument `i` brings could be another value: what follows a text, and what has a default.
    template <std::size_t i>
    static constexpr bool guesses_length_of() {
        if constexpr (((mask >> i) & 1) == 0)
            return false;
        else
            return is_text_in<InAt<i>> || (is_row_in<InAt<i>> && compiles_until<i>(Places()));
    }
    template <std::size_t... I>
    static constexpr bool guesses([[maybe_unused]] std::index_sequence<I...>) {
        return (... || guesses_length_of<I>());
    }
    static constexpr bool guesses_lengths() { return guesses(std::index_sequence_for<In...>()); }
    /// The first argument whose length is a guess.
    template <std::size_t i = 0>
    static constexpr std::size_t first_guess() {
        if constexpr (guesses_length_of<i>()) return i;
        else return first_guess<i + 1>();
    }

    /// Makes the call; gives the `items` that it writes, by their units, and (with `uses_value`) its own value, as one thing or a tuple.
    /// The arguments are checked first, in their order; then comes what the call consumes.
    template <bool uses_value, class Check, std::size_t... items>
    static decltype(auto) call(const F &function, const Check &check, Pack<In...> &arguments, std::index_sequence<items...>) {
        const auto with = [&](const auto &checked) -> decltype(auto) {
            return called<uses_value>(function, checked, Split::of(arguments), std::make_index_sequence<given>(), std::make_index_sequence<outs>(),
                                      std::index_sequence<source_of(items)...>(), Places());
        };
        if constexpr (uses_value && is_untold_check<Check>) return with(Unchecked());
        else return with(check);
    }

    template <std::size_t... J>
    static auto outs_of(std::index_sequence<J...>) {
        return std::index_sequence<sizeof...(In) + J...>();
    }
    /// The units of all out-parameters.
    using Outs = decltype(outs_of(std::index_sequence_for<D...>()));

private:
    template <std::size_t j>
    using OutAt = std::tuple_element_t<j, std::tuple<D...>>;
    template <std::size_t i>
    using InAt = std::tuple_element_t<i, std::tuple<In...>>;

    /// Where a part stands in the call.
    template <std::size_t... I>
    static constexpr std::size_t place_of(std::size_t part, std::index_sequence<I...>) {
        constexpr std::size_t all[] = {I...};
        std::size_t place = 0;
        while (all[place] != part) ++place;
        return place;
    }
    template <std::size_t... I, std::size_t... first>
    static auto first_of(std::index_sequence<I...>, std::index_sequence<first...>) {
        constexpr std::size_t all[] = {I...};
        return std::index_sequence<all[first]...>();
    }
    /// Whether the call ends with the address of argument `i` where C++ adds its defaults.
    template <std::size_t i, std::size_t... I>
    static constexpr bool compiles_until(std::index_sequence<I...> all) {
        constexpr std::size_t count = place_of(source_of(i), all) + 1;
        return is_taken_by<Ordered<F, decltype(first_of(all, std::make_index_sequence<count>()))>>(Asked());
    }

    template <std::size_t j, class U>
    static OutSlot<OutAt<j>, U> slot(Types<U>);
    template <std::size_t j>
    using Slot = decltype(slot<j>(out_type<Whole, Asked, given + j>(AllOutTypes<OutAt<j>>())));
    template <std::size_t... j>
    static Pack<Slot<j>...> slots_of(std::index_sequence<j...>);
    using Slots = decltype(slots_of(std::index_sequence_for<D...>()));

    template <bool uses_value, class Check, class Parts, std::size_t... P, std::size_t... O, std::size_t... J, std::size_t... I>
    static decltype(auto) called(const F &function, const Check &of_status, [[maybe_unused]] Parts &&parts, std::index_sequence<P...>,
                                 std::index_sequence<O...>, std::index_sequence<J...>, std::index_sequence<I...>) {
        using Arguments = Pack<decltype(packs::at<P>(parts).template given<Whole, Asked, P>())...>;
        [[maybe_unused]] Arguments arguments{{packs::at<P>(parts).template given<Whole, Asked, P>()}...};
        [[maybe_unused]] Slots slots;
        if constexpr ((may_leave<PackedAt<P, Arguments>> || ...) || (may_leave<PackedAt<O, Slots>> || ...)) static_cast<void>(&leaves_written<F>);
        [[maybe_unused]] const auto check = [&](const auto &...value) -> decltype(auto) {  // a handle that was made may say more
            return of_status(value..., packs::at<O>(slots)...);
        };
        const auto run = [&]() -> decltype(auto) { return function(passed<I>(arguments, slots)...); };
        using V = decltype(run());
        WG_EXPLAINED_READING(F, Reading, V, decltype(passed<I>(arguments, slots))...)
        constexpr std::size_t written = sizeof...(J);
        if constexpr (std::is_void_v<V>) {
            run();
            if constexpr (std::is_invocable_v<const Check &>) check();
            (finish<P>(arguments), ...);
            return all_of(item<J>(arguments, slots)...);
        } else if constexpr (written == 0 && std::is_same_v<Check, Unchecked> && !(is_written<PackedAt<P, Arguments>> || ...)) {
            return run();
        } else {
            auto &&value = run();
            if constexpr (std::is_same_v<decltype(check(value)), bool>) {
                const auto written_now = [&] {
                    (finish<P>(arguments), ...);
                    if constexpr (uses_value && written != 0)
                        return std::tuple<decltype(item<J>(arguments, slots))..., V>(item<J>(arguments, slots)..., static_cast<V &&>(value));
                    else
                        return all_of(item<J>(arguments, slots)...);
                };
                using Written = decltype(written_now());
                return check(value) ? std::optional<Written>() : std::optional<Written>(written_now());
            } else {
                check(value);
                (finish<P>(arguments), ...);
                if constexpr (uses_value && written == 0)
                    return static_cast<V>(static_cast<V &&>(value));
                else if constexpr (uses_value)
                    return std::tuple<decltype(item<J>(arguments, slots))..., V>(item<J>(arguments, slots)..., static_cast<V &&>(value));
                else
                    return all_of(item<J>(arguments, slots)...);
            }
        }
    }

    /// What the call has left for one item of the result.
    template <std::size_t source, class Arguments>
    static auto item([[maybe_unused]] Arguments &arguments, [[maybe_unused]] Slots &slots) {
        if constexpr (source >= given)
            return packs::at<source - given>(slots).take();
        else
            return packs::at<source>(arguments).take();
    }

    /// Sets the sizes of buffers to how much was written.
    template <std::size_t i, class Arguments>
    static void finish([[maybe_unused]] Arguments &arguments) {
        if constexpr (is_written<PackedAt<i, Arguments>>) packs::at<i>(arguments).finish();
    }

    /// Argument `i` of the call, in the order of its parts.
    template <std::size_t i, class Arguments>
    static decltype(auto) passed([[maybe_unused]] Arguments &arguments, [[maybe_unused]] Slots &slots) {
        if constexpr (i >= given) {
            auto &room = packs::at<i - given>(slots).room();
            if constexpr (is_pointer_out<OutAt<i - given>>)
                return &room;
            else
                return Out<std::remove_reference_t<decltype(room)>>(room);
        } else {
            using A = PackedAt<i, Arguments>;
            if constexpr (is_written<A>) return Out<decltype(A::value)>(packs::at<i>(arguments).value);
            else if constexpr (is_consumed_in<std::decay_t<A>>) return packs::at<i>(arguments).consumed();
            else return static_cast<A &&>(packs::at<i>(arguments));
        }
    }

    static void all_of() {}
    template <class T>
    static T all_of(T &&only) { return std::forward<T>(only); }
    template <class T, class... Rest, class = std::enable_if_t<sizeof...(Rest) != 0>>
    static std::tuple<T, Rest...> all_of(T &&first, Rest &&...rest) { return {std::forward<T>(first), std::forward<Rest>(rest)...}; }
};

/// Whether a call gives what is declared: by so many out-parameters alone, or by its value too.
template <class Reading, auto is_status, std::size_t items, std::size_t written>
constexpr bool is_usable() {
    using Result = typename Reading::Result;
    if constexpr (std::is_void_v<Result>)
        return false;
    else if constexpr (written == items)
        return items == 0 || gives_status<is_status>(Result()) || std::is_same_v<Result, Types<void>>;
    else
        return !std::is_same_v<Result, Types<void>>;
}

/// The same of one that guesses no length.
template <class Reading, auto is_status, std::size_t items, std::size_t written>
constexpr bool is_decided() {
    if constexpr (is_usable<Reading, is_status, items, written>())
        return !Reading::guesses_lengths();
    else
        return false;
}

/// The first `count` of a list.
template <std::size_t count, class List, class Taken = Types<>>
struct FirstOf {
    using type = Taken;
};
template <std::size_t count, class T, class... Rest, class... Taken>
struct FirstOf<count, Types<T, Rest...>, Types<Taken...>>
    : std::conditional_t<sizeof...(Taken) == count, FirstOf<0, Types<>, Types<Taken...>>, FirstOf<count, Types<Rest...>, Types<Taken..., T>>> {};

/// Which arguments bring a length: none, all that can, or some. `all`: also where the spec would have to ask for it.
template <bool all, class... In>
struct LengthsOf {
    template <class T>
    static constexpr bool brings = all ? can_have_length<T> : brings_length<T>;
    static constexpr std::size_t count = (std::size_t{0} + ... + (brings<In> ? 1 : 0));
    static constexpr std::size_t masks = count == 0 ? 1 : count > 3 ? 2 : std::size_t{1} << count;

    static constexpr std::size_t mask_of(std::size_t i) {
        constexpr bool can_bring[] = {brings<In>..., false};
        std::size_t chosen = i == 0 ? 0 : i == 1 ? (std::size_t{1} << count) - 1 : i - 1, mask = 0;
        for (std::size_t at = 0; at < sizeof...(In); ++at) {
            if (!can_bring[at]) continue;
            mask |= (chosen & 1) << at;
            chosen >>= 1;
        }
        return mask;
    }
};
template <class... In>
using Lengths = LengthsOf<false, In...>;
template <class... In>
using AllLengths = LengthsOf<true, In...>;

}  // namespace wg

#endif  // WG_CALLS_ARGUMENT_ORDER_HPP
