"""The class of a method that stands outside of it: `handle` → a name before that of the method, in its `def`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from wrapper_gen.spec.former.entries import classes, start_of_name
from wrapper_gen.spec.former.scalars import FOUND
from wrapper_gen.spec.former.walk import At
from wrapper_gen.spec.offsets import Offsets

_CLASS = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)?|[\w${}]*\$[\w${}]*", re.ASCII)
_VARIABLE = "handle"
"""Of the `for` of a method of several classes."""
_NAME_EACH = "name each once: handle: [Matrix, View]"


def owner(at: At) -> None:
    """`handle: Parser, def: "feed()"` → `def: "Parser.feed()"`; of several, once `for` each."""
    entry, rewriter = at.container, at.rewriter
    text = entry.get("def")
    if not isinstance(text, str):
        at.remove()
        return
    if at.section != "methods":  # what has no class, and says that it has one
        return
    if isinstance(at.value, list):
        places: Offsets = [rewriter.place(entry, at.key)]
        name = f"${_VARIABLE}" if _repeat(at, at.value) else ""
    else:
        name = _name(at)
        places = rewriter.document.characters(entry, at.key) if name == at.value else []
    name = name or _any_class(at)
    at.remove()
    if not name:
        return
    start, characters = start_of_name(text), rewriter.document.characters(entry, "def")
    places = places if len(places) == len(name) else places[:1] * len(name)
    before, after = (text[:start], characters[:start]), (text[start:], characters[start:])
    rewriter.compose(entry, "def", [before, (name, places), (".", []), after])


def _any_class(at: At) -> str:
    """A stand-in after a mistake, of which one is enough."""
    return next((name for name, about in classes(at.spec).items() if "cpp_type" in about), "")


def _name(at: At) -> str:
    """The class; empty after reporting that it is none."""
    value, document = at.value, at.rewriter.document
    span = document.span(at.container, at.key)
    if not isinstance(value, str):
        message = f"expected a string or a list, found {FOUND.get(type(value), 'nothing')}"
        at.rewriter.error_at(span, "WG011", message, "for example handle: CudaStream")
        return ""
    if _CLASS.fullmatch(value.strip()):
        return value.strip()
    at.rewriter.error_at(span, "WG031", f"unknown handle {value!r}", "declare it under `handle_types`")
    return ""


def _repeat(at: At, listed: list[Any]) -> bool:
    """Write a `for` over several classes; False after reporting why there can be none."""
    entry, rewriter = at.container, at.rewriter
    odd = next((i for i, each in enumerate(listed) if not isinstance(each, str)), None)
    if odd is not None:
        message = f"expected a string, found {FOUND.get(type(listed[odd]), 'nothing')}"
        rewriter.error_at(rewriter.document.span(listed, odd), "WG011", message, _NAME_EACH)
        return False
    span = rewriter.document.span(entry, at.key)
    if not listed or len(set(listed)) != len(listed):
        message = "the same handle type twice" if listed else "a method of no handle type"
        rewriter.error_at(span, "WG076", message, _NAME_EACH)
        return False
    rows = entry.get("for")
    if rows is None:
        if "for" in entry:
            rewriter.remove(entry, "for")
        made = {_VARIABLE: [*listed]}
        rewriter.insert(entry, "for", made, because=at.key)
        _keep_places(at, made[_VARIABLE], listed)
    elif isinstance(rows, dict) and rows and _VARIABLE not in rows:
        copy = [*listed]
        rewriter.insert(rows, _VARIABLE, copy, because=next(reversed(rows)))
        _keep_places(at, copy, listed)
    elif isinstance(rows, list) and rows and all(isinstance(row, dict) and _VARIABLE not in row for row in rows):
        combined = [{**row, _VARIABLE: each} for row in rows for each in listed]
        rewriter.replace(entry, "for", combined)
        for i, made_row in enumerate(combined):
            for key in rows[i // len(listed)]:
                rewriter.keep_place(made_row, key, rows[i // len(listed)], key)
            rewriter.keep_place(made_row, _VARIABLE, listed, i % len(listed))
    else:
        rewriter.error_at(span, "WG076", "beside this `for`, a method of several handle types", _NAME_EACH)
        return False
    return True


def _keep_places(at: At, made: list[Any], listed: Sequence[str]) -> None:
    for i in range(len(listed)):
        at.rewriter.keep_place(made, i, listed, i)
