// What cffi's own functions do around a call, made cheap; included by cffi's part of the extension only.
// Static: the same for all packages. Redefines macros that cffi's functions use: a cffi that uses none of them is as it was.
#pragma once

#if !defined(PYPY_VERSION) && !defined(Py_GIL_DISABLED)

// Giving up the GIL costs as much as a short call, and hundreds of times that beside a busy thread.
// It is kept, as in the native engine, but for what the spec marks as blocking.
#undef Py_BEGIN_ALLOW_THREADS
#undef Py_END_ALLOW_THREADS
#define Py_BEGIN_ALLOW_THREADS {
#define Py_END_ALLOW_THREADS }

// Nobody asks `ffi.errno` after a call: what failed says so itself.
#undef _cffi_restore_errno
#undef _cffi_save_errno
#define _cffi_restore_errno() static_cast<void>(0)
#define _cffi_save_errno() static_cast<void>(0)

namespace wg {
namespace cffi {

#ifdef Py_LIMITED_API

/// Whether the calling thread has the GIL, which the limited API tells only who asks for it.
inline bool has_gil() {
    const PyGILState_STATE before = PyGILState_Ensure();
    PyGILState_Release(before);
    return before == PyGILState_LOCKED;
}

#else

inline bool has_gil() { return PyGILState_Check() != 0; }

/// A tuple of the right size needs nobody to count it.
template <class... P>
int unpack(PyObject *arguments, const char *name, Py_ssize_t least, Py_ssize_t most, P... out) {
    if (PyTuple_GET_SIZE(arguments) != static_cast<Py_ssize_t>(sizeof...(P)))
        return PyArg_UnpackTuple(arguments, name, least, most, out...);
    Py_ssize_t i = 0;
    ((*out = PyTuple_GET_ITEM(arguments, i++)), ...);
    return 1;
}

#define PyArg_UnpackTuple wg::cffi::unpack

#endif

/// Without the GIL for as long as it lives, where the calling thread has it.
class Released {
public:
    Released() : state_(has_gil() ? PyEval_SaveThread() : nullptr) {}
    Released(const Released &) = delete;
    Released &operator=(const Released &) = delete;
    ~Released() noexcept(false) {  // at exit, Python ends a daemon thread that comes back: by unwinding it
        if (state_ != nullptr) PyEval_RestoreThread(state_);
    }

private:
    PyThreadState *state_;
};

}  // namespace cffi
}  // namespace wg

// Ints of 64 bits are what Python itself converts, and checks.
#undef _cffi_to_c_i64
#undef _cffi_to_c_u64
#define _cffi_to_c_i64 PyLong_AsLongLong
#define _cffi_to_c_u64 PyLong_AsUnsignedLongLong

/// A call without the GIL: what it needs for that lives to the end of the whole expression.
#define WG_BLOCKING(call) (static_cast<void>(wg::cffi::Released()), call)

#else
#define WG_BLOCKING(call) call
#endif
