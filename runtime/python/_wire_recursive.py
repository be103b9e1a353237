"""The codec of a type that is a part of itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ._wire_codec import Call, Codec, Encoded, Refusal, only


class _Level(NamedTuple):
    """A value that is not nested too deeply."""

    value: Any


class Recursive(Codec):
    """A type that is a part of itself; `is_of` says what it is made of, once that is there."""

    of: Codec
    wanted = ""
    exact = frozenset[type]()
    most = 100
    """So many levels an argument has: each takes several frames, of which Python has 1000."""

    def is_of(self, of: Codec) -> None:
        self.of, self.wanted, self.exact, self.may_collide = of, of.wanted, of.exact, of.may_collide

    def write(self, values: Sequence[Any], out: Encoded) -> None:
        only({_Level}, values)  # a list may have itself in it: its levels are counted first
        if values:
            self.of.write([value.value for value in values], out)

    def take(self, value: Any, call: Call) -> _Level:
        call.levels += 1
        try:
            if call.levels > self.most:
                raise Refusal("it is nested deeper than 100 levels", value, "deep")
            return _Level(self.of.take(value, call))
        finally:
            call.levels -= 1

    def read(self, view: memoryview, at: int, count: int) -> tuple[list[Any], int]:
        return self.of.read(view, at, count) if count else ([], at)
