"""Records: what the classes of structs have in common, over both engines.

Static: the same for all packages, and private to the one it lies in. A record is frozen and owns its values: what can
be changed is copied whenever it is read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


class _DataclassFields:
    """`__dataclass_fields__`, made when it is asked for: `dataclasses` takes longer to import than a package."""

    def __init__(self, names: Sequence[str], hints: Sequence[str], defaults: Mapping[str, Any]) -> None:
        self._described = names, hints, defaults
        self._made: dict[str, Any] | None = None

    def __get__(self, _record: object, owner: type) -> dict[str, Any]:
        if self._made is not None:
            return self._made
        from dataclasses import field, make_dataclass

        names, hints, defaults = self._described
        fields: list[tuple[str, str, Any]] = []
        for name, hint in zip(names, hints, strict=True):
            if name not in defaults:
                fields.append((name, hint, field()))
            elif isinstance(defaults[name], dict):
                fields.append((name, hint, field(default_factory=defaults[name].copy)))
            else:
                fields.append((name, hint, field(default=defaults[name])))
        described: Any = make_dataclass(owner.__name__, fields)
        self._made = made = dict(described.__dataclass_fields__)
        return made


def complete(
    cls: Any, names: tuple[str, ...], hints: tuple[str, ...], defaults: Mapping[str, Any], own: tuple[str, ...] = ()
) -> None:
    """Give a class of records what is said of them in Python; `own` are methods of protocols that it has already."""

    def values(record: Any) -> tuple[Any, ...]:
        return tuple(getattr(record, name) for name in names)

    def __repr__(self: Any) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in zip(names, values(self), strict=True))
        return f"{cls.__name__}({shown})"

    def __eq__(self: Any, other: object) -> Any:
        return values(self) == values(other) if type(other) is cls else NotImplemented

    def __hash__(self: Any) -> int:
        return hash((cls, *map(_hashable, values(self))))

    def __reduce__(self: Any) -> tuple[Any, ...]:
        return cls, values(self)

    def __replace__(self: Any, **changes: Any) -> Any:
        return cls(**{**dict(zip(names, values(self), strict=True)), **changes})

    def __setattr__(self: Any, name: str, _value: object) -> NoReturn:
        raise AttributeError(f"cannot assign to {name!r}: {cls.__name__} objects do not change")

    def __delattr__(self: Any, name: str) -> NoReturn:
        raise AttributeError(f"cannot delete {name!r}: {cls.__name__} objects do not change")

    def __init_subclass__(cls: Any, /, **_options: Any) -> NoReturn:
        base = cls.__base__
        raise TypeError(f"type '{base.__module__}.{base.__qualname__}' is not an acceptable base type")

    methods: tuple[Callable[..., Any], ...] = (
        __repr__, __eq__, __hash__, __reduce__, __replace__, __setattr__, __delattr__,
    )  # fmt: skip
    for method in methods:
        if method.__name__ in own:
            continue
        method.__qualname__ = f"{cls.__name__}.{method.__name__}"
        setattr(cls, method.__name__, method)
    if "__eq__" in own and "__hash__" not in own:
        cls.__hash__ = None
    if "__array_ufunc__" in own:  # NumPy leaves operators to the class
        cls.__array_ufunc__ = None
    cls.__init_subclass__ = classmethod(__init_subclass__)  # what extends a struct in C++ is there already
    about = {"__match_args__": names, "__dataclass_fields__": _DataclassFields(names, hints, defaults)}
    for name, value in about.items():
        setattr(cls, name, value)


def _hashable(value: Any) -> Any:
    """What stands for a value in a hash: equal for equal values."""
    match value:
        case list() | tuple():
            return tuple(map(_hashable, value))
        case dict():
            return frozenset((key, _hashable(item)) for key, item in value.items())
        case set():
            return frozenset(value)
    return value


class Record:
    """A record of the cffi engine."""

    __slots__ = ("_values",)

    _values: tuple[Any, ...]


def fields(cls: type[Record], names: Sequence[str]) -> None:
    """Give a class of the cffi engine its fields."""
    for i, name in enumerate(names):
        setattr(cls, name, _field(i))


def _field(i: int) -> property:
    return property(lambda record: copied(record._values[i]))


def copied(value: Any) -> Any:
    """A value that can be changed without changing the record."""
    match value:
        case list():
            return list(map(copied, value))
        case dict():
            return {key: copied(item) for key, item in value.items()}
        case tuple():
            return tuple(map(copied, value))
        case set():
            return set(value)
    return value
