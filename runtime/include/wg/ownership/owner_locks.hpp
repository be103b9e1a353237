// One call at a time on an owner and on all that it lends, where calls let other threads run meanwhile.
// Static: the same for all packages. Included by generated C++ only, where a spec has such calls.
//
// A thread that waits has no GIL: else the thread that has the lock could not go on. It waits in a queue, and the lock is handed to the
// first one of that. Where waiting would last for ever, because the other thread waits for a lock of this one, the call fails.
#ifndef WG_OWNERSHIP_OWNER_LOCKS_HPP
#define WG_OWNERSHIP_OWNER_LOCKS_HPP

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <mutex>

#include "wg/base/once.hpp"
#include "wg/ownership/handles.hpp"
#include "wg/base/waiting.hpp"

namespace wg {

/// Why a call cannot have a lock.
struct NoLock : Own<std::runtime_error> {
    using Own::Own;
};

/// The interpreter ends, and with it, maybe, the thread that has the lock.
struct NoLockAtExit : NoLock {
    NoLockAtExit() : NoLock("the interpreter ends, and another thread still uses this handle") {}
};

/// A thread in the queue for a lock.
struct Waiting {
    const void *thread;
    OwnerLock *lock;
    bool has_lock = false, is_circular = false;

    void wait();
};

/// All threads that wait, the first ones first; what the mutex keeps others off.
struct Queue {
    std::mutex mutex;
    std::condition_variable changed;
    std::vector<Waiting *> waiting;

    static Queue &here() {
        Queue *queue = common->queue.load(std::memory_order_acquire);
        if (queue != nullptr) return *queue;
        auto *const made = new Queue;  // threads may wait until the process is gone
        if (common->queue.compare_exchange_strong(queue, made)) return *made;
        delete made;
        return *queue;
    }

    /// Whether the thread that has a lock waits for another one, and so on up to `thread`.
    WG_ONCE bool leads_to(const void *thread, const OwnerLock &lock) const WG_ELSEWHERE
#if WG_HAS_BODIES
    {
        const void *owner = lock.owner;
        for (std::size_t steps = 0; owner != thread && steps <= waiting.size(); ++steps) {
            const auto found = std::find_if(waiting.begin(), waiting.end(), [owner](const Waiting *each) { return each->thread == owner; });
            if (found == waiting.end()) return false;
            owner = (*found)->lock->owner;
        }
        return owner == thread;
    }
#endif
};

/// An address that is this thread's only, and the same in all packages.
inline const void *this_thread() noexcept { return &errno; }

inline bool try_lock(OwnerLock &lock, const void *thread) noexcept {
    const void *unlocked = nullptr;
    return lock.owner.compare_exchange_strong(unlocked, thread);
}

/// Waits for the lock: without the GIL.
#if WG_HAS_BODIES
WG_ONCE void Waiting::wait() {
    Queue &queue = Queue::here();
    std::unique_lock<std::mutex> locked(queue.mutex);
    queue.waiting.push_back(this);
    ++lock->waiting;
    // A thread that unlocked before this one waited has left the lock free.
    has_lock = try_lock(*lock, thread);
    while (!has_lock && !(is_circular = queue.leads_to(thread, *lock))) queue.changed.wait(locked);
    --lock->waiting;
    queue.waiting.erase(std::find(queue.waiting.begin(), queue.waiting.end(), this));
}
#endif

[[gnu::cold, gnu::noinline]] WG_ONCE void lock_slowly(OwnerLock &lock, const void *thread) WG_ELSEWHERE
#if WG_HAS_BODIES
{
    Waiting own{thread, &lock};
    const auto wait = [](void *of) { static_cast<Waiting *>(of)->wait(); };
    const RunWaiting run = run_waiting;
    if (run == nullptr) wait(&own);
    else if (!run(wait, &own)) throw NoLockAtExit();
    if (own.is_circular) throw NoLock("deadlock: another thread uses this handle, and waits for one that this thread uses");
}
#endif

inline void lock(OwnerLock &lock) {
    const void *thread = this_thread();
    if (lock.owner != thread && !try_lock(lock, thread)) lock_slowly(lock, thread);
    ++lock.depth;
}

[[gnu::cold, gnu::noinline]] WG_ONCE void hand_over(OwnerLock &lock) noexcept WG_ELSEWHERE
#if WG_HAS_BODIES
{
    Queue &queue = Queue::here();
    const std::lock_guard<std::mutex> locked(queue.mutex);
    for (Waiting *each : queue.waiting) {
        if (each->lock != &lock || each->has_lock) continue;
        each->has_lock = try_lock(lock, each->thread);
        break;
    }
    queue.changed.notify_all();
}
#endif

inline void unlock(OwnerLock &lock) noexcept {
    if (--lock.depth != 0) return;
    lock.owner = nullptr;
    if (lock.waiting != 0) hand_over(lock);
}

/// Keeps other calls off what several handles have to lock, for as long as it lives.
class OwnerLocks {
public:
    /// Of all handles among the arguments of a call, which keeps them alive; or what a value keeps alive.
    template <class... A>
    explicit OwnerLocks(const A &...arguments) {
        (collect(arguments), ...);
        lock_all();
    }
    OwnerLocks(const OwnerLocks &) = delete;
    OwnerLocks &operator=(const OwnerLocks &) = delete;
    ~OwnerLocks() { unlock_all(); }

    void add(const Held &held) {
        if (held.cell == nullptr || !held.type->is_locked_by_calls) return;
        const KeptList *kept = held.cell->kept;
        if (kept == nullptr || kept->locks.empty()) add(lock_of(*held.cell));
        else add(kept);
    }
    void add(const HeldList &several) {
        for (const Held &each : several) add(each);
    }
    void add(const KeptList *kept) {
        if (kept == nullptr) return;
        for (Cell *each : kept->locks) {
            add(lock_of(*each));
            const Held above = owner_of(*each);  // what owned itself belongs to that now
            if (above.cell != nullptr && above.type->is_locked_by_calls && owns_itself(*above.type)) add(lock_of(*above.cell));
        }
    }

private:
    template <class A>
    auto collect(const A &argument) -> decltype(argument.add_to(*this)) {
        argument.add_to(*this);
    }
    void collect(const Held &held) { add(held); }
    void collect(const HeldList &several) { add(several); }
    void collect(const KeptList *kept) { add(kept); }

    void add(OwnerLock &lock) {
        if (first_ == nullptr) first_ = &lock;
        else if (&lock != first_) further_.push_back(&lock);
    }

    WG_ONCE static OwnerLock &lock_of(Cell &cell) WG_ELSEWHERE
#if WG_HAS_BODIES
    {
        if (KeptList *kept = cell.kept) return kept->lock;
        const KeptLocked locked;
        KeptList *kept = cell.kept;
        if (kept == nullptr) cell.kept = kept = new KeptList;
        return kept->lock;
    }
#endif

    /// In one order for all threads, each once.
    WG_ONCE void lock_all() WG_ELSEWHERE
#if WG_HAS_BODIES
    {
        if (first_ == nullptr) return;
        if (!further_.empty()) {
            further_.push_back(first_);
            std::sort(further_.begin(), further_.end());
            further_.erase(std::unique(further_.begin(), further_.end()), further_.end());
            first_ = further_.front();
            further_.erase(further_.begin());
        }
        try {
            lock(*first_);
            ++count_;
            for (OwnerLock *each : further_) lock(*each), ++count_;
        } catch (...) {
            unlock_all();
            throw;
        }
    }
#endif
    void unlock_all() noexcept {
        for (; count_ > 1; --count_) unlock(*further_[count_ - 2]);
        if (count_ > 0) unlock(*first_);
        count_ = 0;
    }

    OwnerLock *first_ = nullptr;
    std::vector<OwnerLock *> further_;
    std::size_t count_ = 0;  // of those that it has
};

/// The same for the end of a value, which cannot fail: to end it is a call on what it was made from.
class EndLocks {
public:
    explicit EndLocks(const KeptList *kept) noexcept {
        try {
            locks_.emplace(kept);
        } catch (const NoLockAtExit &) {
            may_end_ = false;
        } catch (...) {  // the thread that has the lock waits for this one, and does nothing meanwhile; or there is no memory
        }
    }
    /// Else the value stays as it is: another thread may be using its owner until the process is gone.
    bool may_end() const { return may_end_; }

private:
    std::optional<OwnerLocks> locks_;
    bool may_end_ = true;
};

}  // namespace wg

#endif  // WG_OWNERSHIP_OWNER_LOCKS_HPP
