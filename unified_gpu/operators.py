"""What Python's operators and the methods of an array mean: the functions of `operations`."""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, Self, TypeGuard, cast

from . import operations as ops
from .dtypes import Number

if TYPE_CHECKING:
    from .array import GpuArray
    from .stream import Stream


class Operators:
    """The part of GpuArray that computes; `a + b` is `unified_gpu.add(a, b)` on the current stream."""

    __slots__ = ()

    def __add__(self, other: GpuArray | Number) -> GpuArray:
        return ops.add(_array(self), other)

    def __radd__(self, other: Number) -> GpuArray:
        return ops.add(other, _array(self))

    def __sub__(self, other: GpuArray | Number) -> GpuArray:
        return ops.sub(_array(self), other)

    def __rsub__(self, other: Number) -> GpuArray:
        return ops.sub(other, _array(self))

    def __mul__(self, other: GpuArray | Number) -> GpuArray:
        return ops.mul(_array(self), other)

    def __rmul__(self, other: Number) -> GpuArray:
        return ops.mul(other, _array(self))

    def __truediv__(self, other: GpuArray | Number) -> GpuArray:
        return ops.div(_floating(self), other)

    def __rtruediv__(self, other: Number) -> GpuArray:
        return ops.div(other, _floating(self))

    def __matmul__(self, other: GpuArray) -> GpuArray:
        return ops.matmul(_array(self), other)

    def __neg__(self) -> GpuArray:
        return ops.neg(_array(self))

    def __abs__(self) -> GpuArray:
        return ops.abs(_array(self))

    def __iadd__(self, other: GpuArray | Number) -> Self:
        ops.add(_array(self), other, out=_array(self))
        return self

    def __isub__(self, other: GpuArray | Number) -> Self:
        ops.sub(_array(self), other, out=_array(self))
        return self

    def __imul__(self, other: GpuArray | Number) -> Self:
        ops.mul(_array(self), other, out=_array(self))
        return self

    def __itruediv__(self, other: GpuArray | Number) -> Self:
        ops.div(_floating(self), other, out=_array(self))
        return self

    # as a key, an array is itself
    __hash__ = object.__hash__

    def __eq__(self, other: object) -> GpuArray:  # type: ignore[override]  # of each element, as in NumPy
        return ops.eq(_array(self), other) if _is_operand(other) else NotImplemented

    def __ne__(self, other: object) -> GpuArray:  # type: ignore[override]  # of each element, as in NumPy
        return ops.ne(_array(self), other) if _is_operand(other) else NotImplemented

    def __lt__(self, other: GpuArray | Number) -> GpuArray:
        return ops.lt(_array(self), other)

    def __le__(self, other: GpuArray | Number) -> GpuArray:
        return ops.le(_array(self), other)

    def __gt__(self, other: GpuArray | Number) -> GpuArray:
        return ops.gt(_array(self), other)

    def __ge__(self, other: GpuArray | Number) -> GpuArray:
        return ops.ge(_array(self), other)

    def __bool__(self) -> bool:
        if _array(self).size != 1:
            raise ValueError("an array of several elements is neither true nor false; compare item() of a single one")
        return bool(_array(self).item())

    def eq(self, other: GpuArray | Number, *, out: GpuArray | None = None, stream: Stream | None = None) -> GpuArray:
        """Where it equals `other`, as bool; `array == other` is the same."""
        return ops.eq(_array(self), other, out=out, stream=stream)

    def ne(self, other: GpuArray | Number, *, out: GpuArray | None = None, stream: Stream | None = None) -> GpuArray:
        """Where it differs from `other`, as bool."""
        return ops.ne(_array(self), other, out=out, stream=stream)

    def lt(self, other: GpuArray | Number, *, out: GpuArray | None = None, stream: Stream | None = None) -> GpuArray:
        """Where it is less than `other`, as bool."""
        return ops.lt(_array(self), other, out=out, stream=stream)

    def le(self, other: GpuArray | Number, *, out: GpuArray | None = None, stream: Stream | None = None) -> GpuArray:
        """Where it is at most `other`, as bool."""
        return ops.le(_array(self), other, out=out, stream=stream)

    def gt(self, other: GpuArray | Number, *, out: GpuArray | None = None, stream: Stream | None = None) -> GpuArray:
        """Where it is greater than `other`, as bool."""
        return ops.gt(_array(self), other, out=out, stream=stream)

    def ge(self, other: GpuArray | Number, *, out: GpuArray | None = None, stream: Stream | None = None) -> GpuArray:
        """Where it is at least `other`, as bool."""
        return ops.ge(_array(self), other, out=out, stream=stream)

    def sum(self, axis: int | None = None, *, out: GpuArray | None = None, stream: Stream | None = None) -> GpuArray:
        """The sum along `axis`, or of all elements; see `unified_gpu.sum`."""
        return ops.sum(_array(self), axis, out=out, stream=stream)

    def mean(self, axis: int | None = None, *, out: GpuArray | None = None, stream: Stream | None = None) -> GpuArray:
        """The mean along `axis`, or of all elements; see `unified_gpu.mean`."""
        return ops.mean(_array(self), axis, out=out, stream=stream)

    def max(self, axis: int | None = None, *, out: GpuArray | None = None, stream: Stream | None = None) -> GpuArray:
        """The greatest along `axis`, or of all elements."""
        return ops.max(_array(self), axis, out=out, stream=stream)

    def min(self, axis: int | None = None, *, out: GpuArray | None = None, stream: Stream | None = None) -> GpuArray:
        """The least along `axis`, or of all elements."""
        return ops.min(_array(self), axis, out=out, stream=stream)


def _is_operand(value: object) -> TypeGuard[GpuArray | Number]:
    return isinstance(value, (Operators, Real))


def _array(value: Operators) -> GpuArray:
    return cast("GpuArray", value)


def _floating(value: Operators) -> GpuArray:
    array = _array(value)
    if not array.dtype.is_float:
        raise TypeError(
            f"`/` of {array.dtype} has no result of that dtype; cast('f32') first, or unified_gpu.div for whole numbers"
        )
    return array
