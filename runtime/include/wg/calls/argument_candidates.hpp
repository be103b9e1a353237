// The arguments of a call whose order the C++ compiler finds: each is one value to C++, or an address and a length beside it.
// Static: the same for all packages. Included by generated C++ only.
//
// Each says what is `Asked` for it while it is asked what compiles, and what is `given` in the end: checked, in the form that
// parameter `At` of the call `Whole` has.
#ifndef WG_CALLS_ARGUMENT_CANDIDATES_HPP
#define WG_CALLS_ARGUMENT_CANDIDATES_HPP

#include "wg/calls/buffers.hpp"
#include "wg/conversion/fitting.hpp"
#include "wg/base/pack.hpp"

namespace wg {

/// A number: itself, or (where the C++ parameter is narrower) checked and converted.
template <class Whole, class Given, std::size_t At, class T>
decltype(auto) number_given(const T &value, [[maybe_unused]] const char *name) {
    if constexpr (takes<Whole, Given, At, Only<T> &>)
        return (value);
    else
        return converted<Whole, T>(value, name, parameter_of<Itself, Whole, Given, At, T>());
}
template <class Whole, class Given, std::size_t At, class T>
decltype(auto) number_given(const std::optional<T> &value, [[maybe_unused]] const char *name) {
    return argument<Whole, Given, At, T>(value, name);
}

template <class T>
struct NumberIn {
    using Asked = const T &;
    const T &value;
    const char *name;

    template <class Whole, class Given, std::size_t At>
    decltype(auto) given() const {
        return number_given<Whole, Given, At>(value, name);
    }
};
template <class T>
NumberIn<T> number_in(const T &value, const char *name) {
    return {value, name};
}

/// What goes into the call as it is: what a handle holds, a container. `T` is a reference, or the type of a value.
template <class T>
struct PlainIn {
    using Asked = T &&;
    T value;

    template <class Whole, class Given, std::size_t At>
    T &&given() {
        return static_cast<T &&>(value);
    }
};
#define WG_PLAIN(...) wg::PlainIn<decltype((__VA_ARGS__))>{__VA_ARGS__}

/// A container or a tuple: itself, or (where the C++ parameter is of another type) checked and converted.
template <class V>
struct FittedIn {
    using Asked = std::conditional_t<has_parts<V>::value && !converts_elements<V>::value, AlsoFitted<V> &&, V &&>;
    V &value;
    const char *name;

    template <class Whole, class Given, std::size_t At>
    decltype(auto) given() const {
        return compound<Whole, Whole, Given, At>(value, name);
    }
};
template <class V>
FittedIn<V> fitted_in(V &value, const char *name) {
    return {value, name};
}

/// A handle that the call consumes, once all other arguments have been checked.
template <class T>
struct TakenIn {
    using Asked = decltype(std::move(std::declval<T &>().consume().inner));
    T &taken;

    template <class Whole, class Given, std::size_t At>
    const TakenIn &given() const {
        return *this;
    }
    Asked consumed() const { return std::move(taken.consume().inner); }
};
namespace hidden {  // from argument-dependent lookup: a library may have a function of this name
template <class T>
TakenIn<T> taken_in(T &taken) {
    return {taken};
}
}  // namespace hidden
using namespace hidden;

struct TextIn {
    using Asked = SomeText;
    const std::string &value;
    const char *name;
    const char *length;

    template <class Whole, class Given, std::size_t At>
    decltype(auto) given() const {
        return text<Whole, Whole, Given, At>(value, name);
    }
};

struct BytesIn {
    using Asked = SomeBytes;
    std::string_view value;
    const char *length;

    template <class Whole, class Given, std::size_t At>
    decltype(auto) given() const {
        return bytes<Given, At>(value);
    }
};

/// Values that lie in a row: a list, or the caller's memory.
template <class V>
struct ArrayIn {
    using Asked = V &;
    V &value;
    const char *length;

    template <class Whole, class Given, std::size_t At>
    V &given() const {
        return value;
    }
};
template <class V>
ArrayIn<V> array_in(V &value, const char *length) {
    return {value, length};
}

// --- with a length --------------------------------------------------------------------------------

/// The address of bytes or text.
struct AddressIn {
    using Asked = SomeAddress;
    const char *value;

    template <class Whole, class Given, std::size_t At>
    auto given() const {
        return pointer<Given, At>(value);
    }
};

/// The address of numbers.
template <class T>
struct PointerIn {
    using Asked = T *const &;
    T *value;

    template <class Whole, class Given, std::size_t At>
    T *given() const {
        return value;
    }
};

struct LengthIn {
    using Asked = const usize &;
    usize value;
    const char *name;

    template <class Whole, class Given, std::size_t At>
    decltype(auto) given() const {
        return number_given<Whole, Given, At>(value, name);
    }
};

/// Stands for the capacity of a buffer: the call is given it, or its address.
struct SomeCapacity {};
template <>
inline constexpr bool is_number_or_address<SomeCapacity> = true;
template <>
struct AsNumber<SomeCapacity> {
    using value = const usize &;
    using address = AnyOut<typename Joined<WideIntegers, SmallIntegers>::type> &;
};
/// The capacity of a buffer; where the call is given its address, it leaves there how much it has written.
template <class To>
struct CapacityIn {
    using Asked = SomeCapacity;
    To &to;
    const char *name;
    usize value = to.capacity();

    template <class Whole, class Given, std::size_t At>
    decltype(auto) given() const {
        if constexpr (std::is_same_v<Nth<Given, At>, const usize &>)
            return number_given<Whole, Given, At>(value, name);
        else
            return WrittenIn<To>{to, name}.template given<Whole, Given, At>();
    }
};
template <class To>
CapacityIn(To &, const char *) -> CapacityIn<To>;

/// An argument that brings no length and no user data: a written call says where those stand.
template <class In>
struct Alone : In {};
namespace hidden {  // from argument-dependent lookup: a library may have a function of this name
template <class In>
Alone<In> alone(In in) {
    return {std::move(in)};
}

/// Text, bytes or an array without its length, which stands elsewhere in the call.
template <class V>
auto address_in(V &value, const char *) {
    if constexpr (std::is_same_v<std::remove_const_t<V>, std::string> || std::is_same_v<std::remove_const_t<V>, std::string_view>)
        return AddressIn{value.data()};
    else
        return PointerIn<std::remove_pointer_t<decltype(value.data())>>{value.data()};
}

/// The same of what may be missing: a null pointer then.
template <class V>
AddressIn address_in(const std::optional<V> &value, const char *) {
    return {value ? value->data() : nullptr};
}

/// All pieces of a list, one after the other.
template <class L>
std::string joined(const L &pieces) {
    usize size = 0;
    for (const std::string &piece : pieces) size += piece.size();
    std::string whole;
    whole.reserve(size);
    for (const std::string &piece : pieces) whole += piece;
    return whole;
}
}  // namespace hidden
using namespace hidden;

/// How long each of them is.
template <class N, class L>
std::vector<N> lengths(const L &pieces, const char *name) {
    std::vector<N> found;
    found.reserve(pieces.size());
    for (const std::string &piece : pieces) found.push_back(checked<N>(piece.size(), name));
    return found;
}

// --- what the call changes ------------------------------------------------------------------------

/// Room for a value that the call changes.
template <class U>
struct ChangedSlot {
    U value;
    void finish() const {}
    U take() { return std::move(value); }
};
template <class U>
constexpr bool is_written<ChangedSlot<U>> = true;

/// By descriptor: C++ types whose address the call may take. Of a struct it takes no pointer's.
template <class D>
struct ChangedTypes : OutTypes<D> {};
template <class S>
struct ChangedTypes<types::Struct<S>> {
    using type = Types<typename S::Value>;
};
/// Text and bytes may become longer.
template <>
struct ChangedTypes<types::Text> {
    using type = Types<std::string>;
};
template <>
struct ChangedTypes<types::Bytes> : ChangedTypes<types::Text> {};

/// A value that the call changes.
template <class D, class T>
struct ChangedIn {
    using List = typename ChangedTypes<D>::type;
    using Asked = AnyOut<List> &;
    const T &value;
    const char *name;

    template <class Whole, class Given, std::size_t At>
    auto given() const {
        return slot(out_type<Whole, Given, At>(List()));
    }

private:
    template <class U>
    ChangedSlot<U> slot(Types<U>) const {
        if constexpr (std::is_arithmetic_v<U> && !std::is_same_v<T, U>)
            return {checked<U>(value, name)};
        else
            return {U(value)};
    }
};
template <class D, class T>
ChangedIn<D, T> inout_in(const T &value, const char *name) {
    return {value, name};
}

// --- what the spec puts in ------------------------------------------------------------------------

/// A number that Python does not see.
template <class T>
struct ValueIn {
    using Asked = const T &;
    T value;
    const char *shown;

    template <class Whole, class Given, std::size_t At>
    decltype(auto) given() const {
        return number_given<Whole, Given, At>(value, shown);
    }
};
/// The value of an expression; of numbers, the range is checked.
template <class T>
auto value_in(T &&value, const char *shown) {
    using V = std::remove_cv_t<std::remove_reference_t<T>>;
    if constexpr (std::is_arithmetic_v<V> && !std::is_same_v<V, bool>)
        return ValueIn<V>{value, shown};
    else
        return PlainIn<T>{std::forward<T>(value)};
}

template <class V>
constexpr bool is_span = false;
template <class T, std::size_t N, Order order>
constexpr bool is_span<Span<T, N, order>> = true;
template <class T, std::size_t N>
constexpr bool is_span<DeviceSpan<T, N>> = true;

/// Where memory lies, as C has it: a library may have a type of its own for complex numbers, or take their parts.
template <class To, class T>
To pointer_as(T *data) {
    using P = std::remove_pointer_t<To>;
    static_assert(std::is_void_v<P> || sizeof(T) % sizeof(std::conditional_t<std::is_void_v<P>, char, P>) == 0,
                  "wrapper-gen: `as` names a type whose elements are no parts of the elements of this memory");
    static_assert(std::is_const_v<P> || !std::is_const_v<T>,
                  "wrapper-gen: `as` names memory that C may write to, and the spec declares it as read: declare it as &mut");
    return reinterpret_cast<To>(const_cast<std::remove_const_t<T> *>(data));
}

template <class V>
constexpr bool is_text_or_bytes = std::is_same_v<V, std::string> || std::is_same_v<V, std::string_view>;

/// The value of an expression over a text: where it is an address, C looks for a NUL, which the text has at its end alone.
template <class T>
constexpr bool points_to_letters = std::is_pointer_v<std::decay_t<T>> && sizeof(std::conditional_t<std::is_void_v<std::remove_pointer_t<std::decay_t<T>>>, char, std::remove_pointer_t<std::decay_t<T>>>) == 1;
template <class T>
decltype(auto) ended_by_nul(T &&value, const std::string &text, const char *name) {
    if constexpr (points_to_letters<T>) static_cast<void>(c_text(text, name));
    return std::forward<T>(value);
}
template <class T>
decltype(auto) ended_by_nul(T &&value, const std::optional<std::string> &text, const char *name) {
    if constexpr (points_to_letters<T>)
        if (text) static_cast<void>(c_text(*text, name));
    return std::forward<T>(value);
}

/// A value as just this type: what a variadic function needs, or memory as C has it.
template <class To, class T>
struct CastIn {
    using Asked = To &&;
    T &value;
    const char *name;

    template <class Whole, class Given, std::size_t At>
    To given() const {
        using V = std::remove_cv_t<T>;
        if constexpr (is_text_or_bytes<V> && std::is_pointer_v<To>) {
            return address(value);
        } else if constexpr (is_optional<V>::value && std::is_pointer_v<To>) {
            if constexpr (is_text_or_bytes<typename V::value_type>) return value ? address(*value) : nullptr;
            else return static_cast<To>(value);
        } else if constexpr (std::is_arithmetic_v<To> && (std::is_arithmetic_v<V> || std::is_enum_v<V>)) {
            return checked<To>(value, name);
        } else if constexpr (is_span<V>) {
            return pointer_as<To>(value.data());
        } else {
            return static_cast<To>(value);
        }
    }

private:
    To address(const std::string &text) const { return pointer_as<To>(c_text(text, name)); }
    To address(std::string_view bytes) const { return pointer_as<To>(bytes.data()); }
};
template <class To, class T>
CastIn<To, T> cast_in(T &value, const char *name) {
    return {value, name};
}
template <class To, class T>
CastIn<To, const T> cast_in(const T &&value, const char *name) {
    return {value, name};
}

/// Text or bytes that may be missing.
template <class V>
struct MaybeIn {
    /// An address without a length is a text's only, which ends with a NUL.
    using Asked = std::conditional_t<std::is_same_v<V, std::string>, SomeMaybe<V>, const std::optional<V> &>;
    const std::optional<V> &value;
    const char *name;
    const char *length;

    template <class Whole, class Given, std::size_t At>
    decltype(auto) given() const {
        if constexpr (std::is_same_v<V, std::string>)
            return maybe_text<Whole, Given, At>(value, name);
        else
            return (value);
    }
};
template <class V>
MaybeIn<V> maybe_in(const std::optional<V> &value, const char *name, const char *length) {
    return {value, name, length};
}

/// What an argument is to C++: itself, or with `is_pair` an address and a length.
template <bool is_pair, class In>
Pack<In> parts_of(In &&in, std::bool_constant<is_pair>) {
    return {{std::move(in)}};
}
inline Pack<AddressIn, LengthIn> parts_of(TextIn &&in, std::true_type) {
    return {{{in.value.data()}}, {{in.value.size(), in.length}}};
}
inline Pack<AddressIn, LengthIn> parts_of(BytesIn &&in, std::true_type) {
    return {{{in.value.data()}}, {{in.value.size(), in.length}}};
}
template <class V>
Pack<AddressIn, LengthIn> parts_of(MaybeIn<V> &&in, std::true_type) {
    return {{{in.value ? in.value->data() : nullptr}}, {{in.value ? in.value->size() : 0, in.length}}};
}
template <class Free>
Pack<AllocatedIn<Free>, WrittenIn<Allocated<Free>>> parts_of(AllocatedIn<Free> &&in, std::true_type) {
    return {{in}, {{in.to, "length"}}};
}
template <class V>
auto parts_of(ArrayIn<V> &&in, std::true_type) {
    using T = std::remove_pointer_t<decltype(in.value.data())>;
    return Pack<PointerIn<T>, LengthIn>{{{in.value.data()}}, {{in.value.size(), in.length}}};
}

/// Memory of several dimensions: an address and so many extents. What has any strides is nothing without these.
template <class T, std::size_t N, Order order>
auto parts_of(ArrayIn<Span<T, N, order>> &&in, std::true_type) {
    if constexpr (order == Order::any)
        return Pack<ArrayIn<Span<T, N, order>>>{{std::move(in)}};
    else
        return with_extents(in, std::make_index_sequence<N>());
}
template <class T, std::size_t N, Order order, std::size_t... I>
auto with_extents(const ArrayIn<Span<T, N, order>> &in, std::index_sequence<I...>) {
    return packs::of(PointerIn<T>{in.value.data()}, LengthIn{in.value.extent(I), in.length}...);
}

/// Whether it can be an address and a length.
template <class In>
constexpr bool can_have_length = decltype(parts_of(std::declval<In>(), std::true_type()))::size != 1;
/// Whether it is a text: what stands after its address may be anything, since a NUL ends it.
template <class In>
constexpr bool is_text_in = std::is_same_v<In, TextIn> || std::is_same_v<In, MaybeIn<std::string>>;
/// Whether it brings a length without a word of the spec.
template <class In>
constexpr bool brings_length = can_have_length<In> && !is_text_in<In>;
/// Whether the length counts bytes or elements that Python gives.
template <class In>
constexpr bool is_row_in = std::is_same_v<In, BytesIn> || std::is_same_v<In, MaybeIn<std::string_view>>;
template <class V>
constexpr bool is_row_in<ArrayIn<V>> = true;

}  // namespace wg

#endif  // WG_CALLS_ARGUMENT_CANDIDATES_HPP
