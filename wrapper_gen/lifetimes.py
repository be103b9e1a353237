"""Questions about lifetimes: who knows what it lends, what calls end, what calls say that they use while they run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set

from wrapper_gen.expressions import mentions
from wrapper_gen.interfaces import passes_overridable
from wrapper_gen.iterators import iterated_types, keeps_in_iterator
from wrapper_gen.model import Code, Function, HandleType, Lasting, Mode, Module, Parameter, Thread
from wrapper_gen.model.ending import ending_lender, ending_lenders
from wrapper_gen.model.inheritance import bases, with_relatives
from wrapper_gen.queries import (
    callbacks,
    ends_loans,
    given_to_callables,
    handle_types,
    keeps_callables,
    lent,
    once,
    owners,
)
from wrapper_gen.types.kept import can_be_kept, is_kept_memory
from wrapper_gen.types.model import Type
from wrapper_gen.types.queries import handles_in


@once
def tracking(module: Module) -> Set[str]:
    """The handle types whose objects know what they lend: calls end that, or end what lends them."""
    lent_by = {h.name: h.lent_by for h in module.handles if h.lent_by}
    found = _ended_of(module) | {h.name for h in module.handles if h.invalidates}
    ending = found | {name for f in module.methods if f.lifetime.result.until for name in handles_in(f.returns)}
    while True:
        below = {name for name, lender in lent_by.items() if lender in ending}
        if below <= ending:
            lends = with_relatives({*lent_by.values(), *iterated_types(module)}, module.extends)
            return {name for name in with_relatives(ending, module.extends) if name in lends}
        ending |= with_relatives(below, module.extends)


@once
def _ended_of(module: Module) -> Set[str]:
    """The handle types whose objects have lent what methods end."""
    lent_by = {h.name: h.lent_by for h in module.handles if h.lent_by}
    ending = [f for f in module.callables if f.lifetime.ends]
    return set[str]().union(
        *(ending_lenders(f.handle or "", f.lifetime.ends, lent_by, handle_types(f)) for f in ending)
    )


@once
def perishable(module: Module) -> Set[str]:
    """The handle types whose objects may be ended by a call on another object."""
    of_lenders = {h.name for h in module.handles if h.lent_by in tracking(module)}
    ended = {name for f in module.methods if f.lifetime.result.until for name in handles_in(f.returns)}
    return with_relatives(of_lenders | ended | _reached_by_callables(module), module.extends)


@once
def _reached_by_callables(module: Module) -> Set[str]:
    """The types of what is reached from arguments of callables: without an owner, it ends with these."""
    found, reached = with_relatives(given_to_callables(module), module.extends), frozenset[str]()
    while found:
        made = frozenset(n for f in module.callables if _kept_types(f) & found for n in handles_in(f.returns))
        found = with_relatives(made, module.extends) - reached
        reached |= found
    return reached


def _kept_types(function: Function) -> Set[str]:
    """The handle types of what a result keeps alive."""
    kept = {*owners(function), *function.lifetime.result.lenders}
    own = {function.handle} if function.handle and "h" in kept else set[str]()
    return own.union(*(handles_in(p.type) for p in function.parameters if p.name in kept))


def conditions(function: Function, module: Module) -> Mapping[str, Code | None]:
    """Of each handle type that an object has lent, in which case a call ends a handle; None where it ends none.

    Empty where it ends all of them.
    """
    if not function.lifetime.ends or not function.lifetime.ends.conditions:
        return {}
    said = dict(function.lifetime.ends.conditions)
    lent_by = {h.name: h.lent_by for h in module.handles}
    lenders = with_relatives({ending_lender(function.handle or "", function.lifetime.ends, lent_by)}, module.extends)
    lent_types = [h.name for h in module.handles if h.lent_by in lenders]
    found: dict[str, Code | None] = {}
    for name in lent_types:
        own = (said.get(each) for each in (name, *bases(name, module.extends), ""))
        found[name] = next((code for code in own if code), None)
    return found


# --- calls that are running ------------------------------------------------------------------------------------------


def is_recorded(function: Function, module: Module) -> bool:
    """Whether a call says what it uses while it runs: callables may end that, or be given what it owns."""
    if not callbacks(module) or not _recorded_parameters(function, module):
        return False
    passed = passes_overridable(function, module) or any(p.callbacks for p in function.parameters)
    if given_to_callables(module) & lent(module) and passed:
        return True
    return checks_running(module) and (passed or any(c.scope is not Lasting.CALL for c in callbacks(module)))


def recorded(function: Function, module: Module) -> tuple[str, ...]:
    """The parameters with handles that it says so of; its object is another one."""
    return tuple(n for n in _recorded_parameters(function, module) if n != "h")


def _recorded_parameters(function: Function, module: Module) -> tuple[str, ...]:
    # a call may end memory of an object that lends no handle, which no other handle tells of
    known = tracked(module).keys() | with_relatives(_ended_of(module), module.extends)
    found = [p.name for p in function.parameters if p.mode is not Mode.TAKE and known & handles_in(p.type)]
    return (*(["h"] if function.handle in known else []), *found)


@once
def checks_running(module: Module) -> bool:
    """Whether calls that end what an object lends are refused while a callable is called that runs under it."""
    return bool(callbacks(module)) and any(f.lifetime.ends for f in module.callables)


def ends_made_in_call(function: Function, module: Module) -> bool:
    """Whether a call ends what is lent while it runs: to callables, or to other threads."""
    if not ends_loans(function, module):
        return False
    threads = {h.name: h.thread for h in module.handles}
    side_by_side = function.lifetime.concurrent or threads.get(function.handle or "") is Thread.ANY
    return side_by_side or bool(callbacks(module))


def drops_with_owner(handle: HandleType) -> bool:
    """Whether releasing a handle needs its owner."""
    return bool(handle.lent_by) and handle.drop is not None and mentions(handle.drop.text, "owner")


def asks_owner(code: Code) -> bool:
    """Whether what is said of a failure by an object is said by the owner of that."""
    return mentions(code.text, "owner")


@once
def said_by_owner(module: Module) -> Set[str]:
    """The handle types by whose owners something is said of failures, and their relatives: calls see one as another."""
    said = (text for error in module.errors for text in error.said)
    found = {handle for text in said for handle, code in text.of if asks_owner(code)}
    return with_relatives(found, module.extends) & lent(module)


def _keeps_objects(function: Function) -> bool:
    """Whether the result keeps objects alive that may keep others alive, which texts and memory do not."""
    types = {p.name: p.type for p in function.parameters}
    objects = [name for name in owners(function) if name == "h" or handles_in(types[name])]
    return bool(
        objects
        or function.lifetime.result.lenders
        or function.lifetime.result.until
        or not function.lifetime.result.is_owned
    )


def keeping(module: Module) -> Set[str]:
    """The handle types that can keep others alive, and so be part of a cycle."""
    made = {name for f in module.callables if _keeps_objects(f) for name in handles_in(f.returns)}
    made |= {f.handle for f in module.methods if f.handle and (f.lifetime.held.holds or keeps_callables(f))}
    made |= lent(module) & given_to_callables(module)
    made |= {h.name for h in module.handles if h.has_identity}
    return with_relatives(made, module.extends)


@once
def kept_values(module: Module) -> Sequence[Type]:
    """The types of what results, or objects, keep alive of what is given for parameters, beside handles."""
    found = (p.type for f in module.callables for p in f.parameters if keeps_value(f, p))
    return tuple(dict.fromkeys(found))


def memory_is_kept(module: Module) -> bool:
    """Whether some result, or some object, keeps memory of the caller's alive."""
    return any(map(is_kept_memory, kept_values(module)))


def keeps_value(function: Function, p: Parameter) -> bool:
    """Whether the result, or the object, keeps alive what is given for a parameter, which is no handle."""
    is_named = p.name in (*function.lifetime.result.keeps, *function.lifetime.held.holds) and can_be_kept(p.type)
    return is_named or keeps_in_iterator(function, p)


@once
def identified(module: Module) -> Set[str]:
    """The handle types of which one object stands for each pointer."""
    return {h.name for h in module.handles if h.has_identity}


def may_be_there(function: Function, module: Module) -> bool:
    """Whether a handle that it returns may be an object that is there already."""
    return bool(handles_in(function.returns) & identified(module))


@once
def found_by_cells(module: Module) -> Mapping[str, tuple[bool, bool]]:
    """The handle types whose objects the cffi engine finds by their cells: whether each lends, and is lent."""
    return {**dict.fromkeys(sorted(identified(module)), (False, False)), **tracked(module)}


@once
def tracked(module: Module) -> Mapping[str, tuple[bool, bool]]:
    """The handle types whose objects are found by their cells: whether each lends, and whether it is lent."""
    lenders = with_relatives((h.lent_by for h in module.handles if h.lent_by), module.extends)
    wanted = lenders | lent(module) | perishable(module)
    return {h.name: (h.name in lenders, bool(h.lent_by)) for h in module.handles if h.name in wanted}
