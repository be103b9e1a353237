// Arguments of the native engine: Python objects as numbers, text, bytes and enums.
// Static: the same for all packages. Included by generated C++ only, after Python.h.
#pragma once

#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>

#include "wg_native.hpp"

namespace wg::native {

template <class T>
[[gnu::noinline]] bool any_int(PyObject *value, T &out, const char *name, const char *type) {
    PyObject *number = PyLong_Check(value) ? Py_NewRef(value) : PyNumber_Index(value);
    if (number == nullptr) return wrong_type(name, "an int", value);
    bool good = false;
    if constexpr (std::is_unsigned_v<T>) {
        const unsigned long long wide = PyLong_AsUnsignedLongLong(number);
        good = !(wide == static_cast<unsigned long long>(-1) && PyErr_Occurred()) && wide <= std::numeric_limits<T>::max();
        out = static_cast<T>(wide);
    } else {
        const long long wide = PyLong_AsLongLong(number);
        good = !(wide == -1 && PyErr_Occurred()) && wide >= std::numeric_limits<T>::min() && wide <= std::numeric_limits<T>::max();
        out = static_cast<T>(wide);
    }
    if (!good) does_not_fit(name, number, type);
    Py_DECREF(number);
    return good;
}

template <class T>
bool any_double(PyObject *value, double &out, const char *name) {
    out = PyFloat_AsDouble(value);
    if (out != -1.0 || !PyErr_Occurred()) return true;
    if (PyLong_Check(value) && PyErr_ExceptionMatches(PyExc_OverflowError)) return does_not_fit(name, value, spelling<T>());
    return wrong_type(name, "a float", value);
}

/// A number; `type` is what the spec calls it, as two names can stand for one type of C++.
template <class T>
bool convert_number(PyObject *value, T &out, const char *name, [[maybe_unused]] const char *type = spelling<T>()) {
    if constexpr (std::is_same_v<T, bool>) {
        if (value == Py_True || value == Py_False) {
            out = value == Py_True;
            return true;
        }
        if (!python::is_numpy_bool(value)) return wrong_type(name, "a bool", value);
        const int truth = PyObject_IsTrue(value);
        out = truth == 1;
        return truth >= 0;
    } else if constexpr (std::is_integral_v<T>) {
        long small = 0;
        if (python::small_int(value, small) && fits<T>(small)) {
            out = static_cast<T>(small);
            return true;
        }
        return any_int(value, out, name, type);
    } else {
        double wide = 0;
        if (PyFloat_CheckExact(value))
            wide = python::float_value(value);
        else if (!any_double<T>(value, wide, name))
            return false;
        out = static_cast<T>(wide);
        if constexpr (std::is_same_v<T, f32>)
            if (std::isinf(out) && !std::isinf(wide)) return does_not_fit(name, value, "f32");
        return true;
    }
}

template <class T>
class Number {
public:
    using Value = T;
    bool take(PyObject *value, const char *name) { return convert_number(value, value_, name); }
    T value() const { return value_; }

protected:
    T value_;
};

/// What a spec calls usize, which is u64 or u32 to C++.
class Size : public Number<usize> {
public:
    bool take(PyObject *value, const char *name) { return convert_number(value, value_, name, "usize"); }
};

class Text {
public:
    using Value = std::string;
    bool take(PyObject *value, const char *name) {
        if (!PyUnicode_Check(value)) return wrong_type(name, "a str", value);
        Py_ssize_t size = 0;
        const char *data = PyUnicode_AsUTF8AndSize(value, &size);
        if (data == nullptr) return false;
        value_ = {data, static_cast<std::size_t>(size)};
        return true;
    }
    std::string value() const { return std::string(value_); }

private:
    std::string_view value_;  // the str's own memory, which the caller keeps during the call
};

/// Whether an object said that it has no buffer to lend; anything else is a failure of its own, and stays raised.
[[gnu::cold]] inline bool lends_no_buffer() {
    return PyErr_ExceptionMatches(PyExc_TypeError) || PyErr_ExceptionMatches(PyExc_BufferError) ||
           PyErr_ExceptionMatches(PyExc_ValueError);
}

/// A buffer that an object lends us for the time of a call.
class Lent {
public:
    Lent() { view_.obj = nullptr; }
    Lent(const Lent &) = delete;
    Lent &operator=(const Lent &) = delete;
    ~Lent() {
        if (view_.obj != nullptr) PyBuffer_Release(&view_);
    }

protected:
    Py_buffer view_;
};

class Bytes : Lent {
public:
    using Value = std::string_view;
    bool take(PyObject *value, const char *name) {
        if (PyObject_GetBuffer(value, &view_, PyBUF_SIMPLE) == 0) return true;
        view_.obj = nullptr;
        if (!lends_no_buffer()) return false;
        PyErr_Clear();
        return wrong_type(name, "a contiguous bytes-like object", value);
    }
    std::string_view value() const { return {static_cast<const char *>(view_.buf), static_cast<std::size_t>(view_.len)}; }
};

template <class E, class Tag>
class Enum {
public:
    using Value = E;
    bool take(PyObject *value, const char *name) {
        PyObject *member = value;
        if (!PyObject_TypeCheck(value, reinterpret_cast<PyTypeObject *>(Tag::type))) {
            if (!PyLong_Check(value) || PyBool_Check(value)) return wrong_type(name, Tag::wanted, value);
            member = PyObject_CallFunctionObjArgs(Tag::type, value, nullptr);
            if (member == nullptr) return false;
        } else {
            Py_INCREF(member);
        }
        const bool good = convert(member, name);
        Py_DECREF(member);
        return good;
    }
    E value() const { return value_; }

private:
    bool convert(PyObject *member, const char *name) {
        using U = Underlying<E>;
        if constexpr (enum_bits<E> == 64) {
            const unsigned long long number = PyLong_AsUnsignedLongLong(member);
            if (number == static_cast<unsigned long long>(-1) && PyErr_Occurred()) return refuse<U>(member, name);
            value_ = static_cast<E>(number);
        } else {
            const long long number = PyLong_AsLongLong(member);
            if ((number == -1 && PyErr_Occurred()) || !fits<U>(number)) return refuse<U>(member, name);
            value_ = static_cast<E>(number);
        }
        return true;
    }

    template <class U>
    [[gnu::cold, gnu::noinline]] static bool refuse(PyObject *member, const char *name) {
        PyErr_Clear();
        PyObject *plain = PyNumber_Long(member);  // shown as a number, not as the member
        if (plain == nullptr) return false;
        does_not_fit(name, plain, spelling<U>());
        Py_DECREF(plain);
        return false;
    }

    E value_{};
};

}  // namespace wg::native
