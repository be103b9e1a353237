// Containers and tuples as what C++ has for them: numbers within them are checked where C++ has a narrower type.
// Static: the same for all packages. Included by generated C++ only.
#ifndef WG_CONVERSION_FITTING_HPP
#define WG_CONVERSION_FITTING_HPP

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "wg/base/once.hpp"
#include "wg/conversion/arguments.hpp"

namespace wg {

// --- where a value is, for messages ---------------------------------------------------------------

namespace hidden {  // from argument-dependent lookup: a library may have a function of this name
/// A key as Python shows it; of what it cannot show, nothing but dots.
template <class T>
std::string shown_key(const T &key);
}  // namespace hidden
using namespace hidden;

WG_ONCE std::string shown_text(const std::string &text) WG_ELSEWHERE
#if WG_HAS_BODIES
{
    const char quote = text.find('\'') != std::string::npos && text.find('"') == std::string::npos ? '"' : '\'';
    std::string out(1, quote);
    for (const char each : text) {
        const auto byte = static_cast<unsigned char>(each);
        if (each == '\n') out += "\\n";
        else if (each == '\r') out += "\\r";
        else if (each == '\t') out += "\\t";
        else if (byte < 0x20 || byte == 0x7f) {
            char escaped[5];
            std::snprintf(escaped, sizeof(escaped), "\\x%02x", byte);
            out += escaped;
        } else {
            if (each == quote || each == '\\') out += '\\';
            out += each;
        }
    }
    return out + quote;
}
#endif

/// Where a value is that is converted: a parameter, or a step into the value around it. Made for each element, so it is no text yet.
struct Where {
    const Where *outer;
    const void *step;
    void (*add)(std::string &, const void *);

    explicit Where(const char *name)
        : outer(nullptr), step(name), add([](std::string &out, const void *text) { out += static_cast<const char *>(text); }) {}
    Where(const Where &around, const void *step_, void (*add_)(std::string &, const void *)) : outer(&around), step(step_), add(add_) {}

    /// The element at this place of a tuple.
    static Where item(const Where &around, const std::size_t &at) {
        return {around, &at, [](std::string &out, const void *i) { out += '[' + std::to_string(*static_cast<const std::size_t *>(i)) + ']'; }};
    }
    /// The value of a key.
    template <class K>
    static Where value(const Where &around, const K &key) {
        return {around, &key, [](std::string &out, const void *k) { out += '[' + shown_key(*static_cast<const K *>(k)) + ']'; }};
    }
    /// The key itself, or the element of a set.
    template <class K>
    static Where key(const Where &around, const K &key) {
        return {around, &key, [](std::string &out, const void *k) { out += '{' + shown_key(*static_cast<const K *>(k)) + '}'; }};
    }

    std::string path() const {
        std::string out = outer == nullptr ? std::string() : outer->path();
        add(out, step);
        return out;
    }
};

// --- what becomes what ----------------------------------------------------------------------------

template <class T>
struct is_tuple : std::false_type {};
template <class A, class B>
struct is_tuple<std::pair<A, B>> : std::true_type {};
template <class... T>
struct is_tuple<std::tuple<T...>> : std::true_type {};

template <class T>
struct is_optional_value : std::false_type {};
template <class T>
struct is_optional_value<std::optional<T>> : std::true_type {};

/// Whether it is a wg::Map or wg::Set, which convert themselves.
template <class T, class = void>
struct converts_elements : std::false_type {};
template <class T>
struct converts_elements<T, std::enable_if_t<T::converts_elements>> : std::true_type {};

/// Whether it is a list whose elements may become others: not of handles, which are pointers here.
template <class T>
struct is_list : std::false_type {};
template <class T>
struct is_list<std::vector<T>> : std::bool_constant<!std::is_pointer_v<T>> {};

/// Whether it can be made of elements one after the other.
template <class T, class = void>
struct is_sequence : std::false_type {};
template <class T>
struct is_sequence<T, std::void_t<decltype(std::declval<T &>().push_back(std::declval<typename T::value_type>()))>> : std::true_type {};

/// Whether this is a container, a tuple, or one of these that may be missing, whose parts are looked at.
template <class T>
struct has_parts : std::disjunction<is_tuple<T>, is_list<T>, converts_elements<T>> {};
template <class T>
struct has_parts<std::optional<T>> : std::true_type {};

/// Whether a spec says how to make a `To` that stands for a `From` (wg/calls/from_python_values.hpp).
template <class To, class From, class = void>
struct StandsFor : std::false_type {};

/// The same for what a callable returned: as that, or as its address.
template <class W, class V, class = void>
struct MadeAnswer : std::false_type {};

/// Whether a `From` converts to a `To`, as far as the types say.
template <class To, class From>
constexpr bool is_fitting();

template <class To, class From, std::size_t... I>
constexpr bool are_fitting(std::index_sequence<I...>) {
    return (is_fitting<std::tuple_element_t<I, To>, std::tuple_element_t<I, From>>() && ...);
}
/// No tuple becomes a pair.
template <class To, class From>
constexpr bool has_room = true;
template <class A, class B, class... T>
constexpr bool has_room<std::pair<A, B>, std::tuple<T...>> = false;

template <class To, class From>
constexpr bool is_fitting() {
    if constexpr (std::is_same_v<To, From> || StandsFor<To, From>::value) {
        return true;
    } else if constexpr (is_tuple<To>::value && is_tuple<From>::value) {
        if constexpr (std::tuple_size_v<To> == std::tuple_size_v<From> && has_room<To, From>)
            return are_fitting<To, From>(std::make_index_sequence<std::tuple_size_v<To>>());
        else
            return false;
    } else if constexpr (is_optional_value<To>::value && is_optional_value<From>::value) {
        return is_fitting<typename To::value_type, typename From::value_type>();
    } else if constexpr (is_list<From>::value && is_sequence<To>::value) {
        return is_fitting<typename To::value_type, typename From::value_type>();
    } else {
        return std::is_convertible_v<From, To>;
    }
}

/// Whether a conversion between two types looks at the parts of a value.
template <class To, class From>
constexpr bool is_fitted() {
    if constexpr (std::is_same_v<To, From> || !has_parts<From>::value) return false;
    else if constexpr (is_tuple<From>::value) return is_tuple<To>::value && is_fitting<To, From>();
    else if constexpr (is_list<From>::value) return is_sequence<To>::value && is_fitting<To, From>();
    else if constexpr (is_optional_value<From>::value) return is_optional_value<To>::value && is_fitting<To, From>();
    else return is_fitting<To, From>();
}

// --- the conversion -------------------------------------------------------------------------------

/// A value as a `To`: itself, where it is one already. Numbers that do not fit are an error that says where they are.
template <class To, class From>
decltype(auto) fit(From &&value, const Where &where);

template <class To, class From, std::size_t... I>
To fit_items(From &&value, [[maybe_unused]] const Where &where, std::index_sequence<I...>) {
    static constexpr std::size_t at[] = {I...};
    return To(fit<std::tuple_element_t<I, To>>(std::get<I>(std::forward<From>(value)), Where::item(where, at[I]))...);
}

template <class To, class From>
To fit_elements(From &&value, const Where &where) {
    To out;
    for (std::size_t i = 0; i < value.size(); ++i) {
        using E = typename std::decay_t<From>::value_type;
        const Where here = Where::item(where, i);
        if constexpr (std::is_same_v<E, bool>) out.push_back(fit<typename To::value_type>(static_cast<bool>(value[i]), here));
        else if constexpr (std::is_rvalue_reference_v<From &&>) out.push_back(fit<typename To::value_type>(std::move(value[i]), here));
        else out.push_back(fit<typename To::value_type>(value[i], here));
    }
    return out;
}

template <class To, class From>
To fit_number(From value, const Where &where) {
    if constexpr (std::is_enum_v<From>) {
        return fit_number<To>(static_cast<std::underlying_type_t<From>>(value), where);
    } else {
        static_assert(may_become<To, From>,
                      "wrapper-gen: an argument would lose its meaning: C++ has an integer where the spec declares a floating-point number; "
                      "convert it in the spec if that is meant");
        if constexpr (std::is_integral_v<To> || std::is_integral_v<From>) {
            if (!fits<To>(value)) fail_to_fit<To>(where.path().c_str(), value);
        } else if constexpr (sizeof(To) < sizeof(From) && std::is_floating_point_v<From>) {
            const To converted = static_cast<To>(value);
            if (std::isinf(converted) && !std::isinf(value)) fail_to_fit_f32(where.path().c_str(), value);
        }
        return static_cast<To>(value);
    }
}

template <class To, class From>
decltype(auto) fit(From &&value, const Where &where) {
    using F = std::remove_cv_t<std::remove_reference_t<From>>;
    if constexpr (std::is_same_v<F, To>) {
        return static_cast<From &&>(value);
    } else if constexpr (StandsFor<To, F>::value) {
        return StandsFor<To, F>::made(value, where);
    } else if constexpr (std::is_arithmetic_v<To> && (std::is_arithmetic_v<F> || std::is_enum_v<F>)) {
        return fit_number<To>(value, where);
    } else if constexpr (is_tuple<To>::value && is_fitted<To, F>()) {
        return fit_items<To>(std::forward<From>(value), where, std::make_index_sequence<std::tuple_size_v<To>>());
    } else if constexpr (is_list<F>::value && is_fitted<To, F>()) {
        return fit_elements<To>(std::forward<From>(value), where);
    } else if constexpr (is_optional_value<To>::value && is_fitted<To, F>()) {
        return value ? To(fit<typename To::value_type>(*std::forward<From>(value), where)) : To();
    } else if constexpr (converts_elements<F>::value && is_fitted<To, F>()) {
        if constexpr (std::is_same_v<From, F>)
            return std::move(value).template into<To>(where);
        else
            return F(value).template into<To>(where);
    } else {
        static_assert(!becomes_bool<From, To>(), "wrapper-gen: an argument would lose its meaning: C++ has a bool, or what is made of one, where the spec declares a handle");
        return [](From &&given) -> To { return std::forward<From>(given); }(std::forward<From>(value));
    }
}

// --- the elements of containers -------------------------------------------------------------------

/// Whether a container has one element for each key, and says how many it has.
template <class C, class = void>
struct is_unique : std::false_type {};
template <class C>
struct is_unique<C, std::void_t<decltype(std::declval<C &>().insert(std::declval<typename C::value_type>()).second), decltype(std::declval<C &>().size())>>
    : std::true_type {};

/// Inserts what has just been made; where it vanishes, since it equals an element to C++, that is an error.
template <class C, class E, class Key>
void insert_new(C &container, E &&element, [[maybe_unused]] const Where &where, [[maybe_unused]] Key key) {
    if constexpr (is_unique<C>::value) {
        const auto before = container.size();
        container.insert(container.end(), std::move(element));
        if (container.size() == before)
            throw Own<std::invalid_argument>(where.path() + ": two keys become the same: " + shown_key(key(element)));
    } else {
        container.insert(container.end(), std::move(element));
    }
}

// --- arguments ------------------------------------------------------------------------------------

/// Stands in a call for a container or a tuple that C++ takes as another type.
template <class V>
class Fitted {
public:
    Fitted(V &value, const char *name) : value_(value), name_(name) {}

    template <class To, class = std::enable_if_t<is_fitted<To, std::remove_cv_t<V>>()>>
    operator To() const {
        return fit<To>(static_cast<V &&>(value_), Where(name_));
    }

private:
    V &value_;
    const char *name_;
};

/// The same as an object that is the value, too: where C++ is asked what it takes, and where it takes whatever it gets.
template <class V>
struct AlsoFitted : V {
    template <class To, class = std::enable_if_t<is_fitted<To, V>() && !std::is_convertible_v<V, To>>>
    operator To() && {
        return fit<To>(static_cast<V &&>(*this), Where("value"));
    }
};

/// Converts to nothing.
struct Stranger {};

/// A container or a tuple for argument `At`: itself, or (where the C++ parameter is of another type) checked and converted. `Probe`
/// has the argument in braces, `Whole` has not: a template that takes anything would take what stands for the argument.
template <class Whole, class Probe, class Given, std::size_t At, class V>
decltype(auto) compound(V &value, [[maybe_unused]] const char *name) {
    if constexpr (takes<Probe, Given, At, Only<V> &>) {
        return static_cast<V &&>(value);
    } else if constexpr (takes<Probe, Given, At, Fitted<V> &>) {
        if constexpr (takes<Whole, Given, At, Stranger &>)
            return static_cast<V &&>(value);
        else
            return Fitted<V>(value, name);
    } else {
        return static_cast<V &&>(value);
    }
}

// --- shown keys -----------------------------------------------------------------------------------

namespace hidden {  // from argument-dependent lookup: a library may have a function of this name
template <class T>
std::string shown_key(const T &key) {
    std::string out;
    if constexpr (std::is_same_v<T, bool>) {
        out = key ? "True" : "False";
    } else if constexpr (std::is_integral_v<T>) {
        out = std::to_string(key);
    } else if constexpr (std::is_floating_point_v<T>) {
        out = shown_float(static_cast<double>(key));
    } else if constexpr (std::is_convertible_v<const T &, std::string>) {
        out = shown_text(key);
    } else if constexpr (is_tuple<T>::value) {
        std::apply([&out](const auto &...item) { ((out += (out.empty() ? "(" : ", ") + shown_key(item)), ...); }, key);
        out += std::tuple_size_v<T> == 1 ? ",)" : ")";
    } else {
        out = "...";
    }
    return out.size() <= 60 ? out : out.substr(0, 57) + "...";
}
}  // namespace hidden
using namespace hidden;

}  // namespace wg

#endif  // WG_CONVERSION_FITTING_HPP
