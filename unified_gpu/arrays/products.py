"""Products of matrices, also of several at once."""

from __future__ import annotations

from itertools import product

from unified_gpu.backends import Operand
from unified_gpu.dtypes import bool_, f32
from unified_gpu.runtime.stream import Stream

from .broadcasting import as_array, broadcast_lengths, broadcast_to, context_of, output, require, result_type
from .layout import Array
from .operations import converted


def matmul(a: Array, b: Array, *, out: Array | None = None, stream: Stream | None = None) -> Array:
    """The product of matrices, (…, m, k) by (…, k, n); a vector on the left is a row, on the right a column.

    The axes before the last two are repeated to one shape, as in NumPy. A transpose, `a.T` or `a.mT`, costs nothing.
    Products of whole numbers wrap around.
    """
    context = context_of(as_array(a, "a"), as_array(b, "b"))
    dtype = result_type(a, b) or f32
    require(dtype is not bool_, "matmul", dtype, "numbers")
    left = a[None] if a.ndim == 1 else a
    right = b[:, None] if b.ndim == 1 else b
    if left.ndim < 2 or right.ndim < 2 or left.shape[-1] != right.shape[-2]:
        raise ValueError(f"shapes {list(a.shape)} and {list(b.shape)} have no matrix product; it is (m, k) by (k, n)")
    (rows, inner), columns = left.shape[-2:], right.shape[-1]
    batch = broadcast_lengths(left.shape[:-2], right.shape[:-2])
    shape = batch + ((rows,) if a.ndim > 1 else ()) + ((columns,) if b.ndim > 1 else ())
    target, out = output(context, shape, dtype, out, stream, (a, b), in_place=False)
    if out.size and not inner:
        context.device.fill(out._operand(), 0, target.handle)
    elif out.size:
        left, right = converted(left, dtype, target), converted(right, dtype, target)
        products = out.reshape(*batch, rows, columns)
        if not dtype.is_float:
            context.functions.products_of_whole_numbers(products, left, right, target)
            return out
        first, second = (
            broadcast_to(left, (*batch, rows, inner), target),
            broadcast_to(right, (*batch, inner, columns), target),
        )
        for place in product(*map(range, batch)):
            x, y, z = (_matrix(each, place) for each in (products._operand(), first, second))
            context.device.matmul(x, y, z, target.handle)
    return out


def _matrix(operand: Operand, place: tuple[int, ...]) -> Operand:
    """The last two axes at one place of those before them."""
    first = sum(at * step for at, step in zip(place, operand.strides, strict=False))
    offset = operand.offset + first * operand.dtype.size
    return Operand(operand.memory, offset, operand.dtype, operand.shape[-2:], operand.strides[-2:])
