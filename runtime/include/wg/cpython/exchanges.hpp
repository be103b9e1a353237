// Memory that goes to another library, as a result of the cpython engine: a capsule.
// Static: the same for all packages. Included by generated C++ only, after Python.h.
#ifndef WG_CPYTHON_EXCHANGES_HPP
#define WG_CPYTHON_EXCHANGES_HPP

#include "wg/base/once.hpp"
#include "wg/memory/capsules.hpp"
#include "wg/cpython/results.hpp"
#include "wg/types/exchanges.hpp"

namespace wg::cpython {

WG_ONCE PyObject *capsule(Exchange &&value) WG_ELSEWHERE
#if WG_HAS_BODIES
{
    const bool is_versioned = value.is_versioned();
    const auto release = value.release();
    void *const managed = value.take();
    PyObject *made = dlpack::make_capsule(managed, is_versioned);
    if (made == nullptr) release(managed);
    return made;
}
#endif

}  // namespace wg::cpython

#endif  // WG_CPYTHON_EXCHANGES_HPP
