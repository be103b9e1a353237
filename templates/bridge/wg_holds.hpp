// Objects that hold arguments of their calls, until they are closed, or another call replaces or releases what they hold.
// Static: the same for all packages. Included by generated C++ only, where a spec has such calls.
#ifndef WG_HOLDS_HPP
#define WG_HOLDS_HPP

#include <algorithm>
#include <exception>

#include "wg_handles.hpp"

namespace wg {

/// Lets an object hold what a call is given, under the number of its entry in the spec. Where the call throws, all is as it was.
class Holds {
public:
    Holds(const Held &object, const Owners &given, unsigned entry, bool replaces)
        : object_(object), entry_(entry), replaces_(replaces), given_(given.held()) {
        for (const Held &each : given_)
            if (each.cell->users.ends_with_call())
                throw Own<std::invalid_argument>("this call would keep a handle that is valid only while the callable is called");
        const std::lock_guard<std::mutex> locked(kept_mutex());
        std::vector<Held> &all = kept_of(*object.cell).handles;
        all.reserve(all.size() + given_.size());
        added_.reserve(given_.size());
        for (Held each : given_) {
            each.entry = entry;
            if (each.cell == object.cell || has(all, each)) continue;  // once is enough, however often it is given
            hold(each);
            all.push_back(each);
            each.entry = 0;
            added_.push_back(each);
        }
    }
    Holds(const Holds &) = delete;
    Holds &operator=(const Holds &) = delete;
    ~Holds() {
        const bool has_failed = std::uncaught_exceptions() > before_;
        if (!has_failed && !replaces_) return;
        let_go(*object_.cell, [this, has_failed](Held each) {
            if (each.entry != entry_) return false;
            each.entry = 0;
            return has_failed ? has(added_, each) : !has(given_, each);
        });
    }

    static bool has(const std::vector<Held> &several, const Held &one) {
        return std::any_of(several.begin(), several.end(), [&](const Held &each) { return each.cell == one.cell && each.entry == one.entry; });
    }

private:
    const Held object_;
    const unsigned entry_;
    const bool replaces_;
    const int before_ = std::uncaught_exceptions();
    const std::vector<Held> given_;
    std::vector<Held> added_;
};

/// Lets an object let go of what a call is given, or of all that it holds, once the call has not thrown.
class Releases {
public:
    explicit Releases(const Held &object) : object_(object), is_all_(true) {}
    Releases(const Held &object, const Owners &released) : object_(object), is_all_(false), released_(released.held()) {}
    Releases(const Releases &) = delete;
    Releases &operator=(const Releases &) = delete;
    ~Releases() {
        if (std::uncaught_exceptions() > before_) return;
        let_go(*object_.cell, [this](const Held &each) { return each.entry != 0 && (is_all_ || is_released(each)); });
    }

private:
    bool is_released(Held held) const {
        held.entry = 0;
        return Holds::has(released_, held);
    }

    const Held object_;
    const bool is_all_;
    const int before_ = std::uncaught_exceptions();
    std::vector<Held> released_;
};

}  // namespace wg

#endif  // WG_HOLDS_HPP
