// Arrays as results of the cpython engine.
// Static: the same for all packages. Included by generated C++ only, after Python.h.
#ifndef WG_CPYTHON_ARRAYS_HPP
#define WG_CPYTHON_ARRAYS_HPP

#include "wg/arrays/array_objects.hpp"
#include "wg/cpython/containers.hpp"
#include "wg/cpython/results.hpp"

namespace wg::cpython {

/// An array as a Python object, which keeps handles alive.
inline PyObject *array(Array &&made) { return arrays::give(std::move(made)); }
inline PyObject *array(Array &&made, const Owners &owners) {
    made.keep(owners);
    return arrays::give(std::move(made));
}

/// One of several items of a result.
template <class D, class A>
struct ToPython<types::Array<D, A>> {
    static PyObject *give(Array &value, const Owners &) { return array(std::move(value)); }
};

}  // namespace wg::cpython

#endif  // WG_CPYTHON_ARRAYS_HPP
