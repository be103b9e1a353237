"""Memory that a call fills, returns or writes the address of: keys below `out`, and `free`."""

from __future__ import annotations

import re
from typing import Any

from wrapper_gen.spec.former.walk import At

_LENGTHS = {"result": "value"}
"""How the length of a buffer is said now, where it is said."""
_RESULT = re.compile(r"->\s*(\w+)\s*\??\s*$")
"""The type of a result in a signature, where that is one word."""


def out(at: At) -> None:
    """`out: {capacity: size, length: result, grow: {when: SMALL}}` → `capacity: size, length: value, grow: SMALL`."""
    about, entry = at.value, at.container
    if not isinstance(about, dict) or ("capacity" in about) == ("free" in about):
        return
    if not about.keys() <= {"capacity", "length", "grow", "free"}:
        return
    names = {"capacity": "capacity", "free": "release", "length": "length", "grow": "grow"}
    twice = next((new for old, new in names.items() if old in about and new in entry), None)
    twice = twice or ("free" if "free" in entry else None) or ("length" if "length" in entry else None)
    if twice:
        at.rewriter.error(entry, twice, "WG075", f"{twice!r} stands beside 'out', which says it", "keep one")
        at.remove()
        return
    grow = about.get("grow")
    if grow is not None and not (isinstance(grow, dict) and grow.keys() == {"when"}):
        return
    _length(at, about)
    last = "out"
    for key in ("capacity", "free", "length", "grow"):
        if key not in about:
            continue
        if key == "grow":
            at.rewriter.move(about["grow"], "when", entry, "grow", after=last)
        else:
            at.rewriter.move(about, key, entry, names[key], after=last)
        last = names[key]
    at.remove()


def _length(at: At, about: dict[str, Any]) -> None:
    """Say how much there is as it is said now."""
    length, returns = about.get("length"), _returns(at)
    is_filled, is_text = "capacity" in about, returns == "text"
    if length is None:
        if is_filled and returns != "bytes":  # all of it, also behind a NUL
            at.rewriter.insert(about, "length", "capacity", because="capacity")
    elif isinstance(length, str) and length in _LENGTHS:
        at.rewriter.replace(about, "length", _LENGTHS[length])
    elif is_filled and length == "nul" and not is_text:
        at.rewriter.replace(about, "length", "strnlen(out, capacity)")
    elif is_filled and (length in ("capacity", "nul") or length == about["capacity"]):
        at.rewriter.remove(about, "length")


def _returns(at: At) -> str:
    """The type of an entry's result, or of the property that it reads, where that is one word."""
    entry = at.container
    signature = entry.get("def")
    if isinstance(signature, str):
        found = _RESULT.search(signature)
        return found[1] if found else ""
    about = at.around[-1] if at.around else {}
    returns = entry.get("return", about.get("type"))
    return returns.strip() if isinstance(returns, str) else ""


def free(at: At) -> None:
    """`free: lib_free` → `release: lib_free`."""
    at.rename("release")


def length(at: At) -> None:
    """`length: out` → `length: "&length"`."""
    if at.value == "out":
        at.replace("&length")
