// CPython's slots: what they call for the methods of protocols, and constructors.
// Static: the same for all packages. Included by generated C++ only.
#ifndef WG_CPYTHON_SLOTS_HPP
#define WG_CPYTHON_SLOTS_HPP

#include "wg/base/once.hpp"
#include "wg/cpython/calls.hpp"
#include "wg/cpython/classes.hpp"
#include "wg/cpython/handles.hpp"
#include "wg/cpython/operators.hpp"
#include "wg/cpython/results.hpp"

namespace wg::cpython {

// The same as WG_RAISED for a function that gives a number.
#define WG_RAISED_NUMBER              \
    catch (const std::exception &wg_e) { \
        wg::cpython::raise(wg_e);        \
        return -1;                       \
    }                                    \
    catch (...) {                        \
        wg::cpython::raise_unknown();    \
        return -1;                       \
    }

/// A function of CPython's convention for one object.
using Unary = PyObject *(*)(PyObject *);

// --- of the object alone ------------------------------------------------------------------------

inline PyObject *unary(Unary body, PyObject *self) {
    try {
        return body(self);
    }
    WG_RAISED
}

/// `__next__`: None is the end.
inline PyObject *next_of(Unary body, PyObject *self) {
    PyObject *made = unary(body, self);
    if (made != Py_None) return made;
    Py_DECREF(made);
    return nullptr;
}

/// `__enter__` without a result: of the object itself.
inline PyObject *enter(Unary body, PyObject *self) {
    PyObject *made = unary(body, self);
    if (made == nullptr) return nullptr;
    Py_DECREF(made);
    return Py_NewRef(self);
}

inline Py_ssize_t number_of(Py_ssize_t (*body)(PyObject *), PyObject *self) {
    try {
        return body(self);
    }
    WG_RAISED_NUMBER
}

inline int truth_of(Py_ssize_t (*body)(PyObject *), PyObject *self) { return static_cast<int>(number_of(body, self)); }

/// What `len()` gives.
template <class N>
Py_ssize_t as_length(N value) {
    if constexpr (std::is_signed_v<N>)
        if (value < 0) {
            PyErr_SetString(PyExc_ValueError, "__len__() should return >= 0");
            return -1;
        }
    if (fits<Py_ssize_t>(value)) return static_cast<Py_ssize_t>(value);
    PyErr_SetString(PyExc_OverflowError, "cannot fit 'int' into an index-sized integer");
    return -1;
}

/// What `hash()` makes of an int: the number itself where Python's hashes can be that, else what it makes of a large int.
template <class N>
Py_hash_t as_hash(N value) {
    Py_hash_t hash = 0;
    if (fits<Py_hash_t>(value)) hash = static_cast<Py_hash_t>(value);
    else hash = static_cast<Py_hash_t>(static_cast<u64>(value) % ((u64{1} << 61) - 1));
    return hash == -1 ? -2 : hash;
}

/// The hash that `object` has: a class that can be compared inherits none.
inline Py_hash_t hash_of_identity(PyObject *self) {
    return reinterpret_cast<hashfunc>(PyType_GetSlot(&PyBaseObject_Type, Py_tp_hash))(self);
}

inline Py_ssize_t as_truth(bool value) { return value ? 1 : 0; }

// --- with a key ---------------------------------------------------------------------------------

/// Puts the items of a key into a row: the key itself, or as many as a tuple has to have.
template <Py_ssize_t count>
bool spread(PyObject *key, PyObject *self, PyObject **row) {
    if constexpr (count == 1) {
        row[0] = key;
        return true;
    } else {
        const bool is_tuple = PyTuple_Check(key);
        if (!is_tuple || python::tuple_size(key) != count) {
            const std::string given = is_tuple ? "one of " + std::to_string(python::tuple_size(key)) : std::string(kind_of(key));
            PyErr_Format(PyExc_TypeError, "%s: a key is a tuple of %zd, not %s", name_of(Py_TYPE(self)), count, given.c_str());
            return false;
        }
        for (Py_ssize_t i = 0; i < count; ++i) row[i] = python::tuple_item(key, i);
        return true;
    }
}

/// What C++ says of a key that is not there, as Python says it of a dict.
[[gnu::cold, gnu::noinline]] inline void missing_key(PyObject *key) {
    if (PyErr_Occurred() != PyExc_IndexError) return;
    PyErr_Clear();
    PyErr_SetObject(PyExc_KeyError, key);
}

template <bool is_lookup, class... A>
PyObject *with_key(PyObject *(*body)(PyObject *, A &...), const char *const *names, PyObject *self, PyObject *const *row, PyObject *key) {
    PyObject *made = [&]() -> PyObject * {
        try {
            Pack<A...> taken{};
            if (!take_all(taken, row, names)) return refused(blame_any(taken, names));
            return with_all(body, self, taken);
        }
        WG_RAISED
    }();
    if constexpr (is_lookup)
        if (made == nullptr) missing_key(key);
    return made;
}

template <bool is_lookup, class... A>
PyObject *get_item(PyObject *(*body)(PyObject *, A &...), const char *const *names, PyObject *self, PyObject *key) {
    PyObject *row[sizeof...(A)];
    if (!spread<sizeof...(A)>(key, self, row)) return nullptr;
    return with_key<is_lookup>(body, names, self, row, key);
}

/// 0, or -1 where there is an exception.
inline int done(PyObject *made) {
    if (made == nullptr) return -1;
    Py_DECREF(made);
    return 0;
}

template <bool is_lookup, class... A>
int set_item(PyObject *(*body)(PyObject *, A &...), const char *const *names, PyObject *self, PyObject *key, PyObject *value) {
    PyObject *row[sizeof...(A)];
    if (!spread<sizeof...(A) - 1>(key, self, row)) return -1;
    row[sizeof...(A) - 1] = value;
    return done(with_key<is_lookup>(body, names, self, row, key));
}

template <bool is_lookup, class... A>
int delete_item(PyObject *(*body)(PyObject *, A &...), const char *const *names, PyObject *self, PyObject *key) {
    return done(get_item<is_lookup>(body, names, self, key));
}

using SetItem = int (*)(PyObject *, PyObject *, PyObject *);
using DeleteItem = int (*)(PyObject *, PyObject *);

/// One slot has both; without one of them it raises what Python raises for its own classes.
template <SetItem set, DeleteItem erase>
int change_item(PyObject *self, PyObject *key, PyObject *value) {
    if constexpr (set != nullptr)
        if (value != nullptr) return set(self, key, value);
    if constexpr (erase != nullptr)
        if (value == nullptr) return erase(self, key);
    PyErr_SetString(PyExc_AttributeError, value == nullptr ? "__delitem__" : "__setitem__");
    return -1;
}

/// An item by its position, for iteration: CPython has counted from the end already.
template <Binary get>
PyObject *item_at(PyObject *self, Py_ssize_t at) {
    if (at < 0) {
        PyErr_Format(PyExc_IndexError, "%s index out of range", name_of(Py_TYPE(self)));
        return nullptr;
    }
    PyObject *key = PyLong_FromSsize_t(at);
    PyObject *made = key == nullptr ? nullptr : get(self, key);
    Py_XDECREF(key);
    return made;
}

template <class A>
int contains(Py_ssize_t (*body)(PyObject *, A &), const char *const *names, PyObject *self, PyObject *value) {
    try {
        A taken;
        if (!taken.take(value, names[0])) return -1;
        return static_cast<int>(body(self, taken));
    }
    WG_RAISED_NUMBER
}

// --- calls of objects and of classes ------------------------------------------------------------

/// A tuple and a dict of arguments as a row, and the names of the last of them.
class Arguments {
public:
    Arguments(PyObject *arguments, PyObject *keywords) : given_(python::tuple_size(arguments)) {
        for (Py_ssize_t i = 0; i < given_; ++i) row_.push_back(Py_NewRef(python::tuple_item(arguments, i)));
        if (keywords == nullptr || PyDict_Size(keywords) == 0) return;
        PyObject *names = PyDict_Keys(keywords);
        names_ = names == nullptr ? nullptr : PyList_AsTuple(names);
        Py_XDECREF(names);
        const Py_ssize_t count = names_ == nullptr ? 0 : python::tuple_size(names_);
        for (Py_ssize_t i = 0; i < count; ++i) row_.push_back(python::dict_item(keywords, python::tuple_item(names_, i)));
        is_good_ = names_ != nullptr && std::find(row_.begin(), row_.end(), nullptr) == row_.end();
    }
    Arguments(const Arguments &) = delete;
    Arguments &operator=(const Arguments &) = delete;
    ~Arguments() {
        for (PyObject *each : row_) Py_XDECREF(each);
        Py_XDECREF(names_);
    }

    bool are_good() const { return is_good_; }
    PyObject *const *row() const { return row_.data(); }
    Py_ssize_t given() const { return given_; }
    PyObject *names() const { return names_; }

private:
    std::vector<PyObject *> row_;
    Py_ssize_t given_;
    PyObject *names_ = nullptr;
    bool is_good_ = true;
};

/// Whether there are no arguments; a TypeError where there are.
WG_ONCE bool takes_nothing(const char *name, Py_ssize_t given, PyObject *keyword) WG_ELSEWHERE
#if WG_HAS_BODIES
{
    if (keyword != nullptr) {
        PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument '%U'", name, keyword);
        return false;
    }
    if (given > 0) PyErr_Format(PyExc_TypeError, "%s() takes 1 positional argument but %zd were given", name, given + 1);
    return given == 0;
}
#endif

/// The same as `call`, where some parameters may be given by name only.
template <class... A>
PyObject *call_within(PyObject *(*body)(PyObject *, A &...), Signature &signature, PyObject *self, PyObject *const *args, Py_ssize_t given,
                      PyObject *keywords) {
    if (given <= signature.most || signature.rest >= 0) return call(body, signature, self, args, given, keywords);
    PyObject *row[sizeof...(A)];
    signature.refuse(args, given, keywords, signature.most, row);
    return nullptr;
}

template <class... A>
PyObject *call_with(PyObject *(*body)(PyObject *, A &...), Signature &signature, PyObject *self, PyObject *arguments, PyObject *keywords) {
    try {
#ifndef Py_LIMITED_API
        if (keywords == nullptr)
            return call_within(body, signature, self, PySequence_Fast_ITEMS(arguments), PyTuple_GET_SIZE(arguments), nullptr);
#endif
        const Arguments all(arguments, keywords);
        return all.are_good() ? call_within(body, signature, self, all.row(), all.given(), all.names()) : nullptr;
    }
    WG_RAISED
}

WG_ONCE PyObject *call_with(Unary body, const char *name, PyObject *self, PyObject *arguments, PyObject *keywords) WG_ELSEWHERE
#if WG_HAS_BODIES
{
    try {
        const Arguments all(arguments, keywords);
        if (!all.are_good()) return nullptr;
        PyObject *first = all.names() == nullptr ? nullptr : python::tuple_item(all.names(), 0);
        return takes_nothing(name, all.given(), first) ? body(self) : nullptr;
    }
    WG_RAISED
}
#endif

/// How many arguments a vectorcall has; the highest bit says something else.
inline Py_ssize_t count_given(std::size_t given) { return static_cast<Py_ssize_t>(given & (~std::size_t{0} >> 1)); }

/// An object of a class, by CPython's fastest convention.
template <class... A>
PyObject *make(PyObject *(*body)(PyObject *, A &...), Signature &signature, PyObject *type, PyObject *const *arguments, std::size_t given,
               PyObject *keywords) {
    return call_within(body, signature, type, arguments, count_given(given), keywords);
}

inline PyObject *make(Unary body, const char *name, PyObject *type, PyObject *const *, std::size_t given, PyObject *keywords) {
    PyObject *first = keywords == nullptr || python::tuple_size(keywords) == 0 ? nullptr : python::tuple_item(keywords, 0);
    return takes_nothing(name, count_given(given), first) ? unary(body, type) : nullptr;
}

/// `__init__` of an object that is there, which may be of a subclass.
template <class Body, class Called>
int initialize(Body body, Called &&called, PyObject *self, PyObject *arguments, PyObject *keywords) {
    return done(call_with(body, std::forward<Called>(called), self, arguments, keywords));
}

/// An object that `__init__` has not been called for: it is closed to all other calls.
template <class H>
PyObject *empty_handle(PyTypeObject *type, PyObject *, PyObject *) {
    return as_python(allocate<H>(type));
}

/// Fails for the `__init__` of another handle type than the object is of.
[[gnu::cold, gnu::noinline]] inline PyObject *cannot_become(const char *name, PyObject *self) {
    PyErr_Format(PyExc_TypeError, "%s.__init__() does not make %s", name, with_article(name_of(Py_TYPE(self))).c_str());
    return nullptr;
}

/// Makes an object of a class, or in one that is empty.
template <class H, class Make>
PyObject *construct(PyObject *self, Make &&make) {
    if (PyType_Check(self)) return give<H, true>(reinterpret_cast<PyTypeObject *>(self), std::forward<Make>(make));
    Holder<H> *holder = as_holder<H>(self);
    if constexpr (Family<H>::is_one)
        if (holder->type != &handle_type<H>) return cannot_become(Traits<H>::name, self);
    if (!holder->cell.users.begin()) {
        PyErr_Format(PyExc_TypeError, "this %s is initialized already", Traits<H>::name);
        return nullptr;
    }
    try {
        holder->construct(std::forward<Make>(make));
    } catch (...) {
        holder->cell.users.give_up();
        throw;
    }
    holder->cell.users.begun();
    Counted<H>::add();
    if constexpr (Identity<H>::is_kept) Identity<H>::template add<InObjects>(holder->value(), held<H>(holder), {}, true);
    return Py_NewRef(self);
}

/// A handle type that has a constructor: the limited API calls that by way of `__init__`.
template <class H>
bool add_type(PyObject *namespace_, const char *qualified, const char *doc, PyMethodDef *methods, PyGetSetDef *properties,
              const PyType_Slot *slots, [[maybe_unused]] PyObject *(*constructor)(PyObject *, PyObject *const *, std::size_t, PyObject *)) {
    if (!add_type<H>(namespace_, qualified, doc, methods, properties, slots)) return false;
#ifndef Py_LIMITED_API
    Traits<H>::type->tp_vectorcall = constructor;
#endif
    return true;
}

}  // namespace wg::cpython

#endif  // WG_CPYTHON_SLOTS_HPP
