// Structs with handles: what Python gives has those that the handles hold, and of what C++ gives they become Python's.
// Static: the same for all packages. Included by generated C++ only, of specs that have such structs.
#ifndef WG_CALLS_HANDLE_FIELDS_HPP
#define WG_CALLS_HANDLE_FIELDS_HPP

#include "wg/calls/out_parameters.hpp"
#include "wg/types/structs.hpp"

namespace wg {

/// The fields of a struct that a call gives, one by one; each knows the type of that, `Result`.
template <class S, class = typename S::Fields>
struct GivenFields;
template <class S, class... F>
struct GivenFields<S, Fields<F...>> {
    std::tuple<Value<typename F::Result>...> values;
};

namespace types {

/// A struct with handles as an argument: they stay usable for the time of the call.
template <class S>
struct HoldingStruct {
    using Value = typename Struct<S>::Value;
};
/// The same as a result: the handles become Python's.
template <class S>
struct GivenStruct {
    using Value = GivenFields<S>;
};

}  // namespace types

template <class S>
struct holds_handles<GivenFields<S>> : std::true_type {};
template <class S>
struct OutTypes<types::GivenStruct<S>> : OutTypes<types::Struct<S>> {};

template <class H, class = void>
constexpr bool has_smart_pointer = false;
template <class H>
constexpr bool has_smart_pointer<H, std::void_t<decltype(std::declval<H &>().inner.get())>> = true;

/// A member that is what a handle holds, or a pointer to that.
template <class F>
struct Member<F, HandleMember> {
    template <class S>
    static void write(S &to, Value<typename F::Type> &&given) {
        if constexpr (!std::is_pointer_v<Value<typename F::Type>>) {
            if (given) put(F::of(to), **given);
            else F::of(to) = std::decay_t<decltype(F::of(to))>();
        } else {
            put(F::of(to), *given);
        }
    }

private:
    template <class M, class H>
    static void put(M &member, H &handle) {
        using Inner = decltype(handle.inner);
        static_assert(!becomes_bool<Inner, M>(), "wrapper-gen: the spec declares a handle for a field of which C++ would make a bool");
        if constexpr (std::is_assignable_v<M &, Inner &>) {
            member = handle.inner;
        } else if constexpr (has_smart_pointer<H>) {
            static_assert(std::is_assignable_v<M &, decltype(handle.inner.get())>, "wrapper-gen: a field that is a handle has to be what the handle holds, or a pointer to it");
            member = handle.inner.get();
        } else {
            static_assert(std::is_assignable_v<M &, Inner *>, "wrapper-gen: a field that is a handle has to be what the handle holds, or a pointer to it");
            member = &handle.inner;
        }
    }
};

/// From the struct, or what points to one.
template <class S>
struct Convert<GivenFields<S>> {
    template <class From>
    static GivenFields<S> from(From &&value) {
        using T = std::decay_t<From>;
        if constexpr (std::is_same_v<T, GivenFields<S>>) {
            return std::forward<From>(value);
        } else if constexpr (is_pointer_like<T>::value) {
            if (!value) throw Null("the library returned a null pointer where the spec declares a struct");
            return fields(*value, typename S::Fields());
        } else {
            static_assert(std::is_convertible_v<From, typename S::Value>, "wrapper-gen: the result is not the struct that the spec declares");
            return fields(value, typename S::Fields());
        }
    }

private:
    template <class... F>
    static GivenFields<S> fields(const typename S::Value &from, Fields<F...>) {
        return {std::tuple<Value<typename F::Result>...>{field<F>(from)...}};
    }
    template <class F>
    static Value<typename F::Result> field(const typename S::Value &from) {
        if constexpr (std::is_same_v<typename F::Type, typename F::Result>)
            return with_field<F>(from, [](const auto &value) { return Value<typename F::Result>(value); });
        else
            return wg::convert<Value<typename F::Result>>(F::of(from));
    }
};

template <class S>
struct Wire<types::HoldingStruct<S>> : Wire<types::Struct<S>> {};

template <class S>
struct Wire<types::GivenStruct<S>> {
    template <class Each>
    static void write(WireOut &out, std::size_t count, Each &&each) {
        write(out, count, each, typename S::Fields());
    }

private:
    template <class Each, class... F>
    static void write(WireOut &out, std::size_t count, Each &each, Fields<F...>) {
        write<F...>(out, count, each, std::index_sequence_for<F...>());
    }
    template <class... F, class Each, std::size_t... I>
    static void write(WireOut &out, std::size_t count, Each &each, std::index_sequence<I...>) {
        (Wire<typename F::Result>::write(out, count, [&each](auto &&use) { each([&use](auto &value) { use(std::get<I>(value.values)); }); }), ...);
    }
};

}  // namespace wg

#endif  // WG_CALLS_HANDLE_FIELDS_HPP
