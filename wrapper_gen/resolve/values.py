"""Defaults and stub values: checked against the type that they stand for."""

from __future__ import annotations

import math
import sys
from typing import Any, assert_never

from wrapper_gen.diagnostics import a, did_you_mean
from wrapper_gen.model import (
    Bytes,
    EnumRef,
    EnumValue,
    Handle,
    Kind,
    List,
    Optional,
    Scalar,
    SpanOf,
    Text,
    Type,
    Value,
    Void,
)  # fmt: skip
from wrapper_gen.resolve.scope import Scope

_LARGEST = {Scalar.F32: 3.4028234663852886e38, Scalar.F64: sys.float_info.max}


class Misfit(Exception):
    """The value does not fit; `args` are the reason and what to do."""


def parse_value(container: Any, key: str | int, type_: Type, what: str, scope: Scope) -> Value:
    """The value of this key as one of `type_`; reports WG034 or WG035 and returns None if it is none."""
    value = container[key]
    plain = type_.of if isinstance(type_, Optional) else type_
    if isinstance(value, list) and isinstance(plain, List):
        return tuple(parse_value(value, i, plain.element, f"item {i} of {what}", scope) for i in range(len(value)))
    try:
        return _fit(value, "" if isinstance(value, list) else scope.document.text(container, key), type_, scope)
    except Misfit as misfit:
        reason, hint = misfit.args
        is_enum = isinstance(plain, EnumRef) and not (value is None or isinstance(value, list))
        scope.error("WG035" if is_enum else "WG034", f"{what}: {reason}", scope.document.span(container, key), hint)
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
        case Handle() | SpanOf():
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
    return "a list" if isinstance(value, list) else repr(value) if isinstance(value, str) else raw


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
