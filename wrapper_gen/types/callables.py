"""Callables within other types: which there are, and where they may be."""

from __future__ import annotations

from collections.abc import Callable, Collection

from wrapper_gen.frozen import remembered, replace
from wrapper_gen.types.model import Fn, List, Map, Optional, Struct, Text, Tuple, Type
from wrapper_gen.types.queries import callable_of, has_length, walk


@remembered
def callables_in(type_: Type) -> tuple[Fn, ...]:
    """The callables in it, each once."""
    return tuple(dict.fromkeys(each for each in walk(type_) if isinstance(each, Fn)))


@remembered
def calling_structs_in(type_: Type) -> tuple[str, ...]:
    """The structs in it that have callables, each once."""
    return tuple(dict.fromkeys(each.name for each in walk(type_) if isinstance(each, Struct) and each.is_calling))


def is_callable_part(type_: Type) -> bool:
    """Whether a part of a container is a callable, or one that may be missing."""
    return callable_of(type_) is not None


def comes_with_length(type_: Type, represented: Collection[Type]) -> bool:
    """Whether C may call a callback with an address and a length that are such a value: texts may be null there.

    `represented` are the types of which C++ has a form of its own, as `types` says.
    """
    return has_length(type_) or (isinstance(type_, List) and type_.element in (Optional(Text()), *represented))


def with_callables(type_: Type, change: Callable[[Fn], Fn]) -> Type:
    """The type with each callable in it changed."""
    match type_:
        case Fn():
            return change(type_)
        case List(element):
            return List(with_callables(element, change))
        case Map(key, value):
            return Map(key, with_callables(value, change))
        case Tuple(items=items):
            return replace(type_, items=tuple(with_callables(each, change) for each in items))
        case Optional(of):
            return replace(type_, of=with_callables(of, change))
        case _:
            return type_
