"""Objects of Python of which nothing is known, in the cffi engine: C++ holds them, and gives them back.

Static: the same for all packages, and private to the one it lies in.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any

from ._kept_memory import KeptMemory
from ._wire_codec import Call, Codec, Encoded


class AnyObject(Codec):
    """Any object, by its number; 0 is one that C++ has made of nothing."""

    wanted = "an object"
    exact = frozenset[type]()

    def __init__(self, memory: KeptMemory) -> None:
        self._memory = memory

    def write(self, values: Sequence[Any], out: Encoded) -> None:
        if not hasattr(out, "objects"):
            out.objects = []
        out.parts.append(array("Q", [self._memory.number_of(value, out.objects) for value in values]))

    def read(self, view: memoryview, at: int, count: int) -> tuple[list[Any], int]:
        end = at + 8 * count
        numbers = view[at:end].cast("Q")
        return [self._memory.given_back(number) if number else None for number in numbers], end

    def take(self, value: Any, call: Call) -> Any:
        return value

    def copy(self, value: Any, what: str) -> Any:
        """What a record has: the object itself."""
        return value
