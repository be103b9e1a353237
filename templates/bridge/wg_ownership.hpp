// Who owns a value, who uses it, and what it keeps alive: one mechanism for the C ABI and for CPython's objects.
// Static: the same for all packages. Included by generated C++ only.
//
// A `Cell` is part of what holds a value: of a block of memory (wg_handles.hpp), or of a Python object. A `HandleType` says
// what can be done with the value of a cell without its C++ type. No Python code runs here, but where
// `drop_reference` lets go of a Python object.
#ifndef WG_OWNERSHIP_HPP
#define WG_OWNERSHIP_HPP

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <new>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "wg_few.hpp"

namespace wg {

/// Who uses a value, in one word: how many users there are (its owner, each call that entered, each handle that it is kept
/// alive for), whether it is closed (nobody enters any more), whether it is gone (released, or taken), whether somebody decides
/// if it ends, whether there never was one, and whether it is valid only while a callable is called.
/// The one operation that leaves it closed and without users has to release the value.
class Users {
public:
    enum class Claim { taken, in_use, closed };

    /// Of a new value: its owner.
    void open() noexcept { word_.store(user, std::memory_order_relaxed); }

    /// Of a cell that never had a value, of a thread that is about to make one there; false where another does, or there is or
    /// was a value: a call that takes that, or what releases it, may still be at work on it.
    bool begin() noexcept {
        Word now = word_.load(std::memory_order_relaxed);
        do {
            if ((now & (fresh | making)) != fresh) return false;
        } while (!word_.compare_exchange_weak(now, now | making, std::memory_order_acq_rel));
        return true;
    }
    /// The value is there.
    void begun() noexcept { word_.fetch_add(user - (closed | gone | fresh | making), std::memory_order_release); }
    /// There is none after all.
    void give_up() noexcept { word_.fetch_and(~making, std::memory_order_release); }

    /// How many there are.
    std::uintptr_t count() const noexcept { return word_.load(std::memory_order_acquire) / user; }

    bool is_closed() const noexcept { return (word_.load(std::memory_order_acquire) & closed) != 0; }
    bool is_gone() const noexcept { return (word_.load(std::memory_order_acquire) & gone) != 0; }

    /// One user more. False for a closed value: then there was one more for a moment, and the caller has to `leave`.
    bool enter() noexcept {
        return (word_.fetch_add(user, std::memory_order_acquire) & (closed | ending)) == 0 || enter_after_decision();
    }

    /// The same of a thread that keeps all others off, as one that has the GIL does: in half the time.
    bool enter_alone() noexcept {
        const Word before = word_.load(std::memory_order_relaxed);
        if ((before & (closed | ending)) != 0) return enter();
        word_.store(before + user, std::memory_order_relaxed);
        return true;
    }

    /// One user more of a value that is in use.
    void hold() noexcept { word_.fetch_add(user, std::memory_order_relaxed); }

    /// The same of a thread that keeps all others off.
    void hold_alone() noexcept { word_.store(word_.load(std::memory_order_relaxed) + user, std::memory_order_relaxed); }

    /// One user less; whether the caller has to release the value.
    bool leave() noexcept {
        const Word before = word_.fetch_sub(user, std::memory_order_acq_rel);
        if ((before & ~for_call) != (closed | user)) return false;
        Word unused = before - user;  // who enters now finds it closed, leaves, and is then the last one
        return word_.compare_exchange_strong(unused, unused | gone, std::memory_order_acq_rel);
    }

    /// The same of a thread that keeps all others off.
    bool leave_alone() noexcept {
        const Word before = word_.load(std::memory_order_relaxed);
        const bool is_last = (before & ~for_call) == (closed | user);
        word_.store((before - user) | (is_last ? gone : 0), std::memory_order_relaxed);
        return is_last;
    }

    /// The owner gives the value up, once; whether the caller has to release it.
    bool close() noexcept {
        Word before = word_.load(std::memory_order_relaxed);
        for (;;) {
            if ((before & closed) != 0) return false;
            const bool is_last = (before & ~for_call) == user;
            const Word after = (before - user) | closed | (is_last ? gone : 0);
            if (word_.compare_exchange_weak(before, after, std::memory_order_acq_rel)) return is_last;
        }
    }

    /// The same where nobody else can reach the value any more.
    bool end() noexcept {
        if ((word_.load(std::memory_order_acquire) & closed) != 0) return false;
        word_.store(closed | gone, std::memory_order_relaxed);
        return true;
    }

    /// Takes the value out, if the owner is its only user.
    Claim take() noexcept {
        Word only_owner = user;
        if (word_.compare_exchange_strong(only_owner, closed | gone, std::memory_order_acq_rel)) return Claim::taken;
        const bool is_taken = only_owner == (user | for_call) &&
                              word_.compare_exchange_strong(only_owner, closed | gone | for_call, std::memory_order_acq_rel);
        if (is_taken) return Claim::taken;
        return (only_owner & closed) != 0 ? Claim::closed : Claim::in_use;
    }

    /// It is not used after a callable's call, which it, or what it came from, was an argument of.
    void end_with_call() noexcept { word_.fetch_or(for_call, std::memory_order_relaxed); }
    bool ends_with_call() const noexcept { return (word_.load(std::memory_order_relaxed) & for_call) != 0; }

    void give_back() noexcept { word_.fetch_sub((closed | gone) - user, std::memory_order_release); }

    /// Of a value with one user more, who is about to close it: whether there are at most `most` besides its owner. Who enters
    /// from now on waits until that is decided.
    bool begin_decision(std::uintptr_t most) noexcept {
        const Word before = word_.fetch_or(ending, std::memory_order_acq_rel);
        return before / user <= most + ((before & closed) == 0 ? 1 : 0);
    }
    void end_decision() noexcept { word_.fetch_and(~ending, std::memory_order_release); }

private:
    using Word = std::uintptr_t;
    static constexpr Word closed = 1, gone = 2, ending = 4, making = 8, fresh = 16, for_call = 32, user = 64;

    [[gnu::cold, gnu::noinline]] bool enter_after_decision() noexcept {
        Word now;
        while (((now = word_.load(std::memory_order_acquire)) & ending) != 0) std::this_thread::yield();
        return (now & closed) == 0;
    }

    std::atomic<Word> word_{closed | gone | fresh};
};

struct KeptList;

/// What is in everything that holds a value.
struct Cell {
    std::atomic<KeptList *> kept{nullptr};
    Users users;
};

struct HandleType;

/// How a value is seen as one of a type that its own extends.
struct Upcast {
    const HandleType *to;
    /// What a call sees: made in `room`, or part of the value.
    void *(*see)(Cell &cell, void *room);
    /// Ends the value when a call has taken its object by what it saw.
    void (*end_taken)(Cell &cell) noexcept;
};

/// What can be done with a value without its C++ type.
struct HandleType {
    /// Does what releasing does, and ends the value; the cell's memory too, where that lives as long as there are users. Else
    /// the cell keeps nothing alive from then on: its caller lets go of that.
    void (*release)(Cell &) noexcept;
    /// Where it does not: one reference more, or less, to what the cell lies in.
    void (*add_reference)(Cell &) noexcept = nullptr;
    void (*drop_reference)(Cell &) noexcept = nullptr;
    /// Whether a call on one of its handles keeps others off that, and off what the handle was made from.
    bool is_exclusive = false;
    /// Whether calls on its handles lock their owners, because others of these let other threads run meanwhile.
    bool is_contended = false;
    /// To all types that it extends, the nearest first.
    const Upcast *upcasts = nullptr;
    std::size_t upcast_count = 0;
    /// The type of the owners that lend its values; null where none does.
    const HandleType *lender = nullptr;
    /// Whether its values know what they lend, so that a call can end that.
    bool is_tracking = false;
    /// Where a cell lies in something that has references: one more, unless that is going already; and what makes that possible.
    bool (*try_reference)(Cell &) noexcept = nullptr;
    void (*allow_try_reference)(Cell &) noexcept = nullptr;
    /// The Python object that the collector of cycles finds in the place of a cell; null where it need not know.
    void *(*visited)(Cell &) noexcept = nullptr;
    /// Whether references to what a cell lies in are only counted by a thread that has the GIL.
    bool has_gil = false;
};

/// Whether a call may end in a thread that has no GIL: at the interpreter's end, where CPython unwinds the threads that ask for it.
/// Before that, a package with callables knows that it is not so.
inline std::atomic<bool> may_unwind{true};

/// Whether nobody else looks at values of a type, or at what they keep alive and lend, while a thread does.
inline bool is_alone(const HandleType &type) noexcept { return type.has_gil && !may_unwind.load(std::memory_order_relaxed); }

/// How a value of `own` is seen as one of `wanted`; null where `own` does not extend that.
inline const Upcast *upcast(const HandleType &own, const HandleType &wanted) {
    for (std::size_t i = 0; i < own.upcast_count; ++i)
        if (own.upcasts[i].to == &wanted) return &own.upcasts[i];
    return nullptr;
}

/// Whether a value of `own` is one of `wanted`.
inline bool is_a(const HandleType &own, const HandleType &wanted) { return &own == &wanted || upcast(own, wanted) != nullptr; }

/// A cell with the type of its value.
struct Held {
    Cell *cell = nullptr;
    const HandleType *type = nullptr;
};
using HeldList = Few<Held, 2>;

/// What an object holds, by which entry of the spec; 0 of what it keeps alive for as long as it lives.
struct KeptHandle : Held {
    unsigned entry = 0;
};
using KeptHandles = Few<KeptHandle, 1>;

struct KeptList;

/// That one value is lent by another, for as long as it lives or until a call ends that.
struct Loan {
    Held lent;
    unsigned entry = 0;  // of the spec, where a call ends what that lends; 0 where it is lent by its owner
    KeptList *lender = nullptr;
    Loan *previous = nullptr, *next = nullptr;  // of the same lender
    Loan *further = nullptr;  // of the same value
};

/// A lock that the thread that has it may lock again: wg_owner_locks.hpp.
struct OwnerLock {
    std::atomic<const void *> owner{nullptr};  // what stands for the thread that has it
    std::size_t depth = 0;  // how often that has locked it
    std::atomic<std::size_t> waiting{0};  // how many threads wait for it
};

/// What a value keeps alive, and what it lends.
struct KeptList {
    KeptHandles handles;
    Held owner;  // of what is lent: one of the handles
    bool is_ours = true;  // whether releasing the value drops it: its owner may do that
    Loan *lends = nullptr;  // the first of what it lends
    Loan *loans = nullptr;  // the first by which it is lent
    Loan loan;  // one of these, where it has a lender
    std::size_t exports = 0;  // how many arrays use its memory
    std::vector<Cell *> locks;  // what calls on the value have to lock: of a chain of handles, the first exclusive ones
    OwnerLock lock;
    KeptList *next = nullptr;  // while it waits to be let go of, or for a value
    const HandleType *type = nullptr;  // of the value, where the list may be spare after it
};

inline void release(const Held &held) noexcept;
inline void leave(const Held &held) noexcept;

/// One user more, who holds the cell too.
inline void hold(const Held &held) noexcept {
    if (held.type->has_gil) held.cell->users.hold_alone();
    else held.cell->users.hold();
    if (held.type->add_reference != nullptr) held.type->add_reference(*held.cell);
}
inline void let_go_of(const Held &held) noexcept {
    if (held.type->has_gil ? held.cell->users.leave_alone() : held.cell->users.leave()) release(held);
    if (held.type->drop_reference != nullptr) held.type->drop_reference(*held.cell);
}

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
            else std::this_thread::sleep_for(std::chrono::microseconds(50));  // whoever has it may be less urgent
        }
    }

    std::atomic<bool> is_locked_{false};
};

/// Keeps threads off what values keep alive and lend while that changes. Nothing of the library's, and nothing of Python's, runs
/// meanwhile.
inline ShortLock kept_lock;

class KeptLocked {
public:
    KeptLocked() noexcept { kept_lock.lock(); }
    /// Only where several threads may look at values of this type.
    explicit KeptLocked(const HandleType &type) noexcept : locks_(!is_alone(type)) {
        if (locks_) kept_lock.lock();
    }
    KeptLocked(const KeptLocked &) = delete;
    KeptLocked &operator=(const KeptLocked &) = delete;
    ~KeptLocked() {
        if (locks_) kept_lock.unlock();
    }

private:
    const bool locks_ = true;
};

/// Forgets by whom a value is lent, which is going.
inline void end_loans(KeptList *kept) noexcept {
    if (kept == nullptr || kept->loans == nullptr) return;
    const KeptLocked locked(*kept->loans->lent.type);
    for (Loan *loan = std::exchange(kept->loans, nullptr); loan != nullptr;) {
        (loan->previous == nullptr ? loan->lender->lends : loan->previous->next) = loan->next;
        if (loan->next != nullptr) loan->next->previous = loan->previous;
        Loan *ended = std::exchange(loan, loan->further);
        if (ended != &kept->loan) delete ended;
    }
}

/// Lists that are gone, for new ones: a step from handle to handle takes one and ends one. Only where a thread is alone.
class SpareLists {
public:
    static KeptList *take(const HandleType &type) {
        if (!is_alone(type)) return new KeptList;
        KeptList *found = first_;
        if (found == nullptr) {
            found = new KeptList;
        } else {
            first_ = std::exchange(found->next, nullptr);
            --count_;
        }
        found->type = &type;
        return found;
    }
    static void give_back(KeptList *kept) noexcept {
        if (kept->type == nullptr || !is_alone(*kept->type) || count_ == most) {
            delete kept;
            return;
        }
        kept->~KeptList();
        new (kept) KeptList;
        kept->next = std::exchange(first_, kept);
        ++count_;
    }

private:
#ifdef __SANITIZE_ADDRESS__
    static constexpr std::size_t most = 0;  // who uses one that is gone is found out
#else
    static constexpr std::size_t most = 16;
#endif
    static inline KeptList *first_ = nullptr;
    static inline std::size_t count_ = 0;
};

/// What a thread is about to let go of.
struct LettingGo {
    KeptList *first = nullptr;
    bool is_running = false;

    /// One look for all of it.
    [[gnu::noinline, gnu::const]] static LettingGo &here() noexcept {
        static thread_local LettingGo lists;
        return lists;
    }
};

/// Lets go of all that a value has kept alive, which may be the last user of more. A chain of handles may be long: what comes
/// up while this runs waits for it.
inline void release_kept(KeptList *kept) noexcept {
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
        SpareLists::give_back(current);
    }
    lists.is_running = false;
}

/// Releases a value without users, then what it has kept alive.
inline void release(const Held &held) noexcept {
    KeptList *kept = held.cell->kept;
    end_loans(kept);
    held.type->release(*held.cell);
    release_kept(kept);
}

/// One user more, unless the value is closed.
inline bool enter(const Held &held) noexcept {
    if (is_alone(*held.type) ? held.cell->users.enter_alone() : held.cell->users.enter()) return true;
    leave(held);
    return false;
}

/// One user less; the last one of a closed value releases it.
inline void leave(const Held &held) noexcept {
    if (is_alone(*held.type) ? held.cell->users.leave_alone() : held.cell->users.leave()) release(held);
}

/// No call enters any more; the value is released once its last user is done.
inline void close(const Held &held) noexcept {
    if (held.cell->users.close()) release(held);
}

/// Lets go of what an object keeps alive and `chosen` says; without memory for that, it keeps it a little longer.
template <class Chosen>
void let_go(Cell &object, Chosen chosen) noexcept {
    KeptHandles gone;
    try {
        const KeptLocked locked;
        if (object.kept == nullptr) return;
        KeptHandles &all = object.kept.load()->handles;
        gone.reserve(all.size());
        all.erase(std::remove_if(all.begin(), all.end(), [&](const KeptHandle &each) {
            if (!chosen(each)) return false;
            gone.push_back(each);
            return true;
        }), all.end());
    } catch (...) {
        return;
    }
    for (const Held &each : gone) let_go_of(each);
}

/// Counts the values of handles, where a library ends after the last one: specialised for its handle types.
template <class H>
struct Counted {
    static void add() noexcept {}
    static void remove() noexcept {}
};

/// A handle that a call takes. It stays where it is until the spec's code is given it, and is consumed from then on.
template <class H>
class Taken {
public:
    explicit Taken(H &value) : value_(value) {}

    H &consume() noexcept {
        is_consumed_ = true;
        return value_;
    }
    bool is_consumed() const { return is_consumed_; }

    /// The call has failed before the library had it.
    void give_back() noexcept {
        static_assert(std::is_trivially_copyable_v<decltype(H::inner)>,
                      "wrapper-gen: `owned_on_failure: true` is for handles that hold a pointer, or another value of C: any other object is moved into the call");
        is_consumed_ = false;
    }

private:
    H &value_;
    bool is_consumed_ = false;
};

}  // namespace wg

#endif  // WG_OWNERSHIP_HPP
