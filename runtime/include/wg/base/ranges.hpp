// What has a begin and an end: containers, views, arrays, and whatever the library has such functions for.
// Static: the same for all packages. Included by generated C++ only.
#ifndef WG_BASE_RANGES_HPP
#define WG_BASE_RANGES_HPP

#include <iterator>
#include <type_traits>
#include <utility>

namespace wg {

namespace ranges {  // the library's own functions are found by their arguments' types

using std::begin;
using std::end;
template <class R>
auto begin_of(R &range) -> decltype(begin(range)) {
    return begin(range);
}
template <class R>
auto end_of(R &range) -> decltype(end(range)) {
    return end(range);
}

}  // namespace ranges

template <class T, class = void>
struct has_begin : std::false_type {};
template <class T>
struct has_begin<T, std::void_t<decltype(ranges::begin_of(std::declval<T &>()))>> : std::true_type {};

/// Whether a result that is declared as `To`, a list, a set or a dict, can be gone through: the compiler says what else it is.
template <class To, class From>
constexpr bool checked_range() {
    constexpr bool found = has_begin<std::remove_reference_t<From>>::value;
    static_assert(found, "wrapper-gen: the result is no range, which has begin() and end(); for an address say `length`, for a cursor or a linked list "
                         "`each`, for a struct that stands for a list an entry of `types`");
    return found;
}

}  // namespace wg

#endif  // WG_BASE_RANGES_HPP
