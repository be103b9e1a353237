"""The cffi engine's `slice` and `index`: which elements a key means, as in `x[1:9:2]` and `x[0, ..., None]`.

Static: the same for all packages, and private to the one it lies in.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import pairwise
from operator import index
from typing import Any

from ._overloads import CONVERTED, EXACTLY, integer
from ._wire_codec import Call, Codec, Encoded, NotExactly, Refusal, only, read_ends, write_sizes

_MOST = (1 << 63) - 1
_INTEGER, _ELLIPSIS, _NONE = 8, 9, 10
"""What an item of a key is; less is a slice, of which the bits say what is not None."""
_Row = tuple[int, int, int, int]
_ROW = 32
"""Bytes."""


class _Parts(tuple[int, int, int, int]):
    """A slice that was converted."""


class _Items(list[_Row]):
    """A key that was converted."""


def _bounded(number: int) -> int:
    """What is as good as a position beyond all that there are."""
    return max(-_MOST - 1, min(number, _MOST))


def _row(value: slice) -> _Row:
    """A slice of None and of plain ints."""
    start, stop, step = value.start, value.stop, value.step
    only({int, type(None)}, (start, stop, step))
    given = (start is not None) + 2 * (stop is not None) + 4 * (step is not None)
    return given, _bounded(start or 0), _bounded(stop or 0), _bounded(step or 0)


def _of_row(given: int, start: int, stop: int, step: int) -> slice:
    return slice(start if given & 1 else None, stop if given & 2 else None, step if given & 4 else None)


def _number(value: Any, name: str, call: Call) -> int:
    if value is None:
        return 0
    if call.strict and type(value) is not int:
        raise Refusal("an int or None", value).at(lambda: f".{name}")
    try:
        return _bounded(int.__add__(index(value), 0))
    except TypeError:
        raise Refusal("an int or None", value).at(lambda: f".{name}") from None


class Slice(Codec):
    wanted = "a slice"
    exact = frozenset({slice})

    def write(self, values: Sequence[Any], out: Encoded) -> None:
        only({slice, _Parts}, values)
        rows = [value if type(value) is _Parts else _row(value) for value in values]
        out.parts.append(array("q", [number for row in rows for number in row]))

    def read(self, view: memoryview, at: int, count: int) -> tuple[list[Any], int]:
        end = at + _ROW * count
        numbers = view[at:end].cast("q")
        return [_of_row(*numbers[i : i + 4]) for i in range(0, 4 * count, 4)], end

    def take(self, value: Any, call: Call) -> _Parts:
        if type(value) is not slice:
            raise Refusal(self.wanted, value)
        parts = {"start": value.start, "stop": value.stop, "step": value.step}
        given = sum(1 << i for i, part in enumerate(parts.values()) if part is not None)
        return _Parts((given, *(_number(part, name, call) for name, part in parts.items())))


_SLICE = Slice()


class Index(Codec):
    wanted = "an int, a slice, ... or None"
    exact = frozenset({int, slice, type(...), type(None), tuple})

    def write(self, values: Sequence[Any], out: Encoded) -> None:
        keys = [value if type(value) is _Items else self._exact(value) for value in values]
        write_sizes(map(len, keys), out)
        out.parts.append(array("q", [number for key in keys for row in key for number in row]))

    def _exact(self, value: Any) -> list[_Row]:
        return list(map(_item, value)) if type(value) is tuple else [_item(value)]

    def read(self, view: memoryview, at: int, count: int) -> tuple[list[Any], int]:
        ends, at = read_ends(view, at, count)
        end = at + _ROW * ends[-1]
        numbers = view[at:end].cast("q")
        items = [_of_item(*numbers[i : i + 4]) for i in range(0, 4 * ends[-1], 4)]
        return [tuple(items[a:b]) for a, b in pairwise(ends)], end

    def take(self, value: Any, call: Call) -> _Items:
        if not issubclass(type(value), tuple):
            return _Items([self._item(value, call)])
        return _Items(self._at(i, each, call) for i, each in enumerate(tuple.__iter__(value)))

    def _at(self, i: int, value: Any, call: Call) -> _Row:
        try:
            return self._item(value, call)
        except Refusal as refusal:
            raise refusal.at(lambda: f"[{i}]") from None

    def _item(self, value: Any, call: Call) -> _Row:
        if type(value) is slice:
            return _SLICE.take(value, call)
        if value is None or value is ...:
            return _item(value)
        fits = _position(value)
        if fits == 0 or (call.strict and fits != EXACTLY):
            raise Refusal(self.wanted, value)
        number = int.__add__(index(value), 0)
        if not -_MOST - 1 <= number <= _MOST:
            raise Refusal("i64", number, "range")
        return _INTEGER, number, 0, 0


def _item(value: Any) -> _Row:
    if type(value) is int and -_MOST - 1 <= value <= _MOST:
        return _INTEGER, value, 0, 0
    if type(value) is slice:
        return _row(value)
    if value is None or value is ...:
        return _NONE if value is None else _ELLIPSIS, 0, 0, 0
    raise NotExactly


def _of_item(kind: int, start: int, stop: int, step: int) -> Any:
    if kind < _INTEGER:
        return _of_row(kind, start, stop, step)
    return start if kind == _INTEGER else ... if kind == _ELLIPSIS else None


def fits_slice(value: Any) -> int:
    """How well it fits a slice, where one of several forms is called."""
    return EXACTLY * (type(value) is slice)


def fits_index(value: Any) -> int:
    """How well it fits a key. A form that takes just this is the better one."""
    if issubclass(type(value), tuple):
        return CONVERTED * all(map(_fits_item, tuple.__iter__(value)))
    return CONVERTED * _fits_item(value)


def _position(value: Any) -> int:
    """How well it fits a position, which no bool is meant to be."""
    return 0 if issubclass(type(value), bool) else integer(value)


def _fits_item(value: Any) -> bool:
    return type(value) is slice or value is None or value is ... or _position(value) != 0
