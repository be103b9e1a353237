"""Defaults and stub values: checked against the type that they stand for."""

from __future__ import annotations

from typing import assert_never

from wrapper_gen.diagnostics import Span, did_you_mean
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


class Misfit(Exception):
    """The value does not fit; `args` are the reason and what to do."""


def parse_value(value: object, raw: str, type_: Type, what: str, span: Span, scope: Scope) -> Value:
    """`value` (spelled `raw`) as a value of `type_`; reports WG034 or WG035 and returns None if it is none."""
    try:
        return _fit(value, raw, type_, scope)
    except Misfit as misfit:
        reason, hint = misfit.args
        code = "WG035" if isinstance(_plain(type_), EnumRef) and isinstance(value, (str, bool)) else "WG034"
        scope.error(code, f"{what}: {reason}", span, hint)
        return None


def _plain(type_: Type) -> Type:
    return type_.of if isinstance(type_, Optional) else type_


def _fit(value: object, raw: str, type_: Type, scope: Scope) -> Value:
    match type_:
        case Optional(of):
            return None if value is None else _fit(value, raw, of, scope)
        case Scalar():
            return _scalar(value, type_)
        case Text():
            if isinstance(value, str):
                return value
            raise Misfit(f"{value!r} is not text", f'quote it: "{raw}"')
        case Bytes():
            if isinstance(value, str):
                return value.encode()
            raise Misfit(f"{value!r} is not bytes", f'quote it: "{raw}"')
        case EnumRef(name):
            if raw in scope.enums[name]:
                return EnumValue(name, raw)
            raise Misfit(f"{name} has no value {raw!r}", did_you_mean(raw, scope.enums[name]))
        case List(element):
            if isinstance(value, list):
                return tuple(_fit(v, str(v), element, scope) for v in value)
            raise Misfit(f"{value!r} is not a list", "write it as a list: [1, 2]")
        case Handle() | SpanOf() | Void():
            raise Misfit(f"a {type_} cannot be written in a spec", "make the type optional with `?` and the value null")
        case _:
            assert_never(type_)


def _scalar(value: object, scalar: Scalar) -> Value:
    if scalar.kind is Kind.BOOL:
        if isinstance(value, bool):
            return value
        raise Misfit(f"{value!r} is not a bool", "write true or false")
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise Misfit(f"{value!r} is not a number", f"{scalar} takes a number, without quotes (and 1.0e6, not 1e6)")
    if scalar.kind is Kind.FLOAT:
        return float(value)
    if isinstance(value, float):
        raise Misfit(
            f"{value!r} is not an integer", f"use f64 for the type, or an integer for the value of an {scalar}"
        )
    low = -(1 << (scalar.bits - 1)) if scalar.kind is Kind.SIGNED else 0
    high = (1 << (scalar.bits - (1 if scalar.kind is Kind.SIGNED else 0))) - 1
    if low <= value <= high:
        return value
    raise Misfit(f"{value} does not fit {scalar}", f"{scalar} goes from {low} to {high}")
