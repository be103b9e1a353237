// Memory of several dimensions, or with strides, that a Python object exports: the one place that reads it, for both engines.
// Static: the same for all packages. Included by generated C++ only, after Python.h.
#ifndef WG_MEMORY_BUFFER_VIEW_HPP
#define WG_MEMORY_BUFFER_VIEW_HPP

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "wg/base/once.hpp"
#include "wg/base/overflow.hpp"
#include "wg/memory/dlpack.hpp"

namespace wg::views {

/// Dimensions that memory may have at most.
constexpr int most_dimensions = 8;

/// A type of numbers in memory, by what a spec, NumPy, buffers and DLPack call it.
struct Element {
    const char *kind;
    const char *name;
    /// Of a complex number its only format, which begins with a Z; of others any one letter.
    const char *formats;
    dlpack::Elements dlpack;

    Py_ssize_t size() const { return dlpack.bits / 8; }
    Py_ssize_t alignment() const { return *formats == 'Z' ? size() / 2 : size(); }
};
inline constexpr Element elements[] = {
    {"bool", "bool", "?", {6, 8}},
    {"i8", "int8", "bhilqn", {0, 8}},
    {"i16", "int16", "hbilqn", {0, 16}},
    {"i32", "int32", "ibhlqn", {0, 32}},
    {"i64", "int64", "qbhiln", {0, 64}},
    {"u8", "uint8", "BHILQN", {1, 8}},
    {"u16", "uint16", "HBILQN", {1, 16}},
    {"u32", "uint32", "IBHLQN", {1, 32}},
    {"u64", "uint64", "QBHILN", {1, 64}},
    {"usize", sizeof(std::size_t) == 8 ? "uint64" : "uint32", "NBHILQ", {1, 8 * sizeof(std::size_t)}},
    {"f32", "float32", "f", {2, 32}},
    {"f64", "float64", "d", {2, 64}},
    {"c64", "complex64", "Zf", {5, 64}},
    {"c128", "complex128", "Zd", {5, 128}},
};

/// The type that a spec calls so.
inline const Element *element_of(const char *kind) {
    for (const Element &each : elements)
        if (std::strcmp(each.kind, kind) == 0) return &each;
    return nullptr;
}

/// A stream that uses memory, and the number of its device; -1 where nothing says it.
struct Stream {
    std::uintptr_t handle = 0;
    long number = -1;
};

/// Where memory has to lie.
enum class Where { cpu, cuda, anywhere };

/// What an argument has to be: `order` is C, F, or A for any.
struct Wanted {
    const char *name;
    const Element &element;
    bool is_writable;
    int dimensions;
    char order;
    Where where = Where::cpu;
    const Stream *stream = nullptr;  // what the producer of memory of a device is told, or nothing
};

/// Memory that is exported until this ends.
class View {
public:
    View() { buffer_.obj = nullptr; }
    View(const View &) = delete;
    View &operator=(const View &) = delete;
    ~View() {
        if (buffer_.obj != nullptr) PyBuffer_Release(&buffer_);
        Py_XDECREF(capsule_);
    }

    /// False, with an exception, where it is not what is wanted.
    WG_ONCE bool take(PyObject *value, const Wanted &wanted) WG_ELSEWHERE
#if WG_HAS_BODIES
    {
        if (wanted.where != Where::cpu && lies_elsewhere(value, wanted)) {
            layout_[2 * wanted.dimensions] = dlpack::cuda;
            return PyObject_HasAttrString(value, "__dlpack__") == 0 ? take_cuda(value, wanted) : take_dlpack(value, wanted, dlpack::cuda);
        }
        if (wanted.where != Where::cpu) layout_[2 * wanted.dimensions] = dlpack::cpu;
        if (!PyObject_CheckBuffer(value)) return take_dlpack(value, wanted, dlpack::cpu);
        if (PyObject_GetBuffer(value, &buffer_, PyBUF_FULL_RO) != 0) {
            buffer_.obj = nullptr;
            if (!PyErr_ExceptionMatches(PyExc_TypeError) && !PyErr_ExceptionMatches(PyExc_BufferError) && !PyErr_ExceptionMatches(PyExc_ValueError)) return false;
            PyErr_Clear();
            return take_dlpack(value, wanted, dlpack::cpu);
        }
        const Element &element = wanted.element;
        const char *format = buffer_.format == nullptr ? "B" : buffer_.format;
        if (!dlpack::has_format(buffer_, element.formats, static_cast<std::size_t>(element.size()))) return fail(wanted, ", not one of format '%s'", format);
        if (buffer_.ndim != wanted.dimensions) return fail(wanted, ", not one with %d", buffer_.ndim);
        for (int i = 0; buffer_.suboffsets != nullptr && i < buffer_.ndim; ++i)
            if (buffer_.suboffsets[i] >= 0) return fail(wanted, "; this one has rows that lie apart");
        for (int i = 0; i < buffer_.ndim; ++i) layout_[i] = buffer_.shape[i];
        if (buffer_.strides != nullptr) {
            for (int i = 0; i < buffer_.ndim; ++i) {
                if (buffer_.strides[i] % element.size() != 0 && layout_[i] > 1 && wanted.order == 'A') return fail(wanted, "; this one has strides that are no multiples of its elements' size");
                layout_[buffer_.ndim + i] = buffer_.strides[i] % element.size() == 0 ? buffer_.strides[i] / element.size() : 0;
            }
        }
        data_ = buffer_.buf;
        return is_good(wanted, buffer_.strides != nullptr, buffer_.readonly != 0);
    }
#endif

    void *data() const { return data_; }
    /// The extents, then the strides in elements; of memory that may be elsewhere then the kind of its device, and which of them.
    const std::int64_t *layout() const { return layout_; }

private:
    /// Looks at extents and strides; where there are no strides, makes those of memory in C's order.
    WG_ONCE bool is_good(const Wanted &wanted, bool has_strides, bool is_readonly) WG_ELSEWHERE
#if WG_HAS_BODIES
    {
        const int count = wanted.dimensions;
        std::int64_t *extents = layout_, *strides = layout_ + count;
        std::int64_t bytes = wanted.element.size();
        bool is_empty = false;
        for (int i = 0; i < count; ++i) {
            if (extents[i] < 0) return fail(wanted, "; this one has a negative extent");
            is_empty = is_empty || extents[i] == 0;
        }
        for (int i = 0; i < count && !is_empty; ++i)
            if (multiply_overflows(bytes, extents[i], &bytes)) return fail(wanted, "; this one has extents that no memory has");
        if (!has_strides) make_strides(extents, strides, count, 'C');
        if (wanted.order != 'A' && !is_empty) {
            std::int64_t expected = 1;
            for (int j = 0; j < count; ++j) {
                const int i = wanted.order == 'C' ? count - 1 - j : j;
                if (extents[i] > 1 && strides[i] != expected) return fail(wanted, is_contiguous(wanted, wanted.order == 'C' ? 'F' : 'C') ? "; this one is in the other order" : "; this one has gaps between its elements");
                expected *= extents[i];
            }
        }
        if (wanted.is_writable && is_readonly) return fail(wanted, "; this one is read-only");
        if (wanted.order != 'A' || is_empty) make_strides(extents, strides, count, wanted.order == 'F' ? 'F' : 'C');
        if (!is_empty && reinterpret_cast<std::uintptr_t>(data_) % static_cast<std::uintptr_t>(wanted.element.alignment()) != 0)
            return fail(wanted, "; this one does not start at a multiple of its elements' size");
        return true;
    }
#endif

    bool is_contiguous(const Wanted &wanted, char order) const {
        std::int64_t expected = 1;
        for (int j = 0; j < wanted.dimensions; ++j) {
            const int i = order == 'C' ? wanted.dimensions - 1 - j : j;
            if (layout_[i] > 1 && layout_[wanted.dimensions + i] != expected) return false;
            expected *= layout_[i];
        }
        return true;
    }

    /// Strides of memory without gaps. Extents of empty memory may be of any size.
    WG_ONCE static void make_strides(const std::int64_t *extents, std::int64_t *strides, int count, char order) WG_ELSEWHERE
#if WG_HAS_BODIES
    {
        std::int64_t next = 1;
        for (int j = 0; j < count; ++j) {
            const int i = order == 'C' ? count - 1 - j : j;
            strides[i] = next;
            if (multiply_overflows(next, extents[i], &next)) next = 0;
        }
    }
#endif

    /// Whether memory is, or has to be, elsewhere than on the CPU.
    WG_ONCE static bool lies_elsewhere(PyObject *value, const Wanted &wanted) WG_ELSEWHERE
#if WG_HAS_BODIES
    {
        if (wanted.where == Where::cuda) return true;
        if (PyObject_HasAttrString(value, "__dlpack__") == 0) return PyObject_HasAttrString(value, "__cuda_array_interface__") != 0;
        const long kind = dlpack::device_of(value);
        PyErr_Clear();  // it is asked again, and raises again
        return kind != dlpack::cpu;
    }
#endif

    WG_ONCE bool take_dlpack(PyObject *value, const Wanted &wanted, long kind) WG_ELSEWHERE
#if WG_HAS_BODIES
    {
        PyObject *lend = PyObject_GetAttrString(value, "__dlpack__");
        Py_XDECREF(lend);
        if (lend == nullptr && !PyErr_ExceptionMatches(PyExc_AttributeError)) return false;
        if (lend == nullptr) {
            PyErr_Clear();
            PyObject *name = value == Py_None ? nullptr : PyType_GetName(Py_TYPE(value));
            fail(wanted, ", not %s", name == nullptr ? "None" : PyUnicode_AsUTF8AndSize(name, nullptr));
            Py_XDECREF(name);
            return false;
        }
        bool is_readonly = false;
        const dlpack::Tensor *tensor = nullptr;
        PyObject *why = dlpack::tensor_of(value, capsule_, tensor, is_readonly, kind, wanted.stream == nullptr ? nullptr : &wanted.stream->handle);
        if (why != nullptr) {
            fail(wanted, "%U", why);
            Py_DECREF(why);
        }
        if (tensor == nullptr) return false;
        if (tensor->code != wanted.element.dlpack.code || tensor->bits != wanted.element.dlpack.bits || tensor->lanes != 1)
            return fail(wanted, ", not one of %s%d", dlpack::name_of(tensor->code), tensor->bits);
        if (tensor->ndim != wanted.dimensions) return fail(wanted, ", not one with %d", tensor->ndim);
        for (int i = 0; i < wanted.dimensions; ++i) {
            layout_[i] = tensor->shape[i];
            layout_[wanted.dimensions + i] = tensor->strides == nullptr ? 0 : tensor->strides[i];
        }
        data_ = static_cast<char *>(tensor->data) + tensor->byte_offset;
        if (kind == dlpack::cpu) return is_good(wanted, tensor->strides != nullptr, is_readonly);
        layout_[2 * wanted.dimensions + 1] = tensor->device_id;
        if (tensor->device_id < 0) return fail(wanted, "; this one says that it is on device %d", static_cast<int>(tensor->device_id));
        if (wanted.stream != nullptr && wanted.stream->number >= 0 && wanted.stream->number != tensor->device_id)
            return fail(wanted, "; this one is on device %d, and the stream is one of device %ld", static_cast<int>(tensor->device_id), wanted.stream->number);
        return is_good(wanted, tensor->strides != nullptr, is_readonly);
    }
#endif

    /// Memory of a CUDA device, of an object that has `__cuda_array_interface__`.
    WG_ONCE bool take_cuda(PyObject *value, const Wanted &wanted) WG_ELSEWHERE
#if WG_HAS_BODIES
    {
        PyObject *about = PyObject_GetAttrString(value, "__cuda_array_interface__");
        if (about == nullptr && !PyErr_ExceptionMatches(PyExc_AttributeError)) return false;
        if (about == nullptr) {
            PyErr_Clear();
            PyObject *name = value == Py_None ? nullptr : PyType_GetName(Py_TYPE(value));
            fail(wanted, ", not %s", name == nullptr ? "None" : PyUnicode_AsUTF8AndSize(name, nullptr));
            Py_XDECREF(name);
            return false;
        }
        capsule_ = Py_NewRef(value);  // which keeps the memory
        const bool is_good = take_interface(about, wanted);
        Py_DECREF(about);
        return is_good;
    }
#endif

    /// The same of what it says: a dict.
    WG_ONCE bool take_interface(PyObject *about, const Wanted &wanted) WG_ELSEWHERE
#if WG_HAS_BODIES
    {
        if (PyDict_Check(about) == 0) return fail(wanted, "; what this one says of its memory is no dict");
        PyObject *const shape = PyDict_GetItemString(about, "shape"), *const data = PyDict_GetItemString(about, "data");
        PyObject *const type = PyDict_GetItemString(about, "typestr"), *const strides = PyDict_GetItemString(about, "strides");
        unsigned long long address = 0;
        int is_readonly = 0;
        const char *kind = type == nullptr ? nullptr : PyUnicode_AsUTF8AndSize(type, nullptr);
        if (kind == nullptr || data == nullptr || shape == nullptr || PyTuple_Check(shape) == 0 || !PyArg_Parse(data, "(Kp)", &address, &is_readonly))
            return fail(wanted, "; what this one says of its memory is incomplete");
        constexpr const char *letters[] = {"i", "u", "f", "", "", "c", "b"};
        const bool is_kind = std::strlen(kind) > 2 && kind[1] == *letters[wanted.element.dlpack.code] && std::strtol(kind + 2, nullptr, 10) == wanted.element.size();
        if (!is_kind || kind[0] == '>') return fail(wanted, ", not one of type '%s'", kind);
        const Py_ssize_t count = PyTuple_Size(shape);
        if (count != wanted.dimensions) return fail(wanted, ", not one with %zd", count);
        const bool has_strides = strides != nullptr && strides != Py_None;
        if (has_strides && (PyTuple_Check(strides) == 0 || PyTuple_Size(strides) != count)) return fail(wanted, "; what this one says of its memory is incomplete");
        for (int i = 0; i < wanted.dimensions; ++i) {
            layout_[i] = PyLong_AsLongLong(PyTuple_GetItem(shape, i));
            if (has_strides) layout_[count + i] = PyLong_AsLongLong(PyTuple_GetItem(strides, i)) / wanted.element.size();
        }
        if (PyErr_Occurred()) return fail(wanted, "; what this one says of its memory is incomplete");
        data_ = reinterpret_cast<void *>(static_cast<std::uintptr_t>(address));
        layout_[2 * count + 1] = -1;  // which this protocol does not say
        return is_good(wanted, has_strides, is_readonly != 0);
    }
#endif

    template <class... A>
    [[gnu::cold, gnu::noinline]] bool fail(const Wanted &wanted, const char *why, A... details) const {
        PyErr_Clear();
        constexpr const char *places[] = {"", " on a CUDA device", " on the CPU or a CUDA device"};
        PyObject *reason = PyUnicode_FromFormat(why, details...);
        const char *order = wanted.order == 'C' ? "C-contiguous " : wanted.order == 'F' ? "Fortran-contiguous " : "";
        if (reason != nullptr)
            PyErr_Format(PyExc_TypeError, "%s: %s %s%sarray of %s with %d dimension%s%s is wanted%U", wanted.name,
                         *order == 0 && !wanted.is_writable ? "an" : "a", order, wanted.is_writable ? "writable " : "", wanted.element.name,
                         wanted.dimensions, wanted.dimensions == 1 ? "" : "s", places[static_cast<int>(wanted.where)], reason);
        Py_XDECREF(reason);
        return false;
    }

    Py_buffer buffer_;
    PyObject *capsule_ = nullptr;
    void *data_ = nullptr;
    std::int64_t layout_[2 * most_dimensions + 2] = {};
};

}  // namespace wg::views

#endif  // WG_MEMORY_BUFFER_VIEW_HPP
