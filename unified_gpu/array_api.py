"""The names of the Python array API standard, for `array.__array_namespace__()`; the current context makes arrays.

Left out are complex numbers, linear algebra beyond `matmul` and Fourier transforms; DLPack passes arrays to libraries
that have these.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple, cast

from unified_gpu import dtypes, library
from unified_gpu.array_api_dtypes import NamespaceInfo, open_context
from unified_gpu.array_api_dtypes import can_cast as can_cast
from unified_gpu.array_api_dtypes import finfo as finfo
from unified_gpu.array_api_dtypes import iinfo as iinfo
from unified_gpu.array_api_dtypes import isdtype as isdtype
from unified_gpu.array_api_dtypes import result_type as result_type
from unified_gpu.arrays import operations
from unified_gpu.arrays.array import GpuArray
from unified_gpu.arrays.axes import Axes, one_axis
from unified_gpu.arrays.broadcasting import broadcast_lengths
from unified_gpu.arrays.host_data import host_data
from unified_gpu.arrays.operations import add as add
from unified_gpu.arrays.operations import divide as divide
from unified_gpu.arrays.operations import exp as exp
from unified_gpu.arrays.operations import log as log
from unified_gpu.arrays.operations import max as max
from unified_gpu.arrays.operations import maximum as maximum
from unified_gpu.arrays.operations import mean as mean
from unified_gpu.arrays.operations import min as min
from unified_gpu.arrays.operations import minimum as minimum
from unified_gpu.arrays.operations import pow as pow
from unified_gpu.arrays.operations import sqrt as sqrt
from unified_gpu.arrays.operations import tanh as tanh
from unified_gpu.arrays.operations import where as where
from unified_gpu.arrays.products import matmul as matmul
from unified_gpu.dtypes import as_dtype
from unified_gpu.library.creation import CreatingContext

__array_api_version__ = "2025.12"
bool = dtypes.bool_
int8, int16, int32, int64 = dtypes.i8, dtypes.i16, dtypes.i32, dtypes.i64
uint8, uint16, uint32, uint64 = dtypes.u8, dtypes.u16, dtypes.u32, dtypes.u64
float32, float64 = dtypes.f32, dtypes.f64
e, pi, inf, nan, newaxis = math.e, math.pi, math.inf, math.nan, None
abs, negative, subtract, multiply = operations.abs, operations.neg, operations.sub, operations.mul
equal, not_equal, less = operations.eq, operations.ne, operations.lt
less_equal, greater, greater_equal = operations.le, operations.gt, operations.ge
broadcast_shapes = broadcast_lengths


def _context(device: object = None) -> CreatingContext:
    return cast(CreatingContext, open_context(device))


def _context_of(x: GpuArray, device: object) -> CreatingContext:
    """The context of an array, whatever the current one is; it has to be on `device`, where one is named."""
    return cast(CreatingContext, (x if device is None else x.to_device(device)).context)


def __array_namespace_info__() -> NamespaceInfo:
    """What there is, for the current context."""
    return NamespaceInfo()


def __getattr__(name: str) -> Any:
    """The functions of the library, which have the names of the standard."""
    if name in library.__all__ or name in ("all", "any", "round"):
        return getattr(library, name)
    raise AttributeError(
        f"the arrays of unified_gpu have no {name}; use DLPack with CuPy or torch: cupy.from_dlpack(x)"
    )


def __dir__() -> list[str]:
    return sorted({*globals(), *library.__all__, "all", "any", "round"})


def asarray(obj: Any, /, *, dtype: object = None, device: object = None, copy: object = None) -> GpuArray:
    """An array of data of the host, which may be empty, or of an array.

    Raises:
        ValueError: where `copy` is False, and data would be copied.
    """
    context = _context(device)
    if isinstance(obj, GpuArray):
        found = obj if dtype is None else obj.cast(dtype)
        if copy is False and found is not obj:
            raise ValueError(f"an array of {obj.dtype} becomes one of {found.dtype} by a copy alone")
        return found.copy() if copy and found is obj else found
    if copy is False:
        raise ValueError(f"data of the host, a {type(obj).__name__}, comes to a device by a copy alone")
    if isinstance(obj, (int, float)):
        return context.full((), obj, dtype)
    if _is_empty(obj):
        _, kind, shape = host_data(obj, None, context.dtype)
        return context.alloc(shape, kind if dtype is None else dtype)
    return context.alloc_upload(obj, dtype)


def _is_empty(data: Any) -> object:
    shape = getattr(data, "shape", None)
    if shape is not None:
        return 0 in shape
    while isinstance(data, (list, tuple)):
        if not data:
            return True
        data = data[0]
    return False


def astype(x: GpuArray, dtype: object, /, *, copy: object = True, device: object = None) -> GpuArray:
    """The elements in another dtype."""
    _context_of(x, device)
    return x.copy() if copy and as_dtype(dtype) is x.dtype else x.cast(dtype)


def arange(start: Any, /, stop: Any = None, step: Any = 1, *, dtype: object = None, device: object = None) -> GpuArray:
    """`ctx.arange` of the current context."""
    return _context(device).arange(start, stop, step, dtype)


def linspace(
    start: Any, stop: Any, /, num: int, *, dtype: object = None, device: object = None, endpoint: object = True
) -> GpuArray:
    """`ctx.linspace` of the current context."""
    return _context(device).linspace(start, stop, num, dtype, endpoint=endpoint is True)


def empty(shape: Any, *, dtype: object = None, device: object = None) -> GpuArray:
    """`ctx.alloc` of the current context."""
    return _context(device).alloc(shape, dtype)


def zeros(shape: Any, *, dtype: object = None, device: object = None) -> GpuArray:
    """`ctx.alloc_zeros` of the current context."""
    return _context(device).alloc_zeros(shape, dtype)


def ones(shape: Any, *, dtype: object = None, device: object = None) -> GpuArray:
    """`ctx.ones` of the current context."""
    return _context(device).ones(shape, dtype)


def full(shape: Any, fill_value: Any, *, dtype: object = None, device: object = None) -> GpuArray:
    """`ctx.full` of the current context."""
    return _context(device).full(shape, fill_value, dtype)


def eye(
    n_rows: int, n_cols: int | None = None, /, *, k: int = 0, dtype: object = None, device: object = None
) -> GpuArray:
    """`ctx.eye` of the current context."""
    return _context(device).eye(n_rows, n_cols, k=k, dtype=dtype)


def empty_like(x: GpuArray, /, *, dtype: object = None, device: object = None) -> GpuArray:
    """An array of the same shape."""
    return _context_of(x, device).empty_like(x, dtype)


def zeros_like(x: GpuArray, /, *, dtype: object = None, device: object = None) -> GpuArray:
    """Zeros of the same shape."""
    return _context_of(x, device).zeros_like(x, dtype)


def ones_like(x: GpuArray, /, *, dtype: object = None, device: object = None) -> GpuArray:
    """Ones of the same shape."""
    return _context_of(x, device).ones_like(x, dtype)


def full_like(x: GpuArray, /, fill_value: Any, *, dtype: object = None, device: object = None) -> GpuArray:
    """One number in the same shape."""
    return _context_of(x, device).full_like(x, fill_value, dtype)


def from_dlpack(x: Any, /, *, device: object = None, copy: object = None) -> GpuArray:
    """`ctx.from_dlpack` of the current context; an array of it as it is."""
    context = _context(device)
    found: GpuArray = x if isinstance(x, GpuArray) and x.context is context else context.from_dlpack(x)
    return found.copy() if copy else found


def concat(arrays: Sequence[GpuArray], /, *, axis: int | None = 0) -> GpuArray:
    """`unified_gpu.concatenate`."""
    return library.concatenate(arrays, axis)


def reshape(x: GpuArray, /, shape: Sequence[int], *, copy: object = None) -> GpuArray:
    """The elements in order in another shape; copied where that is asked for, or no view.

    Raises:
        ValueError: where `copy` is False, and the elements do not lie in order.
    """
    if copy is False:
        return x.reshape(*shape)
    return library.reshape(x.copy() if copy else x, shape)


def broadcast_arrays(*arrays: GpuArray) -> tuple[GpuArray, ...]:
    """Views of all arrays repeated to one shape."""
    return tuple(library.broadcast_arrays(*arrays))


def meshgrid(*arrays: GpuArray, indexing: str = "xy") -> tuple[GpuArray, ...]:
    """`unified_gpu.meshgrid`."""
    return tuple(library.meshgrid(*arrays, indexing=indexing))


def clip(x: GpuArray, /, min: Any = None, max: Any = None) -> GpuArray:
    """`unified_gpu.clip` in the dtype of x."""
    found = library.clip(x, min, max)
    return found if found.dtype is x.dtype else found.cast(x.dtype)


def sum(x: GpuArray, /, *, axis: Axes = None, dtype: object = None, keepdims: object = False) -> GpuArray:
    """`unified_gpu.sum` of the elements in a dtype."""
    return _reduced(operations.sum, x, axis, dtype, keepdims)


def prod(x: GpuArray, /, *, axis: Axes = None, dtype: object = None, keepdims: object = False) -> GpuArray:
    """`unified_gpu.prod` of the elements in a dtype."""
    return _reduced(library.prod, x, axis, dtype, keepdims)


def _reduced(function: Callable[..., GpuArray], x: GpuArray, axis: Axes, dtype: object, keepdims: object) -> GpuArray:
    if dtype is None:
        return function(x, axis, keepdims=keepdims)
    return function(x.cast(dtype), axis, keepdims=keepdims).cast(dtype)


def sort(x: GpuArray, /, *, axis: int = -1, descending: object = False, stable: object = True) -> GpuArray:
    """`unified_gpu.sort`, which keeps the order of equal elements."""
    return library.sort(x, axis, descending=descending is True)


def argsort(x: GpuArray, /, *, axis: int = -1, descending: object = False, stable: object = True) -> GpuArray:
    """`unified_gpu.argsort`, which keeps the order of equal elements."""
    return library.argsort(x, axis, descending=descending is True)


def searchsorted(
    x1: GpuArray, x2: Any, /, *, side: Literal["left", "right"] = "left", sorter: GpuArray | None = None
) -> GpuArray:
    """`unified_gpu.searchsorted`; `sorter` has the places of x1 in order, as of `argsort`."""
    return library.searchsorted(x1 if sorter is None else library.take(x1, sorter), x2, side=side)


def isin(x1: Any, x2: Any, /, *, invert: object = False) -> GpuArray:
    """Whether each element of x1 is one of x2; NaN is none."""
    kind = result_type(x1, x2)
    wanted, known = (x.cast(kind) if isinstance(x, GpuArray) else _context().full((), x, kind) for x in (x1, x2))
    if known.size:
        known = library.sort(known.contiguous().reshape(-1))
        places = operations.minimum(library.searchsorted(known, wanted), known.size - 1)
        found = operations.eq(library.take(known, places), wanted)
    else:
        found = _context().full(wanted.shape, False)
    return library.logical_not(found) if invert else found


def diff(
    x: GpuArray, /, *, axis: int = -1, n: int = 1, prepend: GpuArray | None = None, append: GpuArray | None = None
) -> GpuArray:
    """Differences of neighbours along an axis, so many times; `prepend` and `append` are put before and behind x."""
    parts = [each for each in (prepend, x, append) if each is not None]
    x = library.concatenate(parts, axis) if len(parts) > 1 else x
    for _ in range(n):
        before = library.moveaxis(x, axis, 0)
        x = library.moveaxis(operations.sub(before[1:], before[:-1]), 0, axis)
    return x


def tensordot(x1: GpuArray, x2: GpuArray, /, *, axes: Any = 2) -> GpuArray:
    """The sums of products along axes: the last ones of x1 with the first ones of x2, or those that are named."""
    if isinstance(axes, int):
        axes = range(x1.ndim - axes, x1.ndim), range(axes)
    left, right = ([one_axis(each, x.shape) for each in named] for x, named in zip((x1, x2), axes, strict=True))
    if [x1.shape[each] for each in left] != [x2.shape[each] for each in right]:
        raise ValueError(f"shapes {list(x1.shape)} and {list(x2.shape)} differ along axes {left} and {right}")
    kept = [[each for each in range(x.ndim) if each not in used] for x, used in ((x1, left), (x2, right))]
    shape = [x1.shape[each] for each in kept[0]] + [x2.shape[each] for each in kept[1]]
    inner = math.prod(x1.shape[each] for each in left)
    outer = [math.prod(x.shape[each] for each in places) for x, places in zip((x1, x2), kept, strict=True)]
    rows = library.reshape(library.permute_dims(x1, kept[0] + left), (outer[0], inner))
    columns = library.reshape(library.permute_dims(x2, right + kept[1]), (inner, outer[1]))
    return matmul(rows, columns).reshape(*shape)


def vecdot(x1: GpuArray, x2: GpuArray, /, *, axis: int = -1) -> GpuArray:
    """The sum of products along an axis, in the dtype of the products.

    Raises:
        ValueError: where the axis of one is longer than that of the other.
    """
    if x1.shape[one_axis(axis, x1.shape)] != x2.shape[one_axis(axis, x2.shape)]:
        raise ValueError(f"shapes {list(x1.shape)} and {list(x2.shape)} differ along axis {axis}")
    products = operations.mul(x1, x2)
    return operations.sum(products, axis).cast(products.dtype)


def conj(x: GpuArray, /) -> GpuArray:
    """The array as it is: there are no complex numbers."""
    return x


class UniqueCounts(NamedTuple):
    values: GpuArray
    counts: GpuArray


class UniqueInverse(NamedTuple):
    values: GpuArray
    inverse_indices: GpuArray


class UniqueAll(NamedTuple):
    values: GpuArray
    indices: GpuArray
    inverse_indices: GpuArray
    counts: GpuArray


def unique_values(x: GpuArray, /) -> GpuArray:
    """The elements in order, each once; NaN are all different."""
    found: GpuArray = library.unique(x, equal_nan=False)
    return found


def unique_counts(x: GpuArray, /) -> UniqueCounts:
    """Also how often each occurs."""
    return UniqueCounts(*library.unique(x, return_counts=True, equal_nan=False))


def unique_inverse(x: GpuArray, /) -> UniqueInverse:
    """Also which of them each element is."""
    return UniqueInverse(*library.unique(x, return_inverse=True, equal_nan=False))


def unique_all(x: GpuArray, /) -> UniqueAll:
    """Also where each is first, which of them each element is, and how often each occurs."""
    return UniqueAll(*library.unique(x, return_index=True, return_inverse=True, return_counts=True, equal_nan=False))
