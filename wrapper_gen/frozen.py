"""Frozen dataclasses that cost little to define; knows nothing of what they hold."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, TypeVar, dataclass_transform

_Class = TypeVar("_Class")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(cls: type[_Class]) -> type[_Class]:
    """Like `dataclass(frozen=True)`, which compiles six methods for each class, and was most of the time of our start.

    Here only `__init__` is compiled and the others are shared; it is the type checker that refuses to assign.
    """
    made = dataclass(eq=False, repr=False)(cls)
    for name, shared in (("__eq__", _equal), ("__hash__", _hash), ("__repr__", _representation)):
        setattr(made, name, shared)
    return made


def _equal(self: object, other: object) -> bool:
    return type(self) is type(other) and vars(self) == vars(other)


def _hash(self: object) -> int:
    return hash((type(self), *vars(self).values()))


def _representation(self: Any) -> str:
    shown = (f"{each.name}={getattr(self, each.name)!r}" for each in fields(self) if each.repr)
    return f"{type(self).__name__}({', '.join(shown)})"
