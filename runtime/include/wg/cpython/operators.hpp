// CPython's slots of operators and comparisons of handle types.
// Static: the same for all packages. Included by generated C++ only.
#ifndef WG_CPYTHON_OPERATORS_HPP
#define WG_CPYTHON_OPERATORS_HPP

#include "wg/cpython/handles.hpp"
#include "wg/cpython/operands.hpp"

namespace wg::cpython {

/// A function of CPython's convention for two objects.
using Binary = PyObject *(*)(PyObject *, PyObject *);

template <class H>
bool is_a(PyObject *value) {
    return Py_TYPE(value) == Traits<H>::type || PyType_IsSubtype(Py_TYPE(value), Traits<H>::type) != 0;
}

/// Whether an operand is of another type than the method takes, which needs no exception.
template <class H>
bool is_foreign(const Handle<H> &, PyObject *operand) {
    return !is_a<H>(operand);
}
template <class A>
bool is_foreign(const A &, PyObject *) {
    return false;
}

template <class A>
PyObject *operate(PyObject *(*body)(PyObject *, A &), const char *const *names, PyObject *self, PyObject *other) {
    try {
        A taken;
        if (is_foreign(taken, other)) return Py_NewRef(Py_NotImplemented);
        if (!taken.take(other, names[0])) return not_implemented();
        return body(self, taken);
    }
    WG_RAISED
}

template <class A>
PyObject *operate_in_place(PyObject *(*body)(PyObject *, A &), const char *const *names, PyObject *self, PyObject *other) {
    PyObject *made = operate(body, names, self, other);
    if (made == nullptr || made == Py_NotImplemented) return made;
    Py_DECREF(made);
    return Py_NewRef(self);
}

/// One slot has an operator and its reflected form: either operand may be ours.
template <class H, Binary own, Binary reflected>
PyObject *either(PyObject *one, PyObject *other) {
    if constexpr (own != nullptr) {
        if (is_a<H>(one)) {
            PyObject *made = own(one, other);
            if (made != Py_NotImplemented || reflected == nullptr) return made;
            Py_DECREF(made);
        }
    }
    if constexpr (reflected != nullptr)
        if (Py_TYPE(one) != Py_TYPE(other) && is_a<H>(other)) return reflected(other, one);
    return Py_NewRef(Py_NotImplemented);
}

/// `pow()` with a modulus is not implemented.
template <class H, Binary own, Binary reflected>
PyObject *either_of_three(PyObject *one, PyObject *other, PyObject *modulus) {
    return modulus == Py_None ? either<H, own, reflected>(one, other) : Py_NewRef(Py_NotImplemented);
}

template <Binary in_place>
PyObject *of_three(PyObject *self, PyObject *other, PyObject *) {
    return in_place(self, other);
}

/// All comparisons in one slot. What has no `__ne__` is not equal where it is not `__eq__`.
template <Binary lt, Binary le, Binary eq, Binary ne, Binary gt, Binary ge>
PyObject *compare(PyObject *self, PyObject *other, int operation) {
    constexpr Binary all[] = {lt, le, eq, ne, gt, ge};
    if (all[operation] != nullptr) return all[operation](self, other);
    if constexpr (eq != nullptr) {
        if (operation == Py_NE) {
            PyObject *equal = eq(self, other);
            if (equal == nullptr || equal == Py_NotImplemented) return equal;
            const int truth = equal == Py_True ? 1 : equal == Py_False ? 0 : PyObject_IsTrue(equal);
            Py_DECREF(equal);
            return truth < 0 ? nullptr : PyBool_FromLong(truth == 0);
        }
    }
    return Py_NewRef(Py_NotImplemented);
}

/// NumPy asks the class of an operand whether its arrays and scalars leave the operator to it. What has memory stays an array to
/// NumPy's functions.
template <class H>
bool leave_operators_to(bool has_memory) {
    PyObject *own = reinterpret_cast<PyObject *>(Traits<H>::type);
    if (!has_memory) return PyObject_SetAttrString(own, "__array_ufunc__", Py_None) == 0;
    PyObject *priority = PyFloat_FromDouble(1000);
    const bool is_set = priority != nullptr && PyObject_SetAttrString(own, "__array_priority__", priority) == 0;
    Py_XDECREF(priority);
    return is_set;
}

}  // namespace wg::cpython

#endif  // WG_CPYTHON_OPERATORS_HPP
