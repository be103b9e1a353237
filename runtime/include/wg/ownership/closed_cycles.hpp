// Closed objects that hold each other, and that nothing else uses: they are released, though each has a user.
// Static: the same for all packages. Included by wg/ownership/owner_lists.hpp only.
#ifndef WG_OWNERSHIP_CLOSED_CYCLES_HPP
#define WG_OWNERSHIP_CLOSED_CYCLES_HPP

#include <algorithm>
#include <cstddef>
#include <new>
#include <utility>
#include <vector>

#include "wg/base/once.hpp"
#include "wg/ownership/cycles.hpp"

namespace wg {

WG_ONCE void follow_lost(Cell &object, const KeptHandles &gone) noexcept WG_ELSEWHERE
#if WG_HAS_BODIES
{
    Cycles::lets_go(object, gone);
}
#endif
inline void forget_cycle(KeptList &kept) noexcept {
    if (kept.cycle == nullptr) return;
    const KeptLocked locked;
    Cycles::forget(kept);
}

/// What members of a cycle let go of, so that none reaches itself any more: as little as that takes, of what entries say that they hold. What an object
/// keeps by no entry it keeps to its end: that is never all of a cycle. Under `KeptLocked`.
///
/// These are the back edges of a search in depth, from the object that is left, to those that keep it. An object comes behind what it keeps by no
/// entry: else that could be among them.
class EndOfCycle {
public:
    EndOfCycle(const UnusedCycle &cycle, Cell &left) : cycle_(cycle), members_(cycle.members), walk_(++common->walks), users_(members_.size()), visits_(members_.size()) {
        for (std::size_t i = 0; i < members_.size(); ++i) {
            kept(i).walk = walk_;
            kept(i).place = i;
        }
        for (std::size_t i = 0; i < members_.size(); ++i) {
            const KeptHandles &handles = kept(i).handles;
            for (std::size_t n = 0; n < handles.size(); ++n)
                if (is_member(handles[n])) users_[index_of(handles[n])].push_back({i, n});
        }
        find(left.kept.load()->place);
    }

    KeptHandles take() {
        std::sort(edges_.begin(), edges_.end(), [this](const Edge &one, const Edge &other) {
            return std::make_pair(visits_[one.holder].order, one.at) < std::make_pair(visits_[other.holder].order, other.at);
        });
        KeptHandles gone;
        gone.reserve(edges_.size());
        for (const Edge &each : edges_) gone.push_back(kept(each.holder).handles[each.at]);
        for (auto first = edges_.begin(); first != edges_.end();) {
            const auto last = std::find_if(first, edges_.end(), [first](const Edge &each) { return each.holder != first->holder; });
            erase(kept(first->holder).handles, first, last);
            first = last;
        }
        if (!gone.empty()) Cycles::end(cycle_);
        return gone;
    }

private:
    struct Edge {
        std::size_t holder, at;  // a member, and which of what it keeps
    };
    struct Visit {
        enum { none, running, done } state = none;
        std::size_t order = 0;
    };
    struct Step {
        std::size_t member, next_kept = 0, next_user = 0;
        bool is_running = false;
    };
    using Edges = std::vector<Edge>;

    KeptList &kept(std::size_t i) const { return *members_[i]->kept.load(); }
    bool is_member(const Held &held) const {
        const KeptList *const list = held.cell->kept.load();
        return list != nullptr && list->walk == walk_;
    }
    static std::size_t index_of(const Held &held) { return held.cell->kept.load()->place; }

    void find(std::size_t first) {
        std::size_t order = 0;
        std::vector<Step> path = {{first}};
        while (!path.empty()) {
            ++common->steps;
            Step &step = path.back();
            Visit &visit = visits_[step.member];
            if (!step.is_running && visit.state != Visit::none) {  // found from what it keeps by no entry
                path.pop_back();
            } else if (!step.is_running) {
                const KeptHandles &handles = kept(step.member).handles;
                if (step.next_kept < handles.size()) {
                    const KeptHandle &each = handles[step.next_kept++];
                    if (each.entry == 0 && is_member(each) && visits_[index_of(each)].state == Visit::none) path.push_back({index_of(each)});
                } else {
                    visit = {Visit::running, order++};
                    step.is_running = true;
                }
            } else if (step.next_user == users_[step.member].size()) {
                visit.state = Visit::done;
                path.pop_back();
            } else {
                const Edge &edge = users_[step.member][step.next_user++];
                const Visit &holder = visits_[edge.holder];
                if (holder.state == Visit::running && kept(edge.holder).handles[edge.at].entry != 0) edges_.push_back(edge);
                else if (holder.state == Visit::none) path.push_back({edge.holder});
            }
        }
    }

    static void erase(KeptHandles &all, Edges::const_iterator first, Edges::const_iterator last) {
        std::size_t left = first->at;
        for (std::size_t i = left; i < all.size(); ++i) {
            if (first != last && first->at == i) ++first;
            else all[left++] = all[i];
        }
        all.erase(all.begin() + left, all.end());
    }

    const UnusedCycle &cycle_;
    const std::vector<Cell *> &members_;
    const std::size_t walk_;
    std::vector<Edges> users_;  // of each member, within the cycle
    std::vector<Visit> visits_;
    Edges edges_;
};

/// One user less of a closed object, as `Users::leave`. Closed objects that only hold each other let go of some of that. The collector of cycles does not find those of the cffi engine, and need not look for those of the other one.
/// Of two threads that leave such objects at once, the second one sees that the first has left.
WG_ONCE bool leave_cycle(const Held &held) noexcept WG_ELSEWHERE
#if WG_HAS_BODIES
{
    KeptHandles gone;
    {
        const KeptLocked locked;
        try {
            const UnusedCycle cycle = Cycles::unused(*held.cell);
            if (!cycle.members.empty()) gone = EndOfCycle(cycle, *held.cell).take();
        } catch (const std::bad_alloc &) {  // they stay alive
        }
        if (gone.empty()) return held.cell->users.leave();
    }
    for (const Held &each : gone) let_go_of(each);
    return held.cell->users.leave();
}
#endif

/// Lets a closed object go of what it holds and what leads back to it by closed ones, though something else uses these.
WG_ONCE void end_cycle_in_use(const Held &held) noexcept WG_ELSEWHERE
#if WG_HAS_BODIES
{
    {
        const KeptLocked locked;
        if (!Cycles::may_have(*held.cell)) return;
    }
    let_go(*held.cell, [&held](const KeptHandle &each) { return each.entry != 0 && leads_back(each, *held.cell); });
}
#endif

}  // namespace wg

#endif  // WG_OWNERSHIP_CLOSED_CYCLES_HPP
