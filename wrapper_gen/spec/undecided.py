"""`TODO` as a value: what a spec leaves open, with the ways to decide that the schema knows."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from wrapper_gen.diagnostics import Diagnostic, Fix, Span
from wrapper_gen.resources import SCHEMA
from wrapper_gen.spec.document import Document

_OPEN = "TODO"
_WORD = re.compile(r"\bTODO\b")
_SIGNATURES = ("def", "type", "return")
"""Keys whose text has types in it, each of which may be open."""
_TYPES = "write a type: i64, text, bytes, [T], {K: V}, or a handle type, an enum or a struct of this spec"
_EXPRESSION = "write what releases it, an expression over value: lib_free(value)"
_HINTS = {
    **dict.fromkeys((*_SIGNATURES, "is"), _TYPES),
    **dict.fromkeys(("free", "cpp_drop"), _EXPRESSION),
    **dict.fromkeys(("cpp_fn", "cpp_method"), "write the name of what C++ calls"),
    "cpp_body": "write the statements",
    "cpp_type": "write the C++ type",
}
_MEANINGS = {
    ("mode", "borrow"): "the call only uses it",
    ("mode", "take"): "the call consumes it",
    ("mode", "share"): "the library adds a reference of its own",
    ("thread", "any"): "several threads may call it at the same time",
    ("thread", "exclusive"): "one call at a time",
    ("transfer", "none"): "it stays the library's own",
    ("scope", "call"): "C++ calls it only while this call runs",
    ("scope", "held"): "while C++ keeps a copy",
    ("scope", "once"): "C++ calls it once",
    ("scope", "destroy"): "until C calls the destroy callback",
    ("scope", "object"): "until the handle is closed",
}
"""What a value of the schema decides."""


def undecided(document: Document) -> list[Diagnostic]:
    """Every place where the spec says `TODO`; nothing else that is found there matters."""
    if _OPEN not in document.source.text:
        return []
    choices = _choices()
    return [_finding(span, key, choices.get(key, ())) for span, key in _places(document)]


def _finding(span: Span, key: str, values: Sequence[str]) -> Diagnostic:
    fixes = tuple(Fix(_MEANINGS.get((key, value), key), span, value) for value in values)
    known = f"write one of {', '.join(values)}" if values else f"say what {key!r} is, or leave it out"
    hint = _HINTS.get(key, known)
    what = "a type of this signature" if key == "def" else repr(key)
    return Diagnostic("WG102", f"{what} is not decided", span, hint, fixes=fixes)


def _places(document: Document) -> Iterator[tuple[Span, str]]:
    """Where an open value stands, and its key; of a list's item, the list's key."""
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
                yield from ((span, own) for span in _within(document, container, key, own, value))


def _within(document: Document, container: Any, key: str | int, name: str, value: str) -> Iterator[Span]:
    if value.strip() == _OPEN:
        yield document.span(container, key)
    elif name in _SIGNATURES:
        text = document.text(container, key)
        yield from (document.part(container, key, found.start(), found.end()) for found in _WORD.finditer(text))


def _choices() -> dict[str, tuple[str, ...]]:
    """The values that the schema lists, by key."""
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
    return found


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
