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


def place_about_parameter(entry: Map, name: str, scope: Scope) -> KeyPlace | None:
    """Where a key about a parameter can be put in; None where the spec says something of it in another form."""
    about = entry.get("params")
    if about is None and "params" not in entry:
        return place_of_key(entry, scope, f"params: {{{name}: {{", "}}")
    if isinstance(about, list):
        about = {each["name"]: each for each in about if isinstance(each, dict) and isinstance(each.get("name"), str)}
        return place_of_key(about[name], scope) if name in about else None
    if not isinstance(about, dict):
        return None
    if name not in about:
        return place_of_key(about, scope, f"{name}: {{", "}")
    return place_of_key(about[name], scope) if isinstance(about[name], dict) else None
