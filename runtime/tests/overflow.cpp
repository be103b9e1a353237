// Sums and products of sizes: what stands in for the compiler's own functions says the same as they.
#include <cstddef>
#include <cstdint>
#include <limits>

#include "checks.hpp"
#include "wg/base/overflow.hpp"

namespace {

template <class T>
void compare() {
    const T most = std::numeric_limits<T>::max();
    const T numbers[] = {0, 1, 2, 3, 7, T(most / 3), T(most / 2), T(most / 2 + 1), T(most - 1), most};
    for (const T a : numbers)
        for (const T b : numbers) {
            T sum = 0, product = 0, portable_sum = 0, portable_product = 0;
            const bool adds = wg::add_overflows(a, b, &sum), multiplies = wg::multiply_overflows(a, b, &product);
            CHECK(wg::portable::add_overflows(a, b, &portable_sum) == adds);
            CHECK(wg::portable::multiply_overflows(a, b, &portable_product) == multiplies);
            CHECK(adds || sum == portable_sum);
            CHECK(multiplies || product == portable_product);
        }
}

}  // namespace

int main() {
    compare<std::size_t>();
    compare<std::int64_t>();
    return failed;
}
