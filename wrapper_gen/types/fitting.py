"""How a value fits a parameter's type, which chooses among functions of one name: what either engine asks."""

from __future__ import annotations

import re
from typing import assert_never

from wrapper_gen import names
from wrapper_gen.types.model import (
    Bytes,
    Duration,
    EnumRef,
    Fn,
    Handle,
    Kind,
    List,
    Map,
    Optional,
    Path,
    Scalar,
    Set,
    SpanOf,
    Struct,
    Text,
    Tuple,
    Type,
    Union,
    Void,
)
from wrapper_gen.types.queries import parts


def fitting_cpp(type_: Type, lib: str) -> str:
    """The class of `wg_cpython_overloads.hpp` that asks it."""
    inner = ", ".join(fitting_cpp(each, lib) for each in parts(type_))
    match type_:
        case Scalar():
            return {Kind.BOOL: "wg::cpython::FitsBool", Kind.FLOAT: "wg::cpython::FitsFloat"}.get(
                type_.kind, "wg::cpython::FitsInt"
            )
        case Text() | Bytes() | Path() | Duration():
            return f"wg::cpython::Fits{type(type_).__name__}"
        case Handle(name):
            return f"wg::cpython::FitsHandle<{name}>"
        case EnumRef(name):
            return f"wg::cpython::FitsEnum<{names.enum_tag(name)}>"
        case Struct(name):
            return f"wg::cpython::FitsRecord<{names.struct_tag(name)}>"
        case Fn():
            return "wg::cpython::FitsCallable"
        case SpanOf(element, mutable):
            return f"wg::cpython::FitsMemory<{'' if mutable else 'const '}{element}>"
        case List() | Set() | Map() | Tuple() | Union() | Optional():
            return f"wg::cpython::Fits{type(type_).__name__}<{inner}>"
        case Void():
            raise ValueError("no parameter is void")
        case _:
            assert_never(type_)


def fitting_python(type_: Type) -> str:
    """The function of `_overloads.py` that asks it."""
    inner = ", ".join(map(fitting_python, parts(type_)))
    match type_:
        case Scalar():
            return {Kind.BOOL: "_fits.boolean", Kind.FLOAT: "_fits.floating"}.get(type_.kind, "_fits.integer")
        case Text() | Bytes() | Path() | Duration():
            return f"_fits.{type(type_).__name__.lower()}"
        case Handle(name) | Struct(name):
            return f"_fits.instance({name})"
        case EnumRef(name):
            return f"_fits.enum({name})"
        case Fn():
            return "_fits.function"
        case SpanOf(element, mutable):
            return f'_fits.memory("{element}", {mutable})'
        case List() | Set() | Map() | Tuple() | Union() | Optional():
            return f"_fits.{type(type_).__name__.lower()}_of({inner})"
        case Void():
            raise ValueError("no parameter is void")
        case _:
            assert_never(type_)


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
        case List() | Set() | Map() | Tuple():
            inner = ", ".join("|".join(sorted(kinds(each))) for each in parts(type_))
            return frozenset({f"{type(type_).__name__}[{inner}]"})
        case Fn():
            return frozenset({"callable"})
        case Text() | Bytes() | Path() | Duration() | Handle() | EnumRef() | Struct() | SpanOf():
            return frozenset({str(type_)})
        case Void():
            raise ValueError("no parameter is void")
        case _:
            assert_never(type_)


def numeric_rank(type_: Type) -> int:
    """Of numbers, how much else they are to type checkers: a bool and a member of an enum (1) are ints (2), those floats (3)."""
    if isinstance(type_, EnumRef):
        return 1
    if not isinstance(type_, Scalar):
        return 0
    return {Kind.BOOL: 1, Kind.FLOAT: 3}.get(type_.kind, 2)


_WORDS = (("&mut [", "mut_span_"), ("&[", "span_"), ("[", "list_"), ("{", "map_"), ("?", "_or_none"), ("|", "_or_"))


def word(type_: Type) -> str:
    """A type as part of a C name."""
    if isinstance(type_, Fn):
        return "fn"
    text = str(type_).split(" = ")[0]
    for mark, instead in _WORDS:
        text = text.replace(mark, instead)
    return re.sub(r"_+", "_", re.sub(r"\W+", "_", text)).strip("_").lower()
