// Complex numbers: std::complex's, and what converts to them.
// Static: the same for all packages. Included by generated C++ only, of specs with such a type.
#ifndef WG_TYPES_COMPLEX_HPP
#define WG_TYPES_COMPLEX_HPP

#include <complex>

#include "wg/conversion/containers.hpp"
#include "wg/wire/wire.hpp"

namespace wg {

using c64 = std::complex<f32>;
using c128 = std::complex<f64>;

template <class T>
constexpr bool is_complex<std::complex<T>> = true;

/// Whether a type of the library's own has the parts of one.
template <class T, class = void>
constexpr bool has_complex_parts = false;
template <class T>
constexpr bool has_complex_parts<T, std::enable_if_t<std::is_floating_point_v<std::decay_t<decltype(std::declval<const T &>().real())>> &&
                                             std::is_floating_point_v<std::decay_t<decltype(std::declval<const T &>().imag())>>>> = true;

namespace sorts {
struct Complex {};
}  // namespace sorts

template <class T>
struct SortOf<T, std::enable_if_t<has_complex_parts<T>>> {
    using type = sorts::Complex;
};

template <class T>
struct Convert<std::complex<T>> {
    template <class From>
    static std::complex<T> from(const From &value) {
        if constexpr (std::is_same_v<From, std::complex<T>>) {
            return value;
        } else if constexpr (has_complex_parts<From>) {
            return {part(value.real()), part(value.imag())};
        } else if constexpr (std::is_floating_point_v<From>) {
            return {part(value), T(0)};
        } else {
            static_assert(std::is_convertible_v<const From &, std::complex<T>> && !std::is_arithmetic_v<From>,
                          "wrapper-gen: the result is no complex number; convert it in the spec, std::complex<double>(...), if that is meant");
            return static_cast<std::complex<T>>(value);
        }
    }

private:
    template <class P>
    static T part(P value) {
        static_assert(!std::is_same_v<P, long double>, "wrapper-gen: the result is a std::complex<long double>, which has more digits than c128; "
                                                       "convert it in the spec if that is meant");
        return checked<T>(value, "the result");
    }
};

/// Memory of complex numbers, of which C has the parts, one after the other.
template <class Span, class P, class Extents>
Span of_parts(P *parts, Extents extents) {
    using Element = typename Span::element_type;
    return Span(reinterpret_cast<Element *>(parts), extents);
}

}  // namespace wg

#endif  // WG_TYPES_COMPLEX_HPP
