"""Questions about keys: what can be one of Python's, and what says where items are."""

from __future__ import annotations

from typing import assert_never

from wrapper_gen.types.model import (
    ArrayOf,
    Bytes,
    Duration,
    EnumRef,
    Exchange,
    Fn,
    Handle,
    Index,
    Iter,
    List,
    Map,
    Optional,
    Path,
    Recursive,
    Scalar,
    Set,
    Slice,
    SpanOf,
    Struct,
    Text,
    Tuple,
    Type,
    Union,
    Void,
)
from wrapper_gen.types.queries import is_integer, parts


def is_key(type_: Type) -> bool:
    """Whether Python can use its values as keys."""
    match type_:
        case Scalar() | Text() | Bytes() | Duration() | Path() | Handle() | EnumRef():
            return True
        case Struct():
            return not (type_.is_calling or type_.handles)
        case Void() | Slice() | Index() | List() | SpanOf() | ArrayOf() | Exchange():
            return False
        case Map() | Set() | Iter() | Fn() | Recursive():
            return False
        case Optional() | Tuple() | Union():
            return all(is_key(part) for part in parts(type_))
        case _:
            assert_never(type_)


def is_index(type_: Type) -> bool:
    """Whether it is a key of what has dimensions, which an integer is, too."""
    return isinstance(type_, Index)


def says_positions(type_: Type) -> bool:
    """Whether as a key it says where items are, and not which."""
    return is_integer(type_) or isinstance(type_, Slice | Index)
