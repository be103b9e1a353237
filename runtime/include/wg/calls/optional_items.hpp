// Calls that give nothing, or several values: a status says whether there are any, and out-parameters hold them.
// Static: the same for all packages that have such calls. Included by generated C++ only.
#ifndef WG_CALLS_OPTIONAL_ITEMS_HPP
#define WG_CALLS_OPTIONAL_ITEMS_HPP

#include "wg/calls/resolved_call.hpp"

namespace wg {

/// As `deduced`, with the result as one value (`Whole`) where such a call compiles, else with each item by itself (`Items`).
template <std::size_t handles, class Whole, class Items, class F, class... In>
auto deduced_items(const F &function, In &&...in) {
    using OfWhole = Deduced<F, handles, Whole, In...>;
    using Found = std::conditional_t<OfWhole::compiles, OfWhole, Deduced<F, handles, Items, In...>>;
    return Found{function, {{std::move(in)}...}};
}

}  // namespace wg

#endif  // WG_CALLS_OPTIONAL_ITEMS_HPP
