"""Frozen dataclasses that cost little to define; knows nothing of what they hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields
from functools import wraps
from operator import is_
from typing import TYPE_CHECKING, Any, TypeVar, dataclass_transform

_Class = TypeVar("_Class")
_Answer = TypeVar("_Answer")
_FIELDS = "__dataclass_fields__"
_FEW = 30  # objects


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(cls: type[_Class]) -> type[_Class]:
    """Like `dataclass(frozen=True)`, which compiles six methods for each class at every start.

    Here only a bare `__init__` is compiled, and only for a class of which many objects are made; the others are
    shared, and what else a dataclass has is made when it is asked for. It is the type checker that refuses to assign.
    """
    own = cls.__annotations__
    if any(isinstance(vars(cls).get(name), Field) for name in own):
        declared: Any = dataclass(init=False, eq=False, repr=False)(cls)
        if any(each.default_factory is not MISSING for each in fields(declared)):
            raise TypeError(f"{cls.__name__}: a frozen class has no use for a default that is made anew")
    inherited = (name for base in cls.__mro__[:0:-1] if _FIELDS in vars(base) for name in vars(base)["__match_args__"])
    made = {
        "__match_args__": tuple(dict.fromkeys([*inherited, *own])),
        "__init__": _first_init(cls),
        "__eq__": _equal,
        "__hash__": _hash,
        "__repr__": _representation,
    }
    for name, member in made.items():
        setattr(cls, name, member)
    if _FIELDS not in vars(cls):
        setattr(cls, _FIELDS, _Fields(cls))
    return cls


class _Fields:
    """Makes a dataclass of a class when its fields are asked for."""

    def __init__(self, of: type) -> None:
        self._of = of

    def __get__(self, instance: object, owner: type) -> object:
        delattr(self._of, _FIELDS)
        return getattr(dataclass(init=False, eq=False, repr=False)(self._of), _FIELDS)


def _first_init(cls: Any) -> Callable[..., None]:
    """For the first objects, most of whose classes have no more: to compile one takes as long as to fill dozens."""
    left = _FEW

    def __init__(self: object, *values: object, **named: object) -> None:
        nonlocal left
        left -= 1
        if left < 0 or not _filled(self, cls, values, named):
            cls.__init__ = _init(cls)
            cls.__init__(self, *values, **named)

    return __init__


def _filled(of: object, cls: Any, values: Sequence[object], named: Mapping[str, object]) -> bool:
    """Assign all fields in their order; or none, where a value is missing or too many, of which Python tells best."""
    names = cls.__match_args__
    given = dict(zip(names, values, strict=False))
    given.update(named)
    if len(given) < len(values) + len(named):
        return False
    if len(given) < len(names):
        for name in names:
            if name not in given:
                if not hasattr(cls, name):
                    return False
                given[name] = getattr(cls, name)
    if len(given) > len(names):
        return False
    vars(of).update({name: given[name] for name in names} if named else given)
    return True


def _init(cls: Any) -> Callable[..., None]:
    names = cls.__match_args__
    namespace = {f"default_{name}": getattr(cls, name) for name in names if hasattr(cls, name)}
    parameters = (f"{name}=default_{name}" if f"default_{name}" in namespace else name for name in names)
    lines = "".join(f"\n self.{name} = {name}" for name in names)
    exec(f"def __init__(self, {', '.join(parameters)}):{lines or ' pass'}", namespace)
    made: Callable[..., None] = namespace["__init__"]
    return made


if TYPE_CHECKING:
    from dataclasses import replace as replace
else:

    def replace(of: _Class, /, **changes: object) -> _Class:
        """Like the one of dataclasses, for objects of frozen classes: it calls no `__init__`, which only assigns.

        Where nothing changes, which is mostly so, it is the object itself.
        """
        values = vars(of)
        for name, value in changes.items():
            if values[name] is not value and not _is_same_tuple(values[name], value):
                break
        else:
            return of
        made = object.__new__(type(of))
        if len(values) > len(of.__match_args__):  # answers are about the other object
            values = {name: values[name] for name in of.__match_args__}
        own = vars(made)
        own.update(values)
        own.update(changes)
        return made


def _is_same_tuple(one: object, other: object) -> bool:
    """Whether both are tuples of the same values: equal ones may differ, as 1 and True do."""
    if type(one) is not tuple or type(other) is not tuple:
        return False
    return len(one) == len(other) and all(map(is_, one, other))


def remembered(question: Callable[[_Class], _Answer]) -> Callable[[_Class], _Answer]:
    """Keep the answer about an object in the object: for what many steps ask of each type or function.

    As the cached properties of its own: equal objects need not have the same answers, and a changed one has none yet.
    """
    name = f"{question.__module__}.{question.__qualname__}"

    @wraps(question)
    def answer(of: _Class) -> _Answer:
        known: dict[str, Any] = of.__dict__
        try:
            found: _Answer = known[name]
        except KeyError:
            found = known[name] = question(of)
        return found

    return answer


def _equal(self: Any, other: Any) -> bool:
    if self is other or type(self) is not type(other):
        return self is other
    mine, others = vars(self), vars(other)
    names: Sequence[str] = self.__match_args__
    return all(mine[name] == others[name] for name in names)


def _hash(self: object) -> int:
    """Of the first value alone: it tells most apart, and a function or an error type holds a tree of others."""
    for value in vars(self).values():
        return hash((type(self), value))
    return hash(type(self))


def _representation(self: Any) -> str:
    shown = (f"{each.name}={getattr(self, each.name)!r}" for each in fields(self) if each.repr)
    return f"{type(self).__name__}({', '.join(shown)})"
