"""Operators: what the operators of Python and the methods of an array mean: the functions of `operations`."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import TYPE_CHECKING, Any, Self, TypeGuard, cast

from unified_gpu import elsewhere
from unified_gpu.dtypes import Number
from unified_gpu.runtime.stream import Stream

from . import operations as ops
from .axes import Axes
from .broadcasting import result_type
from .layout import Layout
from .products import matmul


class Operators(Layout):
    """The part of GpuArray that computes; `a + b` is `unified_gpu.add(a, b)` on the current stream."""

    __slots__ = ()

    if not TYPE_CHECKING:  # type checkers report an attribute that does not exist

        def __getattr__(self, name: str) -> object:
            found = getattr(type(self), name, None)
            if isinstance(found, property):  # which has raised AttributeError: again, for its message
                return found.__get__(self)
            instead = elsewhere.ATTRIBUTES.get(name)
            if instead is None and name != "_context" and name in self._context.functions.__all__:
                instead = f"unified_gpu.{name}(array)"
            raise elsewhere.missing("a GpuArray", self, name, instead)

    def __add__(self, other: Self | Number) -> Self:
        return ops.add(self, other)

    def __radd__(self, other: Number) -> Self:
        return ops.add(other, self)

    def __sub__(self, other: Self | Number) -> Self:
        return ops.sub(self, other)

    def __rsub__(self, other: Number) -> Self:
        return ops.sub(other, self)

    def __mul__(self, other: Self | Number) -> Self:
        return ops.mul(self, other)

    def __rmul__(self, other: Number) -> Self:
        return ops.mul(other, self)

    def __truediv__(self, other: Self | Number) -> Self:
        return ops.divide(self, other)

    def __rtruediv__(self, other: Number) -> Self:
        return ops.divide(other, self)

    def __matmul__(self, other: Self) -> Self:
        return matmul(self, other)

    def __pow__(self, other: Self | Number) -> Self:
        return ops.pow(self, other)

    def __rpow__(self, other: Number) -> Self:
        return ops.pow(other, self)

    def __neg__(self) -> Self:
        return ops.neg(self)

    def __abs__(self) -> Self:
        return ops.abs(self)

    def __pos__(self) -> Self:
        return self._function("positive")(self)

    def __invert__(self) -> Self:
        return self._function("bitwise_invert")(self)

    def __floordiv__(self, other: Self | Number) -> Self:
        return self._function("floor_divide")(self, other)

    def __rfloordiv__(self, other: Number) -> Self:
        return self._function("floor_divide")(other, self)

    def __mod__(self, other: Self | Number) -> Self:
        return self._function("remainder")(self, other)

    def __rmod__(self, other: Number) -> Self:
        return self._function("remainder")(other, self)

    def __divmod__(self, other: Self | Number) -> tuple[Self, Self]:
        return self // other, self % other

    def __rdivmod__(self, other: Number) -> tuple[Self, Self]:
        return other // self, other % self

    def __and__(self, other: Self | Number) -> Self:
        return self._function("bitwise_and")(self, other)

    def __or__(self, other: Self | Number) -> Self:
        return self._function("bitwise_or")(self, other)

    def __xor__(self, other: Self | Number) -> Self:
        return self._function("bitwise_xor")(self, other)

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__

    def __lshift__(self, other: Self | Number) -> Self:
        return self._function("bitwise_left_shift")(self, other)

    def __rlshift__(self, other: Number) -> Self:
        return self._function("bitwise_left_shift")(other, self)

    def __rshift__(self, other: Self | Number) -> Self:
        return self._function("bitwise_right_shift")(self, other)

    def __rrshift__(self, other: Number) -> Self:
        return self._function("bitwise_right_shift")(other, self)

    def _function(self, name: str) -> Callable[..., Self]:
        """A function that is written as a kernel."""
        return cast(Callable[..., Self], getattr(self._context.functions, name))

    def __iadd__(self, other: Self | Number) -> Self:
        return self._in_place(ops.add, other)

    def __isub__(self, other: Self | Number) -> Self:
        return self._in_place(ops.sub, other)

    def __imul__(self, other: Self | Number) -> Self:
        return self._in_place(ops.mul, other)

    def __itruediv__(self, other: Self | Number) -> Self:
        if self._dtype.is_float:
            return self._in_place(ops.divide, other)
        ops.assign(self, ops.divide(self, other))  # which refuses fractions
        return self

    def __ipow__(self, other: Self | Number) -> Self:
        return self._in_place(ops.pow, other)

    def __ifloordiv__(self, other: Self | Number) -> Self:
        return self._in_place(self._function("floor_divide"), other)

    def __imod__(self, other: Self | Number) -> Self:
        return self._in_place(self._function("remainder"), other)

    def __iand__(self, other: Self | Number) -> Self:
        return self._in_place(self._function("bitwise_and"), other)

    def __ior__(self, other: Self | Number) -> Self:
        return self._in_place(self._function("bitwise_or"), other)

    def __ixor__(self, other: Self | Number) -> Self:
        return self._in_place(self._function("bitwise_xor"), other)

    def __ilshift__(self, other: Self | Number) -> Self:
        return self._in_place(self._function("bitwise_left_shift"), other)

    def __irshift__(self, other: Self | Number) -> Self:
        return self._in_place(self._function("bitwise_right_shift"), other)

    def _in_place(self, operation: Callable[..., Self], other: Self | Number) -> Self:
        """Write the result over the first operand; through a new array where its elements do not lie in order."""
        is_same = not isinstance(other, Layout) or other._dtype is self._dtype
        if self._strides is None and is_same and result_type(self, other) is self._dtype:
            operation(self, other, out=self)
        else:
            ops.assign(self, operation(self, other))
        return self

    # as a key, an array is itself
    __hash__ = object.__hash__

    def __eq__(self, other: object) -> Self:  # type: ignore[override]  # of each element, as in NumPy
        return ops.eq(self, other) if _is_compared(other) else NotImplemented

    def __ne__(self, other: object) -> Self:  # type: ignore[override]  # of each element, as in NumPy
        return ops.ne(self, other) if _is_compared(other) else NotImplemented

    def __lt__(self, other: Self | Number) -> Self:
        return ops.lt(self, other)

    def __le__(self, other: Self | Number) -> Self:
        return ops.le(self, other)

    def __gt__(self, other: Self | Number) -> Self:
        return ops.gt(self, other)

    def __ge__(self, other: Self | Number) -> Self:
        return ops.ge(self, other)

    def eq(self, other: Self | Number, *, out: Self | None = None, stream: Stream | None = None) -> Self:
        """Where it equals `other`, as bool; `array == other` is the same."""
        return ops.eq(self, other, out=out, stream=stream)

    def ne(self, other: Self | Number, *, out: Self | None = None, stream: Stream | None = None) -> Self:
        """Where it differs from `other`, as bool."""
        return ops.ne(self, other, out=out, stream=stream)

    def lt(self, other: Self | Number, *, out: Self | None = None, stream: Stream | None = None) -> Self:
        """Where it is less than `other`, as bool."""
        return ops.lt(self, other, out=out, stream=stream)

    def le(self, other: Self | Number, *, out: Self | None = None, stream: Stream | None = None) -> Self:
        """Where it is at most `other`, as bool."""
        return ops.le(self, other, out=out, stream=stream)

    def gt(self, other: Self | Number, *, out: Self | None = None, stream: Stream | None = None) -> Self:
        """Where it is greater than `other`, as bool."""
        return ops.gt(self, other, out=out, stream=stream)

    def ge(self, other: Self | Number, *, out: Self | None = None, stream: Stream | None = None) -> Self:
        """Where it is at least `other`, as bool."""
        return ops.ge(self, other, out=out, stream=stream)

    def abs(self, *, out: Self | None = None, stream: Stream | None = None) -> Self:
        """The magnitude of each element."""
        return ops.abs(self, out=out, stream=stream)

    def exp(self, *, out: Self | None = None, stream: Stream | None = None) -> Self:
        """e to the power of each element; of whole numbers as floats."""
        return ops.exp(self, out=out, stream=stream)

    def log(self, *, out: Self | None = None, stream: Stream | None = None) -> Self:
        """The natural logarithm of each element; of whole numbers as floats."""
        return ops.log(self, out=out, stream=stream)

    def relu(self, *, out: Self | None = None, stream: Stream | None = None) -> Self:
        """Each element where it is positive, else 0."""
        return ops.relu(self, out=out, stream=stream)

    def sigmoid(self, *, out: Self | None = None, stream: Stream | None = None) -> Self:
        """1 / (1 + exp(-x)) of each element x; of whole numbers as floats."""
        return ops.sigmoid(self, out=out, stream=stream)

    def sqrt(self, *, out: Self | None = None, stream: Stream | None = None) -> Self:
        """The square root of each element; of whole numbers as floats."""
        return ops.sqrt(self, out=out, stream=stream)

    def tanh(self, *, out: Self | None = None, stream: Stream | None = None) -> Self:
        """The hyperbolic tangent of each element; of whole numbers as floats."""
        return ops.tanh(self, out=out, stream=stream)

    def maximum(self, other: Self | Number, *, out: Self | None = None, stream: Stream | None = None) -> Self:
        """The greater of each element and `other`; NaN where one of them is."""
        return ops.maximum(self, other, out=out, stream=stream)

    def minimum(self, other: Self | Number, *, out: Self | None = None, stream: Stream | None = None) -> Self:
        """The lesser of each element and `other`; NaN where one of them is."""
        return ops.minimum(self, other, out=out, stream=stream)

    def pow(self, other: Self | Number, *, out: Self | None = None, stream: Stream | None = None) -> Self:
        """Each element to the power of `other`; `array ** other` is the same."""
        return ops.pow(self, other, out=out, stream=stream)

    def sum(
        self, axis: Axes = None, *, keepdims: bool = False, out: Self | None = None, stream: Stream | None = None
    ) -> Self:
        """The sum along `axis`, or of all elements; see `unified_gpu.sum`."""
        return ops.sum(self, axis, keepdims=keepdims, out=out, stream=stream)

    def mean(
        self, axis: Axes = None, *, keepdims: bool = False, out: Self | None = None, stream: Stream | None = None
    ) -> Self:
        """The mean along `axis`, or of all elements; see `unified_gpu.mean`."""
        return ops.mean(self, axis, keepdims=keepdims, out=out, stream=stream)

    def max(
        self, axis: Axes = None, *, keepdims: bool = False, out: Self | None = None, stream: Stream | None = None
    ) -> Self:
        """The greatest along `axis`, or of all elements."""
        return ops.max(self, axis, keepdims=keepdims, out=out, stream=stream)

    def min(
        self, axis: Axes = None, *, keepdims: bool = False, out: Self | None = None, stream: Stream | None = None
    ) -> Self:
        """The least along `axis`, or of all elements."""
        return ops.min(self, axis, keepdims=keepdims, out=out, stream=stream)


def _is_compared(value: object) -> TypeGuard[Any]:
    """Whether it is compared with each element, or refused as one; what is no data at all is just not equal."""
    return isinstance(value, (Operators, Real, list, tuple)) or hasattr(value, "__array__")
