// Callables that an object has: as long as it lives, or until another takes their place; and how the collector of cycles finds them.
// Static: the same for all packages. Included by generated C++ only.
#ifndef WG_CALLBACKS_HELD_CALLABLES_HPP
#define WG_CALLBACKS_HELD_CALLABLES_HPP

#include "wg/base/once.hpp"
#include "wg/callbacks/callable_arguments.hpp"
#include "wg/ownership/holds_in_calls.hpp"

namespace wg {

/// A callable that an object holds: what it refers to is reached by way of the object. Several may hold it, where one was taken and they
/// are made of it: then the collector, which is to see the callable's one reference once, does not see it.
constexpr HandleType held_callable(void (*add)(Cell &) noexcept, void (*drop)(Cell &) noexcept) {
    HandleType type{nullptr};
    type.add_reference = add;
    type.drop_reference = drop;
    type.visited = [](Cell &cell) noexcept -> void * { return cell.users.count() == 1 ? Target::of(cell).object() : nullptr; };
    type.is_called = true;
    return type;
}

/// Of a callable that lasts as long as an object does, or the last of several: each is one of those that may call it.
inline constexpr HandleType callable_of_object = held_callable(
    [](Cell &cell) noexcept { Target::of(cell).add(); },
    [](Cell &cell) noexcept {
        if (cell.users.count() == 0) Target::of(cell).end();
        Target::of(cell).drop();
    });

/// Of a callable that C++ keeps in an object: its count is not the object's.
inline constexpr HandleType callable_in_object = [] {
    HandleType type = held_callable([](Cell &cell) noexcept { Target::of(cell).add_memory(); },
                                    [](Cell &cell) noexcept { Target::of(cell).drop_memory(); });
    type.end = [](Cell &cell) noexcept { Target::of(cell).end(); };
    return type;
}();

namespace hidden {  // from argument-dependent lookup: a library may have a function of this name
/// What an object holds when it is given a callable that lasts as long.
template <class F>
Owners as_owners(const Callable<F> &callable) {
    return callable ? Owners().add(Held{&callable.target()->cell, &callable_of_object}) : Owners();
}
}  // namespace hidden
using namespace hidden;

/// Adds a callable that C++ has kept to an object. Where memory is short, the collector does not find it.
WG_ONCE void keep_callable(const Held &object, Target &target) noexcept WG_ELSEWHERE
#if WG_HAS_BODIES
{
    const KeptHandle own = {{&target.cell, &callable_in_object}, ~0u};
    try {
        bool are_many = false;  // asked once for each doubling: some may have ended
        {
            const KeptLocked locked;
            KeptList &kept = kept_of(object);
            KeptHandles &all = kept.handles;
            Cycles::before_keeping(kept);
            all.push_back(own);
            hold(own);
            are_many = all.size() >= 16 && (all.size() & (all.size() - 1)) == 0;
        }
        if (are_many) let_go(*object.cell, [](const Held &each) { return each.type == &callable_in_object && Target::of(*each.cell).has_ended(); });
    } catch (...) {
    }
}
#endif

/// Does that after the call of a method.
template <class F>
class Kept {
public:
    Kept(const Held &object, const Callable<F> &callable) : object_(object), callable_(callable) {}
    Kept(const Kept &) = delete;
    Kept &operator=(const Kept &) = delete;
    ~Kept() {
        if (!callable_ || callable_.target()->has_ended() || !callable_.target()->is_shared(2)) return;
        keep_callable(object_, *callable_.target());
    }

private:
    const Held object_;
    const Callable<F> callable_;
};

}  // namespace wg

#endif  // WG_CALLBACKS_HELD_CALLABLES_HPP
