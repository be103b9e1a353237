"""Progress of a pipeline: a bar, or calls of a function of the user."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Protocol

Callback = Callable[[int, int | None], object]
"""Called after each batch with how many are done, and how many there will be, or None where that is not known."""


class Progress(Protocol):
    """Where a pipeline reports to."""

    def update(self, done: int, total: int | None, /) -> object: ...
    def close(self) -> None: ...


def progress_for(wish: bool | Callback) -> Progress:
    """What `progress=` asks for: nothing, a bar of tqdm's where it is installed, else a line, or a callback."""
    if callable(wish):
        return _Called(wish)
    return _bar() if wish else _Called(lambda done, total: None)


def _bar() -> Progress:
    try:
        from tqdm import tqdm
    except ImportError:
        return _Line()
    return _Tqdm(tqdm)


class _Called:
    def __init__(self, callback: Callback) -> None:
        self.update = callback

    def close(self) -> None:
        """A callback is called for batches only."""


class _Line:
    """One line on stderr that is written over."""

    _written = False

    def update(self, done: int, total: int | None, /) -> None:
        of = "" if total is None else f"/{total}"
        print(f"\r{done}{of} batches", end="", file=sys.stderr, flush=True)
        self._written = True

    def close(self) -> None:
        if self._written:
            print(file=sys.stderr, flush=True)


class _Tqdm:
    def __init__(self, tqdm: Any) -> None:
        self._tqdm = tqdm
        self._bar: Any = None

    def update(self, done: int, total: int | None, /) -> None:
        if self._bar is None:
            self._bar = self._tqdm(total=total, unit="batch")
        self._bar.update(done - self._bar.n)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
