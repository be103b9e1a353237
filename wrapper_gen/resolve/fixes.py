"""Replacements that mend a spec: text that is right where it is put in, whatever style of YAML stands there."""

from __future__ import annotations

from wrapper_gen.diagnostics import Fix, KeyPlace
from wrapper_gen.resolve.scope import Map, Scope

HOW_LONG = {
    "call": "C++ calls it only while this call runs",
    "once": "C++ calls it once, later",
    "object": "C++ calls it until the handle is closed",
}
"""What a fix for a callback without `scope` can say, and what that means."""


def place_of_key(entry: Map, scope: Scope, before: str = "", after: str = "") -> KeyPlace:
    """The start of an entry, where a key can be put in."""
    start = scope.document.start(entry)
    line = scope.document.source.line(start.line)
    is_flow = line[start.column - 1 : start.column] == "{"
    column = start.column + is_flow
    return KeyPlace(start._replace(column=column, end_column=column), is_flow, before, after)


def place_of_call(entry: Map, scope: Scope) -> KeyPlace:
    """Where an entry can say its call: the value of its `cpp`, or where that can be put in."""
    if "cpp" not in entry:
        return place_of_key(entry, scope)
    return KeyPlace(scope.document.span(entry, "cpp"), is_flow=False, replaces="cpp")


def with_key(entry: Map, what: str, written: str, scope: Scope) -> Fix:
    """A key, `written` with its value on one line, at the start of an entry.

    Args:
        entry: the mapping.
        what: what the key decides.
        written: `belongs_to: self`.
        scope: its spec.
    """
    return place_of_key(entry, scope).fix(what, written)


def with_value(entry: Map, key: str, value: str, what: str, scope: Scope) -> Fix:
    """The same where the key may be there already, with another value."""
    if key in entry:
        return Fix(what, scope.document.span(entry, key), value)
    return with_key(entry, what, f"{key}: {value}", scope)
