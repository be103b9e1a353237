// Parameters as the spec's code gets them, and the objects that its methods are called on.
// Static: the same for all packages. Included by generated C++ only.
#ifndef WG_BASE_CALLS_HPP
#define WG_BASE_CALLS_HPP

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "wg/base/failures.hpp"

namespace wg {

// --- parameters ---------------------------------------------------------------------------------

/// Which elements of an array lie side by side: those of the last dimension, of the first, or any.
enum class Order { C, F, any };

/// The caller's own memory: of several dimensions, or with strides, in wg/memory/spans.hpp.
template <class T, std::size_t N = 1, Order order = Order::C>
class Span;
template <class T, std::size_t N>
class DeviceSpan;

/// What a span is to a class that takes ranges, and is not made of a pointer and a length then.
template <class T>
struct SpanLike {
    using value_type = std::remove_cv_t<T>;
    T *data() const;
    std::size_t size() const;
    T *begin() const;
    T *end() const;
};

/// Matrices, vectors and references to them, as Eigen has them: their `PlainObject` has memory of its own, and makes views of other memory.
template <class To, class T, class... Extents>
using MappedAs = decltype(To::PlainObject::Map(std::declval<T *>(), std::declval<Extents>()...));
template <class To, class T, class = void>
constexpr bool is_mapped_vector = false;
template <class To, class T>
constexpr bool is_mapped_vector<To, T, std::void_t<MappedAs<To, T, std::ptrdiff_t>>> =
    static_cast<bool>(To::PlainObject::IsVectorAtCompileTime) && std::is_same_v<std::remove_cv_t<T>, typename To::PlainObject::Scalar> &&
    std::is_constructible_v<To, MappedAs<To, T, std::ptrdiff_t>>;

/// Memory fits a class that has so many elements, or any number of them (-1).
inline void check_mapped(const char *what, std::ptrdiff_t wanted, std::ptrdiff_t given) {
    if (wanted >= 0 && wanted != given) throw Own<std::invalid_argument>("memory with " + std::to_string(given) + what + ", of which the C++ type has " + std::to_string(wanted));
}

/// A pointer and a count of elements. It converts to whatever is constructible from these, and takes no range by itself.
template <class T>
class Span<T, 1, Order::C> {
public:
    using element_type = T;
    using value_type = std::remove_cv_t<T>;
    using iterator = T *;

    Span(T *data, std::size_t size) : data_(data), size_(size) {
        if (size != 0 && reinterpret_cast<std::uintptr_t>(data) % alignof(T) != 0)
            throw Misfit("the memory does not start at a multiple of its elements' size");
        if constexpr (std::is_same_v<value_type, bool>) check_bools();
    }

    T *data() const { return data_; }
    std::size_t size() const { return size_; }
    std::size_t extent(std::size_t) const { return size_; }
    bool empty() const { return size_ == 0; }
    std::size_t size_bytes() const { return size_ * sizeof(T); }
    T *begin() const { return data_; }
    T *end() const { return data_ + size_; }
    T &operator[](std::size_t i) const { return data_[i]; }
    static constexpr std::size_t rank() { return 1; }
    std::ptrdiff_t stride(std::size_t) const { return 1; }
    template <class I>
    T &operator()(I i) const {
        return data_[static_cast<std::ptrdiff_t>(i)];
    }

    template <class To, class = std::enable_if_t<std::is_class_v<To> && std::is_constructible_v<To, T *, std::size_t> && !std::is_constructible_v<To, const SpanLike<T> &> &&
                                                      !is_mapped_vector<To, T>>>
    operator To() const {
        return To(data_, size_);
    }
    template <class To, class = void, class = std::enable_if_t<is_mapped_vector<To, T>>>
    operator To() const {
        check_mapped(" elements", To::PlainObject::SizeAtCompileTime, static_cast<std::ptrdiff_t>(size_));
        return To(To::PlainObject::Map(data_, static_cast<std::ptrdiff_t>(size_)));
    }

private:
    /// A byte that is neither 0 nor 1 is no bool: to read it as one is undefined.
    void check_bools() const {
        const auto *bytes = reinterpret_cast<const unsigned char *>(data_);
        for (std::size_t i = 0; i < size_; ++i)
            if (bytes[i] > 1)
                throw Own<std::invalid_argument>("the memory has a byte that is no bool: " + std::to_string(bytes[i]) + " at index " + std::to_string(i));
    }

    T *data_;
    std::size_t size_;
};

template <class T>
struct always_false : std::false_type {};

/// Whether a class has `data()` and `size()` of memory that is not its own: what is const of an owner has const memory, and what owns
/// memory elsewhere has a destructor.
template <class M, class = void>
struct is_view_of_memory : std::false_type {};
template <class M>
struct is_view_of_memory<M, std::void_t<decltype(std::declval<const M &>().data()), decltype(std::declval<M &>().size())>>
    : std::bool_constant<std::is_trivially_destructible_v<M> &&
                         std::is_same_v<decltype(std::declval<M &>().data()), decltype(std::declval<const M &>().data())>> {};

/// Whether an integer is one of another type's, or a floating-point number that is no other integer.
template <class To, class From>
bool fits(From value) {
    if constexpr (std::is_floating_point_v<To>) {
        if constexpr (std::numeric_limits<From>::digits > std::numeric_limits<To>::digits) {
            const auto bits = static_cast<u64>(value);
            u64 left = value < From(0) ? u64(0) - bits : bits;
            while (left >> std::numeric_limits<To>::digits != 0) {
                if ((left & 1) != 0) return false;
                left >>= 1;
            }
        }
        return true;
    } else if constexpr (std::is_signed_v<From> == std::is_signed_v<To>)
        return value >= std::numeric_limits<To>::min() && value <= std::numeric_limits<To>::max();
    else if constexpr (std::is_signed_v<From>)
        return value >= 0 && static_cast<std::make_unsigned_t<From>>(value) <= std::numeric_limits<To>::max();
    else
        return value <= static_cast<std::make_unsigned_t<To>>(std::numeric_limits<To>::max());
}

/// Whether memory has pairs of numbers in it, which only specs with complex numbers know.
template <class T>
constexpr bool is_complex = false;

/// What messages call a number type.
template <class T>
constexpr const char *spelling() {
    if constexpr (std::is_same_v<T, bool>) return "bool";
    else if constexpr (std::is_floating_point_v<T>) return sizeof(T) == sizeof(f32) ? "f32" : "f64";
    else if constexpr (std::is_unsigned_v<T>) return sizeof(T) == 1 ? "u8" : sizeof(T) == 2 ? "u16" : sizeof(T) == 4 ? "u32" : "u64";
    else return sizeof(T) == 1 ? "i8" : sizeof(T) == 2 ? "i16" : sizeof(T) == 4 ? "i32" : "i64";
}

/// Fails for an argument that its C++ type has no place for.
template <class To, class From>
[[noreturn]] void fail_to_fit(const char *name, From value) {
    throw Own<std::overflow_error>(std::string(name) + ": " + std::to_string(value) + " does not fit " + spelling<To>());
}

/// The integer type of an enum; of an integer type, that itself.
template <class E, bool = std::is_enum_v<E>>
struct UnderlyingOf : std::underlying_type<E> {};
template <class E>
struct UnderlyingOf<E, false> {
    using type = E;
};
template <class E>
using Underlying = typename UnderlyingOf<E>::type;

/// How an enum's values cross: the bits of its integer type, as a negative number where that is signed.
template <class E>
constexpr i64 enum_bits = (std::is_signed_v<Underlying<E>> ? -8 : 8) * static_cast<i64>(sizeof(E));

/// Whether C++ says which integer type an enum has: else its values are only those of as many bits as the largest of them has.
template <class E, class = void>
inline constexpr bool has_fixed_type = false;
template <class E>
inline constexpr bool has_fixed_type<E, std::void_t<decltype(E{0})>> = true;

/// The range of values of an enum whose values are flags; anything, where C++ says its type.
template <class E>
struct FlagRange {
    static inline i64 lowest = std::numeric_limits<i64>::min(), largest = std::numeric_limits<i64>::max();

    static bool has(i64 value) noexcept {
        if constexpr (has_fixed_type<E> || enum_bits<E> == 64) return true;
        else return value >= lowest && value <= largest;
    }
    static std::string text() { return "the C++ enum, whose values in the spec go from " + std::to_string(lowest) + " to " + std::to_string(largest); }
};

/// Notes the range of an enum from the values that the spec lists; gives how they cross.
template <class E>
i64 flag_bits(const i64 *values, std::size_t count) noexcept {
    bool is_signed = false;
    i64 largest = 1;
    for (std::size_t i = 0; i < count; ++i) {
        is_signed = is_signed || values[i] < 0;
        while (largest < (values[i] < 0 ? ~values[i] : values[i])) largest = 2 * largest + 1;
    }
    FlagRange<E>::lowest = is_signed ? -largest - 1 : 0;
    FlagRange<E>::largest = largest;
    return enum_bits<E>;
}

/// An enum's value from C, where those beyond the largest i64 are negative.
template <class E>
E enumerator(i64 value, const char *name) {
    using U = Underlying<E>;
    if constexpr (enum_bits<E> != 64)
        if (!fits<U>(value)) fail_to_fit<U>(name, value);
    if (!FlagRange<E>::has(value)) throw Own<std::overflow_error>(std::string(name) + ": " + std::to_string(value) + " does not fit " + FlagRange<E>::text());
    return static_cast<E>(static_cast<U>(value));
}

/// A double as a float; too large is an error, not infinity.
inline float narrow(double value) {
    const float narrowed = static_cast<float>(value);
    if (std::isinf(narrowed) && !std::isinf(value)) throw Own<std::overflow_error>("the number is too large for f32");
    return narrowed;
}

template <class T>
std::vector<T> values(const T *data, std::size_t size) {
    return std::vector<T>(data, data + size);
}

inline std::vector<std::string> texts(const char *data, const std::size_t *sizes, std::size_t size) {
    std::vector<std::string> out;
    out.reserve(size);
    for (std::size_t i = 0; i < size; data += sizes[i], ++i) out.emplace_back(data, sizes[i]);
    return out;
}

// --- calls --------------------------------------------------------------------------------------

template <class T, class = void>
struct is_pointer_like : std::is_pointer<T> {};
template <class T>
struct is_pointer_like<T, std::void_t<typename T::element_type, decltype(std::declval<T &>().operator->())>> : std::true_type {};

/// Whether it is a plain pointer to an object of C++.
template <class P>
constexpr bool is_object_pointer = std::is_pointer_v<P> && (std::is_class_v<std::remove_pointer_t<P>> || std::is_union_v<std::remove_pointer_t<P>>);

/// The object whose member a method calls: what a pointer-like handle points to, else the handle itself.
template <class T>
decltype(auto) object(T &inner) {
    if constexpr (is_pointer_like<std::remove_cv_t<T>>::value) {
        if (!inner) throw Own<std::invalid_argument>("this handle holds a null pointer");
        return (*inner);
    } else {
        return (inner);
    }
}

}  // namespace wg

#endif  // WG_BASE_CALLS_HPP
