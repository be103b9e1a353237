"""Axes of operands: as few as can be, and the parts that one launch takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from unified_gpu.backends.protocols import Operand


def merged(operands: Sequence[Operand]) -> tuple[tuple[int, ...], list[tuple[int, ...]]]:
    """The shape and the strides of each with as few axes as can be: one at least."""
    axes = [axis for axis, length in enumerate(operands[0].shape) if length != 1]
    shape: list[int] = []
    strides: list[list[int]] = [[] for _ in operands]
    for axis in axes:
        steps, length = [each.strides[axis] for each in operands], operands[0].shape[axis]
        if shape and all(row[-1] == step * length for row, step in zip(strides, steps, strict=True)):
            shape[-1] *= length
            for row, step in zip(strides, steps, strict=True):
                row[-1] = step
        else:
            shape.append(length)
            for row, step in zip(strides, steps, strict=True):
                row.append(step)
    if not shape:
        return (1,), [(1,) for _ in operands]
    return tuple(shape), [tuple(row) for row in strides]


def part_of(view: Any, starts: tuple[int, ...], sizes: tuple[int, ...]) -> Any:
    """A part of an array along its axes; a number is the same everywhere."""
    if not isinstance(view, Operand):
        return view
    first = sum(start * step for start, step in zip(starts, view.strides, strict=True))
    shape = tuple(min(n - start, size) for n, start, size in zip(view.shape, starts, sizes, strict=True))
    return replace(view, offset=view.offset + first * view.dtype.size, shape=shape)


def inner_of(view: Any, outer: tuple[int, ...]) -> Any:
    """The last three axes at one place of those before them; axes of one element are added in front."""
    if not isinstance(view, Operand):
        return view
    first = sum(at * step for at, step in zip(outer, view.strides, strict=False))
    missing = max(0, 3 - len(view.shape))
    shape = (1,) * missing + view.shape[len(outer) :]
    strides = (0,) * missing + view.strides[len(outer) :]
    return replace(view, offset=view.offset + first * view.dtype.size, shape=shape, strides=strides)
