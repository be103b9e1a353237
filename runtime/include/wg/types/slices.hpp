// Slices, and keys of what has dimensions: x[1:9:2] and x[0, ..., None] of Python.
// Static: the same for all packages. Included by generated C++ only, of specs with such a type.
#ifndef WG_TYPES_SLICES_HPP
#define WG_TYPES_SLICES_HPP

#include <cstddef>
#include <iterator>
#include <limits>
#include <optional>
#include <stdexcept>
#include <variant>
#include <vector>

#include "wg/base/once.hpp"
#include "wg/conversion/containers.hpp"
#include "wg/conversion/operators.hpp"
#include "wg/wire/wire.hpp"

namespace wg {

/// The positions in a sequence that a slice means: all of them are there.
class Positions {
public:
    Positions(i64 first, usize size, i64 step) : first_(first), size_(size), step_(step) {}

    i64 first() const { return first_; }
    i64 step() const { return step_; }
    usize size() const { return size_; }
    bool empty() const { return size_ == 0; }
    usize operator[](usize i) const { return static_cast<usize>(first_) + static_cast<usize>(step_) * i; }

    class Iterator {
    public:
        using iterator_category = std::input_iterator_tag;
        using value_type = usize;
        using difference_type = std::ptrdiff_t;
        using pointer = const usize *;
        using reference = usize;

        Iterator(const Positions &of, usize at) : of_(&of), at_(at) {}
        usize operator*() const { return (*of_)[at_]; }
        Iterator &operator++() { return ++at_, *this; }
        bool operator==(const Iterator &other) const { return at_ == other.at_; }
        bool operator!=(const Iterator &other) const { return at_ != other.at_; }

    private:
        const Positions *of_;
        usize at_;
    };
    Iterator begin() const { return {*this, 0}; }
    Iterator end() const { return {*this, size_}; }

private:
    i64 first_;
    usize size_;
    i64 step_;
};

/// What stands between the colons; nothing where nothing does. It converts to whatever is constructible from the three.
struct Slice {
    std::optional<i64> start, stop, step;

    /// The positions that it means in a sequence of so many.
    WG_ONCE Positions indices(usize length) const WG_ELSEWHERE
#if WG_HAS_BODIES
    {
        const i64 count = static_cast<i64>(length), by = step.value_or(1);
        if (by == 0) throw Own<std::invalid_argument>("slice step cannot be zero");
        const bool is_back = by < 0;
        const i64 least = is_back ? -1 : 0, most = is_back ? count - 1 : count;
        const auto bounded = [&](i64 given) {
            const i64 at = given < 0 ? given + count : given;
            return at < least ? least : at > most ? most : at;
        };
        const i64 from = start ? bounded(*start) : is_back ? most : least;
        const i64 to = stop ? bounded(*stop) : is_back ? least : most;
        const auto width = static_cast<u64>(by < 0 ? from - to : to - from), each = by < 0 ? u64(0) - static_cast<u64>(by) : static_cast<u64>(by);
        const bool is_empty = is_back ? from <= to : to <= from;
        return {from, is_empty ? 0 : static_cast<usize>((width - 1) / each + 1), by};
    }
#endif

    template <class To, class = std::enable_if_t<std::is_class_v<To> && !std::is_same_v<To, Slice> &&
                                                 std::is_constructible_v<To, std::optional<i64>, std::optional<i64>, std::optional<i64>>>>
    operator To() const {
        return To(start, stop, step);
    }
};

/// `...` of a key: as many whole dimensions as the other items leave.
struct Ellipsis {};

/// None of a key: a new dimension of one element.
struct NewAxis {};

using IndexItem = std::variant<i64, Slice, Ellipsis, NewAxis>;

/// A key: its items, one for each dimension that it is about.
struct Index : std::vector<IndexItem> {
    using std::vector<IndexItem>::vector;
    Index(std::vector<IndexItem> items) : std::vector<IndexItem>(std::move(items)) {}
};

namespace types {

struct Slice {
    using Value = wg::Slice;
};
struct Index {
    using Value = wg::Index;
};

}  // namespace types

namespace sorts {
struct Slice {};
struct Index {};
}  // namespace sorts

template <>
struct SortOf<Slice> {
    using type = sorts::Slice;
};
template <>
struct SortOf<Index> {
    using type = sorts::Index;
};

template <class T>
struct Convert<T, std::enable_if_t<std::is_same_v<T, Slice> || std::is_same_v<T, Index>>> {
    template <class From>
    static T from(From &&value) {
        static_assert(std::is_convertible_v<From, T>, "wrapper-gen: the result is no wg::Slice or wg::Index, and does not convert to it");
        return std::forward<From>(value);
    }
};

/// Four numbers on the wire: which of a slice are given, and these; of an item of a key 8, 9 or 10 says that it is none.
namespace slices {

constexpr i64 integer = 8, ellipsis = 9, none = 10;

struct Row {
    i64 kind = 0, numbers[3] = {};
};

inline Row row_of(const Slice &slice) {
    Row out{(slice.start ? 1 : 0) + (slice.stop ? 2 : 0) + (slice.step ? 4 : 0), {slice.start.value_or(0), slice.stop.value_or(0), slice.step.value_or(0)}};
    return out;
}

inline Slice of_row(const Row &row) {
    const auto given = [&row](int i) { return (row.kind >> i & 1) != 0 ? std::optional<i64>(row.numbers[i]) : std::nullopt; };
    return {given(0), given(1), given(2)};
}

inline Row row_of(const IndexItem &item) {
    if (const auto *slice = std::get_if<Slice>(&item)) return slices::row_of(*slice);
    Row out;
    out.kind = std::holds_alternative<i64>(item) ? integer : std::holds_alternative<Ellipsis>(item) ? ellipsis : none;
    if (const auto *number = std::get_if<i64>(&item)) out.numbers[0] = *number;
    return out;
}

inline IndexItem item_of(const Row &row) {
    if (row.kind == integer) return row.numbers[0];
    if (row.kind == ellipsis) return Ellipsis();
    if (row.kind == none) return NewAxis();
    return slices::of_row(row);
}

inline void put(char *&at, const Row &row) {
    std::memcpy(at, &row, sizeof(row));
    at += sizeof(row);
}

inline Row next(const char *&at) {
    Row out;
    std::memcpy(&out, at, sizeof(out));
    at += sizeof(out);
    return out;
}

}  // namespace slices

template <>
struct Wire<types::Slice> {
    template <class Each>
    static void write(WireOut &out, std::size_t count, Each &&each) {
        char *at = out.room(count * sizeof(slices::Row));
        each([&at](const Slice &value) { slices::put(at, slices::row_of(value)); });
    }
    template <class Each>
    static void read(WireIn &in, std::size_t count, Each &&each) {
        const char *at = in.run(count, sizeof(slices::Row));
        each([&at](Slice &out) { out = slices::of_row(slices::next(at)); });
    }
};

template <>
struct Wire<types::Index> {
    template <class Each>
    static void write(WireOut &out, std::size_t count, Each &&each) {
        char *sizes = out.room(count * sizeof(u64));
        std::size_t total = 0;
        each([&](const Index &value) {
            const u64 size = value.size();
            std::memcpy(sizes, &size, sizeof(size));
            sizes += sizeof(size);
            total += value.size();
        });
        char *at = out.room(total * sizeof(slices::Row));
        each([&at](const Index &value) {
            for (const IndexItem &item : value) slices::put(at, slices::row_of(item));
        });
    }
    template <class Each>
    static void read(WireIn &in, std::size_t count, Each &&each) {
        const auto [sizes, total] = in.sizes(count);
        const char *at = in.run(total, sizeof(slices::Row));
        std::size_t i = 0;
        each([&, all = sizes](Index &out) {
            out.clear();
            for (std::size_t left = WireIn::size_at(all, i++); left != 0; --left) out.push_back(slices::item_of(slices::next(at)));
        });
    }
};

namespace operators {

/// What C++ has for a slice, or else the elements at its positions, one by one.
template <class T, class S, class = std::enable_if_t<std::is_same_v<std::decay_t<S>, Slice>>>
decltype(auto) item(T &object, S &&slice) {
    if constexpr (std::is_invocable_v<At, T &, S>) {
        return At()(object, std::forward<S>(slice));
    } else if constexpr (std::is_invocable_v<Subscript, T &, S>) {
        return Subscript()(object, std::forward<S>(slice));
    } else if constexpr (std::is_invocable_v<Call, T &, S>) {
        return Call()(object, std::forward<S>(slice));
    } else {
        static_assert(std::is_invocable_v<Subscript, T &, usize>,
                      "wrapper-gen: it has no at(), operator[] or operator() for slices, and none for positions; say what implements __getitem__");
        std::vector<std::decay_t<decltype(object[usize()])>> out;
        const Positions positions = slice.indices(static_cast<usize>(operators::size(object)));
        out.reserve(positions.size());
        for (const usize at : positions) out.push_back(object[at]);
        return out;
    }
}

}  // namespace operators

}  // namespace wg

#endif  // WG_TYPES_SLICES_HPP
