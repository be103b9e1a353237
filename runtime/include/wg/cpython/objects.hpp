// Objects of the cpython engine's handle classes: the C++ object lies inside the Python object.
// Static: the same for all packages. Included by generated C++ only.
#ifndef WG_CPYTHON_OBJECTS_HPP
#define WG_CPYTHON_OBJECTS_HPP

#include "wg/cpython/lists.hpp"
#include "wg/cpython/locks.hpp"

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
///   lent maybe by means of its owner; makers: functions that make one, for the message where a caller tries to make one directly.
template <class H>
struct Traits;

/// What handles start with whose types extend others: what they are.
struct TypedObject : Object {
    const HandleType *type;
};
template <class H>
using ObjectFor = std::conditional_t<Family<H>::is_one, TypedObject, Object>;

/// A handle with its C++ object, in place where Python's allocator aligns memory well enough for it.
template <class H>
struct Holder : ObjectFor<H> {
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
    void construct(Make &&make);

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

template <class H>
bool see(Holder<H> *holder, Seen<H> &seen);
template <class H>
H &seen_value(Holder<H> *holder, const Seen<H> &seen) {
    return seen.value([holder]() -> H & { return holder->value(); });
}

template <class H>
void end_value(Cell &cell, bool drops) noexcept;

/// How Python objects have their types and values.
struct InObjects {
    template <class H>
    static constexpr const HandleType &type();
    template <class H>
    static H &value(Cell &cell) {
        return as_holder<H>(as_python(cell))->value();
    }
    template <class H>
    static void end(Cell &cell) noexcept {
        end_value<H>(cell, false);
    }
    /// What lends the value of a cell, as a call sees it; null where nothing does.
    template <class H>
    static typename LentBy<H>::type *owner(Cell &cell, Seen<typename LentBy<H>::type> &seen) {
        using Lender = typename LentBy<H>::type;
        Cell *lender = owner_of(cell).cell;
        if (lender == nullptr || !see(as_holder<Lender>(as_python(*lender)), seen)) return nullptr;
        return &seen_value(as_holder<Lender>(as_python(*lender)), seen);
    }
};

template <class H>
template <class Make>
void Holder<H>::construct(Make &&make) {
    if constexpr (in_place)
        new (memory) H(make());
    else
        new (memory) H *(new H(make()));
    link_owner<InObjects>(value(), this->cell);
}

/// What releasing a value does beside its destructor.
template <class H>
void drop_value(H &value, Cell &cell) {
    if (!is_ours(cell)) return;
    if constexpr (std::is_invocable_v<decltype(Traits<H>::drop), H &>) {
        Traits<H>::drop(value);
    } else {
        Seen<typename LentBy<H>::type> seen;
        if (auto *owner = InObjects::owner<H>(cell, seen)) Traits<H>::drop(value, *owner);
    }
}

/// Python code that the end of a value runs, apart from what is raised: an object may end while that unwinds the stack.
class ApartFromRaised {
public:
    ApartFromRaised() : raised_(PyErr_Occurred() == nullptr ? nullptr : take_raised()) {}
    ApartFromRaised(const ApartFromRaised &) = delete;
    ApartFromRaised &operator=(const ApartFromRaised &) = delete;
    ~ApartFromRaised() {
        if (raised_ != nullptr) raise_again(raised_);
    }

private:
    PyObject *const raised_;
};
template <class H>
using RaisedAtEnd = std::conditional_t<std::is_same_v<typename Beside<H>::type, NoCalls>, NoCalls, ApartFromRaised>;

/// Ends the value of a handle that was made from others: while no call uses those.
template <class H>
void end_own_value(Cell &cell, bool drops) noexcept {
    Holder<H> *holder = as_holder<H>(as_python(cell));
    [[maybe_unused]] const RaisedAtEnd<H> raised;
    [[maybe_unused]] const typename Beside<H>::type beside;
    [[maybe_unused]] std::optional<Exclusive> alone;
    const LocksAtEnd<H> locks(cell.kept);
    if (!locks.may_end()) return;
    if constexpr (!python::has_gil && Traits<H>::keeps && Traits<H>::is_exclusive && !is_locked_by_calls<H>) {
        try {
            alone.emplace(static_cast<const KeptList *>(cell.kept));
        } catch (...) {  // no memory for a long list of locks
        }
    }
    EndOf<H>::run([&] {
        try {
            if (drops) drop_value<H>(holder->value(), cell);
        } catch (...) {  // errors are ignored here: a release cannot raise
        }
        holder->destroy();
    });
    Counted<H>::remove();
}

template <class H>
void end_value(Cell &cell, bool drops) noexcept {
    if constexpr (is_imported<H>) ImportedFrom<H>::objects->end(cell);
    else end_own_value<H>(cell, drops);
}

/// Releases what a handle that is not used any more holds.
template <class H>
void release_value(Cell &cell) noexcept {
    end_value<H>(cell, true);
    cell.kept.store(nullptr, std::memory_order_release);
}

template <class H>
constexpr const HandleType *lender_type();

template <class H>
constexpr auto waited_in() -> std::shared_ptr<Waited> (*)(Cell &) {
    if constexpr (PythonOf<decltype(H::inner)>::is_called)
        return [](Cell &cell) { return PythonOf<decltype(H::inner)>::waited(as_holder<H>(as_python(cell))->value().inner); };
    else
        return nullptr;
}

template <class H>
constexpr HandleType type_of_objects() {
    return {
        &release_value<H>,
        [](Cell &cell) noexcept { Py_INCREF(as_python(cell)); },
        [](Cell &cell) noexcept { Py_DECREF(as_python(cell)); },
        !python::has_gil && Traits<H>::is_exclusive && !is_locked_by_calls<H>,
        is_locked_by_calls<H>,
        Upcasts<H, InObjects>::rows,
        Upcasts<H, InObjects>::size,
        lender_type<H>(),
        knows_lent<H>,
        [](Cell &cell) noexcept { return python::try_reference(as_python(cell)); },
        [](Cell &cell) noexcept { python::allow_try_reference(as_python(cell)); },
        [](Cell &cell) noexcept -> void * { return as_python(cell); },
        python::has_gil,
        Identity<H>::attach,
        nullptr,
        PythonOf<decltype(H::inner)>::is_called,
        still_needed<H>,
        waited_in<H>(),
        nullptr,
        false,
        is_told_to_lender<H>(),
    };
}

/// Specialised where it is known once another package is imported: of that package's types, and of those that they lend.
template <class H>
inline constexpr HandleType handle_type = type_of_objects<H>();

template <class H>
constexpr const HandleType *lender_type() {
    if constexpr (std::is_void_v<typename LentBy<H>::type> || is_imported<typename LentBy<H>::type>)
        return nullptr;
    else
        return &handle_type<typename LentBy<H>::type>;
}

template <class H>
constexpr const HandleType &InObjects::type() {
    return handle_type<H>;
}

template <class H>
Held held(Object *object) {
    if constexpr (Family<H>::is_one) return {&object->cell, static_cast<TypedObject *>(object)->type};
    else return {&object->cell, &handle_type<H>};
}

/// What a call sees of a handle that is in use.
template <class H>
[[gnu::always_inline]] inline bool see(Holder<H> *holder, Seen<H> &seen) {
    return seen.see(held<H>(holder), handle_type<H>, [holder]() -> H & { return holder->value(); });
}

/// Whether an object of a class of `H`, or of one that Python derives from it, is one: it may be of another one too.
template <class H>
bool is_of([[maybe_unused]] PyObject *object) {
    if constexpr (Family<H>::is_one) return is_a(*held<H>(as_object(object)).type, handle_type<H>);
    else return true;
}

/// `close()`: the handle cannot be used any more; it is released once the last call that uses it is done.
template <class H>
void close(PyObject *self) {
    wg::close(held<H>(as_object(self)));
}

/// At import: no thread is unwound before the interpreter's end, when Python calls `end`, which says that it may be from then on.
inline bool be_alone_until(PyMethodDef &end) {
    const Strong atexit(PyImport_ImportModule("atexit"));
    const Strong called(PyCFunction_New(&end, nullptr));
    const Strong none(atexit && called ? PyObject_CallMethod(atexit.get(), "register", "O", called.get()) : nullptr);
    if (none) may_unwind = false;
    return static_cast<bool>(none);
}

// --- making -------------------------------------------------------------------------------------

template <class H>
Holder<H> *allocate(PyTypeObject *type) {
    PyObject *made = nullptr;
    if (type != Traits<H>::type)
        made = python::allocate(type);
    else if ((made = python::SpareObjects<H>::take(type)) != nullptr)
        ;
    else if constexpr (Traits<H>::keeps)
        made = reinterpret_cast<PyObject *>(PyObject_GC_New(Holder<H>, type));
    else
        made = reinterpret_cast<PyObject *>(PyObject_New(Holder<H>, type));
    if (made == nullptr) return nullptr;
    Holder<H> *holder = as_holder<H>(made);
    holder->weak_references = nullptr;
    if constexpr (Family<H>::is_one) holder->type = &handle_type<H>;
    new (&holder->cell) Cell;
    if constexpr (Traits<H>::keeps)
        if (type == Traits<H>::type) PyObject_GC_Track(made);
    return holder;
}

/// A new Python object of class `type` around what `make` returns, constructed in place.
template <class H, class Make>
PyObject *give_as(PyTypeObject *type, Make &&make) {
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

/// The object, if it is of a class: a class method that a subclass inherits may make another one.
inline PyObject *as_wanted(PyObject *made, PyTypeObject *type) {
    if (Py_TYPE(made) == type || PyType_IsSubtype(Py_TYPE(made), type) != 0) return made;
    const char *other = name_of(Py_TYPE(made));
    PyErr_Format(PyExc_TypeError, "%s is wanted, and the library made %s: call this on %s", with_article(name_of(type)).c_str(), with_article(other).c_str(), other);
    Py_DECREF(made);
    return nullptr;
}

/// The handle class that a class is, or derives from: `H`'s, or one that extends that.
template <class H, class... D>
PyTypeObject *nearest_class(PyTypeObject *type, Types<D...>) {
    PyTypeObject *found = Traits<H>::type;
    static_cast<void>((... || (PyType_IsSubtype(type, Traits<D>::type) != 0 && (found = Traits<D>::type) != nullptr)));
    return found;
}

/// The same, of the class that C++ knows the object to be; `lend` gets the object with its value, as what they are.
template <class H, class Make, class Lend>
PyObject *give_own(PyTypeObject *type, Make &&make, [[maybe_unused]] Lend &&lend) {
    const auto give_as_own = [&](auto &&made, PyTypeObject *as) {
        using Own = std::decay_t<decltype(made)>;
        PyObject *out = give_as<Own>(as, [&made] { return Own(std::move(made)); });
        if (out != nullptr) lend(held<Own>(as_object(out)), as_holder<Own>(out)->value());
        return out;
    };
    if constexpr (!Family<H>::has_subtypes) {
        PyObject *out = give_as<H>(type, std::forward<Make>(make));
        if (out != nullptr) lend(held<H>(as_object(out)), as_holder<H>(out)->value());
        return out;
    } else {
        PyTypeObject *nearest = nearest_class<H>(type, typename Family<H>::Subtypes());
        PyObject *out = nullptr;
        if constexpr (!is_pointer_like<std::remove_cv_t<decltype(H::inner)>>::value) {
            out = give_as<H>(nearest == Traits<H>::type ? type : Traits<H>::type, std::forward<Make>(make));
            if (out != nullptr) lend(held<H>(as_object(out)), as_holder<H>(out)->value());
        } else if (nearest == Traits<H>::type && type != nearest) {
            out = give_as_own(make(), type);
        } else {
            out = most_derived<H>(make(), [&](auto &&made) {
                PyTypeObject *own = Traits<std::decay_t<decltype(made)>>::type;
                return give_as_own(std::move(made), own == nearest ? type : own);
            });
        }
        return out == nullptr ? nullptr : as_wanted(out, type);
    }
}

/// The same of a class of another package, which makes it.
template <class H, class Make>
PyObject *imported_object(Make &&make, bool is_new) {
    return static_cast<PyObject *>(give_imported<H>(*ImportedFrom<H>::objects, std::forward<Make>(make), is_new));
}

template <class H, class Make, class Lend>
PyObject *give([[maybe_unused]] PyTypeObject *type, Make &&make, Lend &&lend) {
    if constexpr (is_imported<H>) {
        PyObject *out = imported_object<H>(std::forward<Make>(make), false);
        if (out != nullptr) lend(held<H>(as_object(out)), as_holder<H>(out)->value());
        return out;
    } else {
        return give_own<H>(type, std::forward<Make>(make), std::forward<Lend>(lend));
    }
}
/// What a call gives: an object that is there may stand for that (wg/cpython/identity.hpp). `is_new` of what a constructor makes.
template <class H, bool is_new, class Make>
PyObject *give_known(PyTypeObject *type, Make &&make);
/// The open object that stands for the same as a value: a new reference, or null.
template <class H>
PyObject *object_there(const H &value);
template <class H, bool is_new = false, class Make>
PyObject *give([[maybe_unused]] PyTypeObject *type, Make &&make) {
    if constexpr (is_imported<H>) return imported_object<H>(std::forward<Make>(make), is_new);
    else if constexpr (Identity<H>::is_kept) return give_known<H, is_new>(type, std::forward<Make>(make));
    else return give<H>(type, std::forward<Make>(make), [](const Held &, auto &) {});
}

/// The same for a value that is there already: one function for each class.
template <class H>
[[gnu::noinline]] PyObject *give(H &&value) {
    return give<H>(Traits<H>::type, [&value] { return std::move(value); });
}

/// Whether a result has an owner of one type only, which a thread that has the GIL attaches without a lock.
template <class H, class Lender = typename LentBy<H>::type>
constexpr bool has_simple_owner = python::has_gil && !is_imported<H> && !is_imported<Lender> && !Identity<H>::is_kept && !Family<H>::is_one && !Family<Lender>::is_one && !is_locked_by_calls<Lender> &&
                                  std::is_void_v<typename LentBy<Lender>::type>;
template <class H>
constexpr bool has_simple_owner<H, void> = false;

/// Lets a new handle keep its owner alive, which is the object of its call or what owns that: as `Owners::attach_owner` does, of what
/// is known when this is compiled. False where more is to do.
template <class H>
[[gnu::always_inline]] inline bool attach_simple_owner([[maybe_unused]] Cell &made, [[maybe_unused]] const Held &object) {
    if constexpr (has_simple_owner<H>) {
        constexpr const HandleType &type = handle_type<H>, &lender = handle_type<typename LentBy<H>::type>;
        const Held owner = object.type == &lender ? object : owner_of(*object.cell);
        if (owner.type != &lender || !is_alone(lender) || owner.cell->users.ends_with_call()) return false;
        const KeptList *const further = owner.cell->kept;
        if (further != nullptr && !further->locks.empty()) return false;
        KeptList &kept = kept_of({&made, &type});
        kept.handles.push_back({owner, 0});
        owner.cell->users.hold_alone();
        Py_INCREF(as_python(*owner.cell));
        kept.owner = owner;
        if constexpr (knows_lent<typename LentBy<H>::type>) add_loan_locked(owner, {&made, &type}, 0);
        return true;
    } else {
        return false;
    }
}

/// Lets `made`, or each handle of a list, keep others alive; passes it on. One function for each class.
template <class H, class Others>
[[gnu::noinline]] PyObject *keep_alive(PyObject *made, const Others &others) {
    if (made == nullptr || made == Py_None || (others.empty() && !Identity<H>::is_kept)) return made;
    if constexpr (has_simple_owner<H>)
        if (const Held *object = others.sole_lender(); object != nullptr && Py_TYPE(made) == Traits<H>::type && attach_simple_owner<H>(as_object(made)->cell, *object)) return made;
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
