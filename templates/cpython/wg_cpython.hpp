// The cpython engine's foundation: the package it serves, failures as exceptions, and Python's calling conventions.
// Static: the same for all packages. Included by generated C++ only, after Python.h.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "wg_cpython_python.hpp"
#include "wg_support.hpp"

namespace wg::cpython {

// --- the package --------------------------------------------------------------------------------

/// What the Python side of the package told us: its namespace, and its exceptions.
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

[[gnu::cold]] inline PyObject *exception_of(i32 kind) {
    switch (static_cast<Kind>(kind)) {
        case Kind::closed: return package().closed;
        case Kind::memory: return PyExc_MemoryError;
        case Kind::value: return PyExc_ValueError;
        case Kind::index: return PyExc_IndexError;
        case Kind::overflow: return PyExc_OverflowError;
        case Kind::unavailable: return package().unavailable;
        case Kind::not_implemented: return PyExc_NotImplementedError;
        case Kind::misfit: return PyExc_TypeError;
        default: return package().library;
    }
}

constexpr const char *note_capsule = "wrapper_gen.note";

/// The text of a note, made when it is read; a capsule holds the note.
inline PyObject *note_text(PyObject *capsule, PyObject *) {
    const auto *note = static_cast<const Note *>(PyCapsule_GetPointer(capsule, note_capsule));
    if (note == nullptr) return nullptr;
    const std::string text = text_of(*note);
    return PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace");
}

/// Gives an exception a note that is made when somebody reads it; without memory for it there is none.
[[gnu::cold]] inline void add_note(PyObject *raised, Note &&note) {
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

/// Raises what the spec declares for a failure, with the library's own code, name and note.
[[gnu::cold]] inline void raise_declared(Failure &last, PyObject *message) {
    Note note = std::exchange(last.note, nullptr);  // what follows may run calls that fail
    const Attributes attributes = std::exchange(last.attributes, nullptr);
    const i32 index = last.kind - static_cast<i32>(Kind::declared);
    PyObject *type = package().declared[static_cast<std::size_t>(index)];
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
    if (attributes && !PyErr_Occurred()) package().set_attributes(raised, index, attributes.get());
    if (note && !PyErr_Occurred()) add_note(raised, std::move(note));
    if (!PyErr_Occurred()) PyErr_SetObject(type, raised);
    Py_DECREF(raised);
}

/// Raises this thread's failure.
[[gnu::cold, gnu::noinline]] inline PyObject *raise_failure() {
    Failure &last = failure();
    PyObject *message =
        PyUnicode_DecodeUTF8(last.message.data(), static_cast<Py_ssize_t>(last.message.size()), "replace");
    if (message != nullptr) {
        if (last.kind >= static_cast<i32>(Kind::declared))
            raise_declared(last, message);
        else
            PyErr_SetObject(exception_of(last.kind), message);
        Py_DECREF(message);
    }
    last.kind = 0;
    return nullptr;
}

/// Raises what was thrown; only what the spec declares has more to tell than fits a Python exception at once.
[[gnu::cold, gnu::noinline]] inline PyObject *raise(const std::exception &e) {
    const bool plain = typeid(e) == typeid(std::runtime_error);  // the most common one: to ask for all others takes longer
    if (!plain && dynamic_cast<const Declared *>(&e) != nullptr) {
        record(e);
        return raise_failure();
    }
    PyObject *message = PyUnicode_DecodeUTF8(e.what(), static_cast<Py_ssize_t>(std::strlen(e.what())), "replace");
    if (message == nullptr) return nullptr;
    PyErr_SetObject(exception_of(static_cast<i32>(plain ? Kind::other : wg::kind_of(e))), message);
    Py_DECREF(message);
    return nullptr;
}

__attribute__((cold, noinline, no_sanitize("null"))) inline PyObject *raise_unknown() {
    try {
        throw;
    } catch (const Unwinding &) {
        throw;
    } catch (...) {
        record_unknown();
    }
    return raise_failure();
}

// No exception leaves a function that CPython calls: it becomes a Python exception. A package whose spec declares classes
// of exceptions has a definition of its own.
#ifndef WG_RAISED
#define WG_RAISED                                                          \
    catch (const std::exception &wg_e) { return wg::cpython::raise(wg_e); } \
    catch (...) { return wg::cpython::raise_unknown(); }
#endif

/// A class's own name, without its module's.
inline const char *name_of(PyTypeObject *type) { return python::short_name(type); }

/// What a message calls an object of the wrong type.
inline const char *kind_of(PyObject *value) { return value == Py_None ? "None" : name_of(Py_TYPE(value)); }

/// Raises TypeError, unless Python code that ran on the way raised something of its own.
[[gnu::cold, gnu::noinline]] inline bool wrong_type(const char *name, const char *wanted, PyObject *value) {
    if (!PyErr_Occurred() || PyErr_ExceptionMatches(PyExc_TypeError))
        PyErr_Format(PyExc_TypeError, "%s: %s is wanted, not %s", name, wanted, kind_of(value));
    return false;
}

/// Raises OverflowError; Python refuses to print very large ints.
[[gnu::cold, gnu::noinline]] inline bool does_not_fit(const char *name, PyObject *number, const char *type) {
    PyErr_Clear();
    PyObject *bits = PyLong_Check(number) ? PyObject_CallMethod(number, "bit_length", nullptr) : nullptr;
    if (bits != nullptr && PyLong_AsLong(bits) > 128)
        PyErr_Format(PyExc_OverflowError, "%s: an int of %S bits does not fit %s", name, bits, type);
    else if (!PyErr_Occurred())
        PyErr_Format(PyExc_OverflowError, "%s: %R does not fit %s", name, number, type);
    Py_XDECREF(bits);
    return false;
}

[[gnu::cold, gnu::noinline]] inline bool is_closed(const char *name, const char *kind) {
    PyErr_Format(package().closed, "%s: this %s is closed", name, kind);
    return false;
}

// --- calling conventions ------------------------------------------------------------------------

/// What CPython calls, and what several functions share: a row of objects, some of them with a keyword.
using Function = PyObject *(PyObject *self, PyObject *const *arguments, Py_ssize_t given, PyObject *keywords);

/// The keywords of a call that had them in order, after so many other arguments: a call site has the same ones each time.
class KnownKeywords {
public:
#ifdef Py_GIL_DISABLED
    /// Of the first such call: other threads look at them without a lock. `count` is how many arguments there have to be.
    bool are(Py_ssize_t given, PyObject *keywords, Py_ssize_t count) const {
        return keywords != nullptr && keywords == python::get(keywords_) && given + python::tuple_size(keywords) == count;
    }
    void store(Py_ssize_t, PyObject *keywords) {
        if (keywords == nullptr || python::get(keywords_) != nullptr) return;
        if (!python::set_once(keywords_, Py_NewRef(keywords))) Py_DECREF(keywords);
    }

private:
    python::Shared<PyObject *> keywords_{nullptr};
#else
    /// Of the latest one.
    bool are(Py_ssize_t given, PyObject *keywords, Py_ssize_t) const { return keywords == keywords_ && given == given_; }
    void store(Py_ssize_t given, PyObject *keywords) {
        PyObject *before = keywords_;
        keywords_ = Py_XNewRef(keywords);
        given_ = given;
        Py_XDECREF(before);
    }

private:
    PyObject *keywords_ = nullptr;
    Py_ssize_t given_ = -1;
#endif
};

/// One function's parameters: positional and keyword arguments become one row of objects, as Python itself does it.
struct Signature {
    const char *name;
    const char *const *parameters;
    Py_ssize_t count;
    Py_ssize_t required;
    Py_ssize_t implied;      // 1 when Python counts an instance or a class too
    const char *defaults;    // a tuple of Python, for the parameters after `required`
    const char *const *former = nullptr;  // a keyword that a parameter had formerly, or null; none at all where null
    python::Shared<PyObject **> interned{nullptr};  // `count` of them, made at the first call with keywords
    python::Shared<PyObject *> values{nullptr};     // of `defaults`, made when one is first needed
    KnownKeywords known{};

    /// Whether a call is one whose arguments are known to be a row already.
    bool knows(Py_ssize_t given, PyObject *keywords) const { return known.are(given, keywords, count); }

    /// Calls `function` with all of its arguments in a row.
    [[gnu::noinline]] PyObject *call(Function *function, PyObject *self, PyObject *const *args, Py_ssize_t given, PyObject *keywords) {
        if (in_order(given, keywords)) {
            known.store(given, keywords);
            return function(self, args, count, nullptr);
        }
        try {
            PyObject *few[8];
            std::vector<PyObject *> many(count > 8 ? static_cast<std::size_t>(count) : 0);
            PyObject **row = many.empty() ? few : many.data();
            return bind(args, given, keywords, row) ? function(self, row, count, nullptr) : nullptr;
        }
        WG_RAISED
    }

    /// Whether the arguments are a row already: all of them there, those with a keyword in the parameters' order.
    bool in_order(Py_ssize_t given, PyObject *keywords) const {
        if (keywords == nullptr) return given == count;
        PyObject *const *own = python::get(interned);
        if (own == nullptr || given + python::tuple_size(keywords) != count) return false;
        for (Py_ssize_t i = given; i < count; ++i)
            if (python::tuple_item(keywords, i - given) != own[i]) return false;
        return true;
    }

    [[gnu::cold, gnu::noinline]] bool bind(PyObject *const *args, Py_ssize_t given, PyObject *keywords, PyObject **row) {
        for (Py_ssize_t i = 0; i < count; ++i) row[i] = i < given ? args[i] : nullptr;
        const Py_ssize_t named = keywords == nullptr ? 0 : python::tuple_size(keywords);
        for (Py_ssize_t i = 0; i < named; ++i)
            if (!place(python::tuple_item(keywords, i), args[given + i], given, row)) return false;
        if (given > count) return too_many(given);
        for (Py_ssize_t i = given; i < required; ++i)
            if (row[i] == nullptr) return missing(row);
        if (count > required) {
            if (python::get(values) == nullptr && !evaluate()) return false;
            for (Py_ssize_t i = required; i < count; ++i)
                if (row[i] == nullptr) row[i] = python::tuple_item(python::get(values), i - required);
        }
        return true;
    }

private:
    bool place(PyObject *keyword, PyObject *value, Py_ssize_t given, PyObject **row) {
        if (python::get(interned) == nullptr && !intern()) return false;
        PyObject *const *own = python::get(interned);
        Py_ssize_t at = 0;
        while (at < count && own[at] != keyword) ++at;
        if (at == count)
            for (at = 0; at < count; ++at)
                if (PyUnicode_Compare(own[at], keyword) == 0) break;
        if (at == count && !formerly(keyword, at)) {
            if (!PyErr_Occurred()) PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument '%U'", name, keyword);
            return false;
        }
        if (at < given || row[at] != nullptr) {
            PyErr_Format(PyExc_TypeError, "%s() got multiple values for argument '%s'", name, parameters[at]);
            return false;
        }
        row[at] = value;
        return true;
    }

    /// Whether a parameter had this keyword formerly, and at which place; it says so in a warning, which may be an error.
    bool formerly(PyObject *keyword, Py_ssize_t &at) const {
        if (former == nullptr) return false;
        for (at = 0; at < count; ++at)
            if (former[at] != nullptr && PyUnicode_CompareWithASCIIString(keyword, former[at]) == 0)
                return PyErr_WarnFormat(PyExc_DeprecationWarning, 1, "%s(): the argument '%s' is called '%s' now", name,
                                        former[at], parameters[at]) == 0;
        return false;
    }

    bool intern() {
        std::vector<PyObject *> found;
        for (Py_ssize_t i = 0; i < count; ++i) {
            found.push_back(PyUnicode_InternFromString(parameters[i]));
            if (found.back() == nullptr) return false;
        }
        PyObject **own = new PyObject *[found.size()];
        std::copy(found.begin(), found.end(), own);
        if (!python::set_once(interned, own)) delete[] own;  // another thread was first, with the same interned strs
        return true;
    }

    bool too_many(Py_ssize_t given) const {
        const Py_ssize_t most = count + implied, least = required + implied;
        if (most == least)
            PyErr_Format(PyExc_TypeError, "%s() takes %zd positional argument%s but %zd %s given", name, most,
                         most == 1 ? "" : "s", given + implied, given + implied == 1 ? "was" : "were");
        else
            PyErr_Format(PyExc_TypeError, "%s() takes from %zd to %zd positional arguments but %zd were given", name, least,
                         most, given + implied);
        return false;
    }

    bool missing(PyObject *const *row) const {
        std::vector<const char *> absent;
        for (Py_ssize_t i = 0; i < required; ++i)
            if (row[i] == nullptr) absent.push_back(parameters[i]);
        std::string listed;
        for (std::size_t i = 0; i < absent.size(); ++i) {
            if (i > 0) listed += absent.size() == 2 ? " and " : i + 1 == absent.size() ? ", and " : ", ";
            listed += std::string("'") + absent[i] + "'";
        }
        PyErr_Format(PyExc_TypeError, "%s() missing %zd required positional argument%s: %s", name,
                     static_cast<Py_ssize_t>(absent.size()), absent.size() == 1 ? "" : "s", listed.c_str());
        return false;
    }

    bool evaluate() {
        PyObject *code = Py_CompileString(defaults, name, Py_eval_input);
        if (code == nullptr) return false;
        PyObject *locals = PyDict_New();
        PyObject *found = locals == nullptr ? nullptr : PyEval_EvalCode(code, package().globals, locals);
        Py_XDECREF(locals);
        Py_DECREF(code);
        if (found != nullptr && !python::set_once(values, found)) Py_DECREF(found);
        return found != nullptr;
    }
};

template <class... A, std::size_t... I>
bool take_all(std::tuple<A...> &taken, PyObject *const *args, const char *const *names, std::index_sequence<I...>) {
    return (std::get<I>(taken).take(args[I], names[I]) && ...);
}

/// What a call comes to that refused an argument, once the handles before it were asked whether they are to blame.
[[gnu::cold, gnu::noinline]] inline PyObject *refused([[maybe_unused]] bool is_earlier) { return nullptr; }

/// Whether an argument that was taken is a closed handle after all, which it says then; others never are to blame.
template <class A>
auto blame(const A &argument, const char *name, int) -> decltype(argument.blame(name)) {
    return argument.blame(name);
}

template <class A>
bool blame(const A &, const char *, long) {
    return false;
}

template <class... A, std::size_t... I>
[[gnu::cold]] bool blame_any(const std::tuple<A...> &taken, const char *const *names, std::index_sequence<I...>) {
    return (blame(std::get<I>(taken), names[I], 0) || ...);
}

/// Calls `body` with its arguments converted. One for all functions with such arguments: it is most of their code.
template <class... A>
[[gnu::noinline]] PyObject *call(PyObject *(*body)(PyObject *, A &...), Signature &signature, PyObject *self,
                                 PyObject *const *args, Py_ssize_t given, PyObject *keywords) {
    PyObject *row[sizeof...(A)];
    try {
        if (!signature.in_order(given, keywords)) {
            if (!signature.bind(args, given, keywords, row)) return nullptr;
            args = row;
        }
        std::tuple<A...> taken;
        constexpr std::index_sequence_for<A...> all;
        if (!take_all(taken, args, signature.parameters, all)) return refused(blame_any(taken, signature.parameters, all));
        return std::apply([body, self](A &...each) { return body(self, each...); }, taken);
    }
    WG_RAISED
}

}  // namespace wg::cpython
