// Classes that a package shares with others, in the cpython engine.
// Static: the same for all packages. Included by generated C++ only, of packages that do not carry their runtime.
#ifndef WG_CPYTHON_IMPORTED_HPP
#define WG_CPYTHON_IMPORTED_HPP

#include "wg/cpython/records.hpp"
#include "wg/cpython/results.hpp"
#include "wg/ownership/imported.hpp"

namespace wg::cpython {

/// What other packages need of a handle type, by its name with a digest.
template <class H>
constexpr SharedType shared_objects(const char *name) {
    return {name, sizeof(H), &handle_type<H>,
            [](void *value, SharedType::Move *move, bool is_new) -> void * {
                const auto make = [=] { return moved_by<H>(move, value); };
                return is_new ? give<H, true>(Traits<H>::type, make) : give<H>(Traits<H>::type, make);
            },
            [](Cell &cell) noexcept { end_value<H>(cell, false); }, [](void *value) noexcept { CellOf<H>::type::drop_value(*static_cast<H *>(value)); }};
}

/// The class of an imported type, among those that its package gave.
template <class H>
bool import_class(PyObject *classes, const char *name) {
    PyObject *type = nullptr;
    if (!fetch_global(classes, name, &type)) return false;
    Traits<H>::type = reinterpret_cast<PyTypeObject *>(type);
    return true;
}

/// The same of a struct. Both packages have the same C++ type in its records.
template <class S>
bool import_record(PyObject *classes, const char *name) {
    PyObject *type = nullptr;
    if (!fetch_global(classes, name, &type)) return false;
    const Strong size(PyObject_GetAttrString(type, "__basicsize__"));
    if (!size) return false;
    if (PyLong_AsSsize_t(size.get()) != static_cast<Py_ssize_t>(sizeof(typename Record<S>::Object))) {
        PyErr_Format(PyExc_ImportError, "the C++ type of %s has another size than where its package was compiled", name);
        return false;
    }
    Record<S>::type = reinterpret_cast<PyTypeObject *>(type);
    return true;
}

}  // namespace wg::cpython

#endif  // WG_CPYTHON_IMPORTED_HPP
