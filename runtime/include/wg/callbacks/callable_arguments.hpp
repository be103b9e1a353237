// Callables as arguments of a call: in the form that the C++ function wants, with their user data beside them or elsewhere.
// Static: the same for all packages. Included by generated C++ only.
#ifndef WG_CALLBACKS_CALLABLE_ARGUMENTS_HPP
#define WG_CALLBACKS_CALLABLE_ARGUMENTS_HPP

#include "wg/callbacks/callbacks.hpp"

namespace wg {

/// What a template takes, and any class that can be made of a callable; but a std::function cannot: this one becomes it in two ways.
template <class F>
struct InTwoWays : Invocable<F>, AsFunction<F> {};

/// A callable for argument `At`: itself, or a std::function. One that a spec lists is no object of C++.
template <class Whole, class Given, std::size_t At, class F>
decltype(auto) callable(const Callable<F> &value) {
    if constexpr (F::is_listed)
        return (value);
    else if constexpr (takes<Whole, Given, At, const InTwoWays<F> &>)
        return Invocable<F>(value);
    else
        return AsFunction<F>{value};
}

/// A function pointer whose calls come with user data.
template <class F>
struct AsCallback {
    const Callable<F> &callable;

    template <class R, class... C, class = std::enable_if_t<is_for_c<F> && has_user_data<F, C...>>, class = std::enable_if_t<Trampoline<F, R, C...>::is_clear()>>
    operator FunctionPointer<R, C...>() const {
        return callable ? Trampoline<F, R, C...>::checked() : nullptr;
    }
};

/// Its user data.
template <class F>
struct AsUserData {
    const Callable<F> &callable;

    template <class T, class = std::enable_if_t<std::is_same_v<T, void *> || std::is_same_v<T, const void *>>>
    operator T() const {
        return callable ? reinterpret_cast<void *>(callable.target()->token()) : nullptr;
    }
};

/// One of these as part of a call.
template <class As>
struct CallablePart {
    using Asked = const As &;
    As value;

    template <class Whole, class Given, std::size_t At>
    const As &given() const {
        return value;
    }
};

template <class F>
struct CallableIn {
    using Asked = std::conditional_t<F::is_listed, const Callable<F> &, const Invocable<F> &>;
    const Callable<F> &value;

    template <class Whole, class Given, std::size_t At>
    decltype(auto) given() const {
        return callable<Whole, Given, At>(value);
    }
};
namespace hidden {  // from argument-dependent lookup: a library may have a function of this name
template <class F>
CallableIn<F> callable_in(const Callable<F> &value) {
    return {value};
}
}  // namespace hidden
using namespace hidden;

/// A callable as the C++ type that the spec says; a variadic function takes it, too.
template <class F>
typename F::Said::wg_Type typed(const Callable<F> &value) {
    using T = typename F::Said::wg_Type;
    if constexpr (std::is_convertible_v<AsCallback<F>, T>) return AsCallback<F>{value};
    else if constexpr (std::is_convertible_v<AsFunction<F>, T>) return AsFunction<F>{value};
    else return static_cast<T>(value);
}
template <class T>
struct TypedPart {
    using Asked = const T &;
    T value;

    template <class Whole, class Given, std::size_t At>
    const T &given() const {
        return value;
    }
};

namespace hidden {  // from argument-dependent lookup: a library may have a function of this name
/// The function pointer, and its user data: behind it, or where the spec says.
template <class F>
auto address_in(const Callable<F> &value, const char * = "") {
    if constexpr (F::has_type) return TypedPart<typename F::Said::wg_Type>{typed(value)};
    else return CallablePart<AsCallback<F>>{{value}};
}
template <class F>
auto user_data_in(const Callable<F> &value) {
    if constexpr (F::has_type) return TypedPart<void *>{AsUserData<F>{value}};
    else return CallablePart<AsUserData<F>>{{value}};
}
}  // namespace hidden
using namespace hidden;

/// A function pointer, then its user data.
template <class F>
auto parts_of(CallableIn<F> &&in, std::true_type) {
    return packs::of(address_in(in.value), user_data_in(in.value));
}

namespace hidden {  // from argument-dependent lookup: a library may have a function of this name
/// What C calls when it needs the callable no more.
template <class F>
auto destroy_in(const Callable<F> &value) {
    return value_in(value ? &destroyed : nullptr, "");
}
}  // namespace hidden
using namespace hidden;

/// The callable of one call, while it runs: it ends with the call where the spec says so, or where the call fails.
template <class F>
class Passed {
public:
    Passed() = default;
    explicit Passed(TargetOf<F> *target) { set(target); }
    Passed(const Passed &) = delete;
    Passed &operator=(const Passed &) = delete;
    ~Passed() {
        if (!callable_) return;
        Passing::forget(passing_);
        if constexpr (is_waited_for<F>) callable_.target()->end_waiting();
        const bool is_kept = F::lasting == Lasting::unsaid || F::lasting == Lasting::held;
        const bool has_failed = passing_.has_failed || std::uncaught_exceptions() > exceptions_;
        if (F::lasting == Lasting::call || (has_failed && !is_kept)) callable_.target()->end();
    }

    void set(TargetOf<F> *target) {
        if (target == nullptr) return;
        callable_ = Callable<F>(target);
        if constexpr (is_waited_for<F>) target->be_waited_for();
        exceptions_ = std::uncaught_exceptions();
        passing_ = {target, Passing::innermost(), passing_.enclosing};
        Passing::innermost() = &passing_;
    }
    const Callable<F> &callable() const { return callable_; }

private:
    Callable<F> callable_;
    Passing passing_{nullptr, nullptr, Outer::innermost()};
    int exceptions_ = 0;
};

}  // namespace wg

#endif  // WG_CALLBACKS_CALLABLE_ARGUMENTS_HPP
