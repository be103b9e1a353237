"""Statistics along one axis, several, or all: products, places of extremes, variances, running totals, truth."""

from __future__ import annotations

from unified_gpu.arrays import operations
from unified_gpu.arrays.array import GpuArray
from unified_gpu.arrays.axes import Axes, one_axis, reduced_shape, several_axes
from unified_gpu.arrays.broadcasting import as_array
from unified_gpu.arrays.operations import sum_dtype
from unified_gpu.dtypes import DType, as_dtype, bf16, bool_, f32, f64, i64
from unified_gpu.promotion import common_type
from unified_gpu.runtime.stream import Stream
from unified_gpu.shapes import real_number

from . import passes, templates


def prod(x: GpuArray, axis: Axes = None, *, keepdims: bool = False, stream: Stream | None = None) -> GpuArray:
    """The product; of integers as i64, or u64 for unsigned ones, and of bool as i64; it wraps around."""
    target, axes = as_array(x, "x").context.stream_for(stream), several_axes(axis, x.shape)
    dtype = sum_dtype(x.dtype)
    shape = reduced_shape(x.shape, axes, keepdims)
    if not x.size:
        return _filled(x, shape, dtype, 1, target)
    wide = passes.wide_dtype(dtype)
    found = passes.combined(templates.multiplied, passes.three_axes(x, axes, target), wide, wide, target)
    return operations.cast(found.reshape(shape), dtype, stream=target) if wide is not dtype else found.reshape(shape)


def any(x: GpuArray, axis: Axes = None, *, keepdims: bool = False, stream: Stream | None = None) -> GpuArray:
    """Whether an element is true, that is, not 0; of nothing it is False."""
    return _truth(x, axis, keepdims, stream, False)


def all(x: GpuArray, axis: Axes = None, *, keepdims: bool = False, stream: Stream | None = None) -> GpuArray:
    """Whether all elements are true, that is, not 0; of nothing it is True."""
    return _truth(x, axis, keepdims, stream, True)


def _truth(x: GpuArray, axis: Axes, keepdims: bool, stream: Stream | None, is_all: bool) -> GpuArray:
    target, axes = as_array(x, "x").context.stream_for(stream), several_axes(axis, x.shape)
    shape = reduced_shape(x.shape, axes, keepdims)
    if not x.size:
        return _filled(x, shape, bool_, is_all, target)
    combine = templates.both if is_all else templates.either
    found = passes.combined(combine, passes.three_axes(x, axes, target), templates.as_bool, bool_, target)
    return found.reshape(shape)


def argmax(x: GpuArray, axis: int | None = None, *, keepdims: bool = False, stream: Stream | None = None) -> GpuArray:
    """The place of the greatest element along an axis, or of all in order, as i64; the first of several, or of NaN.

    Raises:
        ValueError: for an empty axis.
    """
    return _place("argmax", templates.is_greater, x, axis, keepdims, stream)


def argmin(x: GpuArray, axis: int | None = None, *, keepdims: bool = False, stream: Stream | None = None) -> GpuArray:
    """The place of the least element, as `argmax`."""
    return _place("argmin", templates.is_less, x, axis, keepdims, stream)


def _place(
    name: str, is_better: object, x: GpuArray, axis: int | None, keepdims: bool, stream: Stream | None
) -> GpuArray:
    target = as_array(x, "x").context.stream_for(stream)
    axes = several_axes(None, x.shape) if axis is None else (one_axis(axis, x.shape),)
    shape = reduced_shape(x.shape, axes, keepdims)
    if not x.size:
        if 0 in (x.shape[each] for each in axes):
            raise ValueError(f"{name} of an empty array, of shape {list(x.shape)}, is not defined")
        return x.context.alloc(shape, i64, stream=target)
    return passes.chosen(is_better, passes.three_axes(x, axes, target), i64, target).reshape(shape)


def var(
    x: GpuArray,
    axis: Axes = None,
    *,
    correction: float = 0,
    keepdims: bool = False,
    stream: Stream | None = None,
) -> GpuArray:
    """The variance: squared differences from the mean, by the count less `correction`; of integers as f64."""
    target, axes = as_array(x, "x").context.stream_for(stream), several_axes(axis, x.shape)
    correction = real_number(correction, "the correction")
    dtype = x.dtype if x.dtype.is_float else f64
    wide = passes.wide_dtype(dtype)
    x = operations.cast(x, wide, stream=target) if x.dtype is not wide else x
    count = 1
    for each in axes:
        count *= x.shape[each]
    away = operations.sub(x, operations.mean(x, axes, keepdims=True, stream=target), stream=target)
    squares = operations.mul(away, away, out=away, stream=target)
    total = operations.sum(squares, axes, keepdims=keepdims, stream=target)
    left = max(count - correction, 0)
    found = operations.div(total, left, stream=target)
    return found if dtype is wide else operations.cast(found, dtype, stream=target)


def std(
    x: GpuArray,
    axis: Axes = None,
    *,
    correction: float = 0,
    keepdims: bool = False,
    stream: Stream | None = None,
) -> GpuArray:
    """The standard deviation: the square root of `var`."""
    return operations.sqrt(var(x, axis, correction=correction, keepdims=keepdims, stream=stream), stream=stream)


def cumulative_sum(
    x: GpuArray,
    axis: int | None = None,
    *,
    dtype: object = None,
    include_initial: bool = False,
    stream: Stream | None = None,
) -> GpuArray:
    """Running totals along an axis, which only an array of one axis may leave out; of integers as i64 or u64.

    Args:
        dtype: of the totals.
        include_initial: whether a 0 stands before them.
    """
    return _running(templates.added, 0, x, axis, dtype, include_initial, stream)


def cumulative_prod(
    x: GpuArray,
    axis: int | None = None,
    *,
    dtype: object = None,
    include_initial: bool = False,
    stream: Stream | None = None,
) -> GpuArray:
    """Running products, as `cumulative_sum`; a 1 stands before them."""
    return _running(templates.multiplied, 1, x, axis, dtype, include_initial, stream)


def _running(
    combine: object,
    initial: int,
    x: GpuArray,
    axis: int | None,
    dtype: object,
    include_initial: bool,
    stream: Stream | None,
) -> GpuArray:
    target = as_array(x, "x").context.stream_for(stream)
    if axis is None:
        if x.ndim != 1:
            raise ValueError(f"an array of shape {list(x.shape)} needs an axis, as axis=0")
        axis = 0
    at = one_axis(axis, x.shape)
    result = sum_dtype(x.dtype) if dtype is None else as_dtype(dtype)
    wide = passes.wide_dtype(common_type(result, f32) if result is bf16 else result)
    order = [each for each in range(x.ndim) if each != at]
    source = operations.cast(x, wide, stream=target) if x.dtype is not wide else x
    found = passes.scanned(combine, passes.three_axes(source, (at,), target), wide, target)
    if source.is_contiguous:
        found = found.reshape(x.shape)
    else:
        moved = found.reshape(*(x.shape[each] for each in order), x.shape[at])
        found = moved.permute_dims(*(order.index(each) if each != at else x.ndim - 1 for each in range(x.ndim)))
    if include_initial:
        shape = (*x.shape[:at], x.shape[at] + 1, *x.shape[at + 1 :])
        longer: GpuArray = x.context.new_array(shape, wide, target).fill(initial, stream=target)
        operations.assign(longer[(slice(None),) * at + (slice(1, None),)], found, stream=target)
        found = longer
    return operations.cast(found, result, stream=target) if wide is not result else found.contiguous(stream=target)


def _filled(x: GpuArray, shape: tuple[int, ...], dtype: DType, value: float, stream: Stream) -> GpuArray:
    found: GpuArray = x.context.new_array(shape, dtype, stream)
    return found.fill(value, stream=stream)
