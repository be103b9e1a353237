// Handles that callables are called with: valid for that call, as is what is reached from them and has no owner.
// Static: the same for all packages. Included by generated C++ only, where callables have such arguments.
#ifndef WG_CALLBACKS_BORROWED_ARGUMENTS_HPP
#define WG_CALLBACKS_BORROWED_ARGUMENTS_HPP

#include "wg/ownership/dependents.hpp"
#include "wg/callbacks/running.hpp"

namespace wg {

/// Closes them when the call is over. What only points to something is not released.
class LentHandles {
public:
    explicit LentHandles(const Target *callable) noexcept : callable_(callable), previous_(innermost()) { innermost() = this; }
    LentHandles(const LentHandles &) = delete;
    LentHandles &operator=(const LentHandles &) = delete;
    ~LentHandles() {
        innermost() = previous_;
        for (const Lent &each : lent_) {
            if (each.held.cell->kept != nullptr) close_lent(each.held);
            if (each.forget != nullptr) each.forget(each.value);
            close(each.held);
            leave(each.held);
            if (each.held.type->drop_reference != nullptr) each.held.type->drop_reference(*each.held.cell);
        }
    }

    static LentHandles *&innermost() noexcept {
        static thread_local LentHandles *here = nullptr;
        return here;
    }

    /// Its owner is that of the call that was passed the callable; in later calls there is none.
    template <class H>
    void add(const Held &held, H &value) {
        lent_.reserve(lent_.size() + 1);
        if constexpr (!std::is_void_v<typename LentBy<H>::type>) {
            const Running *running = Running::of(callable_);
            const Held owner = running == nullptr ? Held() : running->owner_for(*held.type->lender);
            if (owner.cell != nullptr) Owners().lend(owner).attach_to(held);
        }
        held.cell->users.end_with_call();
        lent_.push_back({held, &value, forgetting<H>()});
        held.cell->users.hold();
        if (held.type->add_reference != nullptr) held.type->add_reference(*held.cell);
    }

private:
    struct Lent {
        Held held;
        void *value;
        void (*forget)(void *);
    };

    template <class H>
    static auto forgetting() -> void (*)(void *) {
        if constexpr (std::is_pointer_v<decltype(H::inner)>)
            return [](void *value) { static_cast<H *>(value)->inner = nullptr; };
        else
            return nullptr;
    }

    const Target *const callable_;
    LentHandles *const previous_;
    std::vector<Lent> lent_;
};

template <class H>
void lend_for_call(const Held &held, H &value) {
    LentHandles::innermost()->add(held, value);
}

}  // namespace wg

#endif  // WG_CALLBACKS_BORROWED_ARGUMENTS_HPP
