"""Questions about types that are a part of themselves."""

from __future__ import annotations

from wrapper_gen.frozen import remembered
from wrapper_gen.types.model import Fn, List, Map, Optional, Recursive, Set, Tuple, TupleOf, Type, Union
from wrapper_gen.types.queries import walk


@remembered
def recursive_in(type_: Type) -> frozenset[str]:
    """The names of the types in it that are a part of themselves, also of what a callable returns."""
    every = tuple(walk(type_))
    returned = frozenset[str]().union(*(recursive_in(fn.returns) for fn in every if isinstance(fn, Fn)))
    return returned.union(each.name for each in every if isinstance(each, Recursive))


def is_within(name: str, type_: Type) -> bool:
    """Whether a value has one of the type `name` in itself, and not in a list, set or dict, which may be empty."""
    match type_:
        case Recursive():
            return type_.name == name
        case Optional(of):
            return is_within(name, of)
        case Tuple(items=parts) | Union(alternatives=parts):
            return any(is_within(name, each) for each in parts)
        case _:
            return False


def has_kinds(type_: Type) -> bool:
    """Whether a value is of one of several types, or none."""
    return isinstance(type_, Optional | Union)


def is_ambiguous(type_: Type, name: str) -> bool:
    """Whether a list or a dict of Python's could be values of `type_` in several ways, each of which has to be tried at
    every level."""
    for each in walk(type_):
        if isinstance(each, Union):
            having = [one for one in each.alternatives if name in recursive_in(one)]
            lists = [one for one in having if isinstance(one, List | Set | Tuple | TupleOf | Recursive)]
            maps = [one for one in having if isinstance(one, Map | Recursive)]
            if len(lists) > 1 or len(maps) > 1:
                return True
    return False
