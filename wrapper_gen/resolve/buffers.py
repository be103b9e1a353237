"""Results that lie in memory: buffers that the call fills, memory that it hands over or whose address it returns."""

from __future__ import annotations

import re
from collections.abc import Sequence

from wrapper_gen import names
from wrapper_gen.diagnostics import Span, did_you_mean
from wrapper_gen.expressions import called
from wrapper_gen.model import Allocated, Argument, Buffer, Lasting, Mode, Place, Returned, Written
from wrapper_gen.resolve.cpp import written_call
from wrapper_gen.resolve.filled_items import check_capacities, names_items
from wrapper_gen.resolve.fixes import with_value
from wrapper_gen.resolve.parameters import Signature
from wrapper_gen.resolve.scope import Map, Scope
from wrapper_gen.resolve.written_arguments import written_names
from wrapper_gen.types.memory import dimensions_of, is_list_of_numbers, lies_in_memory
from wrapper_gen.types.queries import (
    handles_in,
    is_bytes,
    is_integer,
    is_text,
    is_text_or_none,
    parts,
    without_optional,
)
from wrapper_gen.types.tuples import item_names

_KEYS = ("capacity", "length", "grow", "release")
"""What an entry says of memory."""
NOTHING = "nothing"
"""What `release` says of what stays the library's own."""
_KEPT = "static_cast<void>(value)"
"""What releases memory that the spec says to stay the library's own."""
_WRITTEN = "&length"
"""The length that C writes through a pointer."""
_OWN_CALL = re.compile(r"self(?:->|\.)(\w+)(\(.*\))")
_LENGTH = re.compile(r"(?:&\s*)?\blength\b")
ASK = "ask"
"""The capacity that the call itself says."""


def read_buffer(
    entry: Map, scope: Scope, signature: Signature, *, is_status: bool, writes: bool | None
) -> Buffer | Allocated | Returned | None:
    """What `capacity`, `length`, `grow` and `release` say of the result of a call.

    Args:
        entry: the function or method.
        scope: its spec.
        signature: what Python sees of it.
        is_status: whether the call's own value is no result.
        writes: whether C's order says that the call writes something; None where the spec does not say it.
    """
    said = [key for key in _KEYS if entry.get(key) is not None and not _is_of_handles(key, entry, scope, signature)]
    written = names_written(entry, scope)
    if said == ["release"] and "error" in written and not lies_in_memory(signature.returns):
        return None
    is_length_written = "length" in written and "length" not in {p.name for p in signature.parameters}
    if is_length_written and lies_in_memory(signature.returns) and not {"capacity", "length"} & set(said):
        said.append("length")
    if entry.get("stream") is not None:  # where it is the most that is written
        said = [key for key in said if key != "capacity"]
    if not said or not _is_alone(entry, scope, said):
        return None
    if names_items(entry):
        check_capacities(entry, scope, signature)
        return None
    if "capacity" in said:
        return _buffer(entry, scope, signature)
    if "grow" in said:
        where = scope.document.key_span(entry, "grow")
        scope.error("WG085", "nothing is there to grow: the call fills no buffer", where, "say its `capacity`, too")
        return None
    return _handed_over(entry, scope, signature, is_status=is_status, writes=writes)


def _is_alone(entry: Map, scope: Scope, said: Sequence[str]) -> bool:
    """Whether nothing else says what the result is."""
    where = scope.document.key_span(entry, said[0] if said[0] in entry else "cpp")
    others = ("result",) if "capacity" in said else ("stream", "result")
    other = next((key for key in others if entry.get(key) is not None), "")
    if other:
        related = (scope.document.key_span(entry, other), f"`{other}` is here")
        scope.error("WG075", f"{said[0]!r} stands beside {other!r}, which says the result", where, "keep one", related)
        return False
    if "capacity" in said and "release" in said:
        related = (scope.document.key_span(entry, "release"), "`release` is here")
        hint = "drop `release`: a buffer that the call fills is ours; or `capacity`, where the call makes the memory"
        scope.error("WG075", "'capacity' stands beside 'release'", where, hint, related)
        return False
    return True


def names_written(entry: Map, scope: Scope) -> tuple[str, ...]:
    """What a written call has behind a `&`; nothing where the entry has none."""
    call = written_call(entry, scope)
    return written_names(call) if call else ()


def _is_of_handles(key: str, entry: Map, scope: Scope, signature: Signature) -> bool:
    """Whether this says of handles in the result that they stay the library's own."""
    if key != "release" or scope.text(entry, key) != NOTHING:
        return False
    return bool(handles_in(signature.returns)) or not lies_in_memory(without_optional(signature.returns))


def check_no_buffer(entry: Map, scope: Scope, signature: Signature) -> None:
    """A lambda or a body has its own way."""
    for key, code, hint in (
        ("capacity", "WG082", "drop it: a lambda or a body fills its buffers itself"),
        ("grow", "WG082", "drop it: a lambda or a body fills its buffers itself"),
        ("release", "WG088", "drop it: a lambda or a body returns a value of its own, and releases what it read"),
        ("length", "WG088", _way_of_length(entry, scope)),
    ):
        if entry.get(key) is not None and not _is_of_handles(key, entry, scope, signature):
            scope.error(code, f"`{key}` is for functions by name", scope.document.key_span(entry, key), hint)


def _way_of_length(entry: Map, scope: Scope) -> str:
    """How C++ writes the length, where an expression calls a method with it; else that a value needs none."""
    call = _OWN_CALL.fullmatch(scope.text(entry, "cpp").strip())
    if call is None or scope.text(entry, "length").strip() != _WRITTEN or not _LENGTH.search(call[2]):
        return "drop it: a lambda or a body returns a value that knows its length, as std::string does"
    return f"write the call of the method in its place, which says it: cpp: .{call[1]}{_LENGTH.sub(_WRITTEN, call[2])}"


def check_written_length(
    buffer: Buffer | Allocated | Returned | None, arguments: Sequence[Argument], span: Span, scope: Scope
) -> None:
    """The length that C writes has a place in C's order, and nothing else has one there."""
    if not isinstance(buffer, Returned):
        return
    outs = [each for each in arguments if each.place is Place.OUT]
    if buffer.is_written and len(outs) != 1:
        scope.error("WG088", "the length that C writes has no place here", span, "write &length where C takes it")
    elif outs and not buffer.is_written:
        hint = 'write length: "&length", or drop it'
        scope.error("WG088", "nothing is written: the call returns all that there is", outs[0].span, hint)


_EXPRESSIONS = {
    "length": "; or an expression that has one, as cpp: std::string_view(lib_data(self), lib_size(self))",
    "release": "; or a cpp_body that copies it, releases it, and returns the copy",
    "list": "; or an expression that has one, as cpp: std::vector<int>(at, at + count)",
}
"""Other ways to say how long a result is, by what the entry says."""


# --- memory that the call makes or has --------------------------------------------------------------------------------


def _handed_over(
    entry: Map, scope: Scope, signature: Signature, *, is_status: bool, writes: bool | None
) -> Allocated | Returned | None:
    """Memory whose address the call returns, or writes."""
    returns = signature.returns
    key = "release" if entry.get("release") is not None else "length"
    where = scope.document.key_span(entry, key if key in entry else "cpp")
    if not lies_in_memory(returns):
        hint = "return text, bytes or [T]; what releases a handle is said where its type is"
        scope.error("WG088", f"{key!r} is for text, bytes and lists, and this is {returns}", where, hint)
        return None
    length = scope.expression(entry, "length") if entry.get("length") is not None else ""
    in_call = not length and "length" in names_written(entry, scope)
    if in_call and not writes:
        length = _WRITTEN
    is_run = is_text_or_none(returns) or is_bytes(without_optional(returns))
    is_written = is_status or bool(writes) or (is_bytes(without_optional(returns)) and writes is None)
    if length == "value" and is_run:
        return Allocated(_written_release(entry, scope), Written.RESULT)
    if not length and is_run and (key == "release" or in_call) and is_written:
        return Allocated(_written_release(entry, scope), Written.ALL)
    if not length and not is_text_or_none(returns):
        hint = 'say it: length: lib_size(value); or length: "&length", where C writes it through a pointer'
        hint += _EXPRESSIONS[key if is_run or key == "release" else "list"]
        fixes = (with_value(entry, "length", f'"{_WRITTEN}"', "C writes it through a pointer", scope),)
        message = f"the spec does not say the length of the {returns}"
        scope.error("WG088", message, where, hint, fixes=fixes)
    is_length_written = length == _WRITTEN
    may_be_written = not length and writes is None
    return Returned(_release(entry, scope), "" if is_length_written else length, is_length_written, may_be_written)


def _release(entry: Map, scope: Scope) -> str:
    """What releases memory; empty where the library keeps it."""
    said = scope.text(entry, "release").strip()
    return "" if said in ("", NOTHING) else called(said, "value")


def _written_release(entry: Map, scope: Scope) -> str:
    """The same of memory whose address the call writes; empty where the entry says nothing of it."""
    return _release(entry, scope) or (_KEPT if entry.get("release") is not None else "")


# --- buffers ----------------------------------------------------------------------------------------------------------


def _buffer(entry: Map, scope: Scope, signature: Signature) -> Buffer | None:
    """The buffer that the call fills."""
    returns = signature.returns
    span = scope.document.key_span(entry, "capacity")
    if not (is_text(returns) or is_bytes(returns)):
        is_missing = is_text(without_optional(returns)) or is_bytes(without_optional(returns))
        way = "a buffer is always there: drop the `?`, or write a lambda" if is_missing else "return text or bytes"
        if is_list_of_numbers(returns):
            size = scope.text(entry, "capacity") or "n"
            made = f"array[{str(returns)[1:-1]}; {size}]"
            way += f"; of numbers, -> {made} without `capacity`, and `out` in the call: memory that C fills"
        items = zip(item_names(returns), parts(returns), strict=False)
        filled = next((name for name, each in items if name != "out" and (is_text(each) or is_bytes(each))), "")
        if filled:
            way = f"say which item it is: capacity: {{{filled}: {scope.text(entry, 'capacity') or 'size'}}}"
            way += f", and write the call, in which {filled} is the buffer"
        scope.error("WG085", "a buffer that becomes neither text nor bytes", span, way)
        return None
    said = scope.expression(entry, "length") if entry.get("length") is not None else ""
    length = Written.RESULT if said == "value" else Written.SAID if said else Written.FOUND
    if length is Written.SAID:
        _check_said(entry, scope, signature, said)
    said = said * (length is Written.SAID)
    capacity = scope.expression(entry, "capacity")
    if capacity == ASK:
        return _asking(entry, scope, signature, length, said)
    return _of_capacity(entry, scope, signature, capacity, Buffer(capacity, length, said=said))


def _check_said(entry: Map, scope: Scope, signature: Signature, said: str) -> None:
    """A name by itself is one that is known."""
    known = ("value", "capacity", *(p.name for p in signature.parameters))
    if said == _WRITTEN:
        hint = "drop it: where C has a pointer to the capacity, what it leaves there is the length"
        scope.error("WG085", "the length of a buffer has no place of its own", scope.span(entry, "length"), hint)
    elif names.is_identifier(said) and said not in {*known, "out"}:
        ways = f"write a parameter, or `value`, which the call returns; or C++: ({said})"
        nearest = did_you_mean(said, known) or ways
        scope.error("WG085", f"{said!r} does not say how much is filled", scope.span(entry, "length"), nearest)


def _of_capacity(entry: Map, scope: Scope, signature: Signature, capacity: str, found: Buffer) -> Buffer | None:
    integers = [p.name for p in signature.parameters if is_integer(p.type)]
    dimensions = [each for p in signature.parameters for each in dimensions_of(without_optional(p.type))]
    is_computed = not names.is_identifier(capacity) or (capacity in dimensions and capacity not in integers)
    if not is_computed and capacity not in integers:
        hint = did_you_mean(capacity, integers) or (
            f"declare a parameter for it: {capacity}: usize; or, where it is C++: capacity: ({capacity})"
        )
        where = scope.span(entry, "capacity")
        scope.error("WG085", f"the capacity {capacity!r} is no integer parameter", where, hint)
        return None
    grow = scope.expressions(entry, "grow")
    if not grow and entry.get("grow") is not None:
        hint = "name those at which the buffer was too small: grow: [LIB_SMALL]; or drop it"
        scope.error("WG085", "`grow` without statuses", scope.document.key_span(entry, "grow"), hint)
    return Buffer(capacity, found.length, is_computed, grow, found.said)


def _asking(entry: Map, scope: Scope, signature: Signature, length: Written, said: str) -> Buffer | None:
    """A buffer as large as the call says where it is given none; the call is made twice."""
    span = scope.span(entry, "capacity")
    if entry.get("grow") is not None:
        related = (scope.document.key_span(entry, "grow"), "`grow` is here")
        hint = "keep `ask`, where the call says the size when it is given a null buffer; or grow, with a first capacity"
        scope.error("WG085", "a buffer of the size that the call says is never too small", span, hint, related)
    for p in signature.parameters:
        twice = ""
        if p.name == ASK:
            twice = f"{ASK!r} is a parameter, too: rename it, or write capacity: ({ASK})"
        elif p.mode is Mode.TAKE:
            twice = f"the call is made twice, and takes {p.name!r} the first time"
        elif p.is_inout:
            twice = f"the call is made twice, and changes {p.name!r} the first time"
        elif any(each.scope in (Lasting.ONCE, Lasting.DESTROY) for each in p.callbacks):
            twice = f"the call is made twice, and {p.name!r} is the library's from the first time on"
        if twice:
            hint = "say how large the buffer is: capacity: 64, with grow: [LIB_SMALL] where that may be too small"
            scope.error("WG085", twice, span, hint, (p.span, f"{p.name!r} is here"))
    return Buffer("", length, is_computed=True, said=said, asks=True)
