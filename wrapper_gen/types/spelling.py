"""How a type is spelled for what converts it: one exhaustive fold a language, and no other knowledge of types.

`descriptor` names the C++ type that describes it (`types.hpp`), `codec` the Python object that encodes and decodes
its values (`_wire.py`).
"""

from __future__ import annotations

from typing import assert_never

from wrapper_gen import names
from wrapper_gen.frozen import frozen
from wrapper_gen.quoting import python_string
from wrapper_gen.types.callables import is_callable_part
from wrapper_gen.types.hints import Way
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
    Unit,
    Void,
)
from wrapper_gen.types.queries import callable_of, has_callables


def descriptor(type_: Type, way: Way, lib: str) -> str:
    """The C++ type that describes it, usable in any namespace; its member `Value` is what user code gets or gives."""

    def of(*inner: Type) -> str:
        return ", ".join(part_descriptor(each, way, lib) for each in inner)

    match type_:
        case Scalar() | Complex():
            return number(type_)
        case Text():
            return "wg::types::Text"
        case Bytes():
            return "wg::types::Bytes"
        case Duration(unit) | DateTime(unit):
            name = f"wg::types::{type(type_).__name__}"
            return f"{name}In<{_PERIODS[unit]}>" if unit else name
        case Path():
            return "wg::types::Path"
        case AnyObject() | DeviceStream():
            return f"wg::types::{type(type_).__name__}"
        case Slice() | Index():
            return f"wg::types::{type(type_).__name__}"
        case Handle(name):
            kind = _HANDLES[way]
            return f"wg::types::{kind}<{names.namespace(lib)}::{name}>"
        case EnumRef(name):
            return f"wg::types::Enum<{names.enum_alias(name)}, {names.namespace(lib)}::{names.enum_tag(name)}>"
        case List(element):
            kind = "Callables" if has_callables(element) else "List"
            return f"wg::types::{kind}<{of(element)}>"
        case Optional(inner, is_default):
            return f"wg::types::{'OrDefault' if is_default else 'Optional'}<{of(inner)}>"
        case Map(key, value):
            return f"wg::types::Map<{of(key, value)}>"
        case Set(element):
            return f"wg::types::Set<{of(element)}>"
        case Tuple(items, label=label):
            if label:
                return f"wg::types::NamedTuple<{names.namespace(lib)}::{names.tuple_tag(label)}, {of(*items)}>"
            return f"wg::types::Tuple<{of(*items)}>"
        case TupleOf(element):
            return f"wg::types::TupleOf<{of(element)}>"
        case Union(alternatives):
            return f"wg::types::Union<{of(*alternatives)}>"
        case Struct(name, handles=handles):
            kind = _HOLDING[way] if handles else "Struct"
            return f"wg::types::{kind}<{names.namespace(lib)}::{names.struct_tag(name)}>"
        case Recursive(name):
            return f"wg::types::Recursive<{names.namespace(lib)}::{names.recursive_tag(name)}>"
        case Fn(label=label):
            return f"{names.namespace(lib)}::{names.callback(label)}"
        case ArrayOf(element):
            return f"wg::types::Array<{number(element)}, {names.support(lib, 'array')}>"
        case Exchange():
            return "wg::types::Exchange"
        case Void() | SpanOf() | Iter():
            raise ValueError(f"{type_} stands by itself")
        case _:
            assert_never(type_)


def part_descriptor(type_: Type, way: Way, lib: str) -> str:
    """The same of a part of a type: a callable there is one value among others."""
    fn = callable_of(type_)
    if fn is None:
        return descriptor(type_, way, lib)
    return f"wg::types::Function<{descriptor(fn, way, lib)}{'' if fn is type_ else ', true'}>"


_PERIODS = {Unit.S: "std::ratio<1>", Unit.MS: "std::milli", Unit.US: "std::micro", Unit.NS: "std::nano"}
_HOLDING = {Way.ARGUMENT: "HoldingStruct", Way.RESULT: "GivenStruct", Way.LENT: "GivenStruct", Way.FIXED: "GivenStruct"}
_HANDLES = {Way.ARGUMENT: "Handle", Way.RESULT: "OwnedHandle", Way.LENT: "LentHandle", Way.FIXED: "OwnedHandle"}


def number(scalar: Scalar | Complex) -> str:
    """The descriptor of a number or truth value."""
    if scalar is Scalar.USIZE:
        return "wg::types::Size"
    return f"wg::types::Number<{'' if scalar is Scalar.BOOL else 'wg::'}{scalar}>"


def element_of_list(type_: Type) -> str:
    """What the elements of a list of numbers are in C++."""
    assert isinstance(type_, List) and isinstance(type_.element, Scalar | Complex)
    return element_type(type_.element)


def element_type(scalar: Scalar | Complex) -> str:
    """What C++ calls the elements of memory."""
    return f"wg::{scalar}" if isinstance(scalar, Complex) else str(scalar)


@frozen
class Expression:
    """Python that makes an object: a name, or the call of one."""

    name: str
    arguments: tuple[Expression, ...] = ()
    is_call: bool = False

    def __str__(self) -> str:
        return f"{self.name}({', '.join(map(str, self.arguments))})" if self.is_call else self.name


def codec(type_: Type) -> Expression:
    """What makes its codec."""
    return _codec(type_, is_lent=False)


def speaks_of_wire(type_: Type, *, is_lent: bool = False) -> bool:
    """Whether what makes its codec has one of `_wire.py`; those of structs and of types that are a part of themselves
    have a name of their own."""
    match type_:
        case Handle():
            return not is_lent
        case (
            AnyObject()
            | DeviceStream()
            | Slice()
            | Index()
            | Struct()
            | Recursive()
            | ArrayOf()
            | Void()
            | SpanOf()
            | Exchange()
        ):
            return False
        case Iter(element):
            return speaks_of_wire(element, is_lent=is_lent)
        case Fn(parameters, returns):
            return any(speaks_of_wire(each, is_lent=True) for each in parameters) or speaks_of_wire(returns)
        case Scalar() | Complex() | Text() | Bytes() | Duration() | DateTime() | Path() | EnumRef():
            return True
        case List() | Optional() | Map() | Set() | Tuple() | TupleOf() | Union():
            return True
        case _:
            assert_never(type_)


def _codec(type_: Type, *, is_lent: bool) -> Expression:
    """What makes its codec, over the names of `_wire.py` and the package's classes; with `is_lent`, handles are."""

    def codec(type_: Type) -> Expression:
        return part_codec(type_) if is_callable_part(type_) else _codec(type_, is_lent=is_lent)

    match type_:
        case Scalar():
            if type_ is Scalar.BOOL:
                return Expression("_wire.BOOL")
            return _call("_wire.Float" if type_.kind is Kind.FLOAT else "_wire.Int", Expression(f'"{type_}"'))
        case Complex():
            return _call("_wire.Complex", Expression(f'"{type_}"'))
        case Text() | Bytes():
            return Expression(f"_wire.{type(type_).__name__.upper()}")
        case Duration() | DateTime() | Path():
            return _call(f"_wire.{type(type_).__name__}")
        case AnyObject():
            return Expression("_any_object")
        case DeviceStream():
            return Expression("_DeviceStream", is_call=True)
        case Slice() | Index():
            return _call(f"_slices.{type(type_).__name__}")
        case Handle(name):
            return _call("_callables.Lent" if is_lent else "_wire.Handles", Expression(name))
        case EnumRef(name):
            bits = _call("_bridge.enum_bits", Expression(f'"{name}"'))
            return _call("_wire.Enum", Expression(name), bits)
        case List(element):
            return _call("_wire.List", codec(element))
        case Optional(of, is_default):
            return _call(f"_wire.{'OrDefault' if is_default else 'Optional'}", codec(of))
        case Map(key, value):
            return _call("_wire.Map", codec(key), codec(value))
        case Set(element):
            return _call("_wire.Set", codec(element))
        case Tuple(items, label=label):
            return _call("_wire.Tuple", *map(codec, items), *(Expression(f"made={each}") for each in [label] if each))
        case TupleOf(element):
            return _call("_wire.TupleOf", codec(element))
        case Union(alternatives):
            return _call("_wire.Union", *map(codec, alternatives))
        case Struct(name):
            return Expression(names.python_struct_codec(name))
        case Iter(element):  # each of its values crosses by itself
            return codec(element)
        case Recursive(name):
            return Expression(names.python_recursive_codec(name))
        case Fn(parameters, returns):
            called_with = [_codec(each, is_lent=True) for each in parameters]
            more = [] if isinstance(returns, Void) else [Expression(f"result={codec(returns)}")]
            more += [Expression("is_spread=True")] * type_.is_spread + [Expression("is_told=True")] * type_.is_told
            return _call("_callables.Signature", *called_with, *more)
        case ArrayOf():
            return _call("_Arrays", Expression("_bridge"))
        case Void() | SpanOf() | Exchange():
            raise ValueError(f"{type_} stands by itself")
        case _:
            assert_never(type_)


def part_codec(type_: Type, what: str = "") -> Expression:
    """What makes the codec of a part of a type; `what` is what messages call a callable."""
    fn = callable_of(type_)
    if fn is None:
        return codec(type_)
    more = [Expression(f"what={python_string(what)}")] * bool(what)
    more += [Expression("is_optional=True")] * (fn is not type_)
    made = codec(fn)
    signature = Expression(f"lambda: {made.name}", made.arguments, made.is_call) if what else made
    return _call("_Function", Expression("_callables"), signature, *more)


def _call(name: str, *arguments: Expression) -> Expression:
    return Expression(name, arguments, is_call=True)
