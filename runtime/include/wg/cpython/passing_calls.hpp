// The calls of the cpython engine that run now and were passed callables: others need not look for what these raise while there are none.
// Static: the same for all packages. Included by generated C++ only, of specs with callables.
#ifndef WG_CPYTHON_PASSING_CALLS_HPP
#define WG_CPYTHON_PASSING_CALLS_HPP

#include <atomic>

#include "wg/cpython/python.hpp"

namespace wg::cpython {

/// How many calls run now that were passed callables.
inline std::atomic<long> passing_calls{0};

/// Counts one. With a GIL, which whoever counts has, nobody else does meanwhile.
class PassingCall {
public:
    PassingCall() noexcept { add(1); }
    PassingCall(const PassingCall &) = delete;
    PassingCall &operator=(const PassingCall &) = delete;
    ~PassingCall() { add(-1); }

private:
    static void add(long change) noexcept {
#ifdef Py_GIL_DISABLED
        passing_calls.fetch_add(change, std::memory_order_relaxed);
#else
        passing_calls.store(passing_calls.load(std::memory_order_relaxed) + change, std::memory_order_relaxed);
#endif
    }
};
struct NoPassingCall {};

}  // namespace wg::cpython

#endif  // WG_CPYTHON_PASSING_CALLS_HPP
