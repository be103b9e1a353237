// Objects of the cpython engine of which one stands for each address: a result is the object that is there already.
// Static: the same for all packages. Included by generated C++ only, where a spec has such types.
#ifndef WG_CPYTHON_IDENTITY_HPP
#define WG_CPYTHON_IDENTITY_HPP

#include "wg/base/once.hpp"
#include "wg/cpython/objects.hpp"
#include "wg/ownership/identity.hpp"

namespace wg::cpython {

template <class H>
PyObject *object_there(const H &value) {
    const There there = Identity<H>::template find<InObjects>(value);
    if (there.is_open) return as_python(*there.held.cell);
    if (there.held.cell != nullptr) let_go_of(there.held);
    return nullptr;
}

/// The object that stands for what `make` returns: one that is there, unless it is a constructor's, or a new one.
template <class H, bool is_new, class Make>
PyObject *give_known(PyTypeObject *type, Make &&make) {
    H value = make();
    const There there = is_new ? There() : Identity<H>::template find<InObjects>(value);
    if (there.is_open) return as_wanted(as_python(*there.held.cell), type);
    There other;
    bool has_taken = there.held.cell == nullptr;
    const auto let_go = [&] {
        if (!has_taken) let_go_of(there.held);
    };
    PyObject *made = nullptr;
    try {
        made = give<H>(type, [&value] { return H(std::move(value)); }, [&](const Held &own, auto &of) {
            has_taken = true;
            other = Identity<std::decay_t<decltype(of)>>::template add<InObjects>(of, own, there, is_new);
        });
    } catch (...) {
        let_go();
        throw;
    }
    if (made == nullptr) let_go();
    if (!other.is_open) return made;
    Py_XDECREF(made);
    PyObject *found = as_python(*other.held.cell);
    if (made != nullptr) return as_wanted(found, type);
    Py_DECREF(found);
    return nullptr;
}

/// At import: each step of an iteration finds out which object stands for an address, without a lock.
WG_ONCE bool start_identity() WG_ELSEWHERE
#if WG_HAS_BODIES
{
    static PyMethodDef end = {"end_identity", [](PyObject *, PyObject *) -> PyObject * {
        may_unwind = true;
        Py_RETURN_NONE;
    }, METH_NOARGS, nullptr};
    return be_alone_until(end);
}
#endif

}  // namespace wg::cpython

#endif  // WG_CPYTHON_IDENTITY_HPP
