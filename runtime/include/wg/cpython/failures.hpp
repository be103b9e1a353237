// The package that an extension serves, and failures as its exceptions.
// Static: the same for all packages. Included by generated C++ only, after Python.h.
#ifndef WG_CPYTHON_FAILURES_HPP
#define WG_CPYTHON_FAILURES_HPP

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "wg/base/once.hpp"
#include "wg/cpython/python.hpp"
#include "wg/errors/support.hpp"

namespace wg::cpython {

// --- the package --------------------------------------------------------------------------------

/// The Python side of the package: its namespace, and its exceptions.
struct Package {
    PyObject *globals = nullptr;
    PyObject *closed = nullptr;
    PyObject *unavailable = nullptr;
    PyObject *library_base = nullptr;
    PyObject *library = nullptr;
    std::vector<PyObject *> declared;
    bool (*set_attributes)(PyObject *raised, i32 index, void *attributes) = nullptr;  // where exceptions have some of their own
};

inline python::Shared<Package *> &current_package() {
    static python::Shared<Package *> here{new Package};
    return here;
}

/// What was published last. It lives as long as the process: objects may outlast everything else, and another thread may be
/// raising one of its exceptions while the package is imported anew.
inline Package &package() { return *python::get(current_package()); }

inline Package &new_package() { return *new Package; }
inline void publish(Package &package) { current_package() = &package; }

// --- failures -----------------------------------------------------------------------------------

[[gnu::cold]] WG_ONCE PyObject *exception_of(i32 kind) WG_ELSEWHERE
#if WG_HAS_BODIES
{
    switch (static_cast<Kind>(kind)) {
        case Kind::closed: return package().closed;
        case Kind::memory: return PyExc_MemoryError;
        case Kind::value: return PyExc_ValueError;
        case Kind::index: return PyExc_IndexError;
        case Kind::overflow: return PyExc_OverflowError;
        case Kind::unavailable: return package().unavailable;
        case Kind::not_implemented: return PyExc_NotImplementedError;
        case Kind::misfit: return PyExc_TypeError;
        case Kind::exported: return PyExc_BufferError;
        default: return package().library;
    }
}
#endif

constexpr const char *note_capsule = "wrapper_gen.note";

/// The text of a note, made when it is read; a capsule holds the note.
inline PyObject *note_text(PyObject *capsule, PyObject *) {
    const auto *note = static_cast<const Note *>(PyCapsule_GetPointer(capsule, note_capsule));
    if (note == nullptr) return nullptr;
    const std::string text = text_of(*note);
    return PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace");
}

/// Gives an exception a note that is made when it is read; without memory for it there is none.
[[gnu::cold]] WG_ONCE void add_note(PyObject *raised, Note &&note) WG_ELSEWHERE
#if WG_HAS_BODIES
{
    static PyMethodDef definition = {"note", &note_text, METH_NOARGS, nullptr};
    auto *own = new (std::nothrow) Note(std::move(note));
    PyObject *capsule = own == nullptr ? nullptr : PyCapsule_New(own, note_capsule, [](PyObject *held) {
        delete static_cast<Note *>(PyCapsule_GetPointer(held, note_capsule));
    });
    if (capsule == nullptr) delete own;
    PyObject *make = capsule == nullptr ? nullptr : PyCFunction_New(&definition, capsule);
    PyObject *name = make == nullptr ? nullptr : PyObject_GetAttrString(package().library_base, "__module__");
    PyObject *support = name == nullptr ? nullptr : PyImport_Import(name);
    if (support != nullptr) Py_XDECREF(PyObject_CallMethod(support, "add_lazy_note", "(OO)", raised, make));
    for (PyObject *each : {support, name, make, capsule}) Py_XDECREF(each);
}
#endif

/// The exception that is raised, as an object; no exception is set any more.
WG_ONCE PyObject *take_raised() WG_ELSEWHERE
#if WG_HAS_BODIES
{
#if PY_VERSION_HEX >= 0x030C0000 && (!defined(Py_LIMITED_API) || Py_LIMITED_API + 0 >= 0x030C0000)
    return PyErr_GetRaisedException();
#else
    PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    if (trace != nullptr) PyException_SetTraceback(value, trace);
    Py_XDECREF(type);
    Py_XDECREF(trace);
    return value;
#endif
}
#endif
WG_ONCE void raise_again(PyObject *exception) WG_ELSEWHERE
#if WG_HAS_BODIES
{
#if PY_VERSION_HEX >= 0x030C0000 && (!defined(Py_LIMITED_API) || Py_LIMITED_API + 0 >= 0x030C0000)
    PyErr_SetRaisedException(exception);
#else
    PyErr_Restore(Py_NewRef(reinterpret_cast<PyObject *>(Py_TYPE(exception))), exception, PyException_GetTraceback(exception));
#endif
}
#endif

/// Says on an exception why it has not the attributes that its class has.
[[gnu::cold]] WG_ONCE void note_missing_attributes(PyObject *raised) WG_ELSEWHERE
#if WG_HAS_BODIES
{
    PyObject *why = take_raised();
    PyObject *note = PyUnicode_FromFormat("its attributes cannot be told: %S", why);
    Py_DECREF(why);
    if (note == nullptr) return;
    Py_XDECREF(PyObject_CallMethod(raised, "add_note", "(O)", note));
    Py_DECREF(note);
}
#endif

/// Raises what the spec declares for a failure, with the library's own code, name and note.
[[gnu::cold]] WG_ONCE void raise_declared(Failure &last, PyObject *message) WG_ELSEWHERE
#if WG_HAS_BODIES
{
    Note note = std::exchange(last.note, nullptr);  // what follows may run calls that fail
    const Attributes attributes = std::exchange(last.attributes, nullptr);
    const i32 index = last.kind - static_cast<i32>(Kind::declared);
    PyObject *type = index < 0 ? exception_of(last.kind) : package().declared[static_cast<std::size_t>(index)];
    PyObject *raised = PyObject_CallFunctionObjArgs(type, message, nullptr);
    if (raised == nullptr) return;
    PyObject *name = last.name.empty() ? Py_NewRef(Py_None) : PyUnicode_FromString(last.name.c_str());
    PyObject *code = last.code ? PyLong_FromLongLong(*last.code) : Py_NewRef(Py_None);
    const int ours = PyObject_IsInstance(raised, package().library_base);
    if (name != nullptr && code != nullptr && ours > 0) {
        PyObject_SetAttrString(raised, "code", code);
        PyObject_SetAttrString(raised, "name", name);
    } else if (name != nullptr && code != nullptr && ours == 0 && !last.name.empty()) {
        PyObject *status = last.code ? PyUnicode_FromFormat("%U (%S)", name, code) : Py_NewRef(name);
        if (status != nullptr) Py_XDECREF(PyObject_CallMethod(raised, "add_note", "(O)", status));
        Py_XDECREF(status);
    }
    Py_XDECREF(name);
    Py_XDECREF(code);
    if (attributes && !PyErr_Occurred() && !package().set_attributes(raised, index, attributes.get())) note_missing_attributes(raised);
    if (note && !PyErr_Occurred()) add_note(raised, std::move(note));
    if (!PyErr_Occurred()) PyErr_SetObject(type, raised);
    Py_DECREF(raised);
}
#endif

/// Gives the exception that is raised the one that `std::throw_with_nested` nested in it as its cause.
[[gnu::cold]] WG_ONCE void add_cause(std::exception_ptr cause);

/// Raises this thread's failure.
[[gnu::cold, gnu::noinline]] WG_ONCE PyObject *raise_failure() WG_ELSEWHERE
#if WG_HAS_BODIES
{
    Failure &last = failure();
    const std::exception_ptr cause = std::exchange(last.cause, nullptr);
    PyObject *message =
        PyUnicode_DecodeUTF8(last.message.data(), static_cast<Py_ssize_t>(last.message.size()), "replace");
    if (message != nullptr) {
        if (last.kind >= static_cast<i32>(Kind::declared) || last.code)
            raise_declared(last, message);
        else
            PyErr_SetObject(exception_of(last.kind), message);
        Py_DECREF(message);
    }
    last.kind = 0;
    if (cause != nullptr) add_cause(cause);
    return nullptr;
}
#endif

/// Keeps what is thrown now as this thread's failure: set by a package whose spec declares classes of exceptions.
inline void (*keep_by_class)() = nullptr;

[[gnu::cold, gnu::noinline]] inline PyObject *raise_by_class() {
    keep_by_class();
    return raise_failure();
}

/// Raises what was thrown; only what the spec declares has more than a type and a message.
[[gnu::cold, gnu::noinline]] WG_ONCE PyObject *raise(const std::exception &e) WG_ELSEWHERE
#if WG_HAS_BODIES
{
    if (keep_by_class != nullptr) return raise_by_class();
    const bool plain = typeid(e) == typeid(std::runtime_error);  // the most common one: to ask for all others takes longer
    if (!plain && dynamic_cast<const Declared *>(&e) != nullptr) {
        record(e);
        return raise_failure();
    }
    PyObject *message = PyUnicode_DecodeUTF8(e.what(), static_cast<Py_ssize_t>(std::strlen(e.what())), "replace");
    if (message == nullptr) return nullptr;
    PyErr_SetObject(exception_of(static_cast<i32>(plain ? Kind::other : wg::kind_of(e))), message);
    Py_DECREF(message);
    if (!plain)
        if (const std::exception_ptr cause = nested_in(e)) add_cause(cause);
    return nullptr;
}
#endif

#if defined(__GNUC__) || defined(__clang__)
__attribute__((cold, noinline, no_sanitize("null")))
#endif
inline PyObject *raise_unknown() {
    if (keep_by_class != nullptr) return raise_by_class();
    try {
        throw;
    } catch (const Unwinding &) {
        throw;
    } catch (...) {
        record_unknown();
    }
    return raise_failure();
}

WG_ONCE void add_cause(std::exception_ptr cause) WG_ELSEWHERE
#if WG_HAS_BODIES
{
    static thread_local int depth = 0;
    if (depth == most_causes) return;
    PyObject *const raised = take_raised();
    ++depth;
    try {
        std::rethrow_exception(cause);
    } catch (const std::exception &e) {
        raise(e);
    } catch (...) {
        raise_unknown();
    }
    --depth;
    PyException_SetCause(raised, take_raised());
    raise_again(raised);
}
#endif

// No exception leaves a function that CPython calls: it becomes a Python exception.
#define WG_RAISED                                                          \
    catch (const std::exception &wg_e) { return wg::cpython::raise(wg_e); } \
    catch (...) { return wg::cpython::raise_unknown(); }
// Of a function whose caller does that too: most of what is thrown need not unwind the caller, which takes long.
#define WG_RAISED_HERE \
    catch (const std::exception &wg_e) { return wg::cpython::raise(wg_e); }

/// A class's own name, without its module's.
inline const char *name_of(PyTypeObject *type) { return python::short_name(type); }

/// The class's own name of an object of the wrong type.
inline const char *kind_of(PyObject *value) { return value == Py_None ? "None" : name_of(Py_TYPE(value)); }

/// What a message calls an object of the wrong type: Python knows which package has its class, and with which runtime. A new
/// reference.
[[gnu::cold, gnu::noinline]] WG_ONCE PyObject *described(PyObject *value) WG_ELSEWHERE
#if WG_HAS_BODIES
{
    PyObject *extension = package().globals == nullptr ? nullptr : PyDict_GetItemString(package().globals, "_extension");
    PyObject *said = extension == nullptr ? nullptr : PyObject_CallMethod(extension, "kind_of", "(O)", value);
    if (said != nullptr && PyUnicode_Check(said)) return said;
    Py_XDECREF(said);
    PyErr_Clear();
    return PyUnicode_FromString(kind_of(value));
}
#endif

/// Raises TypeError, unless Python code that ran on the way raised something of its own.
[[gnu::cold, gnu::noinline]] WG_ONCE bool wrong_type(const char *name, const char *wanted, PyObject *value) WG_ELSEWHERE
#if WG_HAS_BODIES
{
    if (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_TypeError)) return false;
    PyErr_Clear();
    if (PyObject *const given = described(value)) {
        PyErr_Format(PyExc_TypeError, "%s: %s is wanted, not %U", name, wanted, given);
        Py_DECREF(given);
    }
    return false;
}
#endif

/// Raises OverflowError; Python refuses to print very large ints.
[[gnu::cold, gnu::noinline]] WG_ONCE bool does_not_fit(const char *name, PyObject *number, const char *type) WG_ELSEWHERE
#if WG_HAS_BODIES
{
    PyErr_Clear();
    PyObject *bits = PyLong_Check(number) ? PyObject_CallMethod(number, "bit_length", nullptr) : nullptr;
    if (bits != nullptr && PyLong_AsLong(bits) > 128)
        PyErr_Format(PyExc_OverflowError, "%s: an int of %S bits does not fit %s", name, bits, type);
    else if (!PyErr_Occurred())
        PyErr_Format(PyExc_OverflowError, "%s: %R does not fit %s", name, number, type);
    Py_XDECREF(bits);
    return false;
}
#endif

[[gnu::cold, gnu::noinline]] inline bool is_closed(const char *name, const char *kind) {
    PyErr_Format(package().closed, "%s: this %s is closed", name, kind);
    return false;
}

}  // namespace wg::cpython

#endif  // WG_CPYTHON_FAILURES_HPP
