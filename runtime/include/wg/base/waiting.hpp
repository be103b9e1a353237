// Waiting while other threads run Python: how, the engine says that has a GIL.
// Static: the same for all packages. Included by generated C++ only, where a spec has calls or releases that wait.
#ifndef WG_BASE_WAITING_HPP
#define WG_BASE_WAITING_HPP

#include <atomic>
#include <type_traits>
#include <utility>

namespace wg {

/// Does something that waits, while other threads run Python; false, and nothing done, where the interpreter ends.
using RunWaiting = bool (*)(void (*wait)(void *of), void *of);
/// Set by the engine, where calls have a GIL.
inline std::atomic<RunWaiting> run_waiting{nullptr};

/// Does it without the GIL, where there is one.
template <class Work>
void without_gil(Work &&work) {
    const auto call = [](void *of) { (*static_cast<std::remove_reference_t<Work> *>(of))(); };
    if (const RunWaiting run = run_waiting; run != nullptr && run(call, &work)) return;
    work();
}

/// How a value ends whose release takes locks of the library, or waits: what has those may wait for the GIL.
struct EndsWithoutGil {
    /// `work` throws nothing.
    template <class Work>
    static void run(Work &&work) noexcept {
        without_gil(std::forward<Work>(work));
    }
};

/// How a step of an iterator runs that waits, and how what it goes over ends.
struct StepsWithoutGil {
    template <class Work>
    static void run(Work &&work) {
        without_gil(std::forward<Work>(work));
    }
    template <class Work>
    static void end(Work &&work) noexcept {
        without_gil(std::forward<Work>(work));
    }
};

}  // namespace wg

#endif  // WG_BASE_WAITING_HPP
