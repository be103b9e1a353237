// Fields of structs that C++ reads and writes by functions, and structs that C++ makes of all their fields at once.
// Static: the same for all packages. Included by generated C++ only, of specs with such fields.
#ifndef WG_CALLS_FIELD_ACCESSORS_HPP
#define WG_CALLS_FIELD_ACCESSORS_HPP

#include <tuple>
#include <variant>

#include "wg/calls/argument_candidates.hpp"
#include "wg/types/structs.hpp"
#include "wg/base/first_invocable.hpp"

// Each way to reach a field is a lambda that takes the struct, and the value that is set, if there is one.

#define WG_READ_BY(name) [](const auto &wg_s) -> decltype(wg_s.name WG_NOT_EXPANDED()) { return wg_s.name WG_NOT_EXPANDED(); }
#define WG_SET_BY(name)                                                                                              \
    [](auto &wg_s, auto &&...wg_a) -> decltype(static_cast<void>(wg_s.name WG_NOT_EXPANDED(static_cast<decltype(wg_a)>(wg_a)...))) { \
        static_cast<void>(wg_s.name WG_NOT_EXPANDED(static_cast<decltype(wg_a)>(wg_a)...));                          \
    }
#define WG_CHANGED_BY(name) [](auto &wg_s) -> wg::Changed<decltype(wg_s.name WG_NOT_EXPANDED())> { return wg::changed(wg_s.name WG_NOT_EXPANDED()); }

/// `set: value.MEMBER = FIELD`. The member may have fewer bits than the field, and no address.
#define WG_PUT(member, given, name)                                                                                  \
    using wg_Member = std::decay_t<decltype(member)>;                                                                \
    if constexpr (wg::is_put_in_bits<wg_Member, std::decay_t<decltype(given)>>) {                                    \
        const auto wg_before = member;                                                                               \
        const auto wg_given = wg::as_bits<wg_Member>(given, name);                                                   \
        member = wg_given;                                                                                           \
        if (member != wg_given) {                                                                                    \
            member = wg_before;                                                                                      \
            throw wg::Own<std::overflow_error>(name ": the value does not fit the bits of this member");             \
        }                                                                                                            \
    } else {                                                                                                         \
        member = wg::as_other<wg_Member>(given, name);                                                               \
    }

namespace wg {

/// Whether a value becomes a number or an enum's member in a member that may be a bit-field.
template <class M, class V>
constexpr bool is_put_in_bits = (std::is_integral_v<M> && std::is_arithmetic_v<V> && !std::is_same_v<V, bool>) || (std::is_enum_v<M> && std::is_same_v<M, V>);

template <class M, class V>
M as_bits(V value, const char *name) {
    static_assert(!std::is_integral_v<M> || !std::is_floating_point_v<V>,
                  "wrapper-gen: the spec declares a floating-point number for a field that holds an integer");
    if constexpr (std::is_enum_v<M>) return value;
    else return checked<M>(value, name);
}

/// Of other types, a number that would become infinite as it is rounded is refused too.
template <class M, class V>
decltype(auto) as_other(V &value, const char *name) {
    if constexpr (std::is_same_v<M, f32> && std::is_same_v<V, f64>) return checked<M>(value, name);
    else return (value);
}

/// What a function gives that lets a caller change something: a reference, or a pointer. Nothing else is meant.
template <class R>
using Changed = std::enable_if_t<!std::is_const_v<std::remove_reference_t<R>> && (std::is_lvalue_reference_v<R> || (std::is_pointer_v<R> && !std::is_const_v<std::remove_pointer_t<R>>)),
                                 std::remove_pointer_t<std::remove_reference_t<R>> &>;
template <class T>
T &changed(T &reference) {
    return reference;
}
template <class T>
T &changed(T *pointer) {
    return *pointer;
}

/// Whether an expression of the spec sets a field; else `F` has `setters` and `mutables`.
template <class F, class S, class = void>
struct is_put : std::false_type {};
template <class F, class S>
struct is_put<F, S, std::void_t<decltype(F::put(std::declval<S &>(), std::declval<Value<typename F::Type> &>()))>> : std::true_type {};

/// Whether what is set has to live as long as the struct, which may refer to it, also where what is read is a copy.
template <class F, class S>
struct KeepsWhatIsSet<F, S, ByFunctions<F>> : std::bool_constant<!std::is_trivially_copyable_v<Value<typename F::Type>>> {};
template <class F, class S>
struct RefersToWhatIsSet<F, S, ByFunctions<F>> {
    using Read = std::decay_t<decltype(F::get(std::declval<const S &>()))>;
    static constexpr bool value = std::is_pointer_v<Read> || is_view_of_memory<Read>::value;
};

/// Whether other types convert to this one part by part, where a part that does not fit is cut.
template <class T>
struct converts_in_parts : is_optional<T> {};
template <class... T>
struct converts_in_parts<std::tuple<T...>> : std::true_type {};
template <class... T>
struct converts_in_parts<std::variant<T...>> : std::true_type {};

template <class Set, class Row, class T>
constexpr bool takes_number = takes<Set, Row, 1, Only<T> &> || !std::is_same_v<decltype(parameter_of<Itself, Set, Row, 1, T>()), Types<void>>;

template <class F>
struct Member<F, ByFunctions<F>> {
    using V = Value<typename F::Type>;

    template <class S>
    static V read(const S &from) {
        return wg::convert<V>(F::get(static_cast<const typename RawOf<S>::type &>(from)));
    }

    template <class S>
    static void write(S &to, V &&value) {
        typename RawOf<S>::type &raw = to;
        if constexpr (!std::is_same_v<S, typename RawOf<S>::type>)
            set_kept(to, raw, std::move(value));
        else
            set(raw, value);
    }

private:
    template <class S, class Raw>
    static void set_kept(S &to, Raw &raw, V &&value) {
        if constexpr (KeepsWhatIsSet<F, Raw, ByFunctions<F>>::value) set(raw, static_cast<typename RawOf<V>::type &>(to.keep(std::move(value))));
        else set(raw, value);
    }

    /// What is read is most often of the type that is set.
    template <class Raw, class T>
    static void set(Raw &raw, T &value) {
        if constexpr (is_put<F, Raw>::value) {
            F::put(raw, value);
        } else {
            using Read = std::decay_t<decltype(F::get(std::declval<const Raw &>()))>;
            using Set = decltype(F::setters());
            using Row = Given<Raw &, T &>;
            constexpr bool is_text = std::is_same_v<T, std::string>;
            constexpr bool may_narrow = std::is_arithmetic_v<T> || (converts_in_parts<T>::value && !std::is_same_v<T, Read>);
            if constexpr (std::is_arithmetic_v<T> && takes_number<Set, Row, T>)
                F::setters()(raw, number_given<Set, Row, 1>(value, F::name));
            else if constexpr (!may_narrow && takes<Set, Row, 1, T &>)
                F::setters()(raw, value);
            else if constexpr (is_text && takes<Set, Row, 1, AnyText>)
                F::setters()(raw, AnyText{c_text(value, F::name)});
            else if constexpr (!is_text && !std::is_arithmetic_v<T> && takes<Set, Row, 1, Only<Read> &>)
                F::setters()(raw, wg::convert<Read>(value));
            else if constexpr (std::is_invocable_v<decltype(F::mutables()), Raw &>)
                change(F::mutables()(raw), value);
            else if constexpr (is_optional<T>::value)
                set_some(raw, value);
            else
                static_assert(std::is_void_v<T>, "wrapper-gen: no function sets this field; say which, `set: NAME` or `mut: NAME`, or how C++ makes the struct, `make:`");
        }
    }
    template <class Raw, class T>
    static void set_some(Raw &raw, T &value) {
        if (value) set(raw, *value);
    }

    template <class M, class T>
    static void change(M &member, T &value) {
        if constexpr (std::is_same_v<M, T> || (std::is_convertible_v<T, M> && !std::is_arithmetic_v<T> && !converts_in_parts<T>::value))
            member = std::move(value);
        else if constexpr (std::is_arithmetic_v<M> && std::is_arithmetic_v<T>)
            assign(member, value, F::name);
        else
            member = wg::convert<M>(std::move(value));
    }
};

}  // namespace wg

#endif  // WG_CALLS_FIELD_ACCESSORS_HPP
