// Sums and products of sizes, which may be larger than their type has room for.
// Static: the same for all packages. Included by generated C++ and by the runtime, where memory is measured.
#ifndef WG_BASE_OVERFLOW_HPP
#define WG_BASE_OVERFLOW_HPP

#include <limits>

namespace wg {

namespace portable {

/// As below, where the compiler has no functions of its own for it.
template <class T>
constexpr bool add_overflows(T a, T b, T *out) {
    if (b > std::numeric_limits<T>::max() - a) return true;
    *out = a + b;
    return false;
}

template <class T>
constexpr bool multiply_overflows(T a, T b, T *out) {
    if (a != 0 && b > std::numeric_limits<T>::max() / a) return true;
    *out = a * b;
    return false;
}

}  // namespace portable

/// Whether the sum of two numbers, none of them negative, is too large; `out` has it if it is not.
template <class T>
constexpr bool add_overflows(T a, T b, T *out) {
#if defined(__GNUC__) || defined(__clang__)
    return __builtin_add_overflow(a, b, out);
#else
    return portable::add_overflows(a, b, out);
#endif
}

/// Whether their product is.
template <class T>
constexpr bool multiply_overflows(T a, T b, T *out) {
#if defined(__GNUC__) || defined(__clang__)
    return __builtin_mul_overflow(a, b, out);
#else
    return portable::multiply_overflows(a, b, out);
#endif
}

}  // namespace wg

#endif  // WG_BASE_OVERFLOW_HPP
