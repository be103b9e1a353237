// What the cffi engine asks of its extension where a spec has memory of several dimensions: CPython reads what others export.
// Static: the same for all packages. Included by cffi's part of the extension only, after wg/cffi/calls.hpp.
#ifndef WG_CFFI_SPANS_HPP
#define WG_CFFI_SPANS_HPP

#ifndef PYPY_VERSION

#include <memory>

#include "wg/cffi/calls.hpp"
#include "wg/memory/buffer_view.hpp"

namespace wg {
namespace cffi {

/// `view(object, name, kind, is_writable, dimensions, order, where, stream)`: the address, extents and strides, and what holds the memory. The
/// stream is a handle and the number of its device, or None.
inline PyObject *view(PyObject *, PyObject *arguments) {
    PyObject *value = nullptr;
    const char *name = nullptr, *kind = nullptr, *order = nullptr;
    int is_writable = 0, dimensions = 0, where = 0;
    PyObject *told = nullptr;
    if (!PyArg_ParseTuple(arguments, "OsspisiO", &value, &name, &kind, &is_writable, &dimensions, &order, &where, &told)) return nullptr;
    unsigned long long handle = 0;
    long number = -1;
    if (told != Py_None && !PyArg_ParseTuple(told, "Kl", &handle, &number)) return nullptr;
    const views::Stream stream{static_cast<std::uintptr_t>(handle), number};
    auto held = std::make_unique<views::View>();
    const views::Wanted wanted{name, *views::element_of(kind), is_writable != 0, dimensions, *order == 'a' ? 'A' : *order, static_cast<views::Where>(where),
                               told == Py_None ? nullptr : &stream};
    if (!held->take(value, wanted)) return nullptr;
    void *address = held->data();
    const auto *layout = reinterpret_cast<const char *>(held->layout());
    PyObject *owner = PyCapsule_New(held.get(), "wrapper_gen.view", [](PyObject *capsule) {
        delete static_cast<views::View *>(PyCapsule_GetPointer(capsule, "wrapper_gen.view"));
    });
    if (owner == nullptr) return nullptr;
    static_cast<void>(held.release());
    const Py_ssize_t size = (2 * dimensions + 2) * static_cast<Py_ssize_t>(sizeof(std::int64_t));
    return Py_BuildValue("(NNN)", PyLong_FromVoidPtr(address), PyBytes_FromStringAndSize(layout, size), owner);
}

static const bool has_view = also_adds([](PyObject *module) {
    static PyMethodDef definition = {"view", &view, METH_VARARGS, nullptr};
    return add(module, definition, nullptr);
});

}  // namespace cffi
}  // namespace wg

#endif

#endif  // WG_CFFI_SPANS_HPP
