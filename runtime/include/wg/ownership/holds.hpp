// Objects that hold arguments of their calls, until they are closed, or another call replaces or releases what they hold.
// Static: the same for all packages. Included by generated C++ only, where a spec has such calls.
#ifndef WG_OWNERSHIP_HOLDS_HPP
#define WG_OWNERSHIP_HOLDS_HPP

#include <algorithm>
#include <exception>

#include "wg/ownership/handles.hpp"

namespace wg {

/// What is not held any more ends with the call that says so: without callables, that runs within no other call of its thread.
struct WithCall {
    static void end(const Cell &, const KeptHandles &gone) noexcept {
        for (const Held &each : gone) let_go_of(each);
    }
};

inline bool is_among(const HeldList &several, const Held &one) {
    return std::any_of(several.begin(), several.end(), [&](const Held &each) { return each.cell == one.cell; });
}

/// The same of what they stand for. Under `KeptLocked`.
inline bool stands_for_one_of(const HeldList &several, const Held &one) {
    const Cell *const owning = owning_cell(one.cell);
    return std::any_of(several.begin(), several.end(), [&](const Held &each) { return owning_cell(each.cell) == owning; });
}

/// Lets an object hold what a call is given, under the number of its entry in the spec. Where the call throws, all is as it was.
/// `End` is when what it held before ends.
template <class End = WithCall>
class Holds {
public:
    Holds(const Held &object, const Owners &given, unsigned entry, bool replaces)
        : object_(object), entry_(entry), replaces_(replaces), given_(given.held()) {
        for (const Held &each : given_)
            if (each.cell->users.ends_with_call())
                throw Own<std::invalid_argument>("this call would keep a handle that is valid only while the callable is called");
        CalledObjects called(given_);
        const KeptLocked locked;
        KeptList &kept = kept_of(object);
        KeptHandles &all = kept.handles;
        all.reserve(all.size() + given_.size() + called.size());
        added_.reserve(given_.size() + called.size());
        for (const Held &each : given_) {
            if (each.cell == object.cell || has(all, each)) continue;  // once is enough, however often it is given
            hold(each);
            Cycles::before_keeping(kept);
            all.push_back({each, entry});
            Cycles::keeps(*object.cell, *each.cell);
            added_.push_back(each);
            const Held python = called.size() == 0 ? Held() : called.give(each, all, entry);
            if (python.cell != nullptr) added_.push_back(python);
        }
    }
    Holds(const Holds &) = delete;
    Holds &operator=(const Holds &) = delete;
    ~Holds() {
        const bool has_failed = std::uncaught_exceptions() > before_;
        if (!has_failed && !replaces_) return;
        let_go(*object_.cell, [this, has_failed](const KeptHandle &each) {
            if (each.entry != entry_) return false;
            return has_failed ? is_among(added_, each) : !stands_for_one_of(given_, each);
        }, [this](const KeptHandles &gone) { End::end(*object_.cell, gone); });
    }

private:
    bool has(const KeptHandles &several, const Held &one) const {
        return std::any_of(several.begin(), several.end(), [&](const KeptHandle &each) { return each.cell == one.cell && each.entry == entry_; });
    }

    const Held object_;
    const unsigned entry_;
    const bool replaces_;
    const int before_ = std::uncaught_exceptions();
    const HeldList given_;
    HeldList added_;
};

/// Makes an object release what a call is given, or all that it holds, if the call has not thrown.
template <class End = WithCall>
class Releases {
public:
    explicit Releases(const Held &object) : object_(object), is_all_(true) {}
    Releases(const Held &object, const Owners &released) : object_(object), is_all_(false), released_(released.held()) {}
    Releases(const Releases &) = delete;
    Releases &operator=(const Releases &) = delete;
    ~Releases() {
        if (std::uncaught_exceptions() > before_) return;
        let_go(*object_.cell, [this](const KeptHandle &each) { return each.entry != 0 && (is_all_ || stands_for_one_of(released_, each)); },
               [this](const KeptHandles &gone) { End::end(*object_.cell, gone); });
    }

private:
    const Held object_;
    const bool is_all_;
    const int before_ = std::uncaught_exceptions();
    HeldList released_;
};

}  // namespace wg

#endif  // WG_OWNERSHIP_HOLDS_HPP
