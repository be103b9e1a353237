// Calls without the GIL, where the calling thread has it.
// Static: the same for all packages. Included by what is compiled for CPython only, after Python.h.
#ifndef WG_BASE_GIL_HPP
#define WG_BASE_GIL_HPP

#include <chrono>
#include <thread>

#include "wg/base/once.hpp"

namespace wg {
namespace gil {

#ifdef Py_LIMITED_API

/// Whether the calling thread has the GIL, which the limited API says only to a thread that takes it.
inline bool is_here() {
    const PyGILState_STATE before = PyGILState_Ensure();
    PyGILState_Release(before);
    return before == PyGILState_LOCKED;
}

#elif PY_VERSION_HEX >= 0x030D0000

/// Of the thread alone: `PyGILState_Check` looks at what the interpreter's end takes down.
inline bool is_here() { return PyThreadState_GetUnchecked() != nullptr; }

#else

inline bool is_here() { return PyGILState_Check() != 0; }

#endif

/// Takes the GIL again. At the interpreter's end, CPython before 3.14 ends a daemon thread that does so by unwinding it: what then
/// ends on the way needs the GIL, such as a result that is half made. Such a thread sleeps until the process is gone, as since 3.14.
WG_ONCE void take(PyThreadState *state) noexcept WG_ELSEWHERE
#if WG_HAS_BODIES
{
    try {
        PyEval_RestoreThread(state);
    } catch (...) {  // nothing else throws here
        for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
    }
}
#endif

/// Without the GIL for as long as it lives, where the calling thread has it.
class Released {
public:
    Released() : state_(is_here() ? PyEval_SaveThread() : nullptr) {}
    Released(const Released &) = delete;
    Released &operator=(const Released &) = delete;
    ~Released() {
        if (state_ != nullptr) take(state_);
    }

private:
    PyThreadState *state_;
};

/// Whether the interpreter ends: `sys.is_finalizing()`, which is gone itself near the end. The thread has the GIL.
WG_ONCE bool is_finalizing() WG_ELSEWHERE
#if WG_HAS_BODIES
{
    PyObject *function = PySys_GetObject("is_finalizing");
    if (function == nullptr) return true;
    PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
    PyErr_Fetch(&type, &value, &traceback);  // an object that ends may do so while something is raised
    PyObject *found = PyObject_CallFunctionObjArgs(function, nullptr);
    const bool is_true = found == nullptr || found == Py_True;
    Py_XDECREF(found);
    PyErr_Restore(type, value, traceback);
    return is_true;
}
#endif

/// Waits without the GIL; false, and no waiting, where the interpreter ends: the thread that is waited for may have ended.
inline bool run_waiting(void (*wait)(void *of), void *of) {
    if (is_here() && is_finalizing()) return false;
    const Released other_threads_run;
    wait(of);
    return true;
}

}  // namespace gil
}  // namespace wg

#endif  // WG_BASE_GIL_HPP
