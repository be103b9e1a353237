// Callables in the fields of records, of the cpython engine: a record has Python's objects, and C++ gets a new target of each with a call.
// Static: the same for all packages. Included by generated C++ only, of specs with such structs.
#ifndef WG_CPYTHON_CALLABLE_FIELDS_HPP
#define WG_CPYTHON_CALLABLE_FIELDS_HPP

#include "wg/callbacks/callable_fields.hpp"
#include "wg/cpython/callables_within.hpp"
#include "wg/cpython/records.hpp"

namespace wg::cpython {

template <class F, bool is_optional>
struct ObjectField<types::Function<F, is_optional>> {
    static constexpr bool is_one = true;

    static bool take(PyObject *given, Call &call) {
        using From = FromPython<types::Function<F, is_optional>>;
        return (is_optional && given == Py_None) || PyCallable_Check(given) != 0 || call.refuse(From::wanted, given);
    }
    static wg::Function<F> value(PyObject *object) { return object == Py_None ? wg::Function<F>() : wg::Function<F>(new PythonTarget<F>(object)); }
};

}  // namespace wg::cpython

#endif  // WG_CPYTHON_CALLABLE_FIELDS_HPP
