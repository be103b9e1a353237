"""Finalizers that use handles of their own cycle, for a Python under AddressSanitizer."""

from __future__ import annotations

import gc
from typing import Any

import shapes_ffi as s

said: list[int] = []
saved: list[Any] = []


class Session:
    def __init__(self, handle: Any) -> None:
        self.handle = handle
        self.on_close = self.finish

    def finish(self) -> None:
        said.append(self.handle.value)

    def __del__(self) -> None:
        self.on_close()


class Between:
    """Of two finalizers, the collector comes to one before the handle and to one after it."""

    def __init__(self, number: int) -> None:
        self.first, self.handle = Session(None), s.sole(number)
        self.first.handle = self.handle
        self.last = Session(self.handle)
        self.first.me = self.last.me = self  # type: ignore[attr-defined]


class Mine(s.Sole):  # type: ignore[misc]
    def __del__(self) -> None:
        said.append(self.value)
        saved.append(self)


def finalized() -> list[int]:
    """What finalizers said since the last time."""
    gc.collect()
    heard = sorted(said)
    said.clear()
    return heard


gc.disable()
for n in range(3):
    Session(s.sole(n))
assert finalized() == [0, 1, 2]

Between(3)
assert finalized() == [3, 3]

mine = Mine.sole(3)
mine.me = mine
del mine
assert finalized() == [3]
others = [s.sole(1000 + n) for n in range(100)]
assert saved[0].value == 3
saved[0].close()
try:
    saved[0].value  # noqa: B018 - fails
except s.ClosedHandleError:
    print("as it should")
