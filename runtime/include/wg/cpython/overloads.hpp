// Functions that several forms share a name of: which of them a call is meant for.
// Static: the same for all packages. Included by generated C++ only, after Python.h.
//
// Each parameter says how well an object fits: 1 exactly, 2 converted, 3 an int as a float, 4 a float or an int as a complex
// number, 0 not at all. A form fits as its worst
// argument does; the best form is called, the first of those that fit equally well. Nothing is converted for that.
#ifndef WG_CPYTHON_OVERLOADS_HPP
#define WG_CPYTHON_OVERLOADS_HPP

#include <algorithm>
#include <string>
#include <vector>

#include "wg/base/once.hpp"
#include "wg/cpython/handles.hpp"
#include "wg/cpython/records.hpp"

namespace wg::cpython {

inline int level_if(bool fits, int level = 2) { return fits ? level : 0; }
constexpr int beyond_levels = 5;  // worse than any

/// Whether its class is one of Python's own, about which there is nothing to look up.
inline bool is_plain(PyObject *value) {
    return PyLong_CheckExact(value) || PyFloat_CheckExact(value) || PyUnicode_CheckExact(value) || PyList_CheckExact(value) ||
           PyTuple_CheckExact(value) || PyDict_CheckExact(value) || PyBool_Check(value) || value == Py_None;
}

struct FitsBool {
    static int level(PyObject *value) { return PyBool_Check(value) ? 1 : level_if(python::is_numpy_bool(value)); }
};

struct FitsInt {
    static int level(PyObject *value) {
        if (PyLong_CheckExact(value)) return 1;
        if (PyFloat_CheckExact(value) || PyUnicode_CheckExact(value)) return 0;  // before what the limited API has functions for
        return level_if(PyIndex_Check(value) && !python::is_numpy_bool(value) && !has_length(value));
    }
};

struct FitsFloat {
    static int level(PyObject *value) {
        if (PyFloat_CheckExact(value)) return 1;
        if (PyLong_CheckExact(value)) return 3;
        if (is_plain(value) || is_any_bool(value) || has_length(value) || python::is_numpy_complex(value)) return 0;
        return PyIndex_Check(value) ? 3 : level_if(PyFloat_Check(value) || has_attribute(value, "__float__"));
    }
};

struct FitsComplex {
    static int level(PyObject *value) {
        if (PyComplex_CheckExact(value)) return 1;
        if (is_plain(value)) return level_if(PyFloat_CheckExact(value) || PyLong_CheckExact(value), 4);
        if (is_any_bool(value) || has_length(value)) return 0;
        if (PyComplex_Check(value) || python::is_numpy_complex(value)) return 2;
        if (PyIndex_Check(value) || has_attribute(value, "__float__")) return 4;
        return level_if(has_attribute(value, "__complex__"));
    }
};

struct FitsText {
    static int level(PyObject *value) {
        if (PyUnicode_CheckExact(value)) return 1;
        return level_if(!PyLong_CheckExact(value) && !PyFloat_CheckExact(value) && PyUnicode_Check(value));
    }
};

struct FitsBytes {
    static int level(PyObject *value) { return PyBytes_CheckExact(value) ? 1 : level_if(PyObject_CheckBuffer(value)); }
};

struct FitsPath {
    static int level(PyObject *value) { return PyUnicode_Check(value) ? 2 : level_if(!is_plain(value) && has_attribute(value, "__fspath__"), 1); }
};

inline int level_of_instance(PyObject *type, PyObject *value) {
    if (type == nullptr) return -1;
    if (reinterpret_cast<PyObject *>(Py_TYPE(value)) == type) return 1;
    return level_if(PyObject_TypeCheck(value, reinterpret_cast<PyTypeObject *>(type)));
}

struct FitsDuration {
    static int level(PyObject *value) {
        static Imported imported;
        return level_of_instance(imported.get("datetime", "timedelta"), value);
    }
};

struct FitsDateTime {
    static int level(PyObject *value) {
        static Imported imported;
        return level_of_instance(imported.get("datetime", "datetime"), value);
    }
};

struct FitsAnything {
    static int level(PyObject *) { return 2; }
};

struct FitsCallable {
    static int level(PyObject *value) { return level_if(PyCallable_Check(value)); }
};

inline int level_of(PyTypeObject *type, PyObject *value) {
    return Py_TYPE(value) == type ? 1 : level_if(PyType_IsSubtype(Py_TYPE(value), type));
}

template <class H>
struct FitsHandle {
    static int level(PyObject *value) { return level_of(Traits<H>::type, value); }
};

template <class S>
struct FitsRecord {
    static int level(PyObject *value) { return level_of(Record<S>::type, value); }
};

template <class Tag>
struct FitsEnum {
    static int level(PyObject *value) {
        auto *const type = reinterpret_cast<PyTypeObject *>(python::get(Tag::type));
        return PyType_IsSubtype(Py_TYPE(value), type) ? 1 : level_if(PyLong_CheckExact(value));
    }
};

template <class T, int dimensions>
struct FitsMemory {
    static int level(PyObject *value) {
        if (!PyObject_CheckBuffer(value)) return level_if(!is_plain(value) && has_attribute(value, "__dlpack__"));
        Py_buffer view;
        if (PyObject_GetBuffer(value, &view, PyBUF_FULL_RO) != 0) {
            PyErr_Clear();
            return 0;
        }
        const bool fits = Element<std::remove_const_t<T>>::is_in(view) && view.ndim == dimensions && (std::is_const_v<T> || !view.readonly);
        PyBuffer_Release(&view);
        return level_if(fits, 1);
    }
};

template <class F>
struct FitsOptional {
    static int level(PyObject *value) { return value == Py_None || value == Py_Ellipsis ? 1 : F::level(value); }
};

template <class... F>
struct FitsUnion {
    static int level(PyObject *value) {
        int least = 0;
        const auto better = [&](int level) { least = level != 0 && (least == 0 || level < least) ? level : least; };
        (better(F::level(value)), ...);
        return least;
    }
};

/// The worst of several; 0 where one does not fit.
inline bool worsen(int &worst, int level) {
    worst = level <= 0 || worst <= 0 ? (worst < 0 ? worst : level) : level > worst ? level : worst;
    return worst > 0;
}

/// Whether to ask about Python's own numbers and texts runs no Python code.
template <class F>
constexpr bool is_of_leaves = std::is_same_v<F, FitsBool> || std::is_same_v<F, FitsInt> || std::is_same_v<F, FitsFloat> ||
                              std::is_same_v<F, FitsComplex> || std::is_same_v<F, FitsText>;

/// How well the first elements of a list fit that are such, and how many these are.
template <class F>
Py_ssize_t level_of_plain(PyObject *list, int &worst) {
    const python::Alone alone(list);
    const Py_ssize_t size = PyList_Size(list);
    Py_ssize_t i = 0;
    while (i < size) {
        PyObject *const each = python::list_item(list, i);
        const bool is_number = PyFloat_CheckExact(each) || PyLong_CheckExact(each) || PyUnicode_CheckExact(each);
        if (!is_number) break;
        ++i;
        const int level = F::level(each);
        if (level != 1 && !worsen(worst, level)) return size;
    }
    return i;
}

template <class F>
int level_of_all(PyObject *values, int worst) {
    const Strong all(PySequence_Tuple(values));  // what an element does to them does not matter
    if (!all) return -1;
    for (Py_ssize_t i = 0; i < python::tuple_size(all.get()); ++i)
        if (!worsen(worst, F::level(python::tuple_item(all.get(), i)))) break;
    return worst;
}

template <class F>
struct FitsList {
    static int level(PyObject *value) {
        if (PyTuple_CheckExact(value)) return level_of_all<F>(value, 2);
        if (PyList_CheckExact(value)) {
            int worst = 1;
            if constexpr (is_of_leaves<F>)
                if (level_of_plain<F>(value, worst) == PyList_Size(value)) return worst;
            return level_of_all<F>(value, worst);
        }
        if (PyUnicode_Check(value) || PyBytes_Check(value) || PyByteArray_Check(value) || PyDict_Check(value) || PyAnySet_Check(value)) return 0;
        return level_if(!is_plain(value) && (has_attribute(value, "__iter__") || has_attribute(value, "__getitem__")));
    }
};

template <class F>
struct FitsTupleOf {
    static int level(PyObject *value) {
        if (!PyTuple_Check(value) && !PyList_Check(value)) return 0;
        return level_of_all<F>(value, PyTuple_CheckExact(value) ? 1 : 2);
    }
};

template <class F>
struct FitsSet {
    static int level(PyObject *value) {
        if (PySet_CheckExact(value) || PyFrozenSet_CheckExact(value)) return level_of_all<F>(value, 1);
        if (PyAnySet_Check(value)) return 2;
        static Imported imported;
        PyObject *const type = imported.get("collections.abc", "Set");
        if (type == nullptr) return -1;
        const int found = PyObject_IsInstance(value, type);
        if (found < 0) PyErr_Clear();  // what its own `__class__` raises: it is no set
        return level_if(found == 1);
    }
};

template <class K, class V>
struct FitsMap {
    static int level(PyObject *value) {
        if (!PyDict_CheckExact(value)) return level_if(!is_plain(value) && has_attribute(value, "keys") && has_attribute(value, "__getitem__"));
        const Strong keys(PyDict_Keys(value)), values(PyDict_Values(value));
        if (!keys || !values) return -1;
        const int worst = level_of_all<K>(keys.get(), 1);
        return worst <= 0 ? worst : level_of_all<V>(values.get(), worst);
    }
};

template <class... F>
struct FitsTuple {
    static int level(PyObject *value) {
        if (!PyTuple_Check(value) && !PyList_Check(value)) return 0;
        const Strong all(PySequence_Tuple(value));
        if (!all) return -1;
        if (python::tuple_size(all.get()) != static_cast<Py_ssize_t>(sizeof...(F))) return 0;
        int worst = PyTuple_CheckExact(value) ? 1 : 2;
        Py_ssize_t at = 0;
        static_cast<void>((worsen(worst, F::level(python::tuple_item(all.get(), at++))) && ...));
        return worst;
    }
};

/// How well a row of arguments fits.
template <class... F>
int level_of_row(PyObject *const *row) {
    int worst = 1;
    std::size_t at = 0;
    static_cast<void>((worsen(worst, F::level(row[at++])) && ...));
    return worst;
}

/// How well the arguments of a call fit a form; 0 also where they cannot be its arguments, and -1 with an exception set.
/// `most` may stand without a name.
template <class... F>
int level(Signature &signature, Py_ssize_t most, PyObject *const *args, Py_ssize_t given, PyObject *keywords) {
    if (given > most) return 0;
    if (keywords == nullptr && given == signature.count) return level_of_row<F...>(args);
    if (keywords == nullptr && given < signature.required) return 0;
    PyObject *row[sizeof...(F)];
    PyObject *const *const all = signature.arrange(args, given, keywords, row);
    if (all != nullptr) return level_of_row<F...>(all);
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) return -1;
    PyErr_Clear();
    return 0;
}

/// The same of a form without parameters.
inline int level_of_none(Py_ssize_t given, PyObject *keywords) {
    return level_if(given == 0 && (keywords == nullptr || python::tuple_size(keywords) == 0), 1);
}

/// One form of a function; `plain` is it where it has no parameters.
struct Form {
    int (*level)(PyObject *const *, Py_ssize_t, PyObject *);
    PyObject *(*call)(PyObject *, PyObject *const *, Py_ssize_t, PyObject *);
    PyObject *(*plain)(PyObject *, PyObject *);
    const char *shown;
};

/// What memory is of, where it is not of bytes.
[[gnu::cold]] WG_ONCE std::string shown_memory(PyObject *value) WG_ELSEWHERE
#if WG_HAS_BODIES
{
    Py_buffer view;
    if (!PyObject_CheckBuffer(value) || PyObject_GetBuffer(value, &view, PyBUF_FULL_RO) != 0) return PyErr_Clear(), std::string();
    const std::string format = view.format == nullptr ? "B" : view.format;
    std::string text;
    if (format != "B" || view.ndim != 1) {
        text = std::string(view.readonly ? " (read-only)" : "") + " of format '" + format + "' with " + std::to_string(view.ndim) + " dimension" + (view.ndim == 1 ? "" : "s");
    }
    PyBuffer_Release(&view);
    return text;
}
#endif

/// The name of an argument's type; of a list with those of its items, as one of them may be why no form takes it.
[[gnu::cold, gnu::noinline]] WG_ONCE std::string shown_type(PyObject *value) WG_ELSEWHERE
#if WG_HAS_BODIES
{
    std::string text = name_of(Py_TYPE(value)) + shown_memory(value);
    PyObject *const items = PyList_CheckExact(value) ? PyList_AsTuple(value) : nullptr;
    if (items == nullptr) {
        PyErr_Clear();  // no memory: the list goes without
        return text;
    }
    std::vector<std::string> names;
    for (Py_ssize_t i = 0; i < python::tuple_size(items) && names.size() < 4; ++i) {
        const std::string name = name_of(Py_TYPE(python::tuple_item(items, i)));
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
    Py_DECREF(items);
    for (std::size_t i = 0; i < names.size(); ++i) text += (i == 0 ? "[" : " | ") + (i < 3 ? names[i] : "...");
    return names.empty() ? text : text + "]";
}
#endif

template <class F>
[[gnu::cold, gnu::noinline]] PyObject *no_form(const char *name, const F *forms, std::size_t count, PyObject *const *args,
                                                      Py_ssize_t given, PyObject *keywords, Py_ssize_t implied = 0) {
    std::string text = std::string(name) + "() takes no (";
    const Py_ssize_t named = keywords == nullptr ? 0 : python::tuple_size(keywords);
    for (Py_ssize_t i = implied; i < given + named; ++i) {
        if (i > implied) text += ", ";
        if (i >= given) {
            const char *keyword = PyUnicode_AsUTF8AndSize(python::tuple_item(keywords, i - given), nullptr);
            if (keyword == nullptr) return nullptr;
            text += std::string(keyword) + "=";
        }
        text += shown_type(args[i]);
    }
    text += "); it takes one of these:";
    for (std::size_t i = 0; i < count; ++i) text += std::string("\n    ") + forms[i].shown;
    PyErr_SetString(PyExc_TypeError, text.c_str());
    return nullptr;
}

/// Finds the form that fits best; `best` stays null where none does, and false is returned where one raises.
template <std::size_t count>
bool find_best(const Form (&forms)[count], const Form *&best, PyObject *const *args, Py_ssize_t given, PyObject *keywords) {
    int least = beyond_levels;
    for (const Form &form : forms) {
        const int level = form.level(args, given, keywords);
        if (level < 0) return false;
        if (level == 0 || level >= least) continue;
        best = &form;
        least = level;
        if (level == 1) break;
    }
    return true;
}

/// Calls the form that fits best; messages leave out the first `implied` arguments.
template <std::size_t count>
PyObject *call_best(const char *name, const Form (&forms)[count], PyObject *self, PyObject *const *args, Py_ssize_t given, PyObject *keywords,
                    Py_ssize_t implied = 0) {
    const Form *best = nullptr;
    if (!find_best(forms, best, args, given, keywords)) return nullptr;
    if (best == nullptr) return no_form(name, forms, count, args, given, keywords, implied);
    return best->plain != nullptr ? best->plain(self, nullptr) : best->call(self, args, given, keywords);
}

/// The same of an operator that is no slot: what fits no form is for the other operand to know.
template <std::size_t count>
PyObject *operate_best_of(const Form (&forms)[count], PyObject *self, PyObject *const *args, Py_ssize_t given, PyObject *keywords) {
    const Form *best = nullptr;
    if (!find_best(forms, best, args, given, keywords)) return nullptr;
    return best == nullptr ? Py_NewRef(Py_NotImplemented) : best->call(self, args, given, keywords);
}

}  // namespace wg::cpython

#endif  // WG_CPYTHON_OVERLOADS_HPP
