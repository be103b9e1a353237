"""The cffi engine's results that are arrays: memory that C++ owns, and Python uses where it lies.

Static: the same for all packages, and private to the one it lies in.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ._array_types import NDArray


def array_out(extension: Any, array: Any, free: Callable[[Any], None]) -> NDArray:
    """A Python object with the memory; the extension makes it."""
    try:
        make = getattr(extension, "array", None)
        if make is None:
            raise NotImplementedError("arrays as results need CPython")
        made: NDArray = make(int(extension.ffi.cast("uintptr_t", array.owner)))
        return made
    finally:
        free(array)
