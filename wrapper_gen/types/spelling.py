"""How a type is spelled in each target: one exhaustive fold a language, and no other knowledge of types.

`descriptor` names the C++ type that describes it (`wg_types.hpp`), `hint` is Python's type hint, `codec` the Python
object that encodes and decodes its values (`_wire.py`).
"""

from __future__ import annotations

from enum import StrEnum
from typing import assert_never

from wrapper_gen import names
from wrapper_gen.types.model import (
    Bytes,
    EnumRef,
    Handle,
    Kind,
    List,
    Map,
    Optional,
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


class Way(StrEnum):
    """Which way a value crosses the border: arguments may be more than results are."""

    ARGUMENT = "argument"
    RESULT = "result"


def descriptor(type_: Type, way: Way, lib: str) -> str:
    """The C++ type that describes it, usable in any namespace; its member `Value` is what user code gets or gives."""

    def of(*inner: Type) -> str:
        return ", ".join(descriptor(each, way, lib) for each in inner)

    match type_:
        case Scalar():
            return number(type_)
        case Text():
            return "wg::types::Text"
        case Bytes():
            return "wg::types::Bytes"
        case Handle(name):
            kind = "Handle" if way is Way.ARGUMENT else "OwnedHandle"
            return f"wg::types::{kind}<{names.namespace(lib)}::{name}>"
        case EnumRef(name):
            return f"wg::types::Enum<{names.enum_alias(name)}, {names.namespace(lib)}::{names.enum_tag(name)}>"
        case List(element):
            return f"wg::types::List<{of(element)}>"
        case Optional(inner):
            return f"wg::types::Optional<{of(inner)}>"
        case Map(key, value):
            return f"wg::types::Map<{of(key, value)}>"
        case Set(element):
            return f"wg::types::Set<{of(element)}>"
        case Tuple(items):
            return f"wg::types::Tuple<{of(*items)}>"
        case Union(alternatives):
            return f"wg::types::Union<{of(*alternatives)}>"
        case Struct(name):
            return f"wg::types::Struct<{names.namespace(lib)}::{names.struct_tag(name)}>"
        case Void() | SpanOf():
            raise ValueError(f"{type_} stands by itself")
        case _:
            assert_never(type_)


def number(scalar: Scalar) -> str:
    """The descriptor of a number or truth value."""
    if scalar is Scalar.USIZE:
        return "wg::types::Size"
    return f"wg::types::Number<{'' if scalar is Scalar.BOOL else 'wg::'}{scalar}>"


def hint(type_: Type, way: Way) -> str:
    """Python's type hint."""
    is_argument = way is Way.ARGUMENT
    match type_:
        case Void():
            return "None"
        case Scalar():
            return {Kind.BOOL: "bool", Kind.FLOAT: "float"}.get(type_.kind, "int")
        case Text():
            return "str"
        case Bytes():
            return "_Buffer" if is_argument else "bytes"
        case Handle(name) | EnumRef(name) | Struct(name):
            return name
        case List(element):
            return f"{'_Sequence' if is_argument else 'list'}[{hint(element, way)}]"
        case SpanOf():
            return "_Array"
        case Optional(of):
            return _either([hint(of, way), "None"])
        case Map(key, value):
            return f"{'_Mapping' if is_argument else 'dict'}[{hint(key, way)}, {hint(value, way)}]"
        case Set(element):
            return f"{'_AbstractSet' if is_argument else 'set'}[{hint(element, way)}]"
        case Tuple(items):
            return f"tuple[{', '.join(hint(item, way) for item in items)}]"
        case Union(alternatives):
            return _either([hint(each, way) for each in alternatives])
        case _:
            assert_never(type_)


def _either(hints: list[str]) -> str:
    """Each once, None last."""
    once = dict.fromkeys(each for joined in hints for each in _split(joined))
    return " | ".join(sorted(once, key=lambda each: each == "None"))


def _split(joined: str) -> list[str]:
    """The alternatives of a hint that has some, those in its brackets left alone."""
    found, depth = [""], 0
    for each in joined.split(" | "):
        found[-1] += each
        depth += each.count("[") - each.count("]")
        if depth == 0:
            found.append("")
        else:
            found[-1] += " | "
    return [each for each in found if each]


def codec(type_: Type) -> str:
    """The expression that makes its codec, over the names of `_wire.py` and the package's classes."""
    match type_:
        case Scalar():
            if type_ is Scalar.BOOL:
                return "_wire.BOOL"
            return f'_wire.{"Float" if type_.kind is Kind.FLOAT else "Int"}("{type_}")'
        case Text():
            return "_wire.TEXT"
        case Bytes():
            return "_wire.BYTES"
        case Handle(name):
            return f"_wire.Handles({name})"
        case EnumRef(name):
            return f'_wire.Enum({name}, _bridge.enum_bits("{name}"))'
        case List(element):
            return f"_wire.List({codec(element)})"
        case Optional(of):
            return f"_wire.Optional({codec(of)})"
        case Map(key, value):
            return f"_wire.Map({codec(key)}, {codec(value)})"
        case Set(element):
            return f"_wire.Set({codec(element)})"
        case Tuple(items):
            return f"_wire.Tuple({', '.join(map(codec, items))})"
        case Union(alternatives):
            return f"_wire.Union({', '.join(map(codec, alternatives))})"
        case Struct(name):
            return names.python_struct_codec(name)
        case Void() | SpanOf():
            raise ValueError(f"{type_} stands by itself")
        case _:
            assert_never(type_)
