"""Kernels that sort the rows of a matrix by merging: stable, and the same on every device."""

from __future__ import annotations

from functools import cache

from unified_gpu.dtypes import i64
from unified_gpu.kernels.decorated.definition import kernel
from unified_gpu.kernels.language import global_id

RUN = 16
"""Elements that one thread sorts by insertion, and that it merges."""


@cache
def sorted_runs(is_before, has_places):
    """Runs of 16 elements, each in order; where they come from as well."""

    @kernel
    def sort_runs(values, places, x):
        i, first = global_id(0), global_id(1) * RUN
        for k in range(first, min(first + RUN, x.shape[1])):
            value, m = x[i, k], k
            while m > first and is_before(value, values[i, m - 1]):
                values[i, m] = values[i, m - 1]
                if has_places:
                    places[i, m] = places[i, m - 1]
                m -= 1
            values[i, m] = value
            if has_places:
                places[i, m] = k

    return sort_runs


@cache
def merged_runs(is_before, has_places):
    """Pairs of runs of `width` elements; each thread finds where its 16 elements begin in both."""

    @kernel
    def merge_runs(values, places, x, from_places, width):
        i, begin = global_id(0), global_id(1) * RUN
        start = begin // (2 * width) * (2 * width)
        middle, end = min(start + width, x.shape[1]), min(start + 2 * width, x.shape[1])
        taken = begin - start
        low, high = max(0, taken - (end - middle)), min(taken, middle - start)
        while low < high:
            half = (low + high) // 2
            if is_before(x[i, middle + taken - 1 - half], x[i, start + half]):
                high = half
            else:
                low = half + 1
        a, b = start + low, middle + taken - low
        for k in range(begin, min(begin + RUN, end)):
            second = a >= middle or (b < end and is_before(x[i, b], x[i, a]))
            source = b if second else a
            values[i, k] = x[i, source]
            if has_places:
                places[i, k] = from_places[i, source]
            if second:
                b += 1
            else:
                a += 1

    return merge_runs


@cache
def searched(is_before, is_right):
    """Before which element of an array in order each value belongs; behind those that are equal to it, or before."""

    @kernel
    def search(out, x, values, first: i64):
        t = first + i64(global_id(0))
        value, low, high = values[t], i64(0), i64(x.shape[0])
        while low < high:
            half = (low + high) // 2
            goes_on = not is_before(value, x[half]) if is_right else is_before(x[half], value)
            if goes_on:
                low = half + 1
            else:
                high = half
        out[t] = low

    return search
