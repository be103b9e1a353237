// Handles as arguments of the cpython engine.
// Static: the same for all packages. Included by generated C++ only.
#ifndef WG_CPYTHON_HANDLES_HPP
#define WG_CPYTHON_HANDLES_HPP

#include "wg/cpython/lists.hpp"
#include "wg/cpython/objects.hpp"
#include "wg/ownership/handle_arguments.hpp"

namespace wg::cpython {

template <class H>
bool take_handle(PyObject *value, const char *name) {
    PyTypeObject *const type = Traits<H>::type;
    if (Py_TYPE(value) == type || (PyType_IsSubtype(Py_TYPE(value), type) && is_of<H>(value))) return true;
    return wrong_type(name, Traits<H>::wanted, value);
}

template <class H, class... D>
const char *own_name([[maybe_unused]] PyObject *self, Types<D...>) {
    const char *name = Traits<H>::name;
    static_cast<void>((... || (PyType_IsSubtype(Py_TYPE(self), Traits<D>::type) != 0 && (name = Traits<D>::name) == nullptr)));
    return name;
}

/// Says that the object of a call is closed: by its own class, which may extend the one that has the method.
template <class H>
[[gnu::cold, gnu::noinline]] bool own_is_closed(PyObject *self) {
    if constexpr (Family<H>::has_subtypes) return is_closed(own_name<H>(self, typename Family<H>::Subtypes()), "handle");
    else return is_closed(Traits<H>::name, "handle");
}

/// A handle as an argument. `take` looks at its type; `open`, after all arguments are converted (which can run Python
/// code), at whether it is usable; `pin` keeps it so while a call runs without the GIL. `blame` is asked when a later
/// argument was refused: it says so if this one, which comes before it, was closed when it was taken.
template <class H>
class Handle {
public:
    Handle() = default;
    [[gnu::always_inline]] explicit Handle(PyObject *own) : object_(as_holder<H>(own)) {}
    Handle(const Handle &) = delete;
    Handle &operator=(const Handle &) = delete;
    [[gnu::always_inline]] ~Handle() {
        seen_.end();
        if (pinned_) leave(held());
    }

    bool glance(PyObject *value) {
        if (Py_TYPE(value) != Traits<H>::type) return false;
        object_ = as_holder<H>(value);
        return true;
    }
    bool take(PyObject *value, const char *name) {
        if (!take_handle<H>(value, name)) return false;
        object_ = as_holder<H>(value);
        was_closed_ = object_->is_closed();
        return true;
    }
    bool blame(const char *name) const { return was_closed_ && object_->is_closed() && !is_closed(name, Traits<H>::name); }
    bool open(const char *name) { return enter() ? see(object_, seen_) : is_closed(name, Traits<H>::name); }
    [[gnu::always_inline]] bool open_own() {
        if (!enter()) return own_is_closed<H>(as_python(object_));
        return see(object_, seen_) || wrong_type(Traits<H>::name, Traits<H>::wanted, as_python(object_));
    }
    [[gnu::always_inline]] bool pin() {
        if (!pinned_ && python::has_gil) object_->cell.users.hold_alone();
        else if (!pinned_) object_->cell.users.hold();
        return pinned_ = true;
    }
    H &value() const { return seen_value(object_, seen_); }
    Held held() const { return cpython::held<H>(object_); }
    template <class Owners>
    void add_to(Owners &owners) const {
        if (object_ != nullptr) owners.add(held());
    }

private:
    /// With a GIL, nothing closes the handle before `pin`; without one, any thread may.
    [[gnu::always_inline]] bool enter() {
        if (python::has_gil) return !object_->is_closed();
        return pinned_ = wg::enter(held());
    }

    Holder<H> *object_ = nullptr;
    bool was_closed_ = false;
    bool pinned_ = false;
    Seen<H> seen_;
};

template <class H, bool is_default = false>
class OptionalHandle {
public:
    bool take(PyObject *value, const char *name) {
        present_ = value != (is_default ? Py_Ellipsis : Py_None);
        return !present_ || handle_.take(value, name);
    }
    bool blame(const char *name) const { return handle_.blame(name); }
    bool open(const char *name) { return !present_ || handle_.open(name); }
    bool pin() { return !present_ || handle_.pin(); }
    H *value() const { return present_ ? &handle_.value() : nullptr; }
    template <class Owners>
    void add_to(Owners &owners) const {
        handle_.add_to(owners);
    }

private:
    bool present_ = false;
    Handle<H> handle_;
};

/// A handle that the call consumes: no other call may be using it. It stays what it was until the spec's code has it.
template <class H>
class TakenHandle {
public:
    TakenHandle() = default;
    explicit TakenHandle(PyObject *own) : object_(as_holder<H>(own)) {}
    TakenHandle(const TakenHandle &) = delete;
    TakenHandle &operator=(const TakenHandle &) = delete;
    ~TakenHandle() {
        if (!claim_) return;
        if (claim_->is_consumed()) {
            if (!seen_.end_taken(object_->cell)) end_value<H>(object_->cell, false);
            owned_.consume_value();
            release_kept(object_->cell.kept.exchange(nullptr));
        } else {
            seen_.end();
            owned_.give_back_value();
        }
    }

    bool take(PyObject *value, const char *name) {
        if (!take_handle<H>(value, name)) return false;
        object_ = as_holder<H>(value);
        was_closed_ = object_->is_closed();
        return true;
    }
    bool blame(const char *name) const { return was_closed_ && !open(name); }
    bool open(const char *name) const { return !object_->is_closed() || is_closed(name, Traits<H>::name); }
    bool open_own() const { return !object_->is_closed() || own_is_closed<H>(as_python(object_)); }
    bool claim_own() { return claim(Traits<H>::name); }
    bool claim(const char *name) {
        const Users::Claim claim = owned_.claim_value<H>(object_->cell);
        if (claim == Users::Claim::closed) return is_closed(name, "handle");  // since it was opened: the call takes it twice
        if (claim == Users::Claim::in_use) {
            PyErr_Format(PyExc_ValueError, "%s: this handle is in use, or kept alive for another one", name);
            return false;
        }
        if (claim == Users::Claim::not_owned) {
            PyErr_Format(PyExc_ValueError, "%s%s", name, not_owned_message);
            return false;
        }
        static_cast<void>(see(object_, seen_));  // `take` has looked at its type
        claim_.emplace(seen_value(object_, seen_));
        return true;
    }
    Taken<H> &value() { return *claim_; }
    Held held() const { return cpython::held<H>(object_); }

    /// A result may hold what was taken: it needs what that was keeping alive.
    template <class Owners>
    void add_to(Owners &owners) const {
        owners.add(static_cast<const KeptList *>(object_->cell.kept));
    }

private:
    Holder<H> *object_ = nullptr;
    bool was_closed_ = false;
    Seen<H> seen_;
    ValueClaim owned_;
    std::optional<Taken<H>> claim_;
};

template <class H>
class HandleList {
public:
    HandleList() = default;
    HandleList(const HandleList &) = delete;
    HandleList &operator=(const HandleList &) = delete;
    ~HandleList() {
        seen_.end();
        std::size_t i = 0;
        for (Object *object : objects_) {
            if (i++ < pinned_) leave(held<H>(object));
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
            if (objects_.back()->is_closed() && closed_at_ < 0) closed_at_ = i;
            return true;
        });
        Py_DECREF(sequence);
        return good;
    }
    bool blame(const char *name) const {
        return closed_at_ >= 0 && objects_[static_cast<std::size_t>(closed_at_)]->is_closed() &&
               !is_closed(element_name(name, closed_at_).c_str(), Traits<H>::name);
    }
    bool open(const char *name) {
        Py_ssize_t i = 0;
        handles_.reserve(objects_.size());
        for (Holder<H> *object : objects_) {
            if (!enter(object)) return is_closed(element_name(name, i).c_str(), Traits<H>::name);
            static_cast<void>(see(object, seen_.next()));  // `take` has looked at its type
            handles_.push_back(&seen_value(object, seen_.last()));
            ++i;
        }
        return true;
    }
    bool pin() {
        for (; pinned_ < objects_.size(); ++pinned_) objects_[pinned_]->cell.users.hold();
        return true;
    }
    const Handles<H> &value() const { return handles_; }
    template <class Owners>
    void add_to(Owners &owners) const {
        for (Object *object : objects_) owners.add(held<H>(object));
    }

private:
    bool enter(Object *object) {
        if (python::has_gil) return !object->is_closed();
        if (!wg::enter(held<H>(object))) return false;
        ++pinned_;
        return true;
    }

    std::vector<Holder<H> *> objects_;
    Handles<H> handles_;
    Py_ssize_t closed_at_ = -1;
    std::size_t pinned_ = 0;  // the first of them
    SeenList<H> seen_;
};

/// A handle within a container. It is looked at when its turn comes, and stays usable for the call from then on.
template <class H>
struct FromPython<types::Handle<H>> {
    static constexpr const char *wanted = Traits<H>::wanted;

    static bool quick(PyObject *, H *&, bool = false) { return false; }  // it has to be kept
    static bool take(PyObject *value, H *&out, Call &call) {
        PyTypeObject *const type = Traits<H>::type;
        if (Py_TYPE(value) != type && !(PyType_IsSubtype(Py_TYPE(value), type) && is_of<H>(value))) return call.refuse(wanted, value);
        Holder<H> *holder = as_holder<H>(value);
        if (!wg::enter(held<H>(holder))) return call.refuse(Traits<H>::name, value, Refusal::Reason::closed);
        call.keep(held<H>(holder));
        if constexpr (Family<H>::is_one) {
            auto *view = SeenCell<H>::make();
            call.keep({view, &SeenCell<H>::own_type});
            static_cast<void>(see(holder, view->seen));
            out = &seen_value(holder, view->seen);
        } else {
            out = &holder->value();
        }
        return true;
    }
};

}  // namespace wg::cpython

#endif  // WG_CPYTHON_HANDLES_HPP
