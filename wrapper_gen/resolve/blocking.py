"""Which calls let other threads run: those that say `blocking`, or whose class or library says it."""

from __future__ import annotations

from collections.abc import Mapping

from wrapper_gen.resolve.scope import Map, Scope


def is_blocking(entry: Map, scope: Scope, handle: str | None) -> bool:
    """Whether the GIL is released during the call."""
    return bool(entry.get("async") or _saying(entry, scope, handle).get("blocking"))


def read_blocking(entry: Map, scope: Scope, handle: str | None) -> object:
    """What is said of it: by the entry, else by its class, else by the library."""
    container = _saying(entry, scope, handle)
    found: object = container.get("blocking")
    if found == "overridden" and not scope.names.interfaces:
        where = scope.document.span(container, "blocking")
        hint = "say blocking: true, or say which methods Python overrides: virtual area() -> f64"
        scope.error("WG200", "nothing overrides virtual functions here", where, hint)
    return found


def _saying(entry: Map, scope: Scope, handle: str | None) -> Map:
    """The mapping that says it; the entry where none does."""
    library = scope.document.data.get("wrapper_lib")
    owner = scope.names.handle_entries.get(handle) if handle else None
    listed = [each for each in (entry, owner, library) if isinstance(each, Mapping)]
    return next((each for each in listed if each.get("blocking") is not None), entry)
