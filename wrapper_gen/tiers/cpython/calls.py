"""What the functions of the cpython engine have in common: their arguments, and what takes those."""

from __future__ import annotations

from collections.abc import Sequence

from wrapper_gen import names
from wrapper_gen.model import Function
from wrapper_gen.queries import positional
from wrapper_gen.views.protocols import may_refuse_operand

ROW = "PyObject *const *, Py_ssize_t, PyObject *"
"""What CPython gives by its fastest convention, after the object."""


def caller(function: Function) -> str:
    """What takes the arguments: where some are given by name only, it refuses to have them without."""
    if may_refuse_operand(function):
        return "call_operator"
    count = positional(function)
    gathers = any(p.gathers for p in function.parameters)
    return "call" if count == len(function.parameters) or gathers else f"call_by_name<{count}>"


def slot_code(function: Function) -> str:
    """The function that CPython calls for a method of a protocol, or for a constructor: one for all of its forms."""
    if not function.is_form:
        return names.python_code(function)
    if function.constructs:
        return names.python_forms("construct", function.constructs)
    assert function.protocol is not None
    return names.python_forms(names.protocol(function.protocol.word), function.handle or "")


# --- rows ------------------------------------------------------------------------------------------------------------

_WIDTH = 150
"""Columns of a line of C++."""


def row(macro: str, given: Sequence[str], statements: Sequence[str] = ()) -> tuple[str, ...]:
    """The lines of a row: what the macro is given, then statements; all of it on one line where it fits."""
    line = f"{macro}({', '.join([*given, ' '.join(statements)] if statements else given)})"
    if len(line) <= _WIDTH:
        return (line,)
    first, *more = given
    head = _filled([f"{macro}({first}", *more], ", ", "        ")
    if not statements:
        return (*head[:-1], f"{head[-1]})")
    body = _filled([f"    {statements[0]}", *statements[1:]], " ", "    ")
    return (*head[:-1], f"{head[-1]},", *body[:-1], f"{body[-1]})")


def _filled(items: Sequence[str], between: str, indent: str) -> list[str]:
    """As many items a line as fit; `indent` stands before all lines but the first."""
    lines = [items[0]]
    for item in items[1:]:
        longer = lines[-1] + between + item
        if len(longer) <= _WIDTH:
            lines[-1] = longer
        else:
            lines[-1] += between.rstrip()
            lines.append(indent + item)
    return lines


def listed(parameters: Sequence[str]) -> tuple[str, ...]:
    """A list in parentheses, in pieces between which a line may end."""
    if not parameters:
        return ("()",)
    first, *more = parameters
    return (f"({first}", *more[:-1], f"{more[-1]})") if more else (f"({first})",)
