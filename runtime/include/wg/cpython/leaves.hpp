// Leaves between Python and C++: numbers, bool, text, bytes and enums.
// Static: the same for all packages. Included by generated C++ only, after Python.h.
#ifndef WG_CPYTHON_LEAVES_HPP
#define WG_CPYTHON_LEAVES_HPP

#include <cmath>
#include <limits>

#include "wg/base/once.hpp"
#include "wg/cpython/conversion.hpp"

namespace wg::cpython {

inline bool has_attribute(PyObject *value, const char *name) {
    PyObject *found = PyObject_GetAttrString(reinterpret_cast<PyObject *>(Py_TYPE(value)), name);
    if (found == nullptr) PyErr_Clear();
    Py_XDECREF(found);
    return found != nullptr;
}

inline bool is_any_bool(PyObject *value) { return PyBool_Check(value) || python::is_numpy_bool(value); }

/// Whether its class has a length: an array with one item converts to a number, and is meant as an array all the same.
inline bool has_length(PyObject *value) {
    return PyType_GetSlot(Py_TYPE(value), Py_sq_length) != nullptr || PyType_GetSlot(Py_TYPE(value), Py_mp_length) != nullptr;
}

/// `D` is what the spec calls the number.
template <class D>
struct IntFromPython {
    using T = Value<D>;
    static_assert(std::is_integral_v<T> && !std::is_same_v<T, bool>);
    static constexpr const char *wanted = "an int";
    static constexpr const char *name = std::is_same_v<D, types::Size> ? "usize" : spelling<T>();

    static bool small(PyObject *value, T &out) {
        long number = 0;
        if (!python::small_int(value, number)) return false;
        out = static_cast<T>(number);
        return fits<T>(number);
    }
    static bool quick(PyObject *value, T &out, bool = false) {
        long number = 0;
        if (!python::small_int(value, number)) return PyLong_CheckExact(value) && large(value, out);
        out = static_cast<T>(number);
        return fits<T>(number);
    }

    [[gnu::noinline]] static bool take(PyObject *value, T &out, Call &call) {
        if (call.is_strict ? !PyLong_CheckExact(value) : call.worst_fit < 4 && has_length(value)) return call.refuse(wanted, value);
        const Strong number(PyLong_Check(value) ? Py_NewRef(value) : PyNumber_Index(value));
        if (!number) return call.refuse(wanted, value);
        bool good = false;
        if constexpr (std::is_unsigned_v<T>) {
            const unsigned long long wide = PyLong_AsUnsignedLongLong(number.get());
            good = !(wide == static_cast<unsigned long long>(-1) && PyErr_Occurred()) && wide <= std::numeric_limits<T>::max();
            out = static_cast<T>(wide);
        } else {
            const long long wide = PyLong_AsLongLong(number.get());
            good = !(wide == -1 && PyErr_Occurred()) && wide >= std::numeric_limits<T>::min() && wide <= std::numeric_limits<T>::max();
            out = static_cast<T>(wide);
        }
        call.has_misfit |= !good;
        return good || call.refuse(name, number.get(), Refusal::Reason::range);
    }

private:
    [[gnu::noinline]] static bool large(PyObject *value, T &out) {
        int overflow = 0;
        const long long wide = PyLong_AsLongLongAndOverflow(value, &overflow);
        out = static_cast<T>(wide);
        return overflow == 0 && fits<T>(wide);
    }
};

template <class T>
struct FromPython<types::Number<T>> : IntFromPython<types::Number<T>> {};
template <>
struct FromPython<types::Size> : IntFromPython<types::Size> {};

template <class T>
struct FloatFromPython {
    static constexpr const char *wanted = "a float";

    static bool small(PyObject *value, T &out) { return PyFloat_CheckExact(value) && narrowed(python::float_value(value), out); }
    static bool quick(PyObject *value, T &out, bool is_strict = false) {
        long small = 0;
        if (PyFloat_CheckExact(value)) return narrowed(python::float_value(value), out);
        if (is_strict || !python::small_int(value, small)) return false;
        out = static_cast<T>(small);
        return true;
    }

    [[gnu::noinline]] static bool take(PyObject *value, T &out, Call &call) {
        if (call.is_strict ? !PyFloat_CheckExact(value) : call.has_misfit && PyIndex_Check(value)) return call.refuse(wanted, value);
        if (call.worst_fit < 4 && !fits_within(value, call.worst_fit)) return call.refuse(wanted, value);
        if (python::is_numpy_complex(value)) return call.refuse(wanted, value);
        const double wide = PyFloat_AsDouble(value);
        if (wide == -1.0 && PyErr_Occurred()) {
            const bool is_large = PyLong_Check(value) && PyErr_ExceptionMatches(PyExc_OverflowError);
            return is_large ? call.refuse(spelling<T>(), value, Refusal::Reason::range) : call.refuse(wanted, value);
        }
        return narrowed(wide, out) || call.refuse(spelling<T>(), value, Refusal::Reason::range);
    }

private:
    [[gnu::cold]] static bool fits_within(PyObject *value, int worst) {
        return !python::is_numpy_bool(value) && !has_length(value) && (worst >= 3 || !PyIndex_Check(value));
    }
    static bool narrowed(double wide, T &out) {
        out = static_cast<T>(wide);
        return std::is_same_v<T, f64> || !std::isinf(out) || std::isinf(wide);
    }
};

template <>
struct FromPython<types::Number<f32>> : FloatFromPython<f32> {};
template <>
struct FromPython<types::Number<f64>> : FloatFromPython<f64> {};

template <>
struct FromPython<types::Number<bool>> {
    static constexpr const char *wanted = "a bool";

    static bool small(PyObject *value, bool &out) { return quick(value, out); }
    template <class Out>  // also a bit of a std::vector<bool>
    static bool quick(PyObject *value, Out &&out, bool = false) {
        out = value == Py_True;
        return value == Py_True || value == Py_False;
    }
    template <class Out>
    static bool take(PyObject *value, Out &&out, Call &call) {
        if (call.is_strict || !python::is_numpy_bool(value)) return call.refuse(wanted, value);
        const int truth = PyObject_IsTrue(value);
        out = truth == 1;
        return truth >= 0 || call.raised();
    }
};

/// What is wrong with a str that has no UTF-8, which Python has just said; empty where it failed otherwise.
[[gnu::cold, gnu::noinline]] WG_ONCE std::string lone_surrogate(PyObject *value) WG_ELSEWHERE
#if WG_HAS_BODIES
{
    if (!PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) return {};
    PyErr_Clear();
    const Py_ssize_t size = PyUnicode_GetLength(value);
    for (Py_ssize_t i = 0; i < size; ++i) {
        const Py_UCS4 each = PyUnicode_ReadChar(value, i);
        if (each < 0xd800 || each > 0xdfff) continue;
        char shown[16];
        std::snprintf(shown, sizeof(shown), "'\\u%04x'", static_cast<unsigned>(each));
        return std::string("half of a surrogate pair is no character: ") + shown + " at index " + std::to_string(i);
    }
    return "it has no UTF-8";
}
#endif

template <>
struct FromPython<types::Text> {
    static constexpr const char *wanted = "a str";

    static bool quick(PyObject *value, std::string &out, bool = false) {
        std::string_view ascii;
        if (!python::ascii(value, ascii)) return false;
        out.assign(ascii.data(), ascii.size());
        return true;
    }
    [[gnu::noinline]] static bool take(PyObject *value, std::string &out, Call &call) {
        if (!PyUnicode_Check(value) || (call.is_strict && !PyUnicode_CheckExact(value))) return call.refuse(wanted, value);
        Py_ssize_t size = 0;
        const char *data = PyUnicode_AsUTF8AndSize(value, &size);
        if (data == nullptr) {
            const std::string wrong = lone_surrogate(value);
            return wrong.empty() ? call.raised() : call.refuse(wrong, value, Refusal::Reason::value);
        }
        out.assign(data, static_cast<std::size_t>(size));
        return true;
    }
};

/// Whether an object said that it has no buffer to export; anything else is a failure of its own, and stays raised.
[[gnu::cold]] inline bool lends_no_buffer() {
    return PyErr_ExceptionMatches(PyExc_TypeError) || PyErr_ExceptionMatches(PyExc_BufferError) ||
           PyErr_ExceptionMatches(PyExc_ValueError);
}

template <>
struct FromPython<types::Bytes> {
    static constexpr const char *wanted = "a contiguous bytes-like object";

    static bool quick(PyObject *value, std::string &out, bool = false) {
        if (!PyBytes_CheckExact(value)) return false;
        char *data = nullptr;
        Py_ssize_t size = 0;
        if (PyBytes_AsStringAndSize(value, &data, &size) != 0) return false;
        out.assign(data, static_cast<std::size_t>(size));
        return true;
    }
    [[gnu::noinline]] static bool take(PyObject *value, std::string &out, Call &call) {
        Py_buffer view;
        if (call.is_strict && !PyBytes_CheckExact(value)) return call.refuse(wanted, value);
        if (PyObject_GetBuffer(value, &view, PyBUF_SIMPLE) != 0) {
            if (!lends_no_buffer()) return call.raised();
            PyErr_Clear();
            return call.refuse(wanted, value);
        }
        out.assign(static_cast<const char *>(view.buf), static_cast<std::size_t>(view.len));
        PyBuffer_Release(&view);
        return true;
    }
};

template <class E, class Tag>
struct FromPython<types::Enum<E, Tag>> {
    using U = Underlying<E>;
    static constexpr const char *wanted = Tag::wanted;

    static bool quick(PyObject *value, E &out, bool = false) {
        if (Py_TYPE(value) != reinterpret_cast<PyTypeObject *>(python::get(Tag::type))) return false;
        if (number(value, out)) return true;
        PyErr_Clear();
        return false;
    }
    static bool take(PyObject *value, E &out, Call &call) {
        if (PyObject_TypeCheck(value, reinterpret_cast<PyTypeObject *>(python::get(Tag::type)))) return number(value, out) || refuse(value, call);
        if (call.is_strict || !PyLong_Check(value) || PyBool_Check(value) || is_member_of_other(value)) return call.refuse(wanted, value);
        const Strong member(PyObject_CallFunctionObjArgs(python::get(Tag::type), value, nullptr));
        if (!member) return call.raised();
        return number(member.get(), out) || refuse(member.get(), call);
    }

private:
    /// Whether it is a member of another enum, which has the same number by chance.
    static bool is_member_of_other(PyObject *value) {
        return PyObject_TypeCheck(reinterpret_cast<PyObject *>(Py_TYPE(value)), Py_TYPE(python::get(Tag::type))) != 0;
    }
    static bool number(PyObject *member, E &out) {
        if constexpr (enum_bits<E> == 64) {
            const unsigned long long value = PyLong_AsUnsignedLongLong(member);
            out = static_cast<E>(value);
            return value != static_cast<unsigned long long>(-1) || !PyErr_Occurred();
        } else {
            const long long value = PyLong_AsLongLong(member);
            out = static_cast<E>(value);
            return (value != -1 || !PyErr_Occurred()) && fits<U>(value) && FlagRange<E>::has(value);
        }
    }
    [[gnu::cold, gnu::noinline]] static bool refuse(PyObject *member, Call &call) {
        PyErr_Clear();
        const Strong plain(PyNumber_Long(member));  // shown as a number, not as the member
        if (!plain) return call.raised();
        if constexpr (!has_fixed_type<E> && enum_bits<E> != 64) {
            const long long value = PyLong_AsLongLong(plain.get());
            const bool is_number = value != -1 || !PyErr_Occurred();
            PyErr_Clear();
            if (is_number && fits<U>(value)) return call.refuse(FlagRange<E>::text(), plain.get(), Refusal::Reason::range);
        }
        return call.refuse(spelling<U>(), plain.get(), Refusal::Reason::range);
    }
};

}  // namespace wg::cpython

#endif  // WG_CPYTHON_LEAVES_HPP
