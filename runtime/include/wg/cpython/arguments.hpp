// Arguments that cross by themselves, the fastest: numbers, text, bytes and enums.
// Static: the same for all packages. Included by generated C++ only, after Python.h.
#ifndef WG_CPYTHON_ARGUMENTS_HPP
#define WG_CPYTHON_ARGUMENTS_HPP

#include <cstring>
#include <string_view>

#include "wg/cpython/leaves.hpp"

namespace wg::cpython {

/// The thorough conversion of an argument by itself.
template <class D, class Out>
[[gnu::noinline]] bool take_thoroughly(PyObject *value, Out &out, const char *name) {
    Call call;
    return FromPython<D>::take(value, out, call) || call.fail(name);
}

template <class D>
class Number {
public:
    using Value = wg::Value<D>;
    bool glance(PyObject *value) { return FromPython<D>::small(value, value_); }
    bool take(PyObject *value, const char *name) { return FromPython<D>::quick(value, value_) || take_thoroughly<D>(value, value_, name); }
    Value value() const { return value_; }

private:
    Value value_;
};

class Text {
public:
    using Value = std::string;
    bool glance(PyObject *value) { return python::ascii(value, value_); }
    bool take(PyObject *value, const char *name) {
        if (!PyUnicode_Check(value)) return wrong_type(name, "a str", value);
        Py_ssize_t size = 0;
        const char *data = PyUnicode_AsUTF8AndSize(value, &size);
        if (data == nullptr) {
            const std::string wrong = lone_surrogate(value);
            if (!wrong.empty()) PyErr_Format(PyExc_ValueError, "%s: %s", name, wrong.c_str());
            return false;
        }
        value_ = {data, static_cast<std::size_t>(size)};
        return true;
    }
    std::string value() const { return std::string(value_); }

private:
    std::string_view value_;  // the str's own memory, which the caller keeps during the call
};

/// A buffer that an object exports for the time of a call.
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
        if (!lends_no_buffer()) return false;
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
        using From = FromPython<types::Enum<E, Tag>>;
        return From::quick(value, value_) || take_thoroughly<types::Enum<E, Tag>>(value, value_, name);
    }
    E value() const { return value_; }

private:
    E value_{};
};

}  // namespace wg::cpython

#endif  // WG_CPYTHON_ARGUMENTS_HPP
