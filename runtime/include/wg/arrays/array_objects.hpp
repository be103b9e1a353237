// Arrays as Python objects: they export the buffer protocol and DLPack. Both engines have them.
// Static: the same for all packages. Included by generated C++ only, after Python.h.
#ifndef WG_ARRAYS_ARRAY_OBJECTS_HPP
#define WG_ARRAYS_ARRAY_OBJECTS_HPP

#include <cstddef>
#include <cstring>
#include <new>
#include <string>
#include <utility>

#include <structmember.h>

#include "wg/arrays/arrays.hpp"
#include "wg/base/once.hpp"
#include "wg/memory/capsules.hpp"

namespace wg::arrays {

struct Object {
    PyObject_HEAD
    PyObject *weak_references;
    alignas(Array) unsigned char memory[sizeof(Array)];
};
inline Object *as_object(PyObject *self) { return reinterpret_cast<Object *>(self); }
inline Array &array_of(PyObject *self) { return *std::launder(reinterpret_cast<Array *>(as_object(self)->memory)); }

/// The class, made when the extension is imported.
inline PyTypeObject *&type() {
    static PyTypeObject *made = nullptr;
    return made;
}

/// That of arrays on devices.
inline PyTypeObject *&type_on_device() {
    static PyTypeObject *made = nullptr;
    return made;
}
bool start_on_device(const std::string &package);

/// A new object that takes an array over.
WG_ONCE PyObject *give(Array &&array) WG_ELSEWHERE
#if WG_HAS_BODIES
{
    auto *made = reinterpret_cast<PyObject *>(PyObject_GC_New(Object, array.device.is_cpu() ? type() : type_on_device()));
    if (made == nullptr) return nullptr;
    as_object(made)->weak_references = nullptr;
    new (as_object(made)->memory) Array(std::move(array));
    if (!array_of(made).kept().empty()) PyObject_GC_Track(made);  // else it is part of no cycle
    return made;
}
#endif

WG_ONCE void dealloc(PyObject *self) WG_ELSEWHERE
#if WG_HAS_BODIES
{
    PyTypeObject *own = Py_TYPE(self);
    if (PyObject_GC_IsTracked(self)) PyObject_GC_UnTrack(self);
    if (as_object(self)->weak_references != nullptr) PyObject_ClearWeakRefs(self);
    array_of(self).~Array();
    PyObject_GC_Del(self);
    Py_DECREF(reinterpret_cast<PyObject *>(own));
}
#endif

inline int traverse(PyObject *self, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(self));
    for (const Held &each : array_of(self).kept())
        if (each.type->visited != nullptr) Py_VISIT(static_cast<PyObject *>(each.type->visited(*each.cell)));
    return 0;
}

// --- buffers ------------------------------------------------------------------------------------

/// Where memory without elements lies.
inline void *start_of(const Array &array) {
    alignas(64) static char none[64];
    return array.data == nullptr && array.device.is_cpu() ? none : array.data;
}

WG_ONCE int get_buffer(PyObject *self, Py_buffer *view, int flags) WG_ELSEWHERE
#if WG_HAS_BODIES
{
    Array &array = array_of(self);
    const auto wants = [flags](int wanted) { return (flags & wanted) == wanted; };
    const auto in_c = [&array] { return array.is_contiguous('C'); };  // which most do not ask
    const auto in_f = [&array] { return array.is_contiguous('F'); };
    const char *why = nullptr;
    if (wants(PyBUF_WRITABLE) && array.is_readonly) why = "this array is read-only";
    else if ((wants(PyBUF_C_CONTIGUOUS) || !wants(PyBUF_STRIDES)) && !in_c()) why = "this array is not C-contiguous";
    else if (wants(PyBUF_F_CONTIGUOUS) && !in_f()) why = "this array is not Fortran-contiguous";
    else if (wants(PyBUF_ANY_CONTIGUOUS) && !in_c() && !in_f()) why = "this array has gaps between its elements";
    view->obj = nullptr;
    if (why != nullptr) {
        PyErr_SetString(PyExc_BufferError, why);
        return -1;
    }
    view->buf = start_of(array);
    view->len = static_cast<Py_ssize_t>(array.size()) * static_cast<Py_ssize_t>(array.itemsize);
    view->itemsize = static_cast<Py_ssize_t>(array.itemsize);
    view->readonly = array.is_readonly;
    view->ndim = wants(PyBUF_ND) ? array.dimensions : 1;
    view->format = wants(PyBUF_FORMAT) ? const_cast<char *>(array.kind.format) : nullptr;
    view->shape = wants(PyBUF_ND) ? reinterpret_cast<Py_ssize_t *>(array.shape) : nullptr;
    view->strides = wants(PyBUF_STRIDES) ? reinterpret_cast<Py_ssize_t *>(array.strides) : nullptr;
    view->suboffsets = nullptr;
    view->internal = nullptr;
    view->obj = Py_NewRef(self);
    return 0;
}
#endif
static_assert(sizeof(Py_ssize_t) == sizeof(std::int64_t), "wrapper-gen: arrays need a Python of 64 bits");

// --- DLPack -------------------------------------------------------------------------------------

/// What a consumer gets, and the strides, which count elements there.
template <class Managed>
struct Exported {
    Managed managed;
    std::int64_t strides[most_dimensions];
};

template <class Managed>
void delete_exported(Managed *managed) {
    const PyGILState_STATE state = PyGILState_Ensure();
    Py_DECREF(static_cast<PyObject *>(managed->manager));
    delete reinterpret_cast<Exported<Managed> *>(managed);
    PyGILState_Release(state);
}

template <class Managed>
PyObject *capsule(PyObject *self) {
    Array &array = array_of(self);
    auto *out = new (std::nothrow) Exported<Managed>{};
    if (out == nullptr) return PyErr_NoMemory();
    for (std::int32_t i = 0; i < array.dimensions; ++i) out->strides[i] = array.strides[i] / static_cast<std::int64_t>(array.itemsize);
    out->managed.tensor = {start_of(array), array.device.kind, array.device.number, array.dimensions, array.kind.code, array.kind.bits, 1, array.shape, out->strides, 0};
    out->managed.manager = Py_NewRef(self);
    out->managed.deleter = &delete_exported<Managed>;
    if constexpr (std::is_same_v<Managed, dlpack::Versioned>) {
        out->managed.major = 1;
        out->managed.minor = 1;
        out->managed.flags = array.is_readonly ? dlpack::read_only : 0;
    }
    PyObject *made = dlpack::make_capsule(out, std::is_same_v<Managed, dlpack::Versioned>);
    if (made == nullptr) delete_exported(&out->managed);
    return made;
}

/// Two ints; nothing for None.
WG_ONCE bool take_pair(PyObject *value, const char *wanted, long &first, long &second) WG_ELSEWHERE
#if WG_HAS_BODIES
{
    if (value == Py_None) return true;
    if (PyTuple_Check(value) && PyTuple_Size(value) == 2) {
        first = PyLong_AsLong(PyTuple_GetItem(value, 0));
        if (!PyErr_Occurred()) second = PyLong_AsLong(PyTuple_GetItem(value, 1));
        return !PyErr_Occurred();
    }
    PyErr_SetString(PyExc_TypeError, wanted);
    return false;
}
#endif

WG_ONCE PyObject *export_dlpack(PyObject *self, PyObject *arguments, PyObject *keywords) WG_ELSEWHERE
#if WG_HAS_BODIES
{
    static const char *const names[] = {"stream", "max_version", "dl_device", "copy", nullptr};
    PyObject *stream = Py_None, *version = Py_None, *device = Py_None, *copy = Py_None;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|$OOOO:__dlpack__", const_cast<char **>(names), &stream, &version, &device, &copy)) return nullptr;
    const char *why = nullptr;
    long kind = 1, number = 0, major = 0, minor = 0;
    if (!take_pair(device, "dl_device: a pair of ints is wanted", kind, number) || !take_pair(version, "max_version: a pair of ints is wanted", major, minor)) return nullptr;
    if (stream != Py_None) why = "stream: the memory is the CPU's, which has no streams";
    else if (kind != 1 || number != 0) why = "dl_device: the memory is the CPU's, and is not copied";
    else if (copy == Py_True) why = "copy: the memory is not copied";
    else if (array_of(self).is_readonly && major < 1) why = "this array is read-only, which DLPack can say from max_version=(1, 0) on";
    if (why != nullptr) {
        PyErr_SetString(PyExc_BufferError, why);
        return nullptr;
    }
    return major < 1 ? capsule<dlpack::Plain>(self) : capsule<dlpack::Versioned>(self);
}
#endif

inline PyObject *dlpack_device(PyObject *, PyObject *) { return Py_BuildValue("(ii)", 1, 0); }

// --- looking at it ------------------------------------------------------------------------------

WG_ONCE PyObject *tuple_of(const std::int64_t *values, std::int32_t size) WG_ELSEWHERE
#if WG_HAS_BODIES
{
    PyObject *out = PyTuple_New(size);
    for (std::int32_t i = 0; out != nullptr && i < size; ++i) {
        PyObject *each = PyLong_FromLongLong(values[i]);
        if (each == nullptr) Py_CLEAR(out);
        else PyTuple_SetItem(out, i, each);
    }
    return out;
}
#endif

inline PyObject *get_shape(PyObject *self, void *) { return tuple_of(array_of(self).shape, array_of(self).dimensions); }
inline PyObject *get_strides(PyObject *self, void *) { return tuple_of(array_of(self).strides, array_of(self).dimensions); }
inline PyObject *get_ndim(PyObject *self, void *) { return PyLong_FromLong(array_of(self).dimensions); }
inline PyObject *get_format(PyObject *self, void *) { return PyUnicode_FromString(array_of(self).kind.format); }
inline PyObject *get_itemsize(PyObject *self, void *) { return PyLong_FromSize_t(array_of(self).itemsize); }
inline PyObject *get_nbytes(PyObject *self, void *) { return PyLong_FromLongLong(array_of(self).size() * static_cast<long long>(array_of(self).itemsize)); }
inline PyObject *get_readonly(PyObject *self, void *) { return PyBool_FromLong(array_of(self).is_readonly); }
inline Py_ssize_t length(PyObject *self) { return static_cast<Py_ssize_t>(array_of(self).shape[0]); }

/// What a memoryview of it gives.
template <class Use>
PyObject *by_view(PyObject *self, const Use &use) {
    PyObject *view = PyMemoryView_FromObject(self);
    PyObject *out = view == nullptr ? nullptr : use(view);
    Py_XDECREF(view);
    return out;
}

// A memoryview knows no complex numbers: it reads their parts, as one dimension more.

inline bool holds_complex(PyObject *self) { return *array_of(self).kind.format == 'Z'; }
WG_ONCE PyObject *view_of_parts(PyObject *self) WG_ELSEWHERE
#if WG_HAS_BODIES
{
    const Array &array = array_of(self);
    Py_ssize_t shape[most_dimensions + 1], strides[most_dimensions + 1];
    for (std::int32_t i = 0; i < array.dimensions; ++i) {
        shape[i] = static_cast<Py_ssize_t>(array.shape[i]);
        strides[i] = static_cast<Py_ssize_t>(array.strides[i]);
    }
    Py_buffer parts = {};
    parts.buf = start_of(array);
    parts.itemsize = strides[array.dimensions] = static_cast<Py_ssize_t>(array.itemsize / 2);
    shape[array.dimensions] = 2;
    parts.len = static_cast<Py_ssize_t>(array.size()) * static_cast<Py_ssize_t>(array.itemsize);
    parts.readonly = 1;
    parts.ndim = array.dimensions + 1;
    parts.format = const_cast<char *>(array.kind.format + 1);
    parts.shape = shape;
    parts.strides = strides;
    return PyMemoryView_FromBuffer(&parts);
}
#endif
/// Nested lists of pairs as nested lists of complex numbers.
WG_ONCE PyObject *joined(PyObject *parts, std::int32_t depth) WG_ELSEWHERE
#if WG_HAS_BODIES
{
    if (depth == 0) return PyComplex_FromDoubles(PyFloat_AsDouble(PyList_GetItem(parts, 0)), PyFloat_AsDouble(PyList_GetItem(parts, 1)));
    PyObject *out = PyList_New(PyList_Size(parts));
    for (Py_ssize_t i = 0; out != nullptr && i < PyList_Size(parts); ++i) {
        PyObject *each = joined(PyList_GetItem(parts, i), depth - 1);
        if (each == nullptr) Py_CLEAR(out);
        else PyList_SetItem(out, i, each);
    }
    return out;
}
#endif
WG_ONCE PyObject *complex_list(PyObject *self) WG_ELSEWHERE
#if WG_HAS_BODIES
{
    PyObject *view = view_of_parts(self);
    PyObject *parts = view == nullptr ? nullptr : PyObject_CallMethod(view, "tolist", nullptr);
    PyObject *out = parts == nullptr ? nullptr : joined(parts, array_of(self).dimensions);
    Py_XDECREF(parts);
    Py_XDECREF(view);
    return out;
}
#endif
WG_ONCE PyObject *complex_item(PyObject *self, PyObject *index) WG_ELSEWHERE
#if WG_HAS_BODIES
{
    PyObject *view = view_of_parts(self), *found[2] = {nullptr, nullptr};
    for (long part = 0; view != nullptr && part < 2; ++part) {
        PyObject *last = PyTuple_Check(index) ? Py_BuildValue("(l)", part) : nullptr;
        PyObject *at = PyTuple_Check(index) ? (last == nullptr ? nullptr : PySequence_Concat(index, last)) : Py_BuildValue("(Ol)", index, part);
        Py_XDECREF(last);
        found[part] = at == nullptr ? nullptr : PyObject_GetItem(view, at);
        Py_XDECREF(at);
        if (found[part] == nullptr) break;
    }
    PyObject *out = found[1] == nullptr ? nullptr : PyComplex_FromDoubles(PyFloat_AsDouble(found[0]), PyFloat_AsDouble(found[1]));
    Py_XDECREF(found[0]);
    Py_XDECREF(found[1]);
    Py_XDECREF(view);
    return out;
}
#endif

inline PyObject *item(PyObject *self, PyObject *index) {
    if (holds_complex(self) && !PySlice_Check(index)) return complex_item(self, index);
    return by_view(self, [index](PyObject *view) { return PyObject_GetItem(view, index); });
}
inline PyObject *to_list(PyObject *self, PyObject *) {
    if (holds_complex(self)) return complex_list(self);
    return by_view(self, [](PyObject *view) { return PyObject_CallMethod(view, "tolist", nullptr); });
}
inline PyObject *iterate(PyObject *self) {
    if (!holds_complex(self) || array_of(self).dimensions != 1) return by_view(self, &PyObject_GetIter);
    PyObject *all = complex_list(self), *out = all == nullptr ? nullptr : PyObject_GetIter(all);
    Py_XDECREF(all);
    return out;
}

inline PyObject *repr(PyObject *self) {
    PyObject *shape = get_shape(self, nullptr);
    PyObject *out = shape == nullptr ? nullptr : PyUnicode_FromFormat("<Array of '%s' %R at %p>", array_of(self).kind.format, shape, self);
    Py_XDECREF(shape);
    return out;
}

inline PyObject *refuse_pickle(PyObject *, PyObject *) {
    PyErr_SetString(PyExc_TypeError, "an Array cannot be pickled or copied: it is memory of this process; numpy.array(x) copies it");
    return nullptr;
}

/// Makes the class; once, when the extension is imported.
WG_ONCE bool start(PyObject *extension) WG_ELSEWHERE
#if WG_HAS_BODIES
{
    if (type() != nullptr) return true;
    const char *module = PyModule_GetName(extension);
    if (module == nullptr) return false;
    static std::string name;
    const std::string package = std::string(module).substr(0, std::string(module).rfind('.'));
    name = package + ".Array";
    static PyMethodDef methods[] = {
        {"__dlpack__", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&export_dlpack)), METH_VARARGS | METH_KEYWORDS,
         "The memory as a DLPack capsule, on the CPU and without a copy."},
        {"__dlpack_device__", &dlpack_device, METH_NOARGS, "The CPU."},
        {"tolist", &to_list, METH_NOARGS, "The elements as nested lists."},
        {"__reduce__", &refuse_pickle, METH_NOARGS, nullptr},
        {nullptr, nullptr, 0, nullptr},
    };
    static PyGetSetDef properties[] = {
        {"shape", &get_shape, nullptr, "The number of elements of each dimension.", nullptr},
        {"strides", &get_strides, nullptr, "The bytes between neighbours of each dimension.", nullptr},
        {"ndim", &get_ndim, nullptr, "The number of dimensions.", nullptr},
        {"format", &get_format, nullptr, "The type of the elements, as the struct module has it.", nullptr},
        {"itemsize", &get_itemsize, nullptr, "The bytes of an element.", nullptr},
        {"nbytes", &get_nbytes, nullptr, "The bytes of all elements.", nullptr},
        {"readonly", &get_readonly, nullptr, "Whether the elements cannot be changed.", nullptr},
        {nullptr, nullptr, nullptr, nullptr, nullptr},
    };
    static PyMemberDef members[] = {
        {"__weaklistoffset__", T_PYSSIZET, offsetof(Object, weak_references), READONLY, nullptr},
        {nullptr, 0, 0, 0, nullptr},
    };
    static PyType_Slot slots[] = {
        {Py_tp_dealloc, reinterpret_cast<void *>(&dealloc)},
        {Py_tp_traverse, reinterpret_cast<void *>(&traverse)},
        {Py_tp_repr, reinterpret_cast<void *>(&repr)},
        {Py_tp_iter, reinterpret_cast<void *>(&iterate)},
        {Py_tp_methods, methods},
        {Py_tp_getset, properties},
        {Py_tp_members, members},
        {Py_tp_doc, const_cast<char *>("Memory that C++ owns, with a shape: numpy.asarray, memoryview and torch.from_dlpack use it where it lies.")},
        {Py_mp_length, reinterpret_cast<void *>(&length)},
        {Py_mp_subscript, reinterpret_cast<void *>(&item)},
        {Py_bf_getbuffer, reinterpret_cast<void *>(&get_buffer)},
        {0, nullptr},
    };
    PyType_Spec spec = {name.c_str(), sizeof(Object), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
    type() = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
    return type() != nullptr && start_on_device(package);
}
#endif

}  // namespace wg::arrays

#include "wg/arrays/device_array_objects.hpp"

#endif  // WG_ARRAYS_ARRAY_OBJECTS_HPP
