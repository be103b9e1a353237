// DLPack's capsules: what they are called, and how one that was not consumed is released.
// Static: the same for all packages. Included by generated C++ only, after Python.h.
#ifndef WG_MEMORY_CAPSULES_HPP
#define WG_MEMORY_CAPSULES_HPP

#include "wg/memory/dlpack.hpp"

namespace wg::dlpack {

/// Of DLPack before version 1.
struct Plain {
    Tensor tensor;
    void *manager;
    void (*deleter)(Plain *);
};

/// A consumer gives a capsule another name, and calls the deleter itself.
template <class Managed>
void delete_unused(PyObject *capsule, const char *name) {
    if (!PyCapsule_IsValid(capsule, name)) return;
    auto *const managed = static_cast<Managed *>(PyCapsule_GetPointer(capsule, name));
    if (managed->deleter != nullptr) managed->deleter(managed);
}
inline void delete_plain(PyObject *capsule) { delete_unused<Plain>(capsule, "dltensor"); }
inline void delete_versioned(PyObject *capsule) { delete_unused<Versioned>(capsule, "dltensor_versioned"); }

/// A capsule that owns a struct of DLPack; null with an exception, where nothing owns it.
inline PyObject *make_capsule(void *managed, bool is_versioned) {
    return is_versioned ? PyCapsule_New(managed, "dltensor_versioned", &delete_versioned) : PyCapsule_New(managed, "dltensor", &delete_plain);
}

}  // namespace wg::dlpack

#endif  // WG_MEMORY_CAPSULES_HPP
