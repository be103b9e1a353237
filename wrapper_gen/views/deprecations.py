"""Entries that a spec calls deprecated: what their calls warn of, and how the type stub says so."""

from __future__ import annotations

from collections.abc import Iterable

from wrapper_gen import names
from wrapper_gen.model import Function
from wrapper_gen.queries import class_of
from wrapper_gen.quoting import c_string, python_string
from wrapper_gen.types.hints import Import

WARN = Import(names.runtime_module("_deprecations"), "warn", "_warn_deprecated")
DECORATOR = "from typing_extensions import deprecated as _deprecated"
"""What the type stub imports: `warnings` has it from Python 3.13 on, and type checkers know this one everywhere."""


def warning(function: Function) -> str:
    """What a call warns of; empty where it is not deprecated."""
    if not function.deprecated:
        return ""
    name, owner = names.of_function(function), class_of(function)
    if function.constructs:
        name, owner = function.constructs, ""
    elif function.member:
        name = function.member.name
    is_called = not (function.property or function.sets or (function.member and function.member.is_property))
    return f"{f'{owner}.' if owner else ''}{name}{'()' * is_called} is deprecated: {function.deprecated}"


def in_cffi(function: Function) -> str:
    """The statement of the cffi engine that warns."""
    return f"_warn_deprecated({python_string(warning(function))})" if function.deprecated else ""


def in_cpython(function: Function, failed: str) -> tuple[str, ...]:
    """The same of the cpython engine: a warning may be an exception."""
    if not function.deprecated:
        return ()
    text = c_string(warning(function))
    return (f"if (PyErr_WarnEx(PyExc_DeprecationWarning, {text}, 1) != 0) return {failed};",)


def decorator(function: Function) -> str:
    """What stands above it in the type stub."""
    return f"@_deprecated({python_string(function.deprecated)})" if function.deprecated else ""


def any_deprecated(functions: Iterable[Function]) -> bool:
    """Whether one of them is."""
    return any(each.deprecated for each in functions)
