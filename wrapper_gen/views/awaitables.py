"""Coroutine functions, as the package defines them and its type stub declares them."""

from __future__ import annotations

from collections.abc import Sequence

from wrapper_gen import names
from wrapper_gen.frozen import replace
from wrapper_gen.model import Function, Module
from wrapper_gen.quoting import python_string
from wrapper_gen.types.hints import Import
from wrapper_gen.views.documentation import function_docstring
from wrapper_gen.views.formatting import block

_RUNTIME = names.runtime_module("_awaitables")
_WAYS = (("in_thread", False), ("until_done", True))


def coroutine(function: Function) -> Function:
    """The function as a task calls it: without the callback that ends it, and with what that one gets as its result."""
    awaited = function.awaited
    lifetime = replace(function.lifetime, result=replace(function.lifetime.result, keeps=()))
    named = replace(function, py_name=names.awaited(names.of_function(function)), lifetime=lifetime)
    if awaited is None or not awaited.done:
        return named
    given = tuple(p for p in function.parameters if p.name != awaited.done)
    return replace(named, parameters=given, returns=awaited.returns, return_doc="")


def coroutines(functions: Sequence[Function]) -> tuple[Function, ...]:
    """Those of all functions that a task can await."""
    return tuple(coroutine(f) for f in functions if f.awaited)


def definitions(module: Module) -> tuple[str, ...]:
    """The statements that define them, each once: forms of one name have one."""
    found = [_definition(f, module) for f in (*module.functions, *module.methods) if f.awaited]
    return tuple(dict.fromkeys(found))


def imports(module: Module) -> tuple[Import, ...]:
    """What those statements need."""
    ways = {bool(f.awaited.done) for f in module.callables if f.awaited}
    return tuple(Import(_RUNTIME, way, f"_{way}") for way, is_used in _WAYS if is_used in ways)


def _definition(function: Function, module: Module) -> str:
    awaited, name = function.awaited, names.of_function(function)
    called = python_string(f"{function.handle}.{name}" if function.handle else name)
    if awaited is None or not awaited.done:
        cancel = f", cancel={python_string(awaited.cancel)}" if awaited and awaited.cancel else ""
        return f"_in_thread(globals(), {called}{cancel})"
    at = [p.name for p in function.parameters].index(awaited.done) + bool(function.handle)
    given = [
        "globals()",
        called,
        f"done={python_string(names.python(awaited.done))}",
        f"at={at}",
        f"doc={function_docstring(coroutine(function), module)}",
    ]
    given += [f"cancel={python_string(awaited.cancel)}"] if awaited.cancel else []
    given += ["cancels_result=True"] if awaited.cancels_result else []
    given += [f"result={python_string(awaited.result)}"] if awaited.result else []
    statement = block("_until_done(", given, ")")
    return "\n".join(line.rstrip() for line in statement.split("\n"))  # empty lines of the docstring
