"""What calls end of what objects lend, and which objects have to know it."""

from __future__ import annotations

from collections.abc import Mapping, Set

from wrapper_gen.expressions import mentions
from wrapper_gen.iterators import iterated_types
from wrapper_gen.lifetimes.kept import given_to_callables, lent, owners
from wrapper_gen.model import Code, Function, HandleType, Module
from wrapper_gen.model.ending import ending_lender, ending_lenders
from wrapper_gen.model.inheritance import bases, with_relatives
from wrapper_gen.queries import once
from wrapper_gen.types.queries import handle_of, handles_in, if_given


def entry_number(function: Function, module: Module) -> int:
    """The number of a method, from 1 on."""
    return module.methods.index(function) + 1


def ended_entries(function: Function, module: Module) -> list[int]:
    """The numbers of the methods whose results a call of this one ends."""
    return _ended(module).get((function.handle, function.name), [])


@once
def _ended(module: Module) -> Mapping[tuple[str | None, str], list[int]]:
    """The same by handle type and name of the method."""
    found: dict[tuple[str | None, str], list[int]] = {}
    for number, method in enumerate(module.methods, 1):
        for name in dict.fromkeys(method.lifetime.result.until):
            found.setdefault((method.handle, name), []).append(number)
    return found


def ends_loans(function: Function, module: Module) -> bool:
    """Whether a call ends what an object lends."""
    return function.lifetime.ends is not None or (function.handle is not None and bool(ended_entries(function, module)))


def handle_types(function: Function) -> Mapping[str, str]:
    """The handle type of each parameter that is a handle."""
    return {p.name: handle for p in function.parameters if (handle := handle_of(if_given(p.type)))}


@once
def knowing_lent(module: Module) -> Set[str]:
    """The handle types whose objects know what they lend: calls end that, or end what lends them."""
    lent_by = {h.name: h.lent_by for h in module.known_handles if h.lent_by}
    found = types_that_lend_ended(module) | {h.name for h in module.handles if h.closing_ends}
    ending = found | {name for f in module.methods if f.lifetime.result.until for name in handles_in(f.returns)}
    while True:
        below = {name for name, lender in lent_by.items() if lender in ending}
        if below <= ending:
            lends = with_relatives({*lent_by.values(), *iterated_types(module)}, module.extends)
            return {name for name in with_relatives(ending, module.extends) if name in lends}
        ending |= with_relatives(below, module.extends)


@once
def types_that_lend_ended(module: Module) -> Set[str]:
    """The handle types whose objects have lent what methods end."""
    lent_by = {h.name: h.lent_by for h in module.known_handles if h.lent_by}
    ending = [f for f in module.callables if f.lifetime.ends]
    return set[str]().union(
        *(ending_lenders(f.handle or "", f.lifetime.ends, lent_by, handle_types(f)) for f in ending)
    )


@once
def perishable(module: Module) -> Set[str]:
    """The handle types whose objects may be ended by a call on another object."""
    of_lenders = {h.name for h in module.handles if h.lent_by in knowing_lent(module)}
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
    lent_by = {h.name: h.lent_by for h in module.known_handles}
    lenders = with_relatives({ending_lender(function.handle or "", function.lifetime.ends, lent_by)}, module.extends)
    lent_types = [h.name for h in module.known_handles if h.lent_by in lenders]
    found: dict[str, Code | None] = {}
    for name in lent_types:
        own = (said.get(each) for each in (name, *bases(name, module.extends), ""))
        found[name] = next((code for code in own if code), None)
    return found


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


@once
def tracked(module: Module) -> Mapping[str, tuple[bool, bool]]:
    """The handle types whose objects are found by their cells: whether each lends, and whether it is lent."""
    lenders = with_relatives((h.lent_by for h in module.handles if h.lent_by), module.extends)
    wanted = lenders | lent(module) | perishable(module)
    return {h.name: (h.name in lenders, bool(h.lent_by)) for h in module.handles if h.name in wanted}
