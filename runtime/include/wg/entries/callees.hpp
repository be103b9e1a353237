// What a call in generated code names: a callee, and its arguments by what they are in the typed function.
#ifndef WG_ENTRIES_CALLEES_HPP
#define WG_ENTRIES_CALLEES_HPP

#include "wg/calls/argument_candidates.hpp"

namespace wg {

// --- what is called ---------------------------------------------------------------------------------------------------

/// Probes with one argument in braces, which refuse to narrow.
template <class... Braced>
struct Probes : Braced... {};
template <class... Braced>
Probes(Braced...) -> Probes<Braced...>;
struct NoProbe {};

/// `any` takes whatever fits, and says so by its type; `whole` the same with as many arguments as the spec has, also of a macro; `made`
/// is the call itself. An aggregate: no function makes it.
template <class Any, class Whole_, class Made, class Braced>
struct Callee;
template <class Any, class Whole_, class Made, class... Braced>
struct Callee<Any, Whole_, Made, Probes<Braced...>> {
    using Whole = Whole_;
    template <std::size_t at>
    using BracedAt = std::tuple_element_t<at, std::tuple<Braced...>>;
    Any any;
    Whole_ whole;
    Made made;
    Probes<Braced...> braced;
};
template <class Any, class Whole, class Made, class Braced>
Callee(Any, Whole, Made, Braced) -> Callee<Any, Whole, Made, Braced>;

template <class V, bool may_change>
struct StructIn;  // in a room that not all packages use

/// What messages call a parameter, whose name in C++ has a `_` at its end that no macro of a library has; behind it, its length.
template <std::size_t size>
struct Shown {
    char text[2 * size + 4] = {};
    constexpr explicit Shown(const char (&own)[size]) {
        constexpr std::size_t letters = size - 2;
        const char *const around = "len()";
        for (std::size_t i = 0; i < 4; ++i) text[letters + 1 + i] = around[i];
        for (std::size_t i = 0; i < letters; ++i) text[i] = text[letters + 5 + i] = own[i];
        text[2 * letters + 5] = around[4];
    }
};

namespace hidden {  // from argument-dependent lookup: a library may have a function of this name
// --- an argument, by the type that it has in the typed function -------------------------------------------------------

template <class T, class = std::enable_if_t<std::is_arithmetic_v<T> || std::is_enum_v<T>>>
NumberIn<T> in(const T &value, const char *name, std::size_t) {
    return {value, name};
}
template <class T, class = std::enable_if_t<std::is_arithmetic_v<T> || std::is_enum_v<T>>>
NumberIn<std::optional<T>> in(const std::optional<T> &value, const char *name, std::size_t) {
    return {value, name};
}
inline TextIn in(const std::string &value, const char *name, std::size_t length) { return {value, name, name + length}; }
inline BytesIn in(const std::string_view &value, const char *name, std::size_t length) { return {value, name + length}; }
inline MaybeIn<std::string> in(const std::optional<std::string> &value, const char *name, std::size_t length) { return {value, name, name + length}; }
inline MaybeIn<std::string_view> in(const std::optional<std::string_view> &value, const char *name, std::size_t length) {
    return {value, name, name + length};
}
template <class T, std::size_t N, Order order>
ArrayIn<Span<T, N, order>> in(Span<T, N, order> &value, const char *name, std::size_t length) {
    return {value, name + length};
}
template <class T>
ArrayIn<const std::vector<T>> in(const std::vector<T> &value, const char *name, std::size_t length) {
    return {value, name + length};
}
template <class V, class = std::enable_if_t<has_parts<V>::value && !is_optional_value<V>::value>>
FittedIn<V> in(V &value, const char *name, std::size_t, int = 0) {
    return {value, name};
}
inline LengthIn length_in(usize value, const char *name) { return {value, name}; }
/// A struct of options, which lives until the call has returned.
template <class V>
auto options_in(V &&value) {
    return StructIn<std::remove_reference_t<V>, true>{value};
}
/// A handle: what it holds.
template <class H, class = std::enable_if_t<is_handle<H>::value>>
PlainIn<decltype((std::declval<H &>().inner))> in(H &handle, const char *, std::size_t, long = 0) {
    return {handle.inner};
}
/// What is an argument already.
template <class In, class = typename In::Asked>
In in(In made, const char *, std::size_t) {
    return made;
}
}  // namespace hidden
using namespace hidden;

}  // namespace wg

#endif  // WG_ENTRIES_CALLEES_HPP
