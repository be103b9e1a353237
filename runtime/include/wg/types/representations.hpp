// Representations: C++ types that stand for values of the spec language, read as their spec says and released once.
// Static: the same for all packages. Included by generated C++ of specs with `types:`.
#ifndef WG_TYPES_REPRESENTATIONS_HPP
#define WG_TYPES_REPRESENTATIONS_HPP

#include <variant>

#include "wg/conversion/containers.hpp"
#include "wg/conversion/results.hpp"

namespace wg {

/// The C++ types of the entries of `types` so far, whatever their names: none, and one more.
struct NothingRead {
    static std::false_type has(const void *);
};
template <class T>
struct ReadType {};
template <class T, class Before>
struct AlsoRead : Before {
    using Before::has;
    static std::true_type has(ReadType<T> *);
};
template <class T, class Before>
constexpr bool is_read = decltype(Before::has(static_cast<ReadType<T> *>(nullptr)))::value;
/// The type itself, where no entry before has it: of several there is one error, at the line of the spec.
template <class T, class Before>
struct ReadTwice {};
template <class T, class Before>
using NotYetRead = std::conditional_t<is_read<T, Before>, ReadTwice<T, Before>, T>;

/// So many elements from an address on.
template <class P>
struct Elements {
    P first;
    std::size_t count;

    P begin() const { return first; }
    P end() const { return first + count; }
};

/// As many elements, or characters, as a library says that there are at an address.
template <bool is_text, class P, class N>
auto run_of(P &&data, const N &length) {
    if (!fits<std::size_t>(length)) throw Own<std::invalid_argument>("the library returned a length below 0");
    const auto count = static_cast<std::size_t>(length);
    if constexpr (std::is_pointer_v<std::decay_t<P>>)
        if (data == nullptr && count != 0) throw Own<std::invalid_argument>("the library returned a null pointer with a length");
    if constexpr (is_text)
        return std::string_view(static_cast<const char *>(static_cast<const void *>(data)), count);
    else
        return Elements<std::decay_t<P>>{data, count};
}

template <class Reader, class T, class = void>
struct has_length : std::false_type {};
template <class Reader, class T>
struct has_length<Reader, T, std::void_t<decltype(Reader::wg_length(std::declval<const T &>()))>> : std::true_type {};

template <class Reader, class = void>
struct has_data : std::false_type {};
template <class Reader>
struct has_data<Reader, std::void_t<decltype(&Reader::wg_data)>> : std::true_type {};

/// A value of a type that is a part of itself (wg/types/recursive.hpp).
template <class T>
struct is_recursive : std::false_type {};
template <class T>
class Nested;

// --- kinds of values ------------------------------------------------------------------------------

[[noreturn]] inline void fail_of_kind() {
    throw Own<std::invalid_argument>("the library returned a value of a kind that the spec does not list");
}

template <class To>
To no_value() {
    if constexpr (is_recursive<To>::value)
        return {no_value<decltype(To::of)>()};
    else if constexpr (is_optional<To>::value)
        return std::nullopt;
    else
        throw Own<std::invalid_argument>("the library returned no value");
}

/// Alternative `index` of a union, or a value where there is only one. A `T` itself is converted by what it is.
template <class To, class T, std::size_t index, class From>
To value_of_kind(From &&value) {
    if constexpr (is_recursive<To>::value) {
        const Nested<To> level;
        return {value_of_kind<decltype(To::of), T, index>(std::forward<From>(value))};
    } else if constexpr (is_optional<To>::value)
        return value_of_kind<typename To::value_type, T, index>(std::forward<From>(value));
    else if constexpr (is_variant<To>::value)
        return To(std::in_place_index<index>, value_of_kind<std::variant_alternative_t<index, To>, T, 0>(std::forward<From>(value)));
    else if constexpr (std::is_same_v<std::decay_t<From>, T>)
        return Convert<To>::from(std::forward<From>(value));
    else
        return wg::convert<To>(std::forward<From>(value));
}

/// Whether it is a handle that holds a `T`, or one that may be missing: what is asked for is the object then, and not its value.
template <class To, class T>
constexpr bool holds_it = is_handle<To>::value;
template <class H, class T>
constexpr bool holds_it<std::optional<H>, T> = [] {
    if constexpr (is_handle<H>::value)
        return std::is_convertible_v<const T &, decltype(H::inner)>;
    else
        return false;
}();

/// What `wg::convert` does with a `T`. The call's own value is released, also where it cannot be converted; what lies in another
/// value is that one's to release.
template <class T, class Reader>
struct Represented {
    using ReadBy = Reader;
    /// What makes one of a value of Python's.
    template <class V>
    using MadeBy = Reader;

    template <class To>
    static constexpr bool gives = !holds_it<To, T> && !std::is_same_v<To, T>;

    /// One that lies elsewhere, and is not ours to release.
    template <class To>
    static To at(const T *address) {
        return address == nullptr ? no_value<To>() : read_any<To>(*address);
    }

    template <class To>
    static To read_any(const T &value) {
        if constexpr (has_data<Reader>::value)
            return read<To>(value);
        else
            return Reader::template wg_to<To>(value);
    }

    template <class To, class From>
    static To to(From &&value) {
        if constexpr (std::is_lvalue_reference_v<From>) {
            return read_any<To>(value);
        } else {
            struct Releasing {
                T &value;
                ~Releasing() {
                    if constexpr (std::is_pointer_v<T>) {
                        if (value == nullptr) return;
                    }
                    Reader::wg_free(value);
                }
            } release{const_cast<T &>(value)};
            return read_any<To>(value);
        }
    }

private:
    template <class To>
    static To read(const T &value) {
        if constexpr (std::is_pointer_v<T>) {  // asked first: no expression of the spec has to think of it
            if (value == nullptr) return no_value<To>();
        }
        decltype(auto) data = Reader::wg_data(value);
        constexpr bool is_pointer = std::is_pointer_v<std::decay_t<decltype(data)>>;
        if constexpr (is_optional<To>::value) {
            if constexpr (is_pointer)
                if (data == nullptr) return std::nullopt;
            return read<typename To::value_type>(value);
        } else if constexpr (has_length<Reader, T>::value) {
            return wg::convert<To>(run_of<Reader::wg_is_text>(data, Reader::wg_length(value)));
        } else if constexpr (std::is_same_v<std::decay_t<decltype(data)>, T>) {
            return Convert<To>::from(data);
        } else {
            return wg::convert<To>(data);
        }
    }
};

// --- read by name -----------------------------------------------------------------------------------

/// Whether results and parameters have a `T` without an entry of `types`: numbers, and texts by their address.
template <class T>
constexpr bool is_had_as_it_is = std::is_arithmetic_v<T> || std::is_same_v<T, std::string> || std::is_same_v<T, std::string_view>;
template <class T>
constexpr bool is_had_as_it_is<T *> = std::is_integral_v<T> && sizeof(T) == 1 && !std::is_same_v<std::remove_cv_t<T>, bool>;

template <class R>
struct RecursiveValue;

/// How one of several entries of `types` reads a C++ type. `Tag` is that of the name, which the value has in its type.
template <class R, class Read>
struct ReadByName {
    using Tag = R;
    using Reader = Read;
    using Value = RecursiveValue<R>;
};

/// The type in an optional one.
template <class To>
struct IfThere {
    using type = To;
};
template <class To>
struct IfThere<std::optional<To>> {
    using type = To;
};

/// The one of several readings whose name a type of values has; void where none has.
template <class V, class... Reading>
struct ReadingOf {
    using Reader = void;
};
template <class V, class First, class... Rest>
struct ReadingOf<V, First, Rest...> : std::conditional_t<std::is_same_v<typename IfThere<V>::type, typename First::Value>, First, ReadingOf<V, Rest...>> {};

/// What `wg::convert` does with a `T` that is read only where an entry's name says so.
template <class T, class... Reading>
struct RepresentedByName {
    template <class V>
    using MadeBy = typename ReadingOf<V, Reading...>::Reader;
    template <class To>
    static constexpr bool gives = !std::is_void_v<MadeBy<To>>;

    template <class To>
    static To at(const T *address) {
        return Represented<T, MadeBy<To>>::template at<To>(address);
    }
    template <class To, class From>
    static To to(From &&value) {
        return Represented<T, MadeBy<To>>::template to<To>(std::forward<From>(value));
    }
};

}  // namespace wg

#endif  // WG_TYPES_REPRESENTATIONS_HPP
