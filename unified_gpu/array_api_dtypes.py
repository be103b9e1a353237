"""What the Python array API standard asks of dtypes: their kinds and limits, and in which they meet."""

from __future__ import annotations

from typing import Any, NamedTuple

from . import dtypes
from .arrays.array import GpuArray
from .dtypes import DType, Number, as_dtype
from .promotion import common_type, is_same_kind, with_number
from .runtime.context import StreamContext, current_context

NAMES = {dtype.numpy: dtype for dtype in dtypes.DTYPES.values() if dtype.numpy is not None and dtype is not dtypes.f16}
"""The dtypes of the standard, by its names; it has no half floats."""

_KINDS = {
    "bool": ("bool",), "signed integer": ("int",), "unsigned integer": ("uint",), "integral": ("int", "uint"),
    "real floating": ("float",), "complex floating": (), "numeric": ("int", "uint", "float"),
}  # fmt: skip
_DIGITS_AND_EXPONENT = {dtypes.f16: (10, 15), dtypes.bf16: (7, 127), dtypes.f32: (23, 127), dtypes.f64: (52, 1023)}
"""Binary digits behind the point, and the greatest exponent."""


class FloatInfo(NamedTuple):
    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: DType


class IntegerInfo(NamedTuple):
    bits: int
    max: int
    min: int
    dtype: DType


def _dtype_of(value: Any) -> DType:
    return value.dtype if isinstance(value, GpuArray) else as_dtype(value)


def finfo(type: Any, /) -> FloatInfo:
    """The limits of a dtype of fractions."""
    found = _dtype_of(type)
    if not found.is_float:
        raise TypeError(f"finfo is for floats, not for {found}; use iinfo")
    digits, exponent = _DIGITS_AND_EXPONENT[found]
    greatest = (2 - 2.0**-digits) * 2.0**exponent
    return FloatInfo(8 * found.size, 2.0**-digits, greatest, -greatest, 2.0 ** (1 - exponent), found)


def iinfo(type: Any, /) -> IntegerInfo:
    """The limits of a dtype of whole numbers."""
    found = _dtype_of(type)
    if found.kind not in ("int", "uint"):
        raise TypeError(f"iinfo is for whole numbers, not for {found}; use finfo")
    low, high = found.limits
    return IntegerInfo(8 * found.size, high, low, found)


def can_cast(from_: Any, to: Any, /) -> bool:
    """Whether all values of one dtype are values of another."""
    found, wanted = _dtype_of(from_), as_dtype(to)
    return common_type(found, wanted) is wanted and is_same_kind(found, wanted)


def isdtype(dtype: Any, kind: Any) -> bool:
    """Whether a dtype is of a kind, as `"integral"`, or is another one; of several kinds one is enough."""
    found = as_dtype(dtype)
    for each in kind if isinstance(kind, tuple) else (kind,):
        if isinstance(each, str) and each in _KINDS:
            if found.kind in _KINDS[each]:
                return True
        elif as_dtype(each) is found:
            return True
    return False


def result_type(*values: Any) -> DType:
    """The dtype in which arrays, dtypes and numbers meet.

    Raises:
        ValueError: without an array or a dtype.
    """
    numbers: list[Number] = [each for each in values if isinstance(each, (int, float))]
    strong = [_dtype_of(each) for each in values if not isinstance(each, (int, float))]
    if not strong:
        raise ValueError("a dtype follows from arrays and dtypes; there are none")
    found = strong[0]
    for each in strong[1:]:
        found = common_type(found, each)
    for number in numbers:
        found = with_number(found, number)
    return found


def open_context(device: object = None) -> StreamContext:
    """The current context, which has to be on `device`, where one is named.

    Raises:
        ValueError: for another device.
    """
    context = current_context()
    name = f"{context.device.backend}:{context.device.index}"
    if device is not None and device != name:
        raise ValueError(f"the current context is on {name}, not on {device!r}; open another: Context(device=…)")
    return context


class NamespaceInfo:
    """What the current context has of the standard; see `__array_namespace_info__`."""

    def capabilities(self) -> dict[str, object]:
        """Which optional parts there are."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": None}

    def default_device(self) -> str:
        """The device of the current context."""
        return self.devices()[0]

    def devices(self) -> tuple[str, ...]:
        """The devices on which functions make arrays."""
        device = open_context().device
        return (f"{device.backend}:{device.index}",)

    def default_dtypes(self, *, device: object = None) -> dict[str, DType]:
        """The dtypes of data for which none is named."""
        return {"real floating": open_context(device).dtype, "integral": dtypes.i64, "indexing": dtypes.i64}

    def dtypes(self, *, device: object = None, kind: Any = None) -> dict[str, DType]:
        """The dtypes of a kind, or all, by their names in the standard."""
        has_f64 = getattr(open_context(device).device, "has_f64", True)
        return {
            name: dtype
            for name, dtype in NAMES.items()
            if (kind is None or isdtype(dtype, kind)) and (has_f64 or dtype is not dtypes.f64)
        }
