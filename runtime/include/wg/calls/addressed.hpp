// Handles that hold a value, as arguments: where no call takes the values themselves, the address of each where C++ wants a pointer.
// Static: the same for all packages. Included by generated C++ only.
//
// Asked only where a call does not compile otherwise. One object is given, as by a handle that holds a pointer to it.
#ifndef WG_CALLS_ADDRESSED_HPP
#define WG_CALLS_ADDRESSED_HPP

#include "wg/base/calls.hpp"
#include "wg/base/in_braces.hpp"
#include "wg/calls/argument_candidates.hpp"
#include "wg/ownership/handle_arguments.hpp"

namespace wg {

/// Whether the address of such a value may go in: of an object of a class, which is neither a container of values of Python nor a handle.
template <class V>
constexpr bool goes_by_address = (std::is_class_v<V> || std::is_union_v<V>) && !is_pointer_like<V>::value && !has_parts<V>::value &&
                             !is_optional_value<V>::value && !is_handle<V>::value;

/// The values, of this call's arguments, whose address may go in.
template <class In>
struct ValuesOf {
    using type = Types<>;
};
template <class V>
struct ValuesOf<PlainIn<V &>> {
    using type = std::conditional_t<goes_by_address<std::remove_const_t<V>>, Types<V>, Types<>>;
};
template <class V>
struct ValuesOf<PlainIn<MaybeInner<V>>> {
    using type = std::conditional_t<goes_by_address<V> && std::is_copy_constructible_v<V>, Types<MaybeInner<V>>, Types<>>;
};
template <class... In>
using AllValuesOf = typename Joined<Types<>, typename ValuesOf<In>::type...>::type;

/// Whether the address of a `V` may go in as a `U`: not as that of anything, nor as a bool.
template <class V, class U>
constexpr bool is_address_of = std::is_pointer_v<U> && !std::is_void_v<std::remove_pointer_t<U>> && std::is_convertible_v<V *, U>;

template <class V>
class Addressed {
public:
    explicit Addressed(V &value) : value_(value) {}
    operator V &() const { return value_; }
    template <class U, std::enable_if_t<is_address_of<V, U>, int> = 0>
    operator U() const {
        return std::addressof(value_);
    }

private:
    V &value_;
};
/// Of a handle that may be missing: a null pointer then.
template <class V>
class Addressed<MaybeInner<V>> {
public:
    explicit Addressed(const MaybeInner<V> &value) : value_(value) {}
    operator const MaybeInner<V> &() const { return value_; }
    template <class U, std::enable_if_t<is_address_of<V, U>, int> = 0>
    operator U() const {
        return value_.held;
    }

private:
    const MaybeInner<V> &value_;
};

template <class V>
constexpr bool is_maybe_inner = false;
template <class V>
constexpr bool is_maybe_inner<MaybeInner<V>> = true;

/// What stands for an argument: of these values what may be the address, of all others themselves.
template <class A, class Values>
struct AddressedOf;
template <class A, class... V>
struct AddressedOf<A, Types<V...>> {
    using Value = std::remove_reference_t<A>;
    using Bare = std::remove_const_t<Value>;
    static constexpr bool is_one = (std::is_same_v<Bare, std::remove_const_t<V>> || ...);
    static constexpr bool stays = is_maybe_inner<Bare>;
    using type = std::conditional_t<is_one && stays, Addressed<Bare>, std::conditional_t<is_one && std::is_lvalue_reference_v<A>, Addressed<Value>, A &&>>;
};

/// A callable that is given them so.
template <class F, class Values>
struct Addressing {
    F call;

    template <class... A>
    auto operator()(A &&...a) const -> std::invoke_result_t<const F &, typename AddressedOf<A, Values>::type...> {
        return call(static_cast<typename AddressedOf<A, Values>::type>(a)...);
    }
};
template <class F, class Values>
struct InBraces<Addressing<F, Values>> : InBraces<F> {};
template <class F>
constexpr bool is_addressing = false;
template <class F, class Values>
constexpr bool is_addressing<Addressing<F, Values>> = true;

/// Whether it makes sense to ask so.
template <class F, class... In>
constexpr bool may_address = !is_addressing<F> && !std::is_same_v<AllValuesOf<In...>, Types<>>;

/// A callable as one of its readings wants it.
template <class Wanted, class F>
decltype(auto) called_as(const F &function) {
    if constexpr (std::is_same_v<Wanted, F>) return (function);
    else return Wanted{function};
}

}  // namespace wg

#endif  // WG_CALLS_ADDRESSED_HPP
