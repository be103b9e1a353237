// Objects of the cpython engine's handle classes: the C++ object lies inside the Python object.
// Static: the same for all packages. Included by generated C++ only.
#ifndef WG_CPYTHON_OBJECTS_HPP
#define WG_CPYTHON_OBJECTS_HPP

#include "wg_cpython_lists.hpp"
#include "wg_cpython_locks.hpp"

namespace wg::cpython {

/// What every handle starts with.
struct Object {
    PyObject_HEAD
    PyObject *weak_references;
    Cell cell;

    bool is_closed() const { return cell.users.is_closed(); }
};

inline PyObject *as_python(Object *object) { return reinterpret_cast<PyObject *>(object); }
inline Object *as_object(PyObject *object) { return reinterpret_cast<Object *>(object); }
inline PyObject *as_python(Cell &cell) { return reinterpret_cast<PyObject *>(reinterpret_cast<char *>(&cell) - offsetof(Object, cell)); }

/// What differs between handle types: specialised for each by generated code.
///   type: the Python class; name: its name; keeps: whether it can keep others alive; drop: what releasing does, of what is
///   lent maybe by means of its owner; makers: functions that make one, for the message of who tries to make one directly.
template <class H>
struct Traits;

/// A handle with its C++ object, in place where Python's allocator aligns memory well enough for it.
template <class H>
struct Holder : Object {
    static constexpr bool in_place = alignof(H) <= 16;
    using Memory = std::conditional_t<in_place, H, H *>;

    alignas(Memory) unsigned char memory[sizeof(Memory)];

    H &value() {
        if constexpr (in_place)
            return *std::launder(reinterpret_cast<H *>(memory));
        else
            return **std::launder(reinterpret_cast<H **>(memory));
    }

    template <class Make>
    void construct(Make &&make) {
        if constexpr (in_place)
            new (memory) H(make());
        else
            new (memory) H *(new H(make()));
    }

    void destroy() noexcept {
        H &here = value();
        if constexpr (in_place)
            here.~H();
        else
            delete &here;
    }
};

template <class H>
Holder<H> *as_holder(PyObject *object) {
    return static_cast<Holder<H> *>(as_object(object));
}

/// What releasing a value does beside its destructor.
template <class H>
void drop_value(H &value, Cell &cell) {
    if (!is_ours(cell)) return;
    if constexpr (std::is_invocable_v<decltype(Traits<H>::drop), H &>) {
        Traits<H>::drop(value);
    } else if (Cell *lender = owner_of(cell).cell) {
        using Lender = typename LentBy<H>::type;
        Traits<H>::drop(value, as_holder<Lender>(as_python(*lender))->value());
    }
}

/// Ends the value of a handle that was made from others: while no call uses those.
template <class H>
void end_value(Cell &cell, bool drops) noexcept {
    Holder<H> *holder = as_holder<H>(as_python(cell));
    [[maybe_unused]] std::optional<Exclusive> alone;
    const LocksAtEnd<H> locks(cell.kept);
    if (!locks.may_end()) return;
    if constexpr (!python::has_gil && Traits<H>::keeps && Traits<H>::is_exclusive && !is_contended<H>) {
        try {
            alone.emplace(static_cast<const KeptList *>(cell.kept));
        } catch (...) {  // no memory for a long list of locks
        }
    }
    EndOf<H>::run([&] {
        try {
            if (drops) drop_value<H>(holder->value(), cell);
        } catch (...) {  // releasing has nobody to tell
        }
        holder->destroy();
    });
    Counted<H>::remove();
}

/// Releases what a handle that nobody uses any more holds.
template <class H>
void release_value(Cell &cell) noexcept {
    end_value<H>(cell, true);
    cell.kept = nullptr;
}

template <class H>
constexpr const HandleType *lender_type();

template <class H>
inline constexpr HandleType handle_type = {
    &release_value<H>,
    [](Cell &cell) noexcept { Py_INCREF(as_python(cell)); },
    [](Cell &cell) noexcept { Py_DECREF(as_python(cell)); },
    !python::has_gil && Traits<H>::is_exclusive && !is_contended<H>,
    is_contended<H>,
    nullptr,
    0,
    lender_type<H>(),
    is_tracking<H>,
    [](Cell &cell) noexcept { return python::try_reference(as_python(cell)); },
    [](Cell &cell) noexcept { python::allow_try_reference(as_python(cell)); },
    [](Cell &cell) noexcept -> void * { return as_python(cell); },
};

template <class H>
constexpr const HandleType *lender_type() {
    if constexpr (std::is_void_v<typename LentBy<H>::type>)
        return nullptr;
    else
        return &handle_type<typename LentBy<H>::type>;
}

template <class H>
Held held(Object *object) {
    return {&object->cell, &handle_type<H>};
}

/// `close()`: the handle cannot be used any more; it is released once the last call that uses it is done.
template <class H>
void close(PyObject *self) {
    wg::close(held<H>(as_object(self)));
}

// --- making -------------------------------------------------------------------------------------

template <class H>
Holder<H> *allocate(PyTypeObject *type) {
    PyObject *made = nullptr;
    if (type != Traits<H>::type)
        made = python::allocate(type);
    else if constexpr (Traits<H>::keeps)
        made = python::allocate(type);
    else
        made = reinterpret_cast<PyObject *>(PyObject_New(Holder<H>, type));
    if (made == nullptr) return nullptr;
    Holder<H> *holder = as_holder<H>(made);
    holder->weak_references = nullptr;
    new (&holder->cell) Cell;
    return holder;
}

/// A new Python object of class `type` around what `make` returns, constructed in place.
template <class H, class Make>
PyObject *give(PyTypeObject *type, Make &&make) {
    Holder<H> *holder = allocate<H>(type);
    if (holder == nullptr) return nullptr;
    try {
        holder->construct(std::forward<Make>(make));
    } catch (...) {
        Py_DECREF(as_python(holder));
        throw;
    }
    holder->cell.users.open();
    Counted<H>::add();
    return as_python(holder);
}

/// The same for a value that is there already.
template <class H>
PyObject *give(H &&value) {
    return give<H>(Traits<H>::type, [&value] { return std::move(value); });
}

/// Lets `made`, or each handle of a list, keep others alive; passes it on.
template <class H>
PyObject *keep_alive(PyObject *made, const Owners &others) {
    if (made == nullptr || made == Py_None || others.empty()) return made;
    try {
        if (!PyList_Check(made)) {
            others.attach_to(held<H>(as_object(made)));
        } else {
            for (Py_ssize_t i = 0; i < PyList_Size(made); ++i) others.attach_to(held<H>(as_object(PyList_GetItem(made, i))));
        }
    } catch (...) {
        Py_DECREF(made);
        throw;
    }
    return made;
}

/// What these arguments have for a result to keep alive.
template <class... A>
Owners owners(const A &...arguments) {
    Owners out;
    (arguments.add_to(out), ...);
    return out;
}

}  // namespace wg::cpython

#endif  // WG_CPYTHON_OBJECTS_HPP
