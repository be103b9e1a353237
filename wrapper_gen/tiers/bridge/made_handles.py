"""Results that are handles: what is asked of the value that a call gives before a handle is made of it."""

from __future__ import annotations

from wrapper_gen.frozen import replace
from wrapper_gen.model import Function, Lambda, Module, Named
from wrapper_gen.queries import once
from wrapper_gen.tiers.bridge.ways import has_statements
from wrapper_gen.types.queries import handle_of
from wrapper_gen.types.results import handle_made, looked_at
from wrapper_gen.types.rows import ResultRow


def made_handle(function: Function, out: ResultRow, module: Module) -> ResultRow:
    """The row of such a result; any other row as it is."""
    name, checks = handle_of(function.returns), _checks(function)
    checks += ["a_copy"] * (_is_value(function, module) and _may_be_copy(function) and not function.constructs)
    return replace(out, cpp_returned=handle_made(name, *checks)) if name is not None and checks else out


def made_of(made: str, function: Function, module: Module) -> str:
    """What a handle is made of where a status was tested before; what any other result is made of as it is."""
    name, checks = handle_of(function.returns), _checks(function)
    checks += ["no_change_lost"] * (_is_value(function, module) and not _may_be_copy(function))
    return f"{looked_at(name, *checks).of(made)}()" if name is not None and checks else made


@once
def _held(module: Module) -> dict[str, str]:
    """What the handles of each class hold."""
    return {each.name: each.cpp_type.text.rstrip() for each in module.handles}


def _is_value(function: Function, module: Module) -> bool:
    """Whether it is what a call gives, of a class that may hold its objects by value."""
    name = handle_of(function.returns)
    return not has_statements(function) and name is not None and not _held(module).get(name, "*").endswith("*")


def _may_be_copy(function: Function) -> bool:
    """Whether the result may be a copy of an object that C++ returns to be changed: the entry says that it belongs to
    nothing, or names a function in the original format, in which nothing says more."""
    is_original = function.had_former_names and isinstance(function.implementation, Named)
    return function.lifetime.result.is_static or is_original


def _checks(function: Function) -> list[str]:
    """The functions that look at it. A `cpp_body` converts what it returns by itself."""
    if has_statements(function):
        return []
    code = function.implementation
    checks = ["no_expression"] * (isinstance(code, Lambda) and not code.is_implied)
    return checks + ["no_copy"] * (
        "h" in function.lifetime.result.keeps and not function.lifetime.result.keeps_implicitly
    )
