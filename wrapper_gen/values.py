"""Values that a spec writes, defaults and stub values, as data: Python's own, and two that it has no word for."""

from __future__ import annotations

from types import EllipsisType

from wrapper_gen.frozen import frozen


@frozen
class EnumValue:
    """A default that names a value of an enum, or several of one whose values combine, or none of them."""

    enum: str
    members: tuple[str, ...]


@frozen
class MapValue:
    """A default that is a map: its keys and values, in order."""

    items: tuple[tuple[Value, Value], ...]


Value = bool | int | float | complex | str | bytes | None | EnumValue | MapValue | EllipsisType | tuple["Value", ...]
"""A default or a stub value, already checked against its type; `...` for a default that only C++ knows."""
