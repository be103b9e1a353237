"""Random: numbers that follow from a seed and a counter, the same bits on every device."""

from __future__ import annotations

import os
from collections.abc import Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any

from unified_gpu import elsewhere
from unified_gpu.arrays import operations
from unified_gpu.arrays.array import GpuArray
from unified_gpu.dtypes import DType, as_dtype, f64, i64, u32, u64
from unified_gpu.elementwise.definition import Elementwise
from unified_gpu.runtime.stream import Stream
from unified_gpu.shapes import element_count, lengths_of, real_number, whole_number

from . import passes, random_kernels, sorting

_UNIFORM, _UNIFORM_F64 = Elementwise[Any](random_kernels.uniform_f32), Elementwise[Any](random_kernels.uniform_f64)
_WIDE, _BELOW = Elementwise[Any](random_kernels.wide_bits), Elementwise[Any](random_kernels.below)
_NORMAL = Elementwise[Any](random_kernels.normal_f64)
Shape = int | Sequence[int]


class Random:
    """Random numbers of a context, by the generator Philox 4x32-10; `ctx.random` is one, with a seed of the system.

    The same calls after the same seed give the same bits on every device that has the dtypes of the computation:
    f64 for `normal` and for what is f64.

    Attributes:
        key: the seed.
        counter: how many groups of four numbers were drawn.
    """

    def __init__(self, context: Any, seed: int | None = None) -> None:
        """Raises ValueError for a seed that is negative, or has more than 64 bits."""
        self._context = context
        self._lock = Lock()
        self.seed(seed)

    if not TYPE_CHECKING:  # type checkers report an attribute that does not exist

        def __getattr__(self, name: str) -> object:
            raise elsewhere.missing("ctx.random", self, name, elsewhere.RANDOM.get(name))

    def seed(self, seed: int | None = None) -> None:
        """Begin anew; without a seed with one of the system."""
        key = int.from_bytes(os.urandom(8), "little") if seed is None else whole_number(seed, "a seed")
        if not 0 <= key < 2**64:
            raise ValueError(f"a seed is a whole number from 0 to 2**64 - 1, not {seed}")
        self.key, self.counter = key, 0

    def bits(self, shape: Shape, *, stream: Stream | None = None) -> GpuArray:
        """Random bits, as u32."""
        lengths = lengths_of(shape)
        return self._bits(element_count(lengths), stream).reshape(lengths)

    def uniform(
        self,
        shape: Shape,
        low: float = 0.0,
        high: float = 1.0,
        dtype: object = None,
        *,
        stream: Stream | None = None,
    ) -> GpuArray:
        """Fractions from `low` to below `high`, of 24 random bits each, of f64 53."""
        lengths, found = lengths_of(shape), self._float(dtype)
        low, high = real_number(low, "`low` of uniform"), real_number(high, "`high` of uniform")
        count = element_count(lengths)
        if found is f64:
            bits = self._bits(2 * count, stream).reshape(count, 2)
            made: GpuArray = _UNIFORM_F64.apply([bits[:, 0], bits[:, 1]], None, None, stream)
        else:
            made = _UNIFORM.apply([self._bits(count, stream)], None, None, stream)
        if (low, high) != (0.0, 1.0):
            made = operations.add(operations.mul(made, high - low, stream=stream), low, stream=stream)
        return made.reshape(lengths).cast(found, stream=stream)

    def normal(
        self,
        shape: Shape,
        mean: float = 0.0,
        deviation: float = 1.0,
        dtype: object = None,
        *,
        stream: Stream | None = None,
    ) -> GpuArray:
        """Numbers of the normal distribution; computed as f64.

        Raises:
            ValueError: for a negative deviation.
        """
        lengths, found = lengths_of(shape), self._float(dtype)
        mean, deviation = real_number(mean, "the mean of normal"), real_number(deviation, "the deviation of normal")
        if deviation < 0:
            raise ValueError(f"the deviation of normal is 0 or more, not {deviation!r}")
        count = element_count(lengths)
        bits = self._bits(4 * count, stream).reshape(count, 4)
        made: GpuArray = _NORMAL.apply([bits[:, column] for column in range(4)], None, None, stream)
        if (mean, deviation) != (0.0, 1.0):
            made = operations.add(operations.mul(made, deviation, stream=stream), mean, stream=stream)
        return made.reshape(lengths).cast(found, stream=stream)

    def integers(
        self, low: int, high: int, shape: Shape, dtype: object = "i64", *, stream: Stream | None = None
    ) -> GpuArray:
        """Whole numbers from `low` to below `high`, which differ in likelihood by less than 1 in 2**64 / (high - low).

        Raises:
            ValueError: where there is no number between them, or more than 2**63.
        """
        low, high = whole_number(low, "`low` of integers"), whole_number(high, "`high` of integers")
        if not 0 < high - low <= 2**63:
            raise ValueError(f"there are no whole numbers, or too many, from {low} to below {high}")
        lengths, found = lengths_of(shape), as_dtype(dtype)
        found.check(low), found.check(high - 1)
        wide = self._wide(element_count(lengths), stream)
        span = _BELOW.apply([wide, high - low], [u64, u64], None, stream)
        made: GpuArray = operations.add(span, i64.check(low), stream=stream)
        return made.reshape(lengths).cast(found, stream=stream)

    def permutation(self, count: int, *, stream: Stream | None = None) -> GpuArray:
        """The whole numbers from 0 to below `count` in random order, as i64.

        Raises:
            ValueError: for a negative count.
        """
        number = whole_number(count, "the count of a permutation")
        if number < 0:
            raise ValueError(f"a permutation has 0 numbers or more, not {number}")
        return sorting.argsort(self._wide(number, stream), stream=stream)

    def _wide(self, count: int, stream: Stream | None) -> GpuArray:
        bits = self._bits(2 * count, stream).reshape(count, 2)
        found: GpuArray = _WIDE.apply([bits[:, 0], bits[:, 1]], None, None, stream)
        return found

    def _bits(self, count: int, stream: Stream | None) -> GpuArray:
        target = self._context.stream_for(stream)
        out: GpuArray = self._context.new_array((count,), u32, target)
        groups = -(-count // 4)
        with self._lock:
            counter, self.counter = self.counter, self.counter + groups
        passes.run_each(random_kernels.random_bits, groups, [out], [counter, self.key], target)
        return out

    def _float(self, dtype: object) -> DType:
        found: DType = self._context.dtype if dtype is None else as_dtype(dtype)
        if not found.is_float:
            raise TypeError(f"fractions are not {found}; use integers(low, high, shape)")
        return found
