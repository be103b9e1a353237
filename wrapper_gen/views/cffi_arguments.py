"""What the cffi engine does with arguments before and after its call refuses them: lines of Python."""

from __future__ import annotations

from collections.abc import Sequence

from wrapper_gen import names
from wrapper_gen.iterators import iterator_types
from wrapper_gen.lifetimes.kept import keeps_value, memory_is_kept
from wrapper_gen.model import Function, Module, Parameter
from wrapper_gen.queries import callbacks, keeps_objects
from wrapper_gen.quoting import python_string
from wrapper_gen.types.kept import kept_parameter
from wrapper_gen.types.parameters import parameter, wanted
from wrapper_gen.types.rows import ParameterRow
from wrapper_gen.views.byte_offsets import of_offset, offsets
from wrapper_gen.views.formatting import WIDTH, condition, laid_out


def rows_of(function: Function, module: Module) -> list[ParameterRow]:
    """How each parameter of a function crosses, in order."""
    return [_row_of(p, function, module) for p in function.parameters]


def _row_of(p: Parameter, function: Function, module: Module) -> ParameterRow:
    row = (kept_parameter if keeps_value(function, p) else parameter)(p.type, p.name, module.name)
    return of_offset(row) if p.byte_offset else row


def parts(module: Module) -> tuple[str, ...]:
    """Statements that make what some values cross by, beside the bridge."""
    of_extension = f"(_bridge, _extension, name={python_string(module.name)})"
    return (
        *[f"_callables = _Callables{of_extension}"] * bool(callbacks(module)),
        *[f"_memory = _KeptMemory{of_extension}"] * memory_is_kept(module),
        *["_any_object = _AnyObject(_memory)"] * keeps_objects(module),
        *["_iterators = _Iterators(_bridge)"] * bool(iterator_types(module)),
    )


def operand(both: Sequence[tuple[Parameter, ParameterRow]], indent: int) -> tuple[str, ...]:
    """What happens to the last argument, an operand: one that the method does not take, the other operand may know."""
    *before, (p, row) = both
    taken = _local(p, row, indent + 4) if row.python_prepare else (f"{names.python(p.name)} = {row.python_convert}",)
    refused = ("try:", *(f"    {line}" for line in taken), "except TypeError:", "    return NotImplemented")
    return (*prepare(before, indent), *refused)


def _is_plain(rows: Sequence[ParameterRow]) -> bool:
    """Whether a look at the arguments' types tells that the call can have all of them as they are."""
    return not any(row.python_prepare for row in rows)


def prepare(both: Sequence[tuple[Parameter, ParameterRow]], indent: int) -> tuple[str, ...]:
    """What happens to the arguments before the call: in their order, so that the first wrong one is named."""
    if both and _is_plain([row for _, row in both]):
        wrong = [each for _, row in both if not row.python_strict for each in row.python_unless]
        return _all_where(wrong, both, indent) if wrong else ()
    taken = (line for p, row in both for line in _prepared(p, row, indent))
    return (*taken, *offsets(both, indent))


def _where(wrong: Sequence[str], given: str, made: str, indent: int) -> tuple[str, ...]:
    """The conversion `made` of an argument where one of the conditions `wrong` holds."""
    line = f"{given} = {made} if {' or '.join(wrong)} else {given}"
    return (line,) if indent + len(line) <= WIDTH else (*condition(wrong, indent), f"    {given} = {made}")


def _all_where(wrong: Sequence[str], both: Sequence[tuple[Parameter, ParameterRow]], indent: int) -> tuple[str, ...]:
    """The same of all arguments, in their order."""
    if len(both) == 1:
        return _where(wrong, names.python(both[0][0].name), both[0][1].python_convert, indent)
    given = ", ".join(names.python(p.name) for p, _ in both)
    taken = laid_out(f"{given} = _bridge.taken", [_described(p) for p, row in both], "", indent + 4)
    return (*condition(wrong, indent), *(f"    {line}" for line in taken.split("\n")))


def _described(p: Parameter) -> str:
    """An argument that the runtime converts: with its name, and what it has to be."""
    name = names.python(p.name)
    return f"({name}, {python_string(name)}, {wanted(p.type)})"


def again(both: Sequence[tuple[Parameter, ParameterRow]]) -> tuple[str, ...]:
    """What the call gets that is made again: numbers it refused do not fit, or are of types that are converted."""
    if not _is_plain([row for _, row in both]) or not any(row.python_range or row.python_strict for _, row in both):
        return ()
    return tuple(_described(p) if row.python_range or row.python_strict else names.python(p.name) for p, row in both)


def _prepared(p: Parameter, row: ParameterRow, indent: int) -> tuple[str, ...]:
    """What happens to one argument where others may be refused after it."""
    if row.python_prepare:
        return _local(p, row, indent)
    fits = [f"not {row.python_range}"] if row.python_range else []
    return _where([*row.python_unless, *fits], names.python(p.name), row.python_convert, indent)


def _local(p: Parameter, row: ParameterRow, indent: int) -> tuple[str, ...]:
    """What the call gets of an argument, in a local of its own; a line that is too long has the thorough conversion."""
    local = names.python_local(p.name)
    line = f"{local} = {row.python_prepare}"
    return (line if indent + len(line) <= WIDTH else f"{local} = {row.python_convert}",)
