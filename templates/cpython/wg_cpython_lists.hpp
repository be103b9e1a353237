// Arguments of the cpython engine: the caller's own memory, what may be None, and what all sequences have in common.
// Static: the same for all packages. Included by generated C++ only, after Python.h.
#pragma once

#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "wg_cpython_arguments.hpp"

namespace wg::cpython {

/// A list or tuple of what a value iterates over; a str, which iterates over letters, is none.
inline PyObject *elements(PyObject *value, const char *name) {
    if (PyUnicode_Check(value)) {
        wrong_type(name, "a sequence", value);
        return nullptr;
    }
    PyObject *sequence = python::sequence(value);
    if (sequence == nullptr) wrong_type(name, "a sequence", value);
    return sequence;
}

[[gnu::cold, gnu::noinline]] inline std::string element_name(const char *name, Py_ssize_t index) {
    return std::string(name) + "[" + std::to_string(index) + "]";
}

/// Calls `use(element, index)` for each element; safe when that runs Python code that changes the list.
template <class Use>
bool for_each(PyObject *sequence, Use &&use) {
    for (Py_ssize_t i = 0; i < python::sequence_size(sequence); ++i) {
        PyObject *element = Py_NewRef(python::sequence_item(sequence, i));
        const bool good = use(element, i);
        Py_DECREF(element);
        if (!good) return false;
    }
    return true;
}

/// What DLPack's first struct starts with; all that we read of it.
struct DLTensor {
    void *data;
    std::int32_t device_type, device_id, ndim;
    std::uint8_t code, bits;
    std::uint16_t lanes;
    std::int64_t *shape, *strides;
    std::uint64_t byte_offset;
};

/// What the memory of a number type is called: its name, its buffer formats, its code in DLPack.
template <class T>
struct Element {
    static constexpr bool is_signed = std::is_signed_v<T>;
    static constexpr const char *formats = std::is_same_v<T, bool>  ? "?"
                                           : std::is_same_v<T, f32> ? "f"
                                           : std::is_same_v<T, f64> ? "d"
                                           : is_signed              ? "bhilqn"
                                                                    : "BHILQN";
    static constexpr const char *name = std::is_same_v<T, bool>  ? "bool"
                                        : std::is_same_v<T, f32> ? "float32"
                                        : std::is_same_v<T, f64> ? "float64"
                                        : sizeof(T) == 1         ? (is_signed ? "int8" : "uint8")
                                        : sizeof(T) == 2         ? (is_signed ? "int16" : "uint16")
                                        : sizeof(T) == 4         ? (is_signed ? "int32" : "uint32")
                                                                 : (is_signed ? "int64" : "uint64");
    static constexpr int dlpack = std::is_same_v<T, bool> ? 6 : std::is_floating_point_v<T> ? 2 : is_signed ? 0 : 1;
};

inline const char *dlpack_name(std::uint8_t code) {
    static constexpr const char *names[] = {"int", "uint", "float", "type", "bfloat", "complex", "bool"};
    return code < std::size(names) ? names[code] : "type";
}

/// The caller's own memory.
template <class T>
class Memory : Lent {
public:
    using Value = Span<T>;
    ~Memory() { Py_XDECREF(capsule_); }

    bool take(PyObject *value, const char *name) {
        if (!PyObject_CheckBuffer(value)) return take_dlpack(value, name);
        if (PyObject_GetBuffer(value, &view_, PyBUF_FULL_RO) != 0) {
            view_.obj = nullptr;
            if (!lends_no_buffer()) return false;
            PyErr_Clear();
            return take_dlpack(value, name);
        }
        const char *format = view_.format == nullptr ? "B" : view_.format;
        const char *code = format + std::strspn(format, PY_LITTLE_ENDIAN ? "@=<" : "@=>");
        if (*code == '\0' || code[1] != '\0' || std::strchr(Element<std::remove_const_t<T>>::formats, *code) == nullptr || view_.itemsize != sizeof(T))
            return fail(name, ", not one of format '%s'", format);
        if (view_.ndim != 1) return fail(name, ", not one of %d dimensions", view_.ndim);
        if (view_.shape[0] > 1 && view_.strides != nullptr && view_.strides[0] != view_.itemsize)
            return fail(name, "; this one has gaps between its elements");
        if (!std::is_const_v<T> && view_.readonly) return fail(name, "; this one is read-only");
        data_ = static_cast<T *>(view_.buf);
        size_ = static_cast<std::size_t>(view_.shape[0]);
        return true;
    }
    Span<T> value() const { return {data_, size_}; }

private:
    bool take_dlpack(PyObject *value, const char *name) {
        PyObject *lend = PyObject_GetAttrString(value, "__dlpack__");
        Py_XDECREF(lend);
        if (lend == nullptr && !PyErr_ExceptionMatches(PyExc_AttributeError)) return false;
        if (lend == nullptr) return fail(name, ", not %s", kind_of(value));
        PyObject *device = PyObject_CallMethod(value, "__dlpack_device__", nullptr);
        PyObject *zero = device == nullptr ? nullptr : PyLong_FromLong(0);
        PyObject *first = zero == nullptr ? nullptr : PyObject_GetItem(device, zero);
        Py_XDECREF(zero);
        Py_XDECREF(device);
        const long type = first == nullptr ? -1 : PyLong_AsLong(first);
        Py_XDECREF(first);
        if (PyErr_Occurred()) return refused(name);
        if (type != 1) return fail(name, "; this one is not in the memory of the CPU");
        capsule_ = PyObject_CallMethod(value, "__dlpack__", nullptr);  // never renamed: it stays ours, and frees itself
        if (capsule_ == nullptr) return refused(name);
        const auto *tensor = static_cast<const DLTensor *>(PyCapsule_GetPointer(capsule_, "dltensor"));
        if (tensor == nullptr) return refused(name);
        if (tensor->code != Element<std::remove_const_t<T>>::dlpack || tensor->bits != 8 * sizeof(T) || tensor->lanes != 1)
            return fail(name, ", not one of %s%d", dlpack_name(tensor->code), tensor->bits);
        if (tensor->ndim != 1) return fail(name, ", not one of %d dimensions", tensor->ndim);
        if (tensor->shape[0] > 1 && tensor->strides != nullptr && tensor->strides[0] != 1)
            return fail(name, "; this one has gaps between its elements");
        data_ = reinterpret_cast<T *>(static_cast<char *>(tensor->data) + tensor->byte_offset);
        size_ = static_cast<std::size_t>(tensor->shape[0]);
        return true;
    }

    /// Fails with the words of the exception that was raised, if that says that the memory is not lent.
    [[gnu::cold, gnu::noinline]] static bool refused(const char *name) {
        if (!lends_no_buffer() && !PyErr_ExceptionMatches(PyExc_AttributeError) && !PyErr_ExceptionMatches(PyExc_RuntimeError))
            return false;
        PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
        PyErr_Fetch(&type, &value, &trace);
        PyErr_NormalizeException(&type, &value, &trace);
        PyObject *words = PyObject_Str(value);
        if (words != nullptr) fail(name, "; this one refuses: %U", words);
        Py_XDECREF(words);
        Py_XDECREF(type);
        Py_XDECREF(value);
        Py_XDECREF(trace);
        return false;
    }

    template <class... A>
    [[gnu::cold, gnu::noinline]] static bool fail(const char *name, const char *why, A... details) {
        PyErr_Clear();
        PyObject *reason = PyUnicode_FromFormat(why, details...);
        if (reason != nullptr)
            PyErr_Format(PyExc_TypeError, "%s: a one-dimensional, contiguous %sarray of %s is wanted%U", name,
                         std::is_const_v<T> ? "" : "writable ", Element<std::remove_const_t<T>>::name, reason);
        Py_XDECREF(reason);
        return false;
    }

    PyObject *capsule_ = nullptr;
    T *data_ = nullptr;
    std::size_t size_ = 0;
};

/// None, or any other argument.
template <class A>
class Optional {
public:
    using Value = std::optional<typename A::Value>;
    bool take(PyObject *value, const char *name) {
        present_ = value != Py_None;
        return !present_ || argument_.take(value, name);
    }
    Value value() const {
        if (!present_) return std::nullopt;
        return Value(argument_.value());
    }

private:
    bool present_ = false;
    A argument_;
};

}  // namespace wg::cpython
