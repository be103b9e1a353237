// What callables raise, on whichever thread C++ calls them: who may run Python there, and who raises it.
// Static: the same for all packages. Included by generated C++ only.
#ifndef WG_CPYTHON_RAISED_HPP
#define WG_CPYTHON_RAISED_HPP

#include "wg/base/once.hpp"
#include "wg/callbacks/callables.hpp"
#include "wg/cpython/results.hpp"

namespace wg::cpython {

// --- who may run Python -----------------------------------------------------------------------------

/// The thread that runs Python, where it takes no long look.
inline void *running_thread() {
#if defined(Py_LIMITED_API)
    return nullptr;
#elif PY_VERSION_HEX >= 0x030D0000
    return PyThreadState_GetUnchecked();
#else
    return _PyThreadState_UncheckedGet();
#endif
}

#ifdef Py_LIMITED_API
inline bool has_gil() { return false; }  // to ask for it twice does no harm
inline bool is_finalizing() { return Py_IsInitialized() == 0; }
#else
#if PY_VERSION_HEX >= 0x030C0000
/// Of the thread alone: `PyGILState_Check` looks at what the interpreter's end takes down, and is true of any thread where there
/// are several interpreters.
inline bool has_gil() { return running_thread() != nullptr; }
#else
inline bool has_gil() { return PyGILState_Check() != 0; }
#endif
WG_ONCE bool is_finalizing() WG_ELSEWHERE
#if WG_HAS_BODIES
{
#if PY_VERSION_HEX >= 0x030D0000
    return Py_IsInitialized() == 0 || Py_IsFinalizing() != 0;
#else
    return Py_IsInitialized() == 0 || _Py_IsFinalizing() != 0;
#endif
}
#endif
#endif

/// Python for the time of a call from C++, on whichever thread. None once the interpreter ends.
class Entered {
public:
    /// `outer`: this thread's outer call, or null.
    explicit Entered(const Outer *outer) : is_here_(outer != nullptr && outer->thread != nullptr && outer->thread == running_thread()) {
        if (!is_here_) enter();
    }
    Entered(const Entered &) = delete;
    Entered &operator=(const Entered &) = delete;
    ~Entered() {
        if (took_) PyGILState_Release(state_);
    }
    explicit operator bool() const { return is_here_; }

private:
    /// Where the thread of an outer call does not say so.
    [[gnu::noinline]] void enter() {
        if (has_gil()) {
            is_here_ = !is_finalizing();
            return;
        }
        open_.emplace();
        if (!*open_ || is_finalizing()) return;
        state_ = PyGILState_Ensure();
        is_here_ = took_ = true;
    }

    std::optional<Open> open_;  // where another thread calls
    PyGILState_STATE state_ = PyGILState_UNLOCKED;
    bool is_here_;
    bool took_ = false;
};

// --- what is raised ---------------------------------------------------------------------------------

/// Keeps what is raised for the end of the outer call, or of the one that waits for the target, if any; without one,
/// `sys.unraisablehook` gets it.
[[gnu::cold, gnu::noinline]] WG_ONCE void keep_raised(PyObject *callable, Target *target) WG_ELSEWHERE
#if WG_HAS_BODIES
{
    Outer *outer = Outer::innermost();
    if (target != nullptr && target->is_called_elsewhere()) {
        PyObject *raised = take_raised();
        if (target->keep_elsewhere(reinterpret_cast<std::uintptr_t>(raised))) return;
        raise_again(raised);
    }
    if (outer == nullptr || outer->exception != nullptr) {
        PyErr_WriteUnraisable(callable);
        return;
    }
    outer->exception = take_raised();
    outer->has_raised = true;
}
#endif

/// The same for what is thrown now.
[[gnu::cold, gnu::noinline]] WG_ONCE void keep_thrown_by_call(Target *target) noexcept WG_ELSEWHERE
#if WG_HAS_BODIES
{
    const Entered python(Outer::innermost());
    if (!python) return;
    const auto raised = []() -> PyObject * {
        try {
            throw;
        }
        WG_RAISED
    };
    if (raised() == nullptr && PyErr_Occurred()) keep_raised(nullptr, target);
}
#endif

/// Lets a call raise what a target has kept.
[[gnu::cold, gnu::noinline]] WG_ONCE void raise_kept_by(std::uintptr_t kept, Outer *outer) noexcept WG_ELSEWHERE
#if WG_HAS_BODIES
{
    const Entered python(outer);
    if (!python) return;
    auto *raised = reinterpret_cast<PyObject *>(kept);
    if (outer != nullptr && outer->exception == nullptr) {
        outer->exception = raised;
        outer->has_raised = true;
        return;
    }
    PyObject *before = PyErr_Occurred() ? take_raised() : nullptr;
    raise_again(raised);
    PyErr_WriteUnraisable(nullptr);
    if (before != nullptr) raise_again(before);
}
#endif

/// Whether an exception is of a class of the package's, or of the builtin one that this is too.
inline bool is_declared(PyObject *raised, PyObject *type) {
    if (PyErr_GivenExceptionMatches(raised, type) != 0) return true;
    const Strong bases(PyObject_GetAttrString(type, "__bases__"));
    const Strong others(bases ? PySequence_GetSlice(bases.get(), 1, PY_SSIZE_T_MAX) : nullptr);
    return others && PyErr_GivenExceptionMatches(raised, others.get()) != 0;
}

/// What C gets of what is raised: its text, and which of the package's exceptions it is. It stays raised.
[[gnu::cold, gnu::noinline]] WG_ONCE void tell_raised(CallableFailure &failure) WG_ELSEWHERE
#if WG_HAS_BODIES
{
    PyObject *raised = take_raised();
    if (const Strong text(PyObject_Str(raised)); text) {
        Py_ssize_t size = 0;
        const char *utf8 = PyUnicode_AsUTF8AndSize(text.get(), &size);
        if (utf8 != nullptr) failure.text.assign(utf8, static_cast<std::size_t>(size));
    }
    PyErr_Clear();
    const std::vector<PyObject *> &declared = package().declared;
    for (std::size_t i = 0; i < declared.size(); ++i)
        if (is_declared(raised, declared[i])) failure.kinds.push_back(static_cast<i32>(i));
    if (const Strong code(PyObject_GetAttrString(raised, "code")); code && PyLong_Check(code.get())) {
        const long long value = PyLong_AsLongLong(code.get());
        if (!PyErr_Occurred()) failure.code = value;
    }
    PyErr_Clear();
    raise_again(raised);
}
#endif

/// Lets go of what a call has kept until its end; what is raised stays that.
[[gnu::cold, gnu::noinline]] inline void let_go_after(Outer &call) {
    PyObject *raised = take_raised();
    call.let_go();
    if (raised != nullptr) raise_again(raised);
}

}  // namespace wg::cpython

#endif  // WG_CPYTHON_RAISED_HPP
