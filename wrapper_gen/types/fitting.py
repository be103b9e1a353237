"""How a value fits a parameter's type, which chooses among functions of one name: what either engine asks."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from typing import assert_never

from wrapper_gen import names
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
from wrapper_gen.types.queries import parts
from wrapper_gen.types.spelling import Expression, element_type


def alternatives_of(type_: Type) -> tuple[Type, ...]:
    """The types of which a value is one."""
    return type_.alternatives if isinstance(type_, Union) else (type_,)


def fitting_cpp(type_: Type, lib: str) -> str:
    """The class of `wg/cpython/overloads.hpp` that asks it."""
    inner = ", ".join(fitting_cpp(each, lib) for each in parts(type_))
    match type_:
        case Scalar():
            return {Kind.BOOL: "wg::cpython::FitsBool", Kind.FLOAT: "wg::cpython::FitsFloat"}.get(
                type_.kind, "wg::cpython::FitsInt"
            )
        case Complex() | Text() | Bytes() | Path() | Duration() | DateTime() | Slice() | Index():
            return f"wg::cpython::Fits{type(type_).__name__}"
        case Handle(name):
            return f"wg::cpython::FitsHandle<{name}>"
        case EnumRef(name):
            return f"wg::cpython::FitsEnum<{names.enum_tag(name)}>"
        case Struct(name):
            return f"wg::cpython::FitsRecord<{names.struct_tag(name)}>"
        case Fn():
            return "wg::cpython::FitsCallable"
        case SpanOf(element, mutable, dimensions):
            elements = f"{'' if mutable else 'const '}{element_type(element)}"
            return f"wg::cpython::FitsMemory<{elements}, {len(dimensions) or 1}>"
        case List() | Set() | Map() | Tuple() | TupleOf() | Union() | Optional():
            return f"wg::cpython::Fits{type(type_).__name__}<{inner}>"
        case Recursive() | AnyObject() | DeviceStream():
            return "wg::cpython::FitsAnything"
        case Void() | ArrayOf() | Exchange() | Iter():
            raise ValueError(f"no parameter is {type_}")
        case _:
            assert_never(type_)


def fitting_python(type_: Type) -> Expression:
    """What `_overloads.py` asks it with."""
    inner = tuple(map(fitting_python, parts(type_)))
    match type_:
        case Scalar():
            of_python = {Kind.BOOL: "_fits.boolean", Kind.FLOAT: "_fits.floating"}
            return Expression(of_python.get(type_.kind, "_fits.integer"))
        case Bytes():
            return Expression("_fits.bytes_like")
        case Complex():
            return Expression("_fits.complex_number")
        case DateTime():
            return Expression("_fits.date_time")
        case Text() | Path() | Duration():
            return Expression(f"_fits.{type(type_).__name__.lower()}")
        case Slice() | Index():
            return Expression(f"_slices.fits_{type(type_).__name__.lower()}")
        case Handle(name) | Struct(name):
            return Expression("_fits.instance", (Expression(name),), is_call=True)
        case EnumRef(name):
            return Expression("_fits.enum", (Expression(name),), is_call=True)
        case Fn():
            return Expression("_fits.function")
        case SpanOf(element, mutable, dimensions):
            asked = (f'"{element}"', str(mutable), str(len(dimensions) or 1))
            return Expression("_fits.memory", tuple(map(Expression, asked)), is_call=True)
        case List() | Set() | Map() | Tuple() | TupleOf() | Union() | Optional():
            return Expression(f"_fits.{_FITS[type(type_)]}", inner, is_call=True)
        case Recursive() | AnyObject() | DeviceStream():
            return Expression("_fits.anything")
        case Void() | ArrayOf() | Exchange() | Iter():
            raise ValueError(f"no parameter is {type_}")
        case _:
            assert_never(type_)


_FITS: dict[type[Type], str] = {
    List: "list_of",
    Set: "set_of",
    Map: "map_of",
    Tuple: "tuple_of",
    TupleOf: "tuple_of_any_length",
    Union: "union_of",
    Optional: "optional_of",
}


def kinds(type_: Type) -> frozenset[str]:
    """The values of Python that a parameter takes: those of one kind are taken alike."""
    match type_:
        case Scalar():
            of_python = {Kind.BOOL: "bool", Kind.FLOAT: "float"}
            return frozenset({of_python.get(type_.kind, "int")})
        case Optional(of):
            return kinds(of) | {"..." if type_.is_default else "None"}
        case Union(alternatives):
            return frozenset[str]().union(*map(kinds, alternatives))
        case List() | Set() | Map() | Tuple() | TupleOf():
            inner = ", ".join("|".join(sorted(kinds(each))) for each in parts(type_))
            return frozenset({f"{type(type_).__name__}[{inner}]"})
        case Fn():
            return frozenset({"callable"})
        case SpanOf(element, mutable, dimensions):
            memory = f"{len(dimensions) or 1} dimensions of {element}"
            return frozenset({f"writable {memory}"} | ({f"read-only {memory}"} if not mutable else set()))
        case Complex():
            return frozenset({"complex"})
        case Duration() | DateTime():
            return frozenset({type(type_).__name__})
        case Text() | Bytes() | Path() | AnyObject() | DeviceStream() | Slice() | Index():
            return frozenset({str(type_)})
        case Handle() | EnumRef() | Struct() | Recursive():
            return frozenset({str(type_)})
        case Void() | ArrayOf() | Exchange() | Iter():
            raise ValueError(f"no parameter is {type_}")
        case _:
            assert_never(type_)


def numeric_rank(type_: Type) -> int:
    """Of numbers: to type checkers a bool and a member of an enum (1) are ints too (2), those floats (3), and those
    complex (4). A whole key (5) may be an int, too."""
    if isinstance(type_, Index):
        return 5
    if isinstance(type_, Complex):
        return 4
    if isinstance(type_, EnumRef):
        return 1
    if not isinstance(type_, Scalar):
        return 0
    return {Kind.BOOL: 1, Kind.FLOAT: 3}.get(type_.kind, 2)


_WORDS = (
    ("&mut [", "mut_span_"),
    ("&[", "span_"),
    ("[", "list_"),
    (", ...", "_any"),
    ("(", "tuple_"),
    ("{", "map_"),
    ("?", "_or_none"),
    ("|", "_or_"),
)


_UNIT = re.compile(r"\b(duration|datetime)\[(\w+)\]")
_LONGEST = 40
"""Letters of a label; a longer one ends in a digest."""


def label(types: Sequence[Type]) -> str:
    """The types of parameters as part of a C name."""
    whole = "_".join(map(_word, types)) or "void"
    if len(whole) <= _LONGEST:
        return whole
    digest = hashlib.blake2s(", ".join(map(str, types)).encode(), digest_size=4).hexdigest()
    return f"{whole[: _LONGEST - 9].rstrip('_')}_{digest}"


def _word(type_: Type) -> str:
    if isinstance(type_, Fn):
        return "fn"
    text = _UNIT.sub(r"\1_\2", str(type_).split(" = ")[0])
    for mark, instead in _WORDS:
        text = text.replace(mark, instead)
    return re.sub(r"_+", "_", re.sub(r"\W+", "_", text)).strip("_").lower()
