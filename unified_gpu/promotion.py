"""The dtype in which operands meet: NumPy's promotion, in which Python's numbers have only a kind."""

from __future__ import annotations

from numbers import Integral

from . import dtypes
from .dtypes import DType, Number

_NEXT_SIGNED = {1: dtypes.i16, 2: dtypes.i32, 4: dtypes.i64}
"""By the size of an unsigned dtype: the least signed one that has all of its numbers; after u32 comes f64."""


def common_type(a: DType, b: DType) -> DType:
    """The dtype in which two arrays meet, as NumPy's `result_type`; bf16 and f16 meet in f32."""
    if a is b:
        return a
    if a is dtypes.bool_ or b is dtypes.bool_:
        return b if a is dtypes.bool_ else a
    if a.is_float or b.is_float:
        if dtypes.bf16 in (a, b):
            other = b if a is dtypes.bf16 else a
            if other.size == 1:
                return dtypes.bf16  # which has eight binary digits
            a, b = dtypes.f32, other
        a, b = as_float(a), as_float(b)
    if a.kind == b.kind:
        return a if a.size > b.size else b
    signed, unsigned = (a, b) if a.kind == "int" else (b, a)
    return signed if signed.size > unsigned.size else _NEXT_SIGNED.get(unsigned.size, dtypes.f64)


def as_float(dtype: DType) -> DType:
    """The least dtype of fractions that has all of its numbers, or f64."""
    return dtype if dtype.is_float else {1: dtypes.f16, 2: dtypes.f32}.get(dtype.size, dtypes.f64)


def with_number(dtype: DType, value: Number) -> DType:
    """The dtype in which an array and a number meet: its own, where the number is of no higher kind."""
    if isinstance(value, bool) or dtype.is_float:
        return dtype
    if isinstance(value, Integral):
        return dtypes.i64 if dtype is dtypes.bool_ else dtype
    return dtypes.f64


def is_same_kind(value: DType, place: DType) -> bool:
    """Whether values are converted without being asked when they are stored: not fractions to whole numbers."""
    order = ("bool", "uint", "int", "float")
    if value.kind == "int" and place.kind == "uint":
        return False
    return order.index(value.kind) <= order.index(place.kind)
