"""`TODO` as a value: what a spec leaves open, with the ways to decide that the schema knows."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from wrapper_gen.diagnostics import Diagnostic, Fix, Span
from wrapper_gen.resources import SCHEMA
from wrapper_gen.spec.document import Document

OPEN = "TODO"
"""What stands where a person has to decide."""
_WORD = re.compile(r"\bTODO\b")
_SIGNATURES = ("def", "type", "return")
"""Keys whose text has types in it, each of which may be open."""
_TYPES = "write a type: i64, text, bytes, [T], {K: V}, or a handle type, an enum or a struct of this spec"
_SIGNATURE = "write the signature: name(size: i64) -> text"
_OF_TYPES = ("fields", "cases", "type", "return")
"""Keys of which what stands below are types."""
_EXPRESSION = "write what releases it, an expression over value: lib_free(value)"
_HINTS = {
    **dict.fromkeys(_SIGNATURES, _TYPES),
    **dict.fromkeys(("free", "release"), _EXPRESSION),
    "cpp": "write the name of what C++ calls, or the call",
    "cpp_body": "write the statements",
    "doc": "say what 'doc' is, or leave it out",
    "length": 'write an expression over `value`, h and the parameters; or "&length", where C writes it',
    "cpp_type": "write the C++ type",
    "takes": "name the parameters that the call takes away, or leave it out",
}
_MEANINGS = {
    ("thread", "any"): "several threads may call it at the same time",
    ("thread", "exclusive"): "one call at a time",
    ("release", "nothing"): "it stays the library's own",
    ("doc", '""'): "it has no documentation",
    ("raises", "nothing"): "the status does not matter",
    ("length", "value"): "the call returns it",
    ("length", '"&length"'): "C writes it through a pointer",
    ("scope", "call"): "C++ calls it only while this call runs",
    ("scope", "held"): "while C++ keeps a copy",
    ("scope", "once"): "C++ calls it once",
    ("scope", "destroy"): "until C calls the destroy callback",
    ("scope", "object"): "until the handle is closed",
}
"""What a value of the schema decides."""


def undecided(document: Document) -> list[Diagnostic]:
    """Every place where the spec says `TODO`; nothing else that is found there matters."""
    if OPEN not in document.source.text and not document.reasons:
        return []
    choices, reasons = _choices(document.data), dict(document.reasons)
    return [_finding(place, choices, reasons.get(place.span, "")) for place in _places(document)]


def _finding(place: _Place, choices: Mapping[str, Sequence[str]], reason: str) -> Diagnostic:
    span, key, above, is_part = place
    chosen = f"{above}.{key}" if f"{above}.{key}" in choices else key
    values = choices.get(chosen, ())
    fixes = tuple(Fix(_MEANINGS.get((chosen, value), key), span, value) for value in values)
    known = f"write one of {', '.join(values)}" if values else f"say what {key!r} is, or leave it out"
    hint = _TYPES if above in _OF_TYPES else _HINTS.get(chosen, known)
    what = "a type of this signature" if key == "def" and is_part else repr(key)
    if key == "def" and not is_part:
        hint = _SIGNATURE
    return Diagnostic("WG102", f"{what} is not decided", span, reason or hint, fixes=fixes)


class _Place(NamedTuple):
    """Where an open value stands, its key (of a list's item, the list's), and the key that this stands below."""

    span: Span
    key: str
    above: str
    is_part: bool
    """Whether it is a part of a text."""


def _places(document: Document) -> Iterator[_Place]:
    seen: set[int] = set()
    waiting: list[tuple[Any, str]] = [(document.data, "")]
    while waiting:
        container, name = waiting.pop()
        if id(container) in seen:
            continue
        seen.add(id(container))
        keys = container if isinstance(container, dict) else range(len(container))
        for key in keys:
            value, own = container[key], key if isinstance(key, str) else name
            if isinstance(value, dict | list):
                waiting.append((value, own))
            elif isinstance(value, str):
                found = _within(document, container, key, own, value)
                yield from (_Place(span, own, name, is_part) for span, is_part in found)


def _within(document: Document, container: Any, key: str | int, name: str, value: str) -> Iterator[tuple[Span, bool]]:
    if value.strip() == OPEN:
        yield document.span(container, key), False
    elif name in _SIGNATURES:
        text = document.text(container, key)
        found = _WORD.finditer(text)
        yield from ((document.part(container, key, each.start(), each.end()), True) for each in found)


def _choices(data: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """The values that a key can have, by key: those that the schema lists, and names that the spec has."""
    handles = _names(data, "handle_types", "name")
    labels = _names(data, "errors", "label", having="ok")
    statuses = (*(n for n in _names(data, "errors", "name", having="ok") if n not in labels), *labels)
    found: dict[str, tuple[str, ...]] = {}
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    waiting: list[Any] = [schema]
    while waiting:
        about = waiting.pop()
        if isinstance(about, dict):
            for key, below in about.get("properties", {}).items():
                values = _listed(below, schema) if isinstance(below, dict) else ()  # examples have keys as well
                if values:
                    found[key] = values
            waiting += about.values()
        elif isinstance(about, list):
            waiting += about
    return found | {
        "belongs_to": handles,
        "extends": (*handles, *_names(data, "structs", "name")),
        "raises": (*statuses, "nothing"),
        "doc": ('""',),
        "length": ("value",),
        "thread": ("exclusive", "any"),
    }


def _names(data: Mapping[str, Any], section: str, key: str, *, having: str = "") -> tuple[str, ...]:
    entries = data.get(section)
    listed = [each for each in entries if isinstance(each, dict)] if isinstance(entries, list) else []
    found = (each.get(key) for each in listed if not having or having in each)
    return tuple(each for each in found if isinstance(each, str) and each != OPEN)


def _listed(about: dict[str, Any], schema: dict[str, Any]) -> tuple[str, ...]:
    if "$ref" in about:
        about = schema["$defs"][about["$ref"].removeprefix("#/$defs/")]
    if set(about.get("type", ())) in ({"boolean"}, {"boolean", "null"}):
        return ("true", "false")
    return tuple(value for value in about.get("enum", ()) if isinstance(value, str))


def without(findings: Sequence[Diagnostic], open_: Sequence[Diagnostic]) -> list[Diagnostic]:
    """The findings that stand nowhere where the spec is open."""
    lines: dict[int, list[Span]] = {}
    for each in open_:
        lines.setdefault(each.span.line, []).append(each.span)
    return [each for each in findings if not any(_meet(each.span, span) for span in lines.get(each.span.line, ()))]


def _meet(one: Span, other: Span) -> bool:
    return one.column < max(other.end_column, other.column + 1) and other.column < max(one.end_column, one.column + 1)
