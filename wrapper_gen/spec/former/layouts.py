"""How memory lies: `order` and `strides`, which stand in the type now, behind its dimensions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from wrapper_gen.spec.former.changed import start_of_result, tidy
from wrapper_gen.spec.former.positions import types_in, write_types
from wrapper_gen.spec.former.rewriter import Piece
from wrapper_gen.spec.former.walk import At
from wrapper_gen.spec.todo import OPEN

_ORDERS = ("C", "F", "any")
_MEMORY = re.compile(r"&\s*(?:mut\s*)?\[|\barray\s*\[")
_ARRAY = re.compile(r"\barray\s*\[")
_OPENING, _CLOSING = "([{", ")]}"
_WITHOUT = "write them: &[f64; n, m]; one dimension without gaps has no order"


def of_parameter(at: At) -> None:
    """`f(a: &[f64; n, m])`, `params: {a: {order: F}}` → `f(a: &[f64; n, m; F])`."""
    entry, order = at.around[-1] if at.around else None, at.value
    if entry is None or not isinstance(entry.get("def"), str) or order == OPEN:
        return
    if order is not None and order not in _ORDERS:
        return  # which no edition had
    params = entry.get("params")
    named = [name for name, about in params.items() if about is at.container] if isinstance(params, dict) else []
    types = {name: text for name, text, _ in types_in(entry)}
    if order is not None and named and named[0] in types:
        type_ = types[named[0]]
        at.remove()
        if (made := _with_layout(type_, order, _MEMORY)) is not None:
            write_types(at.rewriter, entry, {named[0]: made.rstrip()})
        else:
            message = f"`order` is for memory with dimensions, and this is {type_.strip()}"
            at.rewriter.error(params, named[0], "WG156", message, _WITHOUT)
    elif order is None:
        at.remove()
    else:
        return
    tidy(at, entry)


def of_result(at: At) -> None:
    """`f() -> array[f64; n, m]`, `order: F` → `f() -> array[f64; n, m; F]`."""
    _write(at, at.value if at.value in _ORDERS else None)


def strides(at: At) -> None:
    """`f() -> array[f64; n]`, `strides: [stride()]` → `f() -> array[f64; n; stride()]`."""
    listed = [at.value] if isinstance(at.value, str | int) else at.value
    of_numbers = isinstance(listed, list) and all(isinstance(each, str | int) for each in listed)
    if of_numbers and at.container.get("order") is not None:
        at.rewriter.error(
            at.container, at.key, "WG156", "`strides` stands beside `order`, which says where elements lie", "keep one"
        )
        at.remove()
    else:
        _write(at, ", ".join(str(each).strip() for each in listed) if of_numbers and listed else None)


def _write(at: At, layout: str | None) -> None:
    """Give the arrays of the result this layout."""
    entry, text, key = at.container, at.container.get("def"), at.key
    if at.value in (None, []):
        at.remove()
        return
    if layout is None or not isinstance(text, str):
        return
    start = start_of_result(text)
    pieces = list(_pieces(text, max(start, 0), layout, _ARRAY)) if start >= 0 else []
    if len(pieces) > 1:
        at.remove()
        at.rewriter.replace(entry, "def", _text(text, pieces), pieces)
        return
    what = text[start:].strip() if start >= 0 else "nothing"
    needs, hint = ("arrays that are returned", "drop it") if key == "strides" else ("memory with dimensions", _WITHOUT)
    at.rewriter.error(entry, key, "WG156", f"`{key}` is for {needs}, and this is {what}", hint)
    at.remove()


def _with_layout(type_: str, layout: str, memory: re.Pattern[str]) -> str | None:
    """A type whose memory lies so; None where it has no dimensions, or says it already."""
    pieces = list(_pieces(type_, 0, layout, memory))
    return _text(type_, pieces) if len(pieces) > 1 else None


def _pieces(text: str, start: int, layout: str, memory: re.Pattern[str]) -> Iterator[Piece]:
    """The text with `; layout` behind the dimensions of all memory from `start` on that has dimensions alone."""
    last = 0
    for found in memory.finditer(text, start):
        end, parts = _inside(text, found.end())
        if end > 0 and parts == 1:
            yield from ((last, end), f"; {layout}")
            last = end
    yield (last, len(text))


def _inside(text: str, start: int) -> tuple[int, int]:
    """Where the bracket before `start` closes, and how many semicolons are in it; 0 where it does not."""
    depth, parts = 0, 0
    for i in range(start, len(text)):
        char = text[i]
        if char in _CLOSING and depth == 0:
            return i, parts
        depth += (char in _OPENING) - (char in _CLOSING)
        parts += char == ";" and depth == 0
    return 0, parts


def _text(text: str, pieces: Sequence[Piece]) -> str:
    return "".join(each if isinstance(each, str) else text[slice(*each)] for each in pieces)
