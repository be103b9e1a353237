// Iteration over cursors and linked lists, by expressions of the spec: `each`.
// Static: the same for all packages. Included by generated C++ only, where a spec has `each`.
#ifndef WG_CURSORS_HPP
#define WG_CURSORS_HPP

#include "wg_iterators.hpp"
#include "wg_statuses.hpp"

namespace wg {

/// What a call returned, with the expressions `E` that go over it. `V` is a reference where an object of the call owns it.
template <class E, class V>
struct Cursor {
    V value;
};

template <class E, class From>
Cursor<E, From> cursor(From &&value) {
    return {std::forward<From>(value)};
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
template <class... Status, class Value>
void check_end(const Value &value) {
    static_assert((0 + ... + (std::is_same_v<typename Status::wg_Value, Value> ? 1 : 0)) == 1,
                  "wrapper-gen: `error` is what no status type, or more than one, is; convert it to the C++ type of one");
    (check_if_same<Status>(value), ...);
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
struct RunsOf<E, std::void_t<typename E::Runs>> : E::Runs {};

template <class D, class E, class V, class Out>
class CursorSteps final : public Steps<Out> {
public:
    explicit CursorSteps(V &&value) : value_(std::forward<V>(value)) {
        if constexpr (is_pointer_like<std::decay_t<V>>::value && !E::is_list)
            if (!value_) throw Own<std::invalid_argument>("the library returned a null pointer where the spec declares an iterator");
    }
    ~CursorSteps() override {
        if constexpr (!E::is_list) RunsOf<E>::end([this] { E::free(value_); });
    }

    bool step(Out &out) override {
        bool is_there = false;
        RunsOf<E>::run([&] { is_there = go_on(); });
        if (!is_there) return false;
        out.template take<D>(E::item(value_));
        return true;
    }

private:
    bool go_on() {
        const bool is_first = !std::exchange(has_started_, true);
        if constexpr (E::is_list) {
            if (!is_first && value_) value_ = E::next(value_);
            return static_cast<bool>(value_);
        } else {
            if (is_first) E::first(value_);
            else E::next(value_);
            if (E::valid(value_)) return true;
            E::check(value_);
            return false;
        }
    }

    std::conditional_t<E::is_list, std::decay_t<V>, V> value_;
    bool has_started_ = false;
};

template <class D, class Out, class E, class V>
struct StepsOf<D, Out, Cursor<E, V>> {
    static std::unique_ptr<Steps<Out>> make(Cursor<E, V> &&cursor) {
        return std::unique_ptr<Steps<Out>>(new CursorSteps<D, E, V, Out>(std::forward<V>(cursor.value)));
    }
};

}  // namespace wg

#endif  // WG_CURSORS_HPP
