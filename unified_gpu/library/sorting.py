"""Sorting and searching; NaN is behind all other numbers, and equal elements keep their order."""

from __future__ import annotations

from typing import Any, Literal

from unified_gpu.arrays import operations
from unified_gpu.arrays.array import GpuArray
from unified_gpu.arrays.axes import one_axis, with_one_axis
from unified_gpu.arrays.broadcasting import as_array, context_of, result_type
from unified_gpu.dtypes import Number, bf16, bool_, f32, i32, i64
from unified_gpu.runtime.stream import Stream

from . import functions, indexing, passes, sorting_kernels, templates
from .manipulation import concatenate
from .statistics import cumulative_sum

_RUN = sorting_kernels.RUN


def sort(x: GpuArray, axis: int = -1, *, descending: bool = False, stream: Stream | None = None) -> GpuArray:
    """A copy in order along an axis.

    Args:
        descending: from the greatest on; NaN is first then.
    """
    target = as_array(x, "x").context.stream_for(stream)
    at = one_axis(axis, x.shape)
    found = _back(_sorted(x, at, descending, False, target)[0], x, at)
    return operations.cast(found, bf16, stream=target) if x.dtype is bf16 else found.contiguous(stream=target)


def argsort(x: GpuArray, axis: int = -1, *, descending: bool = False, stream: Stream | None = None) -> GpuArray:
    """Where along an axis the elements of `sort` come from, as i64."""
    target = as_array(x, "x").context.stream_for(stream)
    at = one_axis(axis, x.shape)
    return operations.cast(_back(_sorted(x, at, descending, True, target)[1], x, at), i64, stream=target)


def searchsorted(
    x: GpuArray, values: GpuArray | Number, *, side: Literal["left", "right"] = "left", stream: Stream | None = None
) -> GpuArray:
    """Before which elements of x, which is in order, the values belong, as i64.

    Args:
        side: whether before those that equal a value (left), or behind them.
    """
    if side not in ("left", "right"):
        raise ValueError(f"a side is 'left' or 'right', not {side!r}")
    context, dtype = context_of(as_array(x, "x"), values), result_type(x, values)
    if x.ndim != 1:
        raise ValueError(f"one axis is searched, and the array has shape {list(x.shape)}")
    assert dtype is not None, "there are arrays"
    dtype = f32 if dtype is bf16 else dtype
    target = context.stream_for(stream)
    wanted: GpuArray = (
        values if isinstance(values, GpuArray) else context.new_array((), dtype, target).fill(values, stream=target)
    )
    out: GpuArray = context.new_array(wanted.shape, i64, target)
    views = [operations.cast(each, dtype, stream=target).reshape(-1) for each in (x, wanted)]
    kernel = sorting_kernels.searched(templates.is_before, side == "right")
    passes.run_each(kernel, out.size, [out.reshape(-1), *views], [], target)
    return out


def unique(
    x: GpuArray,
    *,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    equal_nan: bool = True,
    stream: Stream | None = None,
) -> Any:
    """The elements in order, each once; it waits for their number.

    Args:
        return_index: also where each is first, of all elements in order.
        return_inverse: also which of them each element of x is, in the shape of x.
        return_counts: also how often each occurs.
        equal_nan: whether all NaN are one element.

    Returns:
        The elements, or a tuple with what else is asked for, in the order above.
    """
    target = as_array(x, "x").context.stream_for(stream)
    flat = x.contiguous(stream=target).reshape(-1)
    values, places = _sorted(flat, 0, False, True, target)
    values, places = values.reshape(-1), places.reshape(-1)
    differs: GpuArray = x.context.new_array(flat.shape, bool_, target).fill(True, stream=target)
    if flat.size > 1:
        before, behind = values[:-1], values[1:]
        changes = operations.ne(before, behind, stream=target)
        if equal_nan and values.dtype.is_float:
            both = functions.logical_and(functions.isnan(before, stream=target), functions.isnan(behind), stream=target)
            changes = functions.logical_and(changes, functions.logical_not(both, stream=target), stream=target)
        operations.assign(differs[1:], changes, stream=target)
    starts = indexing.flat_nonzero(differs, target)
    elements = indexing.gather(values, starts, 0, target) if starts.size else values[:0]
    found = [operations.cast(elements, bf16, stream=target) if x.dtype is bf16 else elements]
    if return_index:
        first = indexing.gather(places, starts, 0, target) if starts.size else places[:0]
        found.append(operations.cast(first, i64, stream=target))
    if return_inverse:
        inverse: GpuArray = x.context.new_array(flat.shape, i64, target)
        if flat.size:
            numbers = operations.sub(cumulative_sum(differs, stream=target), 1, stream=target)
            places = operations.cast(places, i64, stream=target)
            indexing.scatter(inverse[:, None], places, numbers[:, None], target)
        found.append(inverse.reshape(x.shape))
    if return_counts:
        end: GpuArray = x.context.new_array((1,), i64, target).fill(flat.size, stream=target)
        ends = concatenate([starts[1:], end], stream=target) if starts.size else starts
        found.append(operations.sub(ends, starts, stream=target))
    return tuple(found) if len(found) > 1 else found[0]


def _sorted(x: GpuArray, axis: int, descending: bool, has_places: bool, stream: Stream) -> tuple[GpuArray, GpuArray]:
    """The rows of a matrix in order, which are the elements along an axis, and where they come from."""
    source = operations.cast(x, f32, stream=stream) if x.dtype is bf16 else x
    rows = with_one_axis(source, (axis,), stream)
    rows = rows.reshape(rows.size // rows.shape[-1] if rows.shape[-1] else 0, rows.shape[-1])
    is_before = templates.is_behind if descending else templates.is_before
    context, length = x.context, rows.shape[1]

    def pair() -> tuple[GpuArray, GpuArray]:
        values: GpuArray = context.new_array(rows.shape, rows.dtype, stream)
        places: GpuArray = context.new_array(rows.shape if has_places else (1, 1), i32, stream)
        return values, places

    found = pair()
    sizes = (rows.shape[0], -(-length // _RUN))
    width = _RUN
    passes.run(sorting_kernels.sorted_runs(is_before, has_places), sizes, [*found, rows], [], stream)
    other = pair() if width < length else found
    while width < length:
        kernel = sorting_kernels.merged_runs(is_before, has_places)
        passes.run(kernel, sizes, [*other, *found], [width], stream)
        found, other = other, found
        width *= 2
    return found


def _back(rows: GpuArray, x: GpuArray, axis: int) -> GpuArray:
    """A matrix of rows along an axis in the shape of an array."""
    order = [each for each in range(x.ndim) if each != axis]
    moved = rows.reshape(*(x.shape[each] for each in order), x.shape[axis])
    return moved.permute_dims(*(order.index(each) if each != axis else x.ndim - 1 for each in range(x.ndim)))
