// Complex numbers between Python and C++.
// Static: the same for all packages. Included by generated C++ only, of specs with such a type.
#ifndef WG_CPYTHON_COMPLEX_HPP
#define WG_CPYTHON_COMPLEX_HPP

#include "wg/types/complex.hpp"
#include "wg/cpython/containers.hpp"

namespace wg::cpython {

template <class T>
struct ComplexFromPython {
    using Out = std::complex<T>;
    static constexpr const char *wanted = "a complex number";
    static constexpr const char *name = sizeof(T) == sizeof(f32) ? "c64" : "c128";

    static bool quick(PyObject *value, Out &out, bool is_strict = false) {
        long small = 0;
        if (PyComplex_CheckExact(value)) return narrowed(value, out);
        if (is_strict) return false;
        if (PyFloat_CheckExact(value)) return narrowed(python::float_value(value), 0, out);
        if (!python::small_int(value, small)) return false;
        out = static_cast<T>(small);
        return true;
    }

    [[gnu::noinline]] static bool take(PyObject *value, Out &out, Call &call) {
        if (call.is_strict ? !PyComplex_CheckExact(value) : call.has_misfit && PyIndex_Check(value)) return call.refuse(wanted, value);
        if (call.worst_fit < 4 && !is_of_its_sort(value)) return call.refuse(wanted, value);
        const Strong found(as_complex(value));
        if (!found) {
            const bool is_large = PyLong_Check(value) && PyErr_ExceptionMatches(PyExc_OverflowError);
            return is_large ? call.refuse(name, value, Refusal::Reason::range) : call.refuse(wanted, value);
        }
        return narrowed(found.get(), out) || call.refuse(name, found.get(), Refusal::Reason::range);
    }

private:
    [[gnu::cold]] static bool is_of_its_sort(PyObject *value) {
        if (PyComplex_Check(value) || python::is_numpy_complex(value)) return true;
        return !PyIndex_Check(value) && !python::is_numpy_bool(value) && !has_length(value) && !has_attribute(value, "__float__");
    }
    /// What Python's `complex` makes of a number: one, what `__complex__` gives, or a float, which an int may be.
    static PyObject *as_complex(PyObject *value) {
        if (PyComplex_Check(value)) return Py_NewRef(value);
        if (PyUnicode_Check(value)) return PyErr_SetString(PyExc_TypeError, wanted), nullptr;
        const Strong own(PyObject_GetAttrString(reinterpret_cast<PyObject *>(Py_TYPE(value)), "__complex__"));
        if (own) {
            const Strong made(PyObject_CallFunctionObjArgs(own.get(), value, nullptr));
            if (made && !PyComplex_Check(made.get())) PyErr_SetString(PyExc_TypeError, "__complex__ gave no complex number");
            return made && PyComplex_Check(made.get()) ? Py_NewRef(made.get()) : nullptr;
        }
        if (!PyErr_ExceptionMatches(PyExc_AttributeError)) return nullptr;
        PyErr_Clear();
        const double real = PyFloat_AsDouble(value);
        return real == -1.0 && PyErr_Occurred() ? nullptr : PyComplex_FromDoubles(real, 0);
    }
    static bool narrowed(PyObject *value, Out &out) { return narrowed(PyComplex_RealAsDouble(value), PyComplex_ImagAsDouble(value), out); }
    static bool narrowed(double real, double imag, Out &out) {
        out = {static_cast<T>(real), static_cast<T>(imag)};
        return fits_part(out.real(), real) && fits_part(out.imag(), imag);
    }
    static bool fits_part(T part, double wide) { return std::is_same_v<T, f64> || !std::isinf(part) || std::isinf(wide); }
};

template <>
struct FromPython<types::Number<c64>> : ComplexFromPython<f32> {};
template <>
struct FromPython<types::Number<c128>> : ComplexFromPython<f64> {};

template <class T>
struct ToPython<types::Number<std::complex<T>>> {
    static PyObject *give(const std::complex<T> &value, const Owners &) {
        return PyComplex_FromDoubles(static_cast<double>(value.real()), static_cast<double>(value.imag()));
    }
};

}  // namespace wg::cpython

#endif  // WG_CPYTHON_COMPLEX_HPP
