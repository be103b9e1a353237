// Objects that several calls make: the first makes it, the others need it.
// Static: the same for all packages. Included by generated C++ only, of specs with such calls.
#ifndef WG_CALLS_MADE_IN_STEPS_HPP
#define WG_CALLS_MADE_IN_STEPS_HPP

#include <type_traits>

#include "wg/conversion/results.hpp"
#include "wg/ownership/handles.hpp"

namespace wg {

template <class H>
H *made_object(H &made) {
    return &made;
}
template <class H>
H *made_object(std::optional<H> &made) {
    return made ? &*made : nullptr;
}

/// What the first call makes, after the others; one that fails releases it, where it `is_ours`. Of no object there are no others.
template <bool is_ours, class Made, class First, class Then>
Made made_in_steps(First &&first, Then &&then) {
    static_assert(std::is_move_constructible_v<Made>,
                  "wrapper-gen: several calls make an object that cannot be moved; let the handle type hold a pointer, or write cpp_body");
    Made made = first();
    auto *object = made_object(made);
    if (object == nullptr) return made;
    try {
        then(*object);
    } catch (...) {
        if constexpr (is_ours) CellOf<std::remove_reference_t<decltype(*object)>>::type::drop_value(*object);
        throw;
    }
    return made;
}

}  // namespace wg

#endif  // WG_CALLS_MADE_IN_STEPS_HPP
