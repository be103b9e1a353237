// The orders of a call's parts that may compile: found by what each place of the function takes, before a reading is looked at.
// Static: the same for all packages. Included by generated C++ only.
//
// A call of n parts has up to n squared orders, and what a compiler does for one reading it does for each of them. Where the function
// takes `AnyArgument` at all places it is one function to the compiler: an order compiles only if each place takes the part that stands
// there, and n questions for each kind of part answer that for all orders. Overloads are a choice to `AnyArgument`, and a template would
// have it for its parameter: each order is asked then.
#ifndef WG_CALLS_ORDER_SEARCH_HPP
#define WG_CALLS_ORDER_SEARCH_HPP

#include "wg/base/first_invocable.hpp"
#include "wg/calls/addressed.hpp"
#include "wg/calls/call_errors.hpp"

namespace wg {

// A namespace without functions: C++ also looks for the called function in the namespace of an argument's type.
namespace probes {
/// Converts to whatever one function has as its parameter; of several functions, to none.
struct AnyArgument {
    template <class T, class = std::enable_if_t<!std::is_same_v<std::remove_cv_t<T>, AnyArgument>>>
    operator T &() const;
    template <class T, class = std::enable_if_t<!std::is_same_v<std::remove_cv_t<T>, AnyArgument>>>
    operator T &&() const;
};
}  // namespace probes
using probes::AnyArgument;

/// Whether a function that is no member may have overloads. The functions of C have none.
#ifdef WG_NO_OVERLOADS
constexpr bool has_overloads = false;
#else
constexpr bool has_overloads = true;
#endif

/// How many calls the compiler is asked for before that is worth a warning: about half a second.
constexpr std::size_t most_asked = 60;

/// Whether a callable is no choice of ours between several.
template <class F>
constexpr bool is_one_callable = true;
template <class... Way>
constexpr bool is_one_callable<FirstWay<Way...>> = false;
template <class T, class F>
constexpr bool is_one_callable<OnObject<T, F>> = is_one_callable<F>;
template <class F, class Values>
constexpr bool is_one_callable<Addressing<F, Values>> = is_one_callable<F>;

template <class A, class Index>
struct Repeated;
template <class A, std::size_t... I>
struct Repeated<A, std::index_sequence<I...>> {
    template <std::size_t>
    using Same = A;
    using type = Given<Same<I>...>;
};
/// So many arguments that are `AnyArgument`.
template <std::size_t count>
using AllAnything = typename Repeated<const AnyArgument &, std::make_index_sequence<count>>::type;

/// Whether what a call comes to is asked to explain why it does not compile.
template <class In>
constexpr bool is_any_in = false;
template <class Any>
constexpr bool is_any_in<AnyIn<Any>> = true;
template <class D>
constexpr bool is_any_out = false;
template <class F, std::size_t unit>
constexpr bool is_any_out<AnyAddress<F, unit>> = true;

/// A callable whose arguments stand as they are given.
template <class F, std::size_t count>
using AsGiven = Ordered<F, std::make_index_sequence<count>>;

/// Whether a callable may be asked about so many `AnyArgument`. A template that would deduce its parameter from one may not: where its
/// result is `auto`, the compiler looks into its body for the answer, and an error there ends all. From braces no template deduces anything.
template <class F, std::size_t count>
constexpr bool may_be_asked() {
    using Probe = typename InBraces<F>::type;
    if constexpr (!is_one_callable<F>) return false;
    else if constexpr (!has_overloads) return true;
    else if constexpr (std::is_void_v<Probe>) return false;
    else return is_taken_by<AsGiven<Probe, count>>(AllAnything<count>());
}

/// Whether a function takes so many arguments, and which they are is no matter of overloads.
template <class F, std::size_t count>
constexpr bool is_one_function() {
    if constexpr (may_be_asked<F, count>()) return is_taken_by<AsGiven<F, count>>(AllAnything<count>());
    else return false;
}
template <class F, std::size_t count>
constexpr bool takes_anything = is_one_function<F, count>();

template <class F, std::size_t... count>
constexpr bool takes_some_number(std::index_sequence<count...>) {
    return std::disjunction<std::bool_constant<takes_anything<F, count>>...>::value;
}
/// Whether a callable is known to have no overloads: one that takes so many arguments, or no more than a few others.
template <class F, std::size_t count>
constexpr bool is_only_one() {
    if constexpr (has_overloads) return false;
    else return takes_some_number<F>(std::make_index_sequence<count + 3>());
}
template <class F, std::size_t count>
constexpr bool is_sole = is_only_one<F, count>();
template <class T, class F, std::size_t count>
constexpr bool is_sole<OnObject<T, F>, count> = false;

/// The forms in which a part may be passed.
template <class Asked, class = void>
struct FormsOf {
    using type = Types<Asked>;
};
template <>
struct FormsOf<SomeText> {
    using type = Types<const char *const &, const AnyText &, const std::string &>;
};
template <>
struct FormsOf<SomeBytes> {
    using type = Types<const std::string_view &, const std::string &>;
};
template <>
struct FormsOf<SomeAddress> {
    using type = Types<const char *const &, const AnyBytes &>;
};
/// Itself, or the address in its place.
template <class Asked>
struct FormsOf<Asked, std::enable_if_t<is_number_or_address<Asked>>> {
    using type = Types<typename AsNumber<Asked>::value, typename AsNumber<Asked>::address>;
};
template <class Asked>
struct FormsOf<Asked, std::enable_if_t<is_maybe<Asked>>>
    : Joined<typename FormsOf<typename AsOptional<Asked>::type>::type, typename FormsOf<typename AsAddress<Asked>::type>::type> {};

template <class F, std::size_t count, std::size_t place, class... Form>
constexpr bool takes_a_form(Types<Form...>) {
    return std::disjunction<Takes<AsGiven<F, count>, AllAnything<count>, place, Form>...>::value;
}
/// Whether the function takes this part at a place, with anything at the others. Parts of one kind share the answer.
template <class F, std::size_t count, std::size_t place, class Asked>
constexpr bool takes_at = takes_a_form<F, count, place>(typename FormsOf<Asked>::type());

/// The orders that may compile of the reading in which the arguments of `mask` bring a length and `D` are out-parameters.
template <class F, std::size_t handles, class Ins, class Outs, std::size_t mask>
struct OrderSearch;
template <class F, std::size_t handles, class... In, class... D, std::size_t mask>
struct OrderSearch<F, handles, Types<In...>, Types<D...>, mask> {
    using Split = SplitInto<std::index_sequence_for<In...>, mask, In...>;
    template <class... P>
    static Types<typename P::Asked..., typename OutPart<D>::Asked...> asked(Types<P...>);
    /// What the parts are, in the usual order.
    using Asked = decltype(asked(typename Split::Parts()));

    using All = Orders<handles, sizeof...(In) - handles, sizeof...(D)>;
    static constexpr std::size_t units = sizeof...(In) + sizeof...(D);
    template <class... P>
    static constexpr std::size_t size(Types<P...>) { return sizeof...(P); }
    static constexpr std::size_t parts = size(Asked());

    static constexpr std::array<std::size_t, units> sizes() {
        if constexpr (parts == units) {
            std::array<std::size_t, units> each = {};
            for (std::size_t &one : each) one = 1;
            return each;
        } else {
            return Split::sizes(std::make_index_sequence<sizeof...(D)>());
        }
    }
    /// Which part stands at each place, by order.
    using Table = std::array<std::array<std::size_t, parts>, All::count>;
    static constexpr Table table() {
        Table found = {};
        for (std::size_t k = 0; k < All::count; ++k) found[k] = places_of<parts>(All::all[k], sizes());
        return found;
    }
    static constexpr Table places = table();

    template <std::size_t part, std::size_t place>
    static constexpr bool may_stand() {
        for (std::size_t k = 0; k < All::count; ++k)
            if (places[k][place] == part) return true;
        return false;
    }
    template <std::size_t part, std::size_t place, class A>
    static constexpr bool is_taken() {
        if constexpr (may_stand<part, place>())
            return takes_at<F, parts, place, A>;
        else
            return false;
    }
    template <std::size_t part, class A, std::size_t... place>
    static constexpr std::array<bool, parts> row(std::index_sequence<place...>) {
        return {is_taken<part, place, A>()...};
    }
    template <class... A, std::size_t... part>
    static constexpr auto rows(Types<A...>, std::index_sequence<part...>) {
        return std::array<std::array<bool, parts>, parts>{row<part, A>(std::make_index_sequence<parts>())...};
    }

    template <class... A, std::size_t... I>
    static constexpr bool is_taken_in_order(Types<A...>, std::index_sequence<I...>) {
        using List = std::tuple<A...>;
        using Whole = AsGiven<F, parts>;
        return is_taken_by<Whole>(decltype(settle<Whole, std::tuple_element_t<I, List>...>())());
    }
    template <std::size_t k, std::size_t... I>
    static constexpr bool compiles(std::index_sequence<I...>) {
        return is_taken_in_order(Asked(), std::index_sequence<places[k][I]...>());
    }
    /// Whether the call compiles in this order, whatever it gives.
    template <std::size_t k>
    static constexpr bool compiles_in = compiles<k>(std::make_index_sequence<parts>());

    static constexpr bool is_explained = (is_any_in<In> || ...) || (is_any_out<D> || ...);
    /// Whether each order is asked for by itself. Where a call is explained, and overloads may be a choice, only the usual one is.
    static constexpr bool asks_each() {
        if constexpr (parts == 0 || All::count == 1 || is_sole<F, parts>)
            return false;
        else
            return !takes_anything<F, parts> && (!is_explained || All::count <= most_shown);
    }
    /// How many calls the compiler is asked for.
    static constexpr std::size_t asked_for = asks_each() ? All::count : 0;

    template <std::size_t... k>
    static constexpr std::array<bool, All::count> each(std::index_sequence<k...>) {
        return {compiles_in<k>...};
    }
    static constexpr std::array<bool, All::count> possible() {
        std::array<bool, All::count> found = {};
        if constexpr (asks_each()) {
            return each(std::make_index_sequence<All::count>());
        } else if constexpr (parts == 0 || All::count == 1) {
            found[0] = true;
        } else if constexpr (takes_anything<F, parts>) {
            constexpr auto taken = rows(Asked(), std::make_index_sequence<parts>());
            for (std::size_t k = 0; k < All::count; ++k) {
                found[k] = true;
                for (std::size_t place = 0; place < parts; ++place) found[k] = found[k] && taken[places[k][place]][place];
            }
        } else {
            found[0] = !is_sole<F, parts>;
        }
        return found;
    }
    static constexpr std::size_t count_possible() {
        std::size_t count = 0;
        for (const bool one : possible()) count += one ? 1 : 0;
        return count;
    }
    template <std::size_t count>
    static constexpr std::array<std::size_t, count> listed() {
        std::array<std::size_t, count> found = {};
        std::size_t at = 0, k = 0;
        for (const bool one : possible()) {
            if (one) found[at++] = k;
            ++k;
        }
        return found;
    }
    template <std::size_t... I>
    static auto numbers(std::index_sequence<I...>) {
        constexpr auto found = listed<sizeof...(I)>();
        return std::index_sequence<found[I]...>();
    }
    /// The numbers of these orders. A class of its own is looked into only where another order than the usual one is asked for: no function
    /// that takes its arguments in the usual order is asked about `AnyArgument`.
    struct Possible : decltype(numbers(std::make_index_sequence<count_possible()>())) {};
};

/// Nothing calls it: the compiler's warning names the order.
template <class Call, std::size_t... unit>
[[deprecated("wrapper-gen: the compiler takes long to find the order of these arguments")]] constexpr bool finds_order_slowly(std::index_sequence<unit...>) {
    return true;
}
/// False; the compiler warns where an order was found, and that has taken it long.
template <class Call, std::size_t asked, class Reading>
constexpr bool warns_of(Types<Reading>) {
    if constexpr (asked > most_asked) return !finds_order_slowly<Call>(typename Reading::Units());
    else return false;
}
template <class Call, std::size_t asked>
constexpr bool warns_of(...) {
    return false;
}

}  // namespace wg

#endif  // WG_CALLS_ORDER_SEARCH_HPP
