"""What entries call what they declare, read before anything of them is checked: some rules depend on all names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set

from wrapper_gen.frozen import frozen, replace
from wrapper_gen.resolve.scope import Map, SpecReader
from wrapper_gen.resolve.signatures import KINDS, OVERRIDDEN

_DEFINED = re.compile(rf"\s*(?:({'|'.join(KINDS)})\s+(?=[A-Za-z_]))?(?:([A-Za-z_]\w*)\s*\.\s*)?([A-Za-z_]\w*)")


@frozen
class EntryName:
    """The name of one function or method."""

    owner: str
    """Its handle type; of a function, its submodule after a dot, or nothing."""
    name: str
    is_called: bool
    """Whether it has parentheses: a property has none."""
    is_overridden: bool = False
    """Whether classes of Python override it."""
    is_constructor: bool = False
    """Whether it has the name of the handle type that it stands in, or of any where it is a function."""


def entry_names(spec: SpecReader, handles: Set[str]) -> Iterator[EntryName]:
    """The name of each function and method that has one, in order; `handles` are all types of handles."""
    for entry in spec.entries("functions"):
        module = _text(entry, "module")
        yield from (
            replace(each, is_constructor=each.name in handles) for each in _of(entry, f".{module}" if module else "")
        )
    for entry in spec.entries("methods"):  # which of them are overridden stands in the class
        yield from (replace(each, is_overridden=False) for each in _of(entry, ""))
    for handle, about in spec.named("handle_types", "name"):
        for entry in spec.items(about, "methods"):
            yield from (replace(each, is_constructor=each.name == handle) for each in _of(entry, handle))


def entry_name(entry: Map) -> str:
    """The name of one entry; nothing where it has none."""
    return next((each.name for each in _of(entry, "")), "")


def _of(entry: Map, owner: str) -> Iterator[EntryName]:
    written = _text(entry, "def")
    if found := _DEFINED.match(written):
        is_called = "(" in written[found.end() :].partition("->")[0]
        yield EntryName(found[2] or owner.strip(), found[3], is_called, found[1] in OVERRIDDEN)


def _text(entry: Map, key: str) -> str:
    """What stands there; nothing where the schema has found something else than text."""
    value = entry.get(key)
    return value if isinstance(value, str) else ""
