// Who owns a value, who uses it, and what it keeps alive: one mechanism for the C ABI and for CPython's objects.
// Static: the same for all packages. Included by generated C++ only.
//
// A `Cell` is part of what holds a value: of a block of memory (wg/ownership/handles.hpp), or of a Python object. A `HandleType` says
// what can be done with the value of a cell without its C++ type. No Python code runs here, but where
// `drop_reference` releases a Python object.
#ifndef WG_OWNERSHIP_OWNERSHIP_HPP
#define WG_OWNERSHIP_OWNERSHIP_HPP

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "wg/base/small_vector.hpp"

namespace wg {

/// Who uses a value, in one word: how many users there are (its owner, each call that entered, each handle that it is kept
/// alive for), whether it is closed (no call enters any more), whether it is gone (released, or taken), whether a thread decides
/// if it ends, whether there never was one, whether it is valid only while a callable is called, and whether a call has taken what it owns.
/// The one operation that leaves it closed and without users has to release the value.
class Users {
public:
    enum class Claim { taken, in_use, closed, not_owned };

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

    /// One user more of a value that may be closed, and may be in use by others all the same; false where it is released, or being that.
    bool hold_unless_gone() noexcept {
        if ((word_.fetch_add(user, std::memory_order_acquire) & gone) == 0) return true;  // who was about to release it leaves that to this user
        word_.fetch_sub(user, std::memory_order_relaxed);
        return false;
    }

    /// One user more of a value that is in use.
    void hold() noexcept { word_.fetch_add(user, std::memory_order_relaxed); }

    /// The same of a thread that keeps all others off.
    [[gnu::always_inline]] void hold_alone() noexcept { word_.store(word_.load(std::memory_order_relaxed) + user, std::memory_order_relaxed); }

    /// One user less; whether the caller has to release the value.
    bool leave() noexcept {
        const Word before = word_.fetch_sub(user, std::memory_order_acq_rel);
        if ((before & ~kinds) != (closed | user)) return false;
        Word unused = before - user;  // who enters now finds it closed, leaves, and is then the last one
        return word_.compare_exchange_strong(unused, unused | gone, std::memory_order_acq_rel);
    }

    /// The same of a thread that keeps all others off.
    [[gnu::always_inline]] bool leave_alone() noexcept {
        const Word before = word_.load(std::memory_order_relaxed);
        const bool is_last = (before & ~kinds) == (closed | user);
        word_.store((before - user) | (is_last ? gone : 0), std::memory_order_relaxed);
        return is_last;
    }

    /// The owner gives the value up, once; whether the caller has to release it.
    bool close() noexcept {
        Word before = word_.load(std::memory_order_relaxed);
        for (;;) {
            if ((before & closed) != 0) return false;
            const bool is_last = (before & ~kinds) == user;
            const Word after = (before - user) | closed | (is_last ? gone : 0);
            if (word_.compare_exchange_weak(before, after, std::memory_order_acq_rel)) return is_last;
        }
    }

    /// The same of a thread that keeps all others off.
    bool close_alone() noexcept {
        const Word before = word_.load(std::memory_order_relaxed);
        if ((before & closed) != 0) return false;
        const bool is_last = (before & ~kinds) == user;
        word_.store((before - user) | closed | (is_last ? gone : 0), std::memory_order_relaxed);
        return is_last;
    }

    /// The same where nothing else can reach the value any more.
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
    /// The same of a thread that keeps all others off.
    void end_with_call_alone() noexcept { word_.store(word_.load(std::memory_order_relaxed) | for_call, std::memory_order_relaxed); }
    bool ends_with_call() const noexcept { return (word_.load(std::memory_order_relaxed) & for_call) != 0; }

    void give_back() noexcept { word_.fetch_sub((closed | gone) - user, std::memory_order_release); }

    /// Takes what a closed value owns for a call that takes it by way of another cell, the only user; false where there are others.
    bool take_closed() noexcept {
        Word only_user = closed | user;
        return word_.compare_exchange_strong(only_user, closed | gone | user, std::memory_order_acq_rel) ||
               (only_user == (closed | user | for_call) &&
                word_.compare_exchange_strong(only_user, closed | gone | user | for_call, std::memory_order_acq_rel));
    }
    /// The call is over, and has taken it or not: that user is left.
    void leave_taken(bool is_taken) noexcept {
        if (is_taken) word_.fetch_or(emptied, std::memory_order_relaxed);
        word_.fetch_and(~gone, std::memory_order_release);
    }
    /// Whether a call has taken what the value owned: then nothing drops that.
    bool is_emptied() const noexcept { return (word_.load(std::memory_order_acquire) & emptied) != 0; }

    /// Of a value with one user more, who is about to close it: whether there are at most `most` besides its owner. Who enters
    /// from now on waits until that is decided.
    bool begin_decision(std::uintptr_t most) noexcept {
        const Word before = word_.fetch_or(ending, std::memory_order_acq_rel);
        return before / user <= most + ((before & closed) == 0 ? 1 : 0);
    }
    void end_decision() noexcept { word_.fetch_and(~ending, std::memory_order_release); }

private:
    using Word = std::uintptr_t;
    static constexpr Word closed = 1, gone = 2, ending = 4, making = 8, fresh = 16, for_call = 32, emptied = 64, user = 128;
    static constexpr Word kinds = for_call | emptied;  // which say nothing of its users

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

/// A cell without an owner: its only user is who makes it, and it ends with the last one.
struct UsedCell : Cell {
    UsedCell() noexcept {
        users.open();
        users.hold();
        static_cast<void>(users.close());
    }
};

struct HandleType;
struct Held;
class Owners;

/// How a value is seen as one of a type that its own extends.
struct Upcast {
    const HandleType *to;
    /// What a call sees: made in `room`, or part of the value.
    void *(*see)(Cell &cell, void *room);
    /// Ends the value when a call has taken its object by what it saw.
    void (*end_taken)(Cell &cell) noexcept;
};

class Waited;  // wg/callbacks/waiting_calls.hpp

/// What can be done with a value without its C++ type.
struct HandleType {
    /// Does what releasing does, and ends the value; the cell's memory too, where that lives as long as there are users. Else
    /// the cell keeps nothing alive from then on: its caller releases that.
    void (*release)(Cell &) noexcept;
    /// Where it does not: one reference more, or less, to what the cell lies in.
    void (*add_reference)(Cell &) noexcept = nullptr;
    void (*drop_reference)(Cell &) noexcept = nullptr;
    /// Whether a call on one of its handles keeps others off that, and off what the handle was made from.
    bool is_exclusive = false;
    /// Whether calls on its handles lock their owners, because others of these let other threads run meanwhile.
    bool is_locked_by_calls = false;
    /// To all types that it extends, the nearest first.
    const Upcast *upcasts = nullptr;
    std::size_t upcast_count = 0;
    /// The type of the owners that lend its values; null where none does.
    const HandleType *lender = nullptr;
    /// Whether its values know what they lend, so that a call can end that.
    bool knows_lent = false;
    /// Where a cell lies in something that has references: one more, unless that is being destroyed; and what makes that possible.
    bool (*try_reference)(Cell &) noexcept = nullptr;
    void (*allow_try_reference)(Cell &) noexcept = nullptr;
    /// The Python object that the collector of cycles finds in the place of a cell; null where it need not know.
    void *(*visited)(Cell &) noexcept = nullptr;
    /// Whether references to what a cell lies in are only counted by a thread that has the GIL.
    bool has_gil = false;
    /// Attaches what keeps a result alive that may have been there before; null where all results are new (wg/ownership/identity.hpp).
    void (*attach)(const Owners &owners, const Held &made) = nullptr;
    /// What keeps the Python object alive that C++ calls, where the cell does not lie in that; null where there is none (wg/callbacks/overrides.hpp).
    std::shared_ptr<void> (*python)(Cell &) = nullptr;
    /// Whether C++ calls Python by way of a value: what keeps that alive may do so in its end.
    bool is_called = false;
    /// What a call says that would end a value that is still needed; null where no call names it.
    const char *still_needed = nullptr;
    /// Where calls wait for a value whose methods Python overrides: null where it is none (wg/callbacks/waiting_calls.hpp).
    std::shared_ptr<Waited> (*waited)(Cell &) = nullptr;
    /// Ends what C++ calls and what an object only knows of; null where there is nothing to end (wg/callbacks/held_callables.hpp).
    void (*end)(Cell &) noexcept = nullptr;
    /// Whether it is no object, but an argument that something keeps alive: nothing closes it.
    bool is_argument = false;
    /// Whether a call of its own package can end a value whose owner is another package's: that one does not say so by `knows_lent`.
    bool is_told_to_lender = false;
};

constexpr HandleType type_of_argument(void (*release)(Cell &) noexcept) {
    HandleType out{release};
    out.is_argument = true;
    return out;
}

/// Whether a call may end in a thread that has no GIL: at the interpreter's end, where CPython unwinds the threads that ask for it.
/// Before that, a package with callables knows that it is not so.
inline std::atomic<bool> may_unwind{true};

/// Whether no other thread looks at values of a type, or at what they keep alive and lend, while a thread does.
inline bool is_alone(const HandleType &type) noexcept { return type.has_gil && !may_unwind.load(std::memory_order_relaxed); }

/// How a value of `own` is seen as one of `wanted`; null where `own` does not extend that.
inline const Upcast *upcast(const HandleType &own, const HandleType &wanted) {
    for (std::size_t i = 0; i < own.upcast_count; ++i)
        if (own.upcasts[i].to == &wanted) return &own.upcasts[i];
    return nullptr;
}

/// Whether a value of `own` is one of `wanted`.
inline bool is_a(const HandleType &own, const HandleType &wanted) { return &own == &wanted || upcast(own, wanted) != nullptr; }

/// Whether values of a type are lent by others of it, or own themselves.
inline bool owns_itself(const HandleType &type) { return type.lender != nullptr && is_a(type, *type.lender); }

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

}  // namespace wg

#endif  // WG_OWNERSHIP_OWNERSHIP_HPP
