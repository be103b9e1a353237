// Iterators: what a call gave as a range, and its elements one after the other.
// Static: the same for all packages. Included by generated C++ only, where a spec has results of type `iter[T]`.
//
//   Steps<Out>     a range and a place in it; `step` gives the next element to `out`, which converts it.
//   Iteration      what both engines know of an iterator: wg/ownership/iteration.hpp.
//
// A range that the call returns by value is moved into the iterator. One that it returns by reference or by its address belongs to
// an object of the call, which the iterator keeps alive.
#ifndef WG_TYPES_ITERATORS_HPP
#define WG_TYPES_ITERATORS_HPP

#include <functional>
#include <iterator>
#include <map>
#include <mutex>

#include "wg/conversion/containers.hpp"
#include "wg/conversion/packed_results.hpp"
#include "wg/wire/containers.hpp"
#include "wg/ownership/iteration.hpp"

namespace wg {

template <class Out>
class Steps {
public:
    Steps() = default;
    Steps(const Steps &) = delete;
    Steps &operator=(const Steps &) = delete;
    virtual ~Steps() = default;

    /// Gives `out` the next element; false where there is none.
    virtual bool step(Out &out) = 0;
    /// How many elements are left, if the range has a size; else -1.
    virtual i64 left() const { return -1; }
    /// Whether there may be references to objects of the call in it.
    virtual bool is_borrowed() const { return true; }
    /// Whether a step may run code of the library's, which may call Python.
    virtual bool runs_code() const { return true; }
};

template <class T, class = void>
struct has_size : std::false_type {};
template <class T>
struct has_size<T, std::void_t<decltype(std::size(std::declval<const T &>()))>> : std::true_type {};

/// Two iterators as a range, as `equal_range` returns them.
template <class I>
struct IteratorPair {
    I first, second;
    I &begin() { return first; }
    I &end() { return second; }
};

/// A range from its end on.
template <class R>
struct Reversed {
    R *range;
    auto begin() const { return std::rbegin(*range); }
    auto end() const { return std::rend(*range); }
    template <class T = R>
    auto size() const -> decltype(std::size(std::declval<const T &>())) {
        return std::size(*range);
    }
};

template <class R>
Reversed<R> reversed(R &range) {
    return {&range};
}

/// A range that a smart pointer holds.
template <class P>
struct PointedRange {
    P pointer;
    auto begin() { return ranges::begin_of(*pointer); }
    auto end() { return ranges::end_of(*pointer); }
};

/// Whether it is a number or a text, which nothing of the library's makes.
template <class T>
struct is_plain_element : std::disjunction<std::is_arithmetic<T>, std::is_same<T, std::string>> {};
template <class T, class I, class = void>
struct is_plain_iterator : std::false_type {};
template <class T, class I>
struct is_plain_iterator<T, I, std::enable_if_t<is_plain_element<T>::value>>
    : std::disjunction<std::is_same<I, T *>, std::is_same<I, const T *>, std::is_same<I, typename std::vector<T>::iterator>,
                       std::is_same<I, typename std::vector<T>::const_iterator>> {};
template <class K, class T, class I>
struct is_plain_iterator<std::pair<const K, T>, I, std::enable_if_t<is_plain_element<K>::value && is_plain_element<T>::value>>
    : std::disjunction<std::is_same<I, typename std::map<K, T>::iterator>, std::is_same<I, typename std::map<K, T>::const_iterator>> {};

template <class I, class = void>
struct value_of_iterator {
    using type = void;
};
template <class I>
struct value_of_iterator<I, std::void_t<typename std::iterator_traits<I>::value_type>> {
    using type = typename std::iterator_traits<I>::value_type;
};

/// `R` is a reference where an object of the call owns the range. A step is made only when an element is asked for.
template <class D, class R, class Out>
class RangeSteps final : public Steps<Out> {
    using Range = std::remove_reference_t<R>;

public:
    explicit RangeSteps(R &&range) : range_(std::forward<R>(range)), at_(ranges::begin_of(range_)), end_(ranges::end_of(range_)) {
        static_cast<void>(&RangeSteps::step);  // what is wrong with its elements is named with the entry, which led here
    }

    bool step(Out &out) override {
        if (has_started_) ++at_;
        has_started_ = true;
        if (!(at_ != end_)) return false;
        ++taken_;
        if constexpr (owns_all && std::is_lvalue_reference_v<decltype(*at_)>)
            out.template take<D>(std::move(*at_));
        else
            out.template take<D>(*at_);
        return true;
    }
    i64 left() const override {
        if constexpr (has_size<Range>::value) {
            const auto size = static_cast<i64>(std::size(range_));
            return size < taken_ ? 0 : size - taken_;
        } else {
            return -1;
        }
    }
    bool is_borrowed() const override { return !owns_all || holds_handles<Value<D>>::value; }
    bool runs_code() const override { return !is_plain_iterator<typename value_of_iterator<Place>::type, Place>::value; }

private:
    using Place = std::decay_t<decltype(ranges::begin_of(std::declval<Range &>()))>;

    /// A container that the iterator owns, with its elements.
    static constexpr bool owns_all = !std::is_reference_v<R> && owns_elements<Range>::value;

    R range_;
    Place at_;
    std::decay_t<decltype(ranges::end_of(std::declval<Range &>()))> end_;
    i64 taken_ = 0;
    bool has_started_ = false;
};

template <class T>
struct is_reference_wrapper : std::false_type {};
template <class T>
struct is_reference_wrapper<std::reference_wrapper<T>> : std::true_type {};

template <class T>
struct is_iterator_pair : std::false_type {};
template <class I>
struct is_iterator_pair<std::pair<I, I>> : std::true_type {};

/// How to go over what is no range: specialised in wg/errors/cursors.hpp.
template <class D, class Out, class T>
struct StepsOf;

template <class T, class = void>
struct has_steps : std::false_type {};
template <class T>
struct has_steps<T, std::void_t<decltype(sizeof(T))>> : std::true_type {};

/// What a call gave, as a range.
template <class D, class Out, class From>
std::unique_ptr<Steps<Out>> steps_of(From &&value) {
    using T = std::remove_cv_t<std::remove_reference_t<From>>;
    if constexpr (has_steps<StepsOf<D, Out, T>>::value) {
        return StepsOf<D, Out, T>::make(std::forward<From>(value));
    } else if constexpr (has_begin<T>::value) {
        return std::unique_ptr<Steps<Out>>(new RangeSteps<D, From, Out>(std::forward<From>(value)));
    } else if constexpr (is_reference_wrapper<T>::value) {
        return steps_of<D, Out>(value.get());
    } else if constexpr (is_iterator_pair<T>::value) {
        using Pair = IteratorPair<typename T::first_type>;
        return std::unique_ptr<Steps<Out>>(new RangeSteps<D, Pair, Out>(Pair{value.first, value.second}));
    } else if constexpr (!is_pointer_like<T>::value) {
        static_assert(always_false<From>::value, "wrapper-gen: the result is no range: it has neither begin() and end(), nor is it a pointer to what "
                                                 "has, or a pair of iterators; for a cursor or a linked list, give `types` an entry with `next`");
        return nullptr;
    } else {
        if (!value) throw Own<std::invalid_argument>("the library returned a null pointer where the spec declares an iterator");
        if constexpr (std::is_pointer_v<T>)
            return steps_of<D, Out>(*value);
        else
            return std::unique_ptr<Steps<Out>>(new RangeSteps<D, PointedRange<T>, Out>(PointedRange<T>{std::forward<From>(value)}));
    }
}

template <class T, class = void>
struct refers_to_memory : is_view_of_memory<T> {};
template <class T>
struct refers_to_memory<T, std::void_t<typename T::value_type>>
    : std::disjunction<is_view_of_memory<T>, is_view_of_memory<std::remove_cv_t<typename T::value_type>>> {};

/// Whether a class has no memory elsewhere that it owns, and its elements are references all the same.
template <class T, class = void>
struct is_view_of_range : std::false_type {};
template <class T>
struct is_view_of_range<T, std::enable_if_t<std::is_trivially_destructible_v<T> && std::is_lvalue_reference_v<decltype(*ranges::begin_of(std::declval<T &>()))>>>
    : std::true_type {};
/// Whether the elements of a const object are const, as those are that lie in it.
template <class T, class = void>
struct has_elements_inside : std::false_type {};
template <class T>
struct has_elements_inside<T, std::enable_if_t<has_begin<const T>::value>>
    : std::bool_constant<!std::is_same_v<decltype(*ranges::begin_of(std::declval<T &>())), decltype(*ranges::begin_of(std::declval<const T &>()))>> {};

/// What a call gave that has no object which the iterator could keep alive: its arguments are gone when it has returned.
template <class From>
From &&own_range(From &&value) {
    using T = std::remove_cv_t<std::remove_reference_t<From>>;
    static_assert(!std::is_lvalue_reference_v<From> && !std::is_pointer_v<T> && !is_reference_wrapper<T>::value && !is_iterator_pair<T>::value &&
                      !refers_to_memory<T>::value && (!is_view_of_range<T>::value || has_elements_inside<T>::value),
                  "wrapper-gen: the iterator would go over memory that it does not own, and the call has no object to keep alive: what it "
                  "was given is gone when it has returned; return a container by value");
    return std::forward<From>(value);
}

// --- iterators of the C ABI -----------------------------------------------------------------------

/// Encodes an element.
struct EncodedElement {
    WireOut out;

    template <class D, class From>
    void take(From &&value) {
        Value<D> declared = wg::convert<Value<D>>(std::forward<From>(value));
        Wire<D>::write(out, 1, [&declared](auto &&use) { use(declared); });
    }
};

/// `D` is what describes the elements.
template <class D>
using CSteps = std::unique_ptr<Steps<EncodedElement>>;

template <class D>
struct AsCSteps {
    template <class From>
    CSteps<D> operator()(From &&value) const {
        return steps_of<D, EncodedElement>(std::forward<From>(value));
    }
};

struct IteratorCell : OwnedCell {
    explicit IteratorCell(std::unique_ptr<Steps<EncodedElement>> &&made) : OwnedCell(own_type), steps(std::move(made)) {}

    std::unique_ptr<Steps<EncodedElement>> steps;
    Iteration state;

    static const OwnedType own_type;

private:
    static void release(Cell &cell) noexcept {
        auto &own = static_cast<IteratorCell &>(cell);
        [[maybe_unused]] const std::optional<StepLocks> locks = locked(own);
        own.state.end();
        own.steps.reset();
        own.end();
    }
    static std::optional<StepLocks> locked(const IteratorCell &own) noexcept {
        try {
            return std::optional<StepLocks>(std::in_place, static_cast<const KeptList *>(own.kept));
        } catch (...) {  // the interpreter ends, or there is no memory
            return std::nullopt;
        }
    }
    static void free(OwnedCell &cell) noexcept { delete static_cast<IteratorCell *>(&cell); }
};

inline constexpr OwnedType IteratorCell::own_type = {{&release}, &free};

/// A new iterator: `kept` is what it keeps alive, `elements` what each element does.
inline void *iterator(std::unique_ptr<Steps<EncodedElement>> &&steps, const Owners &kept, const Owners &elements = no_owners) {
    const bool is_borrowed = steps->is_borrowed();
    std::unique_ptr<IteratorCell, Release> made(new IteratorCell(std::move(steps)));
    made->state.attach(held(made.get()), kept, elements, is_borrowed);
    return made.release();
}

/// The next element, encoded; null at the end.
template <class B>
B *next_of(void *iterator) {
    auto *cell = static_cast<IteratorCell *>(iterator);
    Iteration &state = cell->state;
    failure().kind = 0;
    if (state.has_ended) return nullptr;
    if (!enter(held(cell))) throw Closed(state.ended_message());
    struct Used {
        IteratorCell *cell;
        ~Used() { leave(held(cell)); }
    };
    const Used used{cell};
    if (state.is_running) throw Own<std::invalid_argument>(running_message);
    const StepLocks locks(static_cast<const KeptList *>(cell->kept));
    if (state.has_ended) return nullptr;  // another thread made the last step while this one waited
    if (state.is_running) throw Own<std::invalid_argument>(running_message);
    state.check();
    struct Step {
        Iteration &state;
        ~Step() { state.is_running = false; }
    };
    const Step step{state};
    state.is_running = true;
    EncodedElement element{WireOut(state.elements)};
    try {
        if (cell->steps->step(element)) return buffer<B>(element.out.take());
    } catch (...) {
        state.has_ended = true;
        close(held(cell));
        throw;
    }
    state.has_ended = true;
    close(held(cell));
    return nullptr;
}

inline i64 left_of(void *iterator) {
    auto *cell = static_cast<IteratorCell *>(iterator);
    if (cell->state.has_ended) return 0;
    if (!enter(held(cell))) return -1;
    i64 left = -1;
    try {
        cell->state.check();
        if (!cell->state.is_running) left = cell->steps->left();
    } catch (...) {  // -1: unknown
    }
    leave(held(cell));
    return left;
}

}  // namespace wg

#endif  // WG_TYPES_ITERATORS_HPP
