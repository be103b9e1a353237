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

_MODULE = names.runtime_module("_byte_offsets")
_OFFSET = Import(_MODULE, "offset", "_offset")
_INDICES = Import(_MODULE, "indices", "_indices")


def has_offsets(function: Function) -> bool:
    """Whether its result or some of its parameters are offsets into a text."""
    return bool(function.byte_offset) or any(p.byte_offset for p in function.parameters)


def of_offset(row: ParameterRow, p: Parameter) -> ParameterRow:
    """The row of an index: the offset is in a local of its own, as what may be missing is anyway."""
    row = replace(row, python_imports=row.python_imports | {_OFFSET})
    if row.python_prepare:
        return row
    local = names.python_local(p.name)
    return replace(row, python_prepare=row.python_convert, python_arguments=(local,))


def offsets(parameters: Sequence[Parameter]) -> tuple[str, ...]:
    """The statements that make offsets of the indices; the index of one that is missing is 0."""
    return tuple(_made(p) for p in parameters if p.byte_offset)


def indices(made: str, function: Function) -> str:
    """The result `made`, with indices for the offsets in it."""
    if not function.byte_offset:
        return made
    text = names.python(function.byte_offset)
    return f"_indices({text}, {made}, {python_string(text)})"


def imports_of_indices(module: Module) -> tuple[Import, ...]:
    return (_INDICES,) * any(f.byte_offset for f in module.callables)


def _made(p: Parameter) -> str:
    local, text, own = names.python_local(p.name), names.python(p.byte_offset), names.python(p.name)
    given = [text, local, python_string(own), python_string(text), python_string(str(if_given(p.type)))]
    return f"{local} = _offset({', '.join(given)})"
