// Methods of Python that override virtual functions, in the cpython engine.
// Static: the same for all packages. Included by generated C++ of specs with interfaces.
#ifndef WG_CPYTHON_OVERRIDES_HPP
#define WG_CPYTHON_OVERRIDES_HPP

#include "wg/base/once.hpp"
#include "wg/cpython/callables.hpp"
#include "wg/cpython/slots.hpp"
#include "wg/callbacks/overrides.hpp"

namespace wg::cpython {

/// Runs a call without the GIL while Python overrides virtual functions: other threads may wait for it.
template <class Call>
decltype(auto) blocking_beside_overrides(Call &&call) {
    if (!Overriding::are_alive()) return call();
    return blocking(std::forward<Call>(call));
}

/// A Python object that does not live longer for it.
class WeakObject final : public PythonObject {
public:
    /// Takes over a weak reference.
    explicit WeakObject(PyObject *reference) : reference_(reference) {}
    ~WeakObject() override {
        if (const Entered python(Outer::innermost()); python) Py_DECREF(reference_);
    }

    /// A new reference, while Python runs; null where the object is gone.
    PyObject *get() const {
#if PY_VERSION_HEX >= 0x030D0000 && (!defined(Py_LIMITED_API) || Py_LIMITED_API + 0 >= 0x030D0000)
        PyObject *object = nullptr;
        static_cast<void>(PyWeakref_GetRef(reference_, &object));
        return object != nullptr ? object : Py_XNewRef(garbage_.load());
#else
        PyObject *object = PyWeakref_GetObject(reference_);
        return Py_XNewRef(object == Py_None ? garbage_.load() : object);
#endif
    }
    /// The object, for as long as what C++ calls it by is finalized: the collector has cleared weak references by then.
    void set_garbage(PyObject *object) noexcept { garbage_ = object; }

    std::shared_ptr<void> alive() override {
        const Entered python(Outer::innermost());
        PyObject *object = python ? get() : nullptr;
        if (object == nullptr) return nullptr;
        return std::shared_ptr<void>(object, [](void *kept) {
            if (const Entered again(Outer::innermost()); again) Py_DECREF(static_cast<PyObject *>(kept));
        });
    }

private:
    // The thread that raises has the GIL.
    std::uintptr_t share(std::uintptr_t raised) noexcept override {
        Py_INCREF(reinterpret_cast<PyObject *>(raised));
        return raised;
    }
    void forget(std::uintptr_t raised) noexcept override { Py_DECREF(reinterpret_cast<PyObject *>(raised)); }
    void raise_kept(std::uintptr_t kept, Outer *outer) noexcept override { raise_kept_by(kept, outer); }

    PyObject *const reference_;
    std::atomic<PyObject *> garbage_{nullptr};
};

/// Closes garbage by `close`, while C++ reaches the objects that it calls by that.
WG_ONCE void close_garbage_with_called(const Held &garbage, void (*close)(PyObject *)) WG_ELSEWHERE
#if WG_HAS_BODIES
{
    std::vector<std::pair<std::shared_ptr<WeakObject>, Strong>> called;
    try {
        const KeptLocked locked;
        leads_to(garbage, [](const Cell &) { return true; }, [&called](const Held &each) {
            if (each.type->waited == nullptr || each.type->visited == nullptr) return false;
            if (auto found = std::static_pointer_cast<WeakObject>(each.type->waited(*each.cell)); found != nullptr)
                called.emplace_back(std::move(found), Strong(Py_NewRef(as_python(*each.cell))));
            return false;
        });
    } catch (const std::bad_alloc &) {  // their methods are not called
    }
    for (const auto &each : called) each.first->set_garbage(each.second.get());
    close(as_python(*garbage.cell));
    for (const auto &each : called) each.first->set_garbage(nullptr);
}
#endif

WG_ONCE PyObject *call_method(PyObject *name, PyObject **row, std::size_t size) WG_ELSEWHERE
#if WG_HAS_BODIES
{
#if !defined(Py_LIMITED_API) || Py_LIMITED_API + 0 >= 0x030C0000
    return PyObject_VectorcallMethod(name, row, size + 1, nullptr);
#else
    const Strong method(PyObject_GetAttr(row[0], name));
    return method ? call_row(method.get(), row + 1, size) : nullptr;
#endif
}
#endif

/// A method of a Python object, looked up by its name.
template <class F>
class PythonMethod final : public TargetOf<F> {
public:
    PythonMethod(std::shared_ptr<WeakObject> object, PyObject *name) : object_(std::move(object)), name_(Py_NewRef(name)) {}

    bool call(Outer *outer, ArgumentsOf<F> &arguments, AnswerOf<F> &answer) override {
        const Entered python(outer);
        if (!python || (outer == nullptr && this->has_raised_elsewhere())) return false;  // while this thread waited for the GIL
        const Strong object(object_->get());
        if (!object) {
            PyErr_Format(PyExc_RuntimeError, "%s(): the Python object that overrides it is gone", F::name);
            keep_raised(nullptr, this);
            return false;
        }
        const auto invoke = [this, &object](PyObject **row) {
            row[0] = object.get();
            return call_method(name_, row, PythonCall<F>::Taken::size);
        };
        const bool is_good = PythonCall<F>::make(this, invoke, arguments, answer);
        if (!is_good) fail(object.get());
        return is_good;
    }

private:
    [[gnu::cold, gnu::noinline]] void fail(PyObject *object) {
        PyObject *raised = take_raised();
        const Strong method(PyObject_GetAttr(object, name_));
        if (!method) PyErr_Clear();
        raise_again(raised);
        keep_raised(method ? method.get() : object, this);
    }

    void release() noexcept override {
        if (const Entered python(Outer::innermost()); python) Py_DECREF(name_);
    }
    void raise_kept(std::uintptr_t kept, Outer *outer) noexcept override { raise_kept_by(kept, outer); }

    const std::shared_ptr<WeakObject> object_;
    PyObject *const name_;
};

/// Whether a class overrides a method of the class of `H`; -1 with an exception where it cannot be looked up.
template <class H>
int overrides(PyTypeObject *type, const char *name) {
    if (type == Traits<H>::type) return 0;
    const Strong own(PyObject_GetAttrString(reinterpret_cast<PyObject *>(type), name));
    const Strong base(own ? PyObject_GetAttrString(reinterpret_cast<PyObject *>(Traits<H>::type), name) : nullptr);
    return base ? static_cast<int>(own.get() != base.get()) : -1;
}

/// Whether a class overrides all abstract methods; a TypeError that names them where it does not.
template <class H, class Own>
bool overrides_abstract(PyTypeObject *type) {
    std::string missing;
    int count = 0;
    bool is_known = true;
    Own::wg_each(nullptr, [&](auto *, i32, const char *name, bool is_abstract) {
        const int found = is_abstract && is_known ? overrides<H>(type, name) : 1;
        if (found == 0) missing += (count++ == 0 ? "" : ", ") + std::string(name);
        is_known = is_known && found >= 0;
    });
    if (is_known && count != 0)
        PyErr_Format(PyExc_TypeError, "an object of the abstract class %s cannot be made: it has to override %s", name_of(type), missing.c_str());
    return is_known && count == 0;
}

/// `__init_subclass__` of a class without a method that Python overrides, of a family where others have some.
template <class H>
PyObject *refuse_subclass(PyObject *, PyObject *, PyObject *) {
    PyErr_Format(PyExc_TypeError, "a class cannot derive from %s, of which Python overrides no method: say `virtual` before one in the spec", Traits<H>::name);
    return nullptr;
}

template <class... B>
PyTypeObject *last_base(Types<B...>) {
    PyTypeObject *last = nullptr;
    ((last = Traits<B>::type), ...);
    return last;
}

/// The same of one that has such methods and extends one that has none: what other bases of the new class do.
template <class H>
PyObject *allow_subclass(PyObject *type, PyObject *arguments, PyObject *keywords) {
    PyTypeObject *const last = last_base(typename Family<H>::Bases());
    const Strong others(PyObject_CallFunctionObjArgs(reinterpret_cast<PyObject *>(&PySuper_Type), last, type, nullptr));
    const Strong init(others ? PyObject_GetAttrString(others.get(), "__init_subclass__") : nullptr);
    return init ? PyObject_Call(init.get(), arguments, keywords) : nullptr;
}

template <class F>
void override_by(Callable<F> &overridden, const std::shared_ptr<WeakObject> &object, PyObject *name) {
    overridden = Callable<F>(new PythonMethod<F>(object, name));
    overridden.target()->be_override_of(object);
}

/// Lets the methods of a new object that its class overrides be called for the virtual functions.
template <class H, class Own>
bool override_functions(PyObject *self) {
    if (Py_TYPE(self) == Traits<H>::type) return true;
    Strong reference(PyWeakref_NewRef(self, nullptr));
    if (!reference) return false;
    const auto object = std::make_shared<WeakObject>(reference.release());
    auto *own = static_cast<Own *>(as_holder<H>(self)->value().inner.own());
    own->set_python(object);
    close_within_reach.store(&close_garbage_with_called, std::memory_order_relaxed);
    bool is_good = true;
    Own::wg_each(own, [&](auto *overridden, i32, const char *name, bool) {
        const int found = is_good ? overrides<H>(Py_TYPE(self), name) : 0;
        const Strong text(found == 1 ? PyUnicode_InternFromString(name) : nullptr);
        if (text) override_by(*overridden, object, text.get());
        is_good = is_good && found >= 0 && (found == 0 || text);
    });
    return is_good;
}

/// Makes an object of an interface's class, or of one that Python derives from it.
template <class H, class Own, class Make>
PyObject *construct_overriding(PyObject *self, Make &&make) {
    if (!overrides_abstract<H, Own>(PyType_Check(self) ? reinterpret_cast<PyTypeObject *>(self) : Py_TYPE(self))) return nullptr;
    Strong made(construct<H>(self, std::forward<Make>(make)));
    if (!made || !override_functions<H, Own>(made.get())) return nullptr;
    return made.release();
}

// --- the interpreter's end --------------------------------------------------------------------------

/// All of them, whatever one raises: the first exception is raised in the end.
WG_ONCE PyObject *close_open(PyObject *open, PyObject *) WG_ELSEWHERE
#if WG_HAS_BODIES
{
    PyObject *first = nullptr;
    const Strong values(PyObject_CallMethod(open, "values", nullptr));
    const Strong listed(values ? PySequence_List(values.get()) : nullptr);
    const Py_ssize_t size = listed ? PyList_Size(listed.get()) : 0;
    for (Py_ssize_t i = 0; i < size; ++i) {
        const Strong none(PyObject_CallMethod(PyList_GetItem(listed.get(), i), "close", nullptr));
        if (none) continue;
        if (first == nullptr) first = take_raised();
        else PyErr_WriteUnraisable(open);
    }
    const Strong raised(first);
    if (raised) PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(first)), first);
    if (!listed || raised) return nullptr;
    Py_RETURN_NONE;
}
#endif

/// What is open, by its id: weakly, and closed when the interpreter ends. A new reference.
WG_ONCE PyObject *make_open() WG_ELSEWHERE
#if WG_HAS_BODIES
{
    static PyMethodDef definition = {"close_open", &close_open, METH_NOARGS, nullptr};
    const Strong weakref(PyImport_ImportModule("weakref"));
    const Strong atexit(weakref ? PyImport_ImportModule("atexit") : nullptr);
    Strong made(atexit ? PyObject_CallMethod(weakref.get(), "WeakValueDictionary", nullptr) : nullptr);
    const Strong close(made ? PyCFunction_New(&definition, made.get()) : nullptr);
    const Strong none(close ? PyObject_CallMethod(atexit.get(), "register", "O", close.get()) : nullptr);
    return none ? made.release() : nullptr;
}
#endif

/// Closes an object when the interpreter ends: while Python still runs what the library's threads call.
WG_ONCE PyObject *close_at_exit(PyObject *made) WG_ELSEWHERE
#if WG_HAS_BODIES
{
    static std::atomic<PyObject *> shared{nullptr};
    if (made == nullptr || made == Py_None) return made;
    Strong own(made);
    PyObject *open = shared.load();
    if (open == nullptr) {
        Strong first(make_open());
        if (!first) return nullptr;
        if (shared.compare_exchange_strong(open, first.get())) open = first.release();
    }
    const Strong key(PyLong_FromVoidPtr(made));
    if (!key || PyObject_SetItem(open, key.get(), made) != 0) return nullptr;
    return own.release();
}
#endif

}  // namespace wg::cpython

#endif  // WG_CPYTHON_OVERRIDES_HPP
