"""Types in a spec: read by `types.parse`, reported where they stand."""

from __future__ import annotations

from collections.abc import Callable

from wrapper_gen.diagnostics import Span
from wrapper_gen.resolve.scope import Scope
from wrapper_gen.types import parse
from wrapper_gen.types.model import Type


def parse_type(text: str, span: Span, scope: Scope) -> Type | None:
    """The type that `text` spells, or None after reporting what is wrong with it."""
    return parse_part(text, lambda start, end: _within(span, text, start, end, scope), scope)


def parse_part(text: str, place: Callable[[int, int], Span], scope: Scope) -> Type | None:
    """The same for a type of which `place` knows where each part stands."""
    known = (text, scope.handles, scope.structs, len(scope.enums))  # names of types are added, never taken away
    try:
        if known not in scope.parsed:
            scope.parsed[known] = parse.parse_type(text, parse.Known(scope.handles, scope.enums, scope.structs))
        return scope.parsed[known]
    except parse.BadType as bad:
        scope.error(bad.code, bad.message, place(bad.start, bad.end), bad.hint)
        return None


def _within(span: Span, text: str, start: int, end: int, scope: Scope) -> Span:
    """The part of a type that is wrong; all of it where quoting or several lines hide where that is."""
    is_whole = start == 0 and end == len(text)
    column = span.column - 1
    line = scope.document.source.line(span.line)
    column += line[column : column + 1] in ('"', "'")
    if is_whole or not line.startswith(text, column):
        return span
    return span._replace(column=column + start + 1, end_column=column + end + 1)
