"""The codec of structs with handles: a record refers to the handles that it was made with.

Static: the same for all packages, and private to the one it lies in.
"""

from __future__ import annotations

from typing import Any

from ._wire_codec import Call, Codec, Encoded, Refusal
from ._wire_containers import Struct, _Fields
from ._wire_leaves import Handles


class HoldingStruct(Struct):
    def make(self, record: Any, *given: Any) -> None:
        """Fill a new record with the handles that it was given, and copies of the rest."""
        both = zip(self.names, self.codecs, given, strict=True)
        object.__setattr__(record, "_values", tuple(_kept(codec, value, name) for name, codec, value in both))

    def take(self, value: Any, call: Call) -> _Fields:
        if type(value) is not self.kind:
            raise Refusal(self.wanted, value)
        both = zip(self.names, self.codecs, value._values, strict=True)
        return _Fields(tuple(self._field(name, codec, field, call) for name, codec, field in both))

    def _field(self, name: str, codec: Codec, value: Any, call: Call) -> Any:
        try:
            return codec.take(value, call)
        except Refusal as refusal:
            raise refusal.at(lambda: f".{name}") from None


def _kept(codec: Codec, value: Any, name: str) -> Any:
    """What a record has for one field: the object that it was given, once that was found to be right."""
    if not _refers(codec):
        return codec.copy(value, name)
    out = Encoded()
    try:
        codec._taken(value, name, out)
    finally:
        out.give_back()
    return value


def _refers(codec: Codec) -> bool:
    """Whether values of a type are handles, or have some."""
    return isinstance(getattr(codec, "of", codec), (Handles, HoldingStruct))
