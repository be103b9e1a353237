"""What a spec says and no test reaches: owners and lifetimes, statuses, lengths, text or bytes, who releases memory."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from wrapper_gen.diagnostics import Span
from wrapper_gen.explain.entries import shown_name
from wrapper_gen.frozen import frozen
from wrapper_gen.model import (
    Allocated,
    Argument,
    Buffer,
    Function,
    HandleType,
    Lasting,
    Mode,
    Module,
    Named,
    Place,
    Returned,
)
from wrapper_gen.resolve.entities import borrows
from wrapper_gen.types.model import Type
from wrapper_gen.types.queries import can_be_null, handle_of, handles_in, if_given, is_bytes, is_text
from wrapper_gen.verify.samples import made_handle


@frozen
class Assumption:
    """An annotation of a spec that no test reaches; `why` says what is missing for one."""

    entry: str
    span: Span
    what: str
    why: str


def assumed(module: Module, reached: Collection[str]) -> Iterator[Assumption]:
    """The assumptions of a spec, where tests have used these classes and entries."""
    for kind in module.handles:
        if kind.name not in reached:
            why = "no object of it can be made without knowing more"
            yield Assumption(kind.name, kind.span, "who releases it, and when", why)
    for error in module.errors:
        if error.ok:
            what = f"these statuses mean success: {', '.join(error.ok)}"
            yield Assumption(error.type, error.span, what, "no test makes a call fail")
    released = frozenset(h.name for h in module.known_handles if _is_released(h))
    for each in module.callables:
        name = shown_name(each, module)
        if name not in reached:
            yield from _lifetimes(each, name)
            yield from _statuses(each, name)
            yield from _memory(each, name)
        yield from _not_held(each, name)
        yield from _items_released(each, name, released)
        if each.lifetime.ends is not None:
            yield Assumption(name, each.span, "the call ends results", "C tells nobody what it moves or frees")


def _not_held(function: Function, name: str) -> Iterator[Assumption]:
    """Objects that what makes another one is given, and that may end before it."""
    kept = function.lifetime
    known = {*kept.held.holds, *kept.result.keeps, *kept.result.only_holds, *kept.result.lenders}
    makes = function.constructs or (handle_of(if_given(function.returns)) and kept.result.is_owned)
    for p in function.parameters if makes else ():
        if p.mode is Mode.BORROW and handle_of(if_given(p.type)) and p.name not in known:
            what = f"what is made does not use `{p.name}` later, as it would with `holds: {p.name}`"
            yield Assumption(name, function.span, what, "C tells nobody what it keeps")


def _is_released(handle: HandleType) -> bool:
    """Whether it holds a pointer that each handle releases by itself."""
    points = handle.cpp_type.text.strip().endswith("*") and not handle.has_identity
    return points and handle.drop is not None and not borrows(handle)


def _items_released(function: Function, name: str, released: Collection[str]) -> Iterator[Assumption]:
    """Pointers in a container that is returned: a copy of the container may be of pointers that something else has."""
    if handle_of(if_given(function.returns)) or not function.lifetime.result.is_owned:
        return
    for kind in sorted(handles_in(function.returns).intersection(released)):
        what = f"Python releases each {kind} of the result"
        yield Assumption(name, function.span, what, "C++ tells nobody who releases the pointers in a container")


def _lifetimes(function: Function, name: str) -> Iterator[Assumption]:
    lifetime = function.lifetime
    for held in lifetime.held.holds:
        yield Assumption(name, function.span, f"the object holds `{held}`", "C tells nobody what it keeps")
    if lifetime.takes_own:
        yield Assumption(name, function.span, "the call takes `self`", "C tells nobody who releases it")
    for p in function.parameters:
        if p.mode is Mode.TAKE:
            yield Assumption(name, function.span, f"the call takes `{p.name}`", "C tells nobody who releases it")
        if p.callback is not None and p.callback.scope is not Lasting.UNSAID:
            what = f"`{p.name}` is called so long: {p.callback.scope.value}"
            yield Assumption(name, function.span, what, "the call takes arguments that mean something")
    if lifetime.result.lenders and made_handle(function):
        what = f"the result belongs to {', '.join(lifetime.result.lenders).replace('h', 'self', 1)}"
        yield Assumption(name, function.span, what, "the object or the arguments cannot be made")


def _statuses(function: Function, name: str) -> Iterator[Assumption]:
    reported = function.reported
    if function.raises and function.raises != reported.inherited:
        what = f"what it returns is a status: {function.raises}"
        yield Assumption(name, function.span, what, "C has no type for it, and no test makes the call fail")
    for word, values in (("success", reported.ok), ("that there is no result", reported.none)):
        if values:
            what = f"these statuses of it mean {word}: {', '.join(values)}"
            yield Assumption(name, function.span, what, "no test makes the call return them")


def _memory(function: Function, name: str) -> Iterator[Assumption]:
    """Texts and bytes that cross, and the memory of the result."""
    of = function.implementation
    arguments = of.arguments or () if isinstance(of, Named) else ()
    given = [f"`{p.name}` is {p.type}" for p in function.parameters if _is_characters(p.type)]
    given += [f"the result is {function.returns}"] if _is_characters(function.returns) else []
    if given:
        yield Assumption(
            name, function.span, ", ".join(given), "to C both are characters, and a NUL may end them or not"
        )
    lengths = [each for each in arguments if _is_length(each)]
    if lengths:
        what = ", ".join(f"`{each.value or each.name + '.size()'}` is a length" for each in lengths)
        yield Assumption(name, function.span, what, "to C a length is any integer")
    buffer = of.buffer if isinstance(of, Named) else None
    match buffer:
        case Allocated(free=free) | Returned(free=free):
            what = f"{free} releases what it returns" if free else "nobody releases what it returns"
            yield Assumption(name, function.span, what, "C tells nobody who releases memory")
        case Buffer(capacity=capacity):
            what = f"the buffer has room for {capacity}" if capacity else "the call says how much room it needs"
            yield Assumption(name, function.span, what, "to C a length is any integer")
        case None:
            pass
    said = getattr(buffer, "length" if isinstance(buffer, Returned) else "said", "")
    if said:
        yield Assumption(name, function.span, f"`{said}` is the length of the result", "to C a length is any integer")


def _is_length(argument: Argument) -> bool:
    return argument.place is Place.LENGTH or (argument.place is Place.VALUE and ".size()" in argument.value)


def _is_characters(type_: Type) -> bool:
    return is_text(type_) or is_bytes(type_) or can_be_null(type_)
