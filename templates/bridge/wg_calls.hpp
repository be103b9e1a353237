// Parameters on their way to the spec's code, and what its methods are called on.
// Static: the same for all packages. Included by generated C++ only.
#pragma once

#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "wg_failures.hpp"

namespace wg {

// --- parameters ---------------------------------------------------------------------------------

/// The caller's own memory: a pointer and a count of elements.
template <class T>
class Span {
public:
    using element_type = T;
    using value_type = std::remove_cv_t<T>;
    using iterator = T *;

    Span(T *data, std::size_t size) : data_(data), size_(size) {
        if (size != 0 && reinterpret_cast<std::uintptr_t>(data) % alignof(T) != 0)
            throw Misfit("the memory does not start at a multiple of its elements' size");
    }

    T *data() const { return data_; }
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    std::size_t size_bytes() const { return size_ * sizeof(T); }
    T *begin() const { return data_; }
    T *end() const { return data_ + size_; }
    T &operator[](std::size_t i) const { return data_[i]; }

private:
    T *data_;
    std::size_t size_;
};

/// A double as a float; too large is an error, not infinity.
inline float narrow(double value) {
    const float narrowed = static_cast<float>(value);
    if (std::isinf(narrowed) && !std::isinf(value)) throw std::overflow_error("the number is too large for f32");
    return narrowed;
}

template <class T>
std::vector<T> values(const T *data, std::size_t size) {
    return std::vector<T>(data, data + size);
}

inline std::vector<std::string> texts(const char *data, const std::size_t *sizes, std::size_t size) {
    std::vector<std::string> out;
    out.reserve(size);
    for (std::size_t i = 0; i < size; data += sizes[i], ++i) out.emplace_back(data, sizes[i]);
    return out;
}

// --- calls --------------------------------------------------------------------------------------

template <class T, class = void>
struct is_pointer_like : std::is_pointer<T> {};
template <class T>
struct is_pointer_like<T, std::void_t<typename T::element_type, decltype(std::declval<T &>().operator->())>> : std::true_type {};

/// The object whose member a method calls: what a pointer-like handle points to, else the handle itself.
template <class T>
decltype(auto) object(T &inner) {
    if constexpr (is_pointer_like<std::remove_cv_t<T>>::value) {
        if (!inner) throw std::invalid_argument("this handle holds a null pointer");
        return (*inner);
    } else {
        return (inner);
    }
}

}  // namespace wg
