// Conversions between Python and C++, by what describes a type (wg/conversion/types.hpp): one partial specialisation a family.
// Static: the same for all packages. Included by generated C++ only, after Python.h.
//
//   FromPython<D>::quick(object, out, strict)   converts what is exactly of the type. No Python code runs, so borrowed
//                                               references are enough; false says nothing but that `take` has to look.
//   FromPython<D>::take(object, out, call)      converts whatever can be, or refuses. The caller holds `object`.
//   ToPython<D>::give(value, owners)            a new reference, or null with a Python exception set. Each handle in it
//                                               keeps the owners alive.
#ifndef WG_CPYTHON_CONVERSION_HPP
#define WG_CPYTHON_CONVERSION_HPP

#include <atomic>
#include <memory>
#include <optional>

#include "wg/base/once.hpp"
#include "wg/cpython/calls.hpp"
#include "wg/conversion/types.hpp"

namespace wg::cpython {

template <class D>
struct FromPython;
template <class D>
struct ToPython;

/// A reference of our own.
class Strong {
public:
    Strong() = default;
    explicit Strong(PyObject *owned) : object_(owned) {}
    static Strong borrowed(PyObject *object) { return Strong(Py_NewRef(object)); }
    Strong(Strong &&other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
    Strong(const Strong &) = delete;
    Strong &operator=(const Strong &) = delete;
    ~Strong() { Py_XDECREF(object_); }

    PyObject *get() const { return object_; }
    PyObject *release() { return std::exchange(object_, nullptr); }
    explicit operator bool() const { return object_ != nullptr; }

private:
    PyObject *object_ = nullptr;
};

/// An object that is made at its first use, once and for all. While it is made Python code may run, so nothing is locked.
class Imported {
public:
    /// Borrowed; null with a Python exception set where it cannot be made.
    template <class Make>
    PyObject *get(Make &&make) {
        if (PyObject *found = object_.load(std::memory_order_acquire)) return found;
        PyObject *made = make(), *before = nullptr;
        if (made == nullptr || object_.compare_exchange_strong(before, made)) return made;
        Py_DECREF(made);  // another thread was first
        return before;
    }
    PyObject *get(const char *module, const char *name) {
        return get([=]() -> PyObject * {
            const Strong found(PyImport_ImportModule(module));
            return found ? PyObject_GetAttrString(found.get(), name) : nullptr;
        });
    }

private:
    std::atomic<PyObject *> object_{nullptr};
};

/// A class's name with its article.
inline std::string with_article(const std::string &name) {
    return (std::strchr("AEIOaeio", name[0]) != nullptr ? "an " : "a ") + name;
}

/// Why an argument was refused. It becomes a Python exception only when the call fails: a union tries its next alternative.
struct Refusal {
    enum class Reason { type, range, size, closed, twice, value, deep };

    /// One step of the path to the refused value: a field, an index, or a key (`is_key`: the key itself was refused).
    struct Step {
        const char *field;
        Py_ssize_t index;
        Strong key;
        bool is_key;
    };

    Reason reason;
    std::string wanted;  // for `value` and `deep`: what is wrong with it
    Strong value;  // the container that has it may release it while the calls return
    std::vector<Step> path;  // from the inside out
};

/// The conversion of one argument: what went wrong in it, and the handles in it that the call uses.
class Call {
public:
    bool is_strict = false;  // a union's first round: nothing but exact types
    int worst_fit = 4;  // of a number, in a later round of a union: as of overloads, 2 converted, 3 an int as a float, 4 any
    bool is_choosing = false;  // inside a union: lenient with values, but not with what sort they are of
    bool has_misfit = false;  // an integer of the union had no place for it: no float takes it instead
    int levels = 0;  // of types that are a part of themselves

    Call() = default;
    Call(const Call &) = delete;
    Call &operator=(const Call &) = delete;
    [[gnu::always_inline]] ~Call() {
        if (!pins_.empty()) let_go_of_all();
    }

    /// Keeps a handle, which the caller counts as used, usable while the call runs.
    void keep(const Held &handle) {
        pins_.push_back(handle);
        handle.type->add_reference(*handle.cell);
    }
    const HeldList &pins() const { return pins_; }

    /// What an object's own __index__, __float__ or __iter__ raises is passed on; that it has none is reported here.
    [[gnu::cold, gnu::noinline]] WG_ONCE bool refuse(const std::string &wanted, PyObject *value, Refusal::Reason reason = Refusal::Reason::type) WG_ELSEWHERE
#if WG_HAS_BODIES
    {
        if (PyErr_Occurred()) {
            const bool is_range = reason == Refusal::Reason::range;
            if (!PyErr_ExceptionMatches(is_range ? PyExc_OverflowError : PyExc_TypeError)) return raised();
            PyErr_Clear();
        }
        refusal_.reset(new Refusal{reason, wanted, Strong::borrowed(value), {}});
        return false;
    }
#endif

    /// A Python exception is set, and is final: no other alternative is tried.
    [[gnu::cold]] bool raised() {
        has_raised_ = true;
        return false;
    }
    bool has_raised() const { return has_raised_; }

    // Steps of the path to what was refused, from the inside out; each returns false.
    [[gnu::cold, gnu::noinline]] bool at(Py_ssize_t index) { return step({nullptr, index, Strong(), false}); }
    [[gnu::cold, gnu::noinline]] bool in(const char *field) { return step({field, 0, Strong(), false}); }
    [[gnu::cold, gnu::noinline]] bool of(PyObject *key) { return step({nullptr, 0, Strong::borrowed(key), false}); }
    [[gnu::cold, gnu::noinline]] bool key(PyObject *key) { return step({nullptr, 0, Strong::borrowed(key), true}); }

    std::unique_ptr<Refusal> take_refusal() { return std::move(refusal_); }
    void blame(std::unique_ptr<Refusal> refusal) { refusal_ = std::move(refusal); }

    /// Raises the refusal as a Python exception; false.
    [[gnu::cold, gnu::noinline]] WG_ONCE bool fail(const char *parameter) WG_ELSEWHERE
#if WG_HAS_BODIES
    {
        if (has_raised_ || !refusal_) return false;
        const std::string where = parameter + path();
        PyObject *value = refusal_->value.get();
        switch (refusal_->reason) {
            case Refusal::Reason::range: return does_not_fit(where.c_str(), value, refusal_->wanted.c_str());
            case Refusal::Reason::closed: return is_closed(where.c_str(), refusal_->wanted.c_str());
            case Refusal::Reason::size:
                PyErr_Format(PyExc_TypeError, "%s: %s is wanted, not one of %zd", where.c_str(), refusal_->wanted.c_str(), python::tuple_size(value));
                return false;
            case Refusal::Reason::twice:
                PyErr_Format(PyExc_ValueError, "%s: two keys become the same: %s", where.c_str(), shown(value).c_str());
                return false;
            case Refusal::Reason::deep:  // its path is long, and says nothing
                PyErr_Format(PyExc_ValueError, "%s: %s", parameter, refusal_->wanted.c_str());
                return false;
            case Refusal::Reason::value:
                PyErr_Format(PyExc_ValueError, "%s: %s", where.c_str(), refusal_->wanted.c_str());
                return false;
            default: return wrong_type(where.c_str(), refusal_->wanted.c_str(), value);
        }
    }
#endif

private:
    [[gnu::noinline]] void let_go_of_all() noexcept {
        for (const Held &pin : pins_) {
            leave(pin);
            pin.type->drop_reference(*pin.cell);
        }
    }
    bool step(Refusal::Step &&step) {
        if (refusal_) refusal_->path.push_back(std::move(step));
        return false;
    }

    WG_ONCE std::string path() const WG_ELSEWHERE
#if WG_HAS_BODIES
    {
        std::string out;
        for (auto step = refusal_->path.rbegin(); step != refusal_->path.rend(); ++step) {
            if (step->field != nullptr) out += std::string(".") + step->field;
            else if (!step->key) out += "[" + std::to_string(step->index) + "]";
            else if (step->is_key) out += "{" + shown(step->key.get()) + "}";
            else out += "[" + shown(step->key.get()) + "]";
        }
        return out;
    }
#endif

    /// A key as Python shows it, or, where it cannot or the text is long, part of it.
    WG_ONCE static std::string shown(PyObject *key) WG_ELSEWHERE
#if WG_HAS_BODIES
    {
        const Strong text(PyObject_Repr(key));
        const char *utf8 = text ? PyUnicode_AsUTF8AndSize(text.get(), nullptr) : nullptr;
        if (utf8 == nullptr) {
            PyErr_Clear();
            return std::string("<") + name_of(Py_TYPE(key)) + ">";
        }
        if (PyUnicode_GetLength(text.get()) <= 60) return utf8;
        const Strong start(PyUnicode_Substring(text.get(), 0, 57));
        const char *cut = start ? PyUnicode_AsUTF8AndSize(start.get(), nullptr) : nullptr;
        PyErr_Clear();
        return cut == nullptr ? "..." : std::string(cut) + "...";
    }
#endif

    std::unique_ptr<Refusal> refusal_;
    HeldList pins_;
    bool has_raised_ = false;
};

/// Converts an object that the caller holds.
template <class D, class Out>
bool from_python(PyObject *value, Out &out, Call &call) {
    return FromPython<D>::quick(value, out, call.worst_fit != 4) || FromPython<D>::take(value, out, call);
}

/// An argument that any family of types converts.
template <class D>
class Compound {
public:
    using Value = wg::Value<D>;
    bool take(PyObject *value, const char *name) { return from_python<D>(value, value_, call_) || call_.fail(name); }
    Value &value() { return value_; }
    const Value &value() const { return value_; }
    template <class Owners>
    void add_to(Owners &owners) const {
        owners.add(call_.pins());
    }

private:
    Call call_;
    Value value_{};
};

}  // namespace wg::cpython

#endif  // WG_CPYTHON_CONVERSION_HPP
