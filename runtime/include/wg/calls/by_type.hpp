// Which of several calls is made, by the type that an argument is of.
// Static: the same for all packages. Included by generated C++ only, of specs with such calls.
#ifndef WG_CALLS_BY_TYPE_HPP
#define WG_CALLS_BY_TYPE_HPP

#include <cstddef>
#include <type_traits>
#include <variant>

#include "wg/conversion/containers.hpp"

namespace wg {

/// What a call takes of the value: of a handle, which is a pointer in a variant, the object.
template <class T>
auto &of_its_type(T &value) {
    if constexpr (std::is_pointer_v<T>) return *value;
    else return value;
}

template <std::size_t i, class V, class First, class... Rest>
decltype(auto) by_type_from(V &value, First &first, Rest &...rest) {
    if constexpr (sizeof...(Rest) > 0)
        if (value.index() != i) return by_type_from<i + 1>(value, rest...);
    return first(of_its_type(std::get<i>(value)));
}

/// Makes the call for the type that the value is of; there is one for each.
template <class V, class... Calls>
decltype(auto) by_type(V &value, Calls &&...calls) {
    return by_type_from<0>(value, calls...);
}

/// The same of a value that may be missing, for which `none` is.
template <class O, class None, class... Calls>
decltype(auto) by_type_or_none(O &value, None &&none, Calls &&...calls) {
    if (!value) return none();
    if constexpr (is_variant<std::remove_cv_t<std::remove_reference_t<decltype(*value)>>>::value) return by_type_from<0>(*value, calls...);
    else return (calls(of_its_type(*value)), ...);
}

}  // namespace wg

#endif  // WG_CALLS_BY_TYPE_HPP
