// Arrays on a device as Python objects: they export DLPack and the CUDA array interface. Both engines have them.
// Static: the same for all packages. Included by wg/arrays/array_objects.hpp only.
#ifndef WG_ARRAYS_DEVICE_ARRAY_OBJECTS_HPP
#define WG_ARRAYS_DEVICE_ARRAY_OBJECTS_HPP

#include <exception>

#include "wg/arrays/array_objects.hpp"

namespace wg::arrays {

/// A stream as DLPack and the CUDA array interface number it: 1 is the default one, which 0 is in CUDA.
inline std::uintptr_t numbered(std::uintptr_t stream) { return stream == 0 ? 1 : stream; }

/// Lets the consumer's stream wait for the one that fills the memory; False with an exception where that fails. A consumer that says nothing uses the
/// default stream, and -1 says that it looks after that itself.
WG_ONCE bool let_wait(const Array &array, PyObject *stream) WG_ELSEWHERE
#if WG_HAS_BODIES
{
    if (stream != Py_None && (PyLong_Check(stream) == 0 || PyBool_Check(stream) != 0)) {
        PyErr_SetString(PyExc_TypeError, "stream: an int or None is wanted");
        return false;
    }
    int overflows = 0;
    if (stream != Py_None && PyLong_AsLongLongAndOverflow(stream, &overflows) == -1 && overflows == 0) return true;
    const unsigned long long waiting = stream == Py_None ? 1 : PyLong_AsUnsignedLongLong(stream);
    if (PyErr_Occurred()) return false;
    if (waiting == 0) {
        PyErr_SetString(PyExc_ValueError, "stream: 0 is none; 1 is the default stream, and 2 that of each thread");
        return false;
    }
    if (numbered(static_cast<std::uintptr_t>(waiting)) == numbered(array.stream)) return true;
    try {
        array.wait(static_cast<std::uintptr_t>(waiting), numbered(array.stream), array.device.number);
        return true;
    } catch (const std::exception &error) {
        PyErr_Format(PyExc_BufferError, "stream: it cannot wait for what fills this array on device %d: %s", array.device.number, error.what());
    } catch (...) {
        PyErr_Format(PyExc_BufferError, "stream: it cannot wait for what fills this array on device %d", array.device.number);
    }
    return false;
}
#endif

WG_ONCE PyObject *export_from_device(PyObject *self, PyObject *arguments, PyObject *keywords) WG_ELSEWHERE
#if WG_HAS_BODIES
{
    static const char *const names[] = {"stream", "max_version", "dl_device", "copy", nullptr};
    PyObject *stream = Py_None, *version = Py_None, *device = Py_None, *copy = Py_None;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|$OOOO:__dlpack__", const_cast<char **>(names), &stream, &version, &device, &copy)) return nullptr;
    const Array &array = array_of(self);
    long kind = array.device.kind, number = array.device.number, major = 0, minor = 0;
    if (!take_pair(device, "dl_device: a pair of ints is wanted", kind, number) || !take_pair(version, "max_version: a pair of ints is wanted", major, minor)) return nullptr;
    const char *why = nullptr;
    if (kind != array.device.kind || number != array.device.number) why = "dl_device: the memory is on another device, and is not copied";
    else if (copy == Py_True) why = "copy: the memory is not copied";
    else if (array.is_readonly && major < 1) why = "this array is read-only, which DLPack can say from max_version=(1, 0) on";
    if (why != nullptr) {
        PyErr_SetString(PyExc_BufferError, why);
        return nullptr;
    }
    if (!let_wait(array, stream)) return nullptr;
    return major < 1 ? capsule<dlpack::Plain>(self) : capsule<dlpack::Versioned>(self);
}
#endif

inline PyObject *device_of_array(PyObject *self, PyObject *) { return Py_BuildValue("(ii)", array_of(self).device.kind, array_of(self).device.number); }

WG_ONCE PyObject *cuda_array_interface(PyObject *self, void *) WG_ELSEWHERE
#if WG_HAS_BODIES
{
    const Array &array = array_of(self);
    constexpr const char *kinds[] = {"i", "u", "f", "", "", "c", "b"};
    PyObject *type = PyUnicode_FromFormat("%c%s%zu", array.itemsize == 1 ? '|' : PY_LITTLE_ENDIAN ? '<' : '>', kinds[array.kind.code], array.itemsize);
    PyObject *address = PyLong_FromUnsignedLongLong(array.size() == 0 ? 0 : reinterpret_cast<std::uintptr_t>(array.data));
    return Py_BuildValue("{sNsNs(NO)sNsisK}", "shape", get_shape(self, nullptr), "typestr", type, "data", address, array.is_readonly ? Py_True : Py_False,
                         "strides", get_strides(self, nullptr), "version", 3, "stream", static_cast<unsigned long long>(numbered(array.stream)));
}
#endif

WG_ONCE PyObject *refuse_numpy(PyObject *self, PyObject *, PyObject *) WG_ELSEWHERE
#if WG_HAS_BODIES
{
    PyErr_Format(PyExc_TypeError, "this array is on CUDA device %d: use torch.from_dlpack or cupy.from_dlpack, which copy it to the CPU when you ask for it",
                 array_of(self).device.number);
    return nullptr;
}
#endif

WG_ONCE PyObject *shown_on_device(PyObject *self) WG_ELSEWHERE
#if WG_HAS_BODIES
{
    PyObject *shape = get_shape(self, nullptr);
    PyObject *out = shape == nullptr ? nullptr : PyUnicode_FromFormat("<DeviceArray of '%s' %R on cuda:%d at %p>", array_of(self).kind.format, shape, array_of(self).device.number, self);
    Py_XDECREF(shape);
    return out;
}
#endif

/// Makes the class; once, when the extension is imported.
WG_ONCE bool start_on_device(const std::string &package) WG_ELSEWHERE
#if WG_HAS_BODIES
{
    static std::string name;
    name = package + ".DeviceArray";
    const auto keywords = [](auto function) { return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function)); };
    static PyMethodDef methods[] = {
        {"__dlpack__", keywords(&export_from_device), METH_VARARGS | METH_KEYWORDS, "The memory as a DLPack capsule, without a copy; the consumer's stream waits."},
        {"__dlpack_device__", &device_of_array, METH_NOARGS, "The kind of the device, and which of them it is."},
        {"__array__", keywords(&refuse_numpy), METH_VARARGS | METH_KEYWORDS, nullptr},
        {"__reduce__", &refuse_pickle, METH_NOARGS, nullptr},
        {nullptr, nullptr, 0, nullptr},
    };
    static PyGetSetDef properties[] = {
        {"__cuda_array_interface__", &cuda_array_interface, nullptr, "The memory as other libraries for CUDA take it, and its stream.", nullptr},
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
        {Py_tp_repr, reinterpret_cast<void *>(&shown_on_device)},
        {Py_tp_methods, methods},
        {Py_tp_getset, properties},
        {Py_tp_members, members},
        {Py_tp_doc, const_cast<char *>("Memory of a device that C++ owns, with a shape: torch.from_dlpack and cupy.from_dlpack use it where it lies.")},
        {Py_mp_length, reinterpret_cast<void *>(&length)},
        {0, nullptr},
    };
    PyType_Spec spec = {name.c_str(), sizeof(Object), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
    type_on_device() = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
    return type_on_device() != nullptr;
}
#endif

}  // namespace wg::arrays

#endif  // WG_ARRAYS_DEVICE_ARRAY_OBJECTS_HPP
