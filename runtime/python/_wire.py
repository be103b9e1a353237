"""Compound values on their way through the C ABI: what encodes and decodes them, one class a type.

Static: the same for all packages, and private to the one it lies in. docs/wire.md describes the encoding: every type
encodes a run of values, and a single value is a run of one.

A codec writes what is exactly of its type, all values of a run at once, and calls no method of a value. What it
refuses is converted one by one (`take`), which finds out what is wrong, or gives values that are exactly of the type.
"""

from __future__ import annotations

from ._wire_containers import List, Map, Optional, OrDefault, Set, Struct, Tuple, TupleOf, Union
from ._wire_leaves import BOOL, BYTES, TEXT, Complex, DateTime, Duration, Enum, Float, Handles, Int, Path
from ._wire_recursive import Recursive

__all__ = [
    "BOOL",
    "BYTES",
    "TEXT",
    "Complex",
    "DateTime",
    "Duration",
    "Enum",
    "Float",
    "Handles",
    "Int",
    "List",
    "Map",
    "Optional",
    "OrDefault",
    "Path",
    "Recursive",
    "Set",
    "Struct",
    "Tuple",
    "TupleOf",
    "Union",
]
