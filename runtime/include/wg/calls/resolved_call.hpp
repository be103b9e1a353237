// Calls whose arguments C++ puts in order: where a handle and the out-parameters stand, and which arrays bring their length.
// Static: the same for all packages. Included by generated C++ only.
//
// Arguments and out-parameters keep their own order. The reading with the handle first and the out-parameters last wins where it
// compiles; otherwise just one reading may. Only types are looked at, nothing is called.
#ifndef WG_CALLS_RESOLVED_CALL_HPP
#define WG_CALLS_RESOLVED_CALL_HPP

#include "wg/calls/addressed.hpp"
#include "wg/calls/order_search.hpp"

namespace wg {

/// Stands for the reading in which the arguments stand as they are given, and the call's value is the result.
struct AtOnce {};

template <class F, class... A>
constexpr bool gives_value(Given<A...>) {
    if constexpr (TakesAll<Ordered<F, std::index_sequence_for<A...>>, void, A...>::value)
        return !std::is_void_v<decltype(std::declval<const F &>()(std::declval<A>()...))>;
    else
        return false;
}
/// Whether this is so: asked first, since it takes a fraction of the compiler's time that other readings take.
template <class F, class... Asked>
constexpr bool gives_at_once = gives_value<F>(decltype(settle<Ordered<F, std::index_sequence_for<Asked...>>, Asked...>())());

/// Whether what may be missing goes in as an optional value, which generated code has, rather than as an address.
template <class F, class... Asked>
constexpr bool takes_as_it_is() {
    using Whole = Ordered<F, std::index_sequence_for<Asked...>>;
    if constexpr ((is_maybe<Asked> || ...))
        return is_taken_by<Whole>(decltype(settle<Whole, typename AsOptional<Asked>::type...>())());
    else
        return true;
}

/// What a call comes to: `F` is a callable, `In` are its arguments, of which the first is the handle if `handles` is 1.
template <class F, std::size_t handles, class Declared, class... In>
struct Deduced;
template <class F, std::size_t handles, auto is_status, class... D, class... In>
struct Deduced<F, handles, Gives<is_status, D...>, In...> {
    static constexpr std::size_t items = sizeof...(D);

    // How many out-parameters there are: none, as many as items, or one less, where the call's value is the last.
    static constexpr std::size_t shapes = items == 0 ? 1 : items == 1 ? 2 : 3;
    static constexpr std::size_t outs_of(std::size_t shape) { return shape == 0 ? 0 : shape == 1 ? items : items - 1; }

    static constexpr std::size_t masks = Lengths<In...>::masks;

    template <std::size_t shape, std::size_t mask, std::size_t k>
    using At = Reading<F, Types<In...>, typename FirstOf<outs_of(shape), Types<D...>>::type, Lengths<In...>::mask_of(mask),
                       UnitsAt<handles, sizeof...(In) - handles, outs_of(shape), k>>;
    template <class R>
    static constexpr bool usable = is_decided<R, is_status, items, R::outs>();

    /// Whether the handle could be taken for a number: its place tells nothing then.
    static constexpr bool is_number() {
        if constexpr (handles == 0)
            return false;
        else
            return is_number_like<std::decay_t<typename std::tuple_element_t<0, std::tuple<In...>>::Asked>>;
    }

    template <std::size_t shape, std::size_t mask>
    using Search = OrderSearch<F, handles, Types<In...>, typename FirstOf<outs_of(shape), Types<D...>>::type, Lengths<In...>::mask_of(mask)>;

    /// Whether the reading in an order is usable. What does not compile is no reading yet: to ask for the call alone takes the compiler a
    /// fraction of the time.
    template <std::size_t shape, std::size_t mask, std::size_t k>
    static constexpr bool is_usable_in() {
        if constexpr (Search<shape, mask>::template compiles_in<k>)
            return usable<At<shape, mask, k>>;
        else
            return false;
    }
    template <std::size_t shape, std::size_t mask, std::size_t... k>
    static auto others(std::index_sequence<k...>) {
        return typename Joined<Types<>, std::conditional_t<is_usable_in<shape, mask, k>(), Types<At<shape, mask, k>>, Types<>>...>::type();
    }
    template <std::size_t shape, std::size_t mask>
    static auto in_other_orders() {
        return others<shape, mask>(typename Search<shape, mask>::Possible());
    }

    /// The reading with the handle first and the out-parameters last, as `Types`; none where none compiles. Where the handle is a
    /// number, with those that have it elsewhere.
    template <std::size_t i = 0>
    static auto first() {
        if constexpr (i == shapes * masks)
            return Types<>();
        else if constexpr (!is_usable_in<i / masks, i % masks, 0>())
            return first<i + 1>();
        else if constexpr (is_number())
            return in_other_orders<i / masks, i % masks>();
        else
            return usual<i / masks, i % masks>();
    }
    /// The reading in the usual order; two where the call also compiles if it writes every item, and its value is thrown away: by an
    /// overload, or a default.
    template <std::size_t shape, std::size_t mask>
    static auto usual() {
        if constexpr (shape != 2)
            return Types<At<shape, mask, 0>>();
        else if constexpr (Search<1, mask>::template compiles_in<0>)
            return Types<At<2, mask, 0>, At<1, mask, 0>>();
        else
            return Types<At<2, mask, 0>>();
    }

    template <std::size_t... i>
    static auto all(std::index_sequence<i...>) {
        return typename Joined<decltype(in_other_orders<i / masks, i % masks>())...>::type();
    }
    static auto found() {
        if constexpr (handles == 0 && items == 1 && !is_surely_status<is_status>() && gives_at_once<F, typename In::Asked...>)
            return Types<AtOnce>();
        else if constexpr (std::is_same_v<decltype(first()), Types<>>)
            return all(std::make_index_sequence<shapes * masks>());
        else
            return first();
    }
    /// The readings; where there are none, those in which the address of a value goes in.
    static auto found_somehow() {
        using Direct = decltype(found());
        if constexpr (!std::is_same_v<Direct, Types<>>)
            return Direct();
        else if constexpr (may_address<F, In...>)
            return typename Deduced<Addressing<F, AllValuesOf<In...>>, handles, Gives<is_status, D...>, In...>::Readings();
        else
            return Types<>();
    }
    using Found = decltype(found_somehow());

    /// The reading that would compile if lengths were guessed, as `Types`; asked where none compiles without.
    template <std::size_t i = 0>
    static auto first_guess() {
        using All = AllLengths<In...>;
        if constexpr (i == shapes * All::masks) {
            return Types<>();
        } else {
            using R = Reading<F, Types<In...>, typename FirstOf<outs_of(i / All::masks), Types<D...>>::type, All::mask_of(i % All::masks),
                              UnitsAt<handles, sizeof...(In) - handles, outs_of(i / All::masks), 0>>;
            if constexpr (is_usable<R, is_status, items, R::outs>())
                return Types<R>();
            else
                return first_guess<i + 1>();
        }
    }
    static auto guess() {
        if constexpr (std::is_same_v<Found, Types<>>)
            return first_guess();
        else
            return Types<>();
    }
    using Guess = decltype(guess());

    template <class... R>
    static constexpr std::size_t count(Types<R...>) { return sizeof...(R); }
    /// The reading that would compile if lengths stood before their addresses, as `Types`; none where another one compiles.
    template <std::size_t i = 0>
    static auto with_lengths_before() {
        using All = AllLengths<In...>;
        if constexpr (count(Found()) != 0 || i == shapes * All::masks) {
            return Types<>();
        } else {
            constexpr std::size_t mask = All::mask_of(i % All::masks);
            using Outs = typename FirstOf<outs_of(i / All::masks), Types<D...>>::type;
            using Usual = Reading<F, Types<In...>, Outs, mask, UnitsAt<handles, sizeof...(In) - handles, outs_of(i / All::masks), 0>>;
            if constexpr (mask != 0) {
                using Other = decltype(with_lengths_first<F, Usual>(std::make_index_sequence<Usual::given + Usual::outs>()));
                using Turned = Reading<Other, Types<In...>, Outs, mask, typename Usual::Units>;
                if constexpr (is_usable<Turned, is_status, items, Turned::outs>()) return Types<Turned>();
                else return with_lengths_before<i + 1>();
            } else {
                return with_lengths_before<i + 1>();
            }
        }
    }

    static constexpr bool blames() {
        if constexpr (std::is_same_v<Guess, Types<>>) return blames_an_argument<F, Deduced>();
        else return shows_guess(Guess());
    }
    template <std::size_t... i>
    static constexpr std::size_t sum_asked(std::index_sequence<i...>) {
        return (std::size_t{0} + ... + Search<i / masks, i % masks>::asked_for);
    }
    /// How many calls the compiler was asked for, where the usual order is not the one.
    static constexpr std::size_t asked_for() {
        if constexpr (handles == 0 && items == 1 && !is_surely_status<is_status>() && gives_at_once<F, typename In::Asked...>) return 0;
        else if constexpr (std::is_same_v<decltype(first()), Types<>>) return sum_asked(std::make_index_sequence<shapes * masks>());
        else return 0;
    }

    /// Of most calls the usual order is the only one: nothing more is asked of those.
    static constexpr bool has_doubts() {
        if constexpr (std::is_same_v<Found, Types<AtOnce>> || std::is_same_v<Found, Types<At<0, 0, 0>>>) return false;
        else return warns_of<F, asked_for()>(Found()) || shows_readings(Found()) || shows_lengths<F>(decltype(with_lengths_before())()) || blames();
    }
    static constexpr bool is_undecided = has_doubts();
    static constexpr bool compiles = count(Found()) == 1;

    /// Whether it compiles with the handle after so many arguments.
    template <class... R>
    static constexpr bool is_there([[maybe_unused]] std::size_t place, Types<R...>) {
        return (... || (R::place_of_handle() == place));
    }
    static constexpr bool has_handle_at(std::size_t place) { return is_undecided && is_there(place, Found()); }

    template <class... R>
    static Types<R...> readings(Types<R...>);
    static Types<At<0, 0, 0>> readings(Types<AtOnce>);
    using Readings = decltype(readings(Found()));

    // What it comes to with other arguments, or out-parameters.
    using Ins = Types<In...>;
    using Written = Types<D...>;
    template <class... Others>
    static typename Deduced<F, handles, Gives<is_status, D...>, Others...>::Readings with(Types<Others...>);
    template <class List>
    using With = decltype(with(List()));
    template <class... Others>
    static typename Deduced<F, handles, Gives<is_status, Others...>, In...>::Readings writing(Types<Others...>);
    template <class List>
    using Writing = decltype(writing(List()));

    static constexpr bool is_plain_form(Types<AtOnce>) { return true; }
    template <class R>
    static constexpr bool is_plain_form(Types<R>) { return std::is_same_v<R, At<0, 0, 0>>; }
    static constexpr bool is_plain_form(...) { return true; }
    /// Whether generated code calls it as it stands: the arguments in their order and nothing else; also where nothing compiles,
    /// which may be a macro's matter, and is the compiler's to explain.
    static constexpr bool is_plain = is_plain_form(Found()) && (count(Found()) != 1 || takes_as_it_is<F, typename In::Asked...>());

    /// Whether the call writes what it gives.
    template <class R>
    static constexpr bool has_outs(Types<R>) { return R::outs != 0; }
    static constexpr bool has_outs(Types<AtOnce>) { return false; }
    static constexpr bool has_outs(...) { return false; }
    static constexpr bool writes = has_outs(Found());

    const F &function;
    Pack<In...> arguments;

    /// `check` throws for a status that is not fine; it may give true for one that means that there is no result.
    template <class Check = Unchecked>
    decltype(auto) call(const Check &check = Check()) && {
        return std::move(*this).call_as(Readings(), check);
    }

private:
    template <class R, class Check>
    decltype(auto) call_as(Types<R>, const Check &check) && {
        constexpr bool uses_value = items != 0 && R::outs != items;
        return R::template call<uses_value>(called_as<typename R::Function>(function), check, arguments, typename R::Outs());
    }
};

/// Whether a call compiles, and its value is an address.
template <class Result>
constexpr bool is_address_type = false;
template <class V>
constexpr bool is_address_type<Types<V>> = std::is_pointer_v<V>;
template <class R>
constexpr bool gives_address(Types<R>) { return is_address_type<typename R::Result>; }
constexpr bool gives_address(...) { return false; }
template <class Found>
constexpr bool returns_address = gives_address(typename Found::Readings());

template <std::size_t handles, class Declared, class F, class... In>
Deduced<F, handles, Declared, In...> deduced(const F &function, In &&...in) {
    return {function, {{std::move(in)}...}};
}

template <std::size_t... unit>
using Units = std::index_sequence<unit...>;

/// A call whose order the spec says: `Outs` are out-parameters, `Order` are its units in C's order, and `Items` those that the items
/// of the result are read from. An array brings its length where the call has one.
template <class F, class Declared, class Outs, class Order, class Items, class... In>
struct Stated;
template <class F, auto is_status, class... D, class Outs, class Order, std::size_t... item, class... In>
struct Stated<F, Gives<is_status, D...>, Outs, Order, Units<item...>, In...> {
    static constexpr std::size_t written = sizeof...(item);

    template <class Written, std::size_t mask>
    using At = Reading<F, Types<In...>, Written, Lengths<In...>::mask_of(mask), Order>;

    template <class Written, std::size_t mask = 0>
    static auto found_with() {
        if constexpr (mask == Lengths<In...>::masks)
            return Types<>();
        else if constexpr (is_decided<At<Written, mask>, is_status, sizeof...(D), written>())
            return Types<At<Written, mask>>();
        else
            return found_with<Written, mask + 1>();
    }
    static auto found() {
        using Pointers = typename AsPointers<Outs>::type;
        if constexpr (std::is_same_v<Pointers, Outs> || std::is_same_v<decltype(found_with<Pointers>()), Types<>>)
            return found_with<Outs>();  // by reference
        else
            return found_with<Pointers>();
    }
    /// The reading; where there is none, that in which the address of a value goes in.
    static auto found_somehow() {
        using Direct = decltype(found());
        if constexpr (!std::is_same_v<Direct, Types<>>)
            return Direct();
        else if constexpr (may_address<F, In...>)
            return typename Stated<Addressing<F, AllValuesOf<In...>>, Gives<is_status, D...>, Outs, Order, Units<item...>, In...>::Found();
        else
            return Types<>();
    }
    using Found = decltype(found_somehow());

    /// The reading that would compile if lengths were guessed, as `Types`; asked where none compiles without.
    template <std::size_t mask = 0>
    static auto first_guess() {
        using R = Reading<F, Types<In...>, Outs, AllLengths<In...>::mask_of(mask), Order>;
        if constexpr (mask == AllLengths<In...>::masks || !std::is_same_v<Found, Types<>>)
            return Types<>();
        else if constexpr (is_usable<R, is_status, sizeof...(D), written>())
            return Types<R>();
        else
            return first_guess<mask + 1>();
    }
    using Guess = decltype(first_guess());
    static constexpr bool blames() {
        if constexpr (std::is_same_v<Guess, Types<>>) return blames_an_argument<F, Stated>();
        else return shows_guess(Guess());
    }
    static constexpr bool compiles = !std::is_same_v<Found, Types<>> || blames();

    // What it comes to with other arguments, or out-parameters.
    using Ins = Types<In...>;
    using Written = Outs;
    template <class... Others>
    static typename Stated<F, Gives<is_status, D...>, Outs, Order, Units<item...>, Others...>::Found with(Types<Others...>);
    template <class List>
    using With = decltype(with(List()));
    template <class List>
    using Writing = typename Stated<F, Gives<is_status, D...>, List, Order, Units<item...>, In...>::Found;

    const F &function;
    Pack<In...> arguments;

    template <class Check = Unchecked>
    decltype(auto) call(const Check &check = Check()) && {
        return std::move(*this).call_as(Found(), check);
    }

private:
    template <class R, class Check>
    decltype(auto) call_as(Types<R>, const Check &check) && {
        constexpr bool uses_value = written != sizeof...(D);
        return R::template call<uses_value>(called_as<typename R::Function>(function), check, arguments, Units<item...>());
    }
};

template <class Declared, class Outs, class Order, class Items, class F, class... In>
Stated<F, Declared, Outs, Order, Items, In...> stated(const F &function, In &&...in) {
    return {function, {{std::move(in)}...}};
}

namespace hidden {  // from argument-dependent lookup: a library may have a function of this name
/// A value whose type depends on a template's own parameters: what is not chosen there need not compile.
template <class..., class T>
T &late(T &value) {
    return value;
}
}  // namespace hidden
using namespace hidden;

}  // namespace wg

// Errors of generated code, each with the entry, `where`: of a call that can be made in several ways, with an order that a spec can
// say; and of one that does not compile.
#define WG_DECIDED(found, where, order) \
    static_assert(!found::is_undecided, "wrapper-gen: " where ": its arguments can stand in several orders; say C's order: " order);
/// The first of a method, with the orders in which its object can stand: an error for each that compiles, if several do.
#define WG_DECIDED_OF(found, object, where, order, ...)                                                                      \
    WG_DECIDED(found, where, order)                                                                                          \
    static_assert(!wg::is_untyped<decltype(object)>,                                                                         \
                  "wrapper-gen: " where ": a handle that is a void * could stand anywhere; say C's order: " order); \
    WG_ORDERS(WG_ORDERS_COUNTED(order, __VA_ARGS__, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, wg_none))(found, where, order, __VA_ARGS__)
/// Both, and an error where the call compiles in no order.
#define WG_RESOLVED(found, where, failed, order) \
    WG_DECIDED(found, where, order)              \
    WG_STATED(found, where, failed)
#define WG_RESOLVED_OF(found, object, where, failed, ...) \
    WG_DECIDED_OF(found, object, where, __VA_ARGS__)      \
    WG_STATED(found, where, failed)
/// The error of a call whose order the spec says.
#define WG_STATED(found, where, failed) static_assert(found::compiles, "wrapper-gen: " where ": " failed);
#define WG_ORDER(found, where, at, order) static_assert(!found::has_handle_at(at), "wrapper-gen: " where ": this order compiles: " order);
#define WG_ORDERS(n) WG_ORDERS_FROM(n)
#define WG_ORDERS_FROM(n) WG_ORDERS_IN_##n
#define WG_ORDERS_COUNTED(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, n, ...) n
#define WG_ORDERS_IN_2(found, where, ...) WG_ORDERS_2(found, where, 2, __VA_ARGS__)
#define WG_ORDERS_IN_3(found, where, ...) WG_ORDERS_3(found, where, 3, __VA_ARGS__)
#define WG_ORDERS_IN_4(found, where, ...) WG_ORDERS_4(found, where, 4, __VA_ARGS__)
#define WG_ORDERS_IN_5(found, where, ...) WG_ORDERS_5(found, where, 5, __VA_ARGS__)
#define WG_ORDERS_IN_6(found, where, ...) WG_ORDERS_6(found, where, 6, __VA_ARGS__)
#define WG_ORDERS_IN_7(found, where, ...) WG_ORDERS_7(found, where, 7, __VA_ARGS__)
#define WG_ORDERS_IN_8(found, where, ...) WG_ORDERS_8(found, where, 8, __VA_ARGS__)
#define WG_ORDERS_IN_9(found, where, ...) WG_ORDERS_9(found, where, 9, __VA_ARGS__)
#define WG_ORDERS_IN_10(found, where, ...) WG_ORDERS_10(found, where, 10, __VA_ARGS__)
#define WG_ORDERS_IN_11(found, where, ...) WG_ORDERS_11(found, where, 11, __VA_ARGS__)
#define WG_ORDERS_IN_12(found, where, ...) WG_ORDERS_12(found, where, 12, __VA_ARGS__)
#define WG_ORDERS_12(found, where, of, order, ...) WG_ORDER(found, where, of - 12, order) WG_ORDERS_11(found, where, of, __VA_ARGS__)
#define WG_ORDERS_11(found, where, of, order, ...) WG_ORDER(found, where, of - 11, order) WG_ORDERS_10(found, where, of, __VA_ARGS__)
#define WG_ORDERS_10(found, where, of, order, ...) WG_ORDER(found, where, of - 10, order) WG_ORDERS_9(found, where, of, __VA_ARGS__)
#define WG_ORDERS_9(found, where, of, order, ...) WG_ORDER(found, where, of - 9, order) WG_ORDERS_8(found, where, of, __VA_ARGS__)
#define WG_ORDERS_8(found, where, of, order, ...) WG_ORDER(found, where, of - 8, order) WG_ORDERS_7(found, where, of, __VA_ARGS__)
#define WG_ORDERS_7(found, where, of, order, ...) WG_ORDER(found, where, of - 7, order) WG_ORDERS_6(found, where, of, __VA_ARGS__)
#define WG_ORDERS_6(found, where, of, order, ...) WG_ORDER(found, where, of - 6, order) WG_ORDERS_5(found, where, of, __VA_ARGS__)
#define WG_ORDERS_5(found, where, of, order, ...) WG_ORDER(found, where, of - 5, order) WG_ORDERS_4(found, where, of, __VA_ARGS__)
#define WG_ORDERS_4(found, where, of, order, ...) WG_ORDER(found, where, of - 4, order) WG_ORDERS_3(found, where, of, __VA_ARGS__)
#define WG_ORDERS_3(found, where, of, order, ...) WG_ORDER(found, where, of - 3, order) WG_ORDERS_2(found, where, of, __VA_ARGS__)
#define WG_ORDERS_2(found, where, of, order, ...) WG_ORDER(found, where, of - 2, order) WG_ORDERS_1(found, where, of, __VA_ARGS__)
#define WG_ORDERS_1(found, where, of, order) WG_ORDER(found, where, of - 1, order)

#endif  // WG_CALLS_RESOLVED_CALL_HPP
