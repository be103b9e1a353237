"""Replacements that mend a spec: text that is right where it is put in, whatever style of YAML stands there."""

from __future__ import annotations

from wrapper_gen.diagnostics import Fix
from wrapper_gen.resolve.scope import Map, Scope


def with_key(entry: Map, what: str, written: str, scope: Scope) -> Fix:
    """A key, `written` with its value on one line, at the start of an entry.

    Args:
        entry: the mapping.
        what: what the key decides.
        written: `keep_alive: h`.
        scope: its spec.
    """
    start = scope.document.start(entry)
    line = scope.document.source.line(start.line)
    is_flow = line[start.column - 1 : start.column] == "{"
    column = start.column + is_flow
    text = f"{written}, " if is_flow else f"{written}\n{' ' * (start.column - 1)}"
    return Fix(what, start._replace(column=column, end_column=column), text)
