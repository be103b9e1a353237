// The native engine's part of every package: arguments, handles and failures over CPython's own API.
// Static: the same for all packages. Included by generated C++ only, after Python.h and wg_support.hpp.
#pragma once

#include <cstring>

#include "wg_support.hpp"

namespace wg::native {

// --- the package --------------------------------------------------------------------------------

/// What the Python side of the package told us: its namespace, and its exceptions.
struct Package {
    PyObject *globals = nullptr;
    PyObject *closed = nullptr;
    PyObject *unavailable = nullptr;
    PyObject *library_base = nullptr;
    PyObject *library = nullptr;
    std::vector<PyObject *> declared;
};

inline Package &package() {
    static Package *const here = new Package;  // lives as long as the process: objects may outlast everything else
    return *here;
}

// --- failures -----------------------------------------------------------------------------------

[[gnu::cold]] inline PyObject *exception_of(i32 kind) {
    switch (static_cast<Kind>(kind)) {
        case Kind::closed: return package().closed;
        case Kind::memory: return PyExc_MemoryError;
        case Kind::value: return PyExc_ValueError;
        case Kind::index: return PyExc_IndexError;
        case Kind::overflow: return PyExc_OverflowError;
        case Kind::unavailable: return package().unavailable;
        case Kind::not_implemented: return PyExc_NotImplementedError;
        case Kind::misfit: return PyExc_TypeError;
        default: return package().library;
    }
}

/// Raises what the spec declares for a failure, with the library's own code and name.
[[gnu::cold]] inline void raise_declared(const Failure &last, PyObject *message) {
    PyObject *type = package().declared[static_cast<std::size_t>(last.kind - static_cast<i32>(Kind::declared))];
    PyObject *raised = PyObject_CallFunctionObjArgs(type, message, nullptr);
    if (raised == nullptr) return;
    PyObject *name = last.name.empty() ? Py_NewRef(Py_None) : PyUnicode_FromString(last.name.c_str());
    PyObject *code = PyLong_FromLongLong(last.code);
    const int ours = PyObject_IsInstance(raised, package().library_base);
    if (name != nullptr && code != nullptr && ours > 0) {
        PyObject_SetAttrString(raised, "code", code);
        PyObject_SetAttrString(raised, "name", name);
    } else if (name != nullptr && code != nullptr && ours == 0 && !last.name.empty()) {
        PyObject *note = PyUnicode_FromFormat("%U (%S)", name, code);
        if (note != nullptr) Py_XDECREF(PyObject_CallMethod(raised, "add_note", "(O)", note));
        Py_XDECREF(note);
    }
    Py_XDECREF(name);
    Py_XDECREF(code);
    if (!PyErr_Occurred()) PyErr_SetObject(type, raised);
    Py_DECREF(raised);
}

/// Raises this thread's failure.
[[gnu::cold, gnu::noinline]] inline PyObject *raise_failure() {
    Failure &last = failure();
    PyObject *message =
        PyUnicode_DecodeUTF8(last.message.data(), static_cast<Py_ssize_t>(last.message.size()), "replace");
    if (message != nullptr) {
        if (last.kind >= static_cast<i32>(Kind::declared))
            raise_declared(last, message);
        else
            PyErr_SetObject(exception_of(last.kind), message);
        Py_DECREF(message);
    }
    last.kind = 0;
    return nullptr;
}

[[gnu::cold, gnu::noinline]] inline PyObject *raise(const std::exception &e) {
    record(e);
    return raise_failure();
}

[[gnu::cold, gnu::noinline]] inline PyObject *raise_unknown() {
    record_unknown();
    return raise_failure();
}

/// A class's own name, without its module's.
inline const char *name_of(PyTypeObject *type) {
    const char *dot = std::strrchr(type->tp_name, '.');
    return dot == nullptr ? type->tp_name : dot + 1;
}

/// What a message calls an object of the wrong type.
inline const char *kind_of(PyObject *value) { return value == Py_None ? "None" : name_of(Py_TYPE(value)); }

/// Raises TypeError, unless Python code that ran on the way raised something of its own.
[[gnu::cold, gnu::noinline]] inline bool wrong_type(const char *name, const char *wanted, PyObject *value) {
    if (!PyErr_Occurred() || PyErr_ExceptionMatches(PyExc_TypeError))
        PyErr_Format(PyExc_TypeError, "%s: %s is wanted, not %s", name, wanted, kind_of(value));
    return false;
}

/// Raises OverflowError; Python refuses to print very large ints.
[[gnu::cold, gnu::noinline]] inline bool does_not_fit(const char *name, PyObject *number, const char *type) {
    PyErr_Clear();
    PyObject *bits = PyLong_Check(number) ? PyObject_CallMethod(number, "bit_length", nullptr) : nullptr;
    if (bits != nullptr && PyLong_AsLong(bits) > 128)
        PyErr_Format(PyExc_OverflowError, "%s: an int of %S bits does not fit %s", name, bits, type);
    else if (!PyErr_Occurred())
        PyErr_Format(PyExc_OverflowError, "%s: %R does not fit %s", name, number, type);
    Py_XDECREF(bits);
    return false;
}

[[gnu::cold, gnu::noinline]] inline bool is_closed(const char *name, const char *kind) {
    PyErr_Format(package().closed, "%s: this %s is closed", name, kind);
    return false;
}

// --- calling conventions ------------------------------------------------------------------------

/// One function's parameters: positional and keyword arguments become one row of objects, as Python itself does it.
struct Signature {
    const char *name;
    Py_ssize_t count;
    Py_ssize_t required;
    Py_ssize_t implied;      // 1 when Python counts an instance or a class too
    const char *const *parameters;
    PyObject **interned;     // `count` of them, made at the first call with keywords
    const char *defaults;    // a tuple of Python, for the parameters after `required`
    PyObject *values = nullptr;

    [[gnu::cold, gnu::noinline]] bool bind(PyObject *const *args, Py_ssize_t given, PyObject *keywords, PyObject **row) {
        for (Py_ssize_t i = 0; i < count; ++i) row[i] = i < given ? args[i] : nullptr;
        const Py_ssize_t named = keywords == nullptr ? 0 : PyTuple_GET_SIZE(keywords);
        for (Py_ssize_t i = 0; i < named; ++i)
            if (!place(PyTuple_GET_ITEM(keywords, i), args[given + i], given, row)) return false;
        if (given > count) return too_many(given);
        for (Py_ssize_t i = given; i < required; ++i)
            if (row[i] == nullptr) return missing(row);
        if (count > required) {
            if (values == nullptr && !evaluate()) return false;
            for (Py_ssize_t i = required; i < count; ++i)
                if (row[i] == nullptr) row[i] = PyTuple_GET_ITEM(values, i - required);
        }
        return true;
    }

private:
    bool place(PyObject *keyword, PyObject *value, Py_ssize_t given, PyObject **row) {
        if (count > 0 && interned[0] == nullptr)
            for (Py_ssize_t i = 0; i < count; ++i)
                if ((interned[i] = PyUnicode_InternFromString(parameters[i])) == nullptr) return false;
        Py_ssize_t at = 0;
        while (at < count && interned[at] != keyword) ++at;
        if (at == count)
            for (at = 0; at < count; ++at)
                if (PyUnicode_Compare(interned[at], keyword) == 0) break;
        if (at == count) {
            PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument '%U'", name, keyword);
            return false;
        }
        if (at < given || row[at] != nullptr) {
            PyErr_Format(PyExc_TypeError, "%s() got multiple values for argument '%U'", name, keyword);
            return false;
        }
        row[at] = value;
        return true;
    }

    bool too_many(Py_ssize_t given) const {
        const Py_ssize_t most = count + implied, least = required + implied;
        if (most == least)
            PyErr_Format(PyExc_TypeError, "%s() takes %zd positional argument%s but %zd %s given", name, most,
                         most == 1 ? "" : "s", given + implied, given + implied == 1 ? "was" : "were");
        else
            PyErr_Format(PyExc_TypeError, "%s() takes from %zd to %zd positional arguments but %zd were given", name, least,
                         most, given + implied);
        return false;
    }

    bool missing(PyObject *const *row) const {
        std::vector<const char *> absent;
        for (Py_ssize_t i = 0; i < required; ++i)
            if (row[i] == nullptr) absent.push_back(parameters[i]);
        std::string listed;
        for (std::size_t i = 0; i < absent.size(); ++i) {
            if (i > 0) listed += absent.size() == 2 ? " and " : i + 1 == absent.size() ? ", and " : ", ";
            listed += std::string("'") + absent[i] + "'";
        }
        PyErr_Format(PyExc_TypeError, "%s() missing %zd required positional argument%s: %s", name,
                     static_cast<Py_ssize_t>(absent.size()), absent.size() == 1 ? "" : "s", listed.c_str());
        return false;
    }

    bool evaluate() {
        PyObject *code = Py_CompileString(defaults, name, Py_eval_input);
        if (code == nullptr) return false;
        PyObject *locals = PyDict_New();
        if (locals != nullptr) values = PyEval_EvalCode(code, package().globals, locals);
        Py_XDECREF(locals);
        Py_DECREF(code);
        return values != nullptr;
    }
};

// --- arguments: numbers, text, bytes ------------------------------------------------------------

template <class T>
constexpr const char *spelling() {
    if constexpr (std::is_same_v<T, f32>) return "f32";
    else if constexpr (std::is_same_v<T, f64>) return "f64";
    else if constexpr (std::is_same_v<T, i8>) return "i8";
    else if constexpr (std::is_same_v<T, i16>) return "i16";
    else if constexpr (std::is_same_v<T, i32>) return "i32";
    else if constexpr (std::is_same_v<T, u8>) return "u8";
    else if constexpr (std::is_same_v<T, u16>) return "u16";
    else if constexpr (std::is_same_v<T, u32>) return "u32";
    else if constexpr (std::is_unsigned_v<T>) return "u64";
    else return "i64";
}

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

template <class T>
[[gnu::noinline]] bool any_int(PyObject *value, T &out, const char *name) {
    PyObject *number = PyLong_Check(value) ? Py_NewRef(value) : PyNumber_Index(value);
    if (number == nullptr) return wrong_type(name, "an int", value);
    bool good = false;
    if constexpr (std::is_unsigned_v<T>) {
        const unsigned long long wide = PyLong_AsUnsignedLongLong(number);
        good = !(wide == static_cast<unsigned long long>(-1) && PyErr_Occurred()) && wide <= std::numeric_limits<T>::max();
        out = static_cast<T>(wide);
    } else {
        const long long wide = PyLong_AsLongLong(number);
        good = !(wide == -1 && PyErr_Occurred()) && wide >= std::numeric_limits<T>::min() && wide <= std::numeric_limits<T>::max();
        out = static_cast<T>(wide);
    }
    if (!good) does_not_fit(name, number, spelling<T>());
    Py_DECREF(number);
    return good;
}

template <class T>
bool any_double(PyObject *value, double &out, const char *name) {
    out = PyFloat_AsDouble(value);
    if (out != -1.0 || !PyErr_Occurred()) return true;
    if (PyErr_ExceptionMatches(PyExc_OverflowError)) return does_not_fit(name, value, spelling<T>());
    return wrong_type(name, "a float", value);
}

/// numpy.bool, without knowing NumPy.
inline bool is_numpy_bool(PyObject *value) {
    const std::string_view name = Py_TYPE(value)->tp_name;
    return name == "numpy.bool_" || name == "numpy.bool";
}

template <class T>
bool convert_number(PyObject *value, T &out, const char *name) {
    if constexpr (std::is_same_v<T, bool>) {
        if (value == Py_True || value == Py_False) {
            out = value == Py_True;
            return true;
        }
        if (!is_numpy_bool(value)) return wrong_type(name, "a bool", value);
        out = PyObject_IsTrue(value) == 1;
        return true;
    } else if constexpr (std::is_integral_v<T>) {
        long small = 0;
        if (small_int(value, small) && fits<T>(small)) {
            out = static_cast<T>(small);
            return true;
        }
        return any_int(value, out, name);
    } else {
        double wide = 0;
        if (PyFloat_CheckExact(value))
            wide = PyFloat_AS_DOUBLE(value);
        else if (!any_double<T>(value, wide, name))
            return false;
        out = static_cast<T>(wide);
        if constexpr (std::is_same_v<T, f32>)
            if (std::isinf(out) && !std::isinf(wide)) return does_not_fit(name, value, "f32");
        return true;
    }
}

template <class T>
class Number {
public:
    using Value = T;
    bool take(PyObject *value, const char *name) { return convert_number(value, value_, name); }
    T value() const { return value_; }

private:
    T value_;
};

class Text {
public:
    using Value = std::string;
    bool take(PyObject *value, const char *name) {
        if (!PyUnicode_Check(value)) return wrong_type(name, "a str", value);
        Py_ssize_t size = 0;
        const char *data = PyUnicode_AsUTF8AndSize(value, &size);
        if (data == nullptr) return false;
        value_.assign(data, static_cast<std::size_t>(size));
        return true;
    }
    const std::string &value() const { return value_; }

private:
    std::string value_;
};

/// A buffer that an object lends us for the time of a call.
class Lent {
public:
    Lent() { view_.obj = nullptr; }
    Lent(const Lent &) = delete;
    Lent &operator=(const Lent &) = delete;
    ~Lent() {
        if (view_.obj != nullptr) PyBuffer_Release(&view_);
    }

protected:
    Py_buffer view_;
};

class Bytes : Lent {
public:
    using Value = std::string_view;
    bool take(PyObject *value, const char *name) {
        if (PyObject_GetBuffer(value, &view_, PyBUF_SIMPLE) == 0) return true;
        view_.obj = nullptr;
        PyErr_Clear();
        return wrong_type(name, "a contiguous bytes-like object", value);
    }
    std::string_view value() const { return {static_cast<const char *>(view_.buf), static_cast<std::size_t>(view_.len)}; }
};

template <class E, class Tag>
class Enum {
public:
    using Value = E;
    bool take(PyObject *value, const char *name) {
        PyObject *member = value;
        if (Py_TYPE(value) != reinterpret_cast<PyTypeObject *>(Tag::type) && PyObject_IsInstance(value, Tag::type) != 1) {
            if (!PyLong_Check(value) || PyBool_Check(value)) return wrong_type(name, Tag::wanted, value);
            member = PyObject_CallFunctionObjArgs(Tag::type, value, nullptr);
            if (member == nullptr) return false;
        } else {
            Py_INCREF(member);
        }
        const long long number = PyLong_AsLongLong(member);
        Py_DECREF(member);
        if (number == -1 && PyErr_Occurred()) return false;
        value_ = static_cast<E>(number);
        return true;
    }
    E value() const { return value_; }

private:
    E value_{};
};

// --- arguments: lists and memory ----------------------------------------------------------------

/// A list or tuple of what a value iterates over; a str, which iterates over letters, is none.
inline PyObject *elements(PyObject *value, const char *name) {
    if (PyUnicode_Check(value)) {
        wrong_type(name, "a sequence", value);
        return nullptr;
    }
    PyObject *sequence = PySequence_Fast(value, "");
    if (sequence == nullptr) wrong_type(name, "a sequence", value);
    return sequence;
}

[[gnu::cold, gnu::noinline]] inline std::string element_name(const char *name, Py_ssize_t index) {
    return std::string(name) + "[" + std::to_string(index) + "]";
}

/// Calls `use(element, index)` for each element; safe when that runs Python code that changes the list.
template <class Use>
bool for_each(PyObject *sequence, Use &&use) {
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(sequence); ++i) {
        PyObject *element = Py_NewRef(PySequence_Fast_GET_ITEM(sequence, i));
        const bool good = use(element, i);
        Py_DECREF(element);
        if (!good) return false;
    }
    return true;
}

template <class T>
class List {
public:
    using Value = std::vector<T>;
    bool take(PyObject *value, const char *name) {
        PyObject *sequence = elements(value, name);
        if (sequence == nullptr) return false;
        value_.resize(static_cast<std::size_t>(PySequence_Fast_GET_SIZE(sequence)));
        const std::size_t done = exact(sequence);  // numbers of the exact type need no Python code
        bool good = true;
        if (done < value_.size()) {
            value_.resize(done);
            good = for_each(sequence, [&](PyObject *element, Py_ssize_t i) {
                if (static_cast<std::size_t>(i) < done) return true;
                T number;
                if (!convert_number(element, number, "") && !blame(element, name, i)) return false;
                value_.push_back(number);
                return true;
            });
        }
        Py_DECREF(sequence);
        return good;
    }
    const std::vector<T> &value() const { return value_; }

private:
    std::size_t exact(PyObject *sequence) {
        PyObject **const items = PySequence_Fast_ITEMS(sequence);
        std::size_t i = 0;
        if constexpr (std::is_same_v<T, f64>) {
            for (; i < value_.size() && PyFloat_CheckExact(items[i]); ++i) value_[i] = PyFloat_AS_DOUBLE(items[i]);
        } else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
            for (long small = 0; i < value_.size() && small_int(items[i], small) && fits<T>(small); ++i)
                value_[i] = static_cast<T>(small);
        }
        return i;
    }

    /// Converts again, to fail with the element's own name.
    [[gnu::cold, gnu::noinline]] static bool blame(PyObject *element, const char *name, Py_ssize_t i) {
        PyErr_Clear();
        T number;
        return convert_number(element, number, element_name(name, i).c_str());
    }

    std::vector<T> value_;
};

class Texts {
public:
    using Value = std::vector<std::string>;
    bool take(PyObject *value, const char *name) {
        PyObject *sequence = elements(value, name);
        if (sequence == nullptr) return false;
        const bool good = for_each(sequence, [&](PyObject *element, Py_ssize_t i) {
            Text text;
            if (!text.take(element, PyUnicode_Check(element) ? name : element_name(name, i).c_str())) return false;
            value_.push_back(text.value());
            return true;
        });
        Py_DECREF(sequence);
        return good;
    }
    const std::vector<std::string> &value() const { return value_; }

private:
    std::vector<std::string> value_;
};

/// What DLPack's first struct starts with; all that we read of it.
struct DLTensor {
    void *data;
    std::int32_t device_type, device_id, ndim;
    std::uint8_t code, bits;
    std::uint16_t lanes;
    std::int64_t *shape, *strides;
    std::uint64_t byte_offset;
};

/// What the memory of a number type is called: its name, its buffer formats, its code in DLPack.
template <class T>
struct Element {
    static constexpr bool is_signed = std::is_signed_v<T>;
    static constexpr const char *formats = std::is_same_v<T, bool>  ? "?"
                                           : std::is_same_v<T, f32> ? "f"
                                           : std::is_same_v<T, f64> ? "d"
                                           : is_signed              ? "bhilqn"
                                                                    : "BHILQN";
    static constexpr const char *name = std::is_same_v<T, bool>  ? "bool"
                                        : std::is_same_v<T, f32> ? "float32"
                                        : std::is_same_v<T, f64> ? "float64"
                                        : sizeof(T) == 1         ? (is_signed ? "int8" : "uint8")
                                        : sizeof(T) == 2         ? (is_signed ? "int16" : "uint16")
                                        : sizeof(T) == 4         ? (is_signed ? "int32" : "uint32")
                                                                 : (is_signed ? "int64" : "uint64");
    static constexpr int dlpack = std::is_same_v<T, bool> ? 6 : std::is_floating_point_v<T> ? 2 : is_signed ? 0 : 1;
};

inline const char *dlpack_name(std::uint8_t code) {
    static constexpr const char *names[] = {"int", "uint", "float", "type", "bfloat", "complex", "bool"};
    return code < std::size(names) ? names[code] : "type";
}

/// The caller's own memory.
template <class T>
class Memory : Lent {
public:
    using Value = Span<T>;
    ~Memory() { Py_XDECREF(capsule_); }

    bool take(PyObject *value, const char *name) {
        if (!PyObject_CheckBuffer(value)) return take_dlpack(value, name);
        if (PyObject_GetBuffer(value, &view_, PyBUF_FULL_RO) != 0) {
            view_.obj = nullptr;
            return fail(name, ", not %s", kind_of(value));
        }
        const char *format = view_.format == nullptr ? "B" : view_.format;
        const char *code = format + std::strspn(format, PY_LITTLE_ENDIAN ? "@=<" : "@=>");
        if (*code == '\0' || code[1] != '\0' || std::strchr(Element<std::remove_const_t<T>>::formats, *code) == nullptr || view_.itemsize != sizeof(T))
            return fail(name, ", not one of format '%s'", format);
        if (view_.ndim != 1) return fail(name, ", not one of %d dimensions", view_.ndim);
        if (view_.shape[0] > 1 && view_.strides != nullptr && view_.strides[0] != view_.itemsize)
            return fail(name, "; this one has gaps between its elements");
        if (!std::is_const_v<T> && view_.readonly) return fail(name, "; this one is read-only");
        data_ = static_cast<T *>(view_.buf);
        size_ = static_cast<std::size_t>(view_.shape[0]);
        return true;
    }
    Span<T> value() const { return {data_, size_}; }

private:
    bool take_dlpack(PyObject *value, const char *name) {
        if (PyObject_HasAttrString(value, "__dlpack__") == 0) return fail(name, ", not %s", kind_of(value));
        PyObject *device = PyObject_CallMethod(value, "__dlpack_device__", nullptr);
        PyObject *first = device == nullptr ? nullptr : PySequence_GetItem(device, 0);
        Py_XDECREF(device);
        const long type = first == nullptr ? -1 : PyLong_AsLong(first);
        Py_XDECREF(first);
        if (PyErr_Occurred()) return refused(name);
        if (type != 1) return fail(name, "; this one is not in the memory of the CPU");
        capsule_ = PyObject_CallMethod(value, "__dlpack__", nullptr);  // never renamed: it stays ours, and frees itself
        if (capsule_ == nullptr) return refused(name);
        const auto *tensor = static_cast<const DLTensor *>(PyCapsule_GetPointer(capsule_, "dltensor"));
        if (tensor == nullptr) return refused(name);
        if (tensor->code != Element<std::remove_const_t<T>>::dlpack || tensor->bits != 8 * sizeof(T) || tensor->lanes != 1)
            return fail(name, ", not one of %s%d", dlpack_name(tensor->code), tensor->bits);
        if (tensor->ndim != 1) return fail(name, ", not one of %d dimensions", tensor->ndim);
        if (tensor->shape[0] > 1 && tensor->strides != nullptr && tensor->strides[0] != 1)
            return fail(name, "; this one has gaps between its elements");
        data_ = reinterpret_cast<T *>(static_cast<char *>(tensor->data) + tensor->byte_offset);
        size_ = static_cast<std::size_t>(tensor->shape[0]);
        return true;
    }

    /// Fails with the words of the exception that was raised.
    [[gnu::cold, gnu::noinline]] static bool refused(const char *name) {
        PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
        PyErr_Fetch(&type, &value, &trace);
        PyErr_NormalizeException(&type, &value, &trace);
        PyObject *words = PyObject_Str(value);
        if (words != nullptr) fail(name, "; this one refuses: %U", words);
        Py_XDECREF(words);
        Py_XDECREF(type);
        Py_XDECREF(value);
        Py_XDECREF(trace);
        return false;
    }

    template <class... A>
    [[gnu::cold, gnu::noinline]] static bool fail(const char *name, const char *why, A... details) {
        PyErr_Clear();
        PyObject *reason = PyUnicode_FromFormat(why, details...);
        if (reason != nullptr)
            PyErr_Format(PyExc_TypeError, "%s: a one-dimensional, contiguous %sarray of %s is wanted%U", name,
                         std::is_const_v<T> ? "" : "writable ", Element<std::remove_const_t<T>>::name, reason);
        Py_XDECREF(reason);
        return false;
    }

    PyObject *capsule_ = nullptr;
    T *data_ = nullptr;
    std::size_t size_ = 0;
};

/// None, or any other argument.
template <class A>
class Optional {
public:
    using Value = std::optional<typename A::Value>;
    bool take(PyObject *value, const char *name) {
        present_ = value != Py_None;
        return !present_ || argument_.take(value, name);
    }
    Value value() const {
        if (!present_) return std::nullopt;
        return Value(argument_.value());
    }

private:
    bool present_ = false;
    A argument_;
};

}  // namespace wg::native
