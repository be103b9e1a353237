// Arguments that may be left out, and whose defaults are in C++ only: Python writes `...`.
// Static: the same for all packages. Included by generated C++ only, after Python.h.
#ifndef WG_CPYTHON_DEFAULTS_HPP
#define WG_CPYTHON_DEFAULTS_HPP

#include "wg/cpython/containers.hpp"
#include "wg/types/defaults.hpp"

namespace wg::cpython {

template <class D>
struct FromPython<types::OrDefault<D>> {
    using Out = Value<types::OrDefault<D>>;

    static bool quick(PyObject *value, Out &out, bool is_strict = false) {
        if (value != Py_Ellipsis) return FromPython<D>::quick(value, out.emplace(), is_strict);
        out.reset();
        return true;
    }
    static bool take(PyObject *value, Out &out, Call &call) {
        if (value != Py_Ellipsis) return FromPython<D>::take(value, out.emplace(), call);
        out.reset();
        return true;
    }
};

}  // namespace wg::cpython

#endif  // WG_CPYTHON_DEFAULTS_HPP
