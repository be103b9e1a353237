// Smart pointers as arguments: themselves, or what they point to, where C++ wants that.
// Static: the same for all packages. Included by generated C++ only, where a spec has handle types that hold some.
#ifndef WG_OWNERSHIP_POINTERS_HPP
#define WG_OWNERSHIP_POINTERS_HPP

#include "wg/base/in_braces.hpp"
#include "wg/ownership/handle_arguments.hpp"

namespace wg {

template <class T>
constexpr bool is_smart_pointer = false;
template <class T>
constexpr bool is_smart_pointer<std::shared_ptr<T>> = std::is_object_v<T> && !std::is_array_v<T>;
template <class T, class D>
constexpr bool is_smart_pointer<std::unique_ptr<T, D>> = std::is_object_v<T> && !std::is_array_v<T>;

/// Whether a plain pointer to `T` may go in as a `U`: not as a bool, which it would be too, nor as an address of anything.
template <class T, class U>
constexpr bool is_pointer_to = std::is_pointer_v<U> && !std::is_void_v<std::remove_pointer_t<U>> && std::is_convertible_v<T *, U>;

template <class P>
class Pointed {
    using T = typename P::element_type;

public:
    explicit Pointed(P &pointer) : pointer_(pointer) {}
    operator P &() const { return pointer_; }
    operator T &() const { return object(pointer_); }
    template <class U, std::enable_if_t<is_pointer_to<T, U>, int> = 0>
    operator U() const {
        return &object(pointer_);
    }

private:
    P &pointer_;
};

/// Of a handle that may be missing: a null pointer then.
template <class P>
class MaybePointed {
public:
    explicit MaybePointed(const MaybeInner<P> &pointer) : pointer_(pointer) {}
    operator const MaybeInner<P> &() const { return pointer_; }
    template <class U, std::enable_if_t<is_pointer_to<typename P::element_type, U>, int> = 0>
    operator U() const {
        return pointer_.has_value() ? pointer_->get() : nullptr;
    }

private:
    const MaybeInner<P> &pointer_;
};

/// What stands for an argument: of most, itself.
template <class A, class = std::remove_const_t<std::remove_reference_t<A>>>
struct PointedOf {
    using type = A &&;
};
template <class P>
struct PointedOf<P &, std::enable_if_t<is_smart_pointer<P>, P>> {
    using type = Pointed<P>;
};
template <class A, class P>
struct PointedOf<A, MaybeInner<P>> {
    using type = std::conditional_t<is_smart_pointer<P>, MaybePointed<P>, A &&>;
};
template <class A>
using AsPointed = typename PointedOf<A>::type;

/// A callable that is given smart pointers: as they are, where it takes them so. Its results have the types that it says: the bodies of
/// functions are not looked into to tell whether it takes something.
template <class F>
struct Pointing {
    F call;

    template <class... A>
    auto operator()(A &&...a) const -> std::invoke_result_t<const F &, A...> {
        return call(static_cast<A &&>(a)...);
    }
    template <class... A, std::enable_if_t<!std::is_invocable_v<const F &, A...>, int> = 0>
    auto operator()(A &&...a) const -> std::invoke_result_t<const F &, AsPointed<A>...> {
        return call(static_cast<AsPointed<A>>(a)...);
    }
};
template <class F>
struct InBraces<Pointing<F>> : InBraces<F> {};
template <class F>
Pointing<F> pointing(F call) {
    return {std::move(call)};
}

}  // namespace wg

#endif  // WG_OWNERSHIP_POINTERS_HPP
