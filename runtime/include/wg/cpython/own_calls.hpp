// A call on an object, as one function for each class and way of calling: an entry is a body without frames, locks and handlers of its own.
// Static: the same for all packages. Included by generated C++ only.
#ifndef WG_CPYTHON_OWN_CALLS_HPP
#define WG_CPYTHON_OWN_CALLS_HPP

#include "wg/cpython/failures.hpp"
#include "wg/cpython/handles.hpp"

namespace wg::cpython {

/// How a body runs that calls no Python; others are in wg/cpython/callables.hpp.
struct Plainly {
    template <class Body>
    static auto run(Body &&body) -> decltype(body()) {
        return body();
    }
};

/// Of a call that is not recorded, and for which nothing is locked.
struct Unrecorded {
    explicit Unrecorded(const Held &, const HeldList * = nullptr) noexcept {}
};

/// Keeps the object usable while the call runs, where that may call Python, or lets other threads run.
struct Pinned {
    template <class Own>
    Pinned(Own &own, const HeldList *) {
        own.pin();
    }
};

/// Keeps something locked for the object alone.
template <class Lock>
struct Locked {
    template <class Own>
    [[gnu::always_inline]] Locked(Own &own, const HeldList *) : lock(own) {}

    [[maybe_unused]] const Lock lock;
};

/// Lets one call at a time use the object and the handles among the arguments.
class ExclusiveAll {
public:
    template <class Own>
    ExclusiveAll(Own &own, const HeldList *others) : alone_(own, Others{others}) {}

private:
    struct Others {
        const HeldList *list;
        template <class Locks>
        void add_to(Locks &locks) const {
            locks.add(*list);
        }
    };
    [[maybe_unused]] const Exclusive alone_;
};

/// The handles among some arguments.
class ListedHandles {
public:
    template <class... A>
    explicit ListedHandles(const A &...arguments) {
        (arguments.add_to(*this), ...);
    }
    void add(const Held &held) { list_.push_back(held); }
    void add(const HeldList &several) {
        for (const Held &each : several) list_.push_back(each);
    }
    void add(const KeptList *kept) {
        if (kept == nullptr) return;
        for (const Held &each : kept->handles) list_.push_back(each);
    }
    const HeldList *list() const noexcept { return &list_; }

private:
    HeldList list_;
};

/// What a call holds while it runs, from the first on. What an entry locks is here and nowhere else: one that locks nothing waits for nobody.
template <class... Each>
struct Frames {
    template <class Own>
    Frames(Own &, const HeldList *) {}
};
template <class First, class... Others>
struct Frames<First, Others...> {
    template <class Own>
    [[gnu::always_inline]] Frames(Own &own, const HeldList *others) : first(own, others), further(own, others) {}

    First first;
    Frames<Others...> further;
};

/// What an entry returns where it failed.
template <class R>
constexpr R refusal() {
    if constexpr (std::is_pointer_v<R>) return nullptr;
    else return -1;
}

/// Opens the object, holds what `Locks` say, records the call as `Record` does and runs the body, and catches what is thrown. `others` are the
/// handles among the arguments, where the record needs them.
template <class H, class R, class Run, class Record, class... Locks>
[[gnu::noinline]] R call_own(PyObject *self, R (*body)(Handle<H> &, const void *), const void *of, const HeldList *others) noexcept {
    try {
        Handle<H> own(self);
        if (!own.open_own()) return refusal<R>();
        [[maybe_unused]] const Frames<Locks...> frames(own, others);
        [[maybe_unused]] const Record running(own.held(), others);
        return Run::run([&]() -> R { return body(own, of); });
    } catch (const std::exception &thrown) {
        raise(thrown);
    } catch (...) {
        raise_unknown();
    }
    return refusal<R>();
}

/// Calls what has a body: a function by itself, where a lambda as a pointer would be three for the compiler.
template <class R, class H, class Body>
R run_body_of(Handle<H> &own, const void *of) {
    return (*static_cast<const Body *>(of))(own);
}

/// The same with a body that has what it uses by reference.
template <class H, class Run, class Record, class... Locks, class Body>
[[gnu::always_inline]] inline auto on_own(PyObject *self, const Body &body, const HeldList *others = nullptr) {
    using R = decltype(body(std::declval<Handle<H> &>()));
    return call_own<H, R, Run, Record, Locks...>(self, run_body_of<R, H, Body>, &body, others);
}

}  // namespace wg::cpython

#endif  // WG_CPYTHON_OWN_CALLS_HPP
