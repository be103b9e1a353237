// Callables within lists, dicts and tuples, of the cpython engine.
// Static: the same for all packages. Included by generated C++ only, of specs with such types.
#ifndef WG_CPYTHON_CALLABLES_WITHIN_HPP
#define WG_CPYTHON_CALLABLES_WITHIN_HPP

#include "wg/callbacks/callables_within.hpp"
#include "wg/cpython/callables.hpp"
#include "wg/cpython/containers.hpp"

namespace wg::cpython {

template <class F, bool is_optional>
struct FromPython<types::Function<F, is_optional>> {
    static constexpr const char *wanted = "a callable";

    static bool quick(PyObject *value, wg::Function<F> &out, bool = false) {
        if (is_optional && value == Py_None) {
            out = wg::Function<F>();
            return true;
        }
        if (PyCallable_Check(value) == 0) return false;
        out = wg::Function<F>(new PythonTarget<F>(value));
        return true;
    }
    static bool take(PyObject *value, wg::Function<F> &, Call &call) { return call.refuse(wanted, value); }
};

/// As any list.
template <class D>
struct FromPython<types::Callables<D>> : FromPython<types::List<D>> {};

template <class D>
struct IsContainer<types::Callables<D>> : std::true_type {};

/// An argument with callables in it.
template <class D>
class WithCallables {
public:
    using Value = wg::Value<D>;
    bool take(PyObject *value, const char *name) {
        const PassedWithin::Collecting collecting(passed_);
        return from_python<D>(value, value_, call_) || call_.fail(name);
    }
    Value &value() {
        passed_.set(value_);
        return value_;
    }
    const PassedWithin &passed() {
        passed_.set(value_);
        return passed_;
    }
    template <class Owners>
    void add_to(Owners &owners) const {
        owners.add(call_.pins());
    }

private:
    PassedWithin passed_;  // outlasts the value: what ends with the call has no other users then
    Call call_;
    Value value_{};
};

}  // namespace wg::cpython

#endif  // WG_CPYTHON_CALLABLES_WITHIN_HPP
