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

/// The stream of a call whose arguments are being taken, for the memory that follows it.
class StreamOfCall {
public:
    virtual ~StreamOfCall() = default;
    /// The stream; where the caller has left that open, the current one of the framework whose memory this is. False with an exception.
    virtual bool find(PyObject *memory, views::Stream &out) = 0;

    static StreamOfCall *&last() {
        static thread_local StreamOfCall *taken = nullptr;
        return taken;
    }
};

/// Memory of `N` dimensions on a device; `may_be_cpu`: or on the CPU.
template <class T, std::size_t N, bool may_be_cpu, bool is_told>
class DeviceView {
public:
    using Value = DeviceSpan<T, N>;

    bool take(PyObject *value, const char *name) {
        views::Stream stream;
        if (is_told && !StreamOfCall::last()->find(value, stream)) return false;
        constexpr auto where = may_be_cpu ? views::Where::anywhere : views::Where::cuda;
        return view_.take(value, {name, element<std::remove_const_t<T>>(), !std::is_const_v<T>, static_cast<int>(N), 'C', where, is_told ? &stream : nullptr});
    }
    Value value() const { return Value(static_cast<T *>(view_.data()), view_.layout()); }

private:
    views::View view_;
};

}  // namespace wg::cpython

#endif  // WG_CPYTHON_SPANS_HPP
