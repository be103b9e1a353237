// Operands of operators, of handle types and of records alike.
// Static: the same for all packages. Included by generated C++ only, of specs with methods of protocols or of records.
#ifndef WG_CPYTHON_OPERANDS_HPP
#define WG_CPYTHON_OPERANDS_HPP

#include "wg/cpython/calls.hpp"

namespace wg::cpython {

/// The result of an operator that refused its operand, with a TypeError: Python asks the other operand.
[[gnu::cold, gnu::noinline]] inline PyObject *not_implemented() {
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) return nullptr;
    PyErr_Clear();
    return Py_NewRef(Py_NotImplemented);
}

}  // namespace wg::cpython

#endif  // WG_CPYTHON_OPERANDS_HPP
