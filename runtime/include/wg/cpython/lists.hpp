// Arguments of the cpython engine: the caller's own memory, what may be None, and what all sequences have in common.
// Static: the same for all packages. Included by generated C++ only, after Python.h.
#ifndef WG_CPYTHON_LISTS_HPP
#define WG_CPYTHON_LISTS_HPP

#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "wg/base/once.hpp"
#include "wg/memory/dlpack.hpp"
#include "wg/cpython/arguments.hpp"

namespace wg::cpython {

/// A list or tuple of what a value iterates over; a str, which iterates over letters, is none.
WG_ONCE PyObject *elements(PyObject *value, const char *name) WG_ELSEWHERE
#if WG_HAS_BODIES
{
    if (PyUnicode_Check(value)) {
        wrong_type(name, "a sequence", value);
        return nullptr;
    }
    PyObject *sequence = python::sequence(value);
    if (sequence == nullptr) wrong_type(name, "a sequence", value);
    return sequence;
}
#endif

[[gnu::cold, gnu::noinline]] inline std::string element_name(const char *name, Py_ssize_t index) {
    return std::string(name) + "[" + std::to_string(index) + "]";
}

/// Calls `use(element, index)` for each element; safe when that runs Python code that changes the list.
template <class Use>
bool for_each(PyObject *given, Use &&use) {
    const Strong sequence(python::steady(given));
    if (!sequence) return false;
    for (Py_ssize_t i = 0; i < python::sequence_size(sequence.get()); ++i) {
        const Strong element(Py_NewRef(python::sequence_item(sequence.get(), i)));
        if (!use(element.get(), i)) return false;
    }
    return true;
}

/// What the memory of a number type is called: its name, its buffer formats, its code in DLPack.
template <class T>
struct Element {
    static constexpr bool is_signed = std::is_signed_v<T>;
    static constexpr const char *formats = is_complex<T>            ? (sizeof(T) == 8 ? "Zf" : "Zd")
                                           : std::is_same_v<T, bool> ? "?"
                                           : std::is_same_v<T, f32> ? "f"
                                           : std::is_same_v<T, f64> ? "d"
                                           : is_signed              ? "bhilqn"
                                                                    : "BHILQN";
    static constexpr const char *name = is_complex<T>            ? (sizeof(T) == 8 ? "complex64" : "complex128")
                                        : std::is_same_v<T, bool> ? "bool"
                                        : std::is_same_v<T, f32> ? "float32"
                                        : std::is_same_v<T, f64> ? "float64"
                                        : sizeof(T) == 1         ? (is_signed ? "int8" : "uint8")
                                        : sizeof(T) == 2         ? (is_signed ? "int16" : "uint16")
                                        : sizeof(T) == 4         ? (is_signed ? "int32" : "uint32")
                                                                 : (is_signed ? "int64" : "uint64");
    static constexpr dlpack::Elements dlpack = {
        is_complex<T> ? 5 : std::is_same_v<T, bool> ? 6 : std::is_floating_point_v<T> ? 2 : is_signed ? 0 : 1, 8 * sizeof(T)};

    static bool is_in(const Py_buffer &view) { return dlpack::has_format(view, formats, sizeof(T)); }
};

/// The caller's own memory.
template <class T>
class Memory : Lent {
public:
    using Value = Span<T>;
    ~Memory() { Py_XDECREF(lent_.capsule); }

    bool take(PyObject *value, const char *name) {
        if (!PyObject_CheckBuffer(value)) return take_dlpack(value, name);
        if (PyObject_GetBuffer(value, &view_, PyBUF_FULL_RO) != 0) {
            view_.obj = nullptr;
            if (!lends_no_buffer()) return false;
            PyErr_Clear();
            return take_dlpack(value, name);
        }
        const char *format = view_.format == nullptr ? "B" : view_.format;
        if (!Element<std::remove_const_t<T>>::is_in(view_)) return fail(name, ", not one of format '%s'", format);
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
        PyObject *why = dlpack::borrow(value, Element<std::remove_const_t<T>>::dlpack, lent_);
        if (why != nullptr) {
            fail(name, "%U", why);
            Py_DECREF(why);
        }
        data_ = static_cast<T *>(lent_.data);
        size_ = lent_.size;
        return !PyErr_Occurred();
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

    dlpack::Memory lent_;
    T *data_ = nullptr;
    std::size_t size_ = 0;
};

/// None, or any other argument. With `is_default`, nothing is `...`, and None is an argument like any other.
template <class A, bool is_default = false>
class Optional {
public:
    using Value = std::optional<typename A::Value>;
    bool take(PyObject *value, const char *name) {
        present_ = value != (is_default ? Py_Ellipsis : Py_None);
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

#endif  // WG_CPYTHON_LISTS_HPP
