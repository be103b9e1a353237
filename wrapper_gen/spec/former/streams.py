"""Streams, which had a section of their own: classes say how C gets input and output, and entries when it is done."""

from __future__ import annotations

from typing import Any

from wrapper_gen.spec.former.calls import class_of
from wrapper_gen.spec.former.walk import At

_NAMES = ("left", "size", "used")


def of_entry(at: At) -> None:
    """`stream: {of: flow, end: done(), limit: n}` → `stream: {until: drained || done()}`, `capacity: n`."""
    about = {"of": at.value} if isinstance(at.value, str) else at.value
    if not isinstance(about, dict) or not about.keys() <= {"of", "input", "end", "until", "limit"}:
        return
    windows = _windows(at, about.get("of"))
    if windows is None or any(not isinstance(each, str) for each in about.values()):
        return
    made = {"until": _until(about)} if "end" in about or "until" in about else {}
    owner = class_of(at)
    if owner and owner.get("name") is not None and "for" not in owner and owner.get("stream") in (None, windows):
        if owner.get("stream") is None:
            at.rewriter.insert(owner, "stream", windows, because="name", after=_last_before_methods(owner))
    elif "input" in about:
        return
    else:
        made = windows | made
    if "input" in about:
        made["input"] = about["input"]
    limit = about.get("limit")
    at.replace(made or True)
    if limit is not None and "capacity" not in at.container:
        at.insert("capacity", limit)


def section(at: At) -> None:
    """`streams: [...]` → what classes and entries say."""
    if isinstance(at.value, list) and all(_window_lists(each) is not None for each in at.value):
        at.remove()


def _until(about: dict[str, Any]) -> str:
    """When there is no further call."""
    until, end = about.get("until"), about.get("end")
    drained = f"drained && {_grouped(until, '||')}" if until else "drained"
    if not end or end == "true":
        return end or drained
    return f"{_grouped(drained, '&&')} || {_grouped(end, '&&')}"


def _grouped(text: str, operator: str) -> str:
    """An operand, in brackets where compilers warn of it without."""
    return f"({text})" if operator in text or "?" in text else text


def _windows(at: At, name: object) -> dict[str, Any] | None:
    listed = at.spec.get("streams")
    for each in listed if isinstance(listed, list) else ():
        if isinstance(each, dict) and each.get("name") == name:
            return _window_lists(each)
    return None


def _window_lists(stream: object) -> dict[str, Any] | None:
    """The lists for its input and output; None where one of them is not what was read."""
    if not isinstance(stream, dict) or not stream.keys() <= {"name", "input", "output"} or "output" not in stream:
        return None
    found: dict[str, Any] = {}
    for key in ("input", "output"):
        if stream.get(key) is None:
            continue
        window = stream[key]
        if not isinstance(window, dict) or any(not isinstance(each, str) for each in window.values()):
            return None
        if (
            tuple(each for each in _NAMES if each in window) not in (("left",), ("size", "used"))
            or "data" not in window
        ):
            return None
        members = [window[each] for each in ("data", *_NAMES) if each in window]
        of = [window["cpp_type"]] if "cpp_type" in window else ["self"] if "used" in window else []
        found[key] = [*of, *members]
    return found


def _last_before_methods(owner: dict[str, Any]) -> str:
    """The key that `stream` follows."""
    return [key for key in owner if key in ("name", "doc", "cpp_type", "in_place", "release", "cpp_drop", "extends")][
        -1
    ]
