"""`deprecated` of an entry: what to use in its place."""

from __future__ import annotations

from wrapper_gen.resolve.scope import Map, Scope


def read_deprecated(entry: Map, scope: Scope) -> str:
    """What it says, on one line; empty where the entry is not deprecated."""
    text = " ".join(scope.text(entry, "deprecated").split())
    if entry.get("deprecated") is not None and not text:
        hint = "say what to use in its place: deprecated: use scan()"
        scope.error("WG012", "`deprecated` says nothing", scope.span(entry, "deprecated"), hint)
    return text
