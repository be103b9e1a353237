// What the cffi engine asks of its extension where a spec returns arrays: Python objects that export memory.
// Static: the same for all packages. Included by cffi's part of the extension only, after wg/cffi/calls.hpp.
#ifndef WG_CFFI_ARRAYS_HPP
#define WG_CFFI_ARRAYS_HPP

#ifndef PYPY_VERSION

#include "wg/cffi/calls.hpp"
#include "wg/arrays/array_objects.hpp"

namespace wg {
namespace cffi {

/// `array(address)`: takes over what lies there, and leaves an array without memory.
inline PyObject *array(PyObject *, PyObject *address) {
    auto *given = static_cast<Array *>(PyLong_AsVoidPtr(address));
    return given == nullptr ? nullptr : arrays::give(std::move(*given));
}

static const bool has_array = also_adds([](PyObject *module) {
    static PyMethodDef definition = {"array", &array, METH_O, nullptr};
    return arrays::start(module) && add(module, definition, nullptr);
});

}  // namespace cffi
}  // namespace wg

#endif

#endif  // WG_CFFI_ARRAYS_HPP
