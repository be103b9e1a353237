// Handles that a call takes, unless it fails.
// Static: the same for all packages. Included by generated C++ only, where the spec says that such handles stay ours.
#ifndef WG_OWNERSHIP_RESTORE_ON_FAILURE_HPP
#define WG_OWNERSHIP_RESTORE_ON_FAILURE_HPP

#include <new>

#include "wg/base/failures.hpp"
#include "wg/ownership/handle_arguments.hpp"

namespace wg {

/// Where the call threw, or returned a failing status: handles that it was to take stay what they were. What fails after the call
/// is ours, such as a result that does not fit; to run out of memory may be either.
template <class... T>
[[noreturn]] void give_back(T &...taken) {
    try {
        throw;
    } catch (const Declared &) {
        (taken.give_back(), ...);
        throw;
    } catch (const Ours &) {
        throw;
    } catch (const std::bad_alloc &) {
        throw;
    } catch (...) {
        (taken.give_back(), ...);
        throw;
    }
}

}  // namespace wg

#endif  // WG_OWNERSHIP_RESTORE_ON_FAILURE_HPP
