// How C++ calls a callable: as an object of its own, as a std::function, as a function pointer of C with or without user data.
// Static: the same for all packages. Included by generated C++ only.
#ifndef WG_CALLBACKS_CALLBACKS_HPP
#define WG_CALLBACKS_CALLBACKS_HPP

#include <array>
#include <functional>
#include <optional>
#include <vector>

#include "wg/callbacks/callback_values.hpp"
#include "wg/callbacks/changed_arguments.hpp"
#include "wg/callbacks/passing.hpp"

namespace wg {

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

/// A list whose elements C++ may want as another type.
template <class D>
struct Natural<types::List<D>> {
    static constexpr bool may_convert = std::is_class_v<Value<D>> && !std::is_same_v<Value<D>, std::string>;
    using type = std::conditional_t<may_convert, AlsoFitted<Value<types::List<D>>>, Value<types::List<D>>>;
};

/// Several handles: pointers to their structs, or, where C++ wants that, what they hold.
template <class H>
struct HandlesGiven : std::vector<H *> {
    HandlesGiven() = default;
    explicit HandlesGiven(std::vector<H *> &&handles) : std::vector<H *>(std::move(handles)) {}

    template <class W, class = std::enable_if_t<std::is_convertible_v<decltype((std::declval<H &>().inner)), W>>>
    operator std::vector<W>() const {
        return HeldBy<types::List<types::Handle<H>>>::template get<std::vector<W>>(*this);
    }
};
template <class H>
struct Natural<types::List<types::Handle<H>>> {
    using type = HandlesGiven<H>;
};
/// None is a null pointer where handles hold pointers.
template <class H>
struct Natural<types::Optional<types::Handle<H>>> {
    using type = std::conditional_t<is_pointer_like<std::remove_cv_t<decltype(H::inner)>>::value, decltype(H::inner), std::optional<decltype(H::inner)>>;
};

template <class R, class... A>
using FunctionPointer = R (*)(A...);

/// Whether a spec lists all that C passes, a `void *` among it as `_`, which nothing uses: what C has there is not ours.
template <class F, class... C>
constexpr bool lists_another() {
    if constexpr (F::is_listed && F::user_data == UserData::deduced) return Taking<typename F::Listed, C...>::is_clear();
    else return false;
}

/// The parameter of a C callback that is its user data; as many as there are, where none is.
template <class F, class... C>
constexpr std::size_t user_data_at() {
    constexpr std::size_t count = sizeof...(C);
    if constexpr (lists_another<F, C...>()) return count;
    if constexpr (F::user_data == UserData::listed) return Taking<typename F::Listed, C...>::way().starts[F::user_data_part];
    if (F::user_data == UserData::computed) return 0;
    constexpr bool is[] = {std::is_same_v<C, void *>..., false};
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

/// What C++ gets of a result where it does not say what it wants.
template <class F>
using NaturalResult = typename Natural<typename F::Result>::type;

/// A callable, for C++ to copy: null where there may be none, and is none.
template <class F>
class AnyCallable {
public:
    AnyCallable() = default;
    /// Takes over the count of a new target.
    explicit AnyCallable(TargetOf<F> *target) noexcept : target_(target) {}
    AnyCallable(const AnyCallable &other) noexcept : target_(other.target_) {
        if (target_ != nullptr) target_->add();
    }
    AnyCallable(AnyCallable &&other) noexcept : target_(std::exchange(other.target_, nullptr)) {}
    AnyCallable &operator=(AnyCallable other) noexcept {
        std::swap(target_, other.target_);
        return *this;
    }
    ~AnyCallable() {
        if (target_ != nullptr) target_->drop();
    }

    explicit operator bool() const noexcept { return target_ != nullptr; }
    TargetOf<F> *target() const noexcept { return target_; }

    /// Calls it, with a result that C++ wants.
    template <class W, class... C>
    W call_as(C &&...c) const {
        TargetOf<F> *const target = target_;  // this may be gone when it returns
        if (target == nullptr) throw std::bad_function_call();
        [[maybe_unused]] const KeptForCall<F::lasting> kept(*target);
        return call_target<W>(*target, std::forward<C>(c)...);
    }

    /// A function pointer without user data.
    template <class R, class... C, class = std::enable_if_t<is_for_c<F> && !has_user_data<F, C...> && Taking<typename F::Listed, C...>::is_clear()>>
    operator FunctionPointer<R, C...>() const;

private:
    template <class W, class... C>
    static W call_target(TargetOf<F> &target, C &&...c) {
        AnswerOf<F> answer;
        Pack<C &&...> arguments{{std::forward<C>(c)}...};
        try {
            if (called<F>(target, answer, arguments)) return handed_over<W, F>(answer, target, arguments);
        } catch (const Unwinding &) {
            throw;
        } catch (...) {
            if (Outer::innermost() != nullptr && !F::has_fallback) throw;
            keep_thrown_now<F>(answer, &target);
        }
        if (Outer::innermost() != nullptr && !F::has_fallback) throw Raised();
        return without_answer<W, F>(answer, arguments);
    }

    TargetOf<F> *target_ = nullptr;
};

/// Whether the spec's arguments are what C++ calls it with, and its result what C++ wants.
template <class F, class R, class... C>
constexpr bool goes_as_function() {
    if constexpr (Taking<typename F::Listed, C...>::is_clear()) return answers_as<F, R>();
    else return false;
}

/// A std::function: empty where there is no callable, and with a result that is checked.
template <class R, class... C, class F>
std::function<R(C...)> function_of(const AnyCallable<F> &callable) {
    check_no_copies<F, C...>();
    if (!callable) return nullptr;
    return [own = callable](C... c) -> R { return own.template call_as<R>(std::forward<C>(c)...); };
}

/// A callable as code of the spec has it. It becomes a std::function as an argument does. A std::function would take any object that can be called, also
/// a copy of one that is none, and would convert the result itself: what it asks is whether the copy can be called, so none can that is not const.
template <class F>
class Callable : public AnyCallable<F> {
    static constexpr bool is_as_it_is = !F::is_optional && (std::is_void_v<NaturalResult<F>> || std::is_same_v<NaturalResult<F>, bool>);

public:
    using AnyCallable<F>::AnyCallable;

    template <class... C, class = std::enable_if_t<!F::is_listed && Taking<typename F::Listed, C &&...>::is_clear()>>
    NaturalResult<F> operator()(C &&...c) const & {
        return this->template call_as<NaturalResult<F>>(std::forward<C>(c)...);
    }
    /// wrapper-gen: call it through a std::function, or a lambda that calls it: [&](auto &&...x) { return f(x...); }
    template <class... C, class = std::enable_if_t<!is_as_it_is && !F::is_listed && Taking<typename F::Listed, C &&...>::is_clear()>>
    NaturalResult<F> operator()(C &&...c) & = delete;

    template <class R, class... C, class = std::enable_if_t<(!is_as_it_is || F::is_listed) && goes_as_function<F, R, C...>()>>
    operator std::function<R(C...)>() const {
        return function_of<R, C...>(*this);
    }
};

/// A callable as an argument of what a spec names: a template calls it as it likes.
template <class F>
class Invocable : public AnyCallable<F> {
public:
    Invocable(const Callable<F> &callable) noexcept : AnyCallable<F>(callable) {}

    template <class... C, class = std::enable_if_t<!F::is_listed && Taking<typename F::Listed, C &&...>::is_clear()>>
    NaturalResult<F> operator()(C &&...c) const {
        return this->template call_as<NaturalResult<F>>(std::forward<C>(c)...);
    }
    /// Where a std::function does not take it itself.
    template <class R, class... C,
              class = std::enable_if_t<!std::is_void_v<R> && !std::is_convertible_v<NaturalResult<F>, R> && goes_as_function<F, R, C...>()>>
    operator std::function<R(C...)>() const {
        return function_of<R, C...>(*this);
    }
};

/// What becomes a std::function.
template <class F>
struct AsFunction {
    const Callable<F> &callable;

    template <class R, class... C, class = std::enable_if_t<goes_as_function<F, R, C...>()>>
    operator std::function<R(C...)>() const {
        return function_of<R, C...>(callable);
    }
};

// --- C's callbacks --------------------------------------------------------------------------------------

/// A call from C, with a pack of what it gives. Nothing is thrown into C.
template <class F, class R, class Given>
R call_from_c(std::uintptr_t token, Given arguments) {
    const Found found(token);
    AnswerOf<F> answer;
    try {
        if (found.get() == nullptr) fail_ended(F::name);
        if (!found.get()->is_of(&callable_kind<F>)) fail_other(F::name);
        auto *const target = static_cast<TargetOf<F> *>(found.get());
        const EndsTarget ends{F::lasting == Lasting::once ? target : nullptr};
        if (called<F>(*target, answer, arguments)) {
            const KeepsAddressed keeps{*target, F::lasting == Lasting::once};
            return handed_over<R, F>(answer, *target, arguments);
        }
    } catch (const Unwinding &) {
        throw;
    } catch (...) {
        keep_thrown_now<F>(answer, found.get());
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

    /// The function, whose arguments are looked at where it is wanted.
    static constexpr auto checked() {
        if constexpr (is_whole) check_no_copies<F, C...>();
        else check_each(without(std::make_index_sequence<count - 1>()));
        return &Trampoline::call;
    }

    static constexpr bool goes() {
        if constexpr (is_whole || has_user_data<F, C...>) return is_clear();
        else return takes(Types<C...>());
    }

    static R call(C... c) {
        Pack<C &...> all{{c}...};
        if constexpr (is_whole) return call_from_c<F, R>(token(all), all);
        else return pass(std::make_index_sequence<count - 1>(), all);
    }

private:
    template <class... D>
    static constexpr void check_each(Types<D...>) {
        check_no_copies<F, D...>();
    }
    static std::uintptr_t token(Pack<C &...> &all) {
        if constexpr (F::user_data == UserData::computed)
            return reinterpret_cast<std::uintptr_t>(F::Said::wg_user_data(GivenByC<F, C &...>{all})) + 2 * F::place;
        else
            return reinterpret_cast<std::uintptr_t>(packs::at<at>(all)) + 2 * F::place;
    }
    template <std::size_t... I>
    static R pass(std::index_sequence<I...>, Pack<C &...> &all) {
        const auto token = reinterpret_cast<std::uintptr_t>(packs::at<at>(all)) + 2 * F::place;
        return call_from_c<F, R>(token, Pack<PackedAt<(I < at ? I : I + 1), Pack<C &...>>...>{{packs::at<(I < at ? I : I + 1)>(all)}...});
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
        for (std::size_t i = 0; i < count; ++i)  // C++ may ask for it more than once
            if (target.has_slot(tokens[i])) return functions[i];
        for (std::size_t i = 0; i < count; ++i) {
            std::uintptr_t none = 0;
            if (!tokens[i].compare_exchange_strong(none, target.token(), std::memory_order_acq_rel)) continue;
            target.add_slot(tokens[i]);
            return functions[i];
        }
        throw Own<std::runtime_error>(std::string(F::name) + ": C has no user data for this callable, and all " + std::to_string(count) +
                                      " functions for such ones are in use");
    }

private:
    static inline std::atomic<std::uintptr_t> tokens[count] = {};

    template <std::size_t i>
    static R call(C... c) {
        return call_from_c<F, R>(tokens[i].load(std::memory_order_acquire), Pack<C &...>{{c}...});
    }
    template <std::size_t... i>
    static constexpr std::array<R (*)(C...), count> listed(std::index_sequence<i...>) {
        return {&call<i>...};
    }
};

template <class F>
template <class R, class... C, class>
AnyCallable<F>::operator FunctionPointer<R, C...>() const {
    check_no_copies<F, C...>();
    return target_ == nullptr ? nullptr : Slots<F, R, C...>::take(*target_);
}

/// What C calls when it needs a callable no more.
inline void destroyed(void *user_data) {
    const Found found(reinterpret_cast<std::uintptr_t>(user_data));
    if (found.get() != nullptr) found.get()->end();
}

}  // namespace wg

#endif  // WG_CALLBACKS_CALLBACKS_HPP
