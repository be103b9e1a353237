// What the cffi engine asks of its extension where a spec returns memory for other libraries: capsules.
// Static: the same for all packages. Included by cffi's part of the extension only, after wg/cffi/calls.hpp.
#ifndef WG_CFFI_EXCHANGES_HPP
#define WG_CFFI_EXCHANGES_HPP

#ifndef PYPY_VERSION

#include "wg/cffi/calls.hpp"
#include "wg/memory/capsules.hpp"

namespace wg {
namespace cffi {

/// `take_capsule(place, is_versioned)`: takes over the struct of DLPack whose address is in that place, which is null then. Python may be
/// interrupted before and after, and not between: either the place or the capsule has it.
inline PyObject *take_capsule(PyObject *, PyObject *arguments) {
    PyObject *address = nullptr;
    int is_versioned = 0;
    if (!PyArg_ParseTuple(arguments, "Op:take_capsule", &address, &is_versioned)) return nullptr;
    auto *const place = static_cast<void **>(PyLong_AsVoidPtr(address));
    PyObject *const made = place == nullptr ? nullptr : dlpack::make_capsule(*place, is_versioned != 0);
    if (made != nullptr) *place = nullptr;
    return made;
}

static const bool has_capsule = also_adds([](PyObject *module) {
    static PyMethodDef definition = {"take_capsule", &take_capsule, METH_VARARGS, nullptr};
    return add(module, definition, nullptr);
});

}  // namespace cffi
}  // namespace wg

#endif

#endif  // WG_CFFI_EXCHANGES_HPP
