"""Results that lie in memory: buffers that the call fills, memory that it hands over or whose address it returns."""

from __future__ import annotations

from collections.abc import Sequence

from wrapper_gen import names
from wrapper_gen.diagnostics import Span, did_you_mean
from wrapper_gen.expressions import called
from wrapper_gen.model import Allocated, Argument, Buffer, Place, Returned, Written
from wrapper_gen.resolve.filled import how_much_is_filled
from wrapper_gen.resolve.fixes import with_value
from wrapper_gen.resolve.parameters import Signature
from wrapper_gen.resolve.scope import Map, Scope
from wrapper_gen.types.memory import lies_in_memory
from wrapper_gen.types.queries import is_bytes, is_integer, is_text, is_text_or_none, without_optional


def read_buffer(entry: Map, scope: Scope, signature: Signature) -> Buffer | Allocated | Returned | None:
    """What `out`, or `free` and `length`, say of the result of a call."""
    returned = [key for key in ("free", "length") if entry.get(key) is not None]
    if not returned:
        return _buffer(entry, scope, signature) if "out" in entry else None
    where = scope.document.key_span(entry, returned[0])
    for key in ("out", "stream", "result"):
        if entry.get(key) is not None:
            related = (scope.document.key_span(entry, key), f"`{key}` is here")
            scope.error(
                "WG075", f"{returned[0]!r} stands beside {key!r}, which says the result", where, "keep one", related
            )
            return None
    if not lies_in_memory(signature.returns):
        hint = "return text, bytes or [T]; what a handle needs is its `cpp_drop`"
        scope.error(
            "WG088", f"{returned[0]!r} is for text, bytes and lists, and this is {signature.returns}", where, hint
        )
        return None
    length = scope.expression(entry, "length") if "length" in returned else ""
    if not length and not is_text_or_none(signature.returns):
        hint = "say it: length: lib_size(value); or length: out, where C writes it through a pointer"
        fixes = (with_value(entry, "length", "out", "C writes it through a pointer", scope),)
        message = f"the spec does not say the length of the {signature.returns}"
        scope.error("WG088", message, where, hint, fixes=fixes)
    is_written = length == "out" and "out" not in {p.name for p in signature.parameters}
    free = called(scope.text(entry, "free"), "value") if "free" in returned else ""
    return Returned(free, "" if is_written else length, is_written)


def check_no_buffer(entry: Map, scope: Scope) -> None:
    """A lambda or a body has its own way."""
    for key, code, hint in (
        ("out", "WG082", "drop it: a lambda or a body fills its buffers itself"),
        ("free", "WG088", "drop it: a lambda or a body returns a value of its own, and releases what it read"),
        ("length", "WG088", "drop it: a lambda or a body returns a value that knows its length"),
    ):
        if entry.get(key) is not None:
            scope.error(code, f"`{key}` is for functions by name", scope.document.key_span(entry, key), hint)


def check_written_length(
    buffer: Buffer | Allocated | Returned | None, arguments: Sequence[Argument], span: Span, scope: Scope
) -> None:
    """The length that C writes has a place in C's order, and nothing else has one there."""
    if not isinstance(buffer, Returned):
        return
    outs = [each for each in arguments if each.place is Place.OUT]
    if buffer.is_written and len(outs) != 1:
        scope.error("WG088", "the length that C writes has no place here", span, "add `out` where it stands")
    elif outs and not buffer.is_written:
        hint = "write length: out, or drop it"
        scope.error("WG088", "nothing is written: the call returns all that there is", outs[0].span, hint)


def _buffer(entry: Map, scope: Scope, signature: Signature) -> Buffer | Allocated | None:
    """The buffer that the call fills, or hands over."""
    about: Map = entry["out"]
    length = scope.text(about, "length")
    span = scope.document.key_span(entry, "out")
    returns = without_optional(signature.returns) if "free" in about else signature.returns
    if not (is_text(returns) or is_bytes(returns)):
        is_missing = is_text(without_optional(returns)) or is_bytes(without_optional(returns))
        way = "a buffer is always there: drop the `?`, or write a lambda" if is_missing else "return text or bytes"
        scope.error("WG085", "a buffer that becomes neither text nor bytes", span, way)
    if "free" in about:
        return _allocated(about, scope, length)
    capacity = scope.expression(about, "capacity")
    integers = [p.name for p in signature.parameters if is_integer(p.type)]
    is_computed = not names.is_identifier(capacity)
    if not is_computed and capacity not in integers:
        hint = did_you_mean(capacity, integers) or (
            f"declare a parameter for it: {{name: size, type: usize}}; or, where it is C++: capacity: ({capacity})"
        )
        scope.error("WG085", f"the capacity {capacity!r} is no integer parameter", scope.span(about, "capacity"), hint)
        return None
    written = how_much_is_filled(about, scope, "WG085", "the call's value", capacity)
    grown: Map = about.get("grow") or {}
    return Buffer(capacity, written, is_computed, scope.expressions(grown, "when") if grown else ())


def _allocated(about: Map, scope: Scope, length: str) -> Allocated:
    if length not in ("", "result"):
        hint = "`result`, the call's value; or nothing, where C writes it, or a NUL ends it"
        scope.error("WG085", f"{length!r} does not say how much there is", scope.span(about, "length"), hint)
    if "grow" in about:
        where = scope.document.key_span(about, "grow")
        scope.error("WG085", "memory that the call allocates does not grow", where, "drop `grow`")
    return Allocated(called(scope.text(about, "free"), "value"), Written.RESULT if length == "result" else Written.ALL)
