"""Numbers of the cffi engine: what each side calls them, what fits them, and the memory that has them.

Static: the same for all packages, and private to the one it lies in.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from math import ldexp
from operator import index
from struct import calcsize
from typing import Any, NamedTuple

MOST_F32 = 3.4028234663852886e38
"""The largest number of 32 bits."""


_NATIVE = ("", "@", "=", "<" if sys.byteorder == "little" else ">")
"""What may stand before the letters of a format."""


class Number(NamedTuple):
    """A number type in memory, by what each side calls it."""

    c: str
    array: str
    """NumPy's name."""
    packed: str
    """What `struct` packs it as, with its range checked; empty for bool, of which it takes anything."""
    formats: frozenset[str]
    """Buffer formats that can mean it (size is checked too)."""
    size: int
    parts: int = 1
    """Numbers of the C type that make one: two of a complex number."""


def _number(c: str, array: str, packed: str, codes: str, size: int) -> Number:
    return Number(c, array, packed, frozenset(order + code for order in _NATIVE for code in codes), size)


def _complex(c: str, array: str, code: str, size: int) -> Number:
    return _number(c, array, "", "", size)._replace(formats=frozenset(f"{order}{code}" for order in _NATIVE), parts=2)


NUMBERS: Mapping[str, Number] = {
    "bool": _number("bool", "bool", "", "?", 1),
    "i8": _number("int8_t", "int8", "b", "bhilqn", 1),
    "i16": _number("int16_t", "int16", "h", "bhilqn", 2),
    "i32": _number("int32_t", "int32", "i", "bhilqn", 4),
    "i64": _number("int64_t", "int64", "q", "bhilqn", 8),
    "u8": _number("uint8_t", "uint8", "B", "BHILQN", 1),
    "u16": _number("uint16_t", "uint16", "H", "BHILQN", 2),
    "u32": _number("uint32_t", "uint32", "I", "BHILQN", 4),
    "u64": _number("uint64_t", "uint64", "Q", "BHILQN", 8),
    "usize": _number("size_t", f"uint{8 * calcsize('N')}", "N", "BHILQN", calcsize("N")),
    "f32": _number("float", "float32", "f", "f", 4),
    "f64": _number("double", "float64", "d", "d", 8),
    "c64": _complex("float", "complex64", "Zf", 8),
    "c128": _complex("double", "complex128", "Zd", 16),
}


DLPACK = {"int": 0, "uint": 1, "float": 2, "complex": 5, "bool": 6}
"""DLPack's codes, by what NumPy calls the types without their sizes."""

MOST_I64 = 2**63 - 1
RANGES = {f"i{bits}": (-1 << bits - 1, (1 << bits - 1) - 1) for bits in (8, 16, 32, 64)}
RANGES |= {f"u{bits}": (0, (1 << bits) - 1) for bits in (8, 16, 32, 64)}
RANGES["usize"] = RANGES[f"u{8 * calcsize('N')}"]
INTS: set[type] = {int}
REALS: set[type] = {float, int}
"""Types whose conversion runs no code of the caller's."""
FLOATS = {"f32": "<f", "f64": "<d"}
ORDERS = dict.fromkeys(NUMBERS, "") | {"f32": "<" if sys.byteorder == "little" else ">"}
"""Without an order `struct` is fastest, but makes infinity of what is too large for 32 bits."""


def real(value: Any) -> float:
    """The float that a number has, or the int that it is as an index; no str has either."""
    try:
        return ldexp(value, 0)
    except TypeError:  # PyPy asks for no index
        if hasattr(type(value), "__float__"):
            raise
        return ldexp(index(value), 0)


def are_exactly(kinds: set[type], values: Iterable[object]) -> bool:
    """Whether each value is of one of these classes, and of none that derives from them."""
    try:
        return kinds.issuperset(map(type, values))
    except TypeError:  # a class may have no hash: it is none of these
        return False


def is_numpy_bool(value: Any) -> bool:
    kind = type(value)
    return kind.__name__ in ("bool_", "bool") and kind.__module__ == "numpy"


def has_length(value: Any) -> bool:
    """Whether its class has one: an array with one item converts to a number, and is meant as an array all the same."""
    return any(
        "__len__" in vars(each) for each in type(value).__mro__
    )  # not in the class of the class, as enums have it


def is_numpy_complex(value: Any) -> bool:
    """Whether it is numpy.complex64 or the like, which a float can be made of: what is imaginary is dropped."""
    kind = type(value)
    return kind.__module__ == "numpy" and kind.__name__.startswith(("complex", "clongdouble"))


def difference(view: memoryview, number: Number, writable: bool) -> str:
    """In what memory differs from what is wanted; empty when it does not."""
    if view.format not in number.formats or view.itemsize != number.size:
        return f", not one of format {view.format!r}"
    if view.ndim != 1:
        return f", not one of {view.ndim} dimensions"
    if not view.c_contiguous:
        return "; this one has gaps between its elements"
    return "; this one is read-only" if writable and view.readonly else ""


def array_wanted(what: str, number: Number, writable: bool) -> str:
    return f"{what}: a one-dimensional, contiguous {'writable ' if writable else ''}array of {number.array} is wanted"


def shown(number: float) -> str:
    """Python refuses to print very large ints."""
    return (
        f"an int of {number.bit_length()} bits"
        if isinstance(number, int) and number.bit_length() > 128
        else f"{number!r}"
    )
