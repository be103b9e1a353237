// Properties that Python sets.
// Static: the same for all packages. Included by generated C++ only, after Python.h.
#ifndef WG_CPYTHON_SETTERS_HPP
#define WG_CPYTHON_SETTERS_HPP

#include "wg/cpython/calls.hpp"

namespace wg::cpython {

/// Fails as a property of Python does that lacks what was asked for.
[[gnu::cold, gnu::noinline]] inline int has_no(const char *what, const char *name, PyObject *self) {
    PyErr_Format(PyExc_AttributeError, "property '%s' of '%s' object has no %s", name, name_of(Py_TYPE(self)), what);
    return -1;
}

/// The getter of a property that is only set.
inline PyObject *not_read(PyObject *self, void *name) {
    static_cast<void>(has_no("getter", static_cast<const char *>(name), self));
    return nullptr;
}

template <class A>
PyObject *call_with(PyObject *(*body)(PyObject *, A &), const char *name, PyObject *self, PyObject *value) {
    try {
        A taken;
        bool is_taken = false;
        if constexpr (HasGlance<A>::value) is_taken = taken.glance(value);
        if (!is_taken && !taken.take(value, name)) return refused(blame(taken, name, 0));
        return body(self, taken);
    }
    WG_RAISED
}

/// Calls `body` with the value converted. One for all properties of such a type.
template <class A>
[[gnu::noinline]] int set_property(PyObject *(*body)(PyObject *, A &), const char *name, PyObject *self, PyObject *value) {
    if (value == nullptr) return has_no("deleter", name, self);
    PyObject *const done = call_with(body, name, self, value);
    if (done == nullptr) return -1;
    Py_DECREF(done);
    return 0;
}

}  // namespace wg::cpython

#endif  // WG_CPYTHON_SETTERS_HPP
