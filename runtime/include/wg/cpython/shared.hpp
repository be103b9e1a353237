// What threads of Python share: pointers that are set once, containers that no other thread changes, references. With a GIL
// that is next to nothing.
// Static: the same for all packages. Included by generated C++ only, after Python.h.
#ifndef WG_CPYTHON_SHARED_HPP
#define WG_CPYTHON_SHARED_HPP

#include <atomic>

#include "wg/base/once.hpp"

namespace wg::cpython::python {

#ifdef Py_GIL_DISABLED

constexpr bool has_gil = false;

/// A pointer that any thread may find set. It is set once, or anew without letting go of what it was.
template <class P>
using Shared = std::atomic<P>;

template <class P>
P get(const Shared<P> &shared) {
    return shared.load(std::memory_order_acquire);
}

/// False where another thread set it first.
template <class P>
bool set_once(Shared<P> &shared, P value) {
    P unset = nullptr;
    return shared.compare_exchange_strong(unset, value, std::memory_order_acq_rel);
}

/// No other thread changes the container as long as this lives and no Python code runs. A tuple never changes.
class Alone {
public:
    explicit Alone(PyObject *container) : locks_(!PyTuple_CheckExact(container)) {
        if (locks_) PyCriticalSection_Begin(&section_, container);
    }
    Alone(const Alone &) = delete;
    Alone &operator=(const Alone &) = delete;
    ~Alone() {
        if (locks_) PyCriticalSection_End(&section_);
    }

private:
    PyCriticalSection section_;
    bool locks_;
};

/// What every call uses: threads would fight for its count of references, so that it has none from now on.
inline PyObject *uncounted(PyObject *object) {
#if PY_VERSION_HEX >= 0x030E0000
    if (object != nullptr) PyUnstable_Object_EnableDeferredRefcount(object);
#else
    if (object != nullptr) {  // immortal, as CPython 3.13 itself makes objects
        object->ob_tid = _Py_UNOWNED_TID;
        object->ob_ref_local = _Py_IMMORTAL_REFCNT_LOCAL;
        object->ob_ref_shared = 0;
    }
#endif
    return object;
}

#else

constexpr bool has_gil = true;

template <class P>
using Shared = P;

template <class P>
P get(P shared) {
    return shared;
}

template <class P>
bool set_once(P &shared, P value) {
    if (shared != nullptr) return false;
    shared = value;
    return true;
}

struct Alone {
    explicit Alone(PyObject *) {}
};

inline PyObject *uncounted(PyObject *object) { return object; }

#endif

/// Before other threads can find an object: from now on `try_reference` says whether it is being destroyed.
WG_ONCE void allow_try_reference([[maybe_unused]] PyObject *object) WG_ELSEWHERE
#if WG_HAS_BODIES
{
#if defined(Py_GIL_DISABLED) && PY_VERSION_HEX >= 0x030E0000
    PyUnstable_EnableTryIncRef(object);
#elif defined(Py_GIL_DISABLED)  // the same with the flag that weak references set
    Py_ssize_t shared = _Py_atomic_load_ssize_relaxed(&object->ob_ref_shared);
    while ((shared & _Py_REF_SHARED_FLAG_MASK) == 0)
        if (_Py_atomic_compare_exchange_ssize(&object->ob_ref_shared, &shared, shared | _Py_REF_MAYBE_WEAKREF)) return;
#endif
}
#endif

/// One reference more to an object, unless it is being destroyed.
inline bool try_reference(PyObject *object) {
#if !defined(Py_GIL_DISABLED)
    if (Py_REFCNT(object) <= 0) return false;
    Py_INCREF(object);
    return true;
#elif PY_VERSION_HEX >= 0x030E0000
    return PyUnstable_TryIncRef(object) != 0;
#else
    if (_Py_IsOwnedByCurrentThread(object)) {  // one that is being destroyed has no owner
        Py_INCREF(object);
        return true;
    }
    Py_ssize_t shared = _Py_atomic_load_ssize_relaxed(&object->ob_ref_shared);
    while (shared != _Py_REF_SHARED_INIT && shared != _Py_REF_MERGED)
        if (_Py_atomic_compare_exchange_ssize(&object->ob_ref_shared, &shared, shared + (1 << _Py_REF_SHARED_SHIFT))) return true;
    return false;
#endif
}

}  // namespace wg::cpython::python

#endif  // WG_CPYTHON_SHARED_HPP
