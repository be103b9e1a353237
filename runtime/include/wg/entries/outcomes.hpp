// What becomes of a call: `returns<f64>(...)`, `raises<Status, i32>(...)`; each checks its arguments, calls, tests the status, converts.
#ifndef WG_ENTRIES_OUTCOMES_HPP
#define WG_ENTRIES_OUTCOMES_HPP

#include "wg/calls/argument_order.hpp"
#include "wg/conversion/results.hpp"
#include "wg/errors/statuses.hpp"

namespace wg {

/// What describes a result whose type says it; of others, an outcome names it.
template <class R, class = void>
struct DescribedBy {
    using type = Types<>;
};
template <class R>
struct DescribedBy<R, std::enable_if_t<std::is_arithmetic_v<R>>> {
    using type = Types<types::Number<R>>;
};
template <class R>
struct DescribedBy<R, std::enable_if_t<is_handle<R>::value>> {
    using type = Types<types::OwnedHandle<R>>;
};
template <bool is_status, class... D>
Gives<is_status, D...> gives_of(Types<D...>);
template <bool is_status, class R, class... D>
auto gives() {
    if constexpr (sizeof...(D) == 0)
        return decltype(gives_of<is_status>(typename DescribedBy<R>::type()))();
    else
        return Gives<is_status, D...>();
}

template <class R, class F>
R result_of(const F &call) {
    if constexpr (std::is_void_v<R>)
        static_cast<void>(call());
    else if constexpr (is_handle<R>::value)
        return make<R>(call);
    else
        return convert<R>(call());
}

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
    template <class F>
    R value(const F &call) const {
        if constexpr (std::is_same_v<Then, AsItIs>) {
            return result_of<R>(call);
        } else {
            auto &&value = call();
            return convert<R>(then(value));
        }
    }
    template <class F>
    R written(const F &call) const {
        return result_of<R>([&]() -> decltype(auto) { return call(Unchecked()); });
    }
};
/// No result: the call may return no status that the spec declares.
template <class... Errors>
struct ReturnsNothing {
    using Gives = wg::Gives<false>;
    template <class F>
    void value(const F &call) const { unchecked<Errors...>(call); }
};
/// A status that is an exception, where it is not fine; `R` is the result beside it.
template <class Traits, class R, class Declared, class Then = AsItIs>
struct Raises {
    using Gives = Declared;
    using Status = typename Traits::wg_Value;
    Then then;
    template <class F>
    R value(const F &call) const {
        if constexpr (std::is_void_v<R>) {
            check<Traits>(status<Status>(call()));
        } else {
            auto &&value = call();
            check<Traits>(status<Status>(value));
            if constexpr (std::is_same_v<Then, AsItIs>)
                return convert<R>(std::forward<decltype(value)>(value));
            else
                return convert<R>(then(value));
        }
    }
    template <class F>
    R written(const F &call) const {
        return result_of<R>([&]() -> decltype(auto) {
            return call([](const auto &value, auto &...) { check<Traits>(status<Status>(value)); });
        });
    }
};
/// The same, where some statuses mean that there is no result.
template <class Traits, class R, class Declared>
struct NoneOr {
    using Gives = Declared;
    using Status = typename Traits::wg_Value;
    template <class F>
    R value(const F &call) const {
        auto &&value = call();
        if (Traits::wg_is_none(status<Status>(value))) return std::nullopt;
        check<Traits>(status<Status>(value));
        return convert<R>(std::forward<decltype(value)>(value));
    }
    template <class F>
    R written(const F &call) const {
        return convert<R>(call([](const auto &value, auto &...) {
            if (Traits::wg_is_none(status<Status>(value))) return true;
            check<Traits>(status<Status>(value));
            return false;
        }));
    }
};
/// The same, where they mean that a key is not there.
template <class Traits, class R, class Declared>
struct KeyOr {
    using Gives = Declared;
    using Status = typename Traits::wg_Value;
    template <class V>
    static void test(const V &value) {
        if (Traits::wg_is_none(status<Status>(value))) throw std::out_of_range("there is no such item");
        check<Traits>(status<Status>(value));
    }
    template <class F>
    R value(const F &call) const {
        auto &&value = call();
        test(value);
        if constexpr (!std::is_void_v<R>) return convert<R>(std::forward<decltype(value)>(value));
    }
    template <class F>
    R written(const F &call) const {
        try {
            return convert<R>(call([](const auto &value, auto &...) { test(value); }));
        } catch (const Null &) {
            throw Own<std::out_of_range>("there is no such item");
        }
    }
};
/// What is made of the result by whoever calls the typed function, without a copy of it.
template <class Use, class Declared, class Then = AsItIs>
struct Uses {
    using Gives = Declared;
    Use &use;
    Then then;
    template <class F>
    decltype(auto) value(const F &call) const {
        if constexpr (std::is_same_v<Then, AsItIs>)
            return use(call());
        else
            return use(then(call()));
    }
    template <class F>
    decltype(auto) written(const F &call) const { return use(call(Unchecked())); }
};
template <class Traits, class Use, class Declared>
struct UsesOrRaises {
    using Gives = Declared;
    using Status = typename Traits::wg_Value;
    Use &use;
    template <class F>
    decltype(auto) value(const F &call) const {
        auto &&value = call();
        check<Traits>(status<Status>(value));
        return use(std::forward<decltype(value)>(value));
    }
    template <class F>
    decltype(auto) written(const F &call) const {
        return use(call([](const auto &value, auto &...) { check<Traits>(status<Status>(value)); }));
    }
};

/// What the typed functions say, around a call.
template <class R, class... D, class Call, class Then = AsItIs>
R returns(Call &&call, Then then = Then()) {
    return std::move(call).run(Returns<R, decltype(gives<false, R, D...>()), Then>{then});
}
template <class... Errors, class Call>
void runs(Call &&call) {
    std::move(call).run(ReturnsNothing<Errors...>());
}
template <class Traits, class R = void, class... D, class Call>
R raises(Call &&call) {
    return std::move(call).run(Raises<Traits, R, decltype(gives<true, R, D...>())>{{}});
}
/// The call's value is a result as well as a status.
template <class Traits, class R, class... D, class Call, class Then = AsItIs>
R tests(Call &&call, Then then = Then()) {
    return std::move(call).run(Raises<Traits, R, decltype(gives<false, R, D...>()), Then>{then});
}
template <class Traits, class R, class... D, class Call>
R none_or(Call &&call) {
    return std::move(call).run(NoneOr<Traits, R, decltype(gives<true, R, D...>())>());
}
template <class Traits, class R, class... D, class Call>
R key_or(Call &&call) {
    return std::move(call).run(KeyOr<Traits, R, decltype(gives<true, R, D...>())>());
}
template <class... D, class Use, class Call, class Then = AsItIs>
decltype(auto) uses(Use &use, Call &&call, Then then = Then()) {
    return std::move(call).run(Uses<Use, Gives<false, D...>, Then>{use, then});
}
template <class Traits, class... D, class Use, class Call>
decltype(auto) uses_or_raises(Use &use, Call &&call) {
    return std::move(call).run(UsesOrRaises<Traits, Use, Gives<true, D...>>{use});
}

}  // namespace wg

#endif  // WG_ENTRIES_OUTCOMES_HPP
