// Objects of Python of which nothing is known, in the cpython engine.
// Static: the same for all packages. Included by generated C++ only, of specs with such a type.
#ifndef WG_CPYTHON_ANY_OBJECTS_HPP
#define WG_CPYTHON_ANY_OBJECTS_HPP

#include "wg/base/gil.hpp"
#include "wg/cpython/containers.hpp"
#include "wg/types/any_objects.hpp"

namespace wg::cpython {

/// The thread may be one of the library's, which has no GIL.
inline void release_object(void *object) noexcept {
    const MemoryOpen open;
    if (!open) return;  // it stays to the end of the process
    if (gil::is_here()) return Py_DECREF(static_cast<PyObject *>(object));
    const PyGILState_STATE before = PyGILState_Ensure();
    Py_DECREF(static_cast<PyObject *>(object));
    PyGILState_Release(before);
}

template <>
struct FromPython<types::AnyObject> {
    static constexpr const char *wanted = "an object";

    static bool quick(PyObject *value, wg::Object &out, bool = false) {
        out = wg::Object(std::shared_ptr<void>(Py_NewRef(value), &release_object));
        return true;
    }
    static bool take(PyObject *value, wg::Object &out, Call &) { return quick(value, out); }
};

template <>
struct ToPython<types::AnyObject> {
    static PyObject *give(const wg::Object &value, const Owners &) {
        return Py_NewRef(value ? static_cast<PyObject *>(value.get()) : Py_None);
    }
};

}  // namespace wg::cpython

#endif  // WG_CPYTHON_ANY_OBJECTS_HPP
