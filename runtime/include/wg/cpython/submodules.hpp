// Modules of a package beside its own: what each of them defines is in a dict of its own.
// Static: the same for all packages. Included by generated C++ only.
#ifndef WG_CPYTHON_SUBMODULES_HPP
#define WG_CPYTHON_SUBMODULES_HPP

#include "wg/cpython/results.hpp"

namespace wg::cpython {

/// The dict of a submodule, which `namespace_` holds.
inline PyObject *add_submodule(PyObject *namespace_, const char *key) {
    PyObject *own = PyDict_New();
    return add(namespace_, key, own) ? own : nullptr;
}

}  // namespace wg::cpython

#endif  // WG_CPYTHON_SUBMODULES_HPP
