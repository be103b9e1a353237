// Callables across the C ABI: arguments and results are encoded, and one function of cffi calls all of them.
// Static: the same for all packages. Included by generated C++ only. docs/wire.md describes the encoding.
#ifndef WG_CALLBACKS_CALLABLES_HPP
#define WG_CALLBACKS_CALLABLES_HPP

#include <optional>

#include "wg/base/once.hpp"
#include "wg/callbacks/held_callables.hpp"
#include "wg/base/finalization.hpp"
#include "wg/wire/containers.hpp"

namespace wg {

/// Whether a thread may call a callable. One that is in a call of the package may, and is not counted.
class Open {
public:
    Open() noexcept {
        if (Outer::innermost() == nullptr) until_exit_.emplace();
    }
    explicit operator bool() const noexcept { return !until_exit_ || *until_exit_; }

    static void end() noexcept { UntilExit<Open>::end(); }

private:
    std::optional<UntilExit<Open>> until_exit_;
};

/// What cffi gives the bridge: to call a callable in this outer call, which is 1 where it raised and 2 where it was not called; to keep one alive, which is 0 where
/// it does, and to release it; to keep the failure of this thread for the end of the outer call; to report what was kept where no call raises it;
/// to let another call raise it too, or (for 0) none.
struct CFunctions {
    i32 (*call)(void *callable, usize outer, const char *arguments, usize size, void *answer);
    i32 (*hold)(void *callable);
    void (*release)(void *callable);
    void (*failed)(usize outer);
    void (*report)(usize outer);
    void (*share)(usize outer, usize other);
};

inline CFunctions &c_functions() {
    static CFunctions functions{};
    return functions;
}

template <class H>
struct Wire<types::LentHandle<H>> {
    template <class Each>
    static void write(WireOut &out, std::size_t count, Each &&each) {
        using C = typename CellOf<H>::type;
        char *at = out.room(count * sizeof(u64));
        each([&](H &value) {
            C *there = nullptr;
            if constexpr (Identity<H>::is_kept) there = cell_there<C>(value);
            C *cell = out.own(there != nullptr ? there : new_cell<C>([&value] { return H(std::move(value)); }, [](OwnedCell *made, auto &own) { lend_for_call(held(made), own); }));
            const auto address = static_cast<u64>(reinterpret_cast<std::uintptr_t>(cell));
            std::memcpy(at, &address, sizeof(address));
            at += sizeof(address);
        });
    }
};

/// Lets a call raise what was kept; where it raises already, that is reported.
inline void raise_kept_for_c(std::uintptr_t kept, Outer *outer) noexcept {
    if (outer != nullptr && !outer->has_raised) return outer->raise_of(kept);
    const Open open;
    if (open) c_functions().report(kept);
}

template <class F>
class CTarget final : public TargetOf<F> {
public:
    explicit CTarget(void *callable) : callable_(callable) {
        if (is_held && c_functions().hold(callable) != 0) throw Raised();
    }

    bool call(Outer *outer, ArgumentsOf<F> &arguments, AnswerOf<F> &answer) override {
        const Open open;
        if (!open) return false;
        [[maybe_unused]] const LentFor<F> lent(this);
        std::string answered;
        const std::string encoded = written(typename F::Arguments(), arguments);
        const usize elsewhere = this->is_called_elsewhere() ? Outer::number_elsewhere() : 0;
        const i32 failed = c_functions().call(callable_, elsewhere != 0 ? elsewhere : Outer::current(), encoded.data(), encoded.size(), &answered);
        if (failed != 0) {
            if (failed == 1 && outer != nullptr) outer->has_raised = true;
            if (failed == 1 && elsewhere != 0 && !this->keep_elsewhere(elsewhere)) c_functions().report(elsewhere);
            if constexpr (F::answers_failure)
                if (!answered.empty()) tell(answered, answer.failure);
            return false;
        }
        read(answered, answer);
        return true;
    }

private:
    static constexpr bool is_held = F::lasting != Lasting::call;

    void release() noexcept override {
        if (!is_held) return;
        const Open open;
        if (open) c_functions().release(callable_);
    }

    void raise_kept(std::uintptr_t kept, Outer *outer) noexcept override { raise_kept_for_c(kept, outer); }

    template <class... D, class... T, std::size_t... I>
    static std::string written(Types<D...>, PackOf<std::index_sequence<I...>, T...> &arguments) {
        const Owners none;
        WireOut out(none);
        (Wire<D>::write(out, 1, [&value = packs::at<I>(arguments)](auto &&use) { use(value); }), ...);
        return out.take();
    }
    /// What Python reports of an exception.
    static void tell(const std::string &answered, CallableFailure &failure) {
        using Told = types::Tuple<types::Text, types::Optional<types::Number<i64>>, types::List<types::Number<i32>>>;
        Decoded<Told> decoded(answered.data(), answered.size());
        std::tie(failure.text, failure.code, failure.kinds) = std::move(decoded.get());
    }
    template <class D>
    static void read(const std::string &answered, Answer<D> &answer) {
        if constexpr (!std::is_void_v<D>) {
            auto decoded = std::make_shared<Decoded<D>>(answered.data(), answered.size());
            answer.value = std::move(decoded->get());
            if (!decoded->pinned().empty()) answer.alive = std::move(decoded);
        }
    }

    void *const callable_;
};

/// Keeps what is thrown now as this thread's failure, until Python has it.
WG_ONCE void keep_thrown_for_c(Target *target) noexcept WG_ELSEWHERE
#if WG_HAS_BODIES
{
    try {
        throw;
    } catch (const std::exception &e) {
        record(e);
    } catch (...) {
        record_unknown();
    }
    const Open open;
    if (!open) return;
    const usize elsewhere = target != nullptr && target->is_called_elsewhere() ? Outer::number_elsewhere() : 0;
    c_functions().failed(elsewhere != 0 ? elsewhere : Outer::current());
    if (Outer *outer = Outer::innermost()) outer->has_raised = true;
    else if (elsewhere != 0 && !target->keep_elsewhere(elsewhere)) c_functions().report(elsewhere);
}
#endif

template <class F>
TargetOf<F> *callable_of_c(void *callable) {
    return callable == nullptr ? nullptr : new CTarget<F>(callable);
}

}  // namespace wg

#endif  // WG_CALLBACKS_CALLABLES_HPP
