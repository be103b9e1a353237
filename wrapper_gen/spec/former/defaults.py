"""Defaults of parameters that are values of YAML, as a signature has them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from wrapper_gen.spec.former.rewriter import Part
from wrapper_gen.spec.former.walk import At
from wrapper_gen.spec.offsets import Offsets

_WORDS = re.compile(r"\s*[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)?(?:\s*\|\s*[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)?)*\s*", re.ASCII)
"""Values of an enum."""
_VALUES = ("true", "True", "false", "False", "null", "None")
"""Words that are none."""
_ESCAPED = re.compile(r'["\\]|[^ -~\xa1-\ud7ff\ue000-\ufffc]')
_SHORT = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def literal(container: Any, key: str | int, type_: str, at: At) -> Iterator[Part]:
    """A value of the document, whose type is spelled so."""
    value = container[key]
    if isinstance(value, list):
        yield "[", _place(container, key, at)
        for i in range(len(value)):
            yield from [(", ", Offsets())] * bool(i)
            yield from literal(value, i, type_, at)
        yield "]", []
    elif isinstance(value, dict):
        yield "{", _place(container, key, at)
        for i, each in enumerate(value):
            text = f"{', ' * bool(i)}{_quoted(each)}"
            span = at.rewriter.key_place(value, each)
            yield text, [span] * len(text)
            yield ": ", []
            yield from literal(value, each, type_, at)
        yield "}", []
    else:
        text = _scalar(value, at.rewriter.document.text(container, key) if value is not None else "None", type_, at)
        yield text, _place(container, key, at) * len(text)


def _place(container: Any, key: str | int, at: At) -> Offsets:
    """Where a value stands: each character of it that a signature has stands for all of it."""
    return [at.rewriter.place(container, key)]


def _scalar(value: object, written: str, type_: str, at: At) -> str:
    if value is None or isinstance(value, bool):
        return {None: "None", True: "true", False: "false"}[value]
    if not isinstance(value, str):
        return written
    named = type_.strip().rstrip("? ")
    if "$" in value and named not in ("text", "bytes", "path"):  # what it stands for is read where that is known
        return value
    is_word = _WORDS.fullmatch(value) is not None and value.strip() not in _VALUES
    return value.strip() if is_word and named in _enums(at) else _quoted(value)


def _enums(at: At) -> set[str]:
    listed = at.spec.get("enums")
    return {str(each.get("name")) for each in listed if isinstance(each, dict)} if isinstance(listed, list) else set()


def _quoted(text: str) -> str:
    return '"' + _ESCAPED.sub(lambda found: _SHORT.get(found[0]) or _escape(ord(found[0])), text) + '"'


def _escape(number: int) -> str:
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
