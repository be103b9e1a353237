// Offsets in bytes of texts, which Python counts in characters, in the cpython engine.
// Static: the same for all packages. Included by generated C++ only, of specs with offsets into text.
#ifndef WG_CPYTHON_BYTE_OFFSETS_HPP
#define WG_CPYTHON_BYTE_OFFSETS_HPP

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "wg/base/once.hpp"
#include "wg/cpython/arguments.hpp"

namespace wg::cpython {

/// Whether a byte of UTF-8 is not the first one of its character.
inline bool continues(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

/// Goes over a text from offset to offset, which are in order as a rule.
class InCharacters {
public:
    explicit InCharacters(std::string_view text) : text_(text) {}

    /// Whether there is a character at an offset, or the end.
    bool has(std::size_t offset) const { return offset == text_.size() || (offset < text_.size() && !continues(text_[offset])); }
    WG_ONCE std::size_t index(std::size_t offset) WG_ELSEWHERE
#if WG_HAS_BODIES
    {
        if (offset < offset_) offset_ = index_ = 0;
        const char *const from = text_.data() + offset_;
        index_ += offset - offset_ - static_cast<std::size_t>(std::count_if(from, text_.data() + offset, continues));
        offset_ = offset;
        return index_;
    }
#endif

private:
    std::string_view text_;
    std::size_t offset_ = 0, index_ = 0;
};

/// A text as an argument, `Argument`, into which other arguments or the result are offsets.
template <class Argument>
class InText : public Argument {
public:
    bool glance(PyObject *) = delete;  // there is more to find out
    bool take(PyObject *value, const char *name) {
        if (!Argument::take(value, name)) return false;
        Py_ssize_t size = 0;
        const char *const data = PyUnicode_AsUTF8AndSize(value, &size);  // it has been asked for: nothing is encoded here
        length_ = PyUnicode_GetLength(value);
        if (data == nullptr || length_ < 0) return false;
        text_ = {data, static_cast<std::size_t>(size)};
        name_ = name;
        return true;
    }

    /// The offset of an index.
    template <class N>
    N offset(N index, const char *name) const {
        if (index < N() || static_cast<u64>(index) > static_cast<u64>(length_))
            throw Own<std::out_of_range>(std::string(name) + ": " + std::to_string(index) + " is out of range: the length of " + name_ + " is " +
                                         std::to_string(length_));
        const std::size_t at = is_ascii() ? static_cast<std::size_t>(index) : offset_of(static_cast<std::size_t>(index));
        if (static_cast<u64>(at) > static_cast<u64>(std::numeric_limits<N>::max()))
            throw Own<std::overflow_error>(std::string(name) + ": " + std::to_string(at) + " does not fit " + spelling<N>());
        return static_cast<N>(at);
    }
    template <class N>
    std::optional<N> offset(const std::optional<N> &index, const char *name) const {
        if (!index) return std::nullopt;
        return offset(*index, name);
    }

    /// A result with indices for the offsets in it; it takes over `made`, which is null where the call failed.
    PyObject *indices(PyObject *made) const {
        if (made == nullptr || is_ascii()) return made;
        InCharacters at(text_);
        PyObject *const converted = indices_of(made, at);
        Py_DECREF(made);
        return converted;
    }

private:
    bool is_ascii() const { return static_cast<Py_ssize_t>(text_.size()) == length_; }

    std::size_t offset_of(std::size_t index) const {
        std::size_t at = 0;
        for (; at < text_.size(); ++at)
            if (!continues(text_[at]) && index-- == 0) return at;
        return at;
    }

    PyObject *indices_of(PyObject *made, InCharacters &at) const {
        if (PyLong_CheckExact(made)) return index_of(made, at);
        if (PyList_CheckExact(made)) {
            const Py_ssize_t size = PyList_Size(made);
            PyObject *const converted = PyList_New(size);
            for (Py_ssize_t i = 0; converted != nullptr && i < size; ++i) {
                PyObject *const item = indices_of(PyList_GetItem(made, i), at);
                if (item == nullptr || PyList_SetItem(converted, i, item) < 0) return dropped(converted);
            }
            return converted;
        }
        if (!PyTuple_Check(made)) {
            Py_INCREF(made);
            return made;
        }
        const Py_ssize_t size = PyTuple_Size(made);
        PyObject *const converted = PyTuple_New(size);
        for (Py_ssize_t i = 0; converted != nullptr && i < size; ++i) {
            PyObject *const item = indices_of(PyTuple_GetItem(made, i), at);
            if (item == nullptr || PyTuple_SetItem(converted, i, item) < 0) return dropped(converted);
        }
        if (converted == nullptr || PyTuple_CheckExact(made)) return converted;
        PyObject *const named = PyObject_CallObject(reinterpret_cast<PyObject *>(Py_TYPE(made)), converted);
        Py_DECREF(converted);
        return named;
    }

    /// A number that is no offset into the text stays what it is: -1, or npos.
    PyObject *index_of(PyObject *made, InCharacters &at) const {
        int is_large = 0;
        const long long given = PyLong_AsLongLongAndOverflow(made, &is_large);
        if (given == -1 && PyErr_Occurred()) return nullptr;
        if (is_large != 0 || given < 0 || static_cast<unsigned long long>(given) > text_.size()) {
            Py_INCREF(made);
            return made;
        }
        const std::size_t offset = static_cast<std::size_t>(given);
        if (at.has(offset)) return PyLong_FromSize_t(at.index(offset));
        PyErr_Format(PyExc_ValueError, "the result has the offset %zu, which is within a character of %s", offset, name_);
        return nullptr;
    }

    static PyObject *dropped(PyObject *converted) {
        Py_DECREF(converted);
        return nullptr;
    }

    std::string_view text_;
    Py_ssize_t length_ = 0;
    const char *name_ = "";
};

}  // namespace wg::cpython

#endif  // WG_CPYTHON_BYTE_OFFSETS_HPP
