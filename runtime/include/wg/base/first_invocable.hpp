// One of several lambdas: the first that takes the arguments. C++ may read or set a property or a field in several ways.
// Static: the same for all packages. Included by generated C++ only, of specs with such properties or fields.
#ifndef WG_BASE_FIRST_INVOCABLE_HPP
#define WG_BASE_FIRST_INVOCABLE_HPP

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace wg {

/// The first of several ways that takes the arguments.
template <class... Way>
struct FirstWay {
    template <class... A>
    static constexpr std::size_t found() {
        std::size_t at = 0;
        static_cast<void>((... || (std::is_invocable_v<const Way &, A...> || (++at, false))));
        return at;
    }
    template <class... A, std::size_t way = found<A...>(), std::enable_if_t<(way < sizeof...(Way)), int> = 0>
    auto operator()(A &&...a) const -> std::invoke_result_t<std::tuple_element_t<way, std::tuple<const Way &...>>, A...> {
        return std::get<way>(ways)(static_cast<A &&>(a)...);
    }
    std::tuple<Way...> ways;
};
template <class... Way>
FirstWay<Way...> first_way_of(Way... ways) {
    return {{std::move(ways)...}};
}

}  // namespace wg

#endif  // WG_BASE_FIRST_INVOCABLE_HPP
