"""Classes that Python overrides, and what a method is, which keys said beside its name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from wrapper_gen.spec.former.rewriter import Rewriter
from wrapper_gen.spec.former.walk import At

_WORD = re.compile(r"\s*(?:virtual|abstract|optional)\b(?!\s*\()")
_STATIC = re.compile(r"\s*(?:static|protected)\b(?!\s*\()")
_NAME = re.compile(r"\s*(?:[\w${}]+\s*\.\s*)?([\w$]+|\$\{\w+\})*")


def static(at: At) -> None:
    """`{def: "open()", static: true}` → `{def: "static open()"}`."""
    if at.value is True:
        _say(at.rewriter, at.container, "static")
    at.remove()


def overridden(at: At) -> None:
    """Of an interface: `{def: "area()", abstract: true}` → `{def: "abstract area()"}`, `virtual: false` → no word."""
    owner = at.container.get("name")
    for entry in _entries(at.value):
        if entry.get("static"):
            continue
        said = [key for key in ("abstract", "optional") if entry.get(key)]
        if entry.get("virtual") is not False and _name(entry) != owner:
            _say(at.rewriter, entry, " ".join(said or ["virtual"]))
            said = []
        for key in [each for each in ("virtual", "abstract", "optional") if each in entry and each not in said]:
            at.rewriter.remove(entry, key)


def protected(at: At) -> None:
    """`{def: "f()", protected: true}` → `{def: "protected f()"}`; of a virtual function C++ tells it."""
    text = _text(at.container, "def") or _text(at.container, "name")
    if _STATIC.match(text) or not isinstance(at.value, bool | None):
        return
    if at.value and not _WORD.match(text):
        _say(at.rewriter, at.container, "protected")
    at.remove()


def interfaces(at: At) -> None:
    """`interfaces: […]` → `handle_types: […]`."""
    if at.value is None:
        at.remove()
    elif at.spec.get("handle_types") is None:
        if "handle_types" in at.spec:
            at.rewriter.remove(at.spec, "handle_types")
        at.rename("handle_types")
    elif isinstance(at.value, list) and isinstance(at.spec["handle_types"], list):
        at.rewriter.append(at.container, at.key, at.spec["handle_types"])


def thread(at: At) -> None:
    """`thread_safe: true` → `thread: any`."""
    if at.value is True:
        at.replace("any")
        at.rename("thread")
    elif at.value in (False, None):
        at.remove()


def identity(at: At) -> None:
    """`identity: pointer` → `identity: true`."""
    if at.value == "pointer":
        at.replace(True)


def properties(at: At) -> None:
    """`properties: {size: {type: i64, get: count}}` → `fields: {size: {type: i64, cpp: count}}`."""
    at.rename("fields")


def getter(at: At) -> None:
    """`get: count` → `cpp: count`; `get: {cpp_fn: size, raises: status}` → these keys in its place."""
    rewriter, about = at.rewriter, at.container
    if not isinstance(at.value, dict):
        at.rename("cpp")
        return
    said = at.value
    if "doc" in said and "doc" in about:
        rewriter.remove(about, "doc")
    after = at.key
    for key in [each for each in said if each not in about]:
        rewriter.move(said, key, about, key, after=after)
        after = key
    at.remove()


def _entries(listed: object) -> Iterator[dict[str, Any]]:
    """The methods of a list, and those that a `for` repeats."""
    for each in listed if isinstance(listed, list) else ():
        if isinstance(each, dict):
            yield from _entries(each["entries"]) if isinstance(each.get("entries"), list) else (each,)


def _name(entry: dict[str, Any]) -> str:
    found = _NAME.match(_text(entry, "def")) if "def" in entry else None
    return (found[1] or "") if found else _text(entry, "name")


def _say(rewriter: Rewriter, entry: dict[str, Any], word: str) -> None:
    """Put a word before the name of a method."""
    key = "def" if "def" in entry else "name"
    text = _text(entry, key)
    if text:
        rewriter.replace(entry, key, f"{word} {text}", (f"{word} ", (0, len(text))))


def _text(entry: dict[str, Any], key: str) -> str:
    return entry[key] if isinstance(entry.get(key), str) else ""
