// Plain pointers as arguments: themselves, or what they point to, where C++ wants that; never a bool, which C++ makes of any pointer.
// Static: the same for all packages. Included by generated C++ only, where a spec has handle types that hold some.
#ifndef WG_CONVERSION_PLAIN_POINTERS_HPP
#define WG_CONVERSION_PLAIN_POINTERS_HPP

#include <string>

#include "wg/conversion/arguments.hpp"

namespace wg {

/// Stands for a pointer where it is asked what a call takes: to templates it is like one, to others just that type or what it converts
/// to, but no bool.
template <class T, bool is_just_that>
class AskedPointer {
public:
    template <class U, class = std::enable_if_t<is_just_that ? std::is_same_v<U, T *> : std::is_pointer_v<U> && std::is_convertible_v<T *, U>>>
    operator U() const;
    explicit operator bool() const;
    bool operator!() const;
    T *operator->() const;
    T &operator*() const;
    T &operator[](std::ptrdiff_t) const;
    template <class U>
    friend bool operator==(const AskedPointer &, const U &);
    template <class U>
    friend bool operator!=(const AskedPointer &, const U &);
};

/// Itself, or what it points to, for calls that want both.
template <class T>
class BoundPointer {
public:
    explicit BoundPointer(T *pointer) : pointer_(pointer) {}
    operator T &() const { return *pointer_; }
    template <class U, class = std::enable_if_t<std::is_pointer_v<U> && std::is_convertible_v<T *, U>>>
    operator U() const {
        return pointer_;
    }

private:
    T *pointer_;
};

/// What stands for an argument that is a pointer to an object: of all others, themselves.
template <class A, class = void>
struct ObjectPointer {
    static constexpr bool is_one = false;
    using Asked = A;
    using Exactly = A;
    using Object = A;
    using Bound = A;
};
template <class P>
struct ObjectPointer<P &, std::enable_if_t<is_object_pointer<std::remove_cv_t<P>>>> {
    using T = std::remove_pointer_t<P>;
    static constexpr bool is_one = true;
    using Asked = const AskedPointer<T, false> &;
    using Exactly = const AskedPointer<T, true> &;
    using Object = T &;
    using Bound = const BoundPointer<T> &;
};

/// Whether a call takes arguments of these types, whatever it returns.
template <class F, class Void, class... A>
struct Calls : std::false_type {};
template <class F, class... A>
struct Calls<F, std::void_t<decltype(std::declval<const F &>()(std::declval<A>()...))>, A...> : std::true_type {};

/// What a call does with pointers.
enum class Binding { as_they_are, as_objects, as_both, as_bool, not_at_all };

/// Whether the call takes a bool in place of the pointer at `at`.
template <class F, class... A, std::size_t at, std::size_t... I>
constexpr bool takes_bool(std::index_sequence<I...>, std::integral_constant<std::size_t, at>) {
    return Calls<F, void, std::conditional_t<I == at, const bool &, A>...>::value;
}
/// Whether a call that compiles makes a bool of a pointer: it takes no pointer there, but a bool. Templates take pointers alone.
template <class F, class... A, std::size_t... I>
constexpr bool makes_bool(std::index_sequence<I...> all) {
    if constexpr (std::disjunction_v<Calls<F, void, typename ObjectPointer<A>::Asked...>, Calls<F, void, typename ObjectPointer<A>::Exactly...>>)
        return false;
    else
        return ((ObjectPointer<A>::is_one && takes_bool<F, A...>(all, std::integral_constant<std::size_t, I>())) || ...);
}

template <class F, class... A>
constexpr Binding binding_of() {
    constexpr bool compiles = Calls<F, void, A...>::value;
    constexpr std::size_t pointers = (std::size_t{0} + ... + (ObjectPointer<A>::is_one ? 1 : 0));
    if constexpr (pointers == 0)
        return compiles ? Binding::as_they_are : Binding::not_at_all;
    else if constexpr (compiles && !makes_bool<F, A...>(std::index_sequence_for<A...>()))
        return Binding::as_they_are;
    else if constexpr (Calls<F, void, typename ObjectPointer<A>::Object...>::value)
        return Binding::as_objects;
    else if constexpr (pointers > 1 && Calls<F, void, typename ObjectPointer<A>::Bound...>::value)
        return Binding::as_both;
    else
        return compiles ? Binding::as_bool : Binding::not_at_all;
}

[[noreturn]] inline void fail_null_handle(const char *name) {
    throw Own<std::invalid_argument>(std::string(name) + (*name == '\0' ? "" : ": ") + "this handle holds a null pointer");
}

/// An argument as the call takes it.
template <Binding binding, class A>
decltype(auto) bound_as(A &value, [[maybe_unused]] const char *name) {
    if constexpr (!ObjectPointer<A &>::is_one || (binding != Binding::as_objects && binding != Binding::as_both)) {
        return (value);
    } else {
        if (value == nullptr) fail_null_handle(name);
        if constexpr (binding == Binding::as_objects)
            return (*value);
        else
            return BoundPointer<std::remove_pointer_t<A>>(value);
    }
}
template <Binding binding, class A>
decltype(auto) forwarded(std::remove_reference_t<A> &value) {
    if constexpr (ObjectPointer<A &&>::is_one)
        return bound_as<binding>(value, "");
    else
        return static_cast<A &&>(value);
}

/// A callable that is given plain pointers: it takes them, or what they point to, and no call makes a bool of one.
template <class F>
struct Bound {
    F call;

    template <class... A, Binding binding = binding_of<F, A &&...>(), std::enable_if_t<binding != Binding::as_bool && binding != Binding::not_at_all, int> = 0>
    auto operator()(A &&...a) const -> decltype(std::declval<const F &>()(forwarded<binding, A>(a)...)) {
        return call(forwarded<binding, A>(a)...);
    }
};
template <class F>
struct InBraces<Bound<F>> : InBraces<F> {};
template <class F>
Bound<F> binding(F call) {
    return {std::move(call)};
}

template <class Probe, class... A>
constexpr Binding binding_in(Given<A...>) {
    return binding_of<decltype(Probe::call), A...>();
}
/// A pointer as argument of a call that `Whole` is, as a probe.
template <class Whole, class Given, class P>
decltype(auto) bound(P &value, const char *name) {
    constexpr Binding how = binding_in<Whole>(Given());
    static_assert(how != Binding::as_bool,
                  "wrapper-gen: an argument would lose its meaning: the function takes a bool, or what is made of one, where the spec declares a "
                  "handle that is a pointer; declare what it takes, or write a lambda");
    return bound_as<how>(value, name);
}

}  // namespace wg

#endif  // WG_CONVERSION_PLAIN_POINTERS_HPP
