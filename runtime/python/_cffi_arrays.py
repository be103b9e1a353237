"""The cffi engine's results that are arrays: memory that C++ owns, and Python uses where it lies.

Static: the same for all packages, and private to the one it lies in.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ._array_types import AnyArray
from ._wire_codec import Codec


def array_out(extension: Any, array: Any, free: Callable[[Any], None]) -> AnyArray:
    """A Python object with the memory; the extension makes it."""
    try:
        make = getattr(extension, "array", None)
        if make is None:
            raise NotImplementedError("arrays as results need CPython")
        made: AnyArray = make(int(extension.ffi.cast("uintptr_t", array.owner)))
        return made
    finally:
        free(array)


class Arrays(Codec):
    """Arrays that are items of a result: on the wire each is an address, which is ours."""

    def __init__(self, bridge: Any) -> None:
        self._extension = bridge.extension
        self._name = f"wg_{bridge.package}_array"

    def read(self, view: memoryview, at: int, count: int) -> tuple[list[Any], int]:
        end = at + 8 * count
        ffi, lib = self._extension.ffi, self._extension.lib
        free = getattr(lib, f"{self._name}_free")
        held = [ffi.gc(ffi.cast(f"{self._name} *", each), free) for each in view[at:end].cast("Q")]
        return [array_out(self._extension, each, lambda array: ffi.release(array)) for each in held], end
