"""What operations ask of their arrays before a backend is called: one context, a common dtype, shapes that fit."""

from __future__ import annotations

from numbers import Real
from typing import Any

from unified_gpu.backends import Operand
from unified_gpu.dtypes import DType, Number, bool_
from unified_gpu.errors import MixedContextsError, with_article
from unified_gpu.promotion import common_type, with_number
from unified_gpu.runtime.stream import Stream
from unified_gpu.shapes import contiguous_strides

from .context import ArrayContext
from .layout import Array, Layout


def as_array(value: object, what: str) -> Layout:
    """The array that an operand has to be."""
    if not isinstance(value, Layout):
        if value is None or isinstance(value, (str, bytes, complex, dict, set)):
            given = "None" if value is None else with_article(type(value).__name__)
            raise TypeError(f"{what} is {given}, neither an array of a device nor a number")
        raise TypeError(
            f"{what} is {with_article(type(value).__name__)}, not an array of a device; "
            "bring it there: ctx.alloc_upload(data)"
        )
    return value


def context_of(*values: Layout | Number) -> ArrayContext[Any]:
    """The one context of all arrays; numbers have none."""
    context: ArrayContext[Any] | None = None
    for value in values:
        if not isinstance(value, Layout) and isinstance(value, Real):
            continue
        found = as_array(value, "an operand")._context
        if context is not None and found is not context:
            message = (
                f"arrays of {context} and {found} cannot be combined; "
                "bring one over: ctx.alloc_upload(array.download())"
            )
            raise MixedContextsError.between(found, context, message)
        context = found
    if context is None:
        raise TypeError("none of the operands is an array; bring one to the device by ctx.alloc_upload")
    return context


def result_type(*values: Layout | Number) -> DType | None:
    """The dtype in which arrays and numbers meet, by NumPy's rules; None without any array."""
    dtype: DType | None = None
    for value in values:
        if isinstance(value, Layout):
            dtype = value._dtype if dtype is None or dtype is value._dtype else common_type(dtype, value._dtype)
    for value in values if dtype is not None else ():
        if not isinstance(value, Layout):
            dtype = with_number(dtype, value)  # type: ignore[arg-type]  # it is none of None, here
    return dtype


def resolve_operands(a: Layout | Number, b: Layout | Number) -> tuple[ArrayContext[Any], DType, tuple[int, ...]]:
    """The one context of two operands, the dtype in which they meet, and the shape that both can be repeated to."""
    if isinstance(a, Layout):
        if isinstance(b, Layout):
            if a._context is b._context and a._dtype is b._dtype and a._shape == b._shape:
                return a._context, a._dtype, a._shape
        elif (b.__class__ is float and a._dtype.is_float) or (b.__class__ is int and a._dtype is not bool_):
            return a._context, a._dtype, a._shape
    context, dtype = context_of(a, b), result_type(a, b)
    assert dtype is not None, "context_of has found an array"
    return context, dtype, broadcast_shapes(a, b)


def require(holds: bool, op: str, dtype: DType, what: str, instead: str = "f32") -> None:
    """Refuse a dtype that an operation does not have; it has `instead`."""
    if not holds:
        raise TypeError(f"{op} is for {what}, not for {dtype}; convert: array.cast({instead!r})")


def broadcast_shapes(*values: Layout | Number) -> tuple[int, ...]:
    """The shape that all arrays can be repeated to, by NumPy's rules."""
    return broadcast_lengths(*(value._shape for value in values if isinstance(value, Layout)))


def broadcast_lengths(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """The shape that arrays of these shapes can be repeated to."""
    if shapes.count(shapes[0] if shapes else ()) == len(shapes):
        return shapes[0] if shapes else ()
    result: list[int] = []
    for axis in range(-max(map(len, shapes)), 0):
        lengths = {shape[axis] for shape in shapes if -axis <= len(shape)} - {1}
        if len(lengths) > 1:
            texts = " and ".join(str(list(shape)) for shape in shapes)
            raise ValueError(f"shapes {texts} cannot be combined: along each axis, lengths are equal or 1")
        result.append(lengths.pop() if lengths else 1)
    return tuple(result)


def can_be_repeated(shape: tuple[int, ...], wanted: tuple[int, ...]) -> bool:
    """Whether an array of one shape can be repeated to another one, by NumPy's rules."""
    ends = zip(reversed(shape), reversed(wanted), strict=False)
    return len(shape) <= len(wanted) and all(length in (1, other) for length, other in ends)


def operand(value: Layout | Number, shape: tuple[int, ...], dtype: DType, stream: Stream) -> Operand | Number:
    """A number that the dtype can hold, or an array repeated to `shape`, which work on `stream` uses from now on."""
    if isinstance(value, Layout):
        return broadcast_to(value, shape, stream)
    if dtype is bool_ and value not in (0, 1):
        raise TypeError(f"{value!r} is neither true nor false, and the array is bool; convert it: array.cast('f32')")
    return dtype.check(value)


def broadcast_to(value: Layout, shape: tuple[int, ...], stream: Stream) -> Operand:
    """An array repeated to `shape`, which work on `stream` uses from now on."""
    allocation = value._allocation
    if allocation.stream is not stream:
        allocation.record_stream(stream)
    if value._shape == shape:
        strides = value._strides or contiguous_strides(shape)
    else:
        repeated = (0,) * (len(shape) - value.ndim)
        strides = repeated + tuple(
            0 if length == 1 else stride for length, stride in zip(value._shape, value.strides, strict=True)
        )
    return Operand(allocation.memory, value._offset, value._dtype, shape, strides)


def check_overlap(out: Layout, operand: Layout, in_place: bool) -> None:
    """Refuse an `out` over an operand of the same allocation, whose elements would change before they are read.

    Args:
        in_place: whether it may be the operand itself, as where each element depends on the one in its place alone.
    """
    if in_place and is_same_view(operand, out):
        return
    if may_overlap(out, operand):
        raise ValueError("the result would be written over an operand that is still read; give its copy()")


def is_same_view(a: Layout, b: Layout) -> bool:
    """Whether two arrays of one allocation have the same elements in the same order."""
    return (a._offset, a._shape, a.strides) == (b._offset, b._shape, b.strides) and a._dtype.size == b._dtype.size


def may_overlap(a: Layout, b: Layout) -> bool:
    """Whether the bytes from the first to the last element of two arrays of one allocation overlap."""
    return b._offset < a._offset + _byte_extent(a) and a._offset < b._offset + _byte_extent(b)


def _byte_extent(array: Layout) -> int:
    """Bytes from its first element to the end of its last."""
    if not array.size:
        return 0
    last = sum((length - 1) * stride for length, stride in zip(array._shape, array.strides, strict=True))
    return (last + 1) * array._dtype.size


def output(
    context: ArrayContext[Any],
    shape: tuple[int, ...],
    dtype: DType,
    out: Array | None,
    stream: Stream | None,
    operands: tuple[Layout | Number, ...],
    in_place: bool = True,
) -> tuple[Stream, Array]:
    """The stream to use, and the array for the result: a new one, or `out` if it fits."""
    target = context.stream_for(stream)
    if out is None:
        return target, context.new_array(shape, dtype, target)
    if as_array(out, "out")._context is not context:
        message = f"`out` is of {out._context}, the operands are of {context}"
        raise MixedContextsError.between(out._context, context, message)
    if out._dtype is not dtype:
        raise TypeError(
            f"the result is {dtype}, and `out` has {out._dtype}; make it by ctx.alloc(shape, {dtype.name!r})"
        )
    if out._shape != shape:
        raise ValueError(f"the result has shape {list(shape)}, and `out` has {list(out._shape)}")
    if not out.is_contiguous:
        raise ValueError("`out` is transposed or has gaps, and results are written in order; use out[...] = result")
    for operand in operands:
        if isinstance(operand, Layout) and operand._allocation is out._allocation:
            check_overlap(out, operand, in_place)
    out._record_stream(target)
    return target, out
