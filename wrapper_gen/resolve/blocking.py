"""Which calls, and which releases, let other threads run: those that say `blocking`, or whose class or library does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from wrapper_gen.model.inheritance import bases
from wrapper_gen.resolve.scope import Map, Scope

_RELEASE = "release"


def is_blocking(entry: Map, scope: Scope, handle: str | None) -> bool:
    """Whether the GIL is released during the call."""
    return bool(entry.get("async") or _of_entries(_saying(entry, scope, handle)))


def read_blocking(entry: Map, scope: Scope, handle: str | None) -> object:
    """What is said of it: by the entry, else by its class, else by the library."""
    container = _saying(entry, scope, handle)
    found = _of_entries(container)
    if found == "overridden" and not scope.names.interfaces:
        where = scope.document.span(container, "blocking")
        hint = "say blocking: true, or say which methods Python overrides: virtual area() -> f64"
        scope.error("WG200", "nothing overrides virtual functions here", where, hint)
    return found


def releases_blocking(entry: Map, scope: Scope, name: str) -> tuple[bool, Map | None]:
    """Whether releasing an object may wait, and the class that says it; None where the library or nobody does."""
    for each in (entry, *(scope.names.handle_entries[base] for base in bases(name, scope.names.extends))):
        said = _of_release(each)
        if said is not None:
            return said, each
    library = scope.document.data.get("wrapper_lib")
    return (_of_release(library) or False) if isinstance(library, Mapping) else False, None


def check_blocking(about: Map, scope: Scope) -> None:
    """What a class or the library says of its calls, and of releasing objects, is something."""
    said = about.get("blocking")
    if isinstance(said, str) and said not in ("overridden", _RELEASE):
        message = f"blocking {said!r} is not supported: it can be true, false, overridden or {_RELEASE}"
        hint = f"for example blocking: true; or a list, blocking: [true, {_RELEASE}]"
        scope.error("WG013", message, scope.document.span(about, "blocking"), hint)


def _saying(entry: Map, scope: Scope, handle: str | None) -> Map:
    """The mapping that says it; the entry where none does."""
    return next((each for each in _around(entry, scope, handle) if _of_entries(each) is not None), entry)


def _around(entry: Map, scope: Scope, handle: str | None) -> Iterator[Map]:
    library = scope.document.data.get("wrapper_lib")
    owner = scope.names.handle_entries.get(handle) if handle else None
    yield from (each for each in (entry, owner, library) if isinstance(each, Mapping))


def _of_entries(about: Map) -> object:
    """What `blocking` says of calls; None where it says nothing of them."""
    said: object = about.get("blocking")
    if isinstance(said, list):
        return next((each for each in said if each != _RELEASE), False)
    return None if said == _RELEASE else said


def _of_release(about: Map) -> bool | None:
    """What `blocking` says of releasing an object; None where it says nothing of that."""
    said = about.get("blocking")
    return _RELEASE in said if isinstance(said, list) else True if said == _RELEASE else None
