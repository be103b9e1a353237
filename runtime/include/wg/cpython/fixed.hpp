// What properties show of lists, dicts and sets.
// Static: the same for all packages. Included by generated C++ only, after Python.h.
#ifndef WG_CPYTHON_FIXED_HPP
#define WG_CPYTHON_FIXED_HPP

#include "wg/base/once.hpp"
#include "wg/cpython/calls.hpp"

namespace wg::cpython {

/// The same as it is shown: nobody can change it, since it is a copy, and what it was copied from would not change.
/// Takes the reference.
WG_ONCE PyObject *fixed(PyObject *made) WG_ELSEWHERE
#if WG_HAS_BODIES
{
    if (made == nullptr) return nullptr;
    PyObject *shown = nullptr;
    if (PyList_CheckExact(made) || PyTuple_CheckExact(made)) {
        const bool is_list = PyList_CheckExact(made);
        const Py_ssize_t size = is_list ? PyList_Size(made) : PyTuple_Size(made);
        shown = PyTuple_New(size);
        for (Py_ssize_t i = 0; shown != nullptr && i < size; ++i) {
            PyObject *item = is_list ? PyList_GetItem(made, i) : PyTuple_GetItem(made, i);
            Py_XINCREF(item);
            item = fixed(item);
            if (item == nullptr || PyTuple_SetItem(shown, i, item) < 0) Py_CLEAR(shown);
        }
    } else if (PyDict_CheckExact(made)) {
        PyObject *key = nullptr, *value = nullptr;
        Py_ssize_t place = 0;
        bool is_right = true;
        while (is_right && PyDict_Next(made, &place, &key, &value)) {
            Py_INCREF(value);
            PyObject *item = fixed(value);
            is_right = item != nullptr && PyDict_SetItem(made, key, item) == 0;  // the key is there
            Py_XDECREF(item);
        }
        if (is_right) shown = PyDictProxy_New(made);
    } else if (PyAnySet_CheckExact(made)) {
        shown = PyFrozenSet_New(made);
    } else {
        return made;
    }
    Py_DECREF(made);
    return shown;
}
#endif

/// The getter of such a property.
template <PyObject *(*getter)(PyObject *, void *)>
PyObject *get_fixed(PyObject *self, void *closure) {
    return fixed(getter(self, closure));
}

}  // namespace wg::cpython

#endif  // WG_CPYTHON_FIXED_HPP
