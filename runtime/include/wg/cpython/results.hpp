// Results of the cpython engine: what a call gave, as Python objects.
// Static: the same for all packages. Included by generated C++ only.
#ifndef WG_CPYTHON_RESULTS_HPP
#define WG_CPYTHON_RESULTS_HPP

#include "wg/base/once.hpp"
#include "wg/cpython/classes.hpp"
#include "wg/cpython/handles.hpp"
#include "wg/cpython/own_calls.hpp"
#include "wg/base/gil.hpp"

namespace wg::cpython {

/// Lets other Python threads run while a call does.
class WithoutGil {
public:
    WithoutGil() : state_(PyEval_SaveThread()) {}
    WithoutGil(const WithoutGil &) = delete;
    WithoutGil &operator=(const WithoutGil &) = delete;
    ~WithoutGil() { gil::take(state_); }

private:
    PyThreadState *state_;
};

/// Runs a call without the GIL.
template <class Call>
decltype(auto) blocking(Call &&call) {
    const WithoutGil other_threads_run;
    return call();
}

/// Most numbers are one of these ints, of which CPython has one object each: to find it here costs no call.
struct SmallInts {
    static constexpr int least = -5, most = 256;
    static inline PyObject *all[most - least + 1] = {};

    /// At the import, before any of them is given.
    static bool start() {
        for (int i = least; i <= most; ++i)
            if (all[i - least] == nullptr && (all[i - least] = PyLong_FromLong(i)) == nullptr) return false;
        return true;
    }

    /// Null for a number that is none.
    template <class T>
    static PyObject *find(T value) {
        if constexpr (std::is_signed_v<T>) {
            const i64 wide = value;
            return wide >= least && wide <= most ? all[wide - least] : nullptr;
        } else {
            const u64 wide = value;
            return wide <= most ? all[static_cast<int>(wide) - least] : nullptr;
        }
    }
};

template <class T>
PyObject *number(T value) {
    if constexpr (std::is_same_v<T, bool>) {
        return Py_NewRef(value ? Py_True : Py_False);
    } else if constexpr (std::is_floating_point_v<T>) {
        return PyFloat_FromDouble(static_cast<double>(value));
    } else {
        if (PyObject *small = SmallInts::find(value)) return Py_NewRef(small);
        return std::is_signed_v<T> ? PyLong_FromLongLong(static_cast<i64>(value)) : PyLong_FromUnsignedLongLong(static_cast<u64>(value));
    }
}

using python::text;

inline PyObject *bytes(const std::string &value) {
    return PyBytes_FromStringAndSize(value.data(), static_cast<Py_ssize_t>(value.size()));
}

/// A list of what `each` makes of the values. In line: short lists of lists gain by it.
template <class V, class Each>
[[gnu::always_inline]] inline PyObject *list(V &&values, Each &&each) {
    Strong out(PyList_New(static_cast<Py_ssize_t>(values.size())));
    if (!out) return nullptr;
    Py_ssize_t i = 0;
    for (auto &&value : values) {
        PyObject *item = each(std::move(value));
        if (item == nullptr) return nullptr;
        python::set_list_item(out.get(), i++, item);
    }
    return out.release();
}

template <class V, class Each>
PyObject *optional(V &&value, Each &&each) {
    if (!value) Py_RETURN_NONE;
    return each(std::move(*value));
}

/// A value as a member of its enum.
template <class Tag, class E>
PyObject *member(E value) {
    PyObject *plain = number(static_cast<Underlying<E>>(value));
    if (plain == nullptr) return nullptr;
    PyObject *out = python::dict_item(python::get(Tag::members), plain);
    if (out == nullptr && !PyErr_Occurred()) out = PyObject_CallFunctionObjArgs(python::get(Tag::type), plain, nullptr);
    Py_DECREF(plain);
    return out;
}

// --- starting -----------------------------------------------------------------------------------

/// An attribute of the package's namespace, for as long as the process lives.
WG_ONCE bool fetch_global(PyObject *globals, const char *name, PyObject **out) WG_ELSEWHERE
#if WG_HAS_BODIES
{
    PyObject *found = PyDict_GetItemString(globals, name);
    if (found == nullptr) {
        PyErr_Format(PyExc_ImportError, "the package has no %s", name);
        return false;
    }
    *out = Py_NewRef(found);
    return true;
}
#endif

inline bool remember_package(Package &package, PyObject *globals, const char *error) {
    package.globals = Py_NewRef(globals);
    return fetch_global(globals, "ClosedHandleError", &package.closed) &&
           fetch_global(globals, "LibraryUnavailable", &package.unavailable) &&
           fetch_global(globals, "_LibraryError", &package.library_base) && fetch_global(globals, error, &package.library);
}

/// An exception that the spec declares: the package's own, or Python's.
WG_ONCE bool remember_exception(Package &package, PyObject *globals, const char *name) WG_ELSEWHERE
#if WG_HAS_BODIES
{
    PyObject *found = nullptr;
    PyObject *where = PyDict_GetItemString(globals, name) != nullptr ? globals : PyEval_GetBuiltins();
    if (!fetch_global(where, name, &found)) return false;
    package.declared.push_back(found);
    return true;
}
#endif

/// An enum, with the dict of its members by value.
template <class Tag>
bool remember_enum(PyObject *globals, const char *name) {
    PyObject *type = nullptr;
    if (!fetch_global(globals, name, &type)) return false;
    PyObject *members = PyObject_GetAttrString(type, "_value2member_map_");
    Tag::type = type;
    Tag::members = members;
    return members != nullptr;
}

inline bool add(PyObject *namespace_, const char *name, PyObject *value) {
    if (value == nullptr) return false;
    const bool good = PyDict_SetItemString(namespace_, name, value) == 0;
    Py_DECREF(value);
    return good;
}

/// A handle type, made once; `slots` are those that not every class has.
template <class H>
bool add_type(PyObject *namespace_, const char *qualified, const char *doc, PyMethodDef *methods, PyGetSetDef *properties,
              const PyType_Slot *slots = nullptr) {
    if (Traits<H>::type == nullptr) Traits<H>::type = make_type<H>(qualified, doc, methods, properties, slots);
    PyObject *type = python::uncounted(reinterpret_cast<PyObject *>(Traits<H>::type));
    return type != nullptr && add(namespace_, Traits<H>::name, Py_NewRef(type));
}

/// The values of an enum, as a tuple; after them stands how they cross (`enum_bits`).
WG_ONCE bool add_values(PyObject *module, const char *name, const std::int64_t *values, Py_ssize_t size) WG_ELSEWHERE
#if WG_HAS_BODIES
{
    Strong tuple(PyTuple_New(size));
    if (!tuple) return false;
    for (Py_ssize_t i = 0; i < size; ++i) {
        PyObject *value = values[size] == 64 ? number(static_cast<u64>(values[i])) : number(values[i]);
        if (value == nullptr) return false;
        python::set_tuple_item(tuple.get(), i, value);
    }
    return PyModule_AddObjectRef(module, name, tuple.get()) == 0;
}
#endif

/// Functions under their names, as functions of the package.
WG_ONCE bool add_functions(PyObject *namespace_, PyMethodDef *functions, const char *module) WG_ELSEWHERE
#if WG_HAS_BODIES
{
    PyObject *owner = PyUnicode_InternFromString(module);
    if (owner == nullptr) return false;
    bool good = true;
    for (PyMethodDef *each = functions; good && each->ml_name != nullptr; ++each)
        good = add(namespace_, each->ml_name, python::uncounted(PyCFunction_NewEx(each, nullptr, owner)));
    Py_DECREF(owner);
    return good;
}
#endif

}  // namespace wg::cpython

#endif  // WG_CPYTHON_RESULTS_HPP
