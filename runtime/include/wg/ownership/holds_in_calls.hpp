// Objects that let go of what they hold while another call of the thread uses them: C++ may go on using that until it returns.
// Static: the same for all packages. Included by generated C++ only, of specs with callables, which alone make such calls.
#ifndef WG_OWNERSHIP_HOLDS_IN_CALLS_HPP
#define WG_OWNERSHIP_HOLDS_IN_CALLS_HPP

#include <memory>
#include <vector>

#include "wg/ownership/holds.hpp"
#include "wg/base/call_stack.hpp"

namespace wg {

/// What an object does not hold any more ends with the outermost call of the thread, if a call around this one may use the object.
struct AfterCalls {
    static void end(const Cell &object, const KeptHandles &gone) noexcept {
        const std::uintptr_t own = object.users.is_closed() ? 1 : 2;  // this call, and the owner
        Outer *const outermost = Outer::outermost();
        if (outermost == nullptr || object.users.count() <= own) return WithCall::end(object, gone);
        try {
            auto kept = std::make_shared<Kept>();
            for (const Held &each : gone)
                if (each.type->python != nullptr) kept->python.push_back(each.type->python(*each.cell));
            kept->gone = gone;
            outermost->keep(kept);
            kept->is_kept = true;
        } catch (...) {  // without memory it stays alive: C++ may be using it
        }
    }

private:
    struct Kept {
        KeptHandles gone;
        std::vector<std::shared_ptr<void>> python;  // goes first, as it may own what is in `gone`
        bool is_kept = false;

        Kept() = default;
        Kept(const Kept &) = delete;
        Kept &operator=(const Kept &) = delete;
        ~Kept() {
            if (!is_kept) return;
            python.clear();
            for (const Held &each : gone) let_go_of(each);
        }
    };
};

}  // namespace wg

#endif  // WG_OWNERSHIP_HOLDS_IN_CALLS_HPP
