// Types that are a part of themselves, to Python.
// Static: the same for all packages. Included by generated C++ only, of specs with such a type.
#ifndef WG_CPYTHON_RECURSIVE_HPP
#define WG_CPYTHON_RECURSIVE_HPP

#include "wg_cpython_unions.hpp"

namespace wg::cpython {

template <class R>
struct ToPython<types::Recursive<R>> {
    static PyObject *give(RecursiveValue<R> &value, const Owners &owners) { return ToPython<typename R::Of>::give(value.of, owners); }
};

template <class R>
struct IsContainer<types::Recursive<R>> : std::true_type {};

}  // namespace wg::cpython

#endif  // WG_CPYTHON_RECURSIVE_HPP
