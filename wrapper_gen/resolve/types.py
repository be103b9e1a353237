"""Types in a spec: read by `types.parse`, reported where they stand."""

from __future__ import annotations

import re
from collections.abc import Callable

from wrapper_gen.diagnostics import Fix, Span
from wrapper_gen.model import Counted
from wrapper_gen.resolve.counted import read_counted
from wrapper_gen.resolve.scope import Map, Scope
from wrapper_gen.types import parse
from wrapper_gen.types.model import Type
from wrapper_gen.types.queries import is_iterator

_FN = re.compile(r"\s*fn\s*\(")


def parse_type(
    text: str,
    span: Span,
    scope: Scope,
    *,
    is_parameter: bool = False,
    is_result: bool = False,
    counted: list[Counted] | None = None,
) -> Type | None:
    """The type that `text` spells, or None after reporting what is wrong with it.

    Args:
        text: the type.
        span: where it stands.
        scope: its spec.
        is_parameter: whether it is what a call takes.
        is_result: whether it is what a call returns.
        counted: gets the positions and keys in it; without, the type can have none.
    """

    def place(start: int, end: int) -> Span:
        return _within(span, text, start, end, scope)

    ways = {"is_parameter": is_parameter, "is_result": is_result}
    return parse_part(text, place, scope, **ways, quote=lambda: '"', counted=counted)


def parse_part(
    text: str,
    place: Callable[[int, int], Span],
    scope: Scope,
    *,
    is_parameter: bool = False,
    is_result: bool = False,
    quote: Callable[[], str] = str,
    counted: list[Counted] | None = None,
) -> Type | None:
    """The same for a type of which `place` knows where each part stands; `quote` tells what stands around it."""
    # names of types are added, never taken away
    known = (text, scope.names.handles, scope.names.structs, len(scope.names.enums), len(scope.findings.named_types))
    try:
        if known not in scope.findings.parsed:
            structs = scope.names.structs, scope.names.calling, scope.names.holding
            handles, enums = scope.names.handles - scope.names.foreign, scope.names.enums.keys() - scope.names.foreign
            declared = parse.Known(handles, enums, *structs, scope.findings.named_types, scope.names.used)
            scope.findings.parsed[known] = parse.parse_counted(text, declared)
        found, parts = scope.findings.parsed[known]
        if parts and counted is None:
            message = f"{parts[0].word!r} is for integers that a call takes or returns"
            scope.error("WG129", message, place(parts[0].start, parts[0].end), "write the integer that it is: i64")
            return None
        if counted is not None:
            counted += [read_counted(each, place, scope) for each in parts]
        if is_iterator(found) and not is_result:
            scope.error("WG150", f"{found} is only a result of a call", place(0, len(text)), "use a list: [T]")
            return None
        return found
    except parse.BadType as bad:
        span, hint = place(bad.start, bad.end), bad.hint
        if bad.code == "WG030" and text[bad.start : bad.end] in _callables(scope):
            hint = "callables of `types` are types of parameters: write this type out, fn(…)"
        scope.error(
            bad.code, bad.message, span, hint, fixes=_directions(bad, text, span, quote(), is_parameter=is_parameter)
        )
        return None


def is_callable_entry(entry: Map) -> bool:
    """Whether an entry of `types` is a callable."""
    type_ = entry.get("type")
    return isinstance(type_, str) and _FN.match(type_) is not None


def is_cursor_entry(entry: Map) -> bool:
    """Whether an entry of `types` is a cursor or a linked list."""
    return "next" in entry or "valid" in entry


def _callables(scope: Scope) -> set[str]:
    """The names of the callables of `types`, which are no types before all others are known."""
    return {scope.text(each, "name") for each in scope.entries("types") if is_callable_entry(each)}


def _directions(bad: parse.BadType, text: str, span: Span, quote: str, *, is_parameter: bool) -> tuple[Fix, ...]:
    """What a pointer or a reference can be meant as."""
    if bad.code != "WG033":
        return ()
    from wrapper_gen.types.foreign import directions  # rarely needed: not worth its import on every start

    ways = directions(text, is_parameter=is_parameter)
    return tuple(Fix(what, span, f"{quote}{ours}{quote}") for what, ours in ways)


def _within(span: Span, text: str, start: int, end: int, scope: Scope) -> Span:
    """The part of a type that is wrong; all of it where quoting or several lines hide where that is."""
    is_whole = start == 0 and end == len(text)
    column = span.column - 1
    line = scope.document.source.line(span.line)
    column += line[column : column + 1] in ('"', "'")
    if is_whole or not line.startswith(text, column):
        return span
    return span._replace(column=column + start + 1, end_column=column + end + 1)
