// What becomes of a call: `returns<f64>(...)`, `raises<Status, i32>(...)`; each checks its arguments, calls, tests the status, converts.
#ifndef WG_ENTRIES_OUTCOMES_HPP
#define WG_ENTRIES_OUTCOMES_HPP

#include <tuple>

#include "wg/calls/argument_order.hpp"
#include "wg/conversion/results.hpp"
#include "wg/errors/statuses.hpp"

namespace wg {

/// What describes a result whose type says it; of others, an outcome names it.
template <class R, class = void>
struct UsuallyDescribed {
    using type = Types<>;
};
template <class R>
struct UsuallyDescribed<R, std::enable_if_t<std::is_arithmetic_v<R>>> {
    using type = Types<types::Number<R>>;
};
template <class R>
struct UsuallyDescribed<R, std::enable_if_t<is_handle<R>::value>> {
    using type = Types<types::OwnedHandle<R>>;
};
template <auto is_status, class... D>
Gives<is_status, D...> gives_of(Types<D...>);
template <auto is_status, class R, class... D>
auto gives() {
    if constexpr (sizeof...(D) == 0)
        return decltype(gives_of<is_status>(typename UsuallyDescribed<R>::type()))();
    else
        return Gives<is_status, D...>();
}

template <class R, class F>
R result_of(const F &call) {
    if constexpr (opens<decltype(call()), R>())
        return result_of<R>([&]() -> decltype(auto) { return opened<R>(call); });
    else if constexpr (std::is_void_v<R>)
        wg::drop_value(call);
    else if constexpr (is_handle<R>::value)
        return make<R>(call);
    else
        return wg::convert<R>(call());
}

/// Whether the result is text, which may be missing.
template <class Declared>
constexpr bool gives_text = false;
template <auto is_status>
constexpr bool gives_text<Gives<is_status, types::Text>> = true;
template <auto is_status>
constexpr bool gives_text<Gives<is_status, types::Optional<types::Text>>> = true;

/// Nothing calls it: the compiler warns of memory that a call returns, and of which nothing says who releases it.
template <class Call>
[[deprecated("wrapper-gen: nothing says who releases this text")]] constexpr bool leaves_memory() {
    return true;
}
/// Looks at the value of a call whose entry says nothing of `release`: characters that may be changed may be ours. A member that has
/// their address is the object's.
template <class Declared, class F>
constexpr void look_at_memory(const F &) {
    if constexpr (gives_text<Declared>) {
        using V = decltype(std::declval<const F &>()());
        if constexpr (std::is_same_v<V, char *> || std::is_same_v<V, unsigned char *>) static_cast<void>(&leaves_memory<F>);
    }
}

/// Whether it may be the address of text that nothing says who releases.
template <class Declared, class V>
constexpr bool may_leave_memory = gives_text<Declared> && (std::is_same_v<V, char *> || std::is_same_v<V, unsigned char *>);

/// Whether a value of type `V` becomes an `R` without anything that is asked of the call.
template <class R, class Declared, class V>
constexpr bool is_value_of() {
    if constexpr (std::is_void_v<R> || std::is_void_v<V>) return std::is_void_v<R> && std::is_void_v<V>;
    else if constexpr (is_handle<R>::value) return false;
    else return !opens<V, R>() && !may_leave_memory<Declared, V>;
}
/// Whether an outcome takes what the call gives, in a function `of` that all calls of its type share; others are given the call.
template <class Outcome, class V>
constexpr bool takes_value = false;

/// What the spec says of a value before it is converted; most say nothing.
struct AsItIs {
    template <class T>
    decltype(auto) operator()(T &value) const {
        return std::forward<T>(value);
    }
};

/// A result of type `R`.
template <class R, class Declared, class Then = AsItIs>
struct Returns {
    using Gives = Declared;
    Then then;
    template <class V>
    static R of(V &&value) { return wg::convert<R>(std::forward<V>(value)); }
    template <class F>
    R value(const F &call) const {
        look_at_memory<Declared>(call);
        if constexpr (std::is_same_v<Then, AsItIs>) {
            return wg::result_of<R>(call);
        } else {
            auto &&value = call();
            return wg::convert<R>(then(value));
        }
    }
    template <class F>
    R written(const F &call) const {
        return wg::result_of<R>([&]() -> decltype(auto) { return call(Unchecked()); });
    }
};
template <class R, class Declared, class V>
constexpr bool takes_value<Returns<R, Declared, AsItIs>, V> = is_value_of<R, Declared, V>();
/// No result, and no status that anything looks at.
struct Ignores {
    using Gives = wg::Gives<false>;
    template <class F>
    void value(const F &call) const { static_cast<void>(call()); }
};
/// Tests a status of which nothing is said by the objects of the call.
struct WithoutObjects {
    template <class Traits, class V, class... Written>
    void test(const V &value, Written &...) const {
        wg::check_returned<Traits>(value);
    }
    template <class Untold, class V, class... Written>
    static auto test_untold(const V &value, Written &...) { return Untold::test(value); }
    template <class Untold, class F>
    static void run_untold(const F &call) { wg::run_untold<Untold>(call); }
    template <class Untold, class F>
    static decltype(auto) not_null(const F &call) { return wg::not_null<Untold>(call); }
};
/// The same, where something may be said by them: those of the call, and what it has written.
template <class... O>
struct OfObjects {
    std::tuple<O &...> objects;
    template <class Traits, class V, class... Written>
    void test(const V &value, Written &...written) const {
        std::apply([&](O &...of) { wg::check_returned<Traits>(value, of..., written...); }, objects);
    }
    template <class Untold, class V, class... Written>
    auto test_untold(const V &value, Written &...written) const {
        return std::apply([&](O &...of) { return Untold::test(value, of..., written...); }, objects);
    }
    template <class Untold, class F>
    void run_untold(const F &call) const {
        std::apply([&](O &...of) { wg::run_untold<Untold>(call, of...); }, objects);
    }
    template <class Untold, class F>
    decltype(auto) not_null(const F &call) const {
        return std::apply([&](O &...of) -> decltype(auto) { return wg::not_null<Untold>(call, of...); }, objects);
    }
};
/// A status that is an exception, where it is not fine; `R` is the result beside it.
template <class Traits, class R, class Declared, class Then = AsItIs, class Asked = WithoutObjects>
struct Raises {
    using Gives = Declared;
    Then then;
    Asked asked;
    template <class V>
    R of(V &&value) const {
        asked.template test<Traits>(value);
        if constexpr (!std::is_void_v<R>) return wg::convert<R>(std::forward<V>(value));
    }
    template <class F>
    R value(const F &call) const {
        look_at_memory<Declared>(call);
        if constexpr (std::is_void_v<R>) {
            asked.template test<Traits>(call());
        } else {
            auto &&value = call();
            asked.template test<Traits>(value);
            if constexpr (std::is_same_v<Then, AsItIs>)
                return wg::convert<R>(std::forward<decltype(value)>(value));
            else
                return wg::convert<R>(then(value));
        }
    }
    template <class F>
    R written(const F &call) const {
        return wg::result_of<R>([&]() -> decltype(auto) {
            return call([&](const auto &value, auto &...written) { asked.template test<Traits>(value, written...); });
        });
    }
};
template <class Traits, class R, class Declared, class Asked, class V>
constexpr bool takes_value<Raises<Traits, R, Declared, AsItIs, Asked>, V> = !std::is_void_v<V> && !may_leave_memory<Declared, V>;
/// A result of a call whose entry says nothing of a status: what it returns is one if its type tells so, and it is no result.
template <class Untold, class R, class Declared, class Then = AsItIs, class Asked = WithoutObjects>
struct MayRaise {
    using Gives = Declared;
    Then then;
    Asked asked;
    template <class V>
    R of(V &&value) const {
        if constexpr (std::is_void_v<R>) static_cast<void>(asked.template test_untold<Untold>(value));
        else return wg::convert<R>(std::forward<V>(value));
    }
    template <class F>
    R value(const F &call) const {
        look_at_memory<Declared>(call);
        if constexpr (std::is_void_v<R>) {
            asked.template run_untold<Untold>(call);
        } else if constexpr (std::is_same_v<Then, AsItIs> && Untold::raises_null && !is_optional<R>::value) {
            return wg::result_of<R>([&]() -> decltype(auto) { return asked.template not_null<Untold>(call); });
        } else if constexpr (std::is_same_v<Then, AsItIs>) {
            return wg::result_of<R>(call);
        } else {
            auto &&value = call();
            static_cast<void>(asked.template test_untold<Untold>(value));
            return wg::convert<R>(then(value));
        }
    }
    template <class F>
    R written(const F &call) const {
        return wg::result_of<R>([&]() -> decltype(auto) {
            return call(untold_check([&](const auto &value, auto &...written) { return asked.template test_untold<Untold>(value, written...); }));
        });
    }
};
template <class Untold, class R, class Declared, class V>
constexpr bool is_value_of_untold() {
    if constexpr (std::is_void_v<V>) return std::is_void_v<R>;
    else if constexpr (std::is_void_v<R>) return Untold::template is_status<V>;
    else return is_value_of<R, Declared, V>() && (!Untold::raises_null || is_optional<R>::value || !is_nullable<V>);
}
template <class Untold, class R, class Declared, class Asked, class V>
constexpr bool takes_value<MayRaise<Untold, R, Declared, AsItIs, Asked>, V> = is_value_of_untold<Untold, R, Declared, V>();
/// The same, where its result is used without a copy of it.
template <class Untold, class Use, class Declared, class Asked = WithoutObjects>
struct MayRaiseOrUses {
    using Gives = Declared;
    const Use &use;
    Asked asked;
    template <class F>
    decltype(auto) value(const F &call) const {
        look_at_memory<Declared>(call);
        return use(opened<Use>(call));
    }
    template <class F>
    decltype(auto) written(const F &call) const {
        return use(call(untold_check([&](const auto &value, auto &...written) { return asked.template test_untold<Untold>(value, written...); })));
    }
};
/// The same, where some statuses mean that there is no result.
template <class Traits, class R, class Declared, class Asked = WithoutObjects>
struct NoneOr {
    using Gives = Declared;
    Asked asked;
    template <class V>
    static bool is_none(const V &value) { return Traits::wg_is_none(wg::status<typename Traits::wg_Value>(value)); }
    template <class F>
    R value(const F &call) const {
        auto &&value = call();
        if (is_none(value)) return std::nullopt;
        asked.template test<Traits>(value);
        return wg::convert<R>(std::forward<decltype(value)>(value));
    }
    template <class F>
    R written(const F &call) const {
        return wg::convert<R>(call([&](const auto &value, auto &...written) {
            if (is_none(value)) return true;
            asked.template test<Traits>(value, written...);
            return false;
        }));
    }
};
/// The same, where they mean that a key is not there.
template <class Traits, class R, class Declared, class Asked = WithoutObjects>
struct KeyOr {
    using Gives = Declared;
    Asked asked;
    template <class V, class... Written>
    void test(const V &value, Written &...written) const {
        if (NoneOr<Traits, R, Declared>::is_none(value)) throw std::out_of_range("there is no such item");
        asked.template test<Traits>(value, written...);
    }
    template <class F>
    R value(const F &call) const {
        auto &&value = call();
        test(value);
        if constexpr (!std::is_void_v<R>) return wg::convert<R>(std::forward<decltype(value)>(value));
    }
    template <class F>
    R written(const F &call) const {
        return wg::convert<R>(call([&](const auto &value, auto &...written) { test(value, written...); }));
    }
};
/// What is made of the result by whoever calls the typed function, without a copy of it.
template <class Use, class Declared, class Then = AsItIs>
struct Uses {
    using Gives = Declared;
    const Use &use;
    Then then;
    template <class F>
    decltype(auto) value(const F &call) const {
        look_at_memory<Declared>(call);
        if constexpr (std::is_same_v<Then, AsItIs>) {
            return use(opened<Use>(call));
        } else {
            auto &&value = call();
            return use(then(value));
        }
    }
    template <class F>
    decltype(auto) written(const F &call) const { return use(call(Unchecked())); }
};
template <class Traits, class Use, class Declared, class Asked = WithoutObjects>
struct UsesOrRaises {
    using Gives = Declared;
    const Use &use;
    Asked asked;
    template <class F>
    decltype(auto) value(const F &call) const {
        look_at_memory<Declared>(call);
        auto &&value = call();
        asked.template test<Traits>(value);
        return use(std::forward<decltype(value)>(value));
    }
    template <class F>
    decltype(auto) written(const F &call) const {
        return use(call([&](const auto &value, auto &...written) { asked.template test<Traits>(value, written...); }));
    }
};

// What the typed functions say, around a call.
template <class R, class... D, class Call, class Then = AsItIs>
R returns(Call &&call, Then then = Then()) {
    return std::move(call).run(Returns<R, decltype(gives<false, R, D...>()), Then>{then});
}
namespace hidden {  // from argument-dependent lookup: a library may have a function of this name
template <class Call>
void ignores(Call &&call) {
    std::move(call).run(Ignores());
}
}  // namespace hidden
using namespace hidden;
template <class... D, class Use, class Call, class Then = AsItIs>
decltype(auto) uses(const Use &use, Call &&call, Then then = Then()) {
    return std::move(call).run(Uses<Use, Gives<false, D...>, Then>{use, then});
}

/// Those that test a status.
template <class Asked>
struct Tested {
    Asked asked;
    template <class Traits, class R = void, class... D, class Call>
    R raises(Call &&call) const {
        return std::move(call).run(Raises<Traits, R, decltype(gives<true, R, D...>()), AsItIs, Asked>{{}, asked});
    }
    /// The call's value is a result as well as a status.
    template <class Traits, class R, class... D, class Call, class Then = AsItIs>
    R tests(Call &&call, Then then = Then()) const {
        return std::move(call).run(Raises<Traits, R, decltype(gives<false, R, D...>()), Then, Asked>{then, asked});
    }
    template <class Untold, class R = void, class... D, class Call, class Then = AsItIs>
    R may_raise(Call &&call, Then then = Then()) const {
        using Written = decltype(gives<wg::untold<Untold>, R, D...>());
        return std::move(call).run(MayRaise<Untold, R, Written, Then, Asked>{then, asked});
    }
    template <class R = void, class... D, class Call, class Then = AsItIs>
    R tells(Call &&call, Then then = Then()) const {
        return may_raise<Untold<>, R, D...>(std::move(call), then);
    }
    template <class Untold, class... D, class Use, class Call>
    decltype(auto) uses_or_may_raise(const Use &use, Call &&call) const {
        return std::move(call).run(MayRaiseOrUses<Untold, Use, Gives<wg::untold<Untold>, D...>, Asked>{use, asked});
    }
    template <class Traits, class R, class... D, class Call>
    R none_or(Call &&call) const {
        return std::move(call).run(NoneOr<Traits, R, decltype(gives<true, R, D...>()), Asked>{asked});
    }
    template <class Traits, class R = void, class... D, class Call>
    R key_or(Call &&call) const {
        return std::move(call).run(KeyOr<Traits, R, decltype(gives<true, R, D...>()), Asked>{asked});
    }
    template <class Traits, class... D, class Use, class Call>
    decltype(auto) uses_or_raises(const Use &use, Call &&call) const {
        return std::move(call).run(UsesOrRaises<Traits, Use, Gives<true, D...>, Asked>{use, asked});
    }
};
/// `of(wg_h).raises<Status>(...)`: something may be said of the status by these objects.
template <class... O>
Tested<OfObjects<O...>> of(O &...objects) {
    return {{std::tie(objects...)}};
}
template <class Traits, class R = void, class... D, class Call>
R raises(Call &&call) {
    return Tested<WithoutObjects>().raises<Traits, R, D...>(std::move(call));
}
template <class Traits, class R, class... D, class Call, class Then = AsItIs>
R tests(Call &&call, Then then = Then()) {
    return Tested<WithoutObjects>().tests<Traits, R, D...>(std::move(call), then);
}
template <class Untold, class R = void, class... D, class Call, class Then = AsItIs>
R may_raise(Call &&call, Then then = Then()) {
    return Tested<WithoutObjects>().may_raise<Untold, R, D...>(std::move(call), then);
}
/// The same of entries that inherit no error.
template <class R = void, class... D, class Call, class Then = AsItIs>
R tells(Call &&call, Then then = Then()) {
    return Tested<WithoutObjects>().tells<R, D...>(std::move(call), then);
}
template <class Untold, class... D, class Use, class Call>
decltype(auto) uses_or_may_raise(const Use &use, Call &&call) {
    return Tested<WithoutObjects>().uses_or_may_raise<Untold, D...>(use, std::move(call));
}
template <class Traits, class R, class... D, class Call>
R none_or(Call &&call) {
    return Tested<WithoutObjects>().none_or<Traits, R, D...>(std::move(call));
}
template <class Traits, class R = void, class... D, class Call>
R key_or(Call &&call) {
    return Tested<WithoutObjects>().key_or<Traits, R, D...>(std::move(call));
}
template <class Traits, class... D, class Use, class Call>
decltype(auto) uses_or_raises(const Use &use, Call &&call) {
    return Tested<WithoutObjects>().uses_or_raises<Traits, D...>(use, std::move(call));
}

}  // namespace wg

#endif  // WG_ENTRIES_OUTCOMES_HPP
