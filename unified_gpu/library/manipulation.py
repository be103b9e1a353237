"""Arrays put together, taken apart, and seen in other shapes; views where that is possible."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from operator import index
from typing import Any, cast

from unified_gpu.arrays import operations
from unified_gpu.arrays.array import GpuArray
from unified_gpu.arrays.axes import Axes, one_axis, several_axes
from unified_gpu.arrays.broadcasting import as_array, broadcast_shapes, can_be_repeated, context_of, result_type
from unified_gpu.arrays.indexing import strides_or_none
from unified_gpu.errors import with_article
from unified_gpu.runtime.stream import Stream
from unified_gpu.shapes import lengths_of, whole_numbers

from . import indexing, passes, templates


def _checked(x: GpuArray) -> GpuArray:
    as_array(x, "an operand")
    return x


def _several(arrays: Sequence[GpuArray]) -> list[GpuArray]:
    if not hasattr(arrays, "__iter__"):
        raise TypeError(f"several arrays are wanted, as a list or a tuple, not {with_article(type(arrays).__name__)}")
    return [_checked(each) for each in arrays]


def concatenate(arrays: Sequence[GpuArray], axis: int | None = 0, *, stream: Stream | None = None) -> GpuArray:
    """One array of several, one behind the other along an axis; None makes each flat first.

    Raises:
        ValueError: without arrays, or for shapes that differ along another axis.
    """
    parts = _several(arrays)
    if not parts:
        raise ValueError("there are no arrays to concatenate")
    context, dtype = context_of(*parts), result_type(*parts)
    target = context.stream_for(stream)
    if axis is None:
        parts, axis = [reshape(each, (-1,), stream=target) for each in parts], 0
    at = one_axis(axis, parts[0].shape)
    before, behind = parts[0].shape[:at], parts[0].shape[at + 1 :]
    for each in parts:
        if each.ndim != parts[0].ndim or (each.shape[:at], each.shape[at + 1 :]) != (before, behind):
            raise ValueError(
                f"shapes {list(parts[0].shape)} and {list(each.shape)} cannot be concatenated along axis {at}"
            )
    shape = (*before, sum(each.shape[at] for each in parts), *behind)
    assert dtype is not None, "there is an array"
    out: GpuArray = context.new_array(shape, dtype, target)
    first = 0
    for each in parts:
        place = (slice(None),) * at + (slice(first, first + each.shape[at]),)
        first += each.shape[at]
        source = operations.cast(each, dtype, stream=target) if each.dtype is not dtype else each
        operations.assign(out[place], source, stream=target)
    return out


def stack(arrays: Sequence[GpuArray], axis: int = 0, *, stream: Stream | None = None) -> GpuArray:
    """One array of several of one shape, along a new axis."""
    parts = _several(arrays)
    if len({each.shape for each in parts}) > 1:
        shapes = " and ".join(sorted({str(list(each.shape)) for each in parts}))
        raise ValueError(f"shapes {shapes} cannot be stacked: they differ")
    return concatenate([expand_dims(each, axis) for each in parts], axis, stream=stream)


def split(x: GpuArray, sections: int | Sequence[int], axis: int = 0) -> list[GpuArray]:
    """Views of parts along an axis: so many of one length, or those between the given places.

    Raises:
        ValueError: when the axis does not divide into so many.
    """
    at = one_axis(axis, _checked(x).shape)
    length = x.shape[at]
    if hasattr(sections, "__index__"):
        count = index(sections)
        if count < 1 or length % count:
            raise ValueError(f"{length} elements along axis {at} do not divide into {count} parts")
        places = [length // count * part for part in range(count + 1)]
    else:
        places = [0, *(min(each, length) for each in whole_numbers(sections, "a place to split at")), length]
    return [x[(slice(None),) * at + (slice(first, last),)] for first, last in pairwise(places)]


def unstack(x: GpuArray, axis: int = 0) -> tuple[GpuArray, ...]:
    """Views of what is at each place along an axis, without it."""
    at = one_axis(axis, _checked(x).shape)
    return tuple(x[(slice(None),) * at + (place,)] for place in range(x.shape[at]))


def expand_dims(x: GpuArray, axis: Axes = 0) -> GpuArray:
    """A view with new axes of one element at these places of the result."""
    named = axis if isinstance(axis, (tuple, list)) else (axis,)
    ndim = _checked(x).ndim + len(named)
    for each in named:
        if hasattr(each, "__index__") and not -ndim <= each < ndim:
            raise ValueError(f"an array of shape {list(x.shape)} cannot have a new axis {each}: it gets {ndim} axes")
    at = several_axes(tuple(named), (1,) * ndim)
    return x[tuple(None if each in at else slice(None) for each in range(ndim))]


def squeeze(x: GpuArray, axis: Axes = None) -> GpuArray:
    """A view without axes of one element: these, or all.

    Raises:
        ValueError: for an axis with another length.
    """
    ones = tuple(each for each, length in enumerate(_checked(x).shape) if length == 1)
    at = ones if axis is None else several_axes(axis, x.shape)
    for each in at:
        if x.shape[each] != 1:
            raise ValueError(f"axis {each} of an array of shape {list(x.shape)} has not one element")
    return x[tuple(0 if each in at else slice(None) for each in range(x.ndim))]


def permute_dims(x: GpuArray, axes: Sequence[int]) -> GpuArray:
    """A view with the axes in another order."""
    return _checked(x).permute_dims(*axes)


def matrix_transpose(x: GpuArray) -> GpuArray:
    """A view with the last two axes exchanged."""
    return _checked(x).mT


def moveaxis(x: GpuArray, source: int | Sequence[int], destination: int | Sequence[int]) -> GpuArray:
    """A view with some axes at other places, and the others in order."""
    shape = _checked(x).shape
    before = [one_axis(each, shape) for each in whole_numbers(source, "an axis")]
    behind = [one_axis(each, shape) for each in whole_numbers(destination, "an axis")]
    if len(before) != len(behind) or len(set(before)) != len(before) or len(set(behind)) != len(behind):
        raise ValueError(f"axes {before} cannot be moved to {behind}: both are as many, each once")
    order = [axis for axis in range(x.ndim) if axis not in before]
    for place, axis in sorted(zip(behind, before, strict=True)):
        order.insert(place, axis)
    return x.permute_dims(*order)


def broadcast_to(x: GpuArray, shape: int | Sequence[int]) -> GpuArray:
    """A view that repeats an array to a shape; its elements share memory, so that it is not written to.

    Raises:
        ValueError: where NumPy's rules do not allow it.
    """
    wanted = lengths_of(shape)
    if not can_be_repeated(_checked(x).shape, wanted):
        raise ValueError(f"shape {list(x.shape)} cannot be repeated to {list(wanted)}")
    missing = (0,) * (len(wanted) - x.ndim)
    steps = (0 if n == 1 else step for n, step in zip(x.shape, x.strides, strict=True))
    return x._view(wanted, x._offset, strides_or_none(wanted, (*missing, *steps)))


def broadcast_arrays(*arrays: GpuArray) -> list[GpuArray]:
    """Views of all arrays repeated to one shape."""
    context_of(*arrays)
    return [broadcast_to(each, broadcast_shapes(*arrays)) for each in arrays]


def meshgrid(*arrays: GpuArray, indexing: str = "xy") -> list[GpuArray]:
    """The coordinates of a grid from those along each axis; views, of `xy` with the first two axes exchanged."""
    if indexing not in ("xy", "ij"):
        raise ValueError(f"indexing is 'xy' or 'ij', not {indexing!r}")
    order = [*range(len(arrays))]
    if indexing == "xy" and len(arrays) > 1:
        order[:2] = 1, 0
    seen = [
        x[tuple(slice(None) if axis == at else None for axis in range(len(arrays)))]
        for x, at in zip(map(_checked, arrays), order, strict=True)
    ]
    return broadcast_arrays(*seen) if arrays else []


def reshape(x: GpuArray, shape: int | Sequence[int], *, stream: Stream | None = None) -> GpuArray:
    """The elements in order in another shape: a view, or a copy where they do not lie in order."""
    return _checked(x).contiguous(stream=stream).reshape(*whole_numbers(shape))


def flip(x: GpuArray, axis: Axes = None, *, stream: Stream | None = None) -> GpuArray:
    """A copy in reverse order along these axes, or along all."""
    target = _checked(x).context.stream_for(stream)
    found, context = x.copy(stream=target), cast(Any, x.context)
    for each in several_axes(axis, x.shape):
        if x.shape[each] > 1 and x.size:
            places = context.arange(x.shape[each] - 1, -1, -1, stream=target)
            found = indexing.gather(found, places, each, target)
    return found


def roll(x: GpuArray, shift: int | Sequence[int], axis: Axes = None, *, stream: Stream | None = None) -> GpuArray:
    """A copy in which elements are moved along axes, and those that leave at one end come in at the other."""
    if axis is None:
        flat = reshape(_checked(x), (-1,), stream=stream)
        return roll(flat, shift, 0, stream=stream).reshape(x.shape)
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    shifts = list(whole_numbers(shift, "a shift"))
    shifts = shifts * len(axes) if len(shifts) == 1 else shifts
    if len(shifts) != len(axes):
        raise ValueError(f"{len(shifts)} shifts along {len(axes)} axes")
    found = x
    for by, each in zip(shifts, axes, strict=True):
        at = one_axis(each, x.shape)
        place = by % x.shape[at] if x.shape[at] else 0
        first, last = (
            split(found, [x.shape[at] - place], at) if place else (found, found[(slice(None),) * at + (slice(0),)])
        )
        found = concatenate([last, first], at, stream=stream)
    return found if found is not x else x.copy(stream=stream)


def products_of_whole_numbers(out: GpuArray, a: GpuArray, b: GpuArray, stream: Stream) -> None:
    """The products of matrices behind axes that are repeated; `out` lies in order."""
    views = [out]
    for each in (a, b):
        wide = broadcast_to(each, (*out.shape[:-2], *each.shape[-2:])).contiguous(stream=stream)
        views.append(wide.reshape(-1, *each.shape[-2:]))
    views[0] = out.reshape(-1, *out.shape[-2:])
    for first in range(0, out.shape[-2], passes.SIDE):
        rows = slice(first, first + passes.SIDE)
        for begin in range(0, a.shape[-1], passes.LONGEST):
            inner = slice(begin, begin + passes.LONGEST)
            parts = [views[0][:, rows], views[1][:, rows, inner], views[2][:, inner]]
            passes.run(templates.whole_products(begin > 0), parts[0].shape, parts, [], stream)
