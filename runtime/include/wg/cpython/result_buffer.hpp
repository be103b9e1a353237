// Room for bytes that a call fills: a bytes object of Python's, which is the result without a copy.
// Static: the same for all packages. Included by generated C++ only.
#ifndef WG_CPYTHON_RESULT_BUFFER_HPP
#define WG_CPYTHON_RESULT_BUFFER_HPP

#include <cstring>

#include "wg/base/once.hpp"
#include "wg/cpython/containers.hpp"
#include "wg/conversion/result_buffer.hpp"

namespace wg::cpython {

/// A bytes object with one reference yet. To make one, or another size of it, needs the GIL.
class BytesRoom {
public:
    explicit BytesRoom(usize size) : bytes_(PyBytes_FromStringAndSize(nullptr, counted(size))) { made(size); }
    BytesRoom(BytesRoom &&other) noexcept : bytes_(std::exchange(other.bytes_, nullptr)), data_(other.data_), size_(other.size_) {}
    BytesRoom &operator=(BytesRoom &&) = delete;
    ~BytesRoom() { Py_XDECREF(bytes_); }

    char *data() const { return data_; }
    usize size() const { return size_; }
    /// Makes all of it zeros.
    void clear() {
        if (size_ <= most_filled) {
            std::memset(data_, 0, size_);
            return;
        }
        Py_CLEAR(bytes_);
        bytes_ = PyObject_CallFunction(reinterpret_cast<PyObject *>(&PyBytes_Type), "n", static_cast<Py_ssize_t>(size_));
        made(size_);
    }
    void resize(usize size) {
        if (size == size_) return;
        python::resize_bytes(bytes_, counted(size));
        made(size);
    }
    PyObject *release() { return std::exchange(bytes_, nullptr); }

private:
    static Py_ssize_t counted(usize size) {
        if (size > static_cast<usize>(PY_SSIZE_T_MAX)) throw std::bad_alloc();
        return static_cast<Py_ssize_t>(size);
    }
    WG_ONCE void made(usize size) WG_ELSEWHERE
#if WG_HAS_BODIES
    {
        if (bytes_ == nullptr) {
            PyErr_Clear();
            throw std::bad_alloc();
        }
        data_ = python::bytes_memory(bytes_);
        size_ = size;
    }
#endif
    PyObject *bytes_;
    char *data_ = nullptr;
    usize size_ = 0;
};

/// How a call from Python fills room. With `is_blocking`, other threads run while the library does.
template <bool is_blocking>
struct InBytes {
    using Room = BytesRoom;
    template <class Call>
    decltype(auto) run(Call &&call) const {
        if constexpr (is_blocking)
            return blocking(std::forward<Call>(call));
        else
            return call();
    }
};

inline PyObject *bytes(BytesRoom &&room) { return room.release(); }

template <>
struct IsDirect<types::Bytes, BytesRoom> : std::true_type {};

}  // namespace wg::cpython

#endif  // WG_CPYTHON_RESULT_BUFFER_HPP
