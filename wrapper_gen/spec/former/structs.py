"""What C++ makes a struct of, and what options start as: `make` says both; and what reads and sets a field."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from wrapper_gen.expressions import called, mentions
from wrapper_gen.spec.former.walk import At

_NAME = re.compile(r"[A-Za-z_]\w*\Z")
_MEMBER = re.compile(r"[A-Za-z_]\w*(?:(?:\.|->)[A-Za-z_]\w*)*\Z")
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


def accessors(at: At) -> None:
    """`accessors: true, fields: {x: f64}` → `fields: {x: {type: f64, cpp: x()}}`."""
    fields = at.container.get("fields")
    if not isinstance(at.value, bool | None) or not isinstance(fields, dict):
        return
    for name in fields if at.value else ():
        about = fields[name]
        if not (isinstance(about, dict) and "type" in about):
            at.rewriter.wrap(fields, name, "type")
            about = fields[name]
        if not about.keys() & {"cpp", "get", "length"}:
            at.rewriter.insert(about, "cpp", f"{name}()", because="type")
    at.remove()


def getter(at: At) -> None:
    """`get: across` → `cpp: across()`; `get: value.low` → `cpp: (value.low)`, which is no member `value.low`."""
    if at.section != "structs" or "cpp" in at.container or not isinstance(at.value, str):
        return
    text = at.value.strip()
    if _NAME.match(text):
        at.replace(f"{text}()")
    elif _MEMBER.match(text):
        at.replace(f"({text})")
    at.rename("cpp")


def reference(at: At) -> None:
    """`mut: border_at` → `set: border_at()`, which gives a reference to what is set."""
    if at.section != "structs" or "set" in at.container or not isinstance(at.value, str):
        return
    text = at.value.strip()
    if _NAME.match(text):
        at.replace(f"{text}()")
    elif mentions(text, *_name_of_field(at)):
        return
    at.rename("set")


def _name_of_field(at: At) -> tuple[str, ...]:
    """The name of the field that a mapping is."""
    fields = at.around[-1].get("fields") if at.around else None
    if not isinstance(fields, dict):
        return (str(at.container["name"]),) if "name" in at.container else ()
    return tuple(name for name, about in fields.items() if about is at.container)


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
