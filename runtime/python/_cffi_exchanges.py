"""The cffi engine's results that are memory for other libraries: capsules, as DLPack has them.

Static: the same for all packages, and private to the one it lies in.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def capsule_out(extension: Any, memory: Any, free: Callable[[Any], None]) -> Any:
    """A capsule that owns the memory; the extension makes it."""
    try:
        make = getattr(extension, "take_capsule", None)
        if make is None:
            raise NotImplementedError("memory for other libraries needs CPython")
        place = extension.ffi.addressof(memory[0], "managed")  # Ctrl-C comes before it is taken, or after
        return make(int(extension.ffi.cast("uintptr_t", place)), memory.is_versioned)
    finally:
        free(memory)
