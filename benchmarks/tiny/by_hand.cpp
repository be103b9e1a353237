// The limit: what a careful person writes by hand over CPython's own API, with keywords only where calls.py uses them.
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <exception>
#include <new>
#include <vector>

#include "tiny.hpp"

namespace {

struct Object {
    PyObject_HEAD
    bool open;
    alignas(tiny::Counter) unsigned char memory[sizeof(tiny::Counter)];

    tiny::Counter &counter() { return *std::launder(reinterpret_cast<tiny::Counter *>(memory)); }
};

PyTypeObject *counter_type;
PyObject *name_a, *name_b;

[[gnu::cold, gnu::noinline]] PyObject *raise(const std::exception &e) {
    PyErr_SetString(PyExc_RuntimeError, e.what());
    return nullptr;
}

[[gnu::cold, gnu::noinline]] PyObject *closed() {
    PyErr_SetString(PyExc_ValueError, "this Counter is closed");
    return nullptr;
}

[[gnu::cold, gnu::noinline]] PyObject *wrong_count(const char *name, Py_ssize_t wanted, Py_ssize_t given) {
    PyErr_Format(PyExc_TypeError, "%s() takes %zd arguments (%zd given)", name, wanted, given);
    return nullptr;
}

#define RAISED \
    catch (const std::exception &e) { return raise(e); }

bool as_int(PyObject *value, std::int64_t &out) {
    out = PyLong_AsLongLong(value);
    return out != -1 || PyErr_Occurred() == nullptr;
}

bool as_double(PyObject *value, double &out) {
    if (PyFloat_CheckExact(value)) {
        out = PyFloat_AS_DOUBLE(value);
        return true;
    }
    out = PyFloat_AsDouble(value);
    return out != -1.0 || PyErr_Occurred() == nullptr;
}

bool two_by_keyword(PyObject *const *given, Py_ssize_t count, PyObject *names, PyObject **row) {
    row[0] = count > 0 ? given[0] : nullptr;
    row[1] = count > 1 ? given[1] : nullptr;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); ++i) {
        PyObject *name = PyTuple_GET_ITEM(names, i);
        PyObject **slot = name == name_a || PyUnicode_Compare(name, name_a) == 0   ? &row[0]
                          : name == name_b || PyUnicode_Compare(name, name_b) == 0 ? &row[1]
                                                                                   : nullptr;
        if (slot == nullptr || *slot != nullptr) {
            PyErr_Format(PyExc_TypeError, "add() got an unexpected keyword argument '%U'", name);
            return false;
        }
        *slot = given[count + i];
    }
    return true;
}

PyObject *add(PyObject *, PyObject *const *given, Py_ssize_t count, PyObject *names) {
    const Py_ssize_t named = names == nullptr ? 0 : PyTuple_GET_SIZE(names);
    if (count + named != 2) return wrong_count("add", 2, count + named);
    PyObject *row[2];
    if (named > 0) {
        if (!two_by_keyword(given, count, names, row)) return nullptr;
        given = row;
    }
    std::int64_t a, b;
    if (!as_int(given[0], a) || !as_int(given[1], b)) return nullptr;
    try {
        return PyLong_FromLongLong(tiny::add(a, b));
    }
    RAISED
}

PyObject *scale(PyObject *, PyObject *const *given, Py_ssize_t count) {
    if (count != 2) return wrong_count("scale", 2, count);
    double x, factor;
    if (!as_double(given[0], x) || !as_double(given[1], factor)) return nullptr;
    try {
        return PyFloat_FromDouble(tiny::scale(x, factor));
    }
    RAISED
}

PyObject *total(PyObject *, PyObject *values) {
    Py_buffer view;
    if (PyObject_GetBuffer(values, &view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) != 0) return nullptr;
    PyObject *out = nullptr;
    if (view.ndim != 1 || view.format == nullptr || view.format[0] != 'd' || view.format[1] != '\0')
        PyErr_SetString(PyExc_TypeError, "a one-dimensional array of float64 is wanted");
    else
        out = PyFloat_FromDouble(tiny::total(static_cast<const double *>(view.buf), static_cast<std::size_t>(view.shape[0])));
    PyBuffer_Release(&view);
    return out;
}

PyObject *total_of_list(PyObject *, PyObject *values) {
    PyObject *sequence = PySequence_Fast(values, "a sequence is wanted");
    if (sequence == nullptr) return nullptr;
    PyObject *out = nullptr;
    try {
        std::vector<double> numbers(static_cast<std::size_t>(PySequence_Fast_GET_SIZE(sequence)));
        PyObject **items = PySequence_Fast_ITEMS(sequence);
        std::size_t i = 0;
        while (i < numbers.size() && as_double(items[i], numbers[i])) ++i;
        if (i == numbers.size()) out = PyFloat_FromDouble(tiny::total(numbers.data(), numbers.size()));
    } catch (const std::exception &e) {
        raise(e);
    }
    Py_DECREF(sequence);
    return out;
}

PyObject *upper(PyObject *, PyObject *text) {
    Py_ssize_t size;
    const char *data = PyUnicode_AsUTF8AndSize(text, &size);
    if (data == nullptr) return nullptr;
    try {
        const std::string out = tiny::upper(std::string(data, static_cast<std::size_t>(size)));
        return PyUnicode_FromStringAndSize(out.data(), static_cast<Py_ssize_t>(out.size()));
    }
    RAISED
}

PyObject *alive(PyObject *, PyObject *) { return PyLong_FromLongLong(tiny::alive()); }

Object *as_object(PyObject *self) { return reinterpret_cast<Object *>(self); }

PyObject *counter_get(PyObject *self, PyObject *) {
    if (!as_object(self)->open) return closed();
    try {
        return PyLong_FromLongLong(as_object(self)->counter().get());
    }
    RAISED
}

PyObject *counter_value(PyObject *self, void *) { return counter_get(self, nullptr); }

PyObject *counter_add(PyObject *self, PyObject *value) {
    if (!as_object(self)->open) return closed();
    std::int64_t step;
    if (!as_int(value, step)) return nullptr;
    try {
        return PyLong_FromLongLong(as_object(self)->counter().add(step));
    }
    RAISED
}

PyObject *counter_positive(PyObject *self, PyObject *) {
    if (!as_object(self)->open) return closed();
    try {
        return PyBool_FromLong(as_object(self)->counter().positive());
    }
    RAISED
}

PyObject *counter_need(PyObject *self, PyObject *value) {
    if (!as_object(self)->open) return closed();
    std::int64_t least;
    if (!as_int(value, least)) return nullptr;
    try {
        as_object(self)->counter().need(least);
        Py_RETURN_NONE;
    }
    RAISED
}

PyObject *counter_clone(PyObject *self, PyObject *) {
    if (!as_object(self)->open) return closed();
    Object *made = PyObject_New(Object, counter_type);
    if (made == nullptr) return nullptr;
    made->open = false;
    try {
        new (made->memory) tiny::Counter(as_object(self)->counter().clone());
        made->open = true;
        return reinterpret_cast<PyObject *>(made);
    } catch (const std::exception &e) {
        Py_DECREF(made);
        return raise(e);
    }
}

PyObject *make_counter(PyObject *type, PyObject *const *given, std::size_t flags, PyObject *names) {
    const Py_ssize_t count = PyVectorcall_NARGS(flags);
    if (count != 1 || names != nullptr) return wrong_count("Counter", 1, count);
    std::int64_t start;
    if (!as_int(given[0], start)) return nullptr;
    Object *made = PyObject_New(Object, reinterpret_cast<PyTypeObject *>(type));
    if (made == nullptr) return nullptr;
    made->open = false;
    try {
        new (made->memory) tiny::Counter(start);
        made->open = true;
        return reinterpret_cast<PyObject *>(made);
    } catch (const std::exception &e) {
        Py_DECREF(made);
        return raise(e);
    }
}

PyObject *counter_new(PyTypeObject *type, PyObject *given, PyObject *) {
    PyObject *const *row = &PyTuple_GET_ITEM(given, 0);
    return make_counter(reinterpret_cast<PyObject *>(type), row, static_cast<std::size_t>(PyTuple_GET_SIZE(given)), nullptr);
}

void counter_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    if (as_object(self)->open) as_object(self)->counter().~Counter();
    PyObject_Free(self);
    Py_DECREF(reinterpret_cast<PyObject *>(type));
}

template <class F>
PyCFunction any(F *function) {
    return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

PyMethodDef counter_methods[] = {
    {"get", counter_get, METH_NOARGS, nullptr},   {"add", counter_add, METH_O, nullptr},
    {"need", counter_need, METH_O, nullptr},      {"positive", counter_positive, METH_NOARGS, nullptr},
    {"clone", counter_clone, METH_NOARGS, nullptr}, {nullptr, nullptr, 0, nullptr},
};

PyGetSetDef counter_properties[] = {
    {"value", counter_value, nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyMethodDef functions[] = {
    {"add", any(add), METH_FASTCALL | METH_KEYWORDS, nullptr},
    {"scale", any(scale), METH_FASTCALL, nullptr},
    {"total", total, METH_O, nullptr},
    {"total_of_list", total_of_list, METH_O, nullptr},
    {"upper", upper, METH_O, nullptr},
    {"alive", alive, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

PyModuleDef module_definition = {
    PyModuleDef_HEAD_INIT, "by_hand", nullptr, -1, functions, nullptr, nullptr, nullptr, nullptr,
};

}  // namespace

PyMODINIT_FUNC PyInit_by_hand(void) {
    PyType_Slot slots[] = {
        {Py_tp_dealloc, reinterpret_cast<void *>(counter_dealloc)},
        {Py_tp_methods, counter_methods},
        {Py_tp_getset, counter_properties},
        {Py_tp_new, reinterpret_cast<void *>(counter_new)},
        {0, nullptr},
    };
    PyType_Spec spec = {"by_hand.Counter", sizeof(Object), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE, slots};
    PyObject *module = PyModule_Create(&module_definition);
    counter_type = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
    name_a = PyUnicode_InternFromString("a");
    name_b = PyUnicode_InternFromString("b");
    if (module == nullptr || counter_type == nullptr || name_a == nullptr || name_b == nullptr) return nullptr;
    counter_type->tp_vectorcall = make_counter;
    if (PyModule_AddObjectRef(module, "Counter", reinterpret_cast<PyObject *>(counter_type)) != 0) return nullptr;
    return module;
}
