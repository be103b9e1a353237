"""The codec of structs whose fields C++ sets by functions: what these refuse, or change, is so for a new record too.

Static: the same for all packages, and private to the one it lies in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._wire_containers import Struct

if TYPE_CHECKING:
    from collections.abc import Callable

    from ._cffi_support import Bridge
    from ._wire_codec import Codec


class MadeStruct(Struct):
    """`make` is the extension's function: C++ makes the struct of encoded fields, and reads them again."""

    def __init__(
        self, bridge: Bridge, make: Callable[[bytes, int], Any], kind: Any, *fields: tuple[str, Codec]
    ) -> None:
        super().__init__(kind, *fields)
        self._bridge, self._make, self._failed = bridge, make, bridge.function("error_kind")
        self._called = [codec.is_called for codec in self.codecs]
        self._sent = Struct(kind, *(field for field in fields if not field[1].is_called))

    def make(self, record: Any, *given: Any) -> None:
        """Fill a new record with what C++ makes of what it was given."""
        wanted = object.__new__(self.kind)
        super().make(wanted, *given)
        values = wanted._values
        if any(self._called):
            object.__setattr__(wanted, "_values", self._chosen(values, called=False))
        data = self._sent.encode(wanted, self.kind.__name__).data
        made = self._make(data, len(data))
        if made:
            sent, called = iter(self._sent.decode(self._bridge, made)._values), iter(self._chosen(values, called=True))
            values = tuple(next(called if is_called else sent) for is_called in self._called)
        elif self._failed():  # else there is no C++: it is a stub
            raise self._bridge.failure()
        object.__setattr__(record, "_values", values)

    def _chosen(self, values: tuple[Any, ...], *, called: bool) -> tuple[Any, ...]:
        """The callables, or the other values."""
        return tuple(value for value, is_called in zip(values, self._called, strict=True) if is_called is called)
