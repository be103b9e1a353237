// What C++ calls a callable with, and what it gets back: each value between C++'s own type and the one that is declared.
// Static: the same for all packages. Included by generated C++ of specs with callables.
#ifndef WG_CALLBACKS_CALLBACK_VALUES_HPP
#define WG_CALLBACKS_CALLBACK_VALUES_HPP

#include <array>
#include <cstdarg>
#include <cstdio>
#include <exception>

#include "wg/callbacks/callback_rows.hpp"
#include "wg/conversion/copied.hpp"
#include "wg/callbacks/callable_ref.hpp"

namespace wg {

/// Whether it is the only pointer to an object.
template <class T>
constexpr bool is_sole_owner = false;
template <class T, class D>
constexpr bool is_sole_owner<std::unique_ptr<T, D>> = true;

// --- what C++ calls it with -----------------------------------------------------------------------

template <class D>
constexpr bool is_number_type = false;
template <class T>
constexpr bool is_number_type<types::Number<T>> = true;
template <>
inline constexpr bool is_number_type<types::Size> = true;

/// Whether a `D` can be made of a `C`, as far as the choice between ways needs it.
template <class D, class C>
constexpr bool is_single() {
    using T = std::decay_t<C>;
    if constexpr (points_to_represented<T, Value<D>>()) return true;
    else if constexpr (is_number_type<D>) return !std::is_pointer_v<T>;
    else if constexpr (std::is_same_v<D, types::Text>) return !std::is_arithmetic_v<T> && !std::is_enum_v<T>;
    else if constexpr (std::is_same_v<D, types::Bytes>) return std::is_class_v<T> || std::is_same_v<T, std::string *> || std::is_same_v<T, const std::string *>;
    else if constexpr (lies_in_a_row<D>) return std::is_class_v<T>;
    else return true;
}
/// Whether it is a text as `vprintf` takes it.
inline void take_va_list(std::va_list) {}
template <class D, class C, class N>
constexpr bool is_formatted =
    std::is_same_v<D, types::Text> && std::is_same_v<std::decay_t<C>, const char *> && std::is_invocable_v<decltype(&take_va_list), N>;
template <class D, class C, class N>
constexpr bool is_row() {
    if constexpr (points_to_represented<C, Value<D>>() || are_represented<D, C>) return are_represented<D, C> && std::is_integral_v<std::decay_t<N>>;
    else if constexpr (is_formatted<D, C, N>) return true;
    else if constexpr (are_texts<D, C>) return std::is_integral_v<std::decay_t<N>>;
    else if constexpr (std::is_same_v<D, types::Text>) return false;  // a NUL ends it: what follows may be anything
    else return lies_in_a_row<D> && std::is_pointer_v<std::decay_t<C>> && std::is_integral_v<std::decay_t<N>>;
}

/// What a handle holds that a callable is called with; void where it is none.
template <class D>
struct LentIn {
    using type = void;
};
template <class H>
struct LentIn<types::LentHandle<H>> {
    using type = std::remove_cv_t<decltype(H::inner)>;
};
template <class D>
struct LentIn<types::Optional<D>> : LentIn<D> {};

/// What an argument of C stands for: here what Python sees, as a value, or as an address and a length.
template <class D>
struct Part {
    static constexpr bool is_seen = true, is_listed = false;
    template <class C>
    static constexpr bool single = is_single<D, C>();
    template <class C, class N>
    static constexpr bool row = is_row<D, C, N>();
};

/// The text that a format and its arguments make.
template <class V>
std::string formatted(const char *format, V &given) {
    std::va_list again;
    va_copy(again, given);
    const int size = std::vsnprintf(nullptr, 0, format, again);
    va_end(again);
    std::string text(size < 0 ? 0 : static_cast<std::size_t>(size) + 1, '\0');
    if (text.empty()) return text;
    va_copy(again, given);
    std::vsnprintf(text.data(), text.size(), format, again);
    va_end(again);
    text.pop_back();
    return text;
}

/// How the arguments `C` are what a callable is called with: each is one of them, or an address and a length.
template <class Listed, class... C>
struct Taking;
template <class... D, class... C>
struct Taking<Types<D...>, C...> {
    static constexpr std::size_t wanted = sizeof...(D), given = sizeof...(C);
    template <std::size_t i>
    using Wanted = std::tuple_element_t<i, std::tuple<D...>>;
    template <std::size_t j>
    using Given = std::tuple_element_t<j, std::tuple<C...>>;

    struct Way {
        std::size_t count = 0;
        std::array<std::size_t, wanted + 1> starts{};
        std::array<bool, wanted + 1> is_pair{};
    };

    template <std::size_t i = 0, std::size_t j = 0>
    static constexpr Way way() {
        Way found;
        if constexpr (i == wanted) {
            found.count = j == given ? 1 : 0;
        } else if constexpr (j < given) {
            if constexpr (Part<Wanted<i>>::template single<Given<j>>) add<i, j>(found, way<i + 1, j + 1>(), false);
            if constexpr (j + 1 < given)
                if constexpr (Part<Wanted<i>>::template row<Given<j>, Given<j + 1>>) add<i, j>(found, way<i + 1, j + 2>(), true);
        }
        return found;
    }
    static constexpr bool is_clear() { return way().count == 1; }

    static auto read(Pack<C...> &arguments) { return read(arguments, std::index_sequence_for<D...>()); }
    /// The argument that the part `i` is, or starts with.
    template <std::size_t i>
    static decltype(auto) argument(Pack<C...> &arguments) {
        return packs::at<way().starts[i]>(arguments);
    }

private:
    template <std::size_t i, std::size_t j>
    static constexpr void add(Way &found, Way rest, bool is_pair) {
        if (rest.count != 0) {
            const std::size_t before = found.count;
            found = rest;
            found.count += before;
            found.starts[i] = j;
            found.is_pair[i] = is_pair;
        }
    }

    template <std::size_t... I>
    static auto read([[maybe_unused]] Pack<C...> &arguments, std::index_sequence<I...>) {
        constexpr Way found = way();
        if constexpr ((Part<D>::is_seen && ...))
            return Pack<Value<D>...>{{one<D, found.starts[I], found.is_pair[I]>(arguments)}...};
        else
            return packs::joined(seen<D, I>(arguments)...);
    }
    /// What Python sees of a part, if anything.
    template <class T, std::size_t i>
    static auto seen([[maybe_unused]] Pack<C...> &arguments) {
        constexpr Way found = way();
        if constexpr (!Part<T>::is_seen)
            return Pack<>();
        else if constexpr (Part<T>::is_listed)
            return packs::of(Part<T>::template read<Taking>(argument<i>(arguments), arguments));
        else
            return Pack<Value<T>>{{one<T, found.starts[i], found.is_pair[i]>(arguments)}};
    }
    template <class T, std::size_t start, bool is_pair>
    static Value<T> one(Pack<C...> &arguments) {
        auto &&first = packs::at<start>(arguments);
        using From = std::decay_t<decltype(first)>;
        if constexpr (is_pair && is_formatted<T, From, Given<is_pair ? start + 1 : start>>) {
            return formatted(first, packs::at<start + 1>(arguments));
        } else if constexpr (is_pair) {
            return run_of<T>(first, length_of(first, packs::at<start + 1>(arguments)));
        } else if constexpr (std::is_same_v<Value<T>, std::string> && std::is_convertible_v<From, const std::string *>) {
            return *first;
        } else if constexpr (std::is_same_v<T, types::Text> && std::is_same_v<From, const unsigned char *>) {
            return wg::convert<std::string>(reinterpret_cast<const char *>(first));
        } else if constexpr (points_to_represented<From, Value<T>>()) {
            return Representation<std::remove_cv_t<std::remove_pointer_t<From>>>::template at<Value<T>>(first);
        } else {
            using Passed = std::tuple_element_t<start, std::tuple<C...>>;
            if constexpr (is_sole_owner<From> && (std::is_same_v<Passed, From> || std::is_same_v<Passed, From &&>)) return AsDeclared<T>()(std::move(first));
            else return AsDeclared<T>()(pointed<T>(std::forward<decltype(first)>(first)));
        }
    }
    /// A handle that is a pointer points to an object that C++ passes. It has no const in it.
    template <class T, class V>
    static decltype(auto) pointed(V &&value) {
        using O = std::remove_cv_t<std::remove_reference_t<V>>;
        if constexpr (is_pointed_to<typename LentIn<T>::type, O>()) return const_cast<O *>(std::addressof(value));
        else return mutable_pointer(std::forward<V>(value));
    }
    template <class P, class O>
    static constexpr bool is_pointed_to() {
        if constexpr (std::is_pointer_v<P> && std::is_class_v<O>) return std::is_convertible_v<O *, P> && !std::is_convertible_v<O &, P>;
        else return false;
    }
    template <class T>
    static decltype(auto) mutable_pointer(T &&value) {
        using P = std::decay_t<T>;
        if constexpr (std::is_pointer_v<P> && std::is_class_v<std::remove_cv_t<std::remove_pointer_t<P>>>)
            return const_cast<std::remove_cv_t<std::remove_pointer_t<P>> *>(value);
        else
            return std::forward<T>(value);
    }
};

// --- what C++ gets ----------------------------------------------------------------------------------

/// What a handle holds as a `W`: where that is a pointer and C++ wants an object, what it points to.
template <class W, bool is_explicit = false, class Inner>
W held_as(Inner &inner) {
    if constexpr (is_object_pointer<Inner> && (std::is_class_v<W> || std::is_reference_v<W>) &&
                  (becomes_bool<Inner &, W>() || !std::is_convertible_v<Inner &, W>)) {
        return object(inner);
    } else {
        static_assert(!becomes_bool<Inner &, W>(),
                      "wrapper-gen: the result of a callable would lose its meaning: the spec declares a handle that is a pointer, C++ wants a bool");
        static_assert(!is_sole_owner<W>, "wrapper-gen: C++ takes the result of a callable as a std::unique_ptr, and Python has the object too; let C++ take a "
                                         "std::shared_ptr, or let Python return what C++ makes one of, such as a name");
        if constexpr (is_sole_owner<W>) std::terminate();
        else if constexpr (is_explicit) return W(inner);
        else return inner;
    }
}

/// Whether what a handle holds becomes a `W`, or is told what it loses.
template <class W, class Inner, bool is_explicit = false>
constexpr bool becomes_held() {
    if constexpr (std::is_convertible_v<Inner &, W> || (is_explicit && std::is_constructible_v<W, Inner &>) || becomes_bool<Inner &, W>() || is_sole_owner<W>) return true;
    else if constexpr (is_object_pointer<Inner>) return std::is_convertible_v<std::remove_pointer_t<Inner> &, W>;
    else return false;
}

/// What a handle holds, of a result that is one.
template <class D>
struct HeldBy {
    template <class W>
    static constexpr bool becomes = std::is_constructible_v<W, Value<D> &&>;

    template <class W, class V>
    static W get(V &value) {
        constexpr bool is_made = std::is_constructible_v<W, V &&>;
        static_assert(is_made, "wrapper-gen: the result of a callable has another type in C++ than the spec declares; declare the one that C++ has, or say what "
                               "it gets with `result` of an entry of `callbacks`");
        if constexpr (is_made) return static_cast<W>(std::move(value));
        else std::terminate();
    }
};
template <class H>
struct HeldBy<types::Handle<H>> {
    template <class W>
    static constexpr bool becomes = becomes_held<W, decltype(H::inner)>();

    template <class W>
    static W get(H *value) {
        return held_as<W>(value->inner);
    }
};
template <class H>
struct HeldBy<types::Optional<types::Handle<H>>> {
    template <class W>
    static constexpr bool becomes = becomes_held<W, decltype(H::inner), true>();

    template <class W>
    static W get(const std::optional<H *> &value) {
        return value ? held_as<W, true>((*value)->inner) : W();
    }
};

template <class H>
struct HeldBy<types::List<types::Handle<H>>> {
    template <class W>
    static constexpr bool becomes = [] {
        if constexpr (std::is_constructible_v<W, std::vector<H *> &&>) return true;
        else if constexpr (is_sequence<W>::value) return becomes_held<typename W::value_type, decltype(H::inner)>();
        else return false;
    }();

    template <class W>
    static W get(const std::vector<H *> &value) {
        if constexpr (std::is_constructible_v<W, std::vector<H *> &&>) {
            return W(std::vector<H *>(value));
        } else {
            W out;
            for (H *each : value) out.push_back(held_as<typename W::value_type>(each->inner));
            return out;
        }
    }
};

template <class S>
struct HeldBy<types::Struct<S>> {
    template <class W>
    static constexpr bool becomes = std::is_constructible_v<W, Value<types::Struct<S>> &&>;

    template <class W, class V>
    static W get(V &value) {
        static_assert(std::is_same_v<typename RawOf<V>::type, V> || KeptBeside<V>::value,
                      "wrapper-gen: the result of a callable is a struct with pointers: what they point to is gone when the callable has returned");
        return static_cast<W>(std::move(value));
    }
};

/// Where C reads bytes; as characters they are a text of C's, which ends with a NUL.
template <class W>
constexpr bool is_address_of_bytes = std::is_same_v<W, const void *> || std::is_same_v<W, const unsigned char *> || std::is_same_v<W, const signed char *>;

/// Whether it is a view that is made of an address and a length.
template <class W, class = void>
struct is_made_view : std::false_type {};
template <class W>
struct is_made_view<W, std::enable_if_t<std::is_constructible_v<W, decltype(std::declval<W &>().data()), std::size_t>>> : is_view_of_memory<W> {};
template <class W>
struct MadeView : is_made_view<W> {};  // of one parameter, as HasPart takes it

/// A result, or item number `item` of it, a `D`, as a `W`. `target` has room for a text that C gets a pointer to.
template <class W, class F, class D = typename F::Result, class V>
W given_back([[maybe_unused]] V &value, [[maybe_unused]] Target &target, [[maybe_unused]] std::size_t item = 0) {
    if constexpr (MadeAnswer<W, V>::value) {
        return MadeAnswer<W, V>::get(value, target.addressed().made_of(item), Where(F::returned));
    } else if constexpr (std::is_same_v<V, bool> && std::is_arithmetic_v<W>) {
        return static_cast<W>(value);
    } else if constexpr ((std::is_arithmetic_v<V> || std::is_enum_v<V>) && std::is_enum_v<W>) {
        return static_cast<W>(checked<std::underlying_type_t<W>>(value, F::returned));
    } else if constexpr ((std::is_arithmetic_v<V> || std::is_enum_v<V>) && std::is_arithmetic_v<W>) {
        static_assert(!std::is_floating_point_v<V> || std::is_floating_point_v<W>,
                      "wrapper-gen: the result of a callable would lose its meaning: the spec declares a floating-point number, C++ wants an integer");
        return checked<W>(value, F::returned);
    } else if constexpr (std::is_same_v<V, std::string> && std::is_same_v<W, const char *>) {
        std::string &text = target.addressed().text_of(item);
        text = std::move(value);
        return c_text(text, F::returned);
    } else if constexpr (std::is_same_v<D, types::Bytes> && is_address_of_bytes<W>) {
        std::string &bytes = target.addressed().text_of(item);
        bytes = std::move(value);
        return reinterpret_cast<W>(bytes.data());
    } else if constexpr (std::is_same_v<V, std::string> && is_made_view<W>::value) {
        std::string &text = target.addressed().text_of(item);
        text = std::move(value);
        return W(reinterpret_cast<decltype(std::declval<W &>().data())>(const_cast<char *>(text.data())), text.size());
    } else if constexpr (KeptBeside<V>::value && std::is_constructible_v<W, V &&>) {
        target.addressed().made_of(item) = std::move(value.kept);
        return static_cast<W>(std::move(value));
    } else {
        static_assert(!HasPart<MadeView, W>::value, "wrapper-gen: C++ takes a view as the result of a callable, and what it would refer to is gone when the callable has returned");
        if constexpr (is_fitted<W, V>()) return fit<W>(std::move(value), Where(F::returned));
        else return HeldBy<D>::template get<W>(value);
    }
}

/// Whether C++ can have the result of a callable as a `W`, or is told in words of ours why not: no std::function with another result is made of it.
template <class F, class W>
constexpr bool answers_as() {
    using D = typename F::Result;
    if constexpr (F::is_listed || std::is_void_v<D> || std::is_void_v<W> || std::is_reference_v<W>) {
        return true;
    } else {
        using V = Value<D>;
        constexpr bool is_number = std::is_arithmetic_v<V> || std::is_enum_v<V>;
        if constexpr (MadeAnswer<W, V>::value || (is_number && (std::is_arithmetic_v<W> || std::is_enum_v<W>))) return true;
        else if constexpr (std::is_same_v<V, std::string> && std::is_same_v<W, const char *>) return true;
        else if constexpr ((std::is_same_v<D, types::Bytes> && is_address_of_bytes<W>) || HasPart<MadeView, W>::value) return true;
        else return is_fitted<W, V>() || HeldBy<D>::template becomes<W>;
    }
}

/// The arguments of one call from C, by the parts that the spec lists.
template <class F, class... C>
struct GivenByC {
    using Found = Taking<typename F::Listed, C...>;
    Pack<C...> &all;

    template <std::size_t i>
    decltype(auto) get() const {
        return Found::template argument<i>(all);
    }
};

/// What C gets of an answer.
template <class W, class F, std::size_t... I, class... C>
W handed_over([[maybe_unused]] AnswerOf<F> &answer, [[maybe_unused]] Target &target, [[maybe_unused]] PackOf<std::index_sequence<I...>, C...> &arguments) {
    if constexpr (F::is_listed) return F::template hand_over<F, W>(answer, target, GivenByC<F, C...>{arguments});
    else if constexpr (std::is_void_v<W>) return;
    else if constexpr (std::is_void_v<typename F::Result>) return W();
    else return given_back<W, F>(answer.value, target);
}

/// What C gets where there is no answer.
template <class W, class F, std::size_t... I, class... C>
W without_answer([[maybe_unused]] AnswerOf<F> &answer, [[maybe_unused]] PackOf<std::index_sequence<I...>, C...> &arguments) {
    if constexpr (F::answers_failure) return F::Said::template wg_failed<W>(F::returned, answer.failure, GivenByC<F, C...>{arguments}, answer.failure.text.c_str());
    else return F::template fallback<W>();
}

/// Keeps what is thrown now for the end of the outer call, or of the one that waits for the target, and its words for C.
template <class F>
void keep_thrown_now([[maybe_unused]] AnswerOf<F> &answer, Target *target) noexcept {
    if constexpr (F::answers_failure) {
        try {
            throw;
        } catch (const std::exception &e) {
            answer.failure.text = e.what();
        } catch (...) {
        }
    }
    keep_thrown.load()(target);
}

/// Calls with what C++ gives; false where nothing was called, or it raised. Arguments that are not what they should be are thrown.
template <class F, std::size_t... I, class... C>
bool called(TargetOf<F> &target, AnswerOf<F> &answer, PackOf<std::index_sequence<I...>, C...> &arguments) {
    const CallsOfThread &calls = CallsOfThread::here();
    Outer *outer = calls.outer;
    if (outer == nullptr ? calls.calls_nothing : outer->has_raised) return false;
    if (target.has_raised_elsewhere()) return false;
    if (target.has_ended()) fail_ended(F::name);
    auto values = Taking<typename F::Listed, C...>::read(arguments);
    if (!target.call(outer, values, answer)) return false;
    if constexpr (!std::is_void_v<typename F::Result>)
        if (answer.alive) {
            if (outer != nullptr) outer->keep(answer.alive);
            else target.addressed().alive = answer.alive;
        }
    return true;
}

}  // namespace wg

#endif  // WG_CALLBACKS_CALLBACK_VALUES_HPP
