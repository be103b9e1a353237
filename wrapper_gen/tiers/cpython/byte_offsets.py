"""Offsets in bytes of texts in the cpython engine: made of indices before the call, and indices of them after it."""

from __future__ import annotations

from collections.abc import Set

from wrapper_gen import names
from wrapper_gen.model import Function, Parameter
from wrapper_gen.quoting import c_string


def texts(function: Function) -> Set[str]:
    """The parameters that other arguments or the result are offsets into."""
    return {function.byte_offset, *(p.byte_offset for p in function.parameters)} - {""}


def in_text(taken: str, p: Parameter, texts: Set[str]) -> str:
    """The C++ class that takes an argument, which may be one of the texts."""
    return f"wg::cpython::InText<{taken}>" if p.name in texts else taken


def offsets(function: Function) -> tuple[str, ...]:
    """The statements that make offsets of the indices that are arguments."""
    return tuple(
        f"const auto {names.extra(p.name, 'offset')} = {_argument(p.byte_offset)}"
        f".offset({_argument(p.name)}.value(), {c_string(names.python(p.name))});"
        for p in function.parameters
        if p.byte_offset
    )


def passed_offset(p: Parameter) -> str:
    """What the typed function gets of an index; empty where the argument is none."""
    return names.extra(p.name, "offset") if p.byte_offset else ""


def indices(made: str, function: Function) -> str:
    """The Python object `made`, with indices for the offsets in it."""
    return f"{_argument(function.byte_offset)}.indices({made})" if function.byte_offset else made


def _argument(name: str) -> str:
    return names.argument(name)
