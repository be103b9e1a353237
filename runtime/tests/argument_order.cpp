// The orders in which a handle, arguments and out-parameters can stand in a call of C.
#include <set>

#include "checks.hpp"
#include "wg/errors/support.hpp"
#include "wg/calls/argument_order.hpp"

namespace {

// The handle at any place, arguments among themselves in order, and so the out-parameters, at any places.
static_assert(wg::count_orders(0, 3, 0) == 1);
static_assert(wg::count_orders(1, 0, 0) == 1);
static_assert(wg::count_orders(1, 3, 0) == 4);
static_assert(wg::count_orders(0, 1, 1) == 2);
static_assert(wg::count_orders(0, 2, 2) == 6);
static_assert(wg::count_orders(1, 1, 1) == 6);
static_assert(wg::count_orders(1, 2, 2) == 30);

// C's usual order comes first.
static_assert(std::is_same_v<wg::UnitsAt<1, 2, 2, 0>, std::index_sequence<0, 1, 2, 3, 4>>);
static_assert(std::is_same_v<wg::UnitsAt<0, 1, 1, 1>, std::index_sequence<1, 0>>);

constexpr std::size_t handles = 1, arguments = 2, outs = 2, units = handles + arguments + outs;

bool is_in_order(const std::array<std::size_t, units> &order, std::size_t first, std::size_t last) {
    std::size_t expected = first;
    for (std::size_t unit : order)
        if (unit >= first && unit < last && unit != expected++) return false;
    return expected == last;
}

template <std::size_t... unit>
constexpr std::array<std::size_t, units> listed(std::index_sequence<unit...>) {
    return {unit...};
}
template <std::size_t... k>
std::array<std::array<std::size_t, units>, sizeof...(k)> orders(std::index_sequence<k...>) {
    return {listed(wg::UnitsAt<handles, arguments, outs, k>())...};
}

void each_order_is_there_once() {
    constexpr std::size_t count = wg::count_orders(handles, arguments, outs);
    std::set<std::array<std::size_t, units>> found;
    for (const auto &order : orders(std::make_index_sequence<count>())) {
        CHECK(is_in_order(order, 0, handles));
        CHECK(is_in_order(order, handles, handles + arguments));
        CHECK(is_in_order(order, handles + arguments, units));
        found.insert(order);
    }
    CHECK(found.size() == count);
}

// A unit with a length has two parts, which stand side by side.
constexpr auto places = wg::places_of<4>(std::array<std::size_t, 3>{2, 0, 1}, std::array<std::size_t, 3>{1, 2, 1});
static_assert(places[0] == 3 && places[1] == 0 && places[2] == 1 && places[3] == 2);

}  // namespace

int main() {
    each_order_is_there_once();
    return failed;
}
