"""Axes as functions take them: one, several, or None for all."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index

from unified_gpu.runtime.stream import Stream

from .layout import Array

Axes = int | Sequence[int] | None


def one_axis(axis: int, shape: tuple[int, ...]) -> int:
    """An axis counted from the first.

    Raises:
        TypeError: when it is no whole number.
        ValueError: when the shape has no such axis.
    """
    if not hasattr(axis, "__index__"):
        raise TypeError(f"an axis is a whole number, or None for all elements, not {axis!r}")
    number = index(axis)
    if not -len(shape) <= number < len(shape):
        raise ValueError(f"an array of shape {list(shape)} has no axis {number}")
    return number % len(shape)


def several_axes(axis: Axes, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Axes in order, each once; raises as `one_axis` does, and ValueError for one that is named twice."""
    if axis is None:
        return tuple(range(len(shape)))
    named = axis if isinstance(axis, (tuple, list)) else (axis,)
    found = sorted(one_axis(each, shape) for each in named)
    if len(set(found)) < len(found):
        raise ValueError(f"an axis is named twice in {axis}")
    return tuple(found)


def reduced_shape(shape: tuple[int, ...], axes: tuple[int, ...], keepdims: bool) -> tuple[int, ...]:
    """The shape without some axes, or with one element along each of them."""
    if keepdims:
        return tuple(1 if axis in axes else length for axis, length in enumerate(shape))
    if len(axes) == len(shape):
        return ()
    return tuple(length for axis, length in enumerate(shape) if axis not in axes)


def with_one_axis(x: Array, axes: tuple[int, ...], stream: Stream) -> Array:
    """The array with some of its axes as one, behind all others; copied where that is no view."""
    kept = [axis for axis in range(x.ndim) if axis not in axes]
    count = 1
    for axis in axes:
        count *= x.shape[axis]
    moved = x.permute_dims(*kept, *axes)
    if not moved.is_contiguous:
        copied = x.context.new_array(moved.shape, x.dtype, stream)
        moved._record_stream(stream)
        x.context.device.assign(copied._operand(), moved._operand(), stream.handle)
        moved = copied
    return moved.reshape(*(x.shape[axis] for axis in kept), count)
