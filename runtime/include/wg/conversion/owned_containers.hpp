// Containers of handles that a call hands over: where one is missing, the others are released.
// Static: the same for all packages. Included by generated C++ only, of specs with such calls.
#ifndef WG_CONVERSION_OWNED_CONTAINERS_HPP
#define WG_CONVERSION_OWNED_CONTAINERS_HPP

#include <array>
#include <initializer_list>
#include <iterator>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "wg/conversion/results.hpp"

namespace wg {

/// Whether a type has pointers to what a handle `H` releases: itself, its items, or parts of those.
template <class T, class H>
constexpr bool has_pointers_of = std::is_pointer_v<T> && std::is_pointer_v<decltype(H::inner)> && std::is_convertible_v<T, decltype(H::inner)>;
template <class T, std::size_t n, class H>
constexpr bool has_pointers_of<T[n], H> = has_pointers_of<std::remove_cv_t<T>, H>;
template <template <class...> class C, class... T, class H>
constexpr bool has_pointers_of<C<T...>, H> = (... || has_pointers_of<std::remove_cv_t<T>, H>);
template <class T, std::size_t n, class H>
constexpr bool has_pointers_of<std::array<T, n>, H> = has_pointers_of<std::remove_cv_t<T>, H>;

/// A result that is a container of C++'s own, `From &`, keeps its pointers: who has it releases them, and handles would do so too.
template <class From, class H>
constexpr void items_are_given() {
    static_assert(!std::is_lvalue_reference_v<From> || !has_pointers_of<std::remove_cv_t<std::remove_reference_t<From>>, H>,
                  "wrapper-gen: C++ keeps the container that this is, T &, with the pointers in it, and each handle would release one of them; say "
                  "that they are not released: release: nothing, belongs_to: self");
}

/// All handles of a result, each of which is dropped by who has it.
template <class H>
struct OwnedList : std::vector<H> {
    OwnedList() = default;
    OwnedList(std::initializer_list<H> values) : OwnedList(wg::convert<OwnedList>(values)) {}
};

template <class H>
struct Convert<OwnedList<H>> {
    template <class From>
    static OwnedList<H> from(From &&value) {
        items_are_given<From, H>();
        OwnedList<H> out;
        bool is_whole = true;
        if constexpr (checked_range<OwnedList<H>, From>()) {
            for (auto &&element : value) {
                H made = one<From>(element);
                if (has_resource(made)) out.push_back(std::move(made));
                else is_whole = false;
            }
        }
        if (!is_whole) fail(std::move(out));
        return out;
    }

private:
    template <class From, class E>
    static H one(E &element) {
        if constexpr (is_vector<From>::value || std::is_same_v<From, OwnedList<H>>)  // ours alone, elements and all: they may be moved out
            return Convert<H>::unchecked(std::move(element));
        else
            return Convert<H>::unchecked(element);
    }

    [[gnu::cold, gnu::noinline, noreturn]] static void fail(OwnedList<H> &&made) {
        for (H &each : made) CellOf<H>::type::drop_value(each);
        throw no_resource<H>();
    }
};

/// A container in which handles `H` are parts of parts: `To`, whose conversion releases them where any part is refused.
template <class To, class... H>
struct HandedOver : To {
    HandedOver() = default;
    HandedOver(To &&parts) : To(std::move(parts)) {}
    template <class T = To>
    HandedOver(std::initializer_list<typename T::value_type> parts) : HandedOver(wg::convert<HandedOver>(T(parts))) {}
};

template <class T, class... H>
constexpr bool has_within = (... || std::is_same_v<T, H>);
template <template <class...> class C, class... T, class... H>
constexpr bool has_within<C<T...>, H...> = (... || has_within<T, H...>);

/// How many items a tuple has; other types have none.
template <class T, class = void>
constexpr std::size_t items_of = 0;
template <class T>
constexpr std::size_t items_of<T, std::void_t<decltype(std::tuple_size<T>::value)>> = std::tuple_size_v<T>;

/// Whether it can be gone through again: what has a size is no stream.
template <class T, class = void>
constexpr bool is_lasting = false;
template <class T>
constexpr bool is_lasting<T, std::void_t<decltype(std::begin(std::declval<T &>())), decltype(std::size(std::declval<T &>()))>> = true;

/// Releases the handles in what a conversion to `To` was made of, and left as it was: pointers and other values that are copied.
template <class To, class... H>
struct HandlesOf {
    template <class From>
    static void release([[maybe_unused]] From &value) {
        using T = std::remove_cv_t<From>;
        if constexpr (has_within<To, H...>) {
            if constexpr (is_handle<To>::value) {
                release_one(value);
            } else if constexpr (is_optional<To>::value && !is_optional<T>::value) {
                HandlesOf<typename To::value_type, H...>::release(value);
            } else if constexpr (is_optional<To>::value) {
                if (value) HandlesOf<typename To::value_type, H...>::release(*value);
            } else if constexpr (items_of<To> > 0) {
                if constexpr (items_of<T> == items_of<To>) release_items(value, std::make_index_sequence<items_of<To>>());
            } else if constexpr (is_lasting<T>) {
                for (auto &&each : value) HandlesOf<typename To::value_type, H...>::release(each);
            }
        }
    }

private:
    template <class From>
    static void release_one(From &value) {
        using Inner = std::remove_cv_t<decltype(To::inner)>;
        if constexpr (std::is_trivially_copyable_v<Inner> && (std::is_convertible_v<From &, Inner> || std::is_convertible_v<From &, To>)) {
            To left = Convert<To>::unchecked(value);
            if (has_resource(left)) CellOf<To>::type::drop_value(left);
        }
    }
    template <class From, std::size_t... i>
    static void release_items(From &value, std::index_sequence<i...>) {
        (..., HandlesOf<std::tuple_element_t<i, To>, H...>::release(std::get<i>(value)));
    }
};

template <class To, class... H>
struct Convert<HandedOver<To, H...>> {
    template <class From>
    static HandedOver<To, H...> from(From &&value) {
        if constexpr (std::is_same_v<std::decay_t<From>, HandedOver<To, H...>>) {
            return std::forward<From>(value);
        } else {
            (..., items_are_given<From, H>());
            try {
                return wg::convert<To>(std::forward<From>(value));
            } catch (...) {
                HandlesOf<To, H...>::release(value);
                throw;
            }
        }
    }
};

}  // namespace wg

#endif  // WG_CONVERSION_OWNED_CONTAINERS_HPP
