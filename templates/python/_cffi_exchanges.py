"""The cffi engine's results that are memory for other libraries: capsules, as DLPack has them.

Static: the same for all packages, and private to the one it lies in.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def capsule_out(extension: Any, memory: Any, free: Callable[[Any], None]) -> Any:
    """A capsule that owns the memory; the extension makes it."""
    try:
        make = getattr(extension, "capsule", None)
        if make is None:
            raise NotImplementedError("memory for other libraries needs CPython")
        made = make(int(extension.ffi.cast("uintptr_t", memory.managed)), memory.is_versioned)
        memory.managed = extension.ffi.NULL  # the capsule's
        return made
    finally:
        free(memory)
