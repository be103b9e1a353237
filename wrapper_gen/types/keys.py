"""Questions about keys: what can be one of Python's, and what says where items are."""

from __future__ import annotations

from typing import assert_never

from wrapper_gen.types.model import (
    AnyObject,
    ArrayOf,
    Bytes,
    Complex,
    DateTime,
    DeviceStream,
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
    TupleOf,
    Type,
    Union,
    Void,
)
from wrapper_gen.types.queries import has_objects, is_integer, parts, walk


def is_key(type_: Type) -> bool:
    """Whether Python can use its values as keys."""
    match type_:
        case Scalar() | Text() | Bytes() | Duration() | DateTime() | Path() | Handle() | EnumRef():
            return True
        case Struct():
            return not (type_.is_calling or type_.handles)
        case (
            Void()
            | Complex()
            | AnyObject()
            | DeviceStream()
            | Slice()
            | Index()
            | List()
            | SpanOf()
            | ArrayOf()
            | Exchange()
        ):
            return False
        case Map() | Set() | Iter() | Fn() | Recursive():
            return False
        case Optional() | Tuple() | TupleOf() | Union():
            return all(is_key(part) for part in parts(type_))
        case _:
            assert_never(type_)


def can_be_constant(type_: Type) -> bool:
    """Whether nobody can change its values, and nobody has to release them."""
    match type_:
        case Scalar() | Complex() | Text() | Bytes() | Duration() | DateTime() | Path() | EnumRef():
            return True
        case Struct():
            return not (type_.is_calling or type_.handles)
        case Optional() | Tuple() | TupleOf() | Union():
            return all(map(can_be_constant, parts(type_)))
        case (
            Void()
            | AnyObject()
            | DeviceStream()
            | Slice()
            | Index()
            | Handle()
            | List()
            | SpanOf()
            | ArrayOf()
            | Exchange()
        ):
            return False
        case Map() | Set() | Iter() | Fn() | Recursive():
            return False
        case _:
            assert_never(type_)


def no_key(type_: Type) -> str:
    """Why one that is no key, or no element of a set, cannot be one."""
    if any(isinstance(each, Complex) for each in walk(type_)):
        return "C++ has neither an order nor a hash of complex numbers; a tuple, (f64, f64), has both"
    if has_objects(type_):
        return "C++ knows which object one is, and not to which others it is equal"
    return "Python's keys, and elements of sets, are values that cannot change"


def is_index(type_: Type) -> bool:
    """Whether it is a key of what has dimensions, which an integer is, too."""
    return isinstance(type_, Index)


def says_positions(type_: Type) -> bool:
    """Whether as a key it says where items are, and not which."""
    return is_integer(type_) or isinstance(type_, Slice | Index)


def are_offsets(type_: Type) -> bool:
    """Whether it is a whole number, or a list or a tuple of some, where all of them may be offsets."""
    match type_:
        case Optional(of) | List(of):
            return are_offsets(of)
        case Tuple(items=items):
            others = [each for each in items if not are_offsets(each)]
            return len(others) < len(items) and not any(is_integer(part) for each in others for part in walk(each))
        case _:
            return is_integer(type_)
