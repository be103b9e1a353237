"""Which types need headers that not every package has."""

from __future__ import annotations

from typing import assert_never

from wrapper_gen.types.memory import has_strides
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
from wrapper_gen.types.queries import has_callables


def family(type_: Type) -> str | None:
    """The family whose headers, each `<family>.hpp`, only specs with such a type need."""
    match type_:
        case Complex():
            return "complex"
        case Path():
            return "paths"
        case AnyObject():
            return "any_objects"
        case DeviceStream():
            return "device_streams"
        case Duration():
            return "durations"
        case DateTime():
            return "datetimes"
        case Slice() | Index():
            return "slices"
        case Fn():
            return "callables"
        case Optional(is_default=True):
            return "defaults"
        case ArrayOf():
            return "arrays"
        case Exchange():
            return "exchanges"
        case Iter():
            return "iterators"
        case SpanOf():
            return "spans" if has_strides(type_) else None
        case Recursive():
            return "recursive"
        case Void() | Scalar() | Text() | Bytes() | Handle() | EnumRef():
            return None
        case List() | Map() | Tuple():
            return "callables_within" if has_callables(type_) else None
        case Struct():
            return "handle_fields" if type_.handles else "callable_fields" if type_.is_calling else None
        case Optional() | Set() | TupleOf() | Union():
            return None
        case _:
            assert_never(type_)
