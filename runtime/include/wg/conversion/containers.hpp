// Results that are maps, tuples and unions: converted by what they are, like all others.
// Static: the same for all packages. Included by generated C++ only.
#ifndef WG_CONVERSION_CONTAINERS_HPP
#define WG_CONVERSION_CONTAINERS_HPP

#include "wg/conversion/results.hpp"
#include "wg/conversion/types.hpp"

namespace wg {

template <class T, class = void>
struct owns_elements : std::false_type {};
template <class T>
struct owns_elements<T, std::void_t<typename T::allocator_type>> : std::true_type {};

/// Whether there are handles in it, which are looked at one by one: none may be null.
template <class T>
struct holds_handles : is_handle<T> {};
template <class T>
struct holds_handles<std::vector<T>> : holds_handles<T> {};
template <class T>
struct holds_handles<std::optional<T>> : holds_handles<T> {};
template <class... T>
struct holds_handles<std::tuple<T...>> : std::disjunction<holds_handles<T>...> {};
template <class A, class B>
struct holds_handles<std::pair<A, B>> : std::disjunction<holds_handles<A>, holds_handles<B>> {};
template <class T>
struct holds_handles<Set<T>> : holds_handles<T> {};
template <class K, class V>
struct holds_handles<Map<K, V>> : std::disjunction<holds_handles<K>, holds_handles<V>> {};
template <class... T>
struct holds_handles<std::variant<T...>> : std::disjunction<holds_handles<T>...> {};

/// Whether a value of the declared type is fine as it is.
template <class To, class From>
constexpr bool is_done = std::is_same_v<std::decay_t<From>, To> && !holds_handles<To>::value;

/// From any range whose elements unpack as a key and a value.
template <class K, class V>
struct Convert<Map<K, V>> {
    template <class From>
    static Map<K, V> from(From &&value) {
        if constexpr (is_done<Map<K, V>, From>) {
            return std::forward<From>(value);
        } else if constexpr (!checked_range<Map<K, V>, From>()) {
            return {};
        } else {
            Map<K, V> out;
            for (auto &&[key, item] : value) {
                if constexpr (owns_elements<From>::value)  // ours alone: what is no key may be moved out
                    out.emplace_back(wg::convert<K>(key), wg::convert<V>(std::move(item)));
                else
                    out.emplace_back(wg::convert<K>(key), wg::convert<V>(item));
            }
            return out;
        }
    }
};

/// From any range.
template <class T>
struct Convert<Set<T>> {
    template <class From>
    static Set<T> from(From &&value) {
        if constexpr (is_done<Set<T>, From>) {
            return std::forward<From>(value);
        } else if constexpr (!checked_range<Set<T>, From>()) {
            return {};
        } else {
            Set<T> out;
            for (auto &&element : value) out.push_back(wg::convert<T>(element));
            return out;
        }
    }
};

/// From whatever unpacks into two.
template <class A, class B>
struct Convert<std::pair<A, B>> {
    template <class From>
    static std::pair<A, B> from(From &&value) {
        if constexpr (is_done<std::pair<A, B>, From>) {
            return std::forward<From>(value);
        } else {
            auto &&[first, second] = value;
            if constexpr (std::is_lvalue_reference_v<From>)
                return {wg::convert<A>(first), wg::convert<B>(second)};
            else
                return {wg::convert<A>(std::move(first)), wg::convert<B>(std::move(second))};
        }
    }
};

template <class T, class = void>
struct has_tuple_size : std::false_type {};
template <class T>
struct has_tuple_size<T, std::void_t<decltype(std::tuple_size<T>::value)>> : std::true_type {};

/// From a tuple, or what has as many elements for std::get.
template <class... T>
struct Convert<std::tuple<T...>> {
    template <class From>
    static std::tuple<T...> from(From &&value) {
        if constexpr (is_done<std::tuple<T...>, From>) {
            return std::forward<From>(value);
        } else if constexpr (!has_tuple_size<std::decay_t<From>>::value) {
            static_assert(always_false<From>::value, "wrapper-gen: the result is no tuple, as std::tuple and std::array are; make one in `result`, such as "
                                                     "std::tuple(value.x, value.y, value.z)");
            return {};
        } else {
            static_assert(std::tuple_size_v<std::decay_t<From>> == sizeof...(T),
                          "wrapper-gen: the result has another number of items than the tuple that the spec declares");
            return items(std::forward<From>(value), std::index_sequence_for<T...>());
        }
    }

private:
    template <class From, std::size_t... I>
    static std::tuple<T...> items(From &&value, std::index_sequence<I...>) {
        return std::tuple<T...>(wg::convert<T>(std::get<I>(std::forward<From>(value)))...);
    }
};

/// What a call gives, as the declared type.
template <class D>
struct AsDeclared {
    template <class From>
    Value<D> operator()(From &&value) const {
        return wg::convert<Value<D>>(std::forward<From>(value));
    }
};

/// What a value is, roughly: which alternative of a union it belongs to. A family of types may have one of its own.
namespace sorts {
struct Boolean {};
struct Integer {};
struct Floating {};
struct Text {};
struct Optional {};
struct Pointer {};
struct Map {};
struct Range {};
struct Enumeration {};
struct Other {};
}  // namespace sorts

template <class T, class = void>
struct is_range : std::false_type {};
template <class T>
struct is_range<T, std::void_t<decltype(std::begin(std::declval<T &>())), decltype(std::end(std::declval<T &>()))>> : std::true_type {};

template <class T, class = void>
struct is_map : std::false_type {};
template <class T>
struct is_map<T, std::void_t<typename T::mapped_type>> : std::true_type {};
template <class K, class V>
struct is_map<Map<K, V>> : std::true_type {};

template <class T, class = void>
struct is_variant : std::false_type {};
template <class T>
struct is_variant<T, std::void_t<decltype(std::declval<T &>().valueless_by_exception())>> : std::true_type {};

template <class T>
constexpr auto usual_sort() {
    if constexpr (std::is_same_v<T, bool>) return sorts::Boolean();
    else if constexpr (std::is_enum_v<T>) return sorts::Enumeration();
    else if constexpr (std::is_integral_v<T>) return sorts::Integer();
    else if constexpr (std::is_floating_point_v<T>) return sorts::Floating();
    else if constexpr (std::is_convertible_v<T, std::string_view>) return sorts::Text();
    else if constexpr (is_optional<T>::value || std::is_same_v<T, std::monostate> || std::is_same_v<T, std::nullopt_t>) return sorts::Optional();
    else if constexpr (is_pointer_like<T>::value) return sorts::Pointer();
    else if constexpr (is_map<T>::value) return sorts::Map();
    else if constexpr (is_range<T>::value) return sorts::Range();
    else return sorts::Other();
}

template <class T, class = void>
struct SortOf {
    using type = decltype(usual_sort<T>());
};

template <class T, class U>
constexpr bool is_alike = std::is_same_v<typename SortOf<T>::type, typename SortOf<U>::type> && !std::is_same_v<typename SortOf<T>::type, sorts::Other>;

template <>
struct Convert<Bytes> {
    template <class From>
    static Bytes from(From &&value) {
        return Bytes(wg::convert<std::string>(std::forward<From>(value)));
    }
};

/// Whether a handle struct holds values of this very type.
template <class H, class From, class = void>
constexpr bool holds_exactly = false;
template <class H, class From>
constexpr bool holds_exactly<H, From, std::void_t<decltype(H::inner)>> = std::is_same_v<std::remove_cv_t<decltype(H::inner)>, From>;

/// From a variant, or a value that an alternative is for: one of the very type, else the handle that holds it, else the first of
/// its sort.
template <class... T>
struct Convert<std::variant<T...>> {
    using To = std::variant<T...>;

    template <class From>
    static To from(From &&value) {
        if constexpr (is_done<To, From>) return std::forward<From>(value);
        else if constexpr (is_variant<std::decay_t<From>>::value)
            return std::visit([](auto &&each) { return one(std::forward<decltype(each)>(each)); }, std::forward<From>(value));
        else return one(std::forward<From>(value));
    }

private:
    template <class From>
    static To one(From &&value) {
        constexpr std::size_t at = place<std::decay_t<From>>();
        static_assert(at < sizeof...(T) || (holds_exactly<T, std::decay_t<From>> + ... + 0) < 2,
                      "wrapper-gen: several handle types of the union that the spec declares hold what the call gives: return the handle "
                      "structs, as in std::variant<Node, Attribute>");
        static_assert(at < sizeof...(T) || (holds_exactly<T, std::decay_t<From>> + ... + 0) > 1, "wrapper-gen: the result is none of the types of the union that the spec declares");
        return To(std::in_place_index<at>, wg::convert<std::variant_alternative_t<at, To>>(std::forward<From>(value)));
    }
    template <class From>
    static constexpr std::size_t place() {
        constexpr bool same[] = {std::is_same_v<T, From>...};
        constexpr bool alike[] = {is_alike<T, From>...};
        constexpr bool holds[] = {holds_exactly<T, From>...};
        for (std::size_t i = 0; i < sizeof...(T); ++i)
            if (same[i]) return i;
        for (std::size_t i = 0; i < sizeof...(T); ++i)
            if (holds[i]) return (holds_exactly<T, From> + ... + 0) == 1 ? i : sizeof...(T);
        for (std::size_t i = 0; i < sizeof...(T); ++i)
            if (alike[i]) return i;
        return sizeof...(T);
    }
};

}  // namespace wg

#endif  // WG_CONVERSION_CONTAINERS_HPP
