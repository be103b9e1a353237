// Handles that callables are called with: valid for that call, as is what is reached from them and has no owner.
// Static: the same for all packages. Included by generated C++ only, where callables have such arguments.
#ifndef WG_CALLBACKS_BORROWED_ARGUMENTS_HPP
#define WG_CALLBACKS_BORROWED_ARGUMENTS_HPP

#include "wg/base/small_vector.hpp"
#include "wg/ownership/dependents.hpp"
#include "wg/callbacks/running.hpp"

namespace wg {

/// Closes them when the call is over. What only points to something is not released.
class LentHandles {
public:
    explicit LentHandles(const Target *callable) noexcept : calls_(CallsOfThread::here()), callable_(callable), previous_(calls_.lent) { calls_.lent = this; }
    LentHandles(const LentHandles &) = delete;
    LentHandles &operator=(const LentHandles &) = delete;
    ~LentHandles() {
        calls_.lent = previous_;
        for (const Lent &each : lent_) {
            if (lends(*each.held.cell)) close_lent(each.held);
            if (each.forget != nullptr) each.forget(each.value);
            close(each.held);
            leave(each.held);
            if (each.held.type->drop_reference != nullptr) each.held.type->drop_reference(*each.held.cell);
        }
    }

    /// Its owner is that of the call that was passed the callable; in later calls there is none. `attach` lets a handle keep its owner alive.
    template <class H, class Attach>
    [[gnu::always_inline]] void add(const Held &held, H &value, Attach &&attach) {
        lent_.reserve(lent_.size() + 1);
        if constexpr (!std::is_void_v<typename LentBy<H>::type>) {
            const Running *running = Running::of(callable_);
            const Held owner = running == nullptr ? Held() : running->owner_for(*held.type->lender);
            if (owner.cell != nullptr) attach(held, owner);
        }
        if (is_alone(*held.type)) held.cell->users.end_with_call_alone();
        else held.cell->users.end_with_call();
        lent_.push_back({held, &value, forgetting<H>()});
        hold(held);
    }

private:
    struct Lent {
        Held held;
        void *value;
        void (*forget)(void *);
    };

    /// Whether something that was reached from it may have to end with it.
    static bool lends(const Cell &cell) noexcept {
        const KeptList *const kept = cell.kept.load(std::memory_order_acquire);
        return kept != nullptr && kept->lends.has_lent();
    }

    template <class H>
    static auto forgetting() -> void (*)(void *) {
        if constexpr (std::is_pointer_v<decltype(H::inner)>)
            return [](void *value) { static_cast<H *>(value)->inner = nullptr; };
        else
            return nullptr;
    }

    CallsOfThread &calls_;
    const Target *const callable_;
    LentHandles *const previous_;
    Few<Lent, 2> lent_;
};

template <class H>
void lend_for_call(const Held &held, H &value) {
    lend_for_call(held, value, [](const Held &made, const Held &owner) { SoleLender(owner).attach_to(made); });
}
template <class H, class Attach>
void lend_for_call(const Held &held, H &value, Attach &&attach) {
    CallsOfThread::here().lent->add(held, value, attach);
}

}  // namespace wg

#endif  // WG_CALLBACKS_BORROWED_ARGUMENTS_HPP
