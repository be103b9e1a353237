// What values keep alive and lend, in lists; and the last user of a value, which releases it (wg/ownership/ownership.hpp).
// Static: the same for all packages. Included by generated C++ only.
#ifndef WG_OWNERSHIP_OWNER_LISTS_HPP
#define WG_OWNERSHIP_OWNER_LISTS_HPP

#include <algorithm>
#include <atomic>
#include <chrono>
#include <new>
#include <thread>
#include <unordered_set>
#include <utility>
#include <vector>

#include "wg/base/once.hpp"
#include "wg/ownership/dependent_lists.hpp"

namespace wg {

/// A lock that the thread that has it may lock again: wg/ownership/owner_locks.hpp.
struct OwnerLock {
    std::atomic<const void *> owner{nullptr};  // what stands for the thread that has it
    unsigned depth = 0;  // how often that has locked it
    std::atomic<unsigned> waiting{0};  // how many threads wait for it
};

struct Cycle;  // wg/ownership/cycles.hpp

/// What a value keeps alive, and what it lends.
struct KeptList {
    KeptHandles handles;
    Held owner;  // of what is lent: one of the handles
    bool is_ours = true;  // whether releasing the value drops it: its owner may do that
    Cell *value_owner = nullptr;  // one of the handles, closed and still in use, which drops it instead
    unsigned exports = 0;  // how many arrays use its memory
    LoanLists lends;
    Loan *loans = nullptr;  // the first by which it is lent
    Loan loan;  // one of these, where it has a lender
    std::atomic<bool> is_closing{false};  // the value is closed, and what it lends before it
    std::vector<Cell *> locks;  // what calls on the value have to lock: of a chain of handles, the first exclusive ones
    OwnerLock lock;
    KeptList *next = nullptr;  // while it waits to be released, or for a value
    const HandleType *type = nullptr;  // of the value, where the list may be spare after it

    // wg/ownership/cycles.hpp
    Cycle *cycle = nullptr;  // of which the value is a member
    std::size_t known_at = 0;  // the `Common::cycles_known` at which that was found
    std::size_t users_within = 0;  // how often members of the cycle keep the value
    std::size_t walk = 0, place = 0, lowest = 0;  // while cycles are found
};

inline void release(const Held &held) noexcept;
inline void leave(const Held held) noexcept;

/// One user more, who holds the cell too.
[[gnu::always_inline]] inline void hold(const Held &held) noexcept {
    if (held.type->has_gil) held.cell->users.hold_alone();
    else held.cell->users.hold();
    if (held.type->add_reference != nullptr) held.type->add_reference(*held.cell);
}
inline void let_go_of(const Held &held) noexcept;

/// A lock for a few instructions: in half the time of std::mutex where no other thread has it.
class ShortLock {
public:
    void lock() noexcept {
        if (is_locked_.exchange(true, std::memory_order_acquire)) wait();
    }
    void unlock() noexcept { is_locked_.store(false, std::memory_order_release); }

private:
    [[gnu::cold, gnu::noinline]] void wait() noexcept {
        for (int tries = 0; is_locked_.exchange(true, std::memory_order_acquire); ++tries) {
            if (tries < 100) std::this_thread::yield();
            else std::this_thread::sleep_for(std::chrono::microseconds(50));  // the thread that has it may have a lower priority
        }
    }

    std::atomic<bool> is_locked_{false};
};

struct Queue;  // wg/ownership/owner_locks.hpp

/// What packages have together whose objects keep each other alive.
struct Common {
    /// One thread at a time changes what values keep alive and lend. Nothing of the library's, and nothing of Python's, runs
    /// meanwhile.
    ShortLock kept_lock;
    /// Stands for what is gone before what it lent: where that keeps it alive, it does not keep that alive in turn.
    KeptList gone_lender;
    std::atomic<Queue *> queue{nullptr};
    /// Whether objects may ever have kept each other alive. What follows is under `kept_lock`: wg/ownership/cycles.hpp.
    std::atomic<bool> has_cycles{false};
    std::size_t cycles_known = 0;  // how often all that was known of cycles was forgotten
    std::size_t walks = 0;  // how often objects were looked at
    std::size_t steps = 0;  // at how many each time, all together
};
inline Common own_common;
/// The package's own, until it has that of a package that was imported before: then it has no objects yet.
inline Common *common = &own_common;

/// Has this one from now on; which one it has. Null is none.
inline Common *share(Common *others) noexcept { return others == nullptr ? common : common = others; }

class KeptLocked {
public:
    KeptLocked() noexcept { common->kept_lock.lock(); }
    /// Only where several threads may look at values of this type.
    explicit KeptLocked(const HandleType &type) noexcept : locks_(!is_alone(type)) {
        if (locks_) common->kept_lock.lock();
    }
    KeptLocked(const KeptLocked &) = delete;
    KeptLocked &operator=(const KeptLocked &) = delete;
    ~KeptLocked() {
        if (locks_) common->kept_lock.unlock();
    }

private:
    const bool locks_ = true;
};

/// Before a user leaves: whether closed objects may hold each other, so that each is used after that and none is.
inline bool may_end_cycle(const Cell &cell) noexcept {
    return common->has_cycles.load(std::memory_order_relaxed) && cell.users.is_closed() && cell.kept.load(std::memory_order_relaxed) != nullptr && cell.users.count() > 1;
}
bool leave_cycle(const Held &held) noexcept;  // wg/ownership/closed_cycles.hpp

inline void let_go_of(const Held &held) noexcept {
    const bool is_last = may_end_cycle(*held.cell) ? leave_cycle(held) : held.type->has_gil ? held.cell->users.leave_alone() : held.cell->users.leave();
    if (is_last) release(held);
    if (held.type->drop_reference != nullptr) held.type->drop_reference(*held.cell);
}

/// Before the list of a value is destroyed: nothing lends what it still lends.
inline void end_lending(KeptList &kept) noexcept {
    const HandleType *const lent = kept.lends.first_type();
    if (lent == nullptr) return;
    const KeptLocked locked(*lent);
    kept.lends.leave_to(common->gone_lender);
}

/// Removes a value that is being destroyed from what lends it.
inline void end_loans(KeptList *kept) noexcept {
    if (kept == nullptr || kept->loans == nullptr) return;
    const KeptLocked locked(*kept->loans->lent.type);
    for (Loan *loan = std::exchange(kept->loans, nullptr); loan != nullptr;) {
        if (loan->lender != &common->gone_lender) loan->lender->lends.remove(*loan);
        Loan *ended = std::exchange(loan, loan->further);
        if (ended != &kept->loan) delete ended;
    }
}

/// Lists that are gone, for new ones: a step from handle to handle takes one and ends one. Only where a thread is alone.
class SpareLists {
public:
    [[gnu::always_inline]] static KeptList *take(const HandleType &type) {
        KeptList *found = is_alone(type) ? first_ : nullptr;
        if (found == nullptr) return made(type);
        first_ = std::exchange(found->next, nullptr);
        --count_;
        found->type = &type;
        return found;
    }
    [[gnu::always_inline]] static void give_back(KeptList *kept) noexcept {
        if (kept->type == nullptr || !is_alone(*kept->type) || count_ == most) return end(kept);
        clear(*kept);
        kept->next = std::exchange(first_, kept);
        ++count_;
    }

private:
    [[gnu::cold, gnu::noinline]] static KeptList *made(const HandleType &type) {
        auto *const list = new KeptList;
        if (is_alone(type)) list->type = &type;
        return list;
    }
    /// As a new one. Most had an owner and a loan, and neither lent nor locked anything.
    [[gnu::always_inline]] static void clear(KeptList &kept) noexcept {
        if (kept.lends.has_lent() || !kept.locks.empty() || kept.handles.has_grown()) return make_anew(kept);
        kept.handles.clear();
        kept.owner = {};
        kept.is_ours = true;
        kept.value_owner = nullptr;
        kept.exports = 0;
        kept.loan.lender = nullptr;
        kept.is_closing.store(false, std::memory_order_relaxed);
        kept.known_at = kept.walk = 0;
    }
    [[gnu::noinline]] static void make_anew(KeptList &kept) noexcept {
        kept.~KeptList();
        new (&kept) KeptList;
    }
    [[gnu::cold, gnu::noinline]] static void end(KeptList *kept) noexcept { delete kept; }

#ifdef __SANITIZE_ADDRESS__
    static constexpr std::size_t most = 0;  // so that the sanitizer sees a use of one that is gone
#else
    static constexpr std::size_t most = 16;
#endif
    static inline KeptList *first_ = nullptr;
    static inline std::size_t count_ = 0;
};

/// What a thread is about to release.
struct LettingGo {
    KeptList *first = nullptr;
    bool is_running = false;

    /// One look for all of it.
    [[gnu::noinline, gnu::const]] static LettingGo &here() noexcept {
        static thread_local LettingGo lists;
        return lists;
    }
};

void forget_cycle(KeptList &kept) noexcept;  // wg/ownership/closed_cycles.hpp

/// Releases all that a value has kept alive, which may be the last user of more. A chain of handles may be long: what comes
/// up while this runs waits for it.
WG_ONCE void release_kept(KeptList *kept) noexcept WG_ELSEWHERE
#if WG_HAS_BODIES
{
    if (kept == nullptr) return;
    end_loans(kept);
    LettingGo &lists = LettingGo::here();
    kept->next = lists.first;
    lists.first = kept;
    if (lists.is_running) return;
    lists.is_running = true;
    while (lists.first != nullptr) {
        KeptList *current = lists.first;
        lists.first = current->next;
        for (const Held &each : current->handles) let_go_of(each);
        end_lending(*current);
        forget_cycle(*current);
        SpareLists::give_back(current);
    }
    lists.is_running = false;
}
#endif

[[gnu::noinline]] inline void release_with_kept(const Held &held, KeptList *kept) noexcept {
    end_loans(kept);
    held.type->release(*held.cell);
    release_kept(kept);
}

/// Releases a value without users, then what it has kept alive, which most have not.
inline void release(const Held &held) noexcept {
    if (KeptList *kept = held.cell->kept) release_with_kept(held, kept);
    else held.type->release(*held.cell);
}

/// One user more, unless the value is closed.
inline bool enter(const Held &held) noexcept {
    if (is_alone(*held.type) ? held.cell->users.enter_alone() : held.cell->users.enter()) return true;
    leave(held);
    return false;
}

/// The same of a value that is closed, and of the last user of one that another thread has closed meanwhile. What it is given is in registers.
[[gnu::noinline]] inline void leave_closed(const Held held) noexcept {
    const bool is_last = may_end_cycle(*held.cell) ? leave_cycle(held) : is_alone(*held.type) ? held.cell->users.leave_alone() : held.cell->users.leave();
    if (is_last) release(held);
}
[[gnu::cold, gnu::noinline]] inline void leave_last(const Held held) noexcept { release(held); }

/// One user less; the last one of a closed value releases it. In line, as the end of each call is: of what is open, that is a few instructions.
[[gnu::always_inline]] inline void leave(const Held held) noexcept {
    if (held.cell->users.is_closed()) return leave_closed(held);
    if (is_alone(*held.type) ? held.cell->users.leave_alone() : held.cell->users.leave()) leave_last(held);
}

/// No call enters any more; the value is released once its last user is done.
inline void close(const Held &held) noexcept {
    Users &users = held.cell->users;
    const bool alone = is_alone(*held.type);
    if (alone ? users.close_alone() : users.close()) return release(held);
    if (!common->has_cycles.load(std::memory_order_relaxed) || held.cell->kept.load(std::memory_order_relaxed) == nullptr) return;
    if (users.hold_unless_gone()) leave(held);  // which may end a cycle of closed objects
}

void follow_lost(Cell &object, const KeptHandles &gone) noexcept;  // wg/ownership/closed_cycles.hpp

/// Takes what `chosen` says from what an object keeps alive; nothing, where there is no memory for that.
template <class Chosen>
KeptHandles taken_from(Cell &object, Chosen chosen) noexcept {
    KeptHandles gone;
    try {
        const KeptLocked locked;
        if (object.kept == nullptr) return {};
        KeptHandles &all = object.kept.load()->handles;
        gone.reserve(all.size());
        all.erase(std::remove_if(all.begin(), all.end(), [&](const KeptHandle &each) {
            if (!chosen(each)) return false;
            gone.push_back(each);
            return true;
        }), all.end());
        follow_lost(object, gone);
        return gone;
    } catch (...) {
        return {};
    }
}

/// Releases what an object keeps alive and `chosen` says, which `end` does; without memory for that, it stays alive a little longer.
template <class Chosen, class End>
void let_go(Cell &object, Chosen chosen, End end) noexcept {
    const KeptHandles gone = taken_from(object, chosen);
    if (!gone.empty()) end(gone);
}
template <class Chosen>
void let_go(Cell &object, Chosen chosen) noexcept {
    let_go(object, chosen, [](const KeptHandles &gone) {
        for (const Held &each : gone) let_go_of(each);
    });
}

/// Whether what cells keep alive, where `goes_on` says so, leads from `first` to one that is found. Under `KeptLocked`.
template <class GoesOn, class IsFound>
bool leads_to(const Held &first, GoesOn goes_on, IsFound is_found) {
    constexpr std::size_t most = 1024;  // who closes a long chain is not to wait; a cycle as long as that stays alive
    std::vector<Held> waiting = {first};
    std::unordered_set<const Cell *> seen = {first.cell};
    while (!waiting.empty() && seen.size() < most) {
        const Held each = waiting.back();
        waiting.pop_back();
        if (is_found(each)) return true;
        const KeptList *kept = goes_on(*each.cell) ? each.cell->kept.load() : nullptr;
        if (kept == nullptr) continue;
        for (const Held &next : kept->handles)
            if (seen.insert(next.cell).second) waiting.push_back(next);
    }
    return false;
}

/// Whether what closed objects keep alive leads from `held` back to `object`: a cycle, which no release ends. Under `KeptLocked`.
inline bool leads_back(const Held &held, const Cell &object) {
    return leads_to(held, [](const Cell &cell) { return cell.users.is_closed(); },
                    [&object](const Held &each) { return each.cell == &object; });
}

/// Whether what an object keeps alive leads to something by which C++ calls Python; true where there is no memory to look.
inline bool keeps_called(const Held &object) noexcept {
    try {
        const KeptLocked locked;
        return leads_to(object, [](const Cell &) { return true; },
                        [&object](const Held &each) { return each.type->is_called && each.cell != object.cell; });
    } catch (const std::bad_alloc &) {
        return true;
    }
}

/// Counts the values of handles, where a library ends after the last one: specialised for its handle types.
template <class H>
struct Counted {
    static void add() noexcept {}
    static void remove() noexcept {}
};

}  // namespace wg

#include "wg/ownership/closed_cycles.hpp"

#endif  // WG_OWNERSHIP_OWNER_LISTS_HPP
