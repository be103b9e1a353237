// Which objects keep each other alive in cycles. That is known before one of them is closed, so that closing one looks at few others.
// Static: the same for all packages. Included by wg/ownership/owner_lists.hpp only.
//
// A new object keeps objects that were there before, and nothing keeps the new one yet: that makes no cycle. Only an object that is there
// already and begins to keep another one can make a cycle. The cycles are the strongly connected components, of more than one object, of
// the graph of what objects keep. Tarjan's algorithm finds them, and looks at each object once. Where an object begins to keep another one,
// or lets go of it, a search of a few steps brings them up to date. Where that is not enough, all of it is forgotten, and each object
// is looked at once more when it is asked for. Where it is known of an object, it is known of all that this reaches.
// First, as that includes this one at its end.
#include "wg/ownership/owner_lists.hpp"

#ifndef WG_OWNERSHIP_CYCLES_HPP
#define WG_OWNERSHIP_CYCLES_HPP

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <vector>

#include "wg/base/once.hpp"

namespace wg {

/// Objects each of which keeps every other one alive, directly or not. All of this under `KeptLocked`.
struct Cycle {
    std::vector<Cell *> members;
    std::size_t used = 0;  // the member that something else was found to use
    std::size_t lists = 0;  // how many lists name this cycle, some of which may be out of date
    bool is_whole = true;  // false where one has let go of another, and what is left may be several cycles, or none
};

/// Closed objects in a cycle that nothing else uses.
struct UnusedCycle {
    std::vector<Cell *> members;  // none where there is no such cycle
    bool is_known = false;
};

class Cycles {
public:
    /// The cycle of a closed object, once a user of it has left, if nothing else uses any of that.
    static UnusedCycle unused(Cell &left) {
        KeptList *const list = keeping(left);
        if (list == nullptr) return {};
        if (!is_known(*list)) {
            if (!keeps_closed(*list)) return {};
            Reached reached(left, nullptr);
            if (reached.find_closed()) return {unused_among(reached.leading_to(left, nullptr), left), false};
            Walk(~std::size_t{0}).run(left);
        }
        if (list->cycle == nullptr || is_used(*list->cycle, left)) return {};
        return {list->cycle->members, true};
    }
    /// The members of one do not reach each other in cycles any more.
    static void end(const UnusedCycle &cycle) noexcept {
        if (!cycle.is_known) return;
        for (const Cell *each : cycle.members) assign(*each->kept.load(), nullptr);
    }
    /// False only where an object is in no cycle.
    static bool may_have(const Cell &cell) noexcept {
        const KeptList *const list = keeping(cell);
        return list != nullptr && (!is_known(*list) || list->cycle != nullptr);
    }

    /// Before an object, which may have been there before, keeps one more. While it keeps nothing, it is in no cycle.
    static void before_keeping(KeptList &list) noexcept {
        if (list.handles.empty()) assign(list, nullptr);
    }
    /// An object, which may have been there before, keeps one more: `kept`, the last of its list.
    static void keeps(Cell &cell, Cell &kept) noexcept {
        KeptList &list = *cell.kept.load();
        if (keeping(kept) == nullptr || !is_known_now(list)) return;
        try {
            if (!is_known(list) || !has_followed(cell, list, kept)) forget_all();
        } catch (const std::bad_alloc &) {
            forget_all();
        }
    }
    /// An object has let go of some.
    template <class Several>
    static void lets_go(Cell &cell, const Several &gone) noexcept {
        const KeptList &list = *cell.kept.load();
        if (list.cycle == nullptr || !is_known(list)) return;
        try {
            Cycle &cycle = *list.cycle;
            bool is_whole = true;
            for (const Held &each : gone)
                if (is_member(*each.cell, cycle)) {
                    --each.cell->kept.load()->users_within;
                    is_whole = is_whole && Reached(cell, &cycle).leads_to(*each.cell);
                }
            cycle.is_whole = is_whole;
        } catch (const std::bad_alloc &) {
            forget_all();
        }
    }
    /// The list of an object that is gone is about to be destroyed, or to be that of another one.
    static void forget(KeptList &list) noexcept { assign(list, nullptr); }

    static bool is_member(const Cell &cell, const Cycle &cycle) noexcept {
        const KeptList *const list = cell.kept.load();
        return list != nullptr && list->cycle == &cycle && is_known(*list);
    }

private:
    static constexpr std::size_t few = 64;  // steps of what follows each change of what an object keeps

    /// What an object keeps; null where that is nothing.
    static KeptList *keeping(const Cell &cell) noexcept {
        KeptList *const list = cell.kept.load();
        return list == nullptr || list->handles.empty() ? nullptr : list;
    }
    static bool is_known_now(const KeptList &list) noexcept { return list.known_at == common->cycles_known; }
    static bool is_known(const KeptList &list) noexcept { return is_known_now(list) && (list.cycle == nullptr || list.cycle->is_whole); }
    static void forget_all() noexcept {
        ++common->cycles_known;
        common->has_cycles.store(true, std::memory_order_relaxed);
    }
    static bool keeps_closed(const KeptList &list) noexcept {
        return std::any_of(list.handles.begin(), list.handles.end(), [](const KeptHandle &each) { return each.cell->users.is_closed(); });
    }

    static void assign(KeptList &list, Cycle *cycle) noexcept {
        if (cycle != nullptr) {
            ++cycle->lists;
            common->has_cycles.store(true, std::memory_order_relaxed);
        }
        if (list.cycle != nullptr && --list.cycle->lists == 0) delete list.cycle;
        list.cycle = cycle;
        list.known_at = common->cycles_known;
    }
    /// The objects from `from` on are members from now on, which `cycle` lists already.
    static void join(Cycle &cycle, std::size_t from) noexcept {
        for (std::size_t i = from; i < cycle.members.size(); ++i) {
            KeptList &list = *cycle.members[i]->kept.load();
            assign(list, &cycle);
            list.users_within = 0;
        }
    }
    static void count_users(const Cell &holder, const Cycle &cycle) noexcept {
        for (const Held &each : holder.kept.load()->handles)
            if (is_member(*each.cell, cycle)) ++each.cell->kept.load()->users_within;
    }

    /// Tarjan's algorithm, without recursion, over what is not known yet.
    class Walk {
    public:
        explicit Walk(std::size_t most) : most_(most), number_(++common->walks) {}

        /// False where it would take too many steps; what is known then is right.
        bool run(Cell &first) {
            begin(first);
            while (!path_.empty()) {
                Step &step = path_.back();
                KeptList &list = *step.cell->kept.load();
                if (step.next == list.handles.size()) {
                    end_step();
                    continue;
                }
                Cell &kept = *list.handles[step.next++].cell;
                ++common->steps;
                if (most_-- == 0) return false;
                KeptList *const further = keeping(kept);
                if (further == nullptr || is_known(*further)) continue;
                if (further->walk != number_) begin(kept);
                else list.lowest = std::min(list.lowest, further->place);
            }
            return true;
        }

    private:
        struct Step {
            Cell *cell;
            std::size_t next;  // of what it keeps
        };

        void begin(Cell &cell) {
            KeptList &list = *cell.kept.load();
            path_.push_back({&cell, 0});
            open_.push_back(&cell);
            list.walk = number_;
            list.place = list.lowest = open_.size();
        }
        void end_step() {
            Cell &cell = *path_.back().cell;
            KeptList &list = *cell.kept.load();
            if (list.lowest == list.place) complete(list.place - 1);
            path_.pop_back();
            if (path_.empty()) return;
            KeptList &before = *path_.back().cell->kept.load();
            before.lowest = std::min(before.lowest, list.lowest);
        }
        void complete(std::size_t from) {
            if (open_.size() - from == 1) {
                assign(*open_.back()->kept.load(), nullptr);
            } else {
                auto *const cycle = new Cycle;
                try {
                    cycle->members.assign(open_.begin() + static_cast<std::ptrdiff_t>(from), open_.end());
                } catch (...) {
                    delete cycle;
                    throw;
                }
                join(*cycle, 0);
                for (const Cell *each : cycle->members) count_users(*each, *cycle);
            }
            open_.resize(from);
        }

        std::size_t most_;
        const std::size_t number_;
        std::vector<Step> path_;
        std::vector<Cell *> open_;  // of no complete cycle yet
    };

    /// What an object reaches in a few steps: of a cycle, or, without one, all, but what those of a cycle keep.
    class Reached {
    public:
        explicit Reached(Cell &first, const Cycle *within) : cells_{&first}, within_(within) {}

        /// Whether it reaches another one in a few steps.
        bool leads_to(const Cell &wanted) {
            return look([&](Cell &each) { return &each == &wanted ? Next::found : is_member(each, *within_) ? Next::further : Next::none; }) && has_found_;
        }
        /// All that it reaches but what the members of `end` keep, or `cell` where there is none; false where these are too many.
        bool find_all(const Cell &cell, const Cycle *end) {
            return look([&](Cell &each) { return is_end(each, cell, end) || keeping(each) == nullptr ? Next::none : Next::further; });
        }
        /// The closed ones that it reaches by closed ones, and of which no cycle is known; false where these are too many.
        bool find_closed() {
            return look([](Cell &each) {
                const KeptList *const list = keeping(each);
                return list != nullptr && !is_known(*list) && each.users.is_closed() ? Next::further : Next::none;
            });
        }
        /// Those that lead to the end of that.
        std::vector<Cell *> leading_to(const Cell &cell, const Cycle *end) const {
            std::vector<Cell *> out;
            std::vector<bool> leads(cells_.size());
            for (bool has_changed = true; has_changed;) {
                has_changed = false;
                for (std::size_t i = cells_.size(); i-- > 0;) {
                    if (leads[i]) continue;
                    for (const Held &each : cells_[i]->kept.load()->handles)
                        if (is_end(*each.cell, cell, end) || std::find(out.begin(), out.end(), each.cell) != out.end()) {
                            out.push_back(cells_[i]);
                            leads[i] = has_changed = true;
                            break;
                        }
                }
            }
            return out;
        }

        static bool is_end(const Cell &each, const Cell &cell, const Cycle *end) noexcept {
            return end == nullptr ? &each == &cell : is_member(each, *end);
        }

    private:
        enum class Next { none, further, found };

        template <class Say>
        bool look(Say say) {
            std::size_t steps = 0;
            for (std::size_t i = 0; i < cells_.size(); ++i) {
                const KeptHandles &handles = cells_[i]->kept.load()->handles;
                for (std::size_t n = handles.size(); n-- > 0;) {  // what it began to keep last first
                    Cell *const each = handles[n].cell;
                    ++common->steps;
                    if (++steps > few) return false;
                    const Next next = say(*each);
                    if (next == Next::found) return has_found_ = true;
                    if (next == Next::further && std::find(cells_.begin(), cells_.end(), each) == cells_.end()) cells_.push_back(each);
                }
            }
            return true;
        }

        std::vector<Cell *> cells_;
        const Cycle *const within_;
        bool has_found_ = false;
    };

    /// Brings the cycles up to date, now that an object of which it is known keeps one more; false where that takes too many steps.
    WG_ONCE static bool has_followed(Cell &cell, KeptList &list, Cell &kept) WG_ELSEWHERE
#if WG_HAS_BODIES
    {
        Cycle *cycle = list.cycle;
        if (!is_known(*kept.kept.load()) && !Walk(few).run(kept)) return false;
        if (cycle != nullptr && is_member(kept, *cycle)) {
            ++kept.kept.load()->users_within;
            return true;
        }
        Reached reached(kept, nullptr);
        if (!reached.find_all(cell, cycle)) return false;
        const std::vector<Cell *> joining = reached.leading_to(cell, cycle);
        if (joining.empty()) return true;
        join_to(cycle, cell, joining);
        if (cycle != nullptr) ++kept.kept.load()->users_within;
        return true;
    }
#endif
    /// Makes objects members of a cycle, or of a new one with `cell`, where there is none.
    static void join_to(Cycle *cycle, Cell &cell, const std::vector<Cell *> &joining) {
        std::unique_ptr<Cycle> made;
        if (cycle == nullptr) {
            made = std::make_unique<Cycle>();
            cycle = made.get();
        }
        const std::size_t from = cycle->members.size();
        if (made != nullptr) cycle->members.push_back(&cell);
        cycle->members.insert(cycle->members.end(), joining.begin(), joining.end());
        static_cast<void>(made.release());  // its members have it from now on
        join(*cycle, from);
        for (std::size_t i = from; i < cycle->members.size(); ++i) count_users(*cycle->members[i], *cycle);
    }

    /// Whether something else than its members uses one of a cycle, once a user of `left` has left. It looks on from the one that was in use.
    static bool is_used(Cycle &cycle, const Cell &left) noexcept {
        for (std::size_t i = 0; i < cycle.members.size(); ++i) {
            const Cell &each = *cycle.members[cycle.used];
            ++common->steps;
            if (!each.users.is_closed() || users_without(each, left) > each.kept.load()->users_within) return true;
            cycle.used = (cycle.used + 1) % cycle.members.size();
        }
        return false;
    }
    /// The same of a few closed objects of which the cycle is not known: all of them, or none.
    static std::vector<Cell *> unused_among(std::vector<Cell *> members, const Cell &left) {
        const std::size_t walk = ++common->walks;
        std::vector<std::size_t> within(members.size());
        for (std::size_t i = 0; i < members.size(); ++i) {
            members[i]->kept.load()->walk = walk;
            members[i]->kept.load()->place = i;
        }
        for (const Cell *each : members)
            for (const Held &held : each->kept.load()->handles)
                if (const KeptList *const list = held.cell->kept.load(); list != nullptr && list->walk == walk) ++within[list->place];
        for (std::size_t i = 0; i < members.size(); ++i)
            if (users_without(*members[i], left) > within[i]) return {};
        return members;
    }
    static std::uintptr_t users_without(const Cell &cell, const Cell &left) noexcept { return cell.users.count() - (&cell == &left ? 1 : 0); }
};

}  // namespace wg

#endif  // WG_OWNERSHIP_CYCLES_HPP
