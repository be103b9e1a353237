// What cffi's own functions do around a call, made cheap, and who owns a cell; included by cffi's part of the extension only.
// Static: the same for all packages. Redefines macros that cffi's functions use: a cffi that uses none of them is as it was.
#ifndef WG_CFFI_CALLS_HPP
#define WG_CFFI_CALLS_HPP

#ifndef PYPY_VERSION

#include <initializer_list>
#include <vector>

#include "wg/memory/dlpack.hpp"

namespace wg {
namespace cffi {

/// `own(class, cell, drop)`: a handle whose owner of the cell, made by `ffi.gc`, is unknown to the collector of cycles. That
/// would call `drop` for all owners of a cycle before it is known whether the cycle is collected, and before other finalizers of
/// the cycle use the handle. An owner refers to nothing that could close a cycle, so that counting references is enough.
inline PyObject *own(PyObject *gc_and_slot, PyObject *const *arguments, Py_ssize_t given) {
    if (given != 3 || !PyType_Check(arguments[0])) {
        PyErr_SetString(PyExc_TypeError, "own() takes a class, a cell and its drop function");
        return nullptr;
    }
    PyObject *gc = PyTuple_GetItem(gc_and_slot, 0), *slot = PyTuple_GetItem(gc_and_slot, 1);
    PyObject *owner = PyObject_CallFunctionObjArgs(gc, arguments[1], arguments[2], nullptr);
    if (owner == nullptr) return nullptr;
    if ((PyType_GetFlags(Py_TYPE(owner)) & Py_TPFLAGS_HAVE_GC) != 0) PyObject_GC_UnTrack(owner);
    auto *type = reinterpret_cast<PyTypeObject *>(arguments[0]);
    PyObject *made = reinterpret_cast<allocfunc>(PyType_GetSlot(type, Py_tp_alloc))(type, 0);
    if (made != nullptr && PyObject_SetAttr(made, slot, owner) != 0) Py_CLEAR(made);
    Py_DECREF(owner);
    return made;
}

/// `borrow(object, wanted, code, bits)`: address, number of elements, and capsule of what an object exports by DLPack.
inline PyObject *borrow(PyObject *, PyObject *const *arguments, Py_ssize_t given) {
    if (given != 4) {
        PyErr_SetString(PyExc_TypeError, "borrow() takes an object, what is wanted, and DLPack's code and bits of the elements");
        return nullptr;
    }
    const dlpack::Elements wanted = {static_cast<int>(PyLong_AsLong(arguments[2])), static_cast<int>(PyLong_AsLong(arguments[3]))};
    dlpack::Memory memory;
    PyObject *why = dlpack::borrow(arguments[0], wanted, memory);
    if (why != nullptr) PyErr_Format(PyExc_TypeError, "%U%U", arguments[1], why);
    Py_XDECREF(why);
    PyObject *address = PyErr_Occurred() ? nullptr : PyLong_FromVoidPtr(memory.data);
    PyObject *out = address == nullptr ? nullptr : Py_BuildValue("(NnO)", address, static_cast<Py_ssize_t>(memory.size), memory.capsule);
    Py_XDECREF(memory.capsule);
    return out;
}

/// A function of the extension's module.
inline bool add(PyObject *module, PyMethodDef &definition, PyObject *self) {
    PyObject *made = PyCFunction_NewEx(&definition, self, nullptr);
    const bool good = made != nullptr && PyObject_SetAttrString(module, definition.ml_name, made) == 0;
    Py_XDECREF(made);
    return good;
}

/// What headers that few packages have add to the module besides.
inline std::vector<bool (*)(PyObject *module)> &additions() {
    static std::vector<bool (*)(PyObject *module)> all;
    return all;
}
inline bool also_adds(bool (*addition)(PyObject *module)) {
    additions().push_back(addition);
    return true;
}

/// Adds `own`, `borrow` and more to the extension's module; passes the module on.
inline PyObject *with_functions(PyObject *module) {
    static PyMethodDef definitions[] = {
        {"own", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&own)), METH_FASTCALL, nullptr},
        {"borrow", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&borrow)), METH_FASTCALL, nullptr},
    };
    if (module == nullptr) return nullptr;
    PyObject *ffi = PyObject_GetAttrString(module, "ffi");
    PyObject *gc = ffi == nullptr ? nullptr : PyObject_GetAttrString(ffi, "gc");
    PyObject *slot = PyUnicode_InternFromString("_h");
    PyObject *known = gc == nullptr || slot == nullptr ? nullptr : PyTuple_Pack(2, gc, slot);
    bool good = known != nullptr && add(module, definitions[0], known) && add(module, definitions[1], nullptr);
    for (const auto addition : additions()) good = good && addition(module);
    for (PyObject *each : {known, slot, gc, ffi}) Py_XDECREF(each);
    return good ? module : nullptr;
}

/// A float as C has it, or an int that is no subclass. Any other object would run code of its own: Python converts that, after
/// the refusal, once and before it looks at handles.
inline double to_double(PyObject *value) {
    if (PyFloat_Check(value)) return PyFloat_AsDouble(value);
    if (PyLong_CheckExact(value)) return PyLong_AsDouble(value);
    PyErr_SetString(PyExc_TypeError, "a float is wanted");
    return -1.0;
}

}  // namespace cffi
}  // namespace wg

#undef _cffi_to_c_double
#define _cffi_to_c_double wg::cffi::to_double

// What makes the module, in its very last function.
#define _cffi_init(...) wg::cffi::with_functions(_cffi_init(__VA_ARGS__))

#endif

#if !defined(PYPY_VERSION) && !defined(Py_GIL_DISABLED)

#include "wg/base/gil.hpp"

// Giving up the GIL costs as much as a short call, and hundreds of times that beside a busy thread.
// It is kept, as in the cpython engine, but for what the spec marks as blocking.
#undef Py_BEGIN_ALLOW_THREADS
#undef Py_END_ALLOW_THREADS
#define Py_BEGIN_ALLOW_THREADS {
#define Py_END_ALLOW_THREADS }

// `ffi.errno` is not used after a call: failures are reported in another way.
#undef _cffi_restore_errno
#undef _cffi_save_errno
#define _cffi_restore_errno() static_cast<void>(0)
#define _cffi_save_errno() static_cast<void>(0)

namespace wg {
namespace cffi {

#ifndef Py_LIMITED_API

/// A tuple of the right size is not counted again.
template <class... P>
int unpack(PyObject *arguments, const char *name, Py_ssize_t least, Py_ssize_t most, P... out) {
    if (PyTuple_GET_SIZE(arguments) != static_cast<Py_ssize_t>(sizeof...(P)))
        return PyArg_UnpackTuple(arguments, name, least, most, out...);
    Py_ssize_t i = 0;
    ((*out = PyTuple_GET_ITEM(arguments, i++)), ...);
    return 1;
}

#define PyArg_UnpackTuple wg::cffi::unpack

#endif

}  // namespace cffi
}  // namespace wg

// Ints of 64 bits are what Python itself converts, and checks.
#undef _cffi_to_c_i64
#undef _cffi_to_c_u64
#define _cffi_to_c_i64 PyLong_AsLongLong
#define _cffi_to_c_u64 PyLong_AsUnsignedLongLong

/// A call without the GIL: what it needs for that lives to the end of the whole expression.
#define WG_BLOCKING(call) (static_cast<void>(wg::gil::Released()), call)
/// Sets how a call that has the GIL waits for a lock.
#define WG_RUN_WAITING(tell) static const bool wg_is_told = (tell(&wg::gil::run_waiting), true);

#else
#define WG_BLOCKING(call) call
#define WG_RUN_WAITING(tell)
#endif

#endif  // WG_CFFI_CALLS_HPP
