"""What becomes of a call: what Python gets, which statuses raise what, whom a handle belongs to."""

from __future__ import annotations

from collections.abc import Sequence

from wrapper_gen.diagnostics import a
from wrapper_gen.explain.calls import ChosenCall, is_written
from wrapper_gen.expressions import mentions
from wrapper_gen.frozen import frozen
from wrapper_gen.lifetimes.kept import owners
from wrapper_gen.model import WITHIN, Allocated, Buffer, ErrorType, Function, Module, Named, Returned, Written
from wrapper_gen.model.errors import may_be_status
from wrapper_gen.model.inheritance import bases
from wrapper_gen.queries import error_of, inherited_error
from wrapper_gen.tiers.bridge.ways import buffer_of, misses_key, tells_none
from wrapper_gen.types.queries import borrows_memory, handle_of, handles_in, is_void
from wrapper_gen.types.tuples import written_items

_FILLED = {
    Written.RESULT: "the call's value says how much of it",
    Written.CAPACITY: "the capacity, which the call changes, says how much of it",
    Written.NUL: "a NUL ends it",
    Written.ALL: "all of it",
    Written.FOUND: "what the call leaves at its pointer to the capacity; without one all of it, text to its NUL",
}


@frozen
class Raised:
    """An exception, and the statuses that raise it, as C++ has them; `when` is empty where all others do."""

    exception: str
    when: str


@frozen
class MadeHandle:
    """A handle in the result: its class, what it keeps alive, and what has lent it."""

    type: str
    is_owned: bool
    """Whether Python releases what it holds."""
    release: str
    """The C++ that releases it; empty where its destructor does."""
    keeps: tuple[str, ...]
    lent_by: tuple[str, ...]


@frozen
class Outcome:
    """What becomes of a call."""

    returns: str
    """The type of the result in the spec; `None` where there is none."""
    source: str
    """What the result is made of; empty where there is none."""
    handles: tuple[MadeHandle, ...]
    status: str
    """What is tested; empty where nothing is."""
    fine: str
    """The statuses that are fine."""
    raises: tuple[Raised, ...]
    """What others raise: the first of which the status is one, and the last for all that are left."""
    none: str
    """The statuses that mean that there is no result; empty where there are none."""
    holds: tuple[str, ...]
    """Parameters that the object keeps alive from then on."""


def outcome(function: Function, calls: Sequence[ChosenCall], module: Module, status_types: Sequence[str]) -> Outcome:
    """What becomes of the calls of an entry; `status_types` are those of the errors, as a compiler names them."""
    error, by = error_of(function, module), ""
    if error is None:
        error, by = _by_type(function, calls, module, status_types)
    returns = "None" if is_void(function.returns) else str(function.returns)
    source = "" if is_void(function.returns) else _source(function, calls, module)
    status, fine, raises, none = "", "", (), ""
    if error:
        listed = error.none if function.reported.none is None else function.reported.none
        fine = any_of(error.ok if function.reported.ok is None else function.reported.ok)
        status = _status(function, error.type if error.is_labelled else error.cpp_type) + by
        raises = (
            *((Raised("KeyError", any_of(listed)),) if misses_key(function, module) else ()),
            *(Raised(case.name, any_of(case.when)) for case in error.cases if case.when),
            Raised(error.exception, ""),
        )
        none = any_of(listed) if tells_none(function, module) else ""
    holds = function.lifetime.held.holds
    return Outcome(returns, source, _handles(function, module), status, fine, raises, none, holds)


def _by_type(
    function: Function, calls: Sequence[ChosenCall], module: Module, status_types: Sequence[str]
) -> tuple[ErrorType | None, str]:
    """The error of a call whose entry does not say it, and what does: the C++ type of a value that is no result."""
    if not function.reported.is_untold or not calls:
        return None, ""
    written = sum(map(is_written, calls[0].arguments))
    is_result = not is_void(function.returns) and (not written or _uses_value(function, written))
    if is_result and not function.reported.result and buffer_of(function) is None:
        return None, ""
    buffer = buffer_of(function)
    if isinstance(buffer, Buffer) and (buffer.length is Written.RESULT or mentions(buffer.said, "value")):
        return None, ""  # it says how much was written
    given = _plain(calls[0].result)
    inherited = inherited_error(function, module)
    alike = [e for e, own in zip(module.errors, status_types, strict=True) if e.ok and _plain(own) == given]
    if inherited in alike:
        return inherited, ", which `raises` of the class or the library says"
    possible = [e for e in alike if may_be_status(e.cpp_type)]
    return next((e for e in possible if not e.is_labelled), possible[0] if possible else None), ", by its type"


def _plain(cpp_type: str) -> str:
    """A C++ type without what different spellings of it have."""
    words = [each for each in cpp_type.replace("&", " ").split() if each not in ("const", "enum", "struct", "class")]
    return " ".join(words).removeprefix("::")


def any_of(listed: Sequence[str]) -> str:
    """The statuses that are meant: values, or conditions over `value`."""
    values = [each for each in listed if not mentions(each, "value")]
    conditions = [each for each in listed if mentions(each, "value")]
    return " or ".join([*([f"it is {' or '.join(values)}"] if values else []), *conditions])


def _status(function: Function, type_: str) -> str:
    reported = function.reported
    if reported.source:
        return f"`{' '.join(reported.source.text.split())}`, {a(type_)}"
    if reported.each:
        return f"each {type_} of the call's value"
    return f"the call's value, {a(type_)}"


def _source(function: Function, calls: Sequence[ChosenCall], module: Module) -> str:
    """What the result is made of."""
    if function.each:
        over = "what the object holds" if function.each.of_object else "the call's value"
        return f"elements of {over}, one after the other"
    match buffer_of(function):
        case Buffer(length=length, said=said, asks=asks):
            room = ", made as large as a first call without one says" * asks
            how_much = f"`{said}` of it" if length is Written.SAID else _FILLED[length]
            return f"the buffer that the call fills{room}: {how_much}"
        case Allocated(free=free):
            return f"the memory that the call allocates, then {free}" if free else "the memory whose address it writes"
        case Returned(free=free):
            return "the memory whose address the call returns" + (f", then {free}" if free else "")
        case _:
            pass
    implementation = function.implementation
    if isinstance(implementation, Named) and implementation.streaming:
        return "the output of all calls"
    outs = [each.source.text for call in calls[:1] for each in call.arguments if is_written(each)]
    value = "a copy of the call's value" if _is_copied(function, calls, module) else "the call's value"
    if function.reported.result:
        value = f"`{' '.join(function.reported.result.text.split())}` of the call's value"
    if not outs:
        return value
    written = f"what the call writes: {', '.join(outs)}"
    return f"{written}; and {value}" if _uses_value(function, len(outs)) else written


def _is_copied(function: Function, calls: Sequence[ChosenCall], module: Module) -> bool:
    """Whether a handle has a copy of an object that C++ returns by reference."""
    held = next((each.cpp_type.text for each in module.handles if each.name == handle_of(function.returns)), "")
    return bool(calls) and calls[0].result.endswith("&") and _plain(calls[0].result) == _plain(held)


def _uses_value(function: Function, written: int) -> bool:
    """Whether the call's value is an item of the result too."""
    return len(written_items(function.returns)) > written


def _handles(function: Function, module: Module) -> tuple[MadeHandle, ...]:
    result = function.lifetime.result
    lenders = tuple("another part of the result" if each == WITHIN else each for each in result.lenders)
    types = {p.name: p.type for p in function.parameters}
    kept = tuple(
        name for name in owners(function) if name not in types or handles_in(types[name]) or borrows_memory(types[name])
    )
    drops = {h.name: " ".join(h.drop.text.split()) for h in module.known_handles if h.drop}
    lent_by = {h.name: h.lent_by for h in module.known_handles}

    def is_owned(made: str) -> bool:
        """Whether Python releases it; of a class that owns itself, what has an owner is released by that."""
        has_such_owner = bool(lenders) and lent_by.get(made, "") in (made, *bases(made, module.extends))
        return result.is_owned and not has_such_owner

    return tuple(
        MadeHandle(each, is_owned(each), drops.get(each, ""), kept, lenders)
        for each in sorted(handles_in(function.returns))
    )
