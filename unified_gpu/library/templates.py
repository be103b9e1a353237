"""Kernels of the library: each takes arrays of three axes, of which the middle one is what it goes along."""

from __future__ import annotations

from functools import cache

from unified_gpu.dtypes import i32, i64
from unified_gpu.kernels.decorated.definition import kernel
from unified_gpu.kernels.language import atomic_max, device, global_id


@device
def added(a, b):
    return a + b


@device
def multiplied(a, b):
    return a * b


@device
def either(a, b):
    return a or b


@device
def both(a, b):
    return a and b


@device
def is_greater(a, b):
    """NaN is greater than all others."""
    return a > b or (a != a and b == b)


@device
def is_less(a, b):
    """NaN is less than all others."""
    return a < b or (a != a and b == b)


@device
def is_before(a, b):
    """The order of sorted numbers: NaN is last."""
    return a < b or (b != b and a == a)


@device
def is_behind(a, b):
    """The order of numbers that are sorted downwards: NaN is first."""
    return b < a or (a != a and b == b)


@cache
def combined(combine, wide):
    """Each thread combines `length` elements, one after the other."""

    @kernel
    def combined_parts(out, x, length):
        i, c, j = global_id(0), global_id(1), global_id(2)
        first = c * length
        total = wide(x[i, first, j])
        for k in range(first + 1, min(first + length, x.shape[1])):
            total = combine(total, wide(x[i, k, j]))
        out[i, c, j] = total

    return combined_parts


@cache
def chosen(is_better):
    """The place of the first element that no other is better than, of `length` elements a thread."""

    @kernel
    def chosen_places(out, x, length):
        i, c, j = global_id(0), global_id(1), global_id(2)
        best = c * length
        for k in range(best + 1, min(best + length, x.shape[1])):
            if is_better(x[i, k, j], x[i, best, j]):
                best = k
        out[i, c, j] = best

    return chosen_places


@cache
def chosen_again(is_better):
    """The same of places that were chosen before."""

    @kernel
    def chosen_among(out, x, places, length):
        i, c, j = global_id(0), global_id(1), global_id(2)
        first = c * length
        best = places[i, first, j]
        for k in range(first + 1, min(first + length, places.shape[1])):
            at = places[i, k, j]
            if is_better(x[i, at, j], x[i, best, j]):
                best = at
        out[i, c, j] = best

    return chosen_among


@cache
def scanned(combine, wide, has_sums):
    """Running totals of `length` elements a thread; `sums` are those of the parts so far."""

    @kernel
    def scanned_parts(out, x, sums, length):
        i, c, j = global_id(0), global_id(1), global_id(2)
        first = c * length
        total = wide(x[i, first, j])
        if has_sums and c > 0:
            total = combine(sums[i, c - 1, j], total)
        out[i, first, j] = total
        for k in range(first + 1, min(first + length, x.shape[1])):
            total = combine(total, wide(x[i, k, j]))
            out[i, k, j] = total

    return scanned_parts


@device
def as_bool(x):
    return x != 0


@cache
def ranged(wide):
    """`start + i * step`, computed as `wide`."""

    @kernel
    def range_values(out, start: wide, step: wide, first: i64):
        i = first + i64(global_id(0))
        out[i] = start + wide(i) * step

    return range_values


@kernel
def gathered(out, x, indices, first: i64):
    """`out[i, k, j] = x[i, indices[k], j]`; indices that are not there become the nearest."""
    t = first + i64(global_id(0))
    inner, count = i64(x.shape[2]), i64(indices.shape[0])
    k = t // inner % count
    at = max(i64(0), min(indices[k], i64(x.shape[1]) - 1))
    out[t // inner // count, k, t % inner] = x[t // inner // count, at, t % inner]


@kernel
def gathered_along(out, x, indices, first: i64):
    """`out[i, k, j] = x[i, indices[i, k, j], j]`."""
    t = first + i64(global_id(0))
    inner, count = i64(indices.shape[2]), i64(indices.shape[1])
    i, k, j = t // inner // count, t // inner % count, t % inner
    out[i, k, j] = x[i, max(i64(0), min(indices[i, k, j], i64(x.shape[1]) - 1)), j]


@kernel
def owned(owner, indices, first: i64):
    """Which of several values for one place is the last."""
    k = first + i64(global_id(0))
    at = indices[k]
    if 0 <= at < i64(owner.shape[0]):
        atomic_max(owner, at, i32(k))


@kernel
def scattered(x, indices, values, owner, first: i64):
    """`x[indices[k], j] = values[k, j]`, of several values the last."""
    t = first + i64(global_id(0))
    inner = i64(x.shape[1])
    k, j = t // inner, t % inner
    at = indices[k]
    if 0 <= at < i64(x.shape[0]) and owner[at] == i32(k):
        x[at, j] = values[k, j]


@kernel
def compressed(out, mask, sums, first: i64):
    """The places where the mask is true, in order; `sums` counts them."""
    t = first + i64(global_id(0))
    if mask[t]:
        out[sums[t] - 1] = t


@cache
def whole_products(adds):
    """One element of a matrix a thread, for each matrix of the first axis; added to what is there, or not."""

    @kernel
    def whole_product(out, a, b):
        i, row, column = global_id(0), global_id(1), global_id(2)
        total = a[i, row, 0] * b[i, 0, column]
        for k in range(1, a.shape[2]):
            total += a[i, row, k] * b[i, k, column]
        out[i, row, column] = total + out[i, row, column] if adds else total

    return whole_product
