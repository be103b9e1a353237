// What the classes of all handle types have, and how they are made.
// Static: the same for all packages. Included by generated C++ only.
#ifndef WG_CPYTHON_CLASSES_HPP
#define WG_CPYTHON_CLASSES_HPP

#include <structmember.h>

#include <algorithm>
#include <atomic>

#include "wg/base/once.hpp"
#include "wg/cpython/objects.hpp"

namespace wg::cpython {

template <class H>
[[gnu::noinline]] PyObject *method_close(PyObject *self, PyObject *) {
    if constexpr (exports_memory<H>) {
        if (!as_object(self)->is_closed() && is_exported(as_object(self)->cell)) {
            PyErr_Format(PyExc_BufferError, "the memory of this %s is in use by an array", name_of(Py_TYPE(self)));
            return nullptr;
        }
    }
    if constexpr (closes_lent<H>) close_lent_by(held<H>(as_object(self)));
    close<H>(self);
    Py_RETURN_NONE;
}

template <class H>
PyObject *method_enter(PyObject *self, PyObject *) {
    if (!as_object(self)->is_closed()) return Py_NewRef(self);
    PyErr_Format(package().closed, "this %s is closed", Traits<H>::name);
    return nullptr;
}

template <class H>
PyObject *method_exit(PyObject *self, PyObject *) {
    return method_close<H>(self, nullptr);
}

inline PyObject *get_closed(PyObject *self, void *) { return PyBool_FromLong(as_object(self)->is_closed()); }

/// The owner of a handle's value; the handle itself, where that has no other owner.
template <class H>
PyObject *get_owner(PyObject *self, void *) {
    const Held own = held<H>(as_object(self));
    if (!enter(own)) {
        static_cast<void>(is_closed(Traits<H>::name, "handle"));
        return nullptr;
    }
    const Held owner = owner_of(*own.cell);
    PyObject *out = Py_NewRef(owner.cell == nullptr ? self : as_python(*owner.cell));
    leave(own);
    return out;
}

inline PyObject *refuse_pickle(PyObject *self, PyObject *) {
    const char *name = name_of(Py_TYPE(self));
    PyErr_Format(PyExc_TypeError, "%s cannot be pickled: it stands for an object of this process", with_article(name).c_str());
    return nullptr;
}

inline PyObject *refuse_copy(PyObject *self, PyObject *) {
    const char *name = name_of(Py_TYPE(self));
    PyErr_Format(PyExc_TypeError, "%s cannot be copied: it is released exactly once", with_article(name).c_str());
    return nullptr;
}

/// Of a class that says how it is copied, but not deeply.
inline PyObject *refuse_deep_copy(PyObject *self, PyObject *) {
    PyErr_Format(PyExc_TypeError, "%s has no __deepcopy__; copy.copy() copies it", name_of(Py_TYPE(self)));
    return nullptr;
}

inline PyObject *handle_repr(PyObject *self) {
    const char *name = name_of(Py_TYPE(self));
    if (as_object(self)->is_closed()) return PyUnicode_FromFormat("<%s closed>", name);
    return PyUnicode_FromFormat("<%s at %p>", name, self);
}

[[gnu::cold, gnu::noinline]] inline PyObject *cannot_be_made(PyTypeObject *type, const char *makers) {
    PyErr_Format(PyExc_TypeError, "%s cannot be made directly%s%s", name_of(type), *makers == '\0' ? "" : "; use ", makers);
    return nullptr;
}

template <class H>
PyObject *handle_new(PyTypeObject *type, PyObject *, PyObject *) {
    return cannot_be_made(type, Traits<H>::makers);
}

template <class H>
void handle_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    if constexpr (Traits<H>::keeps) PyObject_GC_UnTrack(self);
    // First: what weak references call may end what the owner of this one lends.
    if (as_object(self)->cell.users.end()) release(held<H>(as_object(self)));  // of a chain of handles, none inside the other
    Identity<H>::forget(as_object(self)->cell, handle_type<H>);
    // Atomic: without a GIL, another thread may be taking its own weak reference off the list.
    if (__atomic_load_n(&as_object(self)->weak_references, __ATOMIC_RELAXED) != nullptr) PyObject_ClearWeakRefs(self);
    python::free<H, Traits<H>::keeps>(self, type, Traits<H>::type);
    Py_DECREF(reinterpret_cast<PyObject *>(type));
}

WG_ONCE int handle_traverse(PyObject *self, visitproc visit, void *arg) WG_ELSEWHERE
#if WG_HAS_BODIES
{
    Py_VISIT(Py_TYPE(self));
    if (const KeptList *kept = as_object(self)->cell.kept)
        for (const Held &each : kept->handles)
            if (each.type->visited != nullptr) Py_VISIT(static_cast<PyObject *>(each.type->visited(*each.cell)));
    return 0;
}
#endif

/// Closes an object that is garbage, and ends the callables that only it knows of, which are garbage too: C++ may keep one
/// that it has not called yet.
template <class H>
void close_garbage(PyObject *self) {
    const KeptHandles called = taken_from(as_object(self)->cell, [](const KeptHandle &each) {
        return each.type->end != nullptr && each.cell->users.count() == 1;
    });
    close<H>(self);
    for (const Held &each : called) {
        each.type->end(*each.cell);
        let_go_of(each);
    }
}

/// How garbage is closed once Python overrides virtual functions: C++ still reaches the objects that do so (wg/cpython/overrides.hpp).
inline std::atomic<void (*)(const Held &garbage, void (*close)(PyObject *))> close_within_reach{nullptr};

/// Before anything of a cycle is cleared: Python's functions cannot be called after that.
template <class H>
void handle_finalize(PyObject *self) {
    if (as_object(self)->is_closed() || !keeps_called(held<H>(as_object(self)))) return;
    PyObject *raised = take_raised();
    if (const auto close = close_within_reach.load(std::memory_order_relaxed); close != nullptr) close(held<H>(as_object(self)), &close_garbage<H>);
    else close_garbage<H>(self);
    if (raised != nullptr) raise_again(raised);
}

/// What still uses the value is garbage too, and is cleared after this; until then the value needs what it holds. Objects
/// that hold each other are released once the last of them is closed.
template <class H>
int handle_clear(PyObject *self) {
    // What is open and would call Python is of a class of Python's that has a `__del__` of its own.
    using Around = typename Beside<H>::type;
    [[maybe_unused]] const Around beside(std::is_same_v<Around, NoCalls> || !keeps_called(held<H>(as_object(self))));
    close_garbage<H>(self);
    end_cycle_in_use(held<H>(as_object(self)));
    return 0;
}

/// What the class of a handle type is made of.
struct Class {
    const char *qualified_name;
    const char *doc;
    PyMethodDef *methods;
    PyGetSetDef *properties;
    std::size_t size;
    destructor dealloc;
    newfunc make;
    inquiry clear;  // null when it cannot keep others alive
    destructor finalize;  // null where its end calls no Python
    PyTypeObject *base;  // null when it extends none
};

/// `more` are slots besides those that every class has, or in their place.
[[gnu::cold, gnu::noinline]] WG_ONCE PyTypeObject *make_class(const Class &made_of, const PyType_Slot *more) WG_ELSEWHERE
#if WG_HAS_BODIES
{
    static PyMemberDef members[] = {
        {"__weaklistoffset__", T_PYSSIZET, offsetof(Object, weak_references), READONLY, nullptr},
        {nullptr, 0, 0, 0, nullptr},
    };
    std::vector<PyType_Slot> slots = {
        {Py_tp_dealloc, reinterpret_cast<void *>(made_of.dealloc)},
        {Py_tp_repr, reinterpret_cast<void *>(&handle_repr)},
        {Py_tp_new, reinterpret_cast<void *>(made_of.make)},
        {Py_tp_doc, const_cast<char *>(made_of.doc)},
        {Py_tp_methods, made_of.methods},
        {Py_tp_getset, made_of.properties},
        {Py_tp_members, members},
    };
    unsigned int flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE;
    if (made_of.clear != nullptr) {
        flags |= Py_TPFLAGS_HAVE_GC;
        slots.push_back({Py_tp_traverse, reinterpret_cast<void *>(&handle_traverse)});
        slots.push_back({Py_tp_clear, reinterpret_cast<void *>(made_of.clear)});
        if (made_of.finalize != nullptr) slots.push_back({Py_tp_finalize, reinterpret_cast<void *>(made_of.finalize)});
    }
    for (; more != nullptr && more->slot != 0; ++more) {
        const auto same = std::find_if(slots.begin(), slots.end(), [more](const PyType_Slot &each) { return each.slot == more->slot; });
        if (same == slots.end()) slots.push_back(*more);
        else *same = *more;
    }
    slots.push_back({0, nullptr});
    PyType_Spec spec = {made_of.qualified_name, static_cast<int>(made_of.size), 0, flags, slots.data()};
    return reinterpret_cast<PyTypeObject *>(PyType_FromSpecWithBases(&spec, reinterpret_cast<PyObject *>(made_of.base)));
}
#endif

/// The class that a handle type extends, and the size of its objects.
struct Inherited {
    PyTypeObject *base = nullptr;
    std::size_t size = 0;
};
template <class B, class... Further>
Inherited inherited_from(Types<B, Further...>) {
    return {Traits<B>::type, std::max({sizeof(Holder<B>), sizeof(Holder<Further>)...})};
}
inline Inherited inherited_from(Types<>) { return {}; }
template <class H>
Inherited inherited() {
    if constexpr (Family<H>::is_one) return inherited_from(typename Family<H>::Bases());
    else return {};
}

/// The class of a handle type, with the methods and properties that generated code lists.
template <class H>
PyTypeObject *make_type(const char *qualified_name, const char *doc, PyMethodDef *methods, PyGetSetDef *properties,
                        const PyType_Slot *more = nullptr) {
    inquiry clear = nullptr;
    destructor finalize = nullptr;
    if constexpr (Traits<H>::keeps) {
        clear = &handle_clear<H>;
        if constexpr (!std::is_same_v<typename Beside<H>::type, NoCalls>) finalize = &handle_finalize<H>;
    }
    const Inherited from = inherited<H>();
    return make_class({qualified_name, doc, methods, properties, std::max(sizeof(Holder<H>), from.size), &handle_dealloc<H>, &handle_new<H>, clear, finalize, from.base}, more);
}

}  // namespace wg::cpython

#endif  // WG_CPYTHON_CLASSES_HPP
