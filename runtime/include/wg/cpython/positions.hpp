// Positions of items in the cpython engine: counted, and refused, before the call.
// Static: the same for all packages. Included by generated C++ only, of specs with items at positions.
#ifndef WG_CPYTHON_POSITIONS_HPP
#define WG_CPYTHON_POSITIONS_HPP

#include "wg/cpython/slots.hpp"
#include "wg/conversion/operators.hpp"

namespace wg::cpython {

/// Where a position is; below 0, with an exception, where there is none such.
template <class N>
i64 counted(i64 given, N length, const char *shown) {
    const i64 at = operators::counted(given, length);
    if (at < 0) PyErr_Format(PyExc_IndexError, "%s index out of range", shown);
    return at;
}

}  // namespace wg::cpython

#endif  // WG_CPYTHON_POSITIONS_HPP
