"""Offsets in bytes of texts in the cpython engine: made of indices before the call, and indices of them after it."""

from __future__ import annotations

from wrapper_gen import names
from wrapper_gen.model import Function, Parameter
from wrapper_gen.quoting import c_string


def in_text(taken: str, p: Parameter, function: Function) -> str:
    """The C++ class that takes an argument, which other arguments or the result may be offsets into."""
    has_offsets = p.name in (function.byte_offset, *(other.byte_offset for other in function.parameters))
    return f"wg::cpython::InText<{taken}>" if has_offsets else taken


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
