// Handles of the cpython engine: the C++ object lies inside the Python object.
// Static: the same for all packages. Included by generated C++ only.
#pragma once

#include <structmember.h>

#include "wg_cpython_lists.hpp"

namespace wg::cpython {

/// All that one handle keeps alive.
struct KeptList {
    std::vector<Kept> handles;
    KeptList *next = nullptr;  // while waiting to be let go of
};

/// What every handle starts with. `users` counts the owner, the calls that run without the GIL, and the handles that it
/// is kept alive for; the last one releases what it holds. All of it is guarded by the GIL.
struct Object {
    PyObject_HEAD
    PyObject *weak_references;
    KeptList *kept;
    i32 users;
    bool closed;
};

inline PyObject *as_python(Object *object) { return reinterpret_cast<PyObject *>(object); }
inline Object *as_object(PyObject *object) { return reinterpret_cast<Object *>(object); }

/// What differs between handle types: specialised for each by generated code.
///   type: the Python class; name: its name; keeps: whether it can keep others alive; drop: what releasing does;
///   makers: functions that make one, for the message of who tries to make one directly.
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

/// Lets go of the handles that this one kept alive. Iterative, since chains may be long: what comes up meanwhile waits.
inline void release_kept(Object *object) {
    static KeptList *waiting = nullptr;
    static bool is_running = false;
    KeptList *kept = object->kept;
    object->kept = nullptr;
    if (kept == nullptr) return;
    kept->next = waiting;
    waiting = kept;
    if (is_running) return;
    is_running = true;
    while (waiting != nullptr) {
        KeptList *current = waiting;
        waiting = current->next;
        for (const Kept &each : current->handles) {
            each.let_go(each.object);
            Py_DECREF(as_python(each.object));
        }
        delete current;
    }
    is_running = false;
}

/// One user less; the last one releases what the handle holds.
template <class H>
void let_go(Object *object) {
    if (--object->users > 0) return;
    auto *holder = static_cast<Holder<H> *>(object);
    try {
        Traits<H>::drop(holder->value());
    } catch (...) {  // releasing has nobody to tell
    }
    holder->destroy();
    release_kept(object);
}

/// `close()`: the handle cannot be used any more; it is released once the last call that uses it is done.
template <class H>
void close(PyObject *self) {
    Object *object = as_object(self);
    if (object->closed) return;
    object->closed = true;
    let_go<H>(object);
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
    holder->kept = nullptr;
    holder->users = 0;
    holder->closed = true;
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
    holder->users = 1;
    holder->closed = false;
    return as_python(holder);
}

/// The same for a value that is there already.
template <class H>
PyObject *give(H &&value) {
    return give<H>(Traits<H>::type, [&value] { return std::move(value); });
}

/// Lets one handle keep others alive.
inline void add_kept(Object *object, const std::vector<Kept> &others) {
    if (object->kept == nullptr) object->kept = new KeptList;
    std::vector<Kept> &kept = object->kept->handles;
    kept.insert(kept.end(), others.begin(), others.end());
    for (const Kept &each : others) {
        ++each.object->users;
        Py_INCREF(as_python(each.object));
    }
}

/// Lets `made`, or each handle of a list, keep others alive; passes it on.
inline PyObject *keep_alive(PyObject *made, const std::vector<Kept> &others) {
    if (made == nullptr || made == Py_None || others.empty()) return made;
    try {
        if (!PyList_Check(made)) {
            add_kept(as_object(made), others);
        } else {
            for (Py_ssize_t i = 0; i < PyList_Size(made); ++i) add_kept(as_object(PyList_GetItem(made, i)), others);
        }
    } catch (...) {
        Py_DECREF(made);
        throw;
    }
    return made;
}

/// What these arguments have for a result to keep alive.
template <class... A>
std::vector<Kept> owners(const A &...arguments) {
    std::vector<Kept> out;
    (arguments.add_to(out), ...);
    return out;
}

// --- arguments ----------------------------------------------------------------------------------

template <class H>
bool take_handle(PyObject *value, const char *name) {
    PyTypeObject *const type = Traits<H>::type;
    if (Py_TYPE(value) == type || PyType_IsSubtype(Py_TYPE(value), type)) return true;
    return wrong_type(name, Traits<H>::wanted, value);
}

/// A handle as an argument. `take` looks at its type; `open`, after all arguments are converted (which can run Python
/// code), at whether it is usable; `pin` keeps it so while a call runs without the GIL. `blame` is asked when a later
/// argument was refused: it says so if this one, which comes before it, was closed when it was taken.
template <class H>
class Handle {
public:
    Handle() = default;
    explicit Handle(PyObject *own) : object_(as_holder<H>(own)) {}
    Handle(const Handle &) = delete;
    Handle &operator=(const Handle &) = delete;
    ~Handle() {
        if (pinned_) let_go<H>(object_);
    }

    bool take(PyObject *value, const char *name) {
        if (!take_handle<H>(value, name)) return false;
        object_ = as_holder<H>(value);
        was_closed_ = object_->closed;
        return true;
    }
    bool blame(const char *name) const { return was_closed_ && !open(name); }
    bool open(const char *name) const { return !object_->closed || is_closed(name, Traits<H>::name); }
    bool open_own() const { return !object_->closed || is_closed(Traits<H>::name, "handle"); }
    bool pin() {
        ++object_->users;
        return pinned_ = true;
    }
    H &value() const { return object_->value(); }
    void add_to(std::vector<Kept> &owners) const {
        if (object_ != nullptr) owners.push_back({object_, &let_go<H>});
    }

private:
    Holder<H> *object_ = nullptr;
    bool was_closed_ = false;
    bool pinned_ = false;
};

template <class H>
class OptionalHandle {
public:
    bool take(PyObject *value, const char *name) {
        present_ = value != Py_None;
        return !present_ || handle_.take(value, name);
    }
    bool blame(const char *name) const { return handle_.blame(name); }
    bool open(const char *name) const { return !present_ || handle_.open(name); }
    bool pin() { return !present_ || handle_.pin(); }
    H *value() const { return present_ ? &handle_.value() : nullptr; }
    void add_to(std::vector<Kept> &owners) const { handle_.add_to(owners); }

private:
    bool present_ = false;
    Handle<H> handle_;
};

/// A handle that the call consumes: nobody else may be using it. It stays what it was until the spec's code has it.
template <class H>
class TakenHandle {
public:
    TakenHandle() = default;
    TakenHandle(const TakenHandle &) = delete;
    TakenHandle &operator=(const TakenHandle &) = delete;
    ~TakenHandle() {
        if (!claim_) return;
        if (!claim_->is_consumed()) {
            object_->closed = false;
            return;
        }
        object_->users = 0;
        object_->destroy();
        release_kept(object_);
    }

    bool take(PyObject *value, const char *name) {
        if (!take_handle<H>(value, name)) return false;
        object_ = as_holder<H>(value);
        was_closed_ = object_->closed;
        return true;
    }
    bool blame(const char *name) const { return was_closed_ && !open(name); }
    bool open(const char *name) const { return !object_->closed || is_closed(name, Traits<H>::name); }
    bool claim(const char *name) {
        if (object_->closed) return is_closed(name, "handle");  // since it was opened: the call takes it twice
        if (object_->users != 1) {
            PyErr_Format(PyExc_ValueError, "%s: this handle is in use, or kept alive for another one", name);
            return false;
        }
        object_->closed = true;
        claim_.emplace(object_->value());
        return true;
    }
    Taken<H> &value() { return *claim_; }

    /// A result may hold what was taken: it needs what that was keeping alive.
    void add_to(std::vector<Kept> &owners) const {
        if (object_->kept == nullptr) return;
        owners.insert(owners.end(), object_->kept->handles.begin(), object_->kept->handles.end());
    }

private:
    Holder<H> *object_ = nullptr;
    bool was_closed_ = false;
    std::optional<Taken<H>> claim_;
};

template <class H>
class HandleList {
public:
    HandleList() = default;
    HandleList(const HandleList &) = delete;
    HandleList &operator=(const HandleList &) = delete;
    ~HandleList() {
        for (Object *object : objects_) {
            if (pinned_) let_go<H>(object);
            Py_DECREF(as_python(object));
        }
    }

    bool take(PyObject *value, const char *name) {
        PyObject *sequence = elements(value, name);
        if (sequence == nullptr) return false;
        const bool good = for_each(sequence, [&](PyObject *element, Py_ssize_t i) {
            const bool exact = Py_TYPE(element) == Traits<H>::type;
            if (!exact && !take_handle<H>(element, element_name(name, i).c_str())) return false;
            objects_.push_back(as_holder<H>(Py_NewRef(element)));
            if (objects_.back()->closed && closed_at_ < 0) closed_at_ = i;
            return true;
        });
        Py_DECREF(sequence);
        return good;
    }
    bool blame(const char *name) const {
        return closed_at_ >= 0 && !is_open(objects_[static_cast<std::size_t>(closed_at_)], name, closed_at_);
    }
    bool open(const char *name) {
        Py_ssize_t i = 0;
        for (Holder<H> *object : objects_) {
            if (!is_open(object, name, i++)) return false;
            handles_.push_back(&object->value());
        }
        return true;
    }
    bool pin() {
        for (Object *object : objects_) ++object->users;
        return pinned_ = true;
    }
    const Handles<H> &value() const { return handles_; }
    void add_to(std::vector<Kept> &owners) const {
        for (Object *object : objects_) owners.push_back({object, &let_go<H>});
    }

private:
    static bool is_open(const Object *object, const char *name, Py_ssize_t i) {
        return !object->closed || is_closed(element_name(name, i).c_str(), Traits<H>::name);
    }

    std::vector<Holder<H> *> objects_;
    Handles<H> handles_;
    Py_ssize_t closed_at_ = -1;
    bool pinned_ = false;
};

/// A handle within a container. It is looked at when its turn comes, and stays usable for the call from then on.
template <class H>
struct FromPython<types::Handle<H>> {
    static constexpr const char *wanted = Traits<H>::wanted;

    static bool quick(PyObject *, H *&, bool = false) { return false; }  // it has to be kept
    static bool take(PyObject *value, H *&out, Call &call) {
        PyTypeObject *const type = Traits<H>::type;
        if (Py_TYPE(value) != type && !PyType_IsSubtype(Py_TYPE(value), type)) return call.refuse(wanted, value);
        Holder<H> *holder = as_holder<H>(value);
        if (holder->closed) return call.refuse(Traits<H>::name, value, Refusal::Reason::closed);
        call.keep({holder, &let_go<H>});
        ++holder->users;
        out = &holder->value();
        return true;
    }
};

// --- what every handle class has ----------------------------------------------------------------

template <class H>
[[gnu::noinline]] PyObject *method_close(PyObject *self, PyObject *) {
    close<H>(self);
    Py_RETURN_NONE;
}

template <class H>
PyObject *method_enter(PyObject *self, PyObject *) {
    if (!as_object(self)->closed) return Py_NewRef(self);
    PyErr_Format(package().closed, "this %s is closed", Traits<H>::name);
    return nullptr;
}

template <class H>
PyObject *method_exit(PyObject *self, PyObject *) {
    return method_close<H>(self, nullptr);
}

inline PyObject *get_closed(PyObject *self, void *) { return PyBool_FromLong(as_object(self)->closed); }

/// The article before a class's name.
inline const char *article(const char *name) { return std::strchr("AEIOaeio", *name) == nullptr ? "a" : "an"; }

inline PyObject *refuse_pickle(PyObject *self, PyObject *) {
    const char *name = name_of(Py_TYPE(self));
    PyErr_Format(PyExc_TypeError, "%s %s cannot be pickled: it stands for an object of this process", article(name), name);
    return nullptr;
}

inline PyObject *refuse_copy(PyObject *self, PyObject *) {
    const char *name = name_of(Py_TYPE(self));
    PyErr_Format(PyExc_TypeError, "%s %s cannot be copied: it is released exactly once", article(name), name);
    return nullptr;
}

inline PyObject *handle_repr(PyObject *self) {
    const char *name = name_of(Py_TYPE(self));
    if (as_object(self)->closed) return PyUnicode_FromFormat("<%s closed>", name);
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
    if (as_object(self)->weak_references != nullptr) PyObject_ClearWeakRefs(self);
    close<H>(self);  // no chain of handles ends one inside the other: `release_kept` has a list of them
    python::free<Traits<H>::keeps>(self, type, Traits<H>::type);
    Py_DECREF(reinterpret_cast<PyObject *>(type));
}

inline int handle_traverse(PyObject *self, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(self));
    if (as_object(self)->kept != nullptr)
        for (const Kept &each : as_object(self)->kept->handles) Py_VISIT(as_python(each.object));
    return 0;
}

template <class H>
int handle_clear(PyObject *self) {
    close<H>(self);
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
};

[[gnu::cold, gnu::noinline]] inline PyTypeObject *make_class(const Class &made_of) {
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
    }
    slots.push_back({0, nullptr});
    PyType_Spec spec = {made_of.qualified_name, static_cast<int>(made_of.size), 0, flags, slots.data()};
    return reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
}

/// The class of a handle type, with the methods and properties that generated code lists.
template <class H>
PyTypeObject *make_type(const char *qualified_name, const char *doc, PyMethodDef *methods, PyGetSetDef *properties) {
    inquiry clear = nullptr;
    if constexpr (Traits<H>::keeps) clear = &handle_clear<H>;
    return make_class(
        {qualified_name, doc, methods, properties, sizeof(Holder<H>), &handle_dealloc<H>, &handle_new<H>, clear});
}

}  // namespace wg::cpython
