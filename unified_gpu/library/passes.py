"""Kernels that go along one axis: how an array is seen with three axes, and how many threads share the work."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from unified_gpu.arrays import operations
from unified_gpu.arrays.array import GpuArray
from unified_gpu.arrays.axes import with_one_axis
from unified_gpu.dtypes import DType, bf16, f16, f32, i64, u64
from unified_gpu.kernels.decorated.definition import PythonKernel
from unified_gpu.kernels.decorated.launch import launch
from unified_gpu.runtime.stream import Stream

from . import templates

_ENOUGH, _SHORTEST, LONGEST = 4096, 256, 1 << 15
"""Threads that a device has work for; elements of a thread, of which Mesa's lavapipe counts all turns up to 65,532."""
SIDE, _PIECE = 1 << 15, 1 << 23
"""Threads of a launch along an axis: a device need not run more than 65,535 blocks."""


def three_axes(x: GpuArray, axes: tuple[int, ...], stream: Stream) -> GpuArray:
    """An array of what is before some axes, of them as one, and of what is behind; copied where need be."""
    consecutive = bool(axes) and axes == tuple(range(axes[0], axes[-1] + 1))
    if consecutive and x.is_contiguous:
        before, behind = x.shape[: axes[0]], x.shape[axes[-1] + 1 :]
        return x.reshape(math.prod(before), math.prod(x.shape[axis] for axis in axes), math.prod(behind))
    moved = with_one_axis(x, axes, stream)
    return moved.reshape(math.prod(moved.shape[:-1]), moved.shape[-1], 1)


def wide_dtype(dtype: DType) -> DType:
    """What halves are computed as."""
    return f32 if dtype in (f16, bf16) else dtype


def part_length(x: GpuArray) -> int:
    """How many elements along the middle axis one thread takes, so that there is work for all."""
    threads, length = x.shape[0] * x.shape[2], x.shape[1]
    wanted = length if threads >= _ENOUGH else -(-length * threads // _ENOUGH)
    return max(_SHORTEST, min(wanted, LONGEST))


def run(
    kernel: PythonKernel,
    sizes: tuple[int, ...],
    arrays: Sequence[GpuArray],
    numbers: Sequence[Any],
    stream: Stream,
) -> None:
    """Launch a kernel whose threads along the first axis each have a row of every array."""
    context = arrays[0].context
    if 0 in sizes:
        return
    for first in range(0, sizes[0], SIDE):
        rows = slice(first, min(first + SIDE, sizes[0]))
        parts = arrays if sizes[0] <= SIDE else [each[rows] for each in arrays]
        launch(context, kernel, (rows.stop - first, *sizes[1:]), [*parts, *numbers], None, stream)


def run_each(
    kernel: PythonKernel, count: int, arrays: Sequence[GpuArray], numbers: Sequence[Any], stream: Stream
) -> None:
    """Launch a kernel with a thread for each of `count` elements, whose last argument is the first one's number."""
    context = arrays[0].context
    for first in range(0, count, _PIECE):
        launch(context, kernel, (min(_PIECE, count - first),), [*arrays, *numbers, first], None, stream)


def combined(combine: Any, x: GpuArray, wide: Any, dtype: DType, stream: Stream) -> GpuArray:
    """The middle one of three axes combined to one element; `wide` makes an element what is computed with."""
    x = operations.cast(x, f32, stream=stream) if x.dtype is bf16 else x
    while True:
        length = part_length(x)
        parts = -(-x.shape[1] // length)
        out = x.context.new_array((x.shape[0], parts, x.shape[2]), dtype, stream)
        run(templates.combined(combine, wide), out.shape, [out, x], [length], stream)
        if parts == 1:
            return out
        x, wide = out, dtype


def chosen(is_better: Any, x: GpuArray, dtype: DType, stream: Stream) -> GpuArray:
    """Where along the middle one of three axes the best element is."""
    x = operations.cast(x, f32, stream=stream) if x.dtype is bf16 else x
    length = part_length(x)
    parts = -(-x.shape[1] // length)
    out: GpuArray = x.context.new_array((x.shape[0], parts, x.shape[2]), dtype, stream)
    run(templates.chosen(is_better), out.shape, [out, x], [length], stream)
    while parts > 1:
        places, length = out, part_length(out)
        parts = -(-parts // length)
        out = x.context.new_array((x.shape[0], parts, x.shape[2]), dtype, stream)
        run(templates.chosen_again(is_better), out.shape, [out, x, places], [length], stream)
    return out


def scanned(combine: Any, x: GpuArray, dtype: DType, stream: Stream) -> GpuArray:
    """Running totals along the middle one of three axes."""
    length = part_length(x)
    parts = -(-x.shape[1] // length)
    out: GpuArray = x.context.new_array(x.shape, dtype, stream)
    if 0 in x.shape:
        return out
    sums = out
    if parts > 1:
        sums = scanned(combine, _of_parts(combine, x, parts, length, dtype, stream), dtype, stream)
    kernel = templates.scanned(combine, dtype, parts > 1)
    run(kernel, (x.shape[0], parts, x.shape[2]), [out, x, sums], [length], stream)
    return out


def _of_parts(combine: Any, x: GpuArray, parts: int, length: int, dtype: DType, stream: Stream) -> GpuArray:
    """Each part of the middle one of three axes combined; the last one may be missing, which no other part asks for."""
    behind = x.shape[2]
    if combine is templates.added and x.shape[0] == 1 and x.dtype is dtype in (i64, u64):
        whole = x.reshape(x.shape[1], behind)[: (parts - 1) * length]  # in whatever order they are added: it is exact
        rows = whole.reshape(parts - 1, length, *((behind,) if behind > 1 else ()))
        return operations.sum(rows, 1, stream=stream).reshape(1, parts - 1, behind)
    sums: GpuArray = x.context.new_array((x.shape[0], parts, behind), dtype, stream)
    run(templates.combined(combine, dtype), sums.shape, [sums, x], [length], stream)
    return sums
