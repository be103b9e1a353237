// Streams of devices, as arguments of the cpython engine.
// Static: the same for all packages. Included by generated C++ only, of specs with such a type.
#ifndef WG_CPYTHON_DEVICE_STREAMS_HPP
#define WG_CPYTHON_DEVICE_STREAMS_HPP

#include "wg/base/once.hpp"
#include "wg/cpython/containers.hpp"
#include "wg/cpython/spans.hpp"
#include "wg/types/device_streams.hpp"

namespace wg::cpython {

template <>
struct FromPython<types::DeviceStream> {
    static constexpr const char *wanted = "an int, an object with __cuda_stream__, or None";

    static bool quick(PyObject *, wg::DeviceStream &, bool = false) { return false; }
    [[gnu::noinline]] static bool take(PyObject *value, wg::DeviceStream &out, Call &call) {
        Strong handle(handle_of(value));
        if (!handle) return call.raised();
        if (PyLong_Check(handle.get()) == 0 || PyBool_Check(handle.get()) != 0) return call.refuse(wanted, value);
        const unsigned long long number = PyLong_AsUnsignedLongLong(handle.get());
        if (PyErr_Occurred()) {
            PyErr_Clear();
            return call.refuse("a handle", handle.get(), Refusal::Reason::range);
        }
        out = wg::DeviceStream(static_cast<std::uintptr_t>(number));
        return true;
    }

private:
    /// What may be a handle: of an object that has one, the second of the two that it gives; of torch's streams before they had it, their own.
    static PyObject *handle_of(PyObject *value) {
        if (value == Py_None) return PyLong_FromLong(0);
        if (PyLong_Check(value) != 0) return Py_NewRef(value);
        if (PyObject_HasAttrString(value, "__cuda_stream__") == 0)
            return PyObject_HasAttrString(value, "cuda_stream") == 0 ? Py_NewRef(value) : PyObject_GetAttrString(value, "cuda_stream");
        const Strong both(PyObject_CallMethod(value, "__cuda_stream__", nullptr));
        return both ? PySequence_GetItem(both.get(), 1) : nullptr;
    }
};

/// The number of the device of a stream, as streams of torch and of CuPy say it; -1 of others.
WG_ONCE long device_of_stream(PyObject *stream) WG_ELSEWHERE
#if WG_HAS_BODIES
{
    for (const char *name : {"device_index", "device_id"}) {
        const Strong number(PyLong_Check(stream) != 0 ? nullptr : PyObject_GetAttrString(stream, name));
        const long out = number && PyLong_Check(number.get()) != 0 ? PyLong_AsLong(number.get()) : -1;
        PyErr_Clear();
        if (out >= 0) return out;
    }
    return -1;
}
#endif

/// The current stream of torch, a new reference, if this is memory of torch's on a CUDA device. Null with an exception, or without where it is not.
WG_ONCE PyObject *current_stream_of(PyObject *memory) WG_ELSEWHERE
#if WG_HAS_BODIES
{
    const Strong name(PyUnicode_FromString("torch"));
    const Strong torch(name ? PyImport_GetModule(name.get()) : nullptr);
    const Strong tensor(torch ? PyObject_GetAttrString(torch.get(), "Tensor") : nullptr);
    if (!tensor) return PyErr_Clear(), nullptr;
    if (PyObject_IsInstance(memory, tensor.get()) != 1) return nullptr;
    const Strong on_cuda(PyObject_GetAttrString(memory, "is_cuda"));
    if (!on_cuda || PyObject_IsTrue(on_cuda.get()) != 1) return nullptr;
    const Strong device(PyObject_GetAttrString(memory, "device")), cuda(PyObject_GetAttrString(torch.get(), "cuda"));
    return device && cuda ? PyObject_CallMethod(cuda.get(), "current_stream", "O", device.get()) : nullptr;
}
#endif

/// The stream of a call, which is told to producers of memory.
class StreamArgument : public Compound<types::DeviceStream>, public StreamOfCall {
public:
    StreamArgument() = default;
    StreamArgument(const StreamArgument &) = delete;
    StreamArgument &operator=(const StreamArgument &) = delete;
    ~StreamArgument() override {
        if (last() == this) last() = before_;  // a call within this one's arguments has had its own
    }

    bool take(PyObject *value, const char *name) {
        before_ = std::exchange(last(), this);
        is_open_ = value == Py_None;
        if (!Compound::take(value, name)) return false;
        number_ = is_open_ ? -1 : device_of_stream(value);
        return true;
    }
    bool find(PyObject *memory, views::Stream &out) override {
        if (std::exchange(is_open_, false)) {  // the first memory decides
            const Strong current(current_stream_of(memory));
            if (!current && PyErr_Occurred()) return false;
            if (current) {
                number_ = device_of_stream(current.get());
                if (!Compound::take(current.get(), "torch's current stream")) return false;
            }
        }
        out = {Compound::value().handle(), number_};
        return true;
    }

private:
    StreamOfCall *before_ = nullptr;
    bool is_open_ = false;
    long number_ = -1;
};

}  // namespace wg::cpython

#endif  // WG_CPYTHON_DEVICE_STREAMS_HPP
