// Streams of devices, as arguments of the cpython engine.
// Static: the same for all packages. Included by generated C++ only, of specs with such a type.
#ifndef WG_CPYTHON_DEVICE_STREAMS_HPP
#define WG_CPYTHON_DEVICE_STREAMS_HPP

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
        PyObject *before = std::exchange(told_stream(), handle.release());
        Py_XDECREF(before);
        return true;
    }

private:
    /// What may be a handle: of an object that has one, the second of the two that it gives.
    static PyObject *handle_of(PyObject *value) {
        if (value == Py_None) return PyLong_FromLong(0);
        if (PyLong_Check(value) != 0 || PyObject_HasAttrString(value, "__cuda_stream__") == 0) return Py_NewRef(value);
        const Strong both(PyObject_CallMethod(value, "__cuda_stream__", nullptr));
        return both ? PySequence_GetItem(both.get(), 1) : nullptr;
    }
};

}  // namespace wg::cpython

#endif  // WG_CPYTHON_DEVICE_STREAMS_HPP
