// Types that are a part of themselves, between Python and C++.
// Static: the same for all packages. Included by generated C++ only, of specs with such a type.
#ifndef WG_CPYTHON_RECURSIVE_HPP
#define WG_CPYTHON_RECURSIVE_HPP

#include "wg/cpython/unions.hpp"
#include "wg/types/recursive.hpp"

namespace wg::cpython {

template <class R>
struct FromPython<types::Recursive<R>> {
    using Of = typename R::Of;
    static constexpr const auto &wanted = FromPython<Of>::wanted;

    static bool quick(PyObject *value, RecursiveValue<R> &out, bool is_strict = false) {
        const Level<R> level;
        return level.is_allowed() && FromPython<Of>::quick(value, out.of, is_strict);
    }
    static bool take(PyObject *value, RecursiveValue<R> &out, Call &call) {
        const Level<R> level(++call.levels);  // Python code may run, and make other calls
        const bool good = level.is_allowed() ? from_python<Of>(value, out.of, call) : call.refuse("it is nested deeper than 100 levels", value, Refusal::Reason::deep);
        --call.levels;
        return good;
    }
};

template <class R>
struct ToPython<types::Recursive<R>> {
    template <class V>
    static PyObject *give(V &value, const Owners &owners) {
        return ToPython<typename R::Of>::give(value.of, owners);
    }
};

template <class R>
struct IsContainer<types::Recursive<R>> : std::true_type {};

}  // namespace wg::cpython

#endif  // WG_CPYTHON_RECURSIVE_HPP
