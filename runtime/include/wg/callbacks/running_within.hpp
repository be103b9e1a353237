// Calls that are running, of which some argument has callables in it: wg/callbacks/running.hpp.
// Static: the same for all packages. Included by generated C++ only, where such calls are recorded.
#ifndef WG_CALLBACKS_RUNNING_WITHIN_HPP
#define WG_CALLBACKS_RUNNING_WITHIN_HPP

#include "wg/callbacks/callables_within.hpp"
#include "wg/callbacks/running.hpp"

namespace wg {

/// A call with as many callables as its arguments turn out to have.
class RunningCallWithin : public Running {
public:
    template <class... P>
    RunningCallWithin(Held own, const Owners &others, bool passes_objects, const P &...passed)
        : RunningCallWithin(own, others, passes_objects, listed(passed...)) {}

private:
    using Targets = std::vector<const Target *>;

    RunningCallWithin(Held own, const Owners &others, bool passes_objects, Targets targets)
        : Running(own, &used_, targets.data(), targets.size(), passes_objects), used_(others.held()), targets_(std::move(targets)) {}

    template <class... P>
    static Targets listed(const P &...passed) {
        Targets targets;
        (add(targets, passed), ...);
        return targets;
    }
    template <class F>
    static void add(Targets &targets, const Callable<F> &callable) {
        targets.push_back(callable.target());
    }
    static void add(Targets &targets, const PassedWithin &passed) {
        for (const auto &each : passed.all()) targets.push_back(each.target);
    }

    const HeldList used_;
    const Targets targets_;
};

}  // namespace wg

#endif  // WG_CALLBACKS_RUNNING_WITHIN_HPP
