"""What Python's operators and the methods of an array mean: the functions of `operations`."""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, Self, TypeGuard, cast

from unified_gpu.dtypes import Number

from . import operations as ops

if TYPE_CHECKING:
    from unified_gpu.runtime.stream import Stream

    from .array import GpuArray


_CALLED_ELSEWHERE = {
    "asnumpy": "download()",
    "astype": "cast(dtype)",
    "argmax": "download(), and NumPy's",
    "argmin": "download(), and NumPy's",
    "clip": "maximum(low).minimum(high)",
    "clone": "copy()",
    "cpu": "download()",
    "cuda": "ctx.alloc_upload(data), with Context('cuda')",
    "detach": "the array as it is",
    "device": "context.device",
    "flatten": "reshape(-1)",
    "get": "download()",
    "nbytes": "size_bytes",
    "numel": "size",
    "numpy": "download()",
    "ravel": "reshape(-1)",
    "set": "upload(data)",
    "std": "(x - x.mean()) ** 2, and mean().sqrt() of that",
    "to": "cast(dtype)",
    "transpose": "T",
    "view": "reshape(shape)",
}
"""What arrays of NumPy, CuPy and torch have, and what does it here."""


class Operators:
    """The part of GpuArray that computes; `a + b` is `unified_gpu.add(a, b)` on the current stream."""

    __slots__ = ()

    if not TYPE_CHECKING:  # type checkers know what there is

        def __getattr__(self, name: str) -> object:
            found = getattr(type(self), name, None)
            if isinstance(found, property):  # which has raised AttributeError: again, for its message
                return found.__get__(self)
            instead = _CALLED_ELSEWHERE.get(name)
            way = f"; use {instead}" if instead else ""
            raise AttributeError(f"a GpuArray has no {name!r}{way}", name=name, obj=self)

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

    def __pow__(self, other: GpuArray | Number) -> GpuArray:
        return ops.pow(_array(self), other)

    def __rpow__(self, other: Number) -> GpuArray:
        return ops.pow(other, _array(self))

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

    def __ipow__(self, other: GpuArray | Number) -> Self:
        ops.pow(_array(self), other, out=_array(self))
        return self

    # as a key, an array is itself
    __hash__ = object.__hash__

    def __eq__(self, other: object) -> GpuArray:  # type: ignore[override]  # of each element, as in NumPy
        return ops.eq(_array(self), other) if _is_compared(other) else NotImplemented

    def __ne__(self, other: object) -> GpuArray:  # type: ignore[override]  # of each element, as in NumPy
        return ops.ne(_array(self), other) if _is_compared(other) else NotImplemented

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

    def abs(self, *, out: GpuArray | None = None, stream: Stream | None = None) -> GpuArray:
        """The magnitude of each element."""
        return ops.abs(_array(self), out=out, stream=stream)

    def exp(self, *, out: GpuArray | None = None, stream: Stream | None = None) -> GpuArray:
        """e to the power of each element; floats only."""
        return ops.exp(_array(self), out=out, stream=stream)

    def log(self, *, out: GpuArray | None = None, stream: Stream | None = None) -> GpuArray:
        """The natural logarithm of each element; floats only."""
        return ops.log(_array(self), out=out, stream=stream)

    def relu(self, *, out: GpuArray | None = None, stream: Stream | None = None) -> GpuArray:
        """Each element where it is positive, else 0."""
        return ops.relu(_array(self), out=out, stream=stream)

    def sigmoid(self, *, out: GpuArray | None = None, stream: Stream | None = None) -> GpuArray:
        """1 / (1 + exp(-x)) of each element x; floats only."""
        return ops.sigmoid(_array(self), out=out, stream=stream)

    def sqrt(self, *, out: GpuArray | None = None, stream: Stream | None = None) -> GpuArray:
        """The square root of each element; floats only."""
        return ops.sqrt(_array(self), out=out, stream=stream)

    def tanh(self, *, out: GpuArray | None = None, stream: Stream | None = None) -> GpuArray:
        """The hyperbolic tangent of each element; floats only."""
        return ops.tanh(_array(self), out=out, stream=stream)

    def maximum(
        self, other: GpuArray | Number, *, out: GpuArray | None = None, stream: Stream | None = None
    ) -> GpuArray:
        """The greater of each element and `other`; NaN where one of them is."""
        return ops.maximum(_array(self), other, out=out, stream=stream)

    def minimum(
        self, other: GpuArray | Number, *, out: GpuArray | None = None, stream: Stream | None = None
    ) -> GpuArray:
        """The lesser of each element and `other`; NaN where one of them is."""
        return ops.minimum(_array(self), other, out=out, stream=stream)

    def pow(self, other: GpuArray | Number, *, out: GpuArray | None = None, stream: Stream | None = None) -> GpuArray:
        """Each element to the power of `other`; `array ** other` is the same."""
        return ops.pow(_array(self), other, out=out, stream=stream)

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


def _is_compared(value: object) -> TypeGuard[GpuArray | Number]:
    """Whether it is compared with each element, or refused as one; what is no data at all is just not equal."""
    return isinstance(value, (Operators, Real, list, tuple)) or hasattr(value, "__array__")


def _array(value: Operators) -> GpuArray:
    return cast("GpuArray", value)


def _floating(value: Operators) -> GpuArray:
    array = _array(value)
    if not array.dtype.is_float:
        raise TypeError(
            f"`/` of {array.dtype} has no result of that dtype; cast('f32') first, or unified_gpu.div for whole numbers"
        )
    return array
