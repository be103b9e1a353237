"""Elements and arrays several times, one behind the other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, cast

from unified_gpu.arrays import operations
from unified_gpu.arrays.array import GpuArray
from unified_gpu.arrays.axes import one_axis
from unified_gpu.arrays.broadcasting import as_array, context_of
from unified_gpu.dtypes import i64
from unified_gpu.runtime.stream import Stream
from unified_gpu.shapes import whole_number, whole_numbers

from .indexing import gather
from .manipulation import broadcast_to, expand_dims, reshape
from .sorting import searchsorted
from .statistics import cumulative_sum


def repeat(x: GpuArray, repeats: int | GpuArray, axis: int | None = None, *, stream: Stream | None = None) -> GpuArray:
    """Each element so many times, one behind the other, along an axis; None makes the array flat first.

    Args:
        repeats: one number, or an array of one for each element along the axis; it waits for their sum.

    Raises:
        ValueError: for an array of another length.
    """
    as_array(x, "x")
    if axis is None:
        x, axis = reshape(x, (-1,), stream=stream), 0
    at = one_axis(axis, x.shape)
    context_of(x, *([repeats] if isinstance(repeats, GpuArray) else []))
    if isinstance(repeats, GpuArray) and repeats.size != 1:
        return _repeated_apart(x, repeats, at, x.context.stream_for(stream))
    count = whole_number(repeats.reshape(()) if isinstance(repeats, GpuArray) else repeats, "a count of repeats")
    if count < 0:
        raise ValueError(f"each element is repeated 0 times or more, not {count} times")
    wider = broadcast_to(expand_dims(x, at + 1), (*x.shape[: at + 1], count, *x.shape[at + 1 :]))
    return wider.copy(stream=stream).reshape(*x.shape[:at], x.shape[at] * count, *x.shape[at + 1 :])


def _repeated_apart(x: GpuArray, repeats: GpuArray, axis: int, stream: Stream) -> GpuArray:
    if repeats.shape != x.shape[axis : axis + 1]:
        raise ValueError(
            f"repeats of shape {list(repeats.shape)} do not fit {x.shape[axis]} elements along axis {axis}"
        )
    if repeats.size and (least := operations.min(repeats, stream=stream).item(stream=stream)) < 0:
        raise ValueError(f"each element is repeated 0 times or more, not {least} times")
    ends = cumulative_sum(repeats, dtype=i64, stream=stream)
    count = int(ends[-1].item(stream=stream)) if ends.size else 0
    places = searchsorted(ends, cast(Any, x.context).arange(count, stream=stream), side="right", stream=stream)
    return gather(x, places, axis, stream)


def tile(x: GpuArray, repeats: int | Sequence[int], *, stream: Stream | None = None) -> GpuArray:
    """The array so many times along each axis."""
    counts = whole_numbers(repeats, "a count of repeats")
    if min(counts, default=0) < 0:
        raise ValueError(f"an array is repeated 0 times or more, not {list(counts)} times")
    ndim = max(as_array(x, "x").ndim, len(counts))
    counts = (1,) * (ndim - len(counts)) + counts
    shape = (1,) * (ndim - x.ndim) + x.shape
    x = x[(None,) * (ndim - x.ndim) + (...,)] if ndim > x.ndim else x
    spread = x[tuple(part for _ in range(ndim) for part in (None, slice(None)))] if ndim else x
    wanted = tuple(part for pair in zip(counts, shape, strict=True) for part in pair)
    lengths = [count * length for count, length in zip(counts, shape, strict=True)]
    assert math.prod(lengths) == math.prod(wanted)
    return broadcast_to(spread, wanted).copy(stream=stream).reshape(*lengths)
