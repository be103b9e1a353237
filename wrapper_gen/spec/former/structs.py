"""What C++ makes a struct of, and what options start as: `make` says both."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from wrapper_gen.expressions import called, mentions
from wrapper_gen.spec.former.walk import At

_LEFT = "say what it starts as without the name of a field, which `make` would be made of: by a function of cpp_prelude"


def init(at: At) -> None:
    """`init: LIB_INIT` → `make: LIB_INIT`, which names no field."""
    if not isinstance(at.value, str) or at.container.get("make") is not None:
        return
    is_of_fields = mentions(at.value, *_fields(at))
    at.rename("make")
    if is_of_fields:
        at.rewriter.undecided(at.container, "make", _LEFT)


def make(at: At) -> None:
    """`make: geo::span` → `make: "geo::span(first, last)"`: a name alone is what options start as."""
    if not isinstance(at.value, str) or _is_options(at):
        return
    text = called(at.value, *_fields(at))
    if text != at.value.strip():
        at.replace(text)


def _fields(at: At) -> tuple[str, ...]:
    """The names of the fields, those of its bases first."""
    listed = at.spec.get("structs")
    structs = (
        {str(each.get("name")): each for each in listed if isinstance(each, dict)} if isinstance(listed, list) else {}
    )
    found: tuple[str, ...] = ()
    struct: Mapping[str, Any] | None = at.container
    while struct is not None and isinstance(struct.get("fields"), dict):
        found = (*map(str, struct["fields"]), *found)
        struct = structs.pop(str(struct.get("extends")), None)
    return found


def _is_options(at: At) -> bool:
    """Whether a call takes it field by field, or may do so in a row of `for`."""
    name = str(at.container.get("name"))
    pattern = re.compile(rf"\*\*(?:\s*\w+\s*:)?\s*(?:{re.escape(name)}\b|\$)")
    return "$" in name or any(
        pattern.search(str(each.get("def"))) or _has_options(each.get("params"), name)
        for section in ("functions", "methods", "handle_types", "interfaces", "structs")
        for each in _entries(at.spec.get(section))
    )


def _has_options(params: object, name: str) -> bool:
    return isinstance(params, list) and any(
        isinstance(each, dict) and each.get("type") == name and each.get("options") is True for each in params
    )


def _entries(listed: object) -> Iterator[Mapping[str, Any]]:
    """All entries of a section, and those within them."""
    for each in listed if isinstance(listed, list) else ():
        if isinstance(each, dict):
            yield each
            yield from _entries(each.get("entries"))
            yield from _entries(each.get("methods"))
