"""Kernels around formulas: for arrays whose elements lie in order, and for arrays of three axes with any strides."""

from __future__ import annotations

from functools import cache

from unified_gpu.dtypes import i32
from unified_gpu.kernels.decorated.definition import kernel
from unified_gpu.kernels.language import global_id, global_size, local


@cache
def unary(formula, wide):
    """`out = formula(x)`, computed as `wide`: the kernel for elements in order, and the one for strides."""

    @kernel
    def in_order(out, x):
        i = global_id(0)
        out[i] = formula(wide(x[i]))

    @kernel
    def strided(out, x):
        i, j, k = global_id(0), global_id(1), global_id(2)
        out[i, j, k] = formula(wide(x[i, j, k]))

    return in_order, strided


@cache
def binary(formula, wide, a_is_array, b_is_array):
    """`out = formula(a, b)`, where one of the operands may be a number."""

    @kernel
    def in_order(out, a, b):
        i = global_id(0)
        out[i] = formula(wide(a[i]), wide(b[i]))

    @kernel
    def strided(out, a, b):
        i, j, k = global_id(0), global_id(1), global_id(2)
        out[i, j, k] = formula(wide(a[i, j, k]), wide(b[i, j, k]))

    @kernel
    def in_order_number(out, a, b):
        i = global_id(0)
        out[i] = formula(wide(a[i]), wide(b))

    @kernel
    def strided_number(out, a, b):
        i, j, k = global_id(0), global_id(1), global_id(2)
        out[i, j, k] = formula(wide(a[i, j, k]), wide(b))

    @kernel
    def number_in_order(out, a, b):
        i = global_id(0)
        out[i] = formula(wide(a), wide(b[i]))

    @kernel
    def number_strided(out, a, b):
        i, j, k = global_id(0), global_id(1), global_id(2)
        out[i, j, k] = formula(wide(a), wide(b[i, j, k]))

    if not b_is_array:
        return in_order_number, strided_number
    return (in_order, strided) if a_is_array else (number_in_order, number_strided)


@cache
def converted(dtype):
    """`out = dtype(x)`, and with the dtype of `x` a copy."""

    @kernel
    def in_order(out, x):
        i = global_id(0)
        out[i] = dtype(x[i])

    @kernel
    def strided(out, x):
        i, j, k = global_id(0), global_id(1), global_id(2)
        out[i, j, k] = dtype(x[i, j, k])

    return in_order, strided


@kernel
def number_in_order(out, x):
    out[global_id(0)] = x


@kernel
def number_strided(out, x):
    out[global_id(0), global_id(1), global_id(2)] = x


@kernel
def select_in_order(out, condition, a, b):
    i = global_id(0)
    out[i] = a[i] if condition[i] else b[i]


@kernel
def select_strided(out, condition, a, b):
    i, j, k = global_id(0), global_id(1), global_id(2)
    out[i, j, k] = a[i, j, k] if condition[i, j, k] else b[i, j, k]


@kernel
def product(out, a, b, wide_zero):
    """One element of the output a thread; `wide_zero` has the dtype that is added up."""
    i, j = global_id(0), global_id(1)
    total = wide_zero
    for k in range(a.shape[1]):
        total += (wide_zero + a[i, k]) * (wide_zero + b[k, j])
    out[i, j] = total


TILE = 8
"""Rows, and columns, of the part of a product that one thread computes."""
_TILE = tuple(range(TILE))


@kernel
def product_of_tiles(out, a, b, wide_zero):
    """The same, with a part of the output a thread, each of whose rows and columns is read once for the whole part.

    Rows and columns beyond the last are the last one again. Each element is added up in the same order as above.
    """
    row, column = TILE * global_id(0), TILE * global_id(1)
    total = local(wide_zero.dtype, (TILE, TILE))
    left = local(wide_zero.dtype, TILE)
    rows = local(i32, TILE)
    columns = local(i32, TILE)
    for i in _TILE:
        rows[i] = min(row + i, out.shape[0] - 1)
        columns[i] = min(column + i, out.shape[1] - 1)
        for j in _TILE:
            total[i, j] = wide_zero
    for k in range(a.shape[1]):
        for i in _TILE:
            left[i] = wide_zero + a[rows[i], k]
        for j in _TILE:
            right = wide_zero + b[k, columns[j]]
            for i in _TILE:
                total[i, j] += left[i] * right
    for i in _TILE:
        for j in _TILE:
            out[rows[i], columns[j]] = total[i, j]


@cache
def parts(combine, wide):
    """Each thread combines every so-many-th element."""

    @kernel
    def in_parts(out, x):
        i = global_id(0)
        total = wide(x[i])
        k = i + global_size(0)
        while k < x.shape[0]:
            total = combine(total, wide(x[k]))
            k += global_size(0)
        out[i] = total

    return in_parts


@cache
def along(combine, wide, result, is_mean):
    """The second of three axes of `x` is combined; `count` is what a mean is divided by."""

    @kernel
    def along_the_axis(out, x, count):
        i, j = global_id(0), global_id(1)
        total = wide(x[i, 0, j])
        for k in range(1, x.shape[1]):
            total = combine(total, wide(x[i, k, j]))
        if is_mean:
            out[i, j] = result(total / count)
        else:
            out[i, j] = result(total)

    return along_the_axis
