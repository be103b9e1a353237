// Out-parameters: what a call writes through a `T *` or `T &`, which their types alone show.
// Static: the same for all packages. Included by generated C++ only.
#ifndef WG_CALLS_OUT_PARAMETERS_HPP
#define WG_CALLS_OUT_PARAMETERS_HPP

#include <iosfwd>

#include "wg/conversion/arguments.hpp"
#include "wg/conversion/containers.hpp"
#include "wg/types/structs.hpp"

namespace wg {

template <class T, class List>
struct IsIn;
template <class T, class... U>
struct IsIn<T, Types<U...>> : std::disjunction<std::is_same<T, U>...> {};

// --- which C++ types there may be for a declared one ----------------------------------------------

using WideIntegers = Types<int, unsigned, long, unsigned long, long long, unsigned long long, short, unsigned short>;
using SmallIntegers = Types<signed char, unsigned char>;

/// By descriptor: the call writes one of these. The first is tried first.
template <class D>
struct OutTypes {
    using type = Types<Value<D>>;
};
template <class T>
struct OutTypes<types::Number<T>> {
    using Integers = typename Joined<Types<T>, WideIntegers, SmallIntegers>::type;
    using type = std::conditional_t<std::is_floating_point_v<T>, Types<T, double, float>, Integers>;
};
template <>
struct OutTypes<types::Size> : OutTypes<types::Number<usize>> {};
template <class E, class Tag>
struct OutTypes<types::Enum<E, Tag>> {
    using type = typename Joined<Types<E>, WideIntegers, SmallIntegers>::type;
};
/// A stream has no value: the call writes into one of ours.
template <>
struct OutTypes<types::Text> {
    using type = Types<char *, const char *, std::string, std::string_view, unsigned char *, const unsigned char *, std::ostream>;
};
template <>
struct OutTypes<types::Bytes> {
    using type = Types<std::string, std::string_view, std::ostream>;
};
/// What a call that makes a handle writes: the pointer or value that the handle holds, or an object that it points to.
template <class H, class = void>
struct MadeOf {
    using type = std::remove_cv_t<decltype(H::inner)>;
    static constexpr bool in_place = false;
};
template <class H>
struct MadeOf<H, std::void_t<typename H::InPlace>> {
    using type = typename H::InPlace;
    static constexpr bool in_place = true;
};
template <class H>
struct OutTypes<types::OwnedHandle<H>> {
    using type = Types<typename MadeOf<H>::type>;
};
template <class S>
struct OutTypes<types::Struct<S>> {
    using Struct = typename S::Value;
    using type = Types<Struct, const Struct *, Struct *>;
};
template <class D>
struct OutTypes<types::Optional<D>> {
    using type = typename Joined<typename OutTypes<D>::type, Types<std::optional<Value<D>>>>::type;
};

/// Further ones: the types that stand for it, as the spec says under `types`.
template <class D>
struct RepresentedBy {
    using type = Types<>;
};
template <class D>
struct RepresentedBy<types::Optional<D>> : RepresentedBy<D> {};
template <class D>
using AllOutTypes = typename Joined<typename OutTypes<D>::type, typename RepresentedBy<D>::type>::type;

/// What the call writes and is not read; without a type, whatever is a number or a pointer to text or anything.
template <class... U>
struct Discard {};
template <class... U>
struct OutTypes<Discard<U...>> {
    using type = Types<U...>;
};
template <>
struct OutTypes<Discard<>> {
    using type = typename Joined<WideIntegers, SmallIntegers, Types<bool, double, float, char *, const char *, void *, const void *>>::type;
};

/// An out-parameter whose C++ type the spec says.
template <class D, class U>
struct Exactly {};
template <class D, class U>
struct OutTypes<Exactly<D, U>> {
    using type = Types<U>;
};

/// The same as a plain pointer, which alone goes to a variadic function.
template <class D, class U>
struct Pointer {};
template <class D, class U>
struct OutTypes<Pointer<D, U>> {
    using type = Types<U>;
};
template <class D>
struct AsPointer {
    using type = D;
};
template <class D, class U>
struct AsPointer<Exactly<D, U>> {
    using type = Pointer<D, U>;
};
template <class U>
struct AsPointer<Discard<U>> {
    using type = Pointer<Discard<U>, U>;
};
template <class List>
struct AsPointers;
template <class... D>
struct AsPointers<Types<D...>> {
    using type = Types<typename AsPointer<D>::type...>;
};

/// A handle that is not owned where the call fails: what that leaves there may be released.
template <class D>
struct OwnedOnSuccess {};
template <class D>
struct OutTypes<OwnedOnSuccess<D>> : OutTypes<D> {};

/// A value that may be missing, of a call of which no status says that: what C leaves alone is 0. `Entry` stands for the call.
template <class D, class Entry>
struct NeverNone {};
template <class D, class Entry>
struct OutTypes<NeverNone<D, Entry>> : OutTypes<D> {};
template <class D, class Entry>
struct RepresentedBy<NeverNone<D, Entry>> : RepresentedBy<D> {};

// --- what is passed -------------------------------------------------------------------------------

/// Stands for an out-parameter of one of these types while it is asked what compiles. What would copy a value out of a
/// reference is ambiguous, so that only a reference or a pointer takes it.
template <class List>
struct AnyOut {
    template <class P>
    static constexpr bool by_pointer = std::is_pointer_v<P> && IsIn<std::remove_pointer_t<P>, List>::value;
    template <class U>
    static constexpr bool by_reference = IsIn<U, List>::value && !by_pointer<U>;

    AnyOut() = delete;
    AnyOut(const AnyOut &) = delete;
    template <class P, class = std::enable_if_t<by_pointer<P>>>
    operator P() const;
    template <class U, class = std::enable_if_t<by_reference<U>>>
    operator U &() const;
    template <class U, class = std::enable_if_t<by_reference<U>>, class = void>
    operator U() const = delete;
};

/// An out-parameter of just this type.
template <class U>
struct Out {
    U &value;
    explicit Out(U &to) : value(to) {}
    Out(const Out &) = delete;
    template <class P, class = std::enable_if_t<std::is_same_v<P, U *>>>
    operator P() const { return &value; }
    template <class R, class = std::enable_if_t<std::is_same_v<R, U>>>
    operator R &() const { return value; }
    template <class R, class = std::enable_if_t<std::is_same_v<R, U>>, class = void>
    operator R() const = delete;
};

/// The type that out-parameter `At` has.
template <class Probe, class Given, std::size_t At, class U, class... Rest>
auto out_type(Types<U, Rest...>) {
    if constexpr (sizeof...(Rest) == 0 || takes<Probe, Given, At, Out<U> &>)
        return Types<U>();
    else
        return out_type<Probe, Given, At>(Types<Rest...>());
}

// --- where it is written --------------------------------------------------------------------------

/// Room for what the call writes, initialised: what a failing call leaves there means nothing.
template <class D, class U>
class OutSlot {
public:
    U &room() { return value_; }
    U take() { return std::move(value_); }

private:
    U value_{};
};

/// A handle that a failing call hands over is released, when the message has been made. `U` is what the call writes for it.
template <class H, class U>
class HandleSlot {
public:
    using Inner = std::remove_cv_t<decltype(H::inner)>;

    HandleSlot() = default;
    HandleSlot(const HandleSlot &) = delete;
    HandleSlot &operator=(const HandleSlot &) = delete;
    ~HandleSlot() {
        H left{given()};
        if (has_resource(left)) CellOf<H>::type::drop_value(left);
    }
    U &room() { return value_; }
    Inner take() { return given(); }

    /// The handle, where the call handed one over: it says what failed.
    std::optional<H> made() const {
        if constexpr (std::is_copy_constructible_v<Inner>)
            if (H found{static_cast<Inner>(value_)}; has_resource(found)) return found;
        return std::nullopt;
    }

private:
    Inner given() { return static_cast<Inner>(std::exchange(value_, U{})); }

    U value_{};
};
/// An object that stays where it is made. One that the call could not start has nothing to end.
template <class H>
class PlaceSlot {
public:
    using Inner = std::remove_cv_t<decltype(H::inner)>;

    typename H::InPlace &room() { return *place_; }
    Inner take() { return place_.release(); }
    std::optional<H> made() const { return H{place_.get()}; }

private:
    std::unique_ptr<typename H::InPlace> place_{new typename H::InPlace()};
};
template <class H, class U>
using SlotOfHandle = std::conditional_t<MadeOf<H>::in_place, PlaceSlot<H>, std::conditional_t<is_pointer_like<U>::value, HandleSlot<H, U>, OutSlot<void, U>>>;

template <class H, class U>
class OutSlot<types::OwnedHandle<H>, U> : public SlotOfHandle<H, U> {};
template <class H, class U>
class OutSlot<types::Optional<types::OwnedHandle<H>>, U> : public SlotOfHandle<H, U> {};

template <class D, class U>
class OutSlot<Exactly<D, U>, U> : public OutSlot<D, U> {};
template <class D, class U>
class OutSlot<Pointer<D, U>, U> : public OutSlot<D, U> {};

template <class D, class Entry, class U>
class OutSlot<NeverNone<D, Entry>, U> : public OutSlot<D, U> {
    static_assert(!std::is_arithmetic_v<U> && !std::is_enum_v<U> && !std::is_same_v<U, typename Value<D>::value_type>,
                  "wrapper-gen: what the call writes there is never None, and 0 where the call leaves it alone; say which status means that there is "
                  "none, none: [STATUS]; or what it is then, by a parameter of its name with that default, (x: i32 = -1) -> (x: i32); or drop the ?");
};

template <class D, class U>
class OutSlot<OwnedOnSuccess<D>, U> : public OutSlot<D, U> {
    static_assert(std::is_pointer_v<U>, "wrapper-gen: `on_failure: garbage` is for handles that are pointers to C++");

public:
    OutSlot() = default;
    ~OutSlot() { this->room() = nullptr; }
    /// None: a failing call may have ended it.
    static auto made() {
        return decltype(std::declval<OutSlot<D, U> &>().made())();
    }
};

/// Nothing calls it: the compiler warns of memory whose address a call writes, and of which nothing says who releases it.
template <class Call>
[[deprecated("wrapper-gen: nothing says who releases this text")]] constexpr bool leaves_written() {
    return true;
}
template <class T>
constexpr bool is_changeable_text = std::is_same_v<T, char *> || std::is_same_v<T, unsigned char *>;
/// Whether what a call has written there may be ours to release: characters that may be changed, of which the spec says nothing more.
template <class Slot>
constexpr bool may_leave = false;
template <class U>
constexpr bool may_leave<OutSlot<types::Text, U>> = is_changeable_text<U>;
template <class U>
constexpr bool may_leave<OutSlot<types::Optional<types::Text>, U>> = is_changeable_text<U>;
template <class D, class U>
constexpr bool may_leave<OutSlot<Exactly<D, U>, U>> = may_leave<OutSlot<D, U>>;
template <class D, class U>
constexpr bool may_leave<OutSlot<Pointer<D, U>, U>> = may_leave<OutSlot<D, U>>;

/// A stream is a complete type only where the library's header, or the prelude, includes `<sstream>`.
template <class C>
class StreamSlot {
public:
    std::basic_ostream<C> &room() { return stream_; }
    std::basic_string<C> take() { return stream_.str(); }

private:
    std::basic_ostringstream<C> stream_;
};
template <class D>
class OutSlot<D, std::ostream> : public StreamSlot<std::conditional_t<std::is_void_v<D>, D, char>> {};

}  // namespace wg

#endif  // WG_CALLS_OUT_PARAMETERS_HPP
