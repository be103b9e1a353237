// Calls that give up the GIL only while Python overrides virtual functions: other threads may then wait for it, and hold a lock of the
// library. Static: the same for all packages. Included by generated C++ only, where a spec says `blocking: overridden`.
#ifndef WG_CALLBACKS_GIL_FOR_OVERRIDES_HPP
#define WG_CALLBACKS_GIL_FOR_OVERRIDES_HPP

#include "wg/callbacks/overrides.hpp"
#include "wg/base/waiting.hpp"

namespace wg {

/// How a step of an iterator runs, and how what it goes over ends.
struct BesideOverrides {
    template <class Work>
    static void run(Work &&work) {
        if (Overriding::are_alive()) without_gil(std::forward<Work>(work));
        else work();
    }
    template <class Work>
    static void end(Work &&work) noexcept {
        if (Overriding::are_alive()) EndsWithoutGil::run(std::forward<Work>(work));
        else work();
    }
};

}  // namespace wg

#endif  // WG_CALLBACKS_GIL_FOR_OVERRIDES_HPP
