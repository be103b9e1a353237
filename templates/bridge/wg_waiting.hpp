// Waiting while other threads run Python: how, the engine says that has a GIL.
// Static: the same for all packages. Included by generated C++ only, where a spec has calls or releases that wait.
#ifndef WG_WAITING_HPP
#define WG_WAITING_HPP

#include <atomic>
#include <chrono>
#include <thread>

namespace wg {

/// Does something that waits, while other threads run Python; false, and nothing done, where the interpreter ends.
using RunWaiting = bool (*)(void (*wait)(void *of), void *of);
/// Set by the engine, where calls have a GIL.
inline std::atomic<RunWaiting> run_waiting{nullptr};

/// How a value ends whose release takes locks of the library, or waits: what has those may wait for the GIL.
struct EndsWithoutGil {
    /// `work` throws nothing. Python ends a daemon thread that asks for the GIL at exit, by unwinding it, which nothing that
    /// releases allows: such a thread sleeps until the process is gone.
    template <class Work>
    static void run(Work &&work) noexcept {
        const auto call = [](void *of) { (*static_cast<std::remove_reference_t<Work> *>(of))(); };
        try {
            if (const RunWaiting run = run_waiting; run != nullptr && run(call, &work)) return;
        } catch (...) {
            for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
        }
        work();
    }
};

}  // namespace wg

#endif  // WG_WAITING_HPP
