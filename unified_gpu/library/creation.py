"""CreatingContext: a context as far as it makes arrays of numbers that follow from others."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Real
from typing import Any

from unified_gpu import dtypes
from unified_gpu.arrays import operations
from unified_gpu.arrays.array import GpuArray
from unified_gpu.arrays.context import ArrayContext
from unified_gpu.arrays.structs import StructArray
from unified_gpu.dtypes import DType, Number, as_dtype
from unified_gpu.runtime.stream import Stream
from unified_gpu.shapes import lengths_of, real_number, whole_number
from unified_gpu.structs import S, record_fields

from . import passes, templates
from .random import Random


class CreatingContext(ArrayContext[GpuArray]):
    """A context with the functions that create arrays; see `unified_gpu.Context`."""

    def full(
        self, shape: int | Sequence[int], value: Number, dtype: object = None, *, stream: Stream | None = None
    ) -> GpuArray:
        """A new array of one number; by default of i64 for whole ones, bool for bools, else the context's dtype."""
        found = self._dtype_of(value) if dtype is None else as_dtype(dtype)
        return self.alloc(shape, found, stream=stream).fill(value, stream=stream)

    def ones(self, shape: int | Sequence[int], dtype: object = None, *, stream: Stream | None = None) -> GpuArray:
        """A new array of ones; otherwise like `alloc`."""
        return self.alloc(shape, dtype, stream=stream).fill(1, stream=stream)

    @property
    def random(self) -> Random:
        """Random numbers, the same on every device for the same seed; see `Random`."""
        found = self.__dict__.get("_random")
        if found is None:
            found = self.__dict__.setdefault("_random", Random(self))
        assert isinstance(found, Random)
        return found

    def alloc_structs(
        self, shape: int | Sequence[int], struct: type[S], *, stream: Stream | None = None
    ) -> StructArray[S]:
        """A new array of structs; what it holds is not defined.

        Args:
            struct: a class of `Struct`.

        Raises:
            TypeError: for another class.
            MemoryError, ValueError, ClosedError: as `alloc` does.
        """
        return StructArray(self, lengths_of(shape), struct, stream=stream)

    def upload_structs(self, data: Any, struct: type[S], *, stream: Stream | None = None) -> StructArray[S]:
        """A new array of structs of the shape and elements of `data`.

        Args:
            data: an array of NumPy's with fields of the same names and dtypes, in whatever order and layout, or a list
                of such structs.
            struct: a class of `Struct`.

        Raises:
            TypeError: for other data.
            MemoryError, ValueError, ClosedError: as `alloc` does.
        """
        shape = data.shape if record_fields(data) else (len(data),) if isinstance(data, Sequence) else ()
        return self.alloc_structs(shape, struct, stream=stream).upload(data, stream=stream)

    zeros = ArrayContext.alloc_zeros
    empty = ArrayContext.alloc

    def arange(
        self,
        start: Number,
        stop: Number | None = None,
        step: Number = 1,
        dtype: object = None,
        *,
        stream: Stream | None = None,
    ) -> GpuArray:
        """The numbers from `start`, or from 0, to before `stop`; of whole numbers i64, else the context's dtype.

        Raises:
            ValueError: for a step of 0.
        """
        if stop is None:
            start, stop = 0, start
        for each in (start, stop, step):
            if not isinstance(each, Real):
                raise TypeError(f"arange goes over numbers, not over {each!r}")
            if not math.isfinite(each):
                raise ValueError(f"arange does not end at {each!r}")
        if step == 0:
            raise ValueError("the step of arange is not 0")
        found = self._dtype_of(start + stop + step) if dtype is None else as_dtype(dtype)
        whole = all(hasattr(each, "__index__") for each in (start, stop, step))
        count = len(range(int(start), int(stop), int(step))) if whole else math.ceil((stop - start) / step)
        wide = passes.wide_dtype(found) if found.is_float else dtypes.i64
        if wide.is_float:  # as NumPy: the step is the difference of the first two numbers
            first = wide.unpack(wide.pack(start))
            step = wide.unpack(wide.pack(wide.unpack(wide.pack(start + step)) - first))
        return self._ranged(max(count, 0), start, step, found, wide, stream)

    def linspace(
        self,
        start: float,
        stop: float,
        num: int,
        dtype: object = None,
        *,
        endpoint: bool = True,
        stream: Stream | None = None,
    ) -> GpuArray:
        """`num` numbers at equal distances from `start` to `stop`, which is the last one, or the next one behind it.

        Raises:
            ValueError: for a negative number of them.
        """
        num = whole_number(num, "the count of linspace")
        start, stop = real_number(start, "the start of linspace"), real_number(stop, "the stop of linspace")
        if num < 0:
            raise ValueError(f"linspace makes no {num} numbers")
        found = self.dtype if dtype is None else as_dtype(dtype)
        wide = dtypes.f64 if getattr(self.device, "has_f64", True) else dtypes.f32
        parts = num - 1 if endpoint else num
        out = self._ranged(num, float(start), (stop - start) / parts if parts > 0 else 0.0, wide, wide, stream)
        if endpoint and num > 1:
            out[-1:].fill(float(stop), stream=stream)
        return out.cast(found, stream=stream)

    def eye(
        self,
        rows: int,
        columns: int | None = None,
        *,
        k: int = 0,
        dtype: object = None,
        stream: Stream | None = None,
    ) -> GpuArray:
        """A matrix of ones on a diagonal, `k` above the main one, and zeros elsewhere."""
        found = self.dtype if dtype is None else as_dtype(dtype)
        k = whole_number(k, "the diagonal k")
        height, width = lengths_of((rows, rows if columns is None else columns))
        down, right = self.arange(height, stream=stream), self.arange(-k, width - k, stream=stream)
        return operations.eq(down[:, None], right, stream=stream).cast(found, stream=stream)

    def empty_like(self, x: GpuArray, dtype: object = None, *, stream: Stream | None = None) -> GpuArray:
        """A new array of the shape of another, and of its dtype where no other is named."""
        return self.alloc(x.shape, x.dtype if dtype is None else dtype, stream=stream)

    def zeros_like(self, x: GpuArray, dtype: object = None, *, stream: Stream | None = None) -> GpuArray:
        """Zeros in the shape of another array."""
        return self.empty_like(x, dtype, stream=stream).fill(0, stream=stream)

    def ones_like(self, x: GpuArray, dtype: object = None, *, stream: Stream | None = None) -> GpuArray:
        """Ones in the shape of another array."""
        return self.empty_like(x, dtype, stream=stream).fill(1, stream=stream)

    def full_like(self, x: GpuArray, value: Number, dtype: object = None, *, stream: Stream | None = None) -> GpuArray:
        """One number in the shape of another array."""
        return self.empty_like(x, dtype, stream=stream).fill(value, stream=stream)

    def _dtype_of(self, value: Any) -> DType:
        if isinstance(value, bool):
            return dtypes.bool_
        return dtypes.i64 if dtypes.is_whole(value) else self.dtype

    def _ranged(
        self, count: int, start: Number, step: Number, dtype: DType, wide: DType, stream: Stream | None
    ) -> GpuArray:
        target = self.stream_for(stream)
        out: GpuArray = self.new_array((count,), wide, target)
        passes.run_each(templates.ranged(wide), count, [out], [start, step], target)
        return out if wide is dtype else operations.cast(out, dtype, stream=target)


def tril(x: GpuArray, *, k: int = 0, stream: Stream | None = None) -> GpuArray:
    """The elements on and below a diagonal of the last two axes, and 0 elsewhere."""
    return _triangle(x, k, False, stream)


def triu(x: GpuArray, *, k: int = 0, stream: Stream | None = None) -> GpuArray:
    """The elements on and above a diagonal of the last two axes, and 0 elsewhere."""
    return _triangle(x, k, True, stream)


def _triangle(x: GpuArray, k: int, is_upper: bool, stream: Stream | None) -> GpuArray:
    if x.ndim < 2:
        raise ValueError(f"an array of shape {list(x.shape)} has no diagonal: two axes are needed")
    k = whole_number(k, "the diagonal k")
    rows, columns = x.shape[-2:]
    context: Any = x.context
    down, right = context.arange(k, rows + k, stream=stream)[:, None], context.arange(columns, stream=stream)
    mask = (operations.ge if is_upper else operations.le)(right, down, stream=stream)
    zero = x.dtype.unpack(bytes(x.dtype.size))
    found: GpuArray = operations.where(mask, x, zero, stream=stream)
    return found
