// Closed objects that hold each other, and that nothing else uses: they are released, though each has a user.
// Static: the same for all packages. Included by wg/ownership/owner_lists.hpp only.
#ifndef WG_OWNERSHIP_CLOSED_CYCLES_HPP
#define WG_OWNERSHIP_CLOSED_CYCLES_HPP

#include <algorithm>
#include <new>
#include <unordered_map>
#include <vector>

#include "wg/ownership/owner_lists.hpp"

namespace wg {

/// The closed objects that one keeps alive, which is closed too and has a user who is about to leave it. Under `KeptLocked`.
class ClosedCycle {
public:
    explicit ClosedCycle(Cell &leaving) {
        reach(leaving);
        ++users_within_[&leaving];
        for (std::size_t i = 0; i < found_.size() && found_.size() < most; ++i)
            for (const KeptHandle &each : handles(*found_[i]))
                if (each.cell->users.is_closed()) {
                    reach(*each.cell);
                    ++users_within_[each.cell];
                }
        if (found_.size() >= most) found_.clear();
    }

    /// What one of them holds, by an entry that says so, and what leads back to the first: the holder, or null where nothing has to be let go of.
    Cell *holder(KeptHandles &gone) {
        if (found_.empty() || !is_unused(*found_.front())) return nullptr;
        for (Cell *each : found_) {
            for (const KeptHandle &held : handles(*each))
                if (held.entry != 0 && leads_back(held, *found_.front())) gone.push_back(held);
            if (!gone.empty()) return each;
        }
        return nullptr;
    }

private:
    static constexpr std::size_t most = 1024;  // who closes an object of many is not to wait

    static const KeptHandles &handles(const Cell &cell) {
        static const KeptHandles none{};
        const KeptList *const kept = cell.kept;
        return kept == nullptr ? none : kept->handles;
    }
    void reach(Cell &cell) {
        if (users_within_.emplace(&cell, 0).second) found_.push_back(&cell);
    }

    /// Whether neither `wanted`, nor what keeps it alive among these, has users other than these.
    bool is_unused(const Cell &wanted) const {
        return std::all_of(found_.begin(), found_.end(), [&](Cell *each) {
            return each->users.count() == users_within_.at(each) || !(each == &wanted || leads_back({each, nullptr}, wanted));
        });
    }

    std::vector<Cell *> found_;
    std::unordered_map<const Cell *, std::uintptr_t> users_within_;
};

/// Whether an object keeps a closed one alive: else it is in no cycle of such.
inline bool keeps_closed(const Held &held) noexcept {
    const KeptLocked locked(*held.type);
    const KeptList *const kept = held.cell->kept.load(std::memory_order_relaxed);
    if (kept == nullptr) return false;
    return std::any_of(kept->handles.begin(), kept->handles.end(), [](const KeptHandle &each) { return each.cell->users.is_closed(); });
}

/// Lets one of closed objects that only hold each other let go of the next; that one may be the end of further cycles. The collector
/// of cycles does not find those of the cffi engine, and need not look for those of the other one.
inline void end_cycle(const Held &held) noexcept {
    if (!keeps_closed(held)) return;
    try {
        KeptHandles gone;
        {
            const KeptLocked locked;
            Cell *const holder = ClosedCycle(*held.cell).holder(gone);
            if (holder == nullptr) return;
            KeptHandles &all = holder->kept.load()->handles;
            all.erase(std::remove_if(all.begin(), all.end(), [&](const KeptHandle &each) {
                return std::any_of(gone.begin(), gone.end(), [&](const KeptHandle &one) { return one.cell == each.cell && one.entry == each.entry; });
            }), all.end());
        }
        for (const Held &each : gone) let_go_of(each);
    } catch (const std::bad_alloc &) {  // they stay alive
    }
}

}  // namespace wg

#endif  // WG_OWNERSHIP_CLOSED_CYCLES_HPP
