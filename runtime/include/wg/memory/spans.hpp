// The caller's own memory, of several dimensions or with strides, and what the dimensions of several arguments have in common.
// Static: the same for all packages. Included by generated C++ only, where a spec has such parameters.
#ifndef WG_MEMORY_SPANS_HPP
#define WG_MEMORY_SPANS_HPP

#include <array>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include "wg/base/calls.hpp"
#include "wg/memory/devices.hpp"
#include "wg/memory/element_order.hpp"

namespace wg {

template <class To, class T, class Indices, class = void>
struct IsViewOf : std::false_type {};
template <class To, class T, std::size_t... I>
struct IsViewOf<To, T, std::index_sequence<I...>, std::enable_if_t<std::is_constructible_v<To, T *, decltype(I)...>>> : std::true_type {};

/// The view of a matrix, of the rows as columns where its class has elements in the other order.
template <class To, class T, bool turns>
auto mapped(T *data, std::ptrdiff_t rows, std::ptrdiff_t columns) {
    if constexpr (turns) return To::PlainObject::Map(data, columns, rows).transpose();
    else return To::PlainObject::Map(data, rows, columns);
}
template <class To, class T, std::size_t N, Order order, class = void>
constexpr bool is_mapped_matrix = false;
template <class To, class T, Order order>
constexpr bool is_mapped_matrix<To, T, 2, order, std::enable_if_t<order != Order::any && !std::is_void_v<MappedAs<To, T, std::ptrdiff_t, std::ptrdiff_t>>>> =
    std::is_same_v<std::remove_cv_t<T>, typename To::PlainObject::Scalar> &&
    std::is_constructible_v<To, decltype(mapped<To, T, static_cast<bool>(To::PlainObject::IsRowMajor) != (order == Order::C)>(nullptr, 0, 0))>;

/// Memory with `N` extents and strides, which count elements. It converts to whatever is constructible from a pointer and
/// the extents; in any order, from a pointer, a `std::array` of the extents and one of the strides.
template <class T, std::size_t N, Order order>
class Span {
public:
    using element_type = T;
    using value_type = std::remove_cv_t<T>;
    using Extents = std::array<std::size_t, N>;
    using Strides = std::array<std::ptrdiff_t, N>;

    /// `layout`: the extents, then the strides.
    Span(T *data, const std::int64_t *layout) : data_(data) {
        for (std::size_t i = 0; i < N; ++i) {
            extents_[i] = static_cast<std::size_t>(layout[i]);
            strides_[i] = static_cast<std::ptrdiff_t>(layout[N + i]);
        }
        if (!empty() && reinterpret_cast<std::uintptr_t>(data) % alignof(T) != 0)
            throw Misfit("the memory does not start at a multiple of its elements' size");
        if constexpr (std::is_same_v<value_type, bool>) check_bools();
    }
    Span(T *data, const Extents &extents, const Strides &strides) : data_(data), extents_(extents), strides_(strides) {}
    /// Memory that is written, where it is only read.
    template <class U, class = std::enable_if_t<std::is_same_v<const U, T> && !std::is_same_v<U, T>>>
    Span(const Span<U, N, order> &other) : data_(other.data()), extents_(other.extents()), strides_(other.strides()) {}

    static constexpr std::size_t rank() { return N; }
    T *data() const { return data_; }
    std::size_t extent(std::size_t i) const { return extents_[i]; }
    std::ptrdiff_t stride(std::size_t i) const { return strides_[i]; }
    const Extents &extents() const { return extents_; }
    const Strides &strides() const { return strides_; }
    std::size_t size() const {
        std::size_t out = 1;
        for (std::size_t each : extents_) out *= each;
        return out;
    }
    bool empty() const { return size() == 0; }

    template <class... I>
    T &operator()(I... index) const {
        static_assert(sizeof...(I) == N, "one index for each dimension");
        const std::ptrdiff_t at[] = {static_cast<std::ptrdiff_t>(index)...};
        std::ptrdiff_t offset = 0;
        for (std::size_t i = 0; i < N; ++i) offset += at[i] * strides_[i];
        return data_[offset];
    }

    /// All elements, as they lie.
    T *begin() const {
        static_assert(order != Order::any, "elements with strides do not lie in a row");
        return data_;
    }
    T *end() const { return begin() + size(); }

    template <class To, class = std::enable_if_t<order != Order::any && std::is_class_v<To> && IsViewOf<To, T, std::make_index_sequence<N>>::value &&
                                                 !is_mapped_matrix<To, T, N, order>>>
    operator To() const {
        static_assert(N < 2 || order != Order::C || own_order<To, N>() != Order::any || has_strides_of<To>,
                      "wrapper-gen: the class that this memory becomes does not say how its elements lie; say it in the cpp_prelude: "
                      "template <> inline constexpr wg::Order wg::element_order<matrix> = wg::Order::F; where they lie column by column, else wg::Order::C");
        static_assert(own_order<To, N>() == Order::any || own_order<To, N>() == order,
                      "wrapper-gen: this view has its elements in the other order; say `order: F` or `order: C` of the parameter");
        return as_view<To>(std::make_index_sequence<N>());
    }
    template <class To, class = void, class = std::enable_if_t<order == Order::any && std::is_class_v<To> && std::is_constructible_v<To, T *, const Extents &, const Strides &>>>
    operator To() const {
        return To(data_, extents_, strides_);
    }
    template <class To, class = void, class = void, class = std::enable_if_t<is_mapped_matrix<To, T, N, order>>>
    operator To() const {
        const auto rows = static_cast<std::ptrdiff_t>(extents_[0]), columns = static_cast<std::ptrdiff_t>(extents_[1]);
        check_mapped(" rows", To::PlainObject::RowsAtCompileTime, rows);
        check_mapped(" columns", To::PlainObject::ColsAtCompileTime, columns);
        return To(mapped<To, T, static_cast<bool>(To::PlainObject::IsRowMajor) != (order == Order::C)>(data_, rows, columns));
    }

private:
    template <class To, std::size_t... I>
    To as_view(std::index_sequence<I...>) const {
        To out(data_, extents_[I]...);
        if constexpr (has_strides_of<To>)
            for (std::size_t i = 0; i < N; ++i)
                if (extents_[i] > 1 && !empty() && static_cast<std::ptrdiff_t>(out.stride(i)) != strides_[i])
                    throw Own<std::logic_error>("the view that C++ has of this memory has its elements in another order; say `order:` of the parameter");
        return out;
    }

    /// A byte that is neither 0 nor 1 is no bool: to read it as one is undefined.
    void check_bools() const {
        if (empty()) return;
        Extents at{};
        for (;;) {
            std::ptrdiff_t offset = 0;
            for (std::size_t i = 0; i < N; ++i) offset += static_cast<std::ptrdiff_t>(at[i]) * strides_[i];
            const unsigned char byte = reinterpret_cast<const unsigned char *>(data_)[offset];
            if (byte > 1) {
                std::string shown;
                for (std::size_t each : at) shown += (shown.empty() ? "" : ", ") + std::to_string(each);
                throw Own<std::invalid_argument>("the memory has a byte that is no bool: " + std::to_string(byte) + " at index " + shown);
            }
            std::size_t i = N;
            while (i != 0 && ++at[i - 1] == extents_[i - 1]) at[--i] = 0;
            if (i == 0) return;
        }
    }

    T *data_;
    Extents extents_;
    Strides strides_;
};

/// Memory of the CPU or of a device, in C's order, and where it lies: nothing of it is read here.
template <class T, std::size_t N>
class DeviceSpan : public Span<T, N, Order::C> {
    using Base = Span<T, N, Order::C>;

public:
    /// `layout`: the extents, the strides, the kind of the device and its number.
    DeviceSpan(T *data, const std::int64_t *layout)
        : Base(plain(data, layout)), device_{static_cast<std::int32_t>(layout[2 * N]), static_cast<std::int32_t>(layout[2 * N + 1])} {}
    /// Memory that is written, where it is only read.
    template <class U, class = std::enable_if_t<std::is_same_v<const U, T> && !std::is_same_v<U, T>>>
    DeviceSpan(const DeviceSpan<U, N> &other) : Base(other), device_(other.device()) {}

    const Device &device() const { return device_; }

private:
    static Base plain(T *data, const std::int64_t *layout) {
        if constexpr (N == 1) {
            return Base(data, static_cast<std::size_t>(layout[0]));
        } else {
            typename Base::Extents extents{};
            typename Base::Strides strides{};
            for (std::size_t i = 0; i < N; ++i) {
                extents[i] = static_cast<std::size_t>(layout[i]);
                strides[i] = static_cast<std::ptrdiff_t>(layout[N + i]);
            }
            return Base(data, extents, strides);
        }
    }

    Device device_;
};

}  // namespace wg

#endif  // WG_MEMORY_SPANS_HPP
