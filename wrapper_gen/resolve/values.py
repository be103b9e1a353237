"""Defaults and stub values: checked against the type that they stand for."""

from __future__ import annotations

import math
import re
import sys
from typing import Any, assert_never

from wrapper_gen.diagnostics import a, did_you_mean
from wrapper_gen.model import EnumValue, MapValue, Value
from wrapper_gen.resolve.scope import Scope
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

_LARGEST = {Scalar.F32: 3.4028234663852886e38, Scalar.F64: sys.float_info.max}


class Misfit(Exception):
    """The value does not fit; `args` are the reason and what to do."""


def parse_value(container: Any, key: str | int, type_: Type, what: str, scope: Scope) -> Value:
    """The value of this key as one of `type_`; reports WG034 or WG035 and returns None if it is none."""
    value = container[key]
    plain = type_.of if isinstance(type_, Optional) else type_
    match plain, value:
        case List(element), list():
            return tuple(parse_value(value, i, element, f"item {i} of {what}", scope) for i in range(len(value)))
        case Tuple(items), list() if len(items) == len(value):
            return tuple(parse_value(value, i, each, f"item {i} of {what}", scope) for i, each in enumerate(items))
        case Map(key_type, value_type), dict():
            return MapValue(tuple(_pair(value, each, key_type, value_type, what, scope) for each in value))
        case Union(alternatives), _ if value is not None:
            return _alternative(container, key, alternatives, what, scope)
    try:
        raw = "" if isinstance(value, list | dict) else scope.document.text(container, key)
        return _fit(value, raw, type_, scope)
    except Misfit as misfit:
        reason, hint = misfit.args
        is_enum = isinstance(plain, EnumRef) and not (value is None or isinstance(value, list | dict))
        scope.error("WG035" if is_enum else "WG034", f"{what}: {reason}", scope.document.span(container, key), hint)
        return None


def _pair(
    mapping: dict[str, Any], key: str, key_type: Type, value_type: Type, what: str, scope: Scope
) -> tuple[Value, Value]:
    """A key is text to YAML: numbers and values of enums are read from it."""
    is_int = isinstance(key_type, Scalar) and re.fullmatch(r"-?\d+", key)
    try:
        own = _fit(int(key) if is_int else key, key, key_type, scope)
    except Misfit as misfit:
        reason, hint = misfit.args
        scope.error("WG034", f"a key of {what}: {reason}", scope.document.key_span(mapping, key), hint)
        own = None
    return own, parse_value(mapping, key, value_type, f"{key!r} of {what}", scope)


def _alternative(container: Any, key: str | int, alternatives: tuple[Type, ...], what: str, scope: Scope) -> Value:
    """The value as the first alternative that it fits."""
    before = len(scope.findings)
    for each in alternatives:
        found = parse_value(container, key, each, what, scope)
        if len(scope.findings) == before:
            return found
        del scope.findings[before:]
    listed = " or ".join(map(str, alternatives))
    scope.error("WG034", f"{what} is neither {listed}", scope.document.span(container, key), "write one of these")
    return None


def _fit(value: object, raw: str, type_: Type, scope: Scope) -> Value:
    """`value`, written as `raw`, as one of `type_`."""
    if value is None and not isinstance(type_, Optional):
        raise Misfit(f"null is no {type_}", f"write the type as {str(type_) + '?'!r}, or another value")
    match type_:
        case Optional(of):
            return None if value is None else _fit(value, raw, of, scope)
        case Scalar():
            return _scalar(value, raw, type_)
        case Text():
            if isinstance(value, str):
                return value
            raise Misfit(f"{_shown(value, raw)} is not text", f'quote it: "{raw}"')
        case Bytes():
            if isinstance(value, str):
                return value.encode()
            raise Misfit(f"{_shown(value, raw)} is not bytes", f'quote it: "{raw}"')
        case EnumRef(name):
            return _enum_value(name, value, raw, scope)
        case List():
            raise Misfit(f"{_shown(value, raw)} is not a list", "write it as a list: [1, 2]")
        case Map():
            raise Misfit(f"{_shown(value, raw)} is not a map", "write it as a map: {key: value}")
        case Tuple(items):
            raise Misfit(f"{_shown(value, raw)} is not a tuple of {len(items)}", "write it as a list: [1, 2]")
        case Union():
            raise Misfit("null is no value of a union", "make the type optional with `?`")
        case Handle() | SpanOf() | Struct() | Set():
            raise Misfit(
                f"{a(str(type_))} cannot be written in a spec", "make the type optional with `?` and the value null"
            )
        case Void():
            raise Misfit("the function returns nothing", "write stub: null, or say what it returns")
        case _:
            assert_never(type_)


def _enum_value(enum: str, value: object, raw: str, scope: Scope) -> Value:
    known = scope.enums[enum]
    members = tuple(part.strip() for part in raw.split("|"))
    unknown = next((member for member in members if known is not None and member not in known), "")
    if unknown and len(members) == 1:
        raise Misfit(f"{enum} has no value {_shown(value, raw)}", did_you_mean(raw, known or ()))
    if unknown or "" in members:
        raise Misfit(f"{enum} has no value {unknown!r}", did_you_mean(unknown, known or ()))
    if len(members) > 1 and enum not in scope.flags:
        raise Misfit(f"values of {enum} do not combine", f"{enum} needs flags: true; or write one of them")
    return EnumValue(enum, members)


def _shown(value: object, raw: str) -> str:
    """A value as the spec has it."""
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "a map"
    return repr(value) if isinstance(value, str) else raw


def _scalar(value: object, raw: str, scalar: Scalar) -> Value:
    shown = _shown(value, raw)
    if scalar.kind is Kind.BOOL:
        if isinstance(value, bool):
            return value
        raise Misfit(f"{shown} is not a bool", "write true or false")
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise Misfit(f"{shown} is not a number", f"{scalar} takes a number, without quotes")
    if scalar.kind is Kind.FLOAT:
        return _float(value, shown, scalar)
    if isinstance(value, float):
        raise Misfit(
            f"{shown} is not an integer", f"use f64 for the type, or an integer for the value of {a(str(scalar))}"
        )
    low = -(1 << (scalar.bits - 1)) if scalar.kind is Kind.SIGNED else 0
    high = (1 << (scalar.bits - (1 if scalar.kind is Kind.SIGNED else 0))) - 1
    if low <= value <= high:
        return value
    raise Misfit(f"{shown} does not fit {scalar}", f"{scalar} goes from {low} to {high}")


def _float(value: int | float, shown: str, scalar: Scalar) -> float:
    largest = _LARGEST[scalar]
    if (isinstance(value, float) and not math.isfinite(value)) or abs(value) <= largest:
        return float(value)
    raise Misfit(f"{shown} does not fit {scalar}", f"{scalar} goes from {-largest:.9g} to {largest:.9g}, and .inf")
