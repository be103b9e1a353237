"""What follows from a shape: how many elements there are, how far apart they lie, and bytes seen in it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from .dtypes import DType


def element_count(shape: Sequence[int]) -> int:
    """How many elements an array of this shape has."""
    return math.prod(shape)


@lru_cache(4096)
def contiguous_strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The strides of an array whose elements lie in order, in elements."""
    strides, step = [], 1
    for length in reversed(shape):
        strides.append(step)
        step *= length
    return tuple(reversed(strides))


def typed(data: memoryview, dtype: DType, shape: tuple[int, ...]) -> memoryview:
    """Bytes as elements of a shape, f16 and bf16 as their bits; where there are none, bytes, which have no shape."""
    untyped: Any = data  # the type hints of `cast` name each format by itself
    if not data.nbytes:
        return data
    code = dtype.view_format
    view: memoryview = untyped.cast(code) if len(shape) == 1 else untyped.cast(code, shape)
    return view
