// Arguments of the cpython engine: the caller's own memory, of several dimensions or with strides.
// Static: the same for all packages. Included by generated C++ only, after Python.h.
#ifndef WG_CPYTHON_SPANS_HPP
#define WG_CPYTHON_SPANS_HPP

#include "wg/cpython/arguments.hpp"
#include "wg/memory/spans.hpp"
#include "wg/memory/buffer_view.hpp"

namespace wg::cpython {

/// What memory of a number type is called.
template <class T>
constexpr const views::Element &element() {
    constexpr int code = is_complex<T> ? 5 : std::is_same_v<T, bool> ? 6 : std::is_floating_point_v<T> ? 2 : std::is_signed_v<T> ? 0 : 1;
    constexpr std::size_t at = [] {
        std::size_t i = 0;
        while (views::elements[i].dlpack.code != code || views::elements[i].dlpack.bits != 8 * static_cast<int>(sizeof(T))) ++i;
        return i;
    }();
    return views::elements[at];
}

/// Memory of `N` dimensions.
template <class T, std::size_t N, Order order>
class View {
public:
    using Value = Span<T, N, order>;

    bool take(PyObject *value, const char *name) {
        constexpr char letter = order == Order::C ? 'C' : order == Order::F ? 'F' : 'A';
        return view_.take(value, {name, element<std::remove_const_t<T>>(), !std::is_const_v<T>, static_cast<int>(N), letter});
    }
    Value value() const { return Value(static_cast<T *>(view_.data()), view_.layout()); }

private:
    views::View view_;
};

/// The stream that a call's argument named last, for the producers of the memory that follows it: an int, or null.
inline PyObject *&told_stream() {
    static thread_local PyObject *handle = nullptr;
    return handle;
}

/// Memory of `N` dimensions on a CUDA device.
template <class T, std::size_t N, Order order, bool is_told>
class DeviceView {
public:
    using Value = Span<T, N, order>;

    bool take(PyObject *value, const char *name) {
        return view_.take(value, {name, element<std::remove_const_t<T>>(), !std::is_const_v<T>, static_cast<int>(N), 'C', dlpack::cuda, is_told ? told_stream() : nullptr});
    }
    Value value() const { return on_device<Value>(static_cast<T *>(view_.data()), view_.layout()); }

private:
    views::View view_;
};

}  // namespace wg::cpython

#endif  // WG_CPYTHON_SPANS_HPP
