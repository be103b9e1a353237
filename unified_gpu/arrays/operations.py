"""Operations on arrays, queued on a stream: elementwise with NumPy's broadcasting, and reductions.

All take `out=`, an array for the result, and `stream=`; without them the result is a new array, and the current stream
of the context is used. The arrays of a call are of one context. Arrays of different dtypes meet in the one that NumPy's
promotion gives, and numbers take the dtype of the arrays, as far as it has their kind. Elementwise, `out` may be one of
the inputs; an `out` that overlaps them in any other way is a ValueError.

They raise MixedContextsError for arrays of different contexts, TypeError for a dtype that the operation does not have,
ValueError for shapes that do not fit, OverflowError for a number that the dtype cannot hold, and ClosedError after the
context was closed.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from numbers import Real
from typing import Any

from unified_gpu.backends import BinaryOp, ReduceOp, UnaryOp
from unified_gpu.dtypes import DType, Number, as_dtype, bool_, f32, f64, i64, u64
from unified_gpu.promotion import as_float, is_same_kind
from unified_gpu.runtime.stream import Stream

from .axes import Axes, reduced_shape, several_axes, with_one_axis
from .broadcasting import (
    as_array,
    broadcast_shapes,
    broadcast_to,
    can_be_repeated,
    check_overlap,
    context_of,
    operand,
    output,
    require,
    resolve_operands,
    result_type,
)
from .layout import Array, Layout


def add(a: Array | Number, b: Array | Number, *, out: Array | None = None, stream: Stream | None = None) -> Array:
    """a + b; integers wrap around."""
    return _binary("add", a, b, out, stream)


def sub(a: Array | Number, b: Array | Number, *, out: Array | None = None, stream: Stream | None = None) -> Array:
    """a - b; integers wrap around."""
    return _binary("sub", a, b, out, stream)


def mul(a: Array | Number, b: Array | Number, *, out: Array | None = None, stream: Stream | None = None) -> Array:
    """a * b; integers wrap around."""
    return _binary("mul", a, b, out, stream)


def div(a: Array | Number, b: Array | Number, *, out: Array | None = None, stream: Stream | None = None) -> Array:
    """a / b; of integers the whole part, rounded towards 0, and 0 where b is 0."""
    return _binary("div", a, b, out, stream)


def divide(a: Array | Number, b: Array | Number, *, out: Array | None = None, stream: Stream | None = None) -> Array:
    """a / b as Python's `/`; of whole numbers as f64."""
    found = result_type(a, b)
    if found is not None and not found.is_float:
        target = context_of(a, b).stream_for(stream)
        a, b = (converted(each, f64, target) for each in (a, b))
    return _binary("div", a, b, out, stream)


def pow(a: Array | Number, b: Array | Number, *, out: Array | None = None, stream: Stream | None = None) -> Array:
    """a to the power of b; integers wrap around, and a negative power of them is 0, but for those of 1 and -1.

    Raises:
        ValueError: for integers to the power of a number that is negative.
    """
    if isinstance(a, Layout) and isinstance(b, Real):
        if b == 2 and (a._dtype.is_float or hasattr(b, "__index__")) and a._dtype is not bool_:
            return mul(a, a, out=out, stream=stream)
        if not a._dtype.is_float and b < 0 and float(b).is_integer():
            raise ValueError(f"{a._dtype} to the power of {b} is no whole number; convert: array.cast('f32')")
    return _binary("pow", a, b, out, stream)


def maximum(a: Array | Number, b: Array | Number, *, out: Array | None = None, stream: Stream | None = None) -> Array:
    """The greater of a and b; NaN where one of them is."""
    return _binary("maximum", a, b, out, stream)


def minimum(a: Array | Number, b: Array | Number, *, out: Array | None = None, stream: Stream | None = None) -> Array:
    """The lesser of a and b; NaN where one of them is."""
    return _binary("minimum", a, b, out, stream)


def eq(a: Array | Number, b: Array | Number, *, out: Array | None = None, stream: Stream | None = None) -> Array:
    """Where a equals b, as bool."""
    return _binary("eq", a, b, out, stream)


def ne(a: Array | Number, b: Array | Number, *, out: Array | None = None, stream: Stream | None = None) -> Array:
    """Where a differs from b, as bool."""
    return _binary("ne", a, b, out, stream)


def lt(a: Array | Number, b: Array | Number, *, out: Array | None = None, stream: Stream | None = None) -> Array:
    """Where a is less than b, as bool."""
    return _binary("lt", a, b, out, stream)


def le(a: Array | Number, b: Array | Number, *, out: Array | None = None, stream: Stream | None = None) -> Array:
    """Where a is at most b, as bool."""
    return _binary("le", a, b, out, stream)


def gt(a: Array | Number, b: Array | Number, *, out: Array | None = None, stream: Stream | None = None) -> Array:
    """Where a is greater than b, as bool."""
    return _binary("gt", a, b, out, stream)


def ge(a: Array | Number, b: Array | Number, *, out: Array | None = None, stream: Stream | None = None) -> Array:
    """Where a is at least b, as bool."""
    return _binary("ge", a, b, out, stream)


def neg(x: Array, *, out: Array | None = None, stream: Stream | None = None) -> Array:
    """-x; unsigned integers wrap around."""
    return _unary("neg", x, out, stream)


def abs(x: Array, *, out: Array | None = None, stream: Stream | None = None) -> Array:
    """The magnitude of x."""
    return _unary("abs", x, out, stream)


def relu(x: Array, *, out: Array | None = None, stream: Stream | None = None) -> Array:
    """x where it is positive, else 0."""
    return _unary("relu", x, out, stream)


def exp(x: Array, *, out: Array | None = None, stream: Stream | None = None) -> Array:
    """e to the power of x; of whole numbers as floats."""
    return _unary("exp", x, out, stream)


def log(x: Array, *, out: Array | None = None, stream: Stream | None = None) -> Array:
    """The natural logarithm; of whole numbers as floats."""
    return _unary("log", x, out, stream)


def sqrt(x: Array, *, out: Array | None = None, stream: Stream | None = None) -> Array:
    """The square root; of whole numbers as floats."""
    return _unary("sqrt", x, out, stream)


def sigmoid(x: Array, *, out: Array | None = None, stream: Stream | None = None) -> Array:
    """1 / (1 + exp(-x)); of whole numbers as floats."""
    return _unary("sigmoid", x, out, stream)


def tanh(x: Array, *, out: Array | None = None, stream: Stream | None = None) -> Array:
    """The hyperbolic tangent; of whole numbers as floats."""
    return _unary("tanh", x, out, stream)


def sum(
    x: Array,
    axis: Axes = None,
    *,
    keepdims: bool = False,
    out: Array | None = None,
    stream: Stream | None = None,
) -> Array:
    """The sum along one axis or several, or of all elements; of integers and bool as i64, of unsigned ones as u64."""
    return _reduce("sum", x, axis, keepdims, out, stream)


def mean(
    x: Array,
    axis: Axes = None,
    *,
    keepdims: bool = False,
    out: Array | None = None,
    stream: Stream | None = None,
) -> Array:
    """The mean along one axis or several, or of all elements; of integers and bool as f32, and of nothing NaN."""
    return _reduce("mean", x, axis, keepdims, out, stream)


def max(
    x: Array,
    axis: Axes = None,
    *,
    keepdims: bool = False,
    out: Array | None = None,
    stream: Stream | None = None,
) -> Array:
    """The greatest along one axis or several, or of all; NaN where there is one. ValueError for an empty axis."""
    return _reduce("max", x, axis, keepdims, out, stream)


def min(
    x: Array,
    axis: Axes = None,
    *,
    keepdims: bool = False,
    out: Array | None = None,
    stream: Stream | None = None,
) -> Array:
    """The least along one axis or several, or of all; NaN where there is one. ValueError for an empty axis."""
    return _reduce("min", x, axis, keepdims, out, stream)


def where(
    condition: Array,
    a: Array | Number,
    b: Array | Number,
    *,
    out: Array | None = None,
    stream: Stream | None = None,
) -> Array:
    """a where the condition, an array of bool, is true, else b; two numbers give the context's dtype."""
    context = context_of(condition, a, b)
    if as_array(condition, "the condition")._dtype is not bool_:
        raise TypeError(f"the condition is an array of {condition._dtype}; make it one of bool, as x > 0 does")
    dtype = result_type(a, b) or context.dtype
    shape = broadcast_shapes(condition, a, b)
    target, out = output(context, shape, dtype, out, stream, (condition, a, b))
    a, b = converted(a, dtype, target), converted(b, dtype, target)
    first, second = operand(a, shape, dtype, target), operand(b, shape, dtype, target)
    if out.size:
        mask = broadcast_to(condition, shape, target)
        context.device.where(out._operand(), mask, first, second, target.handle)
    return out


def cast(x: Array, dtype: object, *, out: Array | None = None, stream: Stream | None = None) -> Array:
    """The elements in another dtype, as C converts them; to bool, whatever is not 0 is true.

    What becomes of a number that an integer dtype cannot hold depends on the device.
    """
    wanted = as_dtype(dtype)
    context = as_array(x, "x")._context
    target, out = output(context, x._shape, wanted, out, stream, (x,))
    if out.size:
        x._record_stream(target)
        context.device.cast(out._operand(), x._operand(), target.handle)
    return out


def assign(out: Array, x: Array, *, stream: Stream | None = None) -> None:
    """Copy x, repeated to the shape of `out`, into the elements of `out`, which may have gaps between them.

    Another dtype is converted where it is of no higher kind: bool, unsigned, signed, float.
    """
    context = context_of(as_array(out, "out"), as_array(x, "x"))
    x = _same_kind(x, out._dtype, context.stream_for(stream))
    while x.ndim > out.ndim and x._shape[0] == 1:
        x = x[0]
    if not can_be_repeated(x._shape, out._shape):
        raise ValueError(f"shape {list(x._shape)} cannot be assigned to shape {list(out._shape)}")
    if x._allocation is out._allocation:
        check_overlap(out, x, in_place=True)
    target = context.stream_for(stream)
    if out.size:
        out._require_distinct("assign to")
        out._record_stream(target)
        context.device.assign(out._operand(), broadcast_to(x, out._shape, target), target.handle)


_COMPARED: dict[BinaryOp, Callable[[Any, Any], Any]] = {
    "eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge,
}  # fmt: skip
_COMPARISONS = frozenset(_COMPARED)
_BY_RESULTS: dict[tuple[bool, ...], BinaryOp] = {
    (False, False): "lt", (False, True): "ne", (True, False): "eq", (True, True): "ge",
}  # fmt: skip
"""Which comparison with False gives that of False, and that of True."""
_OF_NOTHING = {"sum": 0, "mean": math.nan}
_FLOAT_ONLY = frozenset(("exp", "log", "sqrt", "sigmoid", "tanh"))


def converted(value: Any, dtype: DType, stream: Stream) -> Any:
    """An array in another dtype; a number as it is."""
    return cast(value, dtype, stream=stream) if isinstance(value, Layout) and value._dtype is not dtype else value


def _same_kind(x: Array, dtype: DType, stream: Stream) -> Array:
    """An array in a dtype of its own kind, or a higher one."""
    if x._dtype is dtype:
        return x
    if not is_same_kind(x._dtype, dtype):
        raise TypeError(f"{x._dtype} is not assigned to {dtype}; convert it: array.cast({dtype.name!r})")
    return cast(x, dtype, stream=stream)


def _unary(op: UnaryOp, x: Array, out: Array | None, stream: Stream | None) -> Array:
    context = as_array(x, "x")._context
    if op in _FLOAT_ONLY and not x._dtype.is_float:
        x = cast(x, as_float(x._dtype), stream=stream)
    require(x._dtype is not bool_, op, x._dtype, "numbers")
    target, out = output(context, x._shape, x._dtype, out, stream, (x,))
    if out.size:
        x._record_stream(target)
        context.device.unary(op, out._operand(), x._operand(), target.handle)
    return out


def _binary(op: BinaryOp, a: Array | Number, b: Array | Number, out: Array | None, stream: Stream | None) -> Array:
    context, dtype, shape = resolve_operands(a, b)
    compares = op in _COMPARISONS
    if compares:
        if isinstance(a, Layout) and isinstance(b, Layout) and {a._dtype, b._dtype} == {i64, u64}:
            found: Array = context.functions.compare_signs(op, a, b, out=out, stream=stream)
            return found
        op, a, b, dtype = _compared(op, a, b, dtype)
    if dtype is bool_ and not compares:
        require(False, op, dtype, "numbers")
    result = bool_ if compares else dtype
    if out is None:  # as `output` does, which looks at one that is given
        target = context.stream_for(stream)
        out = context.new_array(shape, result, target)
    else:
        target, out = output(context, shape, result, out, stream, (a, b))
    if a.__class__ is not b.__class__ or a._dtype is not b._dtype:  # type: ignore[union-attr]  # both are arrays
        a, b = converted(a, dtype, target), converted(b, dtype, target)  # they live until the work is queued
    first, second = operand(a, shape, dtype, target), operand(b, shape, dtype, target)
    if 0 not in shape:
        context.device.binary(op, out._operand(), first, second, target.handle)
    return out


def _compared(op: BinaryOp, a: Any, b: Any, dtype: DType) -> tuple[BinaryOp, Any, Any, DType]:
    """A comparison of bools, or of whole numbers with one that their dtype does not have, as one with the same."""
    x, number = (a, b) if isinstance(a, Layout) else (b, a)
    if isinstance(number, Layout):
        return op, a, b, dtype
    compared = _COMPARED[op]
    if x._dtype is bool_:
        found = tuple(bool(compared(each, number) if x is a else compared(number, each)) for each in (0, 1))
        return _BY_RESULTS[found], x, False, bool_
    if not x._dtype.is_float and hasattr(number, "__index__"):
        low, high = x._dtype.limits
        if not low <= number <= high:
            beyond = low - 1 if number < low else high + 1
            holds = compared(low, beyond) if x is a else compared(beyond, low)
            return ("ge" if holds else "lt"), x, low, x._dtype
    return op, a, b, dtype


def _reduce(op: ReduceOp, x: Array, axis: Axes, keepdims: bool, out: Array | None, stream: Stream | None) -> Array:
    context = as_array(x, "x")._context
    dtype = x._dtype
    axes = several_axes(axis, x._shape)
    if op == "mean":
        dtype = dtype if dtype.is_float else f32
    elif op == "sum":
        dtype = sum_dtype(dtype)
    shape = reduced_shape(x._shape, axes, keepdims)
    target, out = output(context, shape, dtype, out, stream, (x,), in_place=False)
    if 0 in shape:
        return out
    if 0 in x._shape:
        if op not in _OF_NOTHING:
            raise ValueError(f"{op} of an empty array, of shape {list(x._shape)}, is not defined")
        context.device.fill(out._operand(), dtype.check(_OF_NOTHING[op]), target.handle)
        return out
    at = axes[0] if len(axes) == 1 else None
    if len(axes) != x.ndim and at is None:
        x, at = with_one_axis(x, axes, target), x.ndim - len(axes)
    x._record_stream(target)
    kept = () if at is None else reduced_shape(x._shape, (at,), False)
    result = out if shape == kept else out.reshape(kept)
    context.device.reduce(op, result._operand(), x._operand(), at, target.handle)
    return out


def sum_dtype(dtype: DType) -> DType:
    """The dtype of a sum: i64, u64 for unsigned numbers, that of floats."""
    return {"float": dtype, "uint": u64, "int": i64, "bool": i64}[dtype.kind]
