"""Callables within lists, dicts and tuples, of the cffi engine.

Static: the same for all packages, and private to the one it lies in.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any

from ._callables import Callables, Passed
from ._wire_codec import Call, Codec, Encoded, NotExactly, Refusal


class Function(Codec):
    """A callable as a value among others: C++ gets what finds it, for as long as the call runs or C++ holds it."""

    wanted = "a callable"
    exact = frozenset[type]()
    is_called = True

    def __init__(self, callables: Callables, signature: Any, *, what: str = "", is_optional: bool = False) -> None:
        self._callables = callables
        self._signature = signature
        """Of a field, what makes it: the classes in it may come later."""
        self._what = what
        self._is_optional = is_optional

    def write(self, values: Sequence[Any], out: Encoded) -> None:
        if not all(map(self._is_fine, values)):
            raise NotExactly
        out.parts.append(array("Q", [self._address(value, out) for value in values]))

    def take(self, value: Any, call: Call) -> Any:
        if not self._is_fine(value):
            raise Refusal(self.wanted, value)
        return value

    def copy(self, value: Any, what: str) -> Any:
        """What a record has: the callable itself."""
        if not self._is_fine(value):
            raise Refusal(self.wanted, value).exception(what)
        return value

    def _is_fine(self, value: Any) -> bool:
        return callable(value) or (value is None and self._is_optional)

    def _address(self, value: Any, out: Encoded) -> int:
        if value is None:
            return 0
        passed = Passed(value, self._what, self._signature() if self._what else self._signature)
        argument = self._callables.handle_of(passed)
        if not hasattr(out, "callables"):
            out.callables = []
        out.callables.append((passed, argument))
        return self._callables.address(argument)


def with_callables(codec: Codec, value: Any, what: str) -> Encoded:
    """An argument, encoded, whose callables know what messages call them; they are there as long as it is."""
    encoded = codec.encode(value, what)
    for passed, _ in getattr(encoded, "callables", ()):
        passed.what = passed.what or what
    return encoded
