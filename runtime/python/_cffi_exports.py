"""Handle classes of the cffi engine with memory that arrays use.

Static: the same for all packages, and private to the one it lies in.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

from ._cffi_handles import Handle


def memory_of(array: Any, flags: int) -> memoryview:
    """What `__buffer__` gives: Python calls that from 3.12 on."""
    if sys.version_info >= (3, 12):
        made: memoryview = array.__buffer__(flags)
        return made
    return memoryview(array)


def as_numpy(exporter: Any, dtype: Any = None, copy: bool | None = None) -> Any:
    """The memory as an array of NumPy, as NumPy makes it itself from Python 3.12 on."""
    import numpy  # which asks: it is no requirement of the package

    memory = numpy.asarray(exporter.__buffer__(0))
    wanted = memory.dtype if dtype is None else numpy.dtype(dtype)
    if copy is False and wanted != memory.dtype:
        raise ValueError(f"an array of {wanted} needs a copy of this memory, which is of {memory.dtype}")
    return memory.astype(wanted, copy=bool(copy))


class Exporter(Handle):
    """A handle that is not closed while an array uses its memory."""

    __slots__ = ()

    _is_used: ClassVar[Callable[[Any], bool]]

    if sys.version_info < (3, 12):

        @property
        def __array__(self) -> Callable[..., Any]:
            """NumPy asks for this before it takes an object with items for a list of them."""
            if not hasattr(type(self), "__buffer__"):
                raise AttributeError("__array__")
            return partial(as_numpy, self)

    def close(self) -> None:
        """Release the handle now, unless an array uses its memory; closing it again does nothing."""
        if self._h and type(self)._is_used(self._h):
            raise BufferError(f"the memory of this {type(self).__name__} is in use by an array")
        super().close()
