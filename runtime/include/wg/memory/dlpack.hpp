// Memory that an object exports by DLPack, for both engines: the one place that reads it.
// Static: the same for all packages. Included by generated C++ only, after Python.h.
#ifndef WG_MEMORY_DLPACK_HPP
#define WG_MEMORY_DLPACK_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>

#include "wg/base/once.hpp"

namespace wg::dlpack {

/// What DLPack's first struct starts with; all that we read of it.
struct Tensor {
    void *data;
    std::int32_t device_type, device_id, ndim;
    std::uint8_t code, bits;
    std::uint16_t lanes;
    std::int64_t *shape, *strides;
    std::uint64_t byte_offset;
};

/// The type of elements: DLPack's code, and how large one is.
struct Elements {
    int code;
    int bits;
};

/// Whether elements in the memory of a buffer have one of these formats: of a complex number its only one, which begins with a Z; of others
/// any one letter.
inline bool has_format(const Py_buffer &buffer, const char *formats, std::size_t size) {
    const char *format = buffer.format == nullptr ? "B" : buffer.format;
    const char *code = format + std::strspn(format, PY_LITTLE_ENDIAN ? "@=<" : "@=>");
    const bool is_format = *formats == 'Z' ? std::strcmp(code, formats) == 0 : *code != '\0' && code[1] == '\0' && std::strchr(formats, *code) != nullptr;
    return is_format && static_cast<std::size_t>(buffer.itemsize) == size;
}

inline const char *name_of(std::uint8_t code) {
    static constexpr const char *names[] = {"int", "uint", "float", "type", "bfloat", "complex", "bool"};
    return code < std::size(names) ? names[code] : "type";
}

/// Elements in the memory of the CPU, valid as long as the capsule, which the caller owns. The capsule is never
/// renamed, so that its own destructor releases the memory.
struct Memory {
    PyObject *capsule = nullptr;
    void *data = nullptr;
    std::size_t size = 0;
};

/// The text of the exception that was raised, if that one says that the memory is not exported; any other one stays raised.
[[gnu::cold, gnu::noinline]] WG_ONCE PyObject *refusal() WG_ELSEWHERE
#if WG_HAS_BODIES
{
    for (PyObject *each : {PyExc_AttributeError, PyExc_BufferError, PyExc_RuntimeError, PyExc_TypeError, PyExc_ValueError}) {
        if (!PyErr_ExceptionMatches(each)) continue;
        PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
        PyErr_Fetch(&type, &value, &trace);
        PyErr_NormalizeException(&type, &value, &trace);
        PyObject *why = PyUnicode_FromFormat("; this one refuses: %S", value);
        Py_XDECREF(type);
        Py_XDECREF(value);
        Py_XDECREF(trace);
        return why;
    }
    return nullptr;
}
#endif

/// The kind of device that an object says it is on; -1 with an exception, and for a kind that is none.
WG_ONCE long device_of(PyObject *value) WG_ELSEWHERE
#if WG_HAS_BODIES
{
    PyObject *device = PyObject_CallMethod(value, "__dlpack_device__", nullptr);
    PyObject *kind = device == nullptr ? nullptr : PySequence_GetItem(device, 0);
    const long out = kind == nullptr ? -1 : PyLong_AsLong(kind);
    if (kind != nullptr && PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_OverflowError)) PyErr_Clear();
    Py_XDECREF(kind);
    Py_XDECREF(device);
    return out;
}
#endif

/// Kinds of devices: what is managed by CUDA is memory of both.
constexpr long cpu = 1, cuda = 2, cuda_managed = 13;

/// What DLPack 1 puts around it; the capsule has another name.
struct Versioned {
    std::uint32_t major, minor;
    void *manager;
    void (*deleter)(Versioned *);
    std::uint64_t flags;
    Tensor tensor;
};
constexpr std::uint64_t read_only = 1;

/// The capsule of an object that has DLPack 1, or an earlier version, which refuses the keyword. Of memory of a device, it is told the
/// stream that is going to use it, unless that is null; of CUDA, DLPack calls the default one 1.
WG_ONCE PyObject *capsule_of(PyObject *value, const std::uintptr_t *stream) WG_ELSEWHERE
#if WG_HAS_BODIES
{
    PyObject *ask = PyObject_GetAttrString(value, "__dlpack__");
    PyObject *nothing = PyTuple_New(0), *version = Py_BuildValue("{s(ii)}", "max_version", 1, 1), *told = PyDict_New();
    bool is_ready = ask != nullptr && nothing != nullptr && version != nullptr && told != nullptr;
    if (is_ready && stream != nullptr) {
        PyObject *handle = PyLong_FromUnsignedLongLong(*stream == 0 ? 1 : *stream);
        is_ready = handle != nullptr && PyDict_SetItemString(told, "stream", handle) == 0 && PyDict_Update(version, told) == 0;
        Py_XDECREF(handle);
    }
    PyObject *out = is_ready ? PyObject_Call(ask, nothing, version) : nullptr;
    if (out == nullptr && is_ready && PyErr_ExceptionMatches(PyExc_TypeError)) {
        PyErr_Clear();
        out = PyObject_Call(ask, nothing, told);
    }
    for (PyObject *each : {ask, nothing, version, told}) Py_XDECREF(each);
    return out;
}
#endif

/// Memory of any shape on the CPU, or on a device, of an object that has `__dlpack__`; null where there is none. Returns as `borrow` does.
WG_ONCE PyObject *tensor_of(PyObject *value, PyObject *&capsule, const Tensor *&out, bool &is_readonly, long wanted, const std::uintptr_t *stream) WG_ELSEWHERE
#if WG_HAS_BODIES
{
    const long device = device_of(value);
    if (PyErr_Occurred()) return refusal();
    const bool is_there = device == wanted || (wanted == cuda && device == cuda_managed);
    if (!is_there && wanted != cpu) return PyUnicode_FromString("; this one is elsewhere");
    if (!is_there) return PyUnicode_FromString("; this one is not in the memory of the CPU");
    capsule = capsule_of(value, wanted == cpu ? nullptr : stream);
    if (capsule == nullptr) return refusal();
    if (PyCapsule_IsValid(capsule, "dltensor_versioned")) {
        const auto *whole = static_cast<const Versioned *>(PyCapsule_GetPointer(capsule, "dltensor_versioned"));
        if (whole->major > 1) return PyUnicode_FromFormat("; this one has version %u of DLPack, of which 1 is known here", static_cast<unsigned>(whole->major));
        is_readonly = (whole->flags & read_only) != 0;
        out = &whole->tensor;
        return nullptr;
    }
    out = static_cast<const Tensor *>(PyCapsule_GetPointer(capsule, "dltensor"));
    return out == nullptr ? refusal() : nullptr;
}
#endif

/// Borrows one-dimensional memory without gaps from an object that has `__dlpack__`. Null when that worked, and when an
/// exception is set that is no refusal; else why it did not, to follow the words that say what is wanted.
WG_ONCE PyObject *borrow(PyObject *value, Elements wanted, Memory &out) WG_ELSEWHERE
#if WG_HAS_BODIES
{
    const long device = device_of(value);
    if (PyErr_Occurred()) return refusal();
    if (device != cpu) return PyUnicode_FromString("; this one is not in the memory of the CPU");
    out.capsule = PyObject_CallMethod(value, "__dlpack__", nullptr);
    const auto *tensor = out.capsule == nullptr ? nullptr : static_cast<const Tensor *>(PyCapsule_GetPointer(out.capsule, "dltensor"));
    if (tensor == nullptr) return refusal();
    if (tensor->code != wanted.code || tensor->bits != wanted.bits || tensor->lanes != 1)
        return PyUnicode_FromFormat(", not one of %s%d", name_of(tensor->code), tensor->bits);
    if (tensor->ndim != 1) return PyUnicode_FromFormat(", not one of %d dimensions", tensor->ndim);
    if (tensor->shape[0] > 1 && tensor->strides != nullptr && tensor->strides[0] != 1)
        return PyUnicode_FromString("; this one has gaps between its elements");
    out.data = static_cast<char *>(tensor->data) + tensor->byte_offset;
    out.size = static_cast<std::size_t>(tensor->shape[0]);
    return nullptr;
}
#endif

}  // namespace wg::dlpack

#endif  // WG_MEMORY_DLPACK_HPP
