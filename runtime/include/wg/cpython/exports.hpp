// Handles whose memory Python's buffer protocol exports.
// Static: the same for all packages. Included by generated C++ only.
#ifndef WG_CPYTHON_EXPORTS_HPP
#define WG_CPYTHON_EXPORTS_HPP

#include "wg/base/once.hpp"
#include "wg/cpython/slots.hpp"

namespace wg::cpython {

/// `__buffer__`: the array is what the view keeps, and the array keeps the object.
WG_ONCE int export_memory(Unary body, PyObject *self, Py_buffer *view, int flags) WG_ELSEWHERE
#if WG_HAS_BODIES
{
    view->obj = nullptr;
    PyObject *array = unary(body, self);
    if (array == nullptr) return -1;
    const int done = PyObject_GetBuffer(array, view, flags);
    Py_DECREF(array);
    return done;
}
#endif

}  // namespace wg::cpython

#endif  // WG_CPYTHON_EXPORTS_HPP
