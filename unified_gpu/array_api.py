"""The names of the Python array API standard, for `array.__array_namespace__()`; the current context makes arrays.

Left out are complex numbers, linear algebra beyond `matmul` and Fourier transforms; DLPack passes arrays to libraries
that have these.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple, cast

from unified_gpu import dtypes, library
from unified_gpu.arrays import operations
from unified_gpu.arrays.array import GpuArray
from unified_gpu.arrays.broadcasting import broadcast_lengths
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
from unified_gpu.arrays.operations import sum as sum
from unified_gpu.arrays.operations import tanh as tanh
from unified_gpu.arrays.operations import where as where
from unified_gpu.arrays.products import matmul as matmul
from unified_gpu.dtypes import DType, as_dtype
from unified_gpu.library import *  # noqa: F403 -- the names of the standard are those of the library
from unified_gpu.library import all as all
from unified_gpu.library import any as any
from unified_gpu.library import round as round
from unified_gpu.library.creation import CreatingContext
from unified_gpu.promotion import common_type, is_same_kind
from unified_gpu.runtime.context import current_context

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
_KINDS = {
    "bool": ("bool",), "signed integer": ("int",), "unsigned integer": ("uint",), "integral": ("int", "uint"),
    "real floating": ("float",), "complex floating": (), "numeric": ("int", "uint", "float"),
}  # fmt: skip


def _context() -> CreatingContext:
    return cast(CreatingContext, current_context())


def __getattr__(name: str) -> Any:
    raise AttributeError(
        f"the arrays of unified_gpu have no {name}; use DLPack with CuPy or torch: cupy.from_dlpack(x)"
    )


def asarray(obj: Any, /, *, dtype: object = None, copy: object = None, device: object = None) -> GpuArray:
    """An array of data of the host, or of an array."""
    if isinstance(obj, GpuArray):
        found = obj if dtype is None else obj.cast(dtype)
        return found.copy() if copy and found is obj else found
    if isinstance(obj, (int, float)):
        kind = None if dtype is None else as_dtype(dtype)
        return _context().full((), obj, kind)
    return _context().alloc_upload(obj, dtype)


def astype(x: GpuArray, dtype: object, /, *, copy: object = True, device: object = None) -> GpuArray:
    """The elements in another dtype."""
    return x.copy() if copy and as_dtype(dtype) is x.dtype else x.cast(dtype)


def arange(start: Any, /, stop: Any = None, step: Any = 1, *, dtype: object = None, device: object = None) -> GpuArray:
    """`ctx.arange` of the current context."""
    return _context().arange(start, stop, step, dtype)


def linspace(
    start: Any, stop: Any, /, num: int, *, dtype: object = None, device: object = None, endpoint: object = True
) -> GpuArray:
    """`ctx.linspace` of the current context."""
    return _context().linspace(start, stop, num, dtype, endpoint=endpoint is True)


def empty(shape: Any, *, dtype: object = None, device: object = None) -> GpuArray:
    """`ctx.alloc` of the current context."""
    return _context().alloc(shape, dtype)


def zeros(shape: Any, *, dtype: object = None, device: object = None) -> GpuArray:
    """`ctx.alloc_zeros` of the current context."""
    return _context().alloc_zeros(shape, dtype)


def ones(shape: Any, *, dtype: object = None, device: object = None) -> GpuArray:
    """`ctx.ones` of the current context."""
    return _context().ones(shape, dtype)


def full(shape: Any, fill_value: Any, *, dtype: object = None, device: object = None) -> GpuArray:
    """`ctx.full` of the current context."""
    return _context().full(shape, fill_value, dtype)


def eye(
    n_rows: int, n_cols: int | None = None, /, *, k: int = 0, dtype: object = None, device: object = None
) -> GpuArray:
    """`ctx.eye` of the current context."""
    return _context().eye(n_rows, n_cols, k=k, dtype=dtype)


def empty_like(x: GpuArray, /, *, dtype: object = None, device: object = None) -> GpuArray:
    """An array of the same shape."""
    return cast(CreatingContext, x.context).empty_like(x, dtype)


def zeros_like(x: GpuArray, /, *, dtype: object = None, device: object = None) -> GpuArray:
    """Zeros of the same shape."""
    return cast(CreatingContext, x.context).zeros_like(x, dtype)


def ones_like(x: GpuArray, /, *, dtype: object = None, device: object = None) -> GpuArray:
    """Ones of the same shape."""
    return cast(CreatingContext, x.context).ones_like(x, dtype)


def full_like(x: GpuArray, /, fill_value: Any, *, dtype: object = None, device: object = None) -> GpuArray:
    """One number in the same shape."""
    return cast(CreatingContext, x.context).full_like(x, fill_value, dtype)


def from_dlpack(x: Any, /, *, device: object = None, copy: object = None) -> GpuArray:
    """`ctx.from_dlpack` of the current context."""
    return _context().from_dlpack(x)


def concat(arrays: Sequence[GpuArray], /, *, axis: int | None = 0) -> GpuArray:
    """`unified_gpu.concatenate`."""
    return library.concatenate(arrays, axis)


def diff(x: GpuArray, /, *, axis: int = -1, n: int = 1) -> GpuArray:
    """Differences of neighbours along an axis, so many times."""
    for _ in range(n):
        before = library.moveaxis(x, axis, 0)
        x = library.moveaxis(operations.sub(before[1:], before[:-1]), 0, axis)
    return x


def vecdot(a: GpuArray, b: GpuArray, /, *, axis: int = -1) -> GpuArray:
    """The sum of products along an axis."""
    return operations.sum(operations.mul(a, b), axis)


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


def can_cast(from_: Any, to: Any, /) -> object:
    """Whether all values of one dtype are values of another."""
    found = from_.dtype if isinstance(from_, GpuArray) else as_dtype(from_)
    return common_type(found, as_dtype(to)) is as_dtype(to) and is_same_kind(found, as_dtype(to))


def isdtype(dtype: Any, kind: Any) -> object:
    """Whether a dtype is of a kind, as `"integral"`, or is another one; of several kinds one is enough."""
    found = as_dtype(dtype)
    for each in kind if isinstance(kind, tuple) else (kind,):
        if isinstance(each, str) and each in _KINDS:
            if found.kind in _KINDS[each]:
                return True
        elif as_dtype(each) is found:
            return True
    return False


def result_type(*values: Any) -> DType:
    """The dtype in which arrays, dtypes and numbers meet."""
    known = [each.dtype if isinstance(each, GpuArray) else each for each in values]
    strong = [as_dtype(each) for each in known if not isinstance(each, (int, float))]
    found = strong[0]
    for each in strong[1:]:
        found = common_type(found, each)
    return found
