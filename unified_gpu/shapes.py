"""What follows from a shape: how many elements there are, how far apart they lie, and bytes seen in it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from numbers import Real
from operator import index
from typing import Any

from .dtypes import DType


def lengths_of(shape: int | Sequence[int]) -> tuple[int, ...]:
    """A shape as a tuple.

    Raises:
        TypeError: when it is neither a whole number nor several.
        ValueError: when one of them is negative.
    """
    lengths = whole_numbers(shape)
    if min(lengths, default=0) < 0:
        raise ValueError(f"an array cannot have the shape {list(lengths)}")
    return lengths


def whole_numbers(shape: int | Sequence[int], what: str = "a shape") -> tuple[int, ...]:
    """The same for what is not a shape yet, because lengths of it may be -1; `what` it is, in the message."""
    try:
        return (index(shape),) if hasattr(shape, "__index__") else tuple(map(index, shape))
    except TypeError:
        raise TypeError(f"{what} is a whole number, or one for each axis, not {shape!r}") from None


def whole_number(value: object, what: str) -> int:
    """A whole number, also NumPy's.

    Raises:
        TypeError: for anything else; `what` it is, in the message.
    """
    try:
        return index(value)  # type: ignore[arg-type]  # TypeError says that it has no __index__
    except TypeError:
        raise TypeError(f"{what} is a whole number, not {value!r}") from None


def real_number(value: Any, what: str) -> float:
    """A number as it is, also NumPy's.

    Raises:
        TypeError: for anything else; `what` it is, in the message.
    """
    if not isinstance(value, Real):
        raise TypeError(f"{what} is a number, not {value!r}")
    return value  # type: ignore[return-value]  # a Real is what the type hints call a float


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
    """Bytes as elements of a shape, as `view_format` has them; where there are none, bytes, which have no shape."""
    untyped: Any = data  # the type hints of `cast` name each format by itself
    if not data.nbytes:
        return data
    code = dtype.view_format
    view: memoryview = untyped.cast(code) if len(shape) == 1 else untyped.cast(code, shape)
    return view
