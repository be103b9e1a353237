// What the cffi engine asks of its extension where a spec returns memory for other libraries: capsules.
// Static: the same for all packages. Included by cffi's part of the extension only, after wg_cffi.hpp.
#ifndef WG_CFFI_EXCHANGES_HPP
#define WG_CFFI_EXCHANGES_HPP

#ifndef PYPY_VERSION

#include "wg_capsules.hpp"

namespace wg {
namespace cffi {

/// `capsule(address, is_versioned)`: takes over the struct of DLPack that lies there.
inline PyObject *capsule(PyObject *, PyObject *arguments) {
    PyObject *address = nullptr;
    int is_versioned = 0;
    if (!PyArg_ParseTuple(arguments, "Op:capsule", &address, &is_versioned)) return nullptr;
    void *const managed = PyLong_AsVoidPtr(address);
    return managed == nullptr ? nullptr : dlpack::make_capsule(managed, is_versioned != 0);
}

static const bool has_capsule = also_adds([](PyObject *module) {
    static PyMethodDef definition = {"capsule", &capsule, METH_VARARGS, nullptr};
    return add(module, definition, nullptr);
});

}  // namespace cffi
}  // namespace wg

#endif

#endif  // WG_CFFI_EXCHANGES_HPP
