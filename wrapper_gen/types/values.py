"""Defaults and stub values in YAML: what each type takes, and what is wrong with anything else."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Collection
from typing import Any, Protocol, assert_never

from wrapper_gen.diagnostics import Nearest, a, did_you_mean
from wrapper_gen.frozen import frozen
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
from wrapper_gen.types.scalars import limits
from wrapper_gen.values import EnumValue, MapValue, Value

_LARGEST = {Scalar.F32: 3.4028234663852886e38, Scalar.F64: sys.float_info.max}


class Word(str):
    """A bare word of a signature: the value of an enum, or several, and no text."""


class WrittenValue(Protocol):
    """What is to know of the spec beside a value's data."""

    def text(self, container: object, key: str | int) -> str:
        """A scalar as it is written, without quotes."""

    def members(self, enum: str) -> Collection[str] | None:
        """The values of an enum; None where they are not known."""

    def combines(self, enum: str) -> bool:
        """Whether its values do."""


@frozen
class Misfit:
    """What is wrong with the value of `key`, or (with `is_key`) with the key."""

    code: str
    message: str
    hint: str | Nearest
    container: Any
    key: str | int
    is_key: bool = False


def read_value(
    container: Any, key: str | int, type_: Type, what: str, spec: WrittenValue
) -> tuple[Value, list[Misfit]]:
    """The value of this key as one of `type_`, and what is wrong with it: then parts of it are None."""
    reader = _ValueReader(spec)
    return reader.value(container, key, type_, what), reader.misfits


class _Unfit(Exception):
    """A value that its type does not take; `args` are the reason and what to do."""


class _ValueReader:
    def __init__(self, spec: WrittenValue) -> None:
        self._spec = spec
        self.misfits: list[Misfit] = []

    def value(self, container: Any, key: str | int, type_: Type, what: str) -> Value:
        """The value of this key; None where something is wrong with it."""
        value = container[key]
        plain = type_.of if isinstance(type_, Optional) else type_
        match plain, value:
            case List(element) | TupleOf(element), list():
                return tuple(self.value(value, i, element, f"item {i} of {what}") for i in range(len(value)))
            case Tuple(items), list() if len(items) == len(value):
                return tuple(self.value(value, i, each, f"item {i} of {what}") for i, each in enumerate(items))
            case Map(key_type, value_type), dict():
                return MapValue(tuple(self._pair(value, each, key_type, value_type, what) for each in value))
            case Union(alternatives), _ if value is not None:
                return self._alternative(container, key, alternatives, what)
        try:
            raw = "" if isinstance(value, list | dict) else self._spec.text(container, key)
            return self._fit(value, raw, type_)
        except _Unfit as unfit:
            reason, hint = unfit.args
            is_enum = isinstance(plain, EnumRef) and not (value is None or isinstance(value, list | dict))
            self.misfits.append(Misfit("WG035" if is_enum else "WG034", f"{what}: {reason}", hint, container, key))
            return None

    def _pair(
        self, mapping: dict[str, Any], key: str, key_type: Type, value_type: Type, what: str
    ) -> tuple[Value, Value]:
        """A key is text to YAML: numbers and values of enums are read from it."""
        is_int = isinstance(key_type, Scalar) and re.fullmatch(r"-?\d+", key)
        try:
            own = self._fit(int(key) if is_int else key, key, key_type)
        except _Unfit as unfit:
            reason, hint = unfit.args
            self.misfits.append(Misfit("WG034", f"a key of {what}: {reason}", hint, mapping, key, is_key=True))
            own = None
        return own, self.value(mapping, key, value_type, f"{key!r} of {what}")

    def _alternative(self, container: Any, key: str | int, alternatives: tuple[Type, ...], what: str) -> Value:
        """The value as the first alternative that it fits."""
        before = len(self.misfits)
        for each in alternatives:
            found = self.value(container, key, each, what)
            if len(self.misfits) == before:
                return found
            del self.misfits[before:]
        message = f"{what} is neither {' or '.join(map(str, alternatives))}"
        self.misfits.append(Misfit("WG034", message, "write one of these", container, key))
        return None

    def _fit(self, value: object, raw: str, type_: Type) -> Value:
        """`value`, written as `raw`, as one of `type_`."""
        if value is None and isinstance(type_, DeviceStream):
            return None
        if value is None and not isinstance(type_, Optional):
            raise _Unfit(f"null is no {type_}", f"write the type as {str(type_) + '?'!r}, or another value")
        match type_:
            case Optional(of):
                return None if value is None else self._fit(value, raw, of)
            case Scalar():
                return _scalar(value, raw, type_)
            case Text():
                if isinstance(value, str) and not isinstance(value, Word):
                    return value
                raise _Unfit(f"{_shown(value, raw)} is not text", f'quote it: "{raw}"')
            case Bytes():
                if isinstance(value, bytes):
                    return value
                if isinstance(value, str) and not isinstance(value, Word):
                    return value.encode()
                raise _Unfit(f"{_shown(value, raw)} is not bytes", f'quote it: "{raw}"')
            case EnumRef(name):
                return self._enum_value(name, value, raw)
            case List() | TupleOf():
                raise _Unfit(f"{_shown(value, raw)} is not a list", "write it as a list: [1, 2]")
            case Map():
                raise _Unfit(f"{_shown(value, raw)} is not a map", "write it as a map: {key: value}")
            case Tuple(items):
                raise _Unfit(f"{_shown(value, raw)} is not a tuple of {len(items)}", "write it as a list: [1, 2]")
            case Union():
                raise _Unfit("null is no value of a union", "make the type optional with `?`")
            case Complex():
                return _complex(value, raw, type_)
            case (
                Duration()
                | DateTime()
                | Path()
                | AnyObject()
                | DeviceStream()
                | Slice()
                | Index()
                | Handle()
                | SpanOf()
                | ArrayOf()
                | Exchange()
                | Struct()
                | Set()
                | Fn()
                | Recursive()
            ):
                raise _Unfit(
                    f"{a(str(type_))} cannot be written in a spec", "make the type optional with `?` and the value null"
                )
            case Iter():
                raise _Unfit("an iterator has no stub value", "drop `stub`: without the library, the call raises")
            case Void():
                raise _Unfit("the function returns nothing", "write stub: null, or say what it returns")
            case _:
                assert_never(type_)

    def _enum_value(self, enum: str, value: object, raw: str) -> Value:
        known = self._spec.members(enum)
        if raw.strip() == "0" and self._spec.combines(enum):
            return EnumValue(enum, ())
        members = tuple(part.strip().removeprefix(f"{enum}.") for part in raw.split("|"))
        unknown = next((member for member in members if known is not None and member not in known), "")
        if unknown and len(members) == 1:
            raise _Unfit(f"{enum} has no value {_shown(value, raw)}", did_you_mean(raw, known or ()))
        if unknown or "" in members:
            raise _Unfit(f"{enum} has no value {unknown!r}", did_you_mean(unknown, known or ()))
        if len(members) > 1 and not self._spec.combines(enum):
            raise _Unfit(f"values of {enum} do not combine", f"{enum} needs flags: true; or write one of them")
        return EnumValue(enum, members)


def _shown(value: object, raw: str) -> str:
    """A value as the spec has it."""
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "a map"
    return repr(str(value)) if isinstance(value, str) else raw


def _scalar(value: object, raw: str, scalar: Scalar) -> Value:
    shown = _shown(value, raw)
    if scalar.kind is Kind.BOOL:
        if isinstance(value, bool):
            return value
        raise _Unfit(f"{shown} is not a bool", "write true or false")
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise _Unfit(f"{shown} is not a number", f"{scalar} takes a number, without quotes")
    if scalar.kind is Kind.FLOAT:
        return _float(value, shown, scalar)
    if isinstance(value, float):
        raise _Unfit(
            f"{shown} is not an integer", f"use f64 for the type, or an integer for the value of {a(str(scalar))}"
        )
    low, high = limits(scalar) or (0, 0)
    if low <= value <= high:
        return value
    raise _Unfit(f"{shown} does not fit {scalar}", f"{scalar} goes from {low} to {high}")


def _complex(value: object, raw: str, type_: Complex) -> Value:
    """A number, or a text as Python has complex numbers: 1+2j."""
    part = Scalar.F32 if type_.bits == 64 else Scalar.F64
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _float(value, raw, part)
    try:
        made = complex(raw.strip()) if isinstance(value, str) else None
    except ValueError:
        made = None
    if made is None:
        raise _Unfit(f"{_shown(value, raw)} is not a complex number", f"{type_} takes a number, or one such as '1+2j'")
    return complex(*(_float(each, raw, part) for each in (made.real, made.imag)))


def _float(value: int | float, shown: str, scalar: Scalar) -> float:
    largest = _LARGEST[scalar]
    if (isinstance(value, float) and not math.isfinite(value)) or abs(value) <= largest:
        return float(value)
    raise _Unfit(f"{shown} does not fit {scalar}", f"{scalar} goes from {-largest:.9g} to {largest:.9g}, and .inf")
