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

    def make(self, record: Any, *given: Any) -> None:
        """Fill a new record with what C++ makes of what it was given."""
        wanted = object.__new__(self.kind)
        super().make(wanted, *given)
        data = self.encode(wanted, self.kind.__name__).data
        made = self._make(data, len(data))
        if made:
            wanted = self.decode(self._bridge, made)
        elif self._failed():  # else there is no C++: it is a stub
            raise self._bridge.failure()
        object.__setattr__(record, "_values", wanted._values)
