"""What calls use while they run: what they lock, and say that they use."""

from __future__ import annotations

from collections.abc import Iterator

from wrapper_gen.interfaces import passes_overridable
from wrapper_gen.lifetimes.ended import ends_loans, tracked, types_that_lend_ended
from wrapper_gen.lifetimes.kept import given_to_callables, keeps, lent, owners
from wrapper_gen.model import Function, Lasting, Mode, Module, Thread
from wrapper_gen.model.inheritance import with_relatives
from wrapper_gen.queries import callbacks, keeps_callables, once
from wrapper_gen.types.queries import handles_in


@once
def any_call_runs_callables(module: Module) -> bool:
    """Whether calls may run callables that no running call was passed: what C++ keeps, and what overrides functions."""
    return any(f.virtual for f in module.methods) or any(keeps_callables(f) for f in module.callables)


def locked(function: Function, module: Module) -> tuple[str, ...]:
    """The parameters with handles that a call has to lock, and `h`: those that a blocking call may be using."""
    blocked = locked_by_calls(module)
    if not blocked or function.lifetime.concurrent:
        return ()
    return tuple(name for name, types in _handles_of(function) if blocked & types)


@once
def exclusive_types(module: Module) -> frozenset[str]:
    """The handle types into whose objects one thread may call at once."""
    return frozenset(h.name for h in module.known_handles if h.thread is Thread.EXCLUSIVE)


@once
def locked_by_calls(module: Module) -> frozenset[str]:
    """The handle types that a blocking call locks: its own, and all that share an owner with these."""
    exclusive = exclusive_types(module)
    blocking = (f for f in module.callables if f.blocking and not f.lifetime.concurrent)
    found = {name for f in blocking for _, types in _handles_of(f) for name in types & exclusive}
    dropping = {h.name for h in module.handles if h.blocking_drop} & exclusive
    if not found and not dropping:
        return frozenset()
    groups = [set(handles_in(f.returns)).union(*_kept_types(f)) for f in module.callables if keeps(f)]
    found |= dropping & {name for group in groups if len(group) > 1 for name in group}
    while joined := {name for group in groups if group & found for name in group} - found:
        found |= joined
    return frozenset(with_relatives(found, module.extends) & exclusive)


def waits(module: Module) -> bool:
    """Whether threads give up the GIL where no blocking call says so: for locks of owners, in steps of iterators, or to
    release an object."""
    waits_beside = any(f.beside_overrides or (f.blocking and f.each) for f in module.callables)
    return bool(locked_by_calls(module)) or waits_beside or any(h.blocking_drop for h in module.handles)


def _handles_of(function: Function) -> list[tuple[str, frozenset[str]]]:
    """The parameters with handles, and `h`, with their types."""
    own = [("h", frozenset([function.handle]))] if function.handle else []
    return own + [(p.name, handles_in(p.type)) for p in function.parameters]


def _kept_types(function: Function) -> Iterator[frozenset[str]]:
    """The types of what the result of a call keeps alive."""
    kept = {*owners(function), *function.lifetime.result.lenders, *(["h"] if function.lifetime.result.until else [])}
    return (types for name, types in _handles_of(function) if name in kept)


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
    known = tracked(module).keys() | with_relatives(types_that_lend_ended(module), module.extends)
    found = [p.name for p in function.parameters if p.mode is not Mode.TAKE and known & handles_in(p.type)]
    has_object = function.handle in known and not function.lifetime.takes_own
    return (*(["h"] if has_object else []), *found)


@once
def checks_running(module: Module) -> bool:
    """Whether calls that end what an object lends are refused while a callable is called that runs under it."""
    return bool(callbacks(module)) and any(f.lifetime.ends for f in module.callables)


def ends_made_in_call(function: Function, module: Module) -> bool:
    """Whether a call ends what is lent while it runs: to callables, or to other threads."""
    if not ends_loans(function, module):
        return False
    threads = {h.name: h.thread for h in module.known_handles}
    side_by_side = function.lifetime.concurrent or threads.get(function.handle or "") is Thread.ANY
    return side_by_side or bool(callbacks(module))
