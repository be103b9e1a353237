"""Defaults and stub values as Python writes them."""

from __future__ import annotations

from enum import Enum
from math import copysign, isfinite
from types import EllipsisType

from wrapper_gen import names
from wrapper_gen.model import NO_DEFAULT, NoDefault
from wrapper_gen.quoting import python_bytes, python_string
from wrapper_gen.values import EnumValue, MapValue, Value


def default_of(value: Value | NoDefault, left_out: str = "...") -> str:
    """The default in a declaration, ` = 3`, or nothing; `left_out` stands for one that only C++ has."""
    if value is NO_DEFAULT:
        return ""
    return f" = {left_out if value is ... else literal(value)}"


def _complex(value: complex) -> str:
    if not (isfinite(value.real) and isfinite(value.imag)):
        return f"complex({literal(value.real)}, {literal(value.imag)})"
    sign = "-" if copysign(1, value.imag) < 0 else "+"
    return f"{value.real!r} {sign} {abs(value.imag)!r}j"


def literal(value: Value, mutable: bool = False) -> str:
    """A default or stub value as Python writes it."""
    match value:
        case EnumValue(enum, members):
            return " | ".join(f"{enum}.{names.python_enum_member(member)}" for member in members) or f"{enum}(0)"
        case tuple():
            inner = ", ".join(literal(v) for v in value)
            if mutable:
                return f"[{inner}]"
            return f"({inner},)" if len(value) == 1 else f"({inner})"
        case MapValue(items):
            return f"{{{', '.join(f'{literal(k)}: {literal(v, mutable)}' for k, v in items)}}}"
        case str():
            return python_string(value)
        case bytes():
            return python_bytes(value)
        case float() if value != value or value in (float("inf"), float("-inf")):
            return f'float("{value}")'
        case complex():
            return _complex(value)
        case EllipsisType():
            return "..."
        case Enum():
            raise ValueError(value)
        case _:
            return repr(value)
