"""Whether data of the host fits in another dtype; checked for a whole buffer at once where NumPy is installed."""

from __future__ import annotations

import math
import sys
from typing import Any

from unified_gpu.dtypes import DType, bf16, bool_, f16, f32, f64
from unified_gpu.optional import load_numpy
from unified_gpu.shapes import typed

_GREATEST = {f16: 65504.0, bf16: (2 - 2**-7) * 2.0**127, f32: (2 - 2**-23) * 2.0**127, f64: sys.float_info.max}


def check_range(buffer: Any, found: DType, wanted: DType) -> None:
    """Refuse elements that `wanted` cannot hold; it looks at them only when `found` has such values.

    Args:
        buffer: contiguous elements of dtype `found`, at least one.

    Raises:
        OverflowError: for a number that is out of range.
        TypeError: for a fraction or NaN, when `wanted` has whole numbers only.
    """
    if _holds(wanted, found):
        return
    data = memoryview(buffer).cast("B")
    for value in _numbers(data, found) if load_numpy() is None else _decisive(data, found, wanted):
        if math.isfinite(value) or not wanted.is_float:
            wanted.pack(wanted.check(value))


def _holds(wanted: DType, found: DType) -> bool:
    """Whether every value of `found` is in the range of `wanted`."""
    if wanted is found or wanted is bool_ or found is bool_:
        return True
    if wanted.is_float:
        return (_GREATEST[found] if found.is_float else found.limits[1]) <= _GREATEST[wanted]
    return not found.is_float and wanted.limits[0] <= found.limits[0] and found.limits[1] <= wanted.limits[1]


def _decisive(data: memoryview, found: DType, wanted: DType) -> list[Any]:
    """The elements that decide for all: one that is no whole number, else the least and the greatest."""
    numpy: Any = load_numpy()
    if found is bf16:
        elements = (numpy.frombuffer(data, "uint16").astype("uint32") << 16).view("float32")
    else:
        elements = numpy.frombuffer(data, found.numpy)
    whole = found.is_float and not wanted.is_float
    if whole:
        fractions = elements[numpy.trunc(elements) != elements]  # and NaN
        if len(fractions):
            return [fractions[0].item()]
    ends = [elements.min().item(), elements.max().item()]
    if whole or all(map(math.isfinite, ends)):
        return ends
    finite = elements[numpy.isfinite(elements)]
    return [finite.min().item(), finite.max().item()] if len(finite) else []


def _numbers(data: memoryview, found: DType) -> list[Any]:
    if found in (f16, bf16):
        return [found.unpack(bytes(data[start : start + 2])) for start in range(0, data.nbytes, 2)]
    return typed(data, found, (data.nbytes // found.size,)).tolist()
