"""What the functions of the cpython engine have in common: their arguments, and what takes those."""

from __future__ import annotations

from wrapper_gen import names
from wrapper_gen.model import Function
from wrapper_gen.queries import positional
from wrapper_gen.views.protocols import may_refuse_operand

ROW = "PyObject *const *wg_arguments, Py_ssize_t wg_given, PyObject *wg_keywords"
GIVEN = "wg_arguments, wg_given, wg_keywords"


def caller(function: Function) -> str:
    """What takes the arguments: where some are given by name only, it refuses to have them without."""
    if may_refuse_operand(function):
        return "call_operator"
    count = positional(function)
    return "call" if count == len(function.parameters) else f"call_by_name<{count}>"


def slot_code(function: Function) -> str:
    """The function that CPython calls for a method of a protocol, or for a constructor: one for all of its forms."""
    if not function.is_form:
        return names.python_code(function)
    if function.constructs:
        return names.python_forms("construct", function.constructs)
    assert function.protocol is not None
    return names.python_forms(names.protocol(function.protocol.word), function.handle or "")
