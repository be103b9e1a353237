// Results: what a call gave becomes the type that the spec declares. How C gets it: wg/conversion/packed_results.hpp.
// Static: the same for all packages. Included by generated C++ only.
#ifndef WG_CONVERSION_RESULTS_HPP
#define WG_CONVERSION_RESULTS_HPP

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "wg/conversion/arguments.hpp"
#include "wg/ownership/handles.hpp"
#include "wg/base/is_view.hpp"
#include "wg/base/ranges.hpp"

namespace wg {

template <class T>
constexpr bool is_number_v = std::is_integral_v<T> && !std::is_same_v<T, bool>;

/// Turns what a call gave into the declared type `To`. One specialisation a family of types.
template <class To, class = void>
struct Convert;

/// What a C++ type stands for, where the spec says that under `types` (wg/types/representations.hpp).
template <class T>
struct Representation {
    template <class V>
    using MadeBy = void;
    template <class To>
    static constexpr bool gives = false;
};

template <class T, class = void>
struct is_represented : std::false_type {};
template <class T>
struct is_represented<T, std::void_t<typename Representation<T>::ReadBy>> : std::true_type {};

/// A container that was found to be whole (wg/conversion/owned_containers.hpp): its parts are moved on.
template <class To, class... H>
struct HandedOver;
template <class T, class To>
constexpr bool is_handed_over = false;
template <class To, class... H>
constexpr bool is_handed_over<HandedOver<To, H...>, To> = true;

template <class To, class From>
To convert(From &&value) {
    if constexpr (is_handed_over<From, To>)
        return std::move(static_cast<To &>(value));
    else if constexpr (Representation<std::decay_t<From>>::template gives<To>)
        return Representation<std::decay_t<From>>::template to<To>(std::forward<From>(value));
    else
        return Convert<To>::from(std::forward<From>(value));
}

template <>
struct Convert<bool> {
    template <class From>
    static bool from(From &&value) {
        using T = std::decay_t<From>;
        if constexpr (std::is_integral_v<T>) {
            return value != 0;
        } else {
            static_assert(std::is_class_v<T> && std::is_convertible_v<From, bool>,
                          "wrapper-gen: the result is no bool; compare it, so that its meaning is plain");
            return static_cast<bool>(value);
        }
    }
};

template <class To>
struct Convert<To, std::enable_if_t<is_number_v<To>>> {
    template <class From>
    static To from(From &&value) {
        using T = std::decay_t<From>;
        if constexpr (std::is_same_v<T, bool>) {
            return static_cast<To>(value);
        } else if constexpr (std::is_integral_v<T>) {
            if (!fits<To>(value)) fail_to_fit<To>("the result", value);
            return static_cast<To>(value);
        } else if constexpr (std::is_enum_v<T>) {
            return from(static_cast<std::underlying_type_t<T>>(value));
        } else {
            static_assert(std::is_class_v<T> && std::is_convertible_v<From, To> && !std::is_convertible_v<From, const void *>,
                          "wrapper-gen: the result is no integer; convert it in the spec if that is meant");
            return static_cast<To>(value);
        }
    }
};

template <class To>
struct Convert<To, std::enable_if_t<std::is_floating_point_v<To>>> {
    template <class From>
    static To from(From &&value) {
        using T = std::decay_t<From>;
        if constexpr (std::is_same_v<To, float> && std::is_same_v<T, double>) {
            return checked<To>(value, "the result");
        } else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
            if (!fits<To>(value)) fail_to_fit<To>("the result", value);
            return static_cast<To>(value);
        } else {
            static_assert(!std::is_same_v<T, long double>, "wrapper-gen: the result is a long double, which has more digits than f64; convert it "
                                                           "in the spec, static_cast<double>(...), if that is meant");
            static_assert(!std::is_same_v<T, bool> && !std::is_enum_v<T> && !std::is_pointer_v<T> && std::is_convertible_v<From, To>,
                          "wrapper-gen: the result is no floating-point number; convert it in the spec if that is meant");
            return static_cast<To>(value);
        }
    }
};

/// Whether it is a character, or a byte that some libraries have for one.
template <class T>
constexpr bool is_letter = std::is_same_v<std::remove_cv_t<T>, char> || std::is_same_v<std::remove_cv_t<T>, unsigned char> ||
                           std::is_same_v<std::remove_cv_t<T>, signed char>;

/// Whether it is an array of these, whose length the type tells.
template <class T>
constexpr bool is_array_of_letters = false;
template <class T, std::size_t n>
constexpr bool is_array_of_letters<T[n]> = is_letter<T>;

/// Whether it is bytes in a row.
template <class T, class = void>
constexpr bool has_bytes = false;
template <class T>
constexpr bool has_bytes<T, std::void_t<decltype(*std::declval<T &>().data()), decltype(std::declval<T &>().size())>> =
    sizeof(*std::declval<T &>().data()) == 1;

template <>
struct Convert<std::string> {
    template <class From>
    static std::string from(From &&value) {
        using T = std::decay_t<From>;
        if constexpr (std::is_same_v<T, std::string>) {
            return std::forward<From>(value);
        } else if constexpr (is_array_of_letters<std::remove_reference_t<From>>) {  // which a NUL need not end
            const char *text = reinterpret_cast<const char *>(&value[0]);
            return std::string(text, static_cast<std::size_t>(std::find(text, text + std::extent_v<std::remove_reference_t<From>>, '\0') - text));
        } else if constexpr (std::is_pointer_v<T> && is_letter<std::remove_pointer_t<T>>) {
            const char *text = reinterpret_cast<const char *>(value);
            if (text == nullptr) throw Null("the library returned a null string");
            return text;
        } else if constexpr (std::is_convertible_v<From, std::string_view>) {
            return std::string(static_cast<std::string_view>(value));
        } else if constexpr (std::is_convertible_v<From, std::string>) {
            return std::forward<From>(value);
        } else {
            static_assert(has_bytes<T>, "wrapper-gen: the result is neither text nor bytes");
            if constexpr (has_bytes<T>) return std::string(reinterpret_cast<const char *>(value.data()), value.size());
            else return std::string();
        }
    }
};

template <class To>
struct Convert<To, std::enable_if_t<std::is_enum_v<To>>> {
    template <class From>
    static To from(From &&value) {
        using T = std::decay_t<From>;
        static_assert(std::is_same_v<T, To> || is_number_v<T>, "wrapper-gen: the result is not of the enum's type");
        if constexpr (is_number_v<T>)
            if (!fits<Underlying<To>>(value)) fail_to_fit<Underlying<To>>("the result", value);
        return static_cast<To>(value);
    }
};

template <class T, class = void>
struct is_handle : std::false_type {};
template <class T>
struct is_handle<T, std::void_t<decltype(T::inner)>> : std::true_type {};

template <class T>
struct is_vector : std::false_type {};
template <class E>
struct is_vector<std::vector<E>> : std::true_type {};

template <class E>
struct Convert<std::vector<E>> {
    template <class From>
    static std::vector<E> from(From &&value) {
        if constexpr (std::is_same_v<std::decay_t<From>, std::vector<E>> && !is_handle<E>::value) {
            return std::forward<From>(value);
        } else if constexpr (!checked_range<std::vector<E>, From>()) {
            return {};
        } else {
            std::vector<E> out;
            for (auto &&element : value) {
                if constexpr (is_vector<From>::value)  // ours alone, elements and all: they may be moved out
                    out.push_back(wg::convert<E>(std::move(element)));
                else
                    out.push_back(wg::convert<E>(std::forward<decltype(element)>(element)));
            }
            return out;
        }
    }
};

/// Whether memory that it refers to may be missing: what C++ has for a text or a list that is not there.
template <class T, class = void>
constexpr bool may_have_no_memory = false;
template <class T>
constexpr bool may_have_no_memory<T, std::enable_if_t<std::is_pointer_v<decltype(std::declval<T &>().data())>>> = is_view_of_memory<T>::value;

template <class T>
struct is_optional : std::false_type {};
template <class T>
struct is_optional<std::optional<T>> : std::true_type {};

template <class E>
struct Convert<std::optional<E>> {
    template <class From>
    static std::optional<E> from(From &&value) {
        using T = std::decay_t<From>;
        if constexpr (std::is_same_v<T, std::nullopt_t> || std::is_same_v<T, std::nullptr_t>) {
            return std::nullopt;
        } else if constexpr (is_optional<T>::value) {  // what it holds may be a null pointer
            if (!value) return std::nullopt;
            return from(*std::forward<From>(value));
        } else if constexpr (is_pointer_like<T>::value) {  // null is none: a C string, a pointer that a handle holds
            if (!value) return std::nullopt;
            return wg::convert<E>(std::forward<From>(value));
        } else if constexpr (std::is_same_v<T, E> && is_handle<E>::value) {
            if (!has_resource(value)) return std::nullopt;
            return std::forward<From>(value);
        } else if constexpr (has_empty<E>::value) {
            E made = Convert<E>::unchecked(std::forward<From>(value));
            if (!has_resource(made)) return std::nullopt;
            return made;
        } else {
            if constexpr (may_have_no_memory<T> && !std::is_same_v<T, E> && !is_handle<E>::value)
                if (value.data() == nullptr) return std::nullopt;
            return wg::convert<E>(std::forward<From>(value));
        }
    }
};

/// What is said of an empty value where the spec has no place for one.
template <class H>
Null no_resource() {
    return Null(has_empty<H>::value ? "the library returned an empty value where the spec declares a handle"
                                    : "the library returned a null pointer where the spec declares a handle");
}

namespace hidden {  // from argument-dependent lookup: a library may have a function of this name
/// A handle that was just made: an empty value is none, and only `T?` has a place for it.
template <class H>
H present(H &&handle) {
    if (!has_resource(handle)) throw no_resource<H>();
    return std::move(handle);
}
}  // namespace hidden
using namespace hidden;

/// Handle structs: from the struct itself, or from what it holds.
template <class H>
struct Convert<H, std::void_t<decltype(H::inner)>> {
    using Inner = decltype(H::inner);

    template <class From>
    static H from(From &&value) {
        return present<H>(unchecked(std::forward<From>(value)));
    }
    /// The same, which may have no resource.
    template <class From>
    static H unchecked(From &&value) {
        using T = std::decay_t<From>;
        if constexpr (std::is_same_v<T, H>) {
            return H(std::forward<From>(value));
        } else {
            static_assert(std::is_convertible_v<From, Inner> || !points_to<T>(),
                          "wrapper-gen: the result is an object, and the handle type holds a pointer to one: where C++ keeps the object, write its "
                          "address, &f(self), in quotes");
            static_assert(std::is_convertible_v<From, Inner> || points_to<T>(), "wrapper-gen: the result is not what the handle type holds");
            static_assert(!becomes_bool<From, Inner>(), "wrapper-gen: the result is a pointer, of which C++ would make a bool, and of that what the "
                                                        "handle type holds; hold a pointer, or return the object");
            static_assert(!is_sliced<T>(), "wrapper-gen: the result is of a class derived from the one that the handle type "
                                           "holds, and would be cut down to it; hold a pointer to the base");
            if constexpr (std::is_convertible_v<From, Inner>)
                return H{std::forward<From>(value)};
            else
                throw 0;  // told of above
        }
    }

private:
    /// Whether the handle holds a pointer to what this is.
    template <class T>
    static constexpr bool points_to() {
        return std::is_pointer_v<Inner> && std::is_convertible_v<T *, Inner>;
    }

    template <class T>
    static constexpr bool is_sliced() {
        if constexpr (std::is_class_v<Inner> && !is_pointer_like<Inner>::value)
            return std::is_base_of_v<Inner, T> && !std::is_same_v<std::remove_cv_t<Inner>, T>;
        else
            return false;
    }
};

/// What an expression gives whose result is text: copied before what the expression has made has ended, as in `name().c_str()`.
template <class To, class V>
decltype(auto) lasting_text(V &&value) {
    using T = std::decay_t<V>;
    constexpr bool is_elsewhere = (std::is_pointer_v<T> && is_letter<std::remove_pointer_t<T>>) || is_array_of_letters<std::remove_reference_t<V>> ||
                                  std::is_convertible_v<V, std::string_view>;
    if constexpr (is_elsewhere) return wg::convert<To>(std::forward<V>(value));
    else if constexpr (std::is_lvalue_reference_v<V>) return static_cast<V>(value);
    else return T(std::move(value));
}

/// A value that tells itself whether it is a result of type `R`, opened where it is one; any other as it is (wg/errors/statuses.hpp).
template <class R, class V>
decltype(auto) opened_value(V &&value);

/// What a `cpp_body` returns: anything that converts to the declared type.
template <class To>
class Returned {
public:
    template <class From, class = std::enable_if_t<!std::is_same_v<std::decay_t<From>, Returned>>>
    Returned(From &&value) : value_(wg::convert<To>(wg::opened_value<To>(std::forward<From>(value)))) {}
    Returned(To &&value) : value_(wg::convert<To>(std::move(value))) {}
    template <class T = To, class = std::enable_if_t<std::is_default_constructible_v<T>>>
    Returned() : value_(wg::convert<To>(To())) {}
    template <class T = To>
    Returned(std::initializer_list<typename T::value_type> values) : value_(values) {}

    To take() { return std::move(value_); }

private:
    To value_;
};

/// What the function of a `cpp_body` has for its result; a type that cannot be moved is made in its place.
template <class To>
using Result = std::conditional_t<std::is_move_constructible_v<To>, Returned<To>, To>;

/// Whether a handle would hold a copy of an object that C++ gives to be changed, `T &`.
template <class H, class Given>
constexpr bool loses_what_is_changed() {
    using Inner = std::remove_cv_t<decltype(H::inner)>;
    if constexpr (std::is_class_v<Inner> && std::is_same_v<Given, Inner &>)
        return !is_pointer_like<Inner>::value && !is_view<Inner> && !is_shared<Inner> && !is_unchanged<H> && std::is_void_v<typename LentBy<H>::type>;
    else
        return false;
}
/// The call of an entry that does not say whether its result is a copy.
template <class H, class Call>
Call &&no_change_lost(Call &&call) {
    static_assert(!loses_what_is_changed<H, decltype(call())>(),
                  "wrapper-gen: C++ returns an object that may be changed, T &, and the handle type holds its object: Python would change a copy; if a copy "
                  "is meant, say belongs_to: nothing, which is needed where something may change an object: a field that is mut, a member of C++ "
                  "that is not const alone, a function or code of the spec; if the object is, let the handle type hold its address, cpp_type: T * and release: delete value, and "
                  "say here result: '&value', belongs_to: self, release: nothing; if it is the object of the call, declare no result; if copies of this "
                  "class share what they have, say so once: template <> inline constexpr bool wg::is_shared<T> = true;");
    return std::forward<Call>(call);
}

/// The call of an entry which says that its result is a copy.
template <class H, class Call>
auto a_copy(Call &&call) {
    return [&call]() -> decltype(auto) {
        using Given = decltype(call());
        if constexpr (loses_what_is_changed<H, Given>()) return static_cast<const std::remove_reference_t<Given> &>(call());
        else return call();
    };
}

/// A handle made in place: a type that can be neither copied nor moved is fine, as long as the call returns just that.
template <class H, class Call>
H make(Call &&call) {
    no_change_lost<H>(call);
    if constexpr (std::is_same_v<decltype(call()), Returned<H>>)
        return call().take();
    else if constexpr (is_pointer_like<std::remove_cv_t<decltype(H::inner)>>::value || has_empty<H>::value)
        return wg::convert<H>(call());
    else if constexpr (std::is_same_v<decltype(call()), H>)
        return call();
    else if constexpr (std::is_same_v<decltype(call()), decltype(H::inner)>)
        return H{call()};
    else
        return wg::convert<H>(call());
}

/// Whether a value of a class may refer to what has ended, as the result of an expression template does: one with members that are
/// references, or constant, is assigned nothing.
template <class T>
constexpr bool may_refer_to_ended = std::is_class_v<T> && !std::is_copy_assignable_v<T> && !std::is_move_assignable_v<T>;

template <class T>
struct is_function : std::false_type {};
template <class F>
struct is_function<std::function<F>> : std::true_type {};

/// The call of a lambda: its temporaries have ended when a handle is made of what it returns.
template <class H, class Call>
Call &&no_expression(Call &&call) {
    using Made = decltype(call());
    using T = std::remove_cv_t<std::conditional_t<std::is_rvalue_reference_v<Made>, std::remove_reference_t<Made>, Made>>;
    using Inner = std::remove_cv_t<decltype(H::inner)>;
    constexpr bool is_other = std::is_class_v<Inner> && !is_pointer_like<Inner>::value && !std::is_same_v<T, H> && !std::is_base_of_v<Inner, T>;
    if constexpr (is_other && !is_function<Inner>::value)
        static_assert(!may_refer_to_ended<T> || !std::is_convertible_v<T, Inner>,
                      "wrapper-gen: the lambda returns an expression, and what that refers to may have ended when the handle is made of it; say "
                      "what the handle holds as the lambda's result, -> T");
    return std::forward<Call>(call);
}

/// The call of a method whose result is to keep the object alive, since it refers to something in there.
template <class H, class Call>
Call &&no_copy(Call &&call) {
    using Inner = std::remove_cv_t<decltype(H::inner)>;
    if constexpr (std::is_class_v<Inner> && std::is_same_v<decltype(call()), Inner &> && std::is_void_v<typename LentBy<H>::type>)
        static_assert(is_pointer_like<Inner>::value || is_view<Inner> || is_shared<Inner>,
                      "wrapper-gen: C++ returns a reference, and the handle type holds its object: the result is a copy, which keeps nothing alive; let "
                      "the handle type hold a pointer, cpp_type: T *, or leave out belongs_to; where copies refer to what the class refers to, say so: "
                      "template <> inline constexpr bool wg::is_view<T> = true;");
    return std::forward<Call>(call);
}

/// The status of a call whose spec says `raises:`.
template <class Status, class From>
const Status &status(const From &value) {
    static_assert(std::is_same_v<From, Status>, "wrapper-gen: `raises:` names another type than the call returns");
    return value;
}

/// Whether a status is a number.
template <class T>
constexpr bool code_of_type = std::is_enum_v<T> || std::is_integral_v<T>;

namespace hidden {  // from argument-dependent lookup: a library may have a function of this name
template <class T>
std::optional<i64> code_of(const T &value) {
    if constexpr (code_of_type<T>)
        return static_cast<i64>(value);
    else
        return std::nullopt;
}
}  // namespace hidden
using namespace hidden;

inline std::string describe(const char *text) { return text == nullptr ? std::string() : std::string(text); }
inline std::string describe(std::string text) { return text; }
inline std::string describe(std::string_view text) { return std::string(text); }

}  // namespace wg

#endif  // WG_CONVERSION_RESULTS_HPP
