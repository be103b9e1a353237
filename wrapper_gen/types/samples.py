"""Values of a type that can be written in Python without knowing what a library does with them.

Those of objects, enums, records and callables are made in `verify/samples.py`, over a module. Containers have none: how
many elements there have to be, and which keys, is the library's matter.
"""

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
    Kind,
    List,
    Map,
    Optional,
    Order,
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

_INTEGERS = ("1", "0", "2", "3", "7", "100", "255", "65536", "-1")
_FLOATS = ("1.0", "0.0", "-2.5")
_EPOCH = "datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)"
_LEAP_DAY = "datetime.datetime(2024, 2, 29, 12, 30, 0, 250000, tzinfo=datetime.timezone.utc)"
_CODES = {
    Scalar.I8: "b",
    Scalar.U8: "B",
    Scalar.I16: "h",
    Scalar.U16: "H",
    Scalar.I32: "i",
    Scalar.U32: "I",
    Scalar.I64: "q",
    Scalar.U64: "Q",
    Scalar.F32: "f",
    Scalar.F64: "d",
}
"""What `array.array` calls elements; it has no others."""


def samples(type_: Type) -> tuple[str, ...]:
    """Values of an argument, the simplest first, over `array`, `datetime` and `tmp`, a folder; none where it takes more
    than its type."""
    match type_:
        case Scalar():
            return _numbers(type_)
        case Complex():
            return ("1j", "0j", "-2.5+1j")
        case Text():
            return ("'a'", "''", "'two words'", "'\\u00e9'")
        case Bytes():
            return ("b'abc'", "b''", "bytes(range(256))")
        case Duration():
            return ("datetime.timedelta(seconds=1)", "datetime.timedelta(0)", "datetime.timedelta(days=-1, seconds=2)")
        case DateTime():
            return (_EPOCH, _LEAP_DAY)
        case Path():
            return ("tmp / 'file'",)
        case AnyObject():
            return ("'a'", "None", "(1, 2)")
        case DeviceStream():
            return ("None",)
        case Slice():
            return ("slice(0, 1)", "slice(None)", "slice(None, None, -1)", "slice(5, 2, 3)")
        case Index():
            return ("0", "...", "(0, slice(None))", "None", "()")
        case Optional():
            return ("None",)
        case SpanOf(element, order=order, device=device):
            is_plain = not device and order is Order.C and len(type_.dimensions) < 2
            code = _CODES.get(element) if isinstance(element, Scalar) else None
            return (f"array.array({code!r}, [1] * 4)",) if code and is_plain else ()
        case Handle() | EnumRef() | Struct() | Recursive() | Fn():
            return ()  # the module's
        case List() | Map() | Set() | Tuple() | TupleOf() | Union():
            return ()
        case Void() | ArrayOf() | Exchange() | Iter():
            return ()  # no parameter is one
        case _:
            assert_never(type_)


def _numbers(scalar: Scalar) -> tuple[str, ...]:
    match scalar.kind:
        case Kind.BOOL:
            return ("False", "True")
        case Kind.SIGNED | Kind.UNSIGNED:
            return _INTEGERS
        case Kind.FLOAT:
            return (*_FLOATS, "1e300") if scalar.bits > 32 else _FLOATS
        case _:
            assert_never(scalar.kind)


def is_alike_everywhere(type_: Type) -> bool:
    """Whether a sample is the same value in each process, so that what calls do with it can be compared."""
    match type_:
        case Optional(of):
            return is_alike_everywhere(of)
        case Scalar() | Complex() | Text() | Bytes() | Duration() | DateTime() | AnyObject() | Slice() | Index():
            return True
        case EnumRef():
            return True
        case Path() | DeviceStream() | SpanOf() | Handle() | Struct() | Recursive() | Fn():
            return False
        case List() | Map() | Set() | Tuple() | TupleOf() | Union():
            return False
        case Void() | ArrayOf() | Exchange() | Iter():
            return False
        case _:
            assert_never(type_)
