// Arguments of a call: a conversion that C++ makes by itself and that would change the meaning is refused.
// Static: the same for all packages. Included by generated C++ only.
#ifndef WG_CONVERSION_ARGUMENTS_HPP
#define WG_CONVERSION_ARGUMENTS_HPP

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "wg/base/calls.hpp"
#include "wg/base/in_braces.hpp"
#include "wg/base/once.hpp"
#include "wg/base/pack.hpp"

// Generated code has a probe for an argument: a lambda whose type exists when the call does, with that argument in braces.
// Braces refuse to narrow; and no template deduces its own parameter from them, so that it never meets a stand-in.
// A function-like macro is not expanded in a probe: its name is unknown then, the probe takes nothing, and the argument is
// passed as it is.
#define WG_NOT_EXPANDED

namespace wg {

/// The types of a call's arguments, as references.
template <class... A>
struct Given {};

/// Whether a probe takes arguments of these types: the same as std::is_invocable, in a fifth of the compiler's time.
template <class Probe, class Void, class... A>
struct TakesAll : std::false_type {};
template <class Probe, class... A>
struct TakesAll<Probe, decltype(std::declval<const Probe &>()(std::declval<A>()...)), A...> : std::true_type {};

template <class Probe, class New, std::size_t At, class Index, class... A>
struct TakesOne;
template <class Probe, class New, std::size_t At, std::size_t... I, class... A>
struct TakesOne<Probe, New, At, std::index_sequence<I...>, A...> : TakesAll<Probe, void, std::conditional_t<I == At, New, A>...> {};

template <class Probe, class Given, std::size_t At, class New>
struct Takes;
template <class Probe, class... A, std::size_t At, class New>
struct Takes<Probe, Given<A...>, At, New> : TakesOne<Probe, New, At, std::index_sequence_for<A...>, A...> {};

/// Whether a probe takes a `New` as argument `At`.
template <class Probe, class Given, std::size_t At, class New>
constexpr bool takes = Takes<Probe, Given, At, New>::value;

/// Whether a handle's type says nothing of where it belongs.
template <class Inner>
constexpr bool is_untyped = std::is_same_v<Inner, void *> || std::is_same_v<Inner, const void *>;
/// Whether a handle is a number, which goes wherever another number does.
template <class Inner>
constexpr bool is_number_like = std::is_arithmetic_v<Inner> || std::is_enum_v<Inner>;

// --- stand-ins ----------------------------------------------------------------------------------

/// Whether a number may become a `To`, once its range was checked: a fraction never becomes an integer.
template <class To, class From>
constexpr bool may_become = std::is_arithmetic_v<To> && std::is_convertible_v<From, To> &&
                            (std::is_floating_point_v<To> || !std::is_floating_point_v<From>);

/// Converts to just this type.
template <class P>
struct Only {
    template <class U, class = std::enable_if_t<std::is_same_v<U, P>>>
    operator U() const;
};

/// Converts to what a pointer converts to, but to no bool.
template <class P>
struct PointerOnly {
    template <class U, class = std::enable_if_t<std::is_pointer_v<U> && std::is_convertible_v<P, U>>>
    operator U() const;
};
/// Whether a pointer becomes a `To` only as the bool that C++ makes of any pointer.
template <class From, class To>
constexpr bool becomes_bool() {
    using P = std::decay_t<From>;
    if constexpr (std::is_pointer_v<P> && std::is_convertible_v<From, To> && std::is_convertible_v<bool, To>)
        return !std::is_constructible_v<To, const PointerOnly<P> &> && !std::is_constructible_v<To, const Only<P> &>;
    else
        return false;
}

using Letters = Types<char, char16_t, char32_t, wchar_t>;
using Numbers = Types<bool, signed char, unsigned char, short, unsigned short, int, unsigned, long, unsigned long, long long,
                      unsigned long long, float, double, long double>;

template <class T>
using Itself = T;

/// The one type of a list, other than `T`, that argument `At` can be as `Shape` has it; void when there is none, or a choice.
template <template <class> class Shape, class Probe, class Given, std::size_t At, class T, class List>
struct OneTaken {
    static constexpr int count = 0;
    using type = void;
};
template <template <class> class Shape, class Probe, class Given, std::size_t At, class T, class P, class... Rest>
struct OneTaken<Shape, Probe, Given, At, T, Types<P, Rest...>> {
    using Others = OneTaken<Shape, Probe, Given, At, T, Types<Rest...>>;
    static constexpr bool here = !std::is_same_v<P, std::remove_cv_t<T>> && takes<Probe, Given, At, Only<Shape<P>> &>;
    static constexpr int count = here + Others::count;
    using type = std::conditional_t<count != 1, void, std::conditional_t<here, P, typename Others::type>>;
};

/// The number type of the C++ parameter, where that is clear. A string has letters in braces: they come after all others.
template <template <class> class Shape, class Probe, class Given, std::size_t At, class T>
auto parameter_of() {
    using Number = OneTaken<Shape, Probe, Given, At, T, Numbers>;
    if constexpr (Number::count != 0)
        return Types<typename Number::type>();
    else
        return Types<typename OneTaken<Shape, Probe, Given, At, T, Letters>::type>();
}

/// The same, of a call that may be a conversion to a class: in braces, its constructors and those that copy it are a choice. `Plain`
/// is the call without braces, or void where it has several arguments.
template <template <class> class Shape, class Probe, class Plain, class Given, std::size_t At, class T>
auto parameter_of_any() {
    using Found = decltype(parameter_of<Shape, Probe, Given, At, T>());
    if constexpr (std::is_same_v<Found, Types<void>> && !std::is_void_v<Plain>)
        return parameter_of<Shape, Plain, Given, At, T>();
    else
        return Found();
}

// --- numbers and enums --------------------------------------------------------------------------

/// A floating-point number as Python shows it.
WG_ONCE std::string shown_float(double value) WG_ELSEWHERE
#if WG_HAS_BODIES
{
    char text[32];
    for (int digits = 15; digits <= 17; ++digits) {  // as few as no other float has
        std::snprintf(text, sizeof(text), "%.*g", digits, value);
        if (std::strtod(text, nullptr) == value) break;
    }
    const std::string out = text;
    return out.find_first_not_of("-0123456789") == std::string::npos ? out + ".0" : out;
}
#endif

[[noreturn]] inline void fail_to_fit_f32(const char *name, double value) {
    throw Own<std::overflow_error>(std::string(name) + ": " + shown_float(value) + " does not fit f32");
}

/// A number as the type of the C++ parameter.
template <class To, class From>
To checked(From value, const char *name) {
    if constexpr (std::is_enum_v<From>) {
        return checked<To>(static_cast<std::underlying_type_t<From>>(value), name);
    } else if constexpr (std::is_integral_v<To> || std::is_integral_v<From>) {
        if (!fits<To>(value)) fail_to_fit<To>(name, value);
        return static_cast<To>(value);
    } else {
        const To converted = static_cast<To>(value);
        if constexpr (sizeof(To) < sizeof(From) && std::is_floating_point_v<From>)
            if (std::isinf(converted) && !std::isinf(value)) fail_to_fit_f32(name, value);
        return converted;
    }
}

/// A number of type `N`, or an optional one, as a `P`; as it is where `P` is void. Each probe has its own, and so its own error.
template <class Probe, class N, class T, class P>
decltype(auto) converted(T &value, [[maybe_unused]] const char *name, Types<P>) {
    static_assert(may_become<P, N> || !std::is_convertible_v<N, P> || !std::is_same_v<P, char>,
                  "wrapper-gen: an argument would lose its meaning: the function takes a char, or what is made of one as std::string is, where "
                  "the spec declares a number; declare text where C++ has a std::string, i8 where it has a char");
    static_assert(may_become<P, N> || !std::is_convertible_v<N, P> || std::is_same_v<P, char>,
                  "wrapper-gen: an argument would lose its meaning: the function takes an integer where the spec declares a "
                  "floating-point number; convert it in the spec if that is meant");
    if constexpr (!may_become<P, N>)
        return (value);
    else if constexpr (std::is_same_v<std::remove_cv_t<T>, N>)
        return checked<P>(value, name);
    else
        return value ? std::optional<P>(checked<P>(*value, name)) : std::nullopt;
}

/// A number for argument `At`: itself, or (where the C++ parameter is narrower) checked and converted.
template <class Probe, class Given, std::size_t At, class Plain = void, class T>
decltype(auto) argument(T &value, [[maybe_unused]] const char *name) {
    if constexpr (takes<Probe, Given, At, T &>)
        return (value);
    else
        return converted<Probe, std::remove_cv_t<T>>(value, name, parameter_of_any<Itself, Probe, Plain, Given, At, T>());
}

/// The same for a number that may be missing.
template <class Probe, class Given, std::size_t At, class Plain = void, class T>
decltype(auto) argument(const std::optional<T> &value, [[maybe_unused]] const char *name) {
    if constexpr (takes<Probe, Given, At, Only<std::optional<T>> &>)
        return (value);
    else
        return converted<Probe, T>(value, name, parameter_of_any<std::optional, Probe, Plain, Given, At, T>());
}

// --- text and bytes -----------------------------------------------------------------------------

/// Stand in a list of types for texts, bytes, and the addresses of bytes, which a call may want in several ways.
struct SomeText {};
struct SomeBytes {};
struct SomeAddress {};

/// Stands for what may be missing: itself where the call takes that, else an address, which is null then.
template <class V>
struct SomeMaybe {};
template <class A>
constexpr bool is_maybe = false;
template <class V>
constexpr bool is_maybe<SomeMaybe<V>> = true;
template <class A>
struct AsOptional {
    using type = A;
};
template <class V>
struct AsOptional<SomeMaybe<V>> {
    using type = const std::optional<V> &;
};
/// The address in its place.
template <class A>
struct AsAddress {
    using type = A;
};
template <class V>
struct AsAddress<SomeMaybe<V>> {
    using type = SomeAddress;
};

/// Stands for a number, `value`, or (where the call takes none) what has its address, `address`.
template <class A>
constexpr bool is_number_or_address = false;
template <class A>
struct AsNumber {
    using value = A;
    using address = A;
};

// A namespace without functions: C++ also looks for the called function in the namespace of an argument's type.
namespace probes {
/// A text that ends with a NUL, by its address: of characters, or of bytes as some libraries have it.
struct AnyText {
    const char *value;
    template <class P, class = std::enable_if_t<std::is_same_v<P, const char *> || std::is_same_v<P, const unsigned char *> ||
                                                std::is_same_v<P, const signed char *>>>
    operator P() const {
        return reinterpret_cast<P>(value);
    }
};
/// The address of bytes, where the addresses of one call are of several types.
struct AnyBytes {
    const char *value;
    template <class P, class = std::enable_if_t<std::is_same_v<P, const char *> || std::is_same_v<P, const unsigned char *> ||
                                                std::is_same_v<P, const signed char *> || std::is_same_v<P, const std::byte *> ||
                                                std::is_same_v<P, const void *>>>
    operator P() const {
        return reinterpret_cast<P>(value);
    }
};
}  // namespace probes
using probes::AnyBytes;
using probes::AnyText;

/// The address of bytes in one of these ways.
template <class Byte>
struct AddressOf {
    using type = const Byte *const &;
};
template <>
struct AddressOf<AnyBytes> {
    using type = const AnyBytes &;
};

/// One of these ways.
template <class Text, class Bytes, class Byte>
struct Way {
    template <class A>
    using Settled = std::conditional_t<std::is_same_v<A, SomeText>, const Text &,
                                       std::conditional_t<std::is_same_v<A, SomeBytes>, const Bytes &,
                                                          std::conditional_t<std::is_same_v<A, SomeAddress>, typename AddressOf<Byte>::type, A>>>;
    template <class... A>
    using Types = Given<Settled<A>...>;
};

template <class Whole, class... A, class First, class... Rest>
auto first_way(Types<First, Rest...>) {
    if constexpr (sizeof...(Rest) == 0 || TakesAll<Whole, void, typename First::template Settled<A>...>::value)
        return typename First::template Types<A...>();
    else
        return first_way<Whole, A...>(Types<Rest...>());
}

/// Whether a call takes arguments of these types.
template <class Whole, class... A>
constexpr bool is_taken_by(Given<A...>) {
    return TakesAll<Whole, void, A...>::value;
}

/// A list of ways without those that another one before them equals, for arguments of these kinds; the last one stays.
template <bool text, bool bytes, bool address, class Kept, class Rest>
struct DistinctWays;
template <bool text, bool bytes, bool address, class... Kept, class Last>
struct DistinctWays<text, bytes, address, Types<Kept...>, Types<Last>> {
    using type = Types<Kept..., Last>;
};
template <bool text, bool bytes, bool address, class... Kept, class T, class B, class A, class Next, class... Rest>
struct DistinctWays<text, bytes, address, Types<Kept...>, Types<Way<T, B, A>, Next, Rest...>> {
    using Here = Way<std::conditional_t<text, T, std::string>, std::conditional_t<bytes, B, std::string_view>, std::conditional_t<address, A, char>>;
    using Ways = std::conditional_t<(std::is_same_v<Here, Kept> || ...), Types<Kept...>, Types<Kept..., Here>>;
    using type = typename DistinctWays<text, bytes, address, Ways, Types<Next, Rest...>>::type;
};

template <bool text, bool bytes, bool address>
struct WaysOf {
    using S = std::string;
    using V = std::string_view;
    using C = const char *;
    using All = Types<Way<S, V, char>, Way<S, S, char>, Way<C, S, char>, Way<S, V, unsigned char>, Way<C, V, unsigned char>,
                      Way<S, V, signed char>, Way<C, V, signed char>, Way<S, V, std::byte>, Way<C, V, std::byte>, Way<AnyText, V, char>,
                      Way<AnyText, S, char>, Way<AnyText, V, unsigned char>, Way<S, V, AnyBytes>, Way<AnyText, V, AnyBytes>, Way<C, V, char>>;
    using type = typename DistinctWays<text, bytes, address, Types<>, All>::type;
};
template <>
struct WaysOf<false, false, false> {
    using type = Types<Way<const char *, std::string_view, char>>;
};

/// The types of a call's arguments, with all texts and bytes in the first way that the call takes.
template <class Whole, class... A>
auto settle() {
    if constexpr ((is_number_or_address<A> || ...)) {
        using Number = decltype(settle<Whole, typename AsNumber<A>::value...>());
        if constexpr (is_taken_by<Whole>(Number()))
            return Number();
        else
            return settle<Whole, typename AsNumber<A>::address...>();
    } else if constexpr ((is_maybe<A> || ...)) {
        using Optional = decltype(settle<Whole, typename AsOptional<A>::type...>());
        if constexpr (is_taken_by<Whole>(Optional()))
            return Optional();
        else
            return settle<Whole, typename AsAddress<A>::type...>();
    } else {
        constexpr bool text = (std::is_same_v<A, SomeText> || ...), bytes = (std::is_same_v<A, SomeBytes> || ...);
        return first_way<Whole, A...>(typename WaysOf<text, bytes, (std::is_same_v<A, SomeAddress> || ...)>::type());
    }
}

template <class Given, std::size_t At>
struct NthOf;
template <class... A, std::size_t At>
struct NthOf<Given<A...>, At> : std::tuple_element<At, std::tuple<A...>> {};
template <class Given, std::size_t At>
using Nth = typename NthOf<Given, At>::type;

/// Whether a NUL is in a text. Most are short, for which a call would take longer than to look.
inline bool has_nul(std::string_view value) noexcept {
    if (value.size() > 16) return value.find('\0') != std::string_view::npos;
    for (const char each : value)
        if (each == '\0') return true;
    return false;
}

[[gnu::cold, gnu::noinline, noreturn]] inline void fail_of_nul(const char *name) { throw Own<std::invalid_argument>(std::string(name) + ": embedded null character"); }

inline const char *c_text(const std::string &value, const char *name) {
    if (has_nul(value)) fail_of_nul(name);
    return value.c_str();
}

/// A text for argument `At`. `Whole` is the call itself, as a probe without braces.
template <class Whole, class Probe, class Given, std::size_t At>
decltype(auto) text(const std::string &value, [[maybe_unused]] const char *name) {
    if constexpr (std::is_same_v<Nth<Given, At>, const AnyText &>) {
        return AnyText{c_text(value, name)};
    } else if constexpr (std::is_same_v<Nth<Given, At>, const std::string &> || takes<Whole, Given, At, const std::string &>) {
        return (value);
    } else {
        static_assert(!takes<Probe, Given, At, Only<bool> &> || takes<Probe, Given, At, Only<const char *> &>,
                      "wrapper-gen: an argument would lose its meaning: the function takes a bool where the spec declares text; "
                      "declare what C++ has, or say in a lambda what the text means");
        return c_text(value, name);
    }
}

/// Bytes for argument `At`: a view, or a string where the call takes only that.
template <class Given, std::size_t At>
decltype(auto) bytes(const std::string_view &value) {
    if constexpr (std::is_same_v<Nth<Given, At>, const std::string &>)
        return std::string(value);
    else
        return (value);
}

/// The address of bytes for argument `At`, as the pointer that the call takes.
template <class Given, std::size_t At>
auto pointer(const char *value) {
    using Address = std::decay_t<Nth<Given, At>>;
    if constexpr (std::is_same_v<Address, AnyBytes>)
        return AnyBytes{value};
    else
        return reinterpret_cast<Address>(value);
}

/// A text that may be missing, for argument `At`: itself, or where the call takes only that its address, which is null for none.
template <class Whole, class Given, std::size_t At>
decltype(auto) maybe_text(const std::optional<std::string> &value, [[maybe_unused]] const char *name) {
    if constexpr (std::is_same_v<Nth<Given, At>, const std::optional<std::string> &>) {
        return (value);
    } else {
        constexpr bool takes_address = takes<Whole, Given, At, const Only<std::decay_t<Nth<Given, At>>> &>;
        static_assert(takes_address || !takes<Whole, Given, At, const std::string &>,
                      "wrapper-gen: an argument would lose its meaning: the function takes a text where the spec declares one that may be missing; "
                      "declare it as text, or write a lambda");
        static_assert(takes_address || !takes<Whole, Given, At, const bool &>,
                      "wrapper-gen: an argument would lose its meaning: the function takes a bool where the spec declares text; "
                      "declare what C++ has, or say in a lambda what the text means");
        return pointer<Given, At>(value ? c_text(*value, name) : nullptr);
    }
}

}  // namespace wg

#endif  // WG_CONVERSION_ARGUMENTS_HPP
