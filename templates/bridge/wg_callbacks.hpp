// How C++ calls a callable: as an object of its own, as a std::function, as a function pointer of C with or without user data.
// Static: the same for all packages. Included by generated C++ only.
#ifndef WG_CALLBACKS_HPP
#define WG_CALLBACKS_HPP

#include <array>
#include <functional>

#include "wg_targets.hpp"

namespace wg {

// --- what C++ calls it with -----------------------------------------------------------------------

/// Whether values of this type lie in a row, which C has as an address and a length.
template <class D>
constexpr bool lies_in_a_row = false;
template <>
inline constexpr bool lies_in_a_row<types::Text> = true;
template <>
inline constexpr bool lies_in_a_row<types::Bytes> = true;
template <class T>
constexpr bool lies_in_a_row<types::List<types::Number<T>>> = !std::is_same_v<T, bool>;
template <class D>
constexpr bool is_number_type = false;
template <class T>
constexpr bool is_number_type<types::Number<T>> = true;
template <>
inline constexpr bool is_number_type<types::Size> = true;

/// Whether a `D` can be made of a `C`, as far as it matters to tell ways apart.
template <class D, class C>
constexpr bool is_single() {
    using T = std::decay_t<C>;
    if constexpr (is_number_type<D>) return !std::is_pointer_v<T>;
    else if constexpr (std::is_same_v<D, types::Text>) return !std::is_arithmetic_v<T> && !std::is_enum_v<T>;
    else if constexpr (lies_in_a_row<D>) return std::is_class_v<T>;
    else return true;
}
template <class D, class C, class N>
constexpr bool is_row() {
    return lies_in_a_row<D> && std::is_pointer_v<std::decay_t<C>> && std::is_integral_v<std::decay_t<N>>;
}

/// What an argument of C stands for: here what Python sees, as a value, or as an address and a length.
template <class D>
struct Part {
    static constexpr bool is_seen = true, is_listed = false;
    template <class C>
    static constexpr bool single = is_single<D, C>();
    template <class C, class N>
    static constexpr bool row = is_row<D, C, N>();
};

/// Elements in a row as a `D`.
template <class D, class P>
Value<D> run_of(P first, std::size_t size) {
    if constexpr (std::is_same_v<Value<D>, std::string>)
        return size == 0 ? std::string() : std::string(reinterpret_cast<const char *>(first), size);
    else
        return size == 0 ? Value<D>() : Value<D>(first, first + size);
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

    template <class Tuple>
    static auto read([[maybe_unused]] Tuple &arguments) {
        return read(arguments, std::index_sequence_for<D...>());
    }
    /// The argument that the part `i` is, or starts with.
    template <std::size_t i, class Tuple>
    static decltype(auto) argument(Tuple &arguments) {
        return std::get<way().starts[i]>(arguments);
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

    template <class Tuple, std::size_t... I>
    static auto read([[maybe_unused]] Tuple &arguments, std::index_sequence<I...>) {
        constexpr Way found = way();
        if constexpr ((Part<D>::is_seen && ...))
            return std::tuple<Value<D>...>{one<D, found.starts[I], found.is_pair[I]>(arguments)...};
        else
            return std::tuple_cat(seen<D, I>(arguments)...);
    }
    /// What Python sees of a part, if anything.
    template <class T, std::size_t i, class Tuple>
    static auto seen(Tuple &arguments) {
        constexpr Way found = way();
        if constexpr (!Part<T>::is_seen)
            return std::tuple<>();
        else if constexpr (Part<T>::is_listed)
            return std::make_tuple(Part<T>::template read<Taking>(argument<i>(arguments), arguments));
        else
            return std::tuple<Value<T>>{one<T, found.starts[i], found.is_pair[i]>(arguments)};
    }
    template <class T, std::size_t start, bool is_pair, class Tuple>
    static Value<T> one(Tuple &arguments) {
        auto &&first = std::get<start>(arguments);
        using From = std::decay_t<decltype(first)>;
        if constexpr (is_pair) {
            return run_of<T>(first, static_cast<std::size_t>(std::get<start + 1>(arguments)));
        } else if constexpr (std::is_same_v<T, types::Text> && std::is_same_v<From, const unsigned char *>) {
            return wg::convert<std::string>(reinterpret_cast<const char *>(first));
        } else {
            return AsDeclared<T>()(mutable_pointer(std::forward<decltype(first)>(first)));
        }
    }
    /// A handle has no const in it.
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

/// What a handle holds, of a result that is one.
template <class D>
struct HeldBy {
    template <class W, class V>
    static W get(V &value) {
        return static_cast<W>(std::move(value));
    }
};
template <class H>
struct HeldBy<types::Handle<H>> {
    template <class W>
    static W get(H *value) {
        return value->inner;
    }
};
template <class H>
struct HeldBy<types::Optional<types::Handle<H>>> {
    template <class W>
    static W get(const std::optional<H *> &value) {
        return value ? W((*value)->inner) : W();
    }
};

template <class S>
struct HeldBy<types::Struct<S>> {
    template <class W, class V>
    static W get(V &value) {
        static_assert(std::is_same_v<typename RawOf<V>::type, V>,
                      "wrapper-gen: the result of a callable is a struct with pointers: what they point to is gone when the callable has returned");
        return static_cast<W>(std::move(value));
    }
};

/// A result, or the item `D` of it, as a `W`. `text` is room for one that C gets a pointer to.
template <class W, class F, class D = typename F::Result, class V>
W given_back([[maybe_unused]] V &value, [[maybe_unused]] std::string &text) {
    if constexpr (std::is_same_v<V, bool> && std::is_arithmetic_v<W>) {
        return static_cast<W>(value);
    } else if constexpr ((std::is_arithmetic_v<V> || std::is_enum_v<V>) && std::is_enum_v<W>) {
        return static_cast<W>(checked<std::underlying_type_t<W>>(value, F::returned));
    } else if constexpr ((std::is_arithmetic_v<V> || std::is_enum_v<V>) && std::is_arithmetic_v<W>) {
        static_assert(!std::is_floating_point_v<V> || std::is_floating_point_v<W>,
                      "wrapper-gen: the result of a callable would lose its meaning: the spec declares a floating-point number, C++ wants an integer");
        return checked<W>(value, F::returned);
    } else if constexpr (std::is_same_v<V, std::string> && std::is_same_v<W, const char *>) {
        text = std::move(value);
        return c_text(text, F::returned);
    } else {
        return HeldBy<D>::template get<W>(value);
    }
}

/// The arguments of one call from C, by the parts that the spec lists.
template <class F, class... C>
struct GivenByC {
    using Found = Taking<typename F::Listed, C...>;
    std::tuple<C...> &all;

    template <std::size_t i>
    decltype(auto) get() const {
        return Found::template argument<i>(all);
    }
};

/// What C gets of an answer.
template <class W, class F, class... C>
W handed_over([[maybe_unused]] AnswerOf<F> &answer, [[maybe_unused]] Target &target, [[maybe_unused]] std::tuple<C...> &arguments) {
    if constexpr (F::is_listed) return F::template hand_over<F, W>(answer, target, GivenByC<F, C...>{arguments});
    else if constexpr (std::is_void_v<W>) return;
    else if constexpr (std::is_void_v<typename F::Result>) return W();
    else return given_back<W, F>(answer.value, target.text);
}

/// What C gets where there is no answer.
template <class W, class F, class... C>
W without_answer([[maybe_unused]] AnswerOf<F> &answer, [[maybe_unused]] std::tuple<C...> &arguments) {
    if constexpr (F::is_told) return F::Said::template wg_failed<W>(F::returned, answer.failure, GivenByC<F, C...>{arguments});
    else return F::template fallback<W>();
}

/// Keeps what is thrown now for the end of the outer call, and its words for C.
template <class F>
void keep_thrown_now([[maybe_unused]] AnswerOf<F> &answer) noexcept {
    if constexpr (F::is_told) {
        try {
            throw;
        } catch (const std::exception &e) {
            answer.failure.text = e.what();
        } catch (...) {
        }
    }
    keep_thrown.load()();
}

/// Calls with what C++ gives; false where nothing was called, or it raised. Arguments that are not what they should be are thrown.
template <class F, class... C>
bool called(TargetOf<F> &target, AnswerOf<F> &answer, std::tuple<C...> &arguments) {
    Outer *outer = Outer::innermost();
    if (outer != nullptr && outer->has_raised) return false;
    if (target.has_ended()) fail_ended(F::name);
    auto values = Taking<typename F::Listed, C...>::read(arguments);
    if (!target.call(outer, values, answer)) return false;
    if constexpr (!std::is_void_v<typename F::Result>)
        if (outer != nullptr && answer.alive) outer->alive.push_back(answer.alive);
    return true;
}

// --- C++'s callable -----------------------------------------------------------------------------------

/// What C++ gets of a result that nothing else is known of.
template <class D>
struct Natural {
    using type = Value<D>;
};
template <>
struct Natural<void> {
    using type = void;
};
template <class H>
struct Natural<types::Handle<H>> {
    using type = decltype(H::inner);
};

template <class R, class... A>
using FunctionPointer = R (*)(A...);

/// The parameter of a C callback that is its user data; as many as there are, where none is.
template <class F, class... C>
constexpr std::size_t user_data_at() {
    constexpr std::size_t count = sizeof...(C);
    if constexpr (F::user_data == UserData::listed) return Taking<typename F::Listed, C...>::way().starts[F::user_data_part];
    if (F::user_data == UserData::computed) return 0;
    constexpr bool is[] = {std::is_same_v<C, void *>..., false};
    if (F::user_data == UserData::first) return is[0] ? 0 : count;
    if (F::user_data == UserData::last) return count != 0 && is[count - 1] ? count - 1 : count;
    std::size_t found = count;
    for (std::size_t i = 0; i < count; ++i) {
        if (is[i] && found != count) return count;
        if (is[i]) found = i;
    }
    return found;
}
template <class F, class... C>
constexpr bool has_user_data = user_data_at<F, C...>() < sizeof...(C);

/// Whether the spec says how long C has a function pointer.
template <class F>
constexpr bool is_for_c = F::lasting != Lasting::unsaid && F::lasting != Lasting::held;

/// A callable, for C++ to call and to copy: null where there may be none, and is none.
template <class F>
class Callable {
public:
    Callable() = default;
    /// Takes over the count of a new target.
    explicit Callable(TargetOf<F> *target) noexcept : target_(target) {}
    Callable(const Callable &other) noexcept : target_(other.target_) {
        if (target_ != nullptr) target_->add();
    }
    Callable(Callable &&other) noexcept : target_(std::exchange(other.target_, nullptr)) {}
    Callable &operator=(Callable other) noexcept {
        std::swap(target_, other.target_);
        return *this;
    }
    ~Callable() {
        if (target_ != nullptr) target_->drop();
    }

    explicit operator bool() const noexcept { return target_ != nullptr; }
    TargetOf<F> *target() const noexcept { return target_; }

    template <class... C, class = std::enable_if_t<!F::is_listed && Taking<typename F::Listed, C &&...>::is_clear()>>
    typename Natural<typename F::Result>::type operator()(C &&...c) const {
        return call_as<typename Natural<typename F::Result>::type>(std::forward<C>(c)...);
    }

    /// The same with a result that C++ wants.
    template <class W, class... C>
    W call_as(C &&...c) const {
        if (target_ == nullptr) throw std::bad_function_call();
        if (F::lasting == Lasting::once) {
            const Callable kept(*this);
            const Ending ending{*target_};
            return call_target<W>(std::forward<C>(c)...);
        }
        return call_target<W>(std::forward<C>(c)...);
    }

    /// A function pointer without user data.
    template <class R, class... C, class = std::enable_if_t<is_for_c<F> && !has_user_data<F, C...> && Taking<typename F::Listed, C...>::is_clear()>>
    operator FunctionPointer<R, C...>() const;

private:
    struct Ending {
        Target &target;
        ~Ending() { target.end(); }
    };

    template <class W, class... C>
    W call_target(C &&...c) const {
        AnswerOf<F> answer;
        auto arguments = std::forward_as_tuple(std::forward<C>(c)...);
        try {
            if (called<F>(*target_, answer, arguments)) return handed_over<W, F>(answer, *target_, arguments);
        } catch (const Unwinding &) {
            throw;
        } catch (...) {
            if (Outer::innermost() != nullptr && !F::has_fallback) throw;
            keep_thrown_now<F>(answer);
        }
        if (Outer::innermost() != nullptr && !F::has_fallback) throw Raised();
        return without_answer<W, F>(answer, arguments);
    }

    TargetOf<F> *target_ = nullptr;
};

/// What becomes a std::function, whose result is checked.
template <class F>
struct AsFunction {
    const Callable<F> &callable;

    template <class R, class... C, class = std::enable_if_t<Taking<typename F::Listed, C...>::is_clear()>>
    operator std::function<R(C...)>() const {
        if (!callable) return nullptr;
        return [own = callable](C... c) -> R { return own.template call_as<R>(std::forward<C>(c)...); };
    }
};

// --- C's callbacks --------------------------------------------------------------------------------------

/// A call from C. Nothing is thrown into C.
template <class F, class R, class... C>
R call_from_c(std::uintptr_t token, std::tuple<C...> arguments) {
    const Found found(token);
    AnswerOf<F> answer;
    try {
        auto *target = static_cast<TargetOf<F> *>(found.get());
        if (target == nullptr) fail_ended(F::name);
        const bool is_done = called<F>(*target, answer, arguments);
        if (F::lasting == Lasting::once) target->end();
        if (is_done) return handed_over<R, F>(answer, *target, arguments);
    } catch (const Unwinding &) {
        throw;
    } catch (...) {
        keep_thrown_now<F>(answer);
    }
    return without_answer<R, F>(answer, arguments);
}

/// The function that C gets, where it passes user data back.
template <class F, class R, class... C>
struct Trampoline {
    static constexpr std::size_t at = user_data_at<F, C...>(), count = sizeof...(C);

    template <std::size_t... I>
    static constexpr auto without(std::index_sequence<I...>) {
        return Types<std::tuple_element_t<(I < at ? I : I + 1), std::tuple<C...>>...>();
    }
    template <class... D>
    static constexpr bool takes(Types<D...>) {
        return Taking<typename F::Listed, D...>::is_clear();
    }
    /// Whether the spec lists all arguments, the user data among them.
    static constexpr bool is_whole = F::user_data == UserData::listed || F::user_data == UserData::computed;
    static constexpr bool is_clear() {
        if constexpr (is_whole) return takes(Types<C...>());
        else return takes(without(std::make_index_sequence<count - 1>()));
    }

    static constexpr bool goes() {
        if constexpr (is_whole || has_user_data<F, C...>) return is_clear();
        else return takes(Types<C...>());
    }

    static R call(C... c) {
        if constexpr (is_whole) return call_from_c<F, R>(token(std::forward_as_tuple(c...)), std::forward_as_tuple(c...));
        else return pass(std::make_index_sequence<count - 1>(), std::forward_as_tuple(c...));
    }

private:
    static std::uintptr_t token(std::tuple<C &...> all) {
        if constexpr (F::user_data == UserData::computed)
            return reinterpret_cast<std::uintptr_t>(F::Said::wg_user_data(GivenByC<F, C &...>{all}));
        else
            return reinterpret_cast<std::uintptr_t>(std::get<at>(all));
    }
    template <std::size_t... I>
    static R pass(std::index_sequence<I...>, std::tuple<C &...> all) {
        const auto token = reinterpret_cast<std::uintptr_t>(std::get<at>(all));
        return call_from_c<F, R>(token, std::forward_as_tuple(std::get<(I < at ? I : I + 1)>(all)...));
    }
};

/// Whether a callback that a spec lists can go as this C++ type.
template <class F, class T>
constexpr bool goes_as = true;
template <class F, class R, class... C>
constexpr bool goes_as<F, R (*)(C...)> = Trampoline<F, R, C...>::goes();

/// Functions for C callbacks without user data: each stands for one callable at a time.
template <class F, class R, class... C>
struct Slots {
    static constexpr std::size_t count = 16;

    static auto take(Target &target) -> R (*)(C...) {
        static constexpr std::array<R (*)(C...), count> functions = listed(std::make_index_sequence<count>());
        for (std::size_t i = 0; i < count; ++i) {
            std::uintptr_t none = 0;
            if (!tokens[i].compare_exchange_strong(none, target.token(), std::memory_order_acq_rel)) continue;
            target.set_slot(tokens[i]);
            return functions[i];
        }
        throw Own<std::runtime_error>(std::string(F::name) + ": C has no user data for this callable, and all " + std::to_string(count) +
                                      " functions for such ones are in use");
    }

private:
    static inline std::atomic<std::uintptr_t> tokens[count] = {};

    template <std::size_t i>
    static R call(C... c) {
        return call_from_c<F, R>(tokens[i].load(std::memory_order_acquire), std::forward_as_tuple(c...));
    }
    template <std::size_t... i>
    static constexpr std::array<R (*)(C...), count> listed(std::index_sequence<i...>) {
        return {&call<i>...};
    }
};

template <class F>
template <class R, class... C, class>
Callable<F>::operator FunctionPointer<R, C...>() const {
    return target_ == nullptr ? nullptr : Slots<F, R, C...>::take(*target_);
}

/// What C calls when it needs a callable no more.
inline void destroyed(void *user_data) {
    const Found found(reinterpret_cast<std::uintptr_t>(user_data));
    if (found.get() != nullptr) found.get()->end();
}

}  // namespace wg

#endif  // WG_CALLBACKS_HPP
