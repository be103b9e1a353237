"""Where parameters that gather arguments, `*args: T` and `**options: T`, cannot stand."""

from __future__ import annotations

from collections.abc import Sequence

from wrapper_gen.model import Function
from wrapper_gen.model.protocols import Shape
from wrapper_gen.resolve.scope import Scope


def check_gathered(functions: Sequence[Function], scope: Scope) -> None:
    """Report those of functions whose arguments something else tells apart, or gives."""
    for function in functions:
        gathering = next((p for p in function.parameters if p.gathers), None)
        why = _why_not(function) if gathering else ""
        if gathering and why:
            hint = f"take a list, {gathering.name}: {gathering.type}"
            if gathering.gathers == "**":
                hint = f"take a dict, {gathering.name}: {{text: T}}"
            message = f"{gathering.gathers}{gathering.name} cannot stand here: {why}"
            scope.error("WG296", message, gathering.span, hint)


def _why_not(function: Function) -> str:
    if function.is_form:
        return f"{function.name} has several forms, which arguments tell apart"
    if function.virtual:
        return "C++ calls this method, with all of its arguments"
    if function.protocol and function.protocol.shape is not Shape.CALL:
        return f"Python calls {function.name} with arguments of its own"
    if function.awaited and function.awaited.done:
        return "a task calls it without the callable that ends it"
    return ""
