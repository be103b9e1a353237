// Callbacks whose arguments a spec lists: lengths anywhere, what Python's result fills, statuses, what C alone needs.
// Static: the same for all packages. Included by generated C++ only, where a spec lists some.
#ifndef WG_CALLBACKS_LISTED_CALLBACKS_HPP
#define WG_CALLBACKS_LISTED_CALLBACKS_HPP

#include <cstring>
#include <stdexcept>

#include "wg/callbacks/callbacks.hpp"

namespace wg {

// --- what arguments stand for ---------------------------------------------------------------------

namespace parts {

/// A `D` whose length the part `at` is.
template <class D, std::size_t at>
struct Sized {};
/// A number that Python sees, to which C has a pointer: the capacity of what is filled.
template <class D>
struct Pointed {};
/// The length of another part.
struct Length {};
/// What Python does not see.
struct Context {};
struct Data {};
/// Where an item of the result goes.
struct Out {};
/// Room that the result fills, and how much there is, where Python does not see that.
struct Room {};
struct Capacity {};
/// Where the text of an exception goes.
struct Error {};

}  // namespace parts

template <class T>
constexpr bool is_place = std::is_pointer_v<std::decay_t<T>>
                              ? !std::is_const_v<std::remove_pointer_t<std::decay_t<T>>>
                              : std::is_lvalue_reference_v<T> && !std::is_const_v<std::remove_reference_t<T>>;
template <class T>
constexpr bool may_be_count = std::is_integral_v<std::decay_t<T>> || std::is_integral_v<std::remove_pointer_t<std::decay_t<T>>>;

/// A part that Python does not see.
struct Unseen {
    static constexpr bool is_seen = false, is_listed = true;
    template <class C>
    static constexpr bool single = true;
    template <class C, class N>
    static constexpr bool row = false;
};
template <>
struct Part<parts::Context> : Unseen {};
template <>
struct Part<parts::Error> : Unseen {};
template <>
struct Part<parts::Length> : Unseen {
    template <class C>
    static constexpr bool single = std::is_integral_v<std::decay_t<C>>;
};
template <>
struct Part<parts::Data> : Unseen {
    template <class C>
    static constexpr bool single = std::is_same_v<std::decay_t<C>, void *> || std::is_same_v<std::decay_t<C>, const void *>;
};
template <>
struct Part<parts::Out> : Unseen {
    template <class C>
    static constexpr bool single = is_place<C>;
};
template <>
struct Part<parts::Room> : Part<parts::Out> {};
template <>
struct Part<parts::Capacity> : Unseen {
    template <class C>
    static constexpr bool single = may_be_count<C>;
};

template <class D, std::size_t at>
struct Part<parts::Sized<D, at>> : Unseen {
    static constexpr bool is_seen = true;
    template <class C>
    static constexpr bool single = (lies_in_a_row<D> && std::is_pointer_v<std::decay_t<C>>) || are_texts<D, C> || are_represented<D, C>;

    template <class Found, class First, class Tuple>
    static Value<D> read(First &&first, Tuple &arguments) {
        return run_of<D>(first, length_of(first, Found::template argument<at>(arguments)));
    }
};
template <class D>
struct Part<parts::Pointed<D>> : Unseen {
    static constexpr bool is_seen = true;
    template <class C>
    static constexpr bool single = std::is_pointer_v<std::decay_t<C>> && may_be_count<C>;

    template <class Found, class First, class Tuple>
    static Value<D> read(First &&first, Tuple &) {
        return AsDeclared<D>()(*first);
    }
};

// --- what C gets ------------------------------------------------------------------------------------

/// How C learns how much of its room is filled.
enum class Filled { all, returned, at_capacity, with_nul };

/// What C gets of an expression of the spec: nothing where it returns nothing.
template <class W, class Make>
W expressed(const char *returned, const Make &make) {
    using V = decltype(make());
    if constexpr (std::is_void_v<W>)
        static_cast<void>(make());
    else if constexpr (std::is_arithmetic_v<W> && std::is_arithmetic_v<std::decay_t<V>> && !std::is_same_v<std::decay_t<V>, bool>)
        return checked<W>(make(), returned);
    else if constexpr (std::is_void_v<V>)
        return make(), W();
    else
        return static_cast<W>(make());
}

[[noreturn, gnu::cold]] inline void fail_room(const char *returned, std::size_t size, std::size_t room, bool is_exact) {
    const std::string has = std::to_string(room) + (room == 1 ? " element" : " elements");
    const std::string is = std::string(returned) + ": " + std::to_string(size);
    throw Own<std::invalid_argument>(is + (is_exact ? " are not the " + has + " that C wants" : " do not fit the " + has + " that C has room for"));
}

/// Fills what C has at `room` with a result; how many elements that were.
template <Filled filled, class V, class P, class N>
std::size_t fill_room(const V &value, P *room, N capacity, const char *returned) {
    const std::size_t size = value.size();
    std::size_t most = 0;
    if constexpr (std::is_pointer_v<N>) most = static_cast<std::size_t>(*capacity);
    else most = static_cast<std::size_t>(capacity);
    if (size + (filled == Filled::with_nul ? 1 : 0) > most) fail_room(returned, size, most, false);
    if (filled == Filled::all && size != most) fail_room(returned, size, most, true);
    if constexpr (std::is_same_v<V, std::string>) {
        if (size != 0) std::memcpy(room, value.data(), size);
        if constexpr (filled == Filled::with_nul) static_cast<char *>(static_cast<void *>(room))[size] = '\0';
    } else {
        static_assert(std::is_same_v<P, typename V::value_type>, "wrapper-gen: C has room for elements of another type than the callback's result has");
        std::copy(value.begin(), value.end(), room);
    }
    if constexpr (filled == Filled::at_capacity && std::is_pointer_v<N>) *capacity = checked<std::remove_pointer_t<N>>(size, returned);
    return size;
}

template <class D>
struct ItemsOf {
    static constexpr bool is_tuple = false;
    template <std::size_t>
    using Item = D;
};
template <class D>
struct Whole : ItemsOf<types::Bytes> {
    template <std::size_t>
    using Item = D;
};
template <class... D>
struct ItemsOf<types::Tuple<D...>> {
    static constexpr bool is_tuple = true;
    template <std::size_t i>
    using Item = std::tuple_element_t<i, std::tuple<D...>>;
};

/// Where the text of an exception goes, which lasts as long as no other one of this thread takes its place.
template <class At>
void tell_error(At &&at, const CallableFailure &failure) {
    static thread_local std::string latest;
    latest = failure.text;
    if constexpr (!std::is_pointer_v<std::decay_t<At>>) {
        at = latest;
    } else if constexpr (!std::is_assignable_v<decltype(*at), const char *>) {
        static_assert(std::is_void_v<At>, "wrapper-gen: C takes over the text of an exception: name the argument, and copy it in on_exception, such as *message = strdup(error)");
    } else if (at != nullptr) {
        *at = latest.c_str();
    }
}

// Heads of the functions that hold the spec's expressions: where among C's arguments the user data is, what C gets of a result, and
// what it gets of an exception, whose text is `error`.
#define WG_CALLBACK_DATA      \
    template <class wg_Given> \
    static void *wg_user_data([[maybe_unused]] const wg_Given &wg_given)
#define WG_CALLBACK_RESULT                               \
    template <class wg_T, class wg_Value, class wg_Given> \
    static wg_T wg_result([[maybe_unused]] const char *wg_returned, [[maybe_unused]] wg_Value &value, [[maybe_unused]] const wg_Given &wg_given)
#define WG_CALLBACK_FAILED                                                                                          \
    template <class wg_T, class wg_Given>                                                                           \
    static wg_T wg_failed([[maybe_unused]] const char *wg_returned, [[maybe_unused]] const wg::CallableFailure &wg_failure, \
                          [[maybe_unused]] const wg_Given &wg_given, [[maybe_unused]] const char *error)

/// A callback that a spec lists; generated code says the rest: `outs`, the parts that items of the result fill; `room`, what the one
/// after them fills, and `capacity`.
template <class R, class... A>
struct ListedCallback : Callback<R, A...> {
    static constexpr bool is_listed = true;
    static constexpr bool has_room = false;
    static constexpr Filled filled = Filled::all;
    static constexpr bool gives_result = false;  // what C gets is an expression of the spec
    static constexpr bool reads_value = false;  // it is one over what Python returned, which stays whole for it
    using Outs = std::index_sequence<>;

    template <class F, class W, class Given>
    static W hand_over(AnswerOf<F> &answer, Target &target, const Given &given) {
        if constexpr (!std::is_void_v<R>) {
            constexpr std::size_t outs = F::Outs::size();
            using Items = std::conditional_t<outs != 0 || F::has_room, ItemsOf<R>, Whole<R>>;
            if constexpr (F::reads_value && std::is_copy_constructible_v<decltype(answer.value)>) {
                auto given_away = answer.value;
                put<F, Items>(typename F::Outs(), std::make_index_sequence<outs>(), given_away, target, given);
            } else {
                put<F, Items>(typename F::Outs(), std::make_index_sequence<outs>(), answer.value, target, given);
            }
            [[maybe_unused]] std::size_t size = 0;
            if constexpr (F::has_room) {
                auto &&room = given.template get<F::room>();
                size = fill_room<F::filled>(item<Items, outs>(answer.value), room, given.template get<F::capacity>(), F::returned);
            }
            [[maybe_unused]] constexpr std::size_t taken = outs + (F::has_room ? 1 : 0);
            if constexpr (F::gives_result)
                return F::Said::template wg_result<W>(F::returned, answer.value, given);
            else if constexpr (std::is_void_v<W>)
                return;
            else if constexpr (F::has_room && F::filled == Filled::returned)
                return given_back<W, F, types::Size>(size, target);
            else if constexpr (taken < F::items)
                return given_back<W, F, typename Items::template Item<taken>>(item<Items, taken>(answer.value), target, taken);
            else
                return W();
        } else if constexpr (F::gives_result) {
            return F::Said::template wg_result<W>(F::returned, answer, given);
        } else if constexpr (!std::is_void_v<W>) {
            return W();
        }
    }

private:
    template <class Items, std::size_t i, class V>
    static auto &item(V &value) {
        if constexpr (Items::is_tuple) return std::get<i>(value);
        else return value;
    }
    template <class F, class Items, std::size_t... parts, std::size_t... i, class V, class Given>
    static void put(std::index_sequence<parts...>, std::index_sequence<i...>, [[maybe_unused]] V &value, [[maybe_unused]] Target &target,
                    [[maybe_unused]] const Given &given) {
        (put_one<F, typename Items::template Item<i>>(given.template get<parts>(), item<Items, i>(value), target, i), ...);
    }
    template <class F, class D, class At, class V>
    static void put_one(At &&at, V &value, Target &target, std::size_t item) {
        if constexpr (std::is_pointer_v<std::decay_t<At>>) {
            if (at != nullptr) *at = given_back<std::decay_t<decltype(*at)>, F, D>(value, target, item);
        } else {
            at = given_back<std::decay_t<At>, F, D>(value, target, item);
        }
    }
};

}  // namespace wg

#endif  // WG_CALLBACKS_LISTED_CALLBACKS_HPP
