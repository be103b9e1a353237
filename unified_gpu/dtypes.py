"""The element types that arrays have, and how each is called by Python, NumPy, C and DLPack."""

from __future__ import annotations

import math
import reprlib
import struct
import sys
from dataclasses import dataclass, field
from typing import Literal

from .errors import with_article

Kind = Literal["float", "int", "uint", "bool"]
Number = int | float | bool


@dataclass(frozen=True, slots=True, eq=False)
class DType:
    """One element type; there is exactly one object of each. It also equals its name, and what NumPy and torch call it.

    Attributes:
        name: `f32`, as in every `dtype=`.
        size: bytes of one element.
        format: of the `struct` module and the buffer protocol; bf16 has none of its own and gives `H`, its bits.
        numpy: NumPy's name of it, or None where NumPy has no such type.
        c_name: what it is called in kernels, in C++ and in CUDA C.
        dlpack_code: DLPack's type code; its bits are `8 * size`.
        kind: what arithmetic it has.
        is_float: whether its numbers have fractions.
    """

    name: str
    size: int
    format: str
    numpy: str | None
    c_name: str
    dlpack_code: int
    kind: Kind
    is_float: bool = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "is_float", self.kind == "float")

    def __repr__(self) -> str:
        return self.name

    def __eq__(self, other: object) -> bool:
        """Whether `other` names this dtype: `"f32"`, `np.float32` and `torch.float32` do."""
        if self is other or isinstance(other, DType):
            return self is other
        try:
            return as_dtype(other) is self
        except TypeError:
            return False

    __hash__ = object.__hash__  # as a key, a dtype is itself

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return as_dtype, (self.name,)

    @property
    def view_format(self) -> str:
        """What a memoryview can show it as: half floats as their bits where Python, before 3.12, knows none."""
        return _HALF_VIEW if self is f16 else self.format

    @property
    def numpy_typestr(self) -> str:
        """What the array interface protocols call it; bf16 is exported as two bytes without a meaning of their own."""
        code = "V" if self is bf16 else {"float": "f", "int": "i", "uint": "u", "bool": "b"}[self.kind]
        return f"{'|' if self.size == 1 or self is bf16 else '<'}{code}{self.size}"

    def __call__(self, value: Number) -> Number:
        """A number as this type has it, rounded to it, as for a default: `factor: f32 = f32(0.1)`.

        Raises:
            OverflowError, TypeError: as `check` does.
        """
        return self.unpack(self.pack(self.check(value)))

    def check(self, value: Number) -> Number:
        """`value` as this type can hold it.

        Raises:
            OverflowError: for an integer that does not fit.
            TypeError: for what is no number, or a fraction for an integer type.
        """
        if self.is_float:
            if value.__class__ is float and self is not bf16:  # the usual case, quicker than what follows
                return value
            if not hasattr(value, "__float__"):
                raise _no_number(value)
            number = self._float(value)
            if self is bf16 and _BF16_LIMIT <= abs(number) < math.inf:  # the others raise it when they are packed
                raise OverflowError(f"{number!r} does not fit in bf16")
            return number
        if self is bool_:
            if not hasattr(value, "__float__"):
                raise TypeError(f"{value!r} is neither true nor false, nor a number")
            return bool(value)
        number = value if isinstance(value, int) else _whole(value, self)
        low, high = self.limits
        if not low <= number <= high:
            raise OverflowError(f"{number} does not fit in {self.name}, which goes from {low} to {high}")
        return number

    def _float(self, value: Number) -> float:
        try:
            return float(value)
        except TypeError:  # an array of NumPy's
            raise _several(value) from None
        except OverflowError:
            raise OverflowError(
                f"a whole number of {int(value).bit_length()} bits does not fit in {self.name}"
            ) from None

    @property
    def limits(self) -> tuple[int, int]:
        """The least and the greatest value of an integer type."""
        bits = 8 * self.size
        return (-(1 << bits - 1), (1 << bits - 1) - 1) if self.kind == "int" else (0, (1 << bits) - 1)

    def pack(self, value: Number) -> bytes:
        """The bytes of one element, in the machine's order; a bf16 that is too large becomes infinite.

        Raises:
            OverflowError, TypeError: as `check` does.
        """
        if self is bf16:
            return struct.pack("=H", _bf16_bits(self._float(value)))
        number = self.check(value)
        try:
            return struct.pack(f"={self.format}", number)
        except OverflowError:
            raise OverflowError(f"{number!r} does not fit in {self.name}") from None

    def unpack(self, data: bytes | bytearray) -> Number:
        """The value of the bytes of one element."""
        if self is bf16:
            widened: float = struct.unpack("=f", struct.pack("=I", struct.unpack("=H", data)[0] << 16))[0]
            return widened
        value: Number = struct.unpack(f"={self.format}", data)[0]
        return value


def _whole(value: Number, dtype: DType) -> int:
    index = getattr(value, "__index__", None)  # NumPy's integers are no `int`
    if index is not None:
        try:
            return int(index())
        except TypeError:  # an array of several, or of fractions
            if getattr(value, "shape", None) != ():
                raise _several(value) from None
    if not hasattr(value, "__float__"):
        raise _no_number(value)
    if getattr(value, "shape", ()) == () and float(value).is_integer():  # NumPy's floats of 32 bits are no `float`
        return int(value)
    raise TypeError(f"{value!r} is not a whole number, and the dtype is {dtype.name}; use int(…), or f32")


def is_whole(value: object) -> bool:
    """Whether a number is a whole one by its type, or an array of one by its dtype."""
    kind = getattr(getattr(value, "dtype", None), "kind", None)
    return hasattr(value, "__index__") and kind not in ("f", "float", "bool")


def _no_number(value: object) -> TypeError:
    is_shown = value is None or isinstance(value, (str, complex))
    return TypeError(
        f"{reprlib.repr(value) if is_shown else with_article(type(value).__name__)} is no number; "
        "give an int, a float or a bool"
    )


def _several(value: object) -> TypeError:
    return TypeError(f"a {type(value).__name__} is not a single number; make one array of several first")


def _bf16_bits(value: float) -> int:
    """The upper half of the f32, rounded to the nearest, ties to even."""
    if math.isnan(value):
        return 0x7FC0
    try:
        bits: int = struct.unpack("=I", struct.pack("=f", value))[0]
    except OverflowError:
        bits = 0x7F800000 if value > 0 else 0xFF800000
    return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16


_BF16_LIMIT = (2 - 2**-8) * 2.0**127  # from here on the nearest bf16 is infinite
_HALF_VIEW = "e" if sys.version_info >= (3, 12) else "H"
f16 = DType("f16", 2, "e", "float16", "half", 2, "float")
bf16 = DType("bf16", 2, "H", None, "bfloat16", 4, "float")
f32 = DType("f32", 4, "f", "float32", "float", 2, "float")
f64 = DType("f64", 8, "d", "float64", "double", 2, "float")
i8 = DType("i8", 1, "b", "int8", "signed char", 0, "int")
i16 = DType("i16", 2, "h", "int16", "short", 0, "int")
i32 = DType("i32", 4, "i", "int32", "int", 0, "int")
i64 = DType("i64", 8, "q", "int64", "long long", 0, "int")
u8 = DType("u8", 1, "B", "uint8", "unsigned char", 1, "uint")
u16 = DType("u16", 2, "H", "uint16", "unsigned short", 1, "uint")
u32 = DType("u32", 4, "I", "uint32", "unsigned int", 1, "uint")
u64 = DType("u64", 8, "Q", "uint64", "unsigned long long", 1, "uint")
bool_ = DType("bool", 1, "?", "bool", "bool", 6, "bool")

DTYPES = {dtype.name: dtype for dtype in (f16, bf16, f32, f64, i8, i16, i32, i64, u8, u16, u32, u64, bool_)}
"""All of them, by name."""
NO_COMPLEX = "complex numbers are left out: use DLPack with CuPy or torch"

_BY_NUMPY = {dtype.numpy: dtype for dtype in DTYPES.values() if dtype.numpy}
_BY_TORCH = {f"torch.{name}": dtype for name, dtype in _BY_NUMPY.items()} | {"torch.bfloat16": bf16}
_ALSO = {float: f32, int: i64, bool: bool_, "bfloat16": bf16}
_KNOWN: dict[object, DType] = {dtype: dtype for dtype in DTYPES.values()} | DTYPES | _ALSO
_BY_DLPACK = {(dtype.dlpack_code, 8 * dtype.size): dtype for dtype in DTYPES.values()}


def as_dtype(value: object) -> DType:
    """The dtype that `value` names: ours, its name, NumPy's or torch's, or Python's `float` (f32), `int` or `bool`.

    Raises:
        TypeError: when it names none; the message lists all names.
    """
    try:
        return _KNOWN[value]
    except (KeyError, TypeError):  # TypeError for what has no hash
        pass
    text = str(value)
    name = text if text in _BY_NUMPY else str(getattr(value, "name", "") or getattr(value, "__name__", ""))
    found = _BY_TORCH.get(text) or _BY_NUMPY.get(name) or (bf16 if name == "bfloat16" else None)
    if found is None:
        instead = f"; {NO_COMPLEX}" if "complex" in (name or text) else ""
        raise TypeError(f"{value!r} is no dtype; there are {' '.join(DTYPES)}{instead}")
    return found


def from_dlpack_type(code: int, bits: int, lanes: int) -> DType:
    """The dtype of DLPack's triple.

    Raises:
        TypeError: when arrays cannot have it.
    """
    found = _BY_DLPACK.get((code, bits)) if lanes == 1 else None
    if found is None:
        raise TypeError(f"an array of DLPack type (code {code}, {bits} bits, {lanes} lanes) has no dtype here")
    return found
