// The dimensions that arguments have in common: each is what the first one says, and the others agree.
// Static: the same for all packages. Included by generated C++ only, where dimensions have names or are numbers.
#ifndef WG_MEMORY_DIMENSIONS_HPP
#define WG_MEMORY_DIMENSIONS_HPP

#include <string>

#include "wg/base/calls.hpp"

namespace wg {

[[noreturn, gnu::cold]] inline void fail_to_agree(const char *name, std::size_t dimension, usize has, const std::string &wanted) {
    throw Own<std::invalid_argument>(std::string(name) + ": dimension " + std::to_string(dimension) + " is " + std::to_string(has) + ", not " + wanted);
}

/// A dimension that is a number in the spec.
inline void check_extent(const char *name, std::size_t dimension, usize has, usize wanted) {
    if (has != wanted) fail_to_agree(name, dimension, has, std::to_string(wanted));
}

/// A dimension that has the name of another one, or of a parameter: `of` says which.
template <class V>
void check_extent(const char *name, std::size_t dimension, usize has, const V &wanted, const char *shared, const char *of) {
    bool agrees = true;
    if constexpr (std::is_signed_v<V>) agrees = wanted >= 0;
    if (!agrees || has != static_cast<usize>(wanted)) fail_to_agree(name, dimension, has, std::to_string(wanted) + " (" + shared + ", " + of + ")");
}

}  // namespace wg

#endif  // WG_MEMORY_DIMENSIONS_HPP
