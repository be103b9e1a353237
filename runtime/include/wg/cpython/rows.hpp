// The rows of cpython.cpp: of a function that CPython calls, of a handle type, of the module.
// Static: the same for all packages. Included by generated C++ only.
//
// A row of a function has the statements that are run when its arguments were taken: that of the parameter `x` is called `x_`, and the
// object `self`. `how` is the function of the runtime that takes them, `text` the signature as `inspect` reads it, and `shown` the
// function's name in messages; after that stand the defaults, where what `inspect` shows cannot be evaluated, and former keywords.
#ifndef WG_CPYTHON_ROWS_HPP
#define WG_CPYTHON_ROWS_HPP

#include "wg/cpython/calls.hpp"
#include "wg/cpython/shown_signature.hpp"

/// What stands in parentheses.
#define WG_ROW_LIST(...) __VA_ARGS__
/// The parameters of the function with the statements.
#define WG_ROW_TAKES(...) ([[maybe_unused]] PyObject *wg_self, __VA_ARGS__)
/// The parameters of a function that CPython calls by its fastest convention, and what those pass on.
#define WG_ROW_GETS [[maybe_unused]] PyObject *wg_self, PyObject *const *wg_arguments, Py_ssize_t wg_given, PyObject *wg_keywords
#define WG_ROW_GIVEN wg_arguments, wg_given, wg_keywords

// --- functions, methods and properties --------------------------------------------------------------------------------

/// Of a function or method with arguments.
#define WG_DEFINE(name, text, shown, how, parameters, ...) \
    static PyObject *name##_wg_body WG_ROW_TAKES parameters { try { __VA_ARGS__ } WG_RAISED_HERE } \
    WG_ROW_CALLS(name, text, shown, how)
/// The same where an argument has to end before what is thrown is caught: a callable.
#define WG_DEFINE_PASSING(name, text, shown, how, parameters, ...) \
    static PyObject *name##_wg_body WG_ROW_TAKES parameters { __VA_ARGS__ } \
    WG_ROW_CALLS(name, text, shown, how)
#define WG_ROW_CALLS(name, text, shown, how) \
    static wg::cpython::Signature name##_wg_signature = wg::cpython::signature<wg::cpython::taken_by(name##_wg_body), text>(WG_ROW_LIST shown); \
    PyObject *name(WG_ROW_GETS) { \
        return wg::cpython::how(name##_wg_body, name##_wg_signature, wg_self, WG_ROW_GIVEN); \
    }
/// Of one without arguments.
#define WG_DEFINE_0(name, ...) \
    PyObject *name([[maybe_unused]] PyObject *wg_self, PyObject *) { try { __VA_ARGS__ } WG_RAISED }
#define WG_GETTER(name, ...) \
    PyObject *name(PyObject *wg_self, void *) { try { __VA_ARGS__ } WG_RAISED }
#define WG_SETTER(name, shown, parameters, ...) \
    static PyObject *name##_wg_body WG_ROW_TAKES parameters { try { __VA_ARGS__ } WG_RAISED_HERE } \
    int name(PyObject *wg_self, PyObject *wg_value, void *) { \
        return wg::cpython::set_property(name##_wg_body, shown, wg_self, wg_value); \
    }

#define WG_SETTER_PASSING(name, shown, parameters, ...) \
    static PyObject *name##_wg_body WG_ROW_TAKES parameters { __VA_ARGS__ } \
    int name(PyObject *wg_self, PyObject *wg_value, void *) { return wg::cpython::set_property(name##_wg_body, shown, wg_self, wg_value); }

// --- what makes objects ------------------------------------------------------------------------------------------------

/// Of a function that is a method of the class too, with the same arguments.
#define WG_MAKER(name, H, text, shown, how, parameters, ...) \
    static PyObject *name##_wg_body WG_ROW_TAKES parameters { try { __VA_ARGS__ } WG_RAISED_HERE } \
    WG_ROW_MAKES(name, H, text, shown, how)
#define WG_MAKER_PASSING(name, H, text, shown, how, parameters, ...) \
    static PyObject *name##_wg_body WG_ROW_TAKES parameters { __VA_ARGS__ } \
    WG_ROW_MAKES(name, H, text, shown, how)
#define WG_ROW_MAKES(name, H, text, shown, how) \
    static wg::cpython::Signature name##_wg_signature = wg::cpython::signature<wg::cpython::taken_by(name##_wg_body), text>(WG_ROW_LIST shown); \
    static wg::cpython::Signature name##_of_class = wg::cpython::signature_in_class<text>(#H "." WG_ROW_LIST shown); \
    PyObject *name(WG_ROW_GETS) { \
        PyObject *exact = reinterpret_cast<PyObject *>(wg::cpython::Traits<H>::type); \
        return wg::cpython::how(name##_wg_body, name##_wg_signature, exact, WG_ROW_GIVEN); \
    } \
    PyObject *name##_in_class(WG_ROW_GETS) { \
        return wg::cpython::how(name##_wg_body, name##_of_class, wg_self, WG_ROW_GIVEN); \
    }
#define WG_MAKER_0(name, H, ...) \
    static PyObject *name##_wg_body(PyObject *wg_self) { try { __VA_ARGS__ } WG_RAISED } \
    PyObject *name(PyObject *, PyObject *) { \
        return name##_wg_body(reinterpret_cast<PyObject *>(wg::cpython::Traits<H>::type)); \
    } \
    PyObject *name##_in_class(PyObject *wg_self, PyObject *) { return name##_wg_body(wg_self); }
#define WG_CONSTRUCTOR(name, text, shown, parameters, ...) \
    static PyObject *name##_wg_body WG_ROW_TAKES parameters { __VA_ARGS__ } \
    static wg::cpython::Signature name##_wg_signature = wg::cpython::signature_in_class<text>(WG_ROW_LIST shown); \
    WG_ROW_CONSTRUCTS(name, name##_wg_signature)
/// Of one without arguments.
#define WG_CONSTRUCTOR_0(name, shown, ...) \
    static PyObject *name##_wg_body([[maybe_unused]] PyObject *wg_self) { __VA_ARGS__ } \
    WG_ROW_CONSTRUCTS(name, shown)
#define WG_ROW_CONSTRUCTS(name, called) \
    PyObject *name(PyObject *wg_type, PyObject *const *wg_arguments, std::size_t wg_given, PyObject *wg_keywords) { \
        return wg::cpython::make(name##_wg_body, called, wg_type, WG_ROW_GIVEN); \
    } \
    int name##_init(PyObject *wg_self, PyObject *wg_arguments, PyObject *wg_keywords) { \
        return wg::cpython::initialize(name##_wg_body, called, wg_self, wg_arguments, wg_keywords); \
    }

// --- methods of protocols: `how` calls the statements, and catches what they throw ----------------------------------------

#define WG_UNARY_SLOT(name, how, ...) \
    static PyObject *name##_wg_body([[maybe_unused]] PyObject *wg_self) { __VA_ARGS__ } \
    PyObject *name(PyObject *wg_self) { return wg::cpython::how(name##_wg_body, wg_self); }
/// The same in the table of methods.
#define WG_UNARY_METHOD(name, how, ...) \
    static PyObject *name##_wg_body([[maybe_unused]] PyObject *wg_self) { __VA_ARGS__ } \
    PyObject *name(PyObject *wg_self, PyObject *) { return wg::cpython::how(name##_wg_body, wg_self); }
#define WG_NUMBER_SLOT(made, name, how, ...) \
    static Py_ssize_t name##_wg_body([[maybe_unused]] PyObject *wg_self) { __VA_ARGS__ } \
    made name(PyObject *wg_self) { return wg::cpython::how(name##_wg_body, wg_self); }
/// Of an operator, and of an item: `made` is what CPython wants, `names` are those of the arguments in messages.
#define WG_BINARY_SLOT(made, name, how, names, parameters, ...) \
    static PyObject *name##_wg_body WG_ROW_TAKES parameters { __VA_ARGS__ } \
    made name(PyObject *wg_self, PyObject *wg_other) { \
        static constexpr const char *wg_names[] = {WG_ROW_LIST names}; \
        return wg::cpython::how(name##_wg_body, wg_names, wg_self, wg_other); \
    }
#define WG_CONTAINS_SLOT(name, names, parameters, ...) \
    static Py_ssize_t name##_wg_body WG_ROW_TAKES parameters { __VA_ARGS__ } \
    int name(PyObject *wg_self, PyObject *wg_other) { \
        static constexpr const char *wg_names[] = {WG_ROW_LIST names}; \
        return wg::cpython::contains(name##_wg_body, wg_names, wg_self, wg_other); \
    }
#define WG_SETTING_SLOT(name, how, names, parameters, ...) \
    static PyObject *name##_wg_body WG_ROW_TAKES parameters { __VA_ARGS__ } \
    int name(PyObject *wg_self, PyObject *wg_key, PyObject *wg_value) { \
        static constexpr const char *wg_names[] = {WG_ROW_LIST names}; \
        return wg::cpython::how(name##_wg_body, wg_names, wg_self, wg_key, wg_value); \
    }
#define WG_CALL_SLOT(name, text, shown, parameters, ...) \
    static PyObject *name##_wg_body WG_ROW_TAKES parameters { __VA_ARGS__ } \
    static wg::cpython::Signature name##_wg_signature = wg::cpython::signature<wg::cpython::taken_by(name##_wg_body), text>(WG_ROW_LIST shown); \
    WG_ROW_CALLS_OBJECT(name, name##_wg_signature)
#define WG_CALL_SLOT_0(name, shown, ...) \
    static PyObject *name##_wg_body([[maybe_unused]] PyObject *wg_self) { __VA_ARGS__ } \
    WG_ROW_CALLS_OBJECT(name, shown)
#define WG_ROW_CALLS_OBJECT(name, called) \
    PyObject *name(PyObject *wg_self, PyObject *wg_arguments, PyObject *wg_keywords) { \
        return wg::cpython::call_with(name##_wg_body, called, wg_self, wg_arguments, wg_keywords); \
    }
#define WG_BUFFER_SLOT(name, ...) \
    static PyObject *name##_wg_body([[maybe_unused]] PyObject *wg_self) { __VA_ARGS__ } \
    int name(PyObject *wg_self, Py_buffer *wg_view, int wg_flags) { \
        return wg::cpython::export_memory(name##_wg_body, wg_self, wg_view, wg_flags); \
    }

// --- how well arguments fit a form: `types` are those of the parameters ----------------------------------------------------

#define WG_LEVEL(name, positional, ...) \
    int name##_level(PyObject *const *wg_arguments, Py_ssize_t wg_given, PyObject *wg_keywords) { \
        return wg::cpython::level<__VA_ARGS__>(name##_wg_signature, positional, WG_ROW_GIVEN); \
    }
/// The same by the signature of something else.
#define WG_LEVEL_OF(name, signature, positional, ...) \
    int name##_level(PyObject *const *wg_arguments, Py_ssize_t wg_given, PyObject *wg_keywords) { \
        return wg::cpython::level<__VA_ARGS__>(signature, positional, WG_ROW_GIVEN); \
    }
#define WG_LEVEL_0(name) \
    int name##_level(PyObject *const *, Py_ssize_t wg_given, PyObject *wg_keywords) { \
        return wg::cpython::level_of_none(wg_given, wg_keywords); \
    }
#define WG_LEVEL_OF_OPERANDS(name, ...) \
    int name##_level(PyObject *const *wg_row) { return wg::cpython::level_of_operands<__VA_ARGS__>(wg_row); }

// --- what calls the best of several forms, which are in an array; `shown` is its name in messages ----------------------------

#define WG_FORMS_FUNCTION(name, shown) \
    PyObject *name(WG_ROW_GETS) { return wg::cpython::call_best(shown, name##_listed, wg_self, WG_ROW_GIVEN); }
/// Of a method that gets what it is called on as its first argument.
#define WG_FORMS_MEMBER(name, shown) \
    PyObject *name(WG_ROW_GETS) { return wg::cpython::call_best(shown, name##_listed, wg_self, WG_ROW_GIVEN, 1); }
#define WG_FORMS_OPERATOR(name) \
    PyObject *name(WG_ROW_GETS) { return wg::cpython::operate_best_of(name##_listed, wg_self, WG_ROW_GIVEN); }
#define WG_FORMS_CONSTRUCTOR(name, shown) \
    PyObject *name(PyObject *wg_type, PyObject *const *wg_arguments, std::size_t wg_given, PyObject *wg_keywords) { \
        return wg::cpython::call_best(shown, name##_listed, wg_type, wg_arguments, wg::cpython::count_given(wg_given), wg_keywords); \
    } \
    int name##_init(PyObject *wg_self, PyObject *wg_arguments, PyObject *wg_keywords) { \
        return wg::cpython::initialize_best(shown, name##_listed, wg_self, wg_arguments, wg_keywords); \
    }
/// Of a slot with so many objects beside its own.
#define WG_FORMS_SLOT_0(made, name, how, shown) \
    made name(PyObject *wg_self) { return wg::cpython::how(shown, name##_listed, wg_self); }
#define WG_FORMS_SLOT_1(made, name, how, shown) \
    made name(PyObject *wg_self, PyObject *wg_other) { return wg::cpython::how(shown, name##_listed, wg_self, wg_other); }
#define WG_FORMS_SLOT_2(made, name, how, shown) \
    made name(PyObject *wg_self, PyObject *wg_one, PyObject *wg_other) { return wg::cpython::how(shown, name##_listed, wg_self, wg_one, wg_other); }

// --- classes ---------------------------------------------------------------------------------------------------------------

/// Of a handle type: what messages call one, and say of how it is made; `drops` is what releases one.
#define WG_HANDLE_TYPE(space, H, article, how_made, keeps_others, is_alone, drops) \
    template <> \
    struct wg::cpython::Traits<space::H> { \
        static inline PyTypeObject *type = nullptr; \
        static constexpr const char *name = #H; \
        static constexpr const char *wanted = article; \
        static constexpr const char *makers = how_made; \
        static constexpr bool keeps = keeps_others; \
        static constexpr bool is_exclusive = is_alone; \
        static void drop drops \
    };
/// Of an enum, and of a result with names: the tag by which they find their class.
#define WG_ENUM_TAG(tag, article) \
    struct tag { \
        static inline wg::cpython::python::Shared<PyObject *> type{nullptr}; \
        static inline wg::cpython::python::Shared<PyObject *> members{nullptr}; \
        static constexpr const char *wanted = article; \
    };
#define WG_TUPLE_TAG(tag) \
    struct tag { \
        static inline wg::cpython::python::Shared<PyObject *> type{nullptr}; \
    };

// CPython takes functions of every convention under one type.
#define WG_ANY(function) reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function))
#define WG_SLOT(...) reinterpret_cast<void *>(__VA_ARGS__)

/// The methods and properties that handle types of all packages have; those of protocols where the type has none of its own.
#define WG_METHOD_CLOSE(H) \
    {"close", wg::cpython::method_close<H>, METH_NOARGS, "close($self)\n--\n\nRelease the handle now; closing it again does nothing."},
#define WG_METHODS_OF_PROTOCOLS(H) \
    {"__enter__", wg::cpython::method_enter<H>, METH_NOARGS, nullptr}, {"__exit__", wg::cpython::method_exit<H>, METH_VARARGS, nullptr}, \
    {"__reduce__", wg::cpython::refuse_pickle, METH_NOARGS, nullptr}, {"__copy__", wg::cpython::refuse_copy, METH_NOARGS, nullptr}, \
    {"__deepcopy__", wg::cpython::refuse_copy, METH_O, nullptr},
#define WG_PROPERTY_CLOSED {"closed", wg::cpython::get_closed, nullptr, "Whether the handle was closed.", nullptr},
#define WG_NO_MORE_METHODS {nullptr, nullptr, 0, nullptr}
#define WG_NO_MORE_PROPERTIES {nullptr, nullptr, nullptr, nullptr, nullptr}

// --- the module --------------------------------------------------------------------------------------------------------------

#ifdef Py_MOD_PER_INTERPRETER_GIL_SUPPORTED  // `wg_execute` refuses all interpreters but the main one; CPython would not ask it
#define WG_INTERPRETERS {Py_mod_multiple_interpreters, Py_MOD_PER_INTERPRETER_GIL_SUPPORTED},
#else
#define WG_INTERPRETERS
#endif
#ifdef Py_MOD_GIL_NOT_USED
#define WG_WITHOUT_GIL {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#else
#define WG_WITHOUT_GIL
#endif

/// Two phases: after one, CPython would copy the module into other interpreters without asking it. `functions` are the first entries of
/// its table; the rest runs at every import, in whichever interpreter: what the engine knows of Python's objects is there once a process.
#define WG_MODULE(lib, package, functions, ...) \
    namespace { \
    PyObject *wg_add_folder(PyObject *, PyObject *folder) { \
        const char *path = PyBytes_AsString(folder); \
        if (path == nullptr) return nullptr; \
        wg_##lib##_add_folder(path); \
        Py_RETURN_NONE; \
    } \
    PyMethodDef wg_module_functions[] = {WG_ROW_LIST functions {"wg_" #lib "_add_folder", wg_add_folder, METH_O, nullptr}, WG_NO_MORE_METHODS}; \
    int wg_execute(PyObject *module) { \
        if (PyInterpreterState_GetID(PyInterpreterState_Get()) != 0) { \
            PyErr_SetString(PyExc_ImportError, "the cpython engine of " #package " works in the main interpreter only"); \
            return -1; \
        } \
        if (!wg::cpython::SmallInts::start()) return -1; \
        if (PyModule_AddStringConstant(module, "fingerprint", wg_##lib##_fingerprint()) != 0 || \
            PyModule_AddStringConstant(module, "fingerprints", wg_##lib##_fingerprints()) != 0 || \
            PyModule_AddObjectRef(module, "is_stub", Py_False) != 0) \
            return -1; \
        __VA_ARGS__ \
        return 0; \
    } \
    PyModuleDef_Slot wg_slots[] = {{Py_mod_exec, reinterpret_cast<void *>(&wg_execute)}, WG_INTERPRETERS WG_WITHOUT_GIL {0, nullptr}}; \
    PyModuleDef wg_module = {PyModuleDef_HEAD_INIT, #package "._" #package "_cpython", nullptr, 0, wg_module_functions, wg_slots, nullptr, nullptr, nullptr}; \
    } \
    PyMODINIT_FUNC PyInit__##package##_cpython(void); \
    PyMODINIT_FUNC PyInit__##package##_cpython(void) { return PyModuleDef_Init(&wg_module); }

#endif  // WG_CPYTHON_ROWS_HPP
