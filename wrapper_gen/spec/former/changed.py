"""Parameters that a call changes: `direction: inout`, where an item of the result has the name now."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from wrapper_gen.spec.former.rewriter import Piece
from wrapper_gen.spec.former.walk import At

_OPENING, _CLOSING = "([{", ")]}"
_NAME = re.compile(r"\s*([A-Za-z_]\w*)\s*:(?!:)")


def direction(at: At) -> None:
    """`f(at: usize) -> usize`, `params: {at: {direction: inout}}` → `f(at: usize) -> (at: usize)`."""
    entry = at.around[-1] if at.around else None
    if entry is None or at.value not in ("inout", "in", None):
        return
    if at.value != "inout":
        at.remove()
        tidy(at, entry)
        return
    changed = list(_changed(entry))
    for _, about in changed:
        if about is not at.container:
            at.rewriter.remove(about, "direction")
    if not _name_items(at, entry, [name for name, _ in changed]):
        message = "the call changes it, and no item of the result is what it leaves there"
        at.rewriter.error(at.container, at.key, "WG086", message, "declare what it becomes: f(n: i64) -> (n: i64)")
    at.remove()
    tidy(at, entry)


def of_entry(at: At) -> None:
    """The same of all parameters of an entry."""
    for _, about in list(_changed(at.container)):
        if "direction" in about:
            direction(At(at.rewriter, about, "direction", (*at.around, at.container), at.section))


def tidy(at: At, entry: dict[str, Any]) -> None:
    """Leave no parameter of which nothing is said any more."""
    params = entry.get("params")
    if not isinstance(params, dict):
        return
    for name in [name for name, about in params.items() if about == {}]:
        at.rewriter.remove(params, name)
    if not params:
        at.rewriter.remove(entry, "params")


def _changed(entry: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The parameters that the call changes: their names, and what is said of them."""
    params = entry.get("params")
    listed: list[tuple[object, object]] = []
    if isinstance(params, dict):
        listed = list(params.items())
    elif isinstance(params, list):
        listed = [(each.get("name"), each) for each in params if isinstance(each, dict)]
    for name, about in listed:
        if isinstance(name, str) and isinstance(about, dict) and about.get("direction") == "inout":
            yield name, about


def _name_items(at: At, entry: dict[str, Any], changed: Sequence[str]) -> bool:
    """Give each changed parameter its item of the result: the one of its name, or the next."""
    key = "def" if isinstance(entry.get("def"), str) else "return"
    text = entry.get(key)
    if not isinstance(text, str):
        return False
    start = start_of_result(text) if key == "def" else 0
    given = entry.get("names")
    found = list(items(text, start)) if start >= 0 else []
    if not found:
        return False
    names = [named(text, item) for item in found]
    if isinstance(given, list) and len(given) == len(found):
        names = [str(each) for each in given]
    taken = _taken(entry, changed, names)
    if taken is None:
        return False
    if isinstance(given, list):
        for i, name in taken.items():
            if given[i] != name:
                at.rewriter.replace(given, i, name)
    elif not all(names):
        _write(at, entry, key, found, [taken.get(i, "") for i in range(len(found))])
    return True


def _taken(entry: Mapping[str, Any], changed: Sequence[str], names: Sequence[str]) -> dict[int, str] | None:
    """Which item, by number, each changed parameter has; None where there are too few."""
    left, found = list(range(len(names))), {}
    order = entry.get("cpp_params", entry.get("params"))
    for each in order if isinstance(order, list) else changed:
        written = each.get("out", each.get("name")) if isinstance(each, dict) else each
        if written != "out" and written not in changed and not (isinstance(each, dict) and "out" in each):
            continue
        own = [i for i in left if names[i] == written] or left[:1]
        if not own:
            return None
        left.remove(own[0])
        if written in changed:
            found[own[0]] = str(written)
    return found if len(found) == len(changed) else None


def _write(at: At, entry: dict[str, Any], key: str, items: Sequence[tuple[int, int]], taken: Sequence[str]) -> None:
    """Put names before the items of a result, which is a tuple from then on."""
    text = entry[key]
    others = iter(["result"] if taken.count("") == 1 else [f"result_{i}" for i in range(1, len(taken) + 1)])
    pieces: list[Piece] = []
    at_start = 0
    for (start, end), name in zip(items, taken, strict=True):
        opened = "(" * (len(items) == 1)
        pieces += [(at_start, start), f"{opened}{name or next(others)}: ", (start, end)]
        pieces += [")"] * len(opened)
        at_start = end
    pieces.append((at_start, len(text)))
    new = "".join(each if isinstance(each, str) else text[slice(*each)] for each in pieces)
    at.rewriter.replace(entry, key, new, pieces)


# --- the text of a result ---------------------------------------------------------------------------------------------


def start_of_result(signature: str) -> int:
    """Where the type of the result starts in a signature; -1 where it has none."""
    depth, found = 0, -1
    for i, char in enumerate(signature):
        depth += (char in _OPENING) - (char in _CLOSING)
        if depth == 0 and signature.startswith("->", i):
            found = i + 2
    return found


def items(text: str, start: int) -> Iterator[tuple[int, int]]:
    """Where each item of a result stands: those of a tuple, else the whole."""
    end = len(text.rstrip())
    start += len(text[start:]) - len(text[start:].lstrip())
    of = text[start:end].removesuffix("?").rstrip()
    if start >= end:
        return
    if not (of.startswith("(") and of.endswith(")") and _closes_at_its_end(of)):
        yield start, end
        return
    depth, first = 0, start + 1
    for i in range(start + 1, start + len(of)):
        char = text[i]
        if (char == "," and depth == 0) or i == start + len(of) - 1:
            if text[first:i].strip():
                yield first + len(text[first:i]) - len(text[first:i].lstrip()), i
            first = i + 1
        depth += (char in _OPENING) - (char in _CLOSING)


def _closes_at_its_end(text: str) -> bool:
    depth = 0
    for i, char in enumerate(text):
        depth += (char in _OPENING) - (char in _CLOSING)
        if depth == 0:
            return i == len(text) - 1
    return False


def named(text: str, item: tuple[int, int]) -> str:
    """The name of an item, if it has one."""
    found = _NAME.match(text, *item)
    return found[1] if found else ""
