// Iteration over cursors and linked lists, by expressions of the spec: entries of `types`.
// Static: the same for all packages. Included by generated C++ only, where a spec has some.
#ifndef WG_ERRORS_CURSORS_HPP
#define WG_ERRORS_CURSORS_HPP

#include <tuple>

#include "wg/types/iterators.hpp"
#include "wg/ownership/upcast.hpp"
#include "wg/errors/statuses.hpp"

namespace wg {

/// An object of the call, of which a later step says something: the iterator keeps its handle. What a call saw of a handle that
/// extends `H` is there only while it runs, unless it is part of the value.
template <class H>
class StepObject {
    using Inner = std::remove_cv_t<decltype(H::inner)>;
    static constexpr bool is_made = Family<H>::is_one && is_pointer_like<Inner>::value;
    static constexpr bool is_copied = std::is_copy_constructible_v<Inner>;

public:
    explicit StepObject(H &own) : own_(kept(own)) {}

    template <class Use>
    void give(Use &&use) {
        if constexpr (!is_made) {
            use(*own_);
        } else if constexpr (is_copied) {
            use(own_);
        } else {
            struct Lent {
                H own;
                ~Lent() { static_cast<void>(own.inner.release()); }
            } lent{H{Inner(own_)}};
            use(lent.own);
        }
    }

private:
    static auto kept(H &own) {
        if constexpr (!is_made)
            return &own;
        else if constexpr (is_copied)
            return H(own);
        else
            return own.inner.get();
    }

    decltype(kept(std::declval<H &>())) own_;
};

/// Gives `use` all these objects.
template <class Use>
void with_objects(Use &&use) {
    use();
}
template <class Use, class First, class... More>
void with_objects(Use &&use, First &first, More &...more) {
    first.give([&](auto &own) { with_objects([&](auto &...others) { use(own, others...); }, more...); });
}

/// What a call returned, with the expressions `E` that go over it: functions whose names code of the spec does not have. `H` are
/// the objects of the call that the status at the end is said of. `V` is a reference where an object of the call owns the value.
template <class E, class V, class... H>
struct Cursor {
    V value;
    std::tuple<StepObject<H>...> objects;
};

template <class E, class From, class... H>
Cursor<E, From, H...> cursor(From &&value, H &...objects) {
    return {std::forward<From>(value), std::tuple<StepObject<H>...>(StepObject<H>(objects)...)};
}

template <class V>
struct is_step_object : std::false_type {};
template <class H>
struct is_step_object<StepObject<H>> : std::true_type {};

/// Where the iteration over an object starts: a cursor is moved where it is; of a list it is the node, or a pointer to it.
template <class E, class T>
decltype(auto) start_of(T &held) {
    if constexpr (!E::wg_is_list)
        return (held);
    else if constexpr (std::is_pointer_v<T> || (std::is_copy_constructible_v<T> && std::is_constructible_v<bool, T &>))
        return T(held);  // a node that knows whether it is one
    else if constexpr (is_pointer_like<std::remove_cv_t<T>>::value)
        return held.get();
    else
        return std::addressof(held);
}

/// The items of an element: references to what stays, and values of what was made.
template <class... T>
auto items(T &&...item) {
    if constexpr (sizeof...(T) == 2)
        return std::pair<T...>(std::forward<T>(item)...);
    else
        return std::tuple<T...>(std::forward<T>(item)...);
}

/// The status at the end of an iteration, of the only status type that has its C++ type.
template <class... Status, class Value, class... Objects>
void check_end(const Value &value, Objects &...objects) {
    static_assert((0 + ... + (std::is_same_v<typename Status::wg_Value, Value> ? 1 : 0)) == 1,
                  "wrapper-gen: `status` is what no status type, or more than one, is; convert it to the C++ type of one, or name the "
                  "error: raises: ...");
    (check_if_same<Status>(value, objects...), ...);
}

/// The same of the status type that the spec names.
template <class Status, class Value, class... Objects>
void check_end_as(const Value &value, Objects &...objects) {
    static_assert(std::is_same_v<typename Status::wg_Value, Value>,
                  "wrapper-gen: `raises` names an error of another C++ type than `status` has; convert that: static_cast<...>(...)");
    check<Status>(value, objects...);
}

/// How its steps run: as they are, or as the expressions say.
template <class E, class = void>
struct RunsOf {
    template <class Work>
    static void run(Work &&work) {
        work();
    }
    template <class Work>
    static void end(Work &&work) {
        work();
    }
};
template <class E>
struct RunsOf<E, std::void_t<typename E::wg_Runs>> : E::wg_Runs {};

template <class T>
struct PlaceIs {
    using type = T;
};
/// What a place is: of a list a node, or a pointer to const where the next node is one.
template <class E, class V>
auto place_of() {
    using T = std::decay_t<V>;
    using ToConst = const std::remove_pointer_t<T> *;
    if constexpr (!E::wg_is_list) {
        return PlaceIs<V>();
    } else if constexpr (std::is_pointer_v<T>) {
        return PlaceIs<std::conditional_t<std::is_same_v<decltype(E::wg_next(std::declval<T &>())), ToConst>, ToConst, T>>();
    } else {
        return PlaceIs<T>();
    }
}

template <class D, class E, class V, class Out, class... H>
class CursorSteps final : public Steps<Out> {
    using Objects = std::tuple<StepObject<H>...>;

public:
    explicit CursorSteps(V &&value, Objects &&objects) : value_(std::forward<V>(value)), objects_(std::move(objects)) {
        static_cast<void>(&CursorSteps::step);  // as of a range
        if constexpr (!E::wg_is_list)
            with_value([](auto &own) {
                if constexpr (is_pointer_like<std::remove_cv_t<std::remove_reference_t<decltype(own)>>>::value)
                    if (!own) throw Own<std::invalid_argument>("the library returned a null pointer where the spec declares an iterator");
            });
    }
    ~CursorSteps() override {
        if constexpr (!E::wg_is_list) RunsOf<E>::end([this] { with_value([](auto &own) { E::wg_free(own); }); });
    }

    bool step(Out &out) override {
        bool is_there = false;
        RunsOf<E>::run([&] { with_value([&](auto &own) { is_there = go_on(own); }); });
        if (!is_there) return false;
        with_value([&](auto &own) { out.template take<D>(E::wg_item(own)); });
        return true;
    }

private:
    /// The value is that of an object, or lies here.
    template <class Use>
    void with_value(Use &&use) {
        if constexpr (is_step_object<std::decay_t<V>>::value)
            value_.give([&use](auto &own) { use(own.inner); });
        else
            use(value_);
    }

    template <class Own>
    bool go_on(Own &own) {
        const bool is_first = !std::exchange(has_started_, true);
        if constexpr (E::wg_is_list) {
            if (!is_first && own) own = E::wg_next(own);
            return static_cast<bool>(own);
        } else {
            if (is_first) E::wg_first(own);
            else E::wg_next(own);
            if (E::wg_valid(own)) return true;
            std::apply([&own](auto &...each) { with_objects([&own](auto &...objects) { E::wg_check(own, objects...); }, each...); }, objects_);
            return false;
        }
    }

    typename decltype(place_of<E, V>())::type value_;
    Objects objects_;
    bool has_started_ = false;
};

template <class D, class Out, class E, class V, class... H>
struct StepsOf<D, Out, Cursor<E, V, H...>> {
    static std::unique_ptr<Steps<Out>> make(Cursor<E, V, H...> &&cursor) {
        return std::unique_ptr<Steps<Out>>(new CursorSteps<D, E, V, Out, H...>(std::forward<V>(cursor.value), std::move(cursor.objects)));
    }
};

}  // namespace wg

#endif  // WG_ERRORS_CURSORS_HPP
