"""Indexing by arrays and by masks: `take`, `put`, `nonzero`, and what `x[…]` does with arrays between the brackets."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any

from unified_gpu.arrays import operations
from unified_gpu.arrays.array import GpuArray
from unified_gpu.arrays.axes import one_axis
from unified_gpu.arrays.broadcasting import as_array, broadcast_shapes, context_of, may_overlap
from unified_gpu.arrays.host_data import host_data
from unified_gpu.arrays.indexing import for_every_axis, forwards, whole_index
from unified_gpu.backends import DLPACK_CPU
from unified_gpu.dtypes import Number, bool_, i32, i64, u8, u16, u32, u64
from unified_gpu.runtime.stream import Stream

from . import passes, templates
from .statistics import cumulative_sum

_OF_SIZE = {1: u8, 2: u16, 4: u32, 8: u64}


def take(x: GpuArray, indices: GpuArray, axis: int | None = None, *, stream: Stream | None = None) -> GpuArray:
    """The elements at these places along an axis, or of all in order; negative ones count from the end.

    Raises:
        IndexError: on the CPU, for an index that is not there; elsewhere the nearest element is taken.
        TypeError: for indices that are no whole numbers.
    """
    target = context_of(as_array(x, "x"), as_array(indices, "an index")).stream_for(stream)
    if axis is None:
        x, axis = x.contiguous(stream=target).reshape(-1), 0
    at = one_axis(axis, x.shape)
    places = positions(indices, x.shape[at], at, target)
    found = gather(x, places.contiguous(stream=target).reshape(-1), at, target)
    return found.reshape(*x.shape[:at], *indices.shape, *x.shape[at + 1 :])


def take_along_axis(x: GpuArray, indices: GpuArray, axis: int = -1, *, stream: Stream | None = None) -> GpuArray:
    """For each place of `indices` the element that it names along an axis; all other axes are as long as those of x."""
    target = as_array(x, "x").context.stream_for(stream)
    at = one_axis(axis, x.shape)
    context_of(x, as_array(indices, "indices"))
    shape = (*x.shape[:at], *indices.shape[at : at + 1], *x.shape[at + 1 :])
    if indices.shape != shape:
        raise ValueError(f"indices of shape {list(indices.shape)} do not fit shape {list(x.shape)} along axis {at}")
    places = positions(indices, x.shape[at], at, target).contiguous(stream=target)
    out: GpuArray = x.context.new_array(shape, x.dtype, target)
    source = x.contiguous(stream=target)
    views = [passes.three_axes(each, (at,), target) for each in (out, source, places)]
    views[0], views[1] = _as_numbers(views[0]), _as_numbers(views[1])
    passes.run_each(templates.gathered_along, out.size, views, [], target)
    return out


def put(x: GpuArray, indices: GpuArray, values: GpuArray | Number, *, stream: Stream | None = None) -> None:
    """Set the elements at these places of all in order; of several values for one place the last stays.

    Args:
        values: a number, or an array that can be repeated to the shape of the indices. Another dtype is converted
            where it is of no higher kind: bool, unsigned, signed, float.

    Raises:
        IndexError: on the CPU, for an index that is not there; elsewhere nothing is set there.
        TypeError: for values of a higher kind, and indices that are no whole numbers.
        ValueError: for values that do not fit.
    """
    target = context_of(as_array(x, "x"), as_array(indices, "an index")).stream_for(stream)
    flat = x.contiguous(stream=target).reshape(-1)
    places = positions(indices, x.size, 0, target).contiguous(stream=target).reshape(-1)
    if isinstance(values, GpuArray):
        context_of(x, values)
    else:
        values = x.context.new_array((1,), x.dtype, target).fill(values, stream=target)
    if values.dtype is not x.dtype or (values._allocation is flat._allocation and may_overlap(flat, values)):
        given = values
        values = x.context.new_array(given.shape, x.dtype, target)
        operations.assign(values, given, stream=target)
    scatter(flat[:, None], places, repeated(values, indices.shape, target).reshape(-1, 1), target)
    if not x.is_contiguous:
        operations.assign(x, flat.reshape(x.shape), stream=target)


def nonzero(x: GpuArray, *, stream: Stream | None = None) -> tuple[GpuArray, ...]:
    """The places of what is not 0, an i64 array for each axis; it waits for their number."""
    target = as_array(x, "x").context.stream_for(stream)
    if not x.shape:
        raise ValueError("an array of shape () has no places; reshape it to (1,)")
    return unraveled(flat_nonzero(x, target), x.shape)


def count_nonzero(x: GpuArray, axis: Any = None, *, keepdims: bool = False, stream: Stream | None = None) -> GpuArray:
    """How many elements are not 0."""
    return operations.sum(operations.cast(x, bool_, stream=stream), axis, keepdims=keepdims, stream=stream)


# --- what the functions above and `x[…]` are made of


def positions(indices: Any, length: int, axis: int, stream: Stream) -> GpuArray:
    """Indices as i64 from the first element; on the CPU they are looked at."""
    found = as_array(indices, "an index")
    if found.dtype.kind not in ("int", "uint"):
        raise TypeError(f"an array is indexed by whole numbers or bools, not by {found.dtype}; use cast('i64')")
    places: GpuArray = indices if found.dtype is i64 else operations.cast(indices, i64, stream=stream)
    if found.dtype.kind == "int" and places.size:
        below = operations.lt(places, 0, stream=stream)
        places = operations.where(below, operations.add(places, length, stream=stream), places, stream=stream)
    if places.size and places.context.device.dlpack_type == DLPACK_CPU:
        low = operations.min(places, stream=stream).item(stream=stream)
        high = operations.max(places, stream=stream).item(stream=stream)
        if low < 0 or high >= length:
            wrong = high if low >= 0 else low - length if found.dtype.kind == "int" else low + (1 << 64)
            raise IndexError(f"index {wrong} along axis {axis}, which has {length} elements")
    return places


def gather(x: GpuArray, places: GpuArray, axis: int, stream: Stream) -> GpuArray:
    """The elements at places along an axis, which are within it."""
    source = x.contiguous(stream=stream)
    shape = (*x.shape[:axis], places.size, *x.shape[axis + 1 :])
    out: GpuArray = x.context.new_array(shape, x.dtype, stream)
    if out.size and not x.size:
        raise IndexError(f"an array of shape {list(x.shape)} has no elements to take")
    views = [_as_numbers(passes.three_axes(each, (axis,), stream)) for each in (out, source)]
    passes.run_each(templates.gathered, out.size, [*views, places], [], stream)
    return out


def scatter(x: GpuArray, places: GpuArray, values: GpuArray, stream: Stream) -> None:
    """Set rows of a matrix, of several values for one row the last."""
    if not places.size or not x.size:
        return
    owner: GpuArray = x.context.new_array((x.shape[0],), i32, stream).fill(-1, stream=stream)
    passes.run_each(templates.owned, places.size, [owner, places], [], stream)
    passes.run_each(templates.scattered, values.size, [_as_numbers(x), places, _as_numbers(values), owner], [], stream)


def flat_nonzero(x: GpuArray, stream: Stream) -> GpuArray:
    """The places of what is not 0, of all elements in order."""
    mask = operations.cast(x, bool_, stream=stream).reshape(-1)
    if not mask.size:
        return x.context.alloc((0,), i64, stream=stream)
    sums = cumulative_sum(mask, stream=stream)
    out: GpuArray = x.context.alloc((int(sums[-1].item(stream=stream)),), i64, stream=stream)
    if out.size:
        passes.run_each(templates.compressed, mask.size, [out, mask, sums], [], stream)
    return out


def unraveled(flat: GpuArray, shape: tuple[int, ...]) -> tuple[GpuArray, ...]:
    """Places in order as those along each axis."""
    found: list[GpuArray] = []
    for length in reversed(shape[1:]):
        found.append(flat % length if length else flat)
        flat = flat // length if length else flat
    return (flat, *reversed(found))


def repeated(values: GpuArray, shape: tuple[int, ...], stream: Stream) -> GpuArray:
    """A copy repeated to a shape."""
    if values.shape == shape:
        return values.contiguous(stream=stream)
    out: GpuArray = values.context.new_array(shape, values.dtype, stream)
    operations.assign(out, values, stream=stream)
    return out


def _as_numbers(x: GpuArray) -> GpuArray:
    """The same elements as unsigned numbers, of which nothing is lost in a copy."""
    return GpuArray(x.context, x._allocation, _OF_SIZE[x.dtype.size], x.shape, x._offset, x._strides)


# --- brackets


class Selection:
    """What `x[key]` selects where arrays stand in the key: elements of a view whose first axes the arrays index.

    Attributes:
        view: of the array, with the axes that arrays index first.
        places: in order, of those axes.
        shape: of the arrays, repeated to one.
        at: before which axis of the result those of the arrays stand.
        count: how many axes of `view` the arrays index.
        reverse: axes of the elements, those of the arrays first, that slices select backwards.
    """

    def __init__(self, x: GpuArray, key: Any) -> None:
        stream = x.context.stream_for(None)
        keys = [part for each in _keys(x, key) for part in (nonzero(each) if _is_mask(each) else [each])]
        dots = [place for place, each in enumerate(keys) if each is Ellipsis]
        keys, written = list(for_every_axis(tuple(keys), x.shape)), [_is_place(each) for each in keys]
        is_array = [_is_place(each) for each in keys]
        basic = tuple(slice(None) if indexed else each for each, indexed in zip(keys, is_array, strict=True))
        indices = [each for each, indexed in zip(keys, is_array, strict=True) if indexed]
        basic, reverse = forwards(basic, x.shape)  # a slice that goes backwards would give a copy, not a view
        view: GpuArray = x[basic]
        axes = [axis for axis, indexed in enumerate(is_array) if indexed]
        lengths = [view.shape[axis] for axis in axes]
        arrays = [each for each in indices if isinstance(each, GpuArray)]
        self.shape = broadcast_shapes(*arrays)
        self.count = len(axes)
        are_apart = any(any(written[:at]) and any(written[at:]) for at in dots)  # also by a `...` of no axis
        self.at = axes[0] if axes == list(range(axes[0], axes[-1] + 1)) and not are_apart else 0
        others = [axis for axis in range(view.ndim) if axis not in axes]
        self.view = view.permute_dims(*axes, *others)
        self.reverse = tuple(len(self.shape) + others.index(axis) for axis in reverse)
        places: Any = None
        for each, length, axis in zip(indices, lengths, axes, strict=True):
            found: Any = positions(each, length, axis, stream) if isinstance(each, GpuArray) else whole_index(each)
            if isinstance(found, int):
                if not -length <= found < length:
                    raise IndexError(f"index {found} along axis {axis}, which has {length} elements")
                found %= length
            places = found if places is None else places * length + found
        self.places = repeated(places, self.shape, stream).reshape(-1)
        self.stream = stream

    @property
    def rest(self) -> tuple[int, ...]:
        """The axes of the view that no array indexes."""
        return self.view.shape[self.count :]

    def get(self) -> GpuArray:
        """A new array of the elements."""
        rows = self.view.contiguous(stream=self.stream).reshape(math.prod(self.view.shape[: self.count]), *self.rest)
        found = gather(rows, self.places, 0, self.stream).reshape(*self.shape, *self.rest)
        found = self._reversed(found)
        if not self.at:
            return found
        inner, before = len(self.shape), range(len(self.shape), len(self.shape) + self.at)
        return found.permute_dims(*before, *range(inner), *range(inner + self.at, found.ndim)).contiguous()

    def set(self, value: Any) -> None:
        """Set the elements to a number, or to an array that is repeated."""
        view, stream = self.view, self.stream
        shape = (*self.rest[: self.at], *self.shape, *self.rest[self.at :])
        values: GpuArray = view.context.new_array(shape, view.dtype, stream)
        values[...] = value
        if self.at:
            inner = range(self.at, self.at + len(self.shape))
            values = values.permute_dims(*inner, *range(self.at), *range(self.at + len(self.shape), values.ndim))
        rows = math.prod(view.shape[: self.count])
        inner_size = math.prod(self.rest)
        target = view.contiguous(stream=stream)
        matrix = self._reversed(values).contiguous(stream=stream).reshape(self.places.size, inner_size)
        scatter(target.reshape(rows, inner_size), self.places, matrix, stream)
        if target is not view:
            operations.assign(view, target, stream=stream)

    def _reversed(self, elements: GpuArray) -> GpuArray:
        flipped: Any = elements.context.functions.flip
        found: GpuArray = flipped(elements, self.reverse, stream=self.stream) if self.reverse else elements
        return found


def _is_place(key: Any) -> bool:
    """Whether it is an array of places or an integer, which NumPy takes for one where arrays stand beside it."""
    return isinstance(key, GpuArray) or hasattr(key, "__index__")


def _is_mask(key: Any) -> bool:
    return isinstance(key, GpuArray) and key.dtype is bool_


def _keys(x: GpuArray, key: Any) -> list[Any]:
    """What stands between the brackets, with arrays of the host on the device.

    Raises:
        IndexError: for a mask of another shape than the axes that it stands for.
    """
    keys = [_index(x, each) for each in (key if isinstance(key, tuple) else (key,))]
    context_of(x, *(each for each in keys if isinstance(each, GpuArray)))
    axis = 0
    for each in keys:
        if each is Ellipsis:
            break
        if _is_mask(each) and each.shape != x.shape[axis : axis + each.ndim]:
            raise IndexError(
                f"a mask of shape {list(each.shape)} does not fit an array of shape {list(x.shape)} at axis {axis}"
            )
        axis += each.ndim if _is_mask(each) else each is not None
    return keys


def _index(x: GpuArray, each: Any) -> Any:
    is_number = hasattr(each, "__index__") and getattr(each, "ndim", 0) == 0
    if isinstance(each, GpuArray) or is_number or not hasattr(each, "__len__"):
        return each
    if not isinstance(each, list) and not hasattr(each, "shape"):
        what = type(each).__name__
        raise TypeError(f"arrays are indexed by integers, slices, `...`, None, lists and arrays, not by a {what}")
    first = each
    while isinstance(first, list) and first:
        first = first[0]
    if isinstance(first, list) or 0 in getattr(first, "shape", ()):
        _, dtype, shape = host_data(each, default=i64)
        return x.context.alloc(shape, dtype)
    return x.context.alloc_upload(each)


def get_items(x: GpuArray, key: Any) -> GpuArray:
    """`x[key]`, where arrays stand in the key."""
    return Selection(*_with_an_axis(x, key)).get()


def set_items(x: GpuArray, key: Any, value: Any) -> None:
    """`x[key] = value`, where arrays stand in the key."""
    if isinstance(value, Real) and not isinstance(key, tuple):
        (mask,) = _keys(x, key)
        if _is_mask(mask) and mask.shape == x.shape:  # nothing waits for the number of places
            number = x.dtype.check(value)  # type: ignore[arg-type]  # it is a number
            operations.assign(x, operations.where(mask, x.context.alloc((1,), x.dtype).fill(number), x))
            return
    Selection(*_with_an_axis(x, key)).set(value)


def _with_an_axis(x: GpuArray, key: Any) -> tuple[GpuArray, Any]:
    """A mask of no axis, which selects all or nothing, as one of one axis in front of the others."""
    return (x[None], key.reshape(1)) if _is_mask(key) and not key.shape else (x, key)
