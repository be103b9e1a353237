// The types of the spec language as C++ types: each describes one, and its member `Value` is what user code gets or gives.
// Static: the same for all packages. Included by generated C++ only.
#ifndef WG_CONVERSION_TYPES_HPP
#define WG_CONVERSION_TYPES_HPP

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "wg/conversion/fitting.hpp"

namespace wg {

/// Bytes, where a union has text as well.
struct Bytes : std::string {
    using std::string::string;
    Bytes(std::string bytes) : std::string(std::move(bytes)) {}
};

template <class C, class K, class = void>
struct is_ordered_by : std::false_type {};
template <class C, class K>
struct is_ordered_by<C, K, std::void_t<typename C::key_compare>> : std::is_same<typename C::key_type, K> {};

/// Calls `insert` with each element, for a container that has `key(element)` as its key. One that is ordered gets many
/// elements in its own order, each behind the last: to sort them costs half of what it costs to look for each one's place.
template <class C, class Elements, class Key, class Insert>
void insert_all(const C &container, Elements &elements, Key key, Insert insert) {
    using Element = typename Elements::value_type;
    using K = std::decay_t<decltype(key(std::declval<Element &>()))>;
    if constexpr (is_ordered_by<C, K>::value && !std::is_same_v<Element, bool>) {
        constexpr std::size_t many = 16;
        if (elements.size() >= many) {
            std::vector<Element *> sorted;
            sorted.reserve(elements.size());
            for (Element &each : elements) sorted.push_back(&each);
            const auto less = [compare = container.key_comp(), key](Element *a, Element *b) { return compare(key(*a), key(*b)); };
            std::stable_sort(sorted.begin(), sorted.end(), less);
            for (Element *each : sorted) insert(std::move(*each));
            return;
        }
    }
    for (auto &&each : elements) insert(std::move(each));
}

/// Keys and values in Python's order. It converts to whatever has keys and values: std::map, std::unordered_map, ...
template <class K, class V>
class Map : public std::vector<std::pair<K, V>> {
public:
    using std::vector<std::pair<K, V>>::vector;

    static constexpr bool converts_elements = true;

    template <class Other, class = std::void_t<typename Other::key_type, typename Other::mapped_type>>
    operator Other() && {
        return std::move(*this).template into<Other>(Where("dict"));
    }
    template <class Other, class = std::void_t<typename Other::key_type, typename Other::mapped_type>>
    operator Other() const & {
        return Map(*this);
    }

    template <class Other>
    Other into([[maybe_unused]] const Where &where) && {
        Other out;
        const auto key = [](auto &pair) -> auto & { return pair.first; };
        insert_all(out, *this, key, [&](std::pair<K, V> &&pair) {
            auto &&own = fit<typename Other::key_type>(std::move(pair.first), Where::key(where, pair.first));
            auto &&value = fit<typename Other::mapped_type>(std::move(pair.second), Where::value(where, own));
            insert_new(out, typename Other::value_type{std::forward<decltype(own)>(own), std::forward<decltype(value)>(value)}, where, key);
        });
        return out;
    }
};

/// Values of which none is there twice, in Python's order. It converts to whatever is a set: std::set, std::unordered_set, ...
template <class T>
class Set : public std::vector<T> {
public:
    using std::vector<T>::vector;

    static constexpr bool converts_elements = true;

    template <class Other, class = std::enable_if_t<std::is_same_v<typename Other::key_type, typename Other::value_type>>>
    operator Other() && {
        return std::move(*this).template into<Other>(Where("set"));
    }
    template <class Other, class = std::enable_if_t<std::is_same_v<typename Other::key_type, typename Other::value_type>>>
    operator Other() const & {
        return Set(*this);
    }

    template <class Other>
    Other into([[maybe_unused]] const Where &where) && {
        Other out;
        const auto key = [](auto &&element) -> auto && { return element; };
        insert_all(out, *this, key, [&](T &&element) {
            auto &&own = fit<typename Other::value_type>(std::move(element), Where::key(where, element));
            insert_new(out, std::forward<decltype(own)>(own), where, key);
        });
        return out;
    }
};

template <class D>
using Value = typename D::Value;

namespace types {

template <class T>
struct Number {
    using Value = T;
};

/// What a spec calls usize, which is u64 or u32 to C++.
struct Size {
    using Value = usize;
};

struct Text {
    using Value = std::string;
};

struct Bytes {
    using Value = std::string;
};

/// `Tag` is another one for each of several enums that have the same C++ type.
template <class E, class Tag>
struct Enum {
    using Value = E;
};

/// A handle as an argument: the caller owns it, and it stays usable for the time of the call.
template <class H>
struct Handle {
    using Value = H *;
};

/// A handle as a result: it becomes Python's.
template <class H>
struct OwnedHandle {
    using Value = H;
};

template <class D>
struct Optional {
    using Value = std::optional<wg::Value<D>>;
};

template <class D>
struct List {
    using Value = std::vector<wg::Value<D>>;
};

/// A list that is a tuple in Python.
template <class D>
struct TupleOf {
    using Value = typename List<D>::Value;
};

template <class K, class V>
struct Map {
    using Value = wg::Map<wg::Value<K>, wg::Value<V>>;
};

template <class D>
struct Set {
    using Value = wg::Set<wg::Value<D>>;
};

template <class... D>
struct Tuple {
    using Value = std::tuple<wg::Value<D>...>;
};

/// A pair converts to a tuple, but no tuple to a pair.
template <class A, class B>
struct Tuple<A, B> {
    using Value = std::pair<wg::Value<A>, wg::Value<B>>;
};

/// The result whose items have names; `Tag` is its class in Python.
template <class Tag, class... D>
struct NamedTuple {
    using Value = typename Tuple<D...>::Value;
};

template <class... D>
struct Union {
    template <class A>
    using Alternative = std::conditional_t<std::is_same_v<A, Bytes>, wg::Bytes, wg::Value<A>>;
    using Value = std::variant<Alternative<D>...>;
};

}  // namespace types

// --- equal keys -----------------------------------------------------------------------------------

/// Appends bytes that are equal for equal keys: how to see that two of Python's have become one.
template <class D>
struct KeyBytes;

template <class D>
void append_key(std::string &out, const Value<D> &key) {
    KeyBytes<D>::append(out, key);
}

inline void append_raw(std::string &out, const void *data, std::size_t size) {
    out.append(static_cast<const char *>(data), size);
}

template <class T>
struct KeyBytes<types::Number<T>> {
    static void append(std::string &out, T key) {
        if (key == T()) key = T();  // the zeros of floating-point numbers are equal
        append_raw(out, &key, sizeof(key));
    }
};

template <>
struct KeyBytes<types::Size> : KeyBytes<types::Number<usize>> {};

template <>
struct KeyBytes<types::Text> {
    static void append(std::string &out, const std::string &key) {
        const std::size_t size = key.size();
        append_raw(out, &size, sizeof(size));
        out += key;
    }
};

template <>
struct KeyBytes<types::Bytes> : KeyBytes<types::Text> {};

template <class E, class Tag>
struct KeyBytes<types::Enum<E, Tag>> {
    static void append(std::string &out, const E &key) { append_raw(out, &key, sizeof(key)); }
};

template <class H>
struct KeyBytes<types::Handle<H>> {
    static void append(std::string &out, H *key) { append_raw(out, &key, sizeof(key)); }
};

template <class D>
struct KeyBytes<types::Optional<D>> {
    static void append(std::string &out, const std::optional<Value<D>> &key) {
        out += key ? '\1' : '\0';
        if (key) append_key<D>(out, *key);
    }
};

template <class D>
struct KeyBytes<types::List<D>> {
    static void append(std::string &out, const Value<types::List<D>> &key) {
        const std::size_t size = key.size();
        append_raw(out, &size, sizeof(size));
        for (const auto &element : key) append_key<D>(out, element);
    }
};

template <class D>
struct KeyBytes<types::Set<D>> : KeyBytes<types::List<D>> {};
template <class D>
struct KeyBytes<types::TupleOf<D>> : KeyBytes<types::List<D>> {};

template <class K, class V>
struct KeyBytes<types::Map<K, V>> {
    static void append(std::string &out, const Value<types::Map<K, V>> &key) {
        const std::size_t size = key.size();
        append_raw(out, &size, sizeof(size));
        for (const auto &[each, value] : key) {
            append_key<K>(out, each);
            append_key<V>(out, value);
        }
    }
};

template <class... D>
struct KeyBytes<types::Tuple<D...>> {
    static void append(std::string &out, const Value<types::Tuple<D...>> &key) {
        std::apply([&out](const auto &...item) { (append_key<D>(out, item), ...); }, key);
    }
};

template <class... D>
struct KeyBytes<types::Union<D...>> {
    static void append(std::string &out, const Value<types::Union<D...>> &key) { append(out, key, std::index_sequence_for<D...>()); }

private:
    template <std::size_t... I>
    static void append(std::string &out, const Value<types::Union<D...>> &key, std::index_sequence<I...>) {
        out += static_cast<char>(key.index());
        static_cast<void>(((key.index() == I && (append_key<D>(out, *std::get_if<I>(&key)), true)) || ...));
    }
};

}  // namespace wg

#endif  // WG_CONVERSION_TYPES_HPP
