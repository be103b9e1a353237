"""Handle classes of the cffi engine with memory that arrays use.

Static: the same for all packages, and private to the one it lies in.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, ClassVar

from ._cffi_handles import Handle


def memory_of(array: Any, flags: int) -> memoryview:
    """What `__buffer__` gives: Python calls that from 3.12 on."""
    if sys.version_info >= (3, 12):
        made: memoryview = array.__buffer__(flags)
        return made
    return memoryview(array)


class Exporter(Handle):
    """A handle that is not closed while an array uses its memory."""

    __slots__ = ()

    _is_used: ClassVar[Callable[[Any], bool]]

    def close(self) -> None:
        """Release the handle now, unless an array uses its memory; closing it again does nothing."""
        if self._h and type(self)._is_used(self._h):
            raise BufferError(f"the memory of this {type(self).__name__} is in use by an array")
        super().close()
