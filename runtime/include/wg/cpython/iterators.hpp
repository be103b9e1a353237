// Iterators of the cpython engine: one Python class, whose objects hold a range and a place in it.
// Static: the same for all packages. Included by generated C++ only, where a spec has results of type `iter[T]`.
#ifndef WG_CPYTHON_ITERATORS_HPP
#define WG_CPYTHON_ITERATORS_HPP

#include <structmember.h>

#include "wg/base/once.hpp"
#include "wg/cpython/containers.hpp"
#include "wg/types/iterators.hpp"

namespace wg::cpython {

/// An element of a range as a Python object. The items of a pair are converted where they lie: those of a map are keys, which
/// nothing moves.
template <class D>
struct RangeElement {
    template <class From>
    static PyObject *give(From &&value, const Owners &owners) {
        return made<D>(std::forward<From>(value), owners);
    }
};
template <class A, class B>
struct RangeElement<types::Tuple<A, B>> {
    template <class From>
    static PyObject *give(From &&value, const Owners &owners) {
        auto &&[first, second] = value;
        PyObject *tuple = PyTuple_New(2);
        if (tuple == nullptr) return nullptr;
        Strong out(tuple);
        PyObject *item = RangeElement<A>::give(first, owners);
        if (item == nullptr) return nullptr;
        python::set_tuple_item(tuple, 0, item);
        item = RangeElement<B>::give(second, owners);
        if (item == nullptr) return nullptr;
        python::set_tuple_item(tuple, 1, item);
        return out.release();
    }
};

/// Makes Python objects of elements.
struct PythonElement {
    const Owners &owners;
    PyObject *made = nullptr;

    template <class D, class From>
    void take(From &&value) {
        made = RangeElement<D>::give(std::forward<From>(value), owners);
    }
};

using PythonSteps = std::unique_ptr<Steps<PythonElement>>;

template <class D>
struct AsSteps {
    template <class From>
    PythonSteps operator()(From &&value) const {
        return steps_of<D, PythonElement>(std::forward<From>(value));
    }
};

/// A Python object of the class.
struct Iterator : Object {
    PythonSteps steps;
    Iteration state;
    bool runs_code;
};

inline Iterator *as_iterator(PyObject *object) { return static_cast<Iterator *>(as_object(object)); }

WG_ONCE void release_iterator(Cell &cell) noexcept WG_ELSEWHERE
#if WG_HAS_BODIES
{
    Iterator *own = as_iterator(as_python(cell));
    const KeptList *kept = cell.kept;
    own->state.end();
    try {
        const Exclusive alone(kept);
        const StepLocks locks(kept);
        own->steps.reset();
    } catch (...) {  // the interpreter ends, or there is no memory for a long list of locks: nothing else has the range
        own->steps.reset();
    }
    cell.kept.store(nullptr, std::memory_order_release);
}
#endif

inline constexpr HandleType iterator_type = {
    &release_iterator,
    [](Cell &cell) noexcept { Py_INCREF(as_python(cell)); },
    [](Cell &cell) noexcept { Py_DECREF(as_python(cell)); },
    !python::has_gil,
    false,
    nullptr,
    0,
    nullptr,
    false,
    [](Cell &cell) noexcept { return python::try_reference(as_python(cell)); },
    [](Cell &cell) noexcept { python::allow_try_reference(as_python(cell)); },
    [](Cell &cell) noexcept -> void * { return as_python(cell); },
    python::has_gil,
};

inline Held held(Iterator *iterator) { return {&iterator->cell, &iterator_type}; }

/// An iterator as the argument of a call: what the call locks.
struct Stepped {
    Iterator *iterator;
    template <class Locks>
    void add_to(Locks &locks) const {
        locks.add(held(iterator));
    }
};

/// The use of an iterator by one step, which ends it where there is nothing left.
class Stepping {
public:
    explicit Stepping(Iterator *own) : own_(own) { own_->state.is_running = true; }
    Stepping(const Stepping &) = delete;
    Stepping &operator=(const Stepping &) = delete;
    ~Stepping() {
        own_->state.is_running = false;
        if (!ends_) return;
        own_->state.has_ended = true;
        wg::close(held(own_));
    }
    /// There is another element.
    void go_on() { ends_ = false; }

private:
    Iterator *own_;
    bool ends_ = true;
};

/// Whether there may be another step; a ValueError where one is running.
inline bool may_step(const Iterator *own) {
    if (own->state.has_ended) return false;
    if (own->state.is_running) {
        PyErr_SetString(PyExc_ValueError, running_message);
        return false;
    }
    own->state.check();
    return true;
}

/// Whether a step may wait for a lock, while other threads run.
constexpr bool step_waits = !std::is_same_v<StepLocks, NoLocks>;

inline PyObject *locked_step(Iterator *own) {
    if (!may_step(own)) return nullptr;
    const StepLocks locks(static_cast<const KeptList *>(own->cell.kept));
    if (step_waits && !may_step(own)) return nullptr;  // another thread made the last step while this one waited
    Stepping stepping(own);
    PythonElement element{own->state.elements};
    if (own->steps->step(element) && element.made != nullptr) stepping.go_on();
    return element.made;
}

/// With a GIL, only a call can end the iterator while it is in use, and only if it is lent; or another thread while this one waits.
inline PyObject *step(PyObject *self) {
    Iterator *own = as_iterator(self);
    const bool pins = !python::has_gil || step_waits || own->state.can_end;
    if (pins ? !wg::enter(held(own)) : own->is_closed()) {
        if (!own->state.has_ended) PyErr_SetString(package().closed, own->state.ended_message());
        return nullptr;
    }
    struct Used {
        Iterator *own;
        ~Used() {
            if (own != nullptr) leave(held(own));
        }
    } const used{pins ? own : nullptr};
    [[maybe_unused]] const Exclusive alone(Stepped{own});
    return locked_step(own);
}

WG_ONCE PyObject *iterator_next(PyObject *self) WG_ELSEWHERE
#if WG_HAS_BODIES
{
    try {
#ifdef WG_CPYTHON_CALLABLES_HPP
        if (as_iterator(self)->runs_code) return outer<false>([self] { return step(self); });
        return step(self);
#else
        return step(self);
#endif
    }
    WG_RAISED
}
#endif

WG_ONCE PyObject *iterator_left(PyObject *self, PyObject *) WG_ELSEWHERE
#if WG_HAS_BODIES
{
    Iterator *own = as_iterator(self);
    if (own->state.has_ended) return PyLong_FromLong(0);
    i64 left = -1;
    if (wg::enter(held(own))) {
        try {
            [[maybe_unused]] const Exclusive alone(Stepped{own});
            own->state.check();
            if (own->state.has_ended) left = 0;
            else if (!own->state.is_running) left = own->steps->left();
        } catch (...) {  // -1: unknown
        }
        leave(held(own));
    }
    return left < 0 ? Py_NewRef(Py_NotImplemented) : PyLong_FromLongLong(left);
}
#endif

WG_ONCE void iterator_dealloc(PyObject *self) WG_ELSEWHERE
#if WG_HAS_BODIES
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    Iterator *own = as_iterator(self);
    if (own->cell.users.end()) release(held(own));
    if (__atomic_load_n(&own->weak_references, __ATOMIC_RELAXED) != nullptr) PyObject_ClearWeakRefs(self);
    own->steps.~PythonSteps();
    own->state.~Iteration();
    python::free<Iterator, true>(self, type, nullptr);
    Py_DECREF(reinterpret_cast<PyObject *>(type));
}
#endif

WG_ONCE int iterator_traverse(PyObject *self, visitproc visit, void *arg) WG_ELSEWHERE
#if WG_HAS_BODIES
{
    Py_VISIT(Py_TYPE(self));
    if (const KeptList *kept = as_object(self)->cell.kept)
        for (const Held &each : kept->handles)
            if (each.type->visited != nullptr) Py_VISIT(static_cast<PyObject *>(each.type->visited(*each.cell)));
    return 0;
}
#endif

inline int iterator_clear(PyObject *self) {
    wg::close(held(as_iterator(self)));
    return 0;
}

inline PyObject *iterator_repr(PyObject *self) { return PyUnicode_FromFormat("<Iterator at %p>", static_cast<void *>(self)); }

WG_ONCE PyObject *make_iterator_class() WG_ELSEWHERE
#if WG_HAS_BODIES
{
    static PyMethodDef methods[] = {
        {"__length_hint__", &iterator_left, METH_NOARGS, nullptr},
        {nullptr, nullptr, 0, nullptr},
    };
    static PyMemberDef members[] = {
        {"__weaklistoffset__", T_PYSSIZET, offsetof(Object, weak_references), READONLY, nullptr},
        {nullptr, 0, 0, 0, nullptr},
    };
    static PyType_Slot slots[] = {
        {Py_tp_dealloc, reinterpret_cast<void *>(&iterator_dealloc)},
        {Py_tp_traverse, reinterpret_cast<void *>(&iterator_traverse)},
        {Py_tp_clear, reinterpret_cast<void *>(&iterator_clear)},
        {Py_tp_repr, reinterpret_cast<void *>(&iterator_repr)},
        {Py_tp_iter, reinterpret_cast<void *>(&PyObject_SelfIter)},
        {Py_tp_iternext, reinterpret_cast<void *>(&iterator_next)},
        {Py_tp_methods, methods},
        {Py_tp_members, members},
        {0, nullptr},
    };
    constexpr unsigned flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION;
    static PyType_Spec spec = {"_iterators.Iterator", sizeof(Iterator), 0, flags, slots};
    return PyType_FromSpec(&spec);
}
#endif

/// A new iterator: `kept` is what it keeps alive, `elements` what each element does.
WG_ONCE PyObject *iterator(PythonSteps &&steps, const Owners &kept, const Owners &elements = no_owners) WG_ELSEWHERE
#if WG_HAS_BODIES
{
    static Imported type;
    PyObject *found = type.get(&make_iterator_class);
    PyObject *made = found == nullptr ? nullptr : python::allocate(reinterpret_cast<PyTypeObject *>(found));
    if (made == nullptr) return nullptr;
    Iterator *own = as_iterator(made);
    const bool is_borrowed = steps->is_borrowed();
    own->weak_references = nullptr;
    own->runs_code = steps->runs_code();
    new (&own->cell) Cell;
    new (&own->steps) PythonSteps(std::move(steps));
    new (&own->state) Iteration;
    own->cell.users.open();
    try {
        own->state.attach(held(own), kept, elements, is_borrowed);
    } catch (...) {
        Py_DECREF(made);
        throw;
    }
    return made;
}
#endif

}  // namespace wg::cpython

#endif  // WG_CPYTHON_ITERATORS_HPP
