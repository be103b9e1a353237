"""Frozen dataclasses that cost little to define; knows nothing of what they hold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, TypeVar, dataclass_transform

_Class = TypeVar("_Class")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(cls: type[_Class]) -> type[_Class]:
    """Like `dataclass(frozen=True)`, which compiles six methods for each class at every start.

    Here only a bare `__init__` is compiled and the others are shared; it is the type checker that refuses to assign.
    """
    made = dataclass(init=False, eq=False, repr=False)(cls)
    own = {"__init__": _init(made), "__eq__": _equal, "__hash__": _hash, "__repr__": _representation}
    for name, method in own.items():
        setattr(made, name, method)
    return made


def _init(cls: Any) -> Callable[..., None]:
    declared = fields(cls)
    if any(each.default_factory is not MISSING for each in declared):
        raise TypeError(f"{cls.__name__}: a frozen class has no use for a default that is made anew")
    namespace: dict[str, Any] = {f"default_{each.name}": each.default for each in declared}
    parameters = (each.name if each.default is MISSING else f"{each.name}=default_{each.name}" for each in declared)
    lines = "".join(f"\n self.{each.name} = {each.name}" for each in declared)
    exec(f"def __init__(self, {', '.join(parameters)}):{lines or ' pass'}", namespace)
    made: Callable[..., None] = namespace["__init__"]
    return made


def _equal(self: object, other: object) -> bool:
    return self is other or (type(self) is type(other) and vars(self) == vars(other))


def _hash(self: object) -> int:
    """Of the first value alone: it tells most apart, and a function or an error type holds a tree of others."""
    for value in vars(self).values():
        return hash((type(self), value))
    return hash(type(self))


def _representation(self: Any) -> str:
    shown = (f"{each.name}={getattr(self, each.name)!r}" for each in fields(self) if each.repr)
    return f"{type(self).__name__}({', '.join(shown)})"
