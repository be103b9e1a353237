// Handles whose memory Python's buffer protocol exports.
// Static: the same for all packages. Included by generated C++ only.
#ifndef WG_CPYTHON_EXPORTS_HPP
#define WG_CPYTHON_EXPORTS_HPP

#include "wg/cpython/slots.hpp"

namespace wg::cpython {

/// `__buffer__`: the array is what the view keeps, and the array keeps the object.
inline int export_memory(Unary body, PyObject *self, Py_buffer *view, int flags) {
    view->obj = nullptr;
    PyObject *array = unary(body, self);
    if (array == nullptr) return -1;
    const int done = PyObject_GetBuffer(array, view, flags);
    Py_DECREF(array);
    return done;
}

}  // namespace wg::cpython

#endif  // WG_CPYTHON_EXPORTS_HPP
