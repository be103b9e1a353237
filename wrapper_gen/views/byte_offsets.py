"""Offsets in bytes of texts in the cffi engine: made of indices before the call, and indices of them after it."""

from __future__ import annotations

from collections.abc import Sequence

from wrapper_gen import names
from wrapper_gen.frozen import replace
from wrapper_gen.model import Function, Module, Parameter
from wrapper_gen.quoting import python_string
from wrapper_gen.types.hints import Import
from wrapper_gen.types.queries import if_given
from wrapper_gen.types.rows import ParameterRow
from wrapper_gen.views.formatting import WIDTH, condition

_LONGEST = WIDTH - len("        return ")
_MODULE = names.runtime_module("_byte_offsets")
_OFFSET = Import(_MODULE, "offset", "_offset")
_INDICES = Import(_MODULE, "indices", "_indices")


def has_offsets(function: Function) -> bool:
    """Whether its result or some of its parameters are offsets into a text."""
    return bool(function.byte_offset) or any(p.byte_offset for p in function.parameters)


def of_offset(row: ParameterRow) -> ParameterRow:
    """The row of an index."""
    return replace(row, python_imports=row.python_imports | {_OFFSET})


def offsets(both: Sequence[tuple[Parameter, ParameterRow]], indent: int) -> tuple[str, ...]:
    """The statements that make offsets of the indices; the index of one that is missing is 0."""
    return tuple(line for p, row in both if p.byte_offset for line in _made(p, row, indent))


def indices(made: str, function: Function) -> str:
    """The result `made`, with indices for the offsets in it: a call only where there is something to count."""
    if not function.byte_offset:
        return made
    text = names.python(function.byte_offset)
    counted = f"_indices({text}, {made}, {python_string(text)})"
    at_once = f"{made} if _str.isascii({text}) else {counted}"
    return at_once if made.isidentifier() and len(at_once) <= _LONGEST else counted


def imports_of_indices(module: Module) -> tuple[Import, ...]:
    return (_INDICES,) * any(f.byte_offset for f in module.callables)


def _made(p: Parameter, row: ParameterRow, indent: int) -> tuple[str, ...]:
    text, own = names.python(p.byte_offset), names.python(p.name)
    local = names.python_local(p.name) if row.python_prepare else own
    given = [text, local, python_string(own), python_string(text), python_string(str(if_given(p.type)))]
    counted = [f"not 0 <= {local} <= _len({names.python_local(p.byte_offset)})", f"not _str.isascii({text})"]
    return (*condition(counted, indent), f"    {local} = _offset({', '.join(given)})")
