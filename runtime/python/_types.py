"""What arguments may be, for type checkers; nothing imports it when the package runs.

Static: the same for all packages, and private to the one it lies in.
"""

from __future__ import annotations

from typing import Any, Protocol


class Buffer(Protocol):
    """Anything that lends out its memory: bytes, bytearray, memoryview, array.array, a NumPy array."""

    def __buffer__(self, flags: int, /) -> memoryview: ...


class DLPack(Protocol):
    """Anything that lends out its memory by DLPack: a torch tensor on the CPU, for one."""

    def __dlpack__(self) -> Any: ...


Array = Buffer | DLPack
