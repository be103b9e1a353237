// What the cpython engine asks of CPython: of all of its API, or with Py_LIMITED_API of the part that later versions keep.
// Static: the same for all packages. Included by generated C++ only, after Python.h.
#ifndef WG_CPYTHON_PYTHON_HPP
#define WG_CPYTHON_PYTHON_HPP

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "wg/base/once.hpp"
#include "wg/cpython/direct.hpp"
#include "wg/cpython/shared.hpp"

namespace wg::cpython::python {

// --- objects of any type -------------------------------------------------------------------------

/// A tuple of what a value iterates over, which is not asked for its length: that may be anything. Its iterator is asked, by a
/// list and since CPython 3.15 by no tuple: `range(2**70)` is refused, and does not fill the memory.
WG_ONCE PyObject *elements(PyObject *value) WG_ELSEWHERE
#if WG_HAS_BODIES
{
    if (PyTuple_CheckExact(value) || PyList_CheckExact(value)) return PySequence_Tuple(value);
    PyObject *iterator = PyObject_GetIter(value);
    PyObject *list = iterator == nullptr ? nullptr : PySequence_List(iterator);
    PyObject *tuple = list == nullptr ? nullptr : PyList_AsTuple(list);
    Py_XDECREF(list);
    Py_XDECREF(iterator);
    return tuple;
}
#endif

/// The name of a class, without its module, where it may be renamed or ends before its name is used. It is interned and never
/// released; for a built-in class, CPython makes a new one at each call.
inline const char *lasting_name(PyTypeObject *type) {
    PyObject *name = PyType_GetName(type);
    if (name != nullptr) PyUnicode_InternInPlace(&name);
    const char *text = name == nullptr ? nullptr : PyUnicode_AsUTF8AndSize(name, nullptr);
    return text == nullptr ? "object" : text;
}

#ifndef Py_LIMITED_API

#ifdef Py_GIL_DISABLED
inline const char *short_name(PyTypeObject *type) { return lasting_name(type); }
#else
/// The name of a class, without the module that a built-in one has there.
WG_ONCE const char *short_name(PyTypeObject *type) WG_ELSEWHERE
#if WG_HAS_BODIES
{
    if ((type->tp_flags & Py_TPFLAGS_HEAPTYPE) != 0) {
        const char *name = PyUnicode_AsUTF8(reinterpret_cast<PyHeapTypeObject *>(type)->ht_name);
        return name == nullptr ? "object" : name;
    }
    const char *dot = std::strrchr(type->tp_name, '.');
    return dot == nullptr ? type->tp_name : dot + 1;
}
#endif
#endif

// --- numbers and text ---------------------------------------------------------------------------

/// The value of an int that fits one digit, which most do; false for any other object.
inline bool small_int(PyObject *value, long &out) {
    if (!PyLong_CheckExact(value)) return false;
#if PY_VERSION_HEX >= 0x030C0000
    if (!PyUnstable_Long_IsCompact(reinterpret_cast<PyLongObject *>(value))) return false;
    out = static_cast<long>(PyUnstable_Long_CompactValue(reinterpret_cast<PyLongObject *>(value)));
    return true;
#else
    const Py_ssize_t size = Py_SIZE(value);
    if (size < -1 || size > 1) return false;
    out = static_cast<long>(size) * static_cast<long>(reinterpret_cast<PyLongObject *>(value)->ob_digit[0]);
    return true;
#endif
}

/// The value of an object whose type is float itself.
inline double float_value(PyObject *value) { return PyFloat_AS_DOUBLE(value); }

/// The memory of a str, where it is ASCII and there is no more to it.
inline bool ascii(PyObject *value, std::string_view &out) {
    if (!PyUnicode_CheckExact(value) || !PyUnicode_IS_COMPACT_ASCII(value)) return false;
    out = {static_cast<const char *>(PyUnicode_DATA(value)), static_cast<std::size_t>(PyUnicode_GET_LENGTH(value))};
    return true;
}

inline bool is_ascii(const std::string &value) {
    std::uint64_t bits = 0, word = 0;
    std::size_t i = 0;
    for (; i + sizeof(word) <= value.size(); i += sizeof(word)) {
        std::memcpy(&word, value.data() + i, sizeof(word));
        bits |= word;
    }
    if (i < value.size() && i > 0) {  // what is looked at twice does no harm
        std::memcpy(&word, value.data() + value.size() - sizeof(word), sizeof(word));
        bits |= word;
    } else {
        for (; i < value.size(); ++i) bits |= static_cast<unsigned char>(value[i]);
    }
    return (bits & 0x8080808080808080u) == 0;
}

/// The memory of a bytes object.
inline char *bytes_memory(PyObject *bytes) { return PyBytes_AS_STRING(bytes); }

/// A bytes object with one reference, of another size: null, and a Python exception, where there is no memory.
inline void resize_bytes(PyObject *&bytes, Py_ssize_t size) { _PyBytes_Resize(&bytes, size); }

/// Two words as one.
struct Words {
    std::uint64_t first, last;
    friend Words operator|(const Words &a, const Words &b) { return {a.first | b.first, a.last | b.last}; }
};

template <class Word>
bool has_letters_beyond_ascii(const Word &word) {
    if constexpr (std::is_same_v<Word, Words>) return has_letters_beyond_ascii(word.first | word.last);
    else return (word & static_cast<Word>(0x8080808080808080u)) != 0;
}

/// A short text as a str: of the size of two `Word`s at most, which may overlap, and of one at least.
template <class Word>
PyObject *short_text(const char *data, Py_ssize_t size) {
    Word first, last;
    const Py_ssize_t behind = size - static_cast<Py_ssize_t>(sizeof(Word));
    std::memcpy(&first, data, sizeof(Word));
    std::memcpy(&last, data + behind, sizeof(Word));
    if (has_letters_beyond_ascii(first | last)) return PyUnicode_DecodeUTF8(data, size, nullptr);
    PyObject *out = PyUnicode_New(size, 127);
    if (out == nullptr) return nullptr;
    std::memcpy(PyUnicode_1BYTE_DATA(out), &first, sizeof(Word));
    std::memcpy(PyUnicode_1BYTE_DATA(out) + behind, &last, sizeof(Word));
    return out;
}

/// Most text is ASCII, which needs no decoder; Python shares the strs of one letter and of none.
WG_ONCE PyObject *text(const std::string &value) WG_ELSEWHERE
#if WG_HAS_BODIES
{
    const auto size = static_cast<Py_ssize_t>(value.size());
    if (size > 16 && size <= 32) return short_text<Words>(value.data(), size);
    if (size >= 8 && size <= 16) return short_text<std::uint64_t>(value.data(), size);
    if (size >= 4 && size < 8) return short_text<std::uint32_t>(value.data(), size);
    if (size < 2 || !is_ascii(value)) return PyUnicode_DecodeUTF8(value.data(), size, nullptr);
    PyObject *out = PyUnicode_New(size, 127);
    if (out != nullptr) std::memcpy(PyUnicode_1BYTE_DATA(out), value.data(), value.size());
    return out;
}
#endif

// --- tuples and lists: the index is one that they have ------------------------------------------

inline Py_ssize_t tuple_size(PyObject *tuple) { return PyTuple_GET_SIZE(tuple); }
inline PyObject *tuple_item(PyObject *tuple, Py_ssize_t i) { return PyTuple_GET_ITEM(tuple, i); }

/// Fills a new one.
inline void set_tuple_item(PyObject *tuple, Py_ssize_t i, PyObject *item) { PyTuple_SET_ITEM(tuple, i, item); }
inline void set_list_item(PyObject *list, Py_ssize_t i, PyObject *item) { PyList_SET_ITEM(list, i, item); }

/// A list or tuple of what a value iterates over.
inline PyObject *sequence(PyObject *value) {
    return PyList_CheckExact(value) || PyTuple_CheckExact(value) ? Py_NewRef(value) : elements(value);
}
#ifdef Py_GIL_DISABLED
/// The same, which no other thread changes.
inline PyObject *steady(PyObject *sequence) { return PyList_CheckExact(sequence) ? PyList_AsTuple(sequence) : Py_NewRef(sequence); }
#else
inline PyObject *steady(PyObject *sequence) { return Py_NewRef(sequence); }
#endif

/// A list or tuple that the caller holds, while no Python code runs. Where other threads may change it all the same,
/// `is_interrupted`, it is a tuple.
class Steady {
public:
    Steady(PyObject *given, [[maybe_unused]] bool is_interrupted) : sequence_(given) {
#ifdef Py_GIL_DISABLED
        if (is_interrupted) sequence_ = copy_ = steady(given);
#endif
    }
    Steady(const Steady &) = delete;
    Steady &operator=(const Steady &) = delete;
#ifdef Py_GIL_DISABLED
    ~Steady() { Py_XDECREF(copy_); }
#endif

    PyObject *get() const { return sequence_; }

private:
    PyObject *sequence_;
#ifdef Py_GIL_DISABLED
    PyObject *copy_ = nullptr;
#endif
};

inline Py_ssize_t sequence_size(PyObject *sequence) { return PySequence_Fast_GET_SIZE(sequence); }
inline PyObject *sequence_item(PyObject *sequence, Py_ssize_t i) { return PySequence_Fast_GET_ITEM(sequence, i); }
inline PyObject *list_item(PyObject *list, Py_ssize_t i) { return PyList_GET_ITEM(list, i); }

/// A dict that no other thread changes for as long as `Alone` does not let it, or, where that may happen, a copy.
inline PyObject *steady_dict(PyObject *dict, [[maybe_unused]] bool is_interrupted) {
    return !has_gil && is_interrupted ? PyDict_Copy(dict) : Py_NewRef(dict);
}

/// An empty dict with room for so many keys.
WG_ONCE PyObject *new_dict(std::size_t size) WG_ELSEWHERE
#if WG_HAS_BODIES
{
#if PY_VERSION_HEX < 0x030D0000
    if (size > 5) return _PyDict_NewPresized(static_cast<Py_ssize_t>(size));
#endif
    static_cast<void>(size);
    return PyDict_New();
}
#endif

/// All items of a sequence, for as long as no Python code runs and no other thread changes it.
class Items {
public:
    explicit Items(PyObject *sequence) : items_(PySequence_Fast_ITEMS(sequence)) {}
    PyObject *operator[](std::size_t i) const { return items_[i]; }

private:
    PyObject *const *items_;
};

// --- the memory of objects ----------------------------------------------------------------------

/// An instance of a class that may be Python's own subclass of ours.
inline PyObject *allocate(PyTypeObject *type) { return type->tp_alloc(type, 0); }

#if defined(Py_GIL_DISABLED) || defined(__SANITIZE_ADDRESS__)
template <class T>
struct SpareObjects {
    static PyObject *take(PyTypeObject *) noexcept { return nullptr; }
    static bool give_back(PyObject *) noexcept { return false; }
};
#else
/// The memory of objects of a class that are gone, for new ones, as CPython keeps that of tuples and floats: a step from handle to handle
/// takes one and gives one back. Who has the GIL is alone with it.
template <class T>
class SpareObjects {
public:
    /// An object of `type` with one reference, that no collector knows; null where there is none.
    static PyObject *take(PyTypeObject *type) noexcept {
        PyObject *const found = first_;
        if (found == nullptr) return nullptr;
        first_ = next(found);
        --count_;
        return PyObject_Init(found, type);
    }
    /// False where there are enough. One that was finalized would not be so again.
    static bool give_back(PyObject *gone) noexcept {
        if (count_ == most || (Py_TYPE(gone)->tp_finalize != nullptr && PyObject_GC_IsFinalized(gone))) return false;
        next(gone) = std::exchange(first_, gone);
        ++count_;
        return true;
    }

private:
    static constexpr unsigned most = 16;
    static PyObject *&next(PyObject *object) noexcept { return reinterpret_cast<PyObject **>(object + 1)[0]; }

    static inline PyObject *first_ = nullptr;
    static inline unsigned count_ = 0;
};
#endif

/// Gives back the memory of an instance of `type`; `own` is our class, whose instances the collector of cycles may know.
template <class T, bool is_collected>
void free(PyObject *object, PyTypeObject *type, PyTypeObject *own) {
    if (type != own || !SpareObjects<T>::give_back(object)) type->tp_free(object);
}

#else

inline const char *short_name(PyTypeObject *type) { return lasting_name(type); }

// --- numbers and text ---------------------------------------------------------------------------

/// The value of an int that fits a long, which most do; false for any other object.
inline bool small_int(PyObject *value, long &out) {
    if (!PyLong_CheckExact(value)) return false;
    int overflow = 0;
    out = PyLong_AsLongAndOverflow(value, &overflow);
    return overflow == 0;
}

/// The value of an object whose type is float itself.
inline double float_value(PyObject *value) { return PyFloat_AsDouble(value); }

/// The memory of a str, which keeps its UTF-8 from here on; false also for one that has none.
WG_ONCE bool ascii(PyObject *value, std::string_view &out) WG_ELSEWHERE
#if WG_HAS_BODIES
{
    if (!PyUnicode_CheckExact(value)) return false;
    Py_ssize_t size = 0;
    const char *data = PyUnicode_AsUTF8AndSize(value, &size);
    if (data == nullptr) PyErr_Clear();
    else out = {data, static_cast<std::size_t>(size)};
    return data != nullptr;
}
#endif

inline char *bytes_memory(PyObject *bytes) { return PyBytes_AsString(bytes); }

inline void resize_bytes(PyObject *&bytes, Py_ssize_t size) {
    PyObject *const before = std::exchange(bytes, PyBytes_FromStringAndSize(nullptr, size));
    if (bytes != nullptr) std::memcpy(PyBytes_AsString(bytes), PyBytes_AsString(before), static_cast<std::size_t>(std::min(size, PyBytes_Size(before))));
    Py_DECREF(before);
}

inline PyObject *text(const std::string &value) {
    return PyUnicode_DecodeUTF8(value.data(), static_cast<Py_ssize_t>(value.size()), nullptr);
}

// --- tuples and lists: the index is one that they have ------------------------------------------

inline Py_ssize_t tuple_size(PyObject *tuple) { return PyTuple_Size(tuple); }
inline PyObject *tuple_item(PyObject *tuple, Py_ssize_t i) { return PyTuple_GetItem(tuple, i); }

/// Fills a new one.
inline void set_tuple_item(PyObject *tuple, Py_ssize_t i, PyObject *item) { PyTuple_SetItem(tuple, i, item); }
inline void set_list_item(PyObject *list, Py_ssize_t i, PyObject *item) { PyList_SetItem(list, i, item); }

/// A tuple of what a value iterates over.
inline PyObject *sequence(PyObject *value) { return elements(value); }
inline PyObject *steady(PyObject *sequence) { return Py_NewRef(sequence); }

/// A list or tuple as a tuple.
class Steady {
public:
    Steady(PyObject *given, bool) : copy_(elements(given)) {}
    Steady(const Steady &) = delete;
    Steady &operator=(const Steady &) = delete;
    ~Steady() { Py_XDECREF(copy_); }

    PyObject *get() const { return copy_; }

private:
    PyObject *copy_;
};

inline Py_ssize_t sequence_size(PyObject *sequence) { return PyTuple_Size(sequence); }
inline PyObject *sequence_item(PyObject *sequence, Py_ssize_t i) { return PyTuple_GetItem(sequence, i); }
inline PyObject *list_item(PyObject *list, Py_ssize_t i) { return PyList_GetItem(list, i); }

inline PyObject *steady_dict(PyObject *dict, bool) { return Py_NewRef(dict); }
inline PyObject *new_dict(std::size_t) { return PyDict_New(); }

/// All items of a sequence. Nothing in the limited API gives them at once, but a call does: of a function that is
/// passed them as its arguments.
class Items {
public:
    explicit Items(PyObject *sequence) : items_(static_cast<std::size_t>(sequence_size(sequence))) {
        static PyMethodDef definition = {"items", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&copy)), METH_FASTCALL, nullptr};
        static PyObject *const function = PyCFunction_NewEx(&definition, nullptr, nullptr);
        destination() = items_.data();
        PyObject *none = function == nullptr ? nullptr : PyObject_CallObject(function, sequence);
        if (none == nullptr) {  // at the end of the stack
            PyErr_Clear();
            for (std::size_t i = 0; i < items_.size(); ++i) items_[i] = sequence_item(sequence, static_cast<Py_ssize_t>(i));
        }
        Py_XDECREF(none);
    }
    PyObject *operator[](std::size_t i) const { return items_[i]; }

private:
    static PyObject **&destination() {
        static PyObject **here = nullptr;
        return here;
    }

    static PyObject *copy(PyObject *, PyObject *const *items, Py_ssize_t size) {
        std::copy_n(items, size, destination());
        Py_RETURN_NONE;
    }

    std::vector<PyObject *> items_;
};

// --- the memory of objects ----------------------------------------------------------------------

/// An instance of a class that may be Python's own subclass of ours.
inline PyObject *allocate(PyTypeObject *type) {
    const auto made_by = reinterpret_cast<allocfunc>(PyType_GetSlot(type, Py_tp_alloc));
    return made_by(type, 0);
}

template <class T>
struct SpareObjects {
    static PyObject *take(PyTypeObject *) noexcept { return nullptr; }
};

/// Gives back the memory of an instance of `type`; `own` is our class, whose instances the collector of cycles may know.
template <class T, bool is_collected>
void free(PyObject *object, PyTypeObject *type, PyTypeObject *own) {
    if (type != own)
        reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(object);
    else if constexpr (is_collected)
        PyObject_GC_Del(object);
    else
        PyObject_Free(object);
}

#endif

/// What a dict has for a key: a new reference; null without an exception where it has nothing.
inline PyObject *dict_item(PyObject *dict, PyObject *key) {
#ifdef Py_GIL_DISABLED
    PyObject *out = nullptr;
    static_cast<void>(PyDict_GetItemRef(dict, key, &out));
    return out;
#else
    return Py_XNewRef(PyDict_GetItemWithError(dict, key));
#endif
}

/// Whether a class is NumPy's, without knowing NumPy.
[[gnu::cold]] WG_ONCE bool is_of_numpy(PyObject *value) WG_ELSEWHERE
#if WG_HAS_BODIES
{
    PyObject *module = PyObject_GetAttrString(reinterpret_cast<PyObject *>(Py_TYPE(value)), "__module__");
    const bool found = module != nullptr && PyUnicode_Check(module) && PyUnicode_CompareWithASCIIString(module, "numpy") == 0;
    Py_XDECREF(module);
    PyErr_Clear();
    return found;
}
#endif
/// numpy.bool.
[[gnu::cold]] inline bool is_numpy_bool(PyObject *value) {
    const char *name = short_name(Py_TYPE(value));
    return (std::strcmp(name, "bool_") == 0 || std::strcmp(name, "bool") == 0) && is_of_numpy(value);
}
/// numpy.complex64 and the like, which a float can be made of: what is imaginary is dropped.
[[gnu::cold]] inline bool is_numpy_complex(PyObject *value) {
    const char *name = short_name(Py_TYPE(value));
    return (std::strncmp(name, "complex", 7) == 0 || std::strcmp(name, "clongdouble") == 0) && is_of_numpy(value);
}

}  // namespace wg::cpython::python

#endif  // WG_CPYTHON_PYTHON_HPP
