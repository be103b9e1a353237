// Memory that is made before a call, which fills it: arrays, text, bytes and lists, each an item of the result.
// Static: the same for all packages. Included by generated C++ only, for specs with such calls.
#ifndef WG_CALLS_FILLED_HPP
#define WG_CALLS_FILLED_HPP

#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <memory>

#include "wg/arrays/arrays.hpp"
#include "wg/base/overflow.hpp"
#include "wg/calls/argument_candidates.hpp"

namespace wg {

/// How large memory is that a call fills.
template <class N>
i64 filled_size(N size, const char *name) {
    static_assert(std::is_integral_v<N>, "wrapper-gen: how large memory is that the call fills is no integer");
    if (size < 0) throw Own<std::invalid_argument>(std::string(name) + ": " + std::to_string(size) + " is negative, and the size of a buffer");
    return checked<i64>(size, name);
}

/// Memory on the heap, which starts as zeros: what a call leaves out is nothing that was there before.
template <class T>
class FilledMemory {
public:
    FilledMemory(std::initializer_list<i64> extents, const char *name) {
        std::size_t count = 1, bytes = 0;
        bool is_empty = false;
        for (const i64 each : extents) is_empty = is_empty || each == 0;
        for (const i64 each : extents)
            if (!is_empty && multiply_overflows(count, static_cast<std::size_t>(each), &count)) fail(name);
        if (is_empty) count = 0;
        if (multiply_overflows(count, sizeof(T), &bytes)) fail(name);
        data_.reset(static_cast<T *>(std::calloc(bytes == 0 ? 1 : bytes, 1)));
        if (!data_) fail(name);
        size_ = count;
    }

    T *data() const { return data_.get(); }
    std::size_t size() const { return size_; }
    T *release() { return data_.release(); }

private:
    [[noreturn, gnu::cold]] static void fail(const char *name) { throw Own<std::length_error>(std::string(name) + ": there is no memory for what the call fills"); }

    struct Free {
        void operator()(T *data) const noexcept { std::free(data); }
    };
    std::unique_ptr<T, Free> data_;
    std::size_t size_ = 0;
};

// What becomes of it after the call.

template <class T, std::size_t N, Order order>
struct FilledArray {
    FilledMemory<T> memory;
    i64 extents[N];

    Array take() {
        Array out;
        const auto count = static_cast<std::int64_t>(memory.size());
        T *data = memory.release();
        out.own(data, [](void *owned) noexcept { std::free(owned); });
        set_shape(out, data, extents, nullptr, order == Order::F ? Order::F : Order::C, count);
        return out;
    }
};
struct FilledText {
    FilledMemory<char> memory;
    std::string take() { return {memory.data(), ::strnlen(memory.data(), memory.size())}; }
};
struct FilledBytes {
    FilledMemory<char> memory;
    std::string take() { return {memory.data(), memory.size()}; }
};
template <class T>
struct FilledList {
    FilledMemory<T> memory;
    std::vector<T> take() { return {memory.data(), memory.data() + memory.size()}; }
};

/// Stands for its address while it is asked what compiles.
namespace probes {
template <class T>
struct AnyMemory {
    AnyMemory() = delete;
    template <class P, class = std::enable_if_t<std::is_pointer_v<P> && !std::is_const_v<std::remove_pointer_t<P>> && is_element<std::remove_pointer_t<P>, T>>>
    operator P() const;
};
}  // namespace probes

/// The address of such memory, as whatever pointer to its elements the call takes.
template <class T, class Held>
struct FilledSlot {
    Held held;
    template <class P, class = std::enable_if_t<std::is_pointer_v<P> && !std::is_const_v<std::remove_pointer_t<P>> && is_element<std::remove_pointer_t<P>, T>>>
    operator P() const {
        return static_cast<P>(static_cast<void *>(held.memory.data()));
    }
    auto take() { return held.take(); }
};
template <class T, class Held>
struct FilledIn {
    using Asked = const probes::AnyMemory<T> &;
    Held held;

    template <class Whole, class Given, std::size_t At>
    FilledSlot<T, Held> given() {
        return {std::move(held)};
    }
};

template <class T, Order order, class... N>
auto filled_array(const char *name, N... extents) {
    return FilledIn<T, FilledArray<T, sizeof...(N), order>>{{{{filled_size(extents, name)...}, name}, {filled_size(extents, name)...}}};
}
template <class N>
auto filled_text(const char *name, N capacity) {
    return FilledIn<char, FilledText>{{{{filled_size(capacity, name)}, name}}};
}
template <class N>
auto filled_bytes(const char *name, N capacity) {
    return FilledIn<char, FilledBytes>{{{{filled_size(capacity, name)}, name}}};
}
template <class T, class N>
auto filled_list(const char *name, N capacity) {
    return FilledIn<T, FilledList<T>>{{{{filled_size(capacity, name)}, name}}};
}

}  // namespace wg

#endif  // WG_CALLS_FILLED_HPP
