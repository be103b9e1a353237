"""Basic indexing: which part of an array an index selects, as a view. By NumPy's rules."""

from __future__ import annotations

from collections.abc import Sequence
from types import EllipsisType
from typing import Any, NoReturn, Protocol

from unified_gpu.shapes import contiguous_strides


class IndexArray(Protocol):
    """An array of places, or a mask; also one of the host."""

    @property
    def shape(self) -> tuple[int, ...]: ...


Axis = int | slice | EllipsisType | None | IndexArray | Sequence[int]
Index = Axis | tuple[Axis, ...]
"""What stands in the brackets of `array[…]`."""

View = tuple[tuple[int, ...], int, tuple[int, ...] | None]
"""Shape, first element, and strides in elements; None where it is contiguous."""


def select(key: Any, shape: tuple[int, ...], strides: tuple[int, ...]) -> View:
    """The view that `key` selects.

    Raises:
        IndexError: for an index that is not there, or more indices than axes.
        TypeError: for what is no index.
    """
    lengths, steps, first, axis = [], [], 0, 0
    for each in for_every_axis(key if isinstance(key, tuple) else (key,), shape):
        if each is None:
            lengths.append(1)
            steps.append(0)
            continue
        if isinstance(each, slice):
            chosen = _range(each, shape[axis])
            lengths.append(len(chosen))
            steps.append(strides[axis] * chosen.step)
            first += strides[axis] * chosen.start if chosen else 0
        else:
            first += strides[axis] * _position(each, axis, shape)
        axis += 1
    return tuple(lengths), first, strides_or_none(tuple(lengths), tuple(steps))


def strides_or_none(shape: tuple[int, ...], strides: tuple[int, ...]) -> tuple[int, ...] | None:
    """None for strides with which the elements lie in order and without gaps."""
    if 0 in shape:
        return None
    in_order = contiguous_strides(shape)
    same = all(length == 1 or a == b for length, a, b in zip(shape, strides, in_order, strict=True))
    return None if same else strides


def for_every_axis(keys: tuple[Any, ...], shape: tuple[int, ...]) -> Sequence[Any]:
    """The keys with as many whole axes as they leave out, in the place of `...` or at the end."""
    dots = [place for place, key in enumerate(keys) if key is Ellipsis]
    missing = len(shape) - sum(key is not None and key is not Ellipsis for key in keys)
    if len(dots) > 1:
        raise IndexError("an index has one `...` at the most")
    if missing < 0:
        if not shape:
            raise IndexError("an array of shape () has no axis to index; use item()")
        raise IndexError(f"{len(shape) - missing} indices of an array of shape {list(shape)}")
    place = dots[0] if dots else len(keys)
    return [*keys[:place], *[slice(None)] * missing, *keys[place + len(dots) :]]


def _range(part: slice, length: int) -> range:
    try:
        chosen = range(*part.indices(length))
    except TypeError:
        raise TypeError(f"a slice is made of whole numbers, not {part}") from None
    return chosen


def has_arrays(key: Any) -> bool:
    """Whether arrays, lists or masks stand in a key."""
    keys = key if isinstance(key, tuple) else (key,)
    return any(
        (hasattr(each, "__len__") and not isinstance(each, (str, tuple)) and getattr(each, "ndim", 1) > 0)
        or (hasattr(each, "_allocation"))
        for each in keys
    )


def goes_backwards(key: Any) -> bool:
    """Whether a slice with a negative step stands in a key."""
    keys = key if isinstance(key, tuple) else (key,)
    return any(isinstance(each, slice) and each.step is not None and _step(each) < 0 for each in keys)


def forwards(key: Any, shape: tuple[int, ...]) -> tuple[tuple[Any, ...], tuple[int, ...]]:
    """The same elements by slices that go forwards, and the axes of the result that are to be reversed."""
    keys, reverse, axis = [], [], 0
    at = 0
    for each in for_every_axis(key if isinstance(key, tuple) else (key,), shape):
        if isinstance(each, slice):
            chosen = _range(each, shape[axis])
            if chosen.step < 0:
                reverse.append(at)
                each = slice(chosen[-1], chosen[0] + 1, -chosen.step) if chosen else slice(0, 0)
        axis += each is not None
        at += each is None or isinstance(each, slice)
        keys.append(each)
    return tuple(keys), tuple(reverse)


def _step(part: slice) -> int:
    try:
        return int(part.step.__index__())
    except (AttributeError, TypeError):
        return 1  # `_range` refuses it


def _position(key: Any, axis: int, shape: tuple[int, ...]) -> int:
    position = whole_index(key)
    if not -shape[axis] <= position < shape[axis]:
        what = f"index {position} along axis {axis}" if axis else f"row {position}"
        raise IndexError(f"{what} of an array of shape {list(shape)}")
    return position % shape[axis]


def whole_index(key: Any) -> int:
    """An integer between the brackets.

    Raises:
        TypeError: for anything else, also for a bool, which selects all or nothing in NumPy.
    """
    try:
        position = int(key.__index__())
    except (AttributeError, TypeError):  # TypeError from an array of NumPy's
        _refuse(key)
    if isinstance(key, bool):
        _refuse(key)
    return position


def _refuse(key: Any) -> NoReturn:
    if type(key).__name__ in ("bool", "bool_"):
        raise TypeError(f"arrays are indexed by arrays of bools, not by {key}; use int({key}) for a row")
    raise TypeError(f"arrays are indexed by integers, slices, `...`, None and arrays, not by a {type(key).__name__}")
