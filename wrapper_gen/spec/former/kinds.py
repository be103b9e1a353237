"""Kinds of values of one C++ type, which the `cases` of an entry of `types` are."""

from __future__ import annotations

from typing import Any

from wrapper_gen.spec.former.walk import At

_KEYS = ("type", "value", "length")
"""What a list says, in its order."""


def cases(at: At) -> None:
    """`KIND_INT: {type: i64, value: value.i}` → `KIND_INT: [i64, value.i]`; where it says `make`, `data: value.i`."""
    for tag, case in list(at.value.items()) if isinstance(at.value, dict) else ():
        if not isinstance(case, dict):
            continue
        if all(isinstance(each, str) and key in _KEYS for key, each in case.items()) and "type" in case:
            _list(at, tag, case)
        elif isinstance(case.get("value"), str) and case.get("make") is not None:
            at.rewriter.rename(case, "value", "data")


def _list(at: At, tag: str, case: dict[str, Any]) -> None:
    if len(case) == 1:
        at.rewriter.replace(at.value, tag, case["type"])
        return
    keys = _KEYS if "length" in case else _KEYS[:2]
    listed = [case.get(key, "value") for key in keys]
    at.rewriter.replace(at.value, tag, listed)
    for i, key in enumerate(keys):
        if key in case:
            at.rewriter.keep_place(listed, i, case, key)
