"""Calls that use handles, on a Python that does not count references: a handle that is closed is released after them.

Static: the same for all packages, and private to the one it lies in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from threading import RLock
from typing import Any


class Uses:
    """How many encoded arguments use each cell. Where references are counted, they do that."""

    def __init__(self, close: Callable[[Any], None]) -> None:
        self._close = close
        self._counts: dict[Any, int] = {}
        self._closed: set[Any] = set()
        """Cells whose handle was closed while they were in use."""
        self._lock = RLock()  # a finalizer, which may run anywhere, may close a handle

    def begin(self, cells: Iterable[Any]) -> None:
        """Keep cells usable. Who has read one from its handle asks the handle again: it may have been closed before."""
        with self._lock:
            for cell in cells:
                self._counts[cell] = self._counts.get(cell, 0) + 1

    def end(self, cells: Iterable[Any]) -> None:
        """Close what was closed meanwhile, if nobody else uses it."""
        unused = []
        with self._lock:
            for cell in cells:
                self._counts[cell] -= 1
                if not self._counts[cell]:
                    del self._counts[cell]
                    unused.append(cell)
            closed = self._closed.intersection(unused)
            self._closed -= closed
        for cell in closed:
            self._close(cell)

    def close(self, cell: Any) -> None:
        """Close a cell now, or after its last use."""
        with self._lock:
            if cell in self._counts:
                self._closed.add(cell)
                return
        self._close(cell)
