// What C has of the library, its callables and one list of lists, bound by hand: no call more than it takes, on the
// thread that has the GIL.
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

#include <stdexcept>
#include <vector>

#include "marshal.hpp"

namespace {

struct Raised : std::exception {};

struct PointObject {
    PyObject_HEAD
    marshal::Point value;
};

PyTypeObject *point_type = nullptr;

PyObject *point_new(PyTypeObject *type, PyObject *arguments, PyObject *) {
    double x = 0, y = 0;
    long long id = 0;
    if (!PyArg_ParseTuple(arguments, "ddL", &x, &y, &id)) return nullptr;
    auto *made = reinterpret_cast<PointObject *>(type->tp_alloc(type, 0));
    if (made != nullptr) made->value = {x, y, id};
    return reinterpret_cast<PyObject *>(made);
}

double called(PyObject *callback, PyObject *argument) {
    if (argument == nullptr) throw Raised();
    PyObject *row[] = {nullptr, argument};
    PyObject *result = PyObject_Vectorcall(callback, row + 1, 1 | PY_VECTORCALL_ARGUMENTS_OFFSET, nullptr);
    Py_DECREF(argument);
    if (result == nullptr) throw Raised();
    const double value = PyFloat_AsDouble(result);
    Py_DECREF(result);
    if (value == -1.0 && PyErr_Occurred()) throw Raised();
    return value;
}

template <class Call>
PyObject *run(PyObject *const *arguments, Py_ssize_t given, Call call) {
    if (given != 2) {
        PyErr_SetString(PyExc_TypeError, "two arguments are wanted");
        return nullptr;
    }
    const long long count = PyLong_AsLongLong(arguments[0]);
    if (count == -1 && PyErr_Occurred()) return nullptr;
    try {
        return PyFloat_FromDouble(call(count, arguments[1]));
    } catch (const Raised &) {
        return nullptr;
    }
}

PyObject *call_with_number(PyObject *, PyObject *const *arguments, Py_ssize_t given) {
    return run(arguments, given, [](long long count, PyObject *callback) {
        return marshal::call_with_number(count, [callback](double x) { return called(callback, PyFloat_FromDouble(x)); });
    });
}

PyObject *call_with_point(PyObject *, PyObject *const *arguments, Py_ssize_t given) {
    return run(arguments, given, [](long long count, PyObject *callback) {
        return marshal::call_with_point(count, [callback](const marshal::Point &point) {
            auto *made = PyObject_New(PointObject, point_type);
            if (made != nullptr) made->value = point;
            return called(callback, reinterpret_cast<PyObject *>(made));
        });
    });
}

bool number(PyObject *argument, std::int64_t &value) {
    value = PyLong_AsLongLong(argument);
    return value != -1 || !PyErr_Occurred();
}

PyObject *half(PyObject *, PyObject *argument) {
    std::int64_t value, low;
    if (!number(argument, value)) return nullptr;
    marshal::half(value, &low);
    return PyLong_FromLongLong(low);
}

PyObject *halves(PyObject *, PyObject *argument) {
    std::int64_t value, low, high;
    if (!number(argument, value)) return nullptr;
    marshal::halves(value, &low, &high);
    PyObject *made = PyTuple_New(2);
    PyObject *items[] = {PyLong_FromLongLong(low), PyLong_FromLongLong(high)};
    if (made == nullptr || items[0] == nullptr || items[1] == nullptr) return nullptr;
    PyTuple_SET_ITEM(made, 0, items[0]);
    PyTuple_SET_ITEM(made, 1, items[1]);
    return made;
}

PyObject *fill(PyObject *, PyObject *argument) {
    std::int64_t size;
    if (!number(argument, size)) return nullptr;
    PyObject *made = PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(size));
    if (made != nullptr) marshal::fill(PyBytes_AS_STRING(made), static_cast<std::size_t>(size));
    return made;
}

PyObject *list(const std::vector<double> &values) {
    PyObject *made = PyList_New(static_cast<Py_ssize_t>(values.size()));
    for (std::size_t i = 0; made != nullptr && i < values.size(); ++i) {
        PyObject *item = PyFloat_FromDouble(values[i]);
        if (item == nullptr) Py_CLEAR(made);
        else PyList_SET_ITEM(made, static_cast<Py_ssize_t>(i), item);
    }
    return made;
}

PyObject *give_rows(PyObject *, PyObject *argument) {
    std::int64_t size;
    if (!number(argument, size)) return nullptr;
    const marshal::Rows &rows = marshal::give_rows(size);
    PyObject *made = PyList_New(static_cast<Py_ssize_t>(rows.size()));
    for (std::size_t i = 0; made != nullptr && i < rows.size(); ++i) {
        PyObject *item = list(rows[i]);
        if (item == nullptr) Py_CLEAR(made);
        else PyList_SET_ITEM(made, static_cast<Py_ssize_t>(i), item);
    }
    return made;
}

PyMemberDef members[] = {
    {"x", T_DOUBLE, offsetof(PointObject, value.x), READONLY, nullptr},
    {"y", T_DOUBLE, offsetof(PointObject, value.y), READONLY, nullptr},
    {"id", T_LONGLONG, offsetof(PointObject, value.id), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};
PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void *>(&point_new)}, {Py_tp_members, members}, {0, nullptr}};
PyType_Spec spec = {"by_hand.Point", sizeof(PointObject), 0, Py_TPFLAGS_DEFAULT, slots};

PyMethodDef functions[] = {
    {"call_with_number", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&call_with_number)), METH_FASTCALL, nullptr},
    {"call_with_point", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&call_with_point)), METH_FASTCALL, nullptr},
    {"half", &half, METH_O, nullptr},
    {"halves", &halves, METH_O, nullptr},
    {"fill", &fill, METH_O, nullptr},
    {"give_rows", &give_rows, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr},
};
PyModuleDef definition = {PyModuleDef_HEAD_INIT, "by_hand", nullptr, -1, functions, nullptr, nullptr, nullptr, nullptr};

}  // namespace

PyMODINIT_FUNC PyInit_by_hand(void) {
    PyObject *module = PyModule_Create(&definition);
    point_type = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
    if (module == nullptr || point_type == nullptr) return nullptr;
    PyModule_AddObjectRef(module, "Point", reinterpret_cast<PyObject *>(point_type));
    return module;
}
