"""Entries that a spec calls deprecated: what their calls warn of, and how the type stub says so."""

from __future__ import annotations

from wrapper_gen import names
from wrapper_gen.model import EnumType, Function, HandleType, Module, StructType
from wrapper_gen.queries import class_of
from wrapper_gen.quoting import c_string, python_string
from wrapper_gen.types.hints import Import

WARN = Import(names.runtime_module("_deprecations"), "warn", "_warn_deprecated")
DECORATOR = "from typing_extensions import deprecated as _deprecated"
"""What the type stub imports: `warnings` has it from Python 3.13 on, and type checkers know this one everywhere."""


def warning(function: Function) -> str:
    """What a call warns of; empty where it is not deprecated."""
    if not function.deprecated:
        return function.makes_deprecated
    name, owner = names.of_function(function), class_of(function)
    if function.constructs:
        name, owner = function.constructs, ""
    elif function.member:
        name = function.member.name
        owner = "" if function.member.is_constructor else owner
    is_called = not (function.property or function.sets or (function.member and function.member.is_property))
    return f"{f'{owner}.' if owner else ''}{name}{'()' * is_called} is deprecated: {function.deprecated}"


def in_cffi(function: Function) -> str:
    """The statement of the cffi engine that warns."""
    return _warn(text) if (text := warning(function)) else ""


def in_cpython(function: Function, failed: str) -> tuple[str, ...]:
    """The same of the cpython engine: a warning may be an exception."""
    return (_warn_in_c(text, failed),) if (text := warning(function)) else ()


def decorator(function: Function) -> str:
    """What stands above it in the type stub."""
    return f"@_deprecated({python_string(function.deprecated)})" if function.deprecated else ""


def any_deprecated(module: Module) -> bool:
    """Whether the type stub says so of something."""
    return any(f.deprecated for f in module.callables) or any(each.deprecated for each in _types(module))


def any_warns(module: Module) -> bool:
    """Whether something of the cffi engine warns."""
    return any(map(warning, module.callables)) or any(each.deprecated for each in module.structs)


# --- types -----------------------------------------------------------------------------------------------------------

DEPRECATE = Import(names.runtime_module("_deprecated_types"), "deprecate", "_deprecate")
ENUM = Import(names.runtime_module("_deprecated_types"), "DeprecatedEnum", "_DeprecatedEnum")


def imports_of_types(module: Module) -> set[Import]:
    """What a module imports for deprecated types of its own."""
    found = {DEPRECATE} if deprecated_classes(module) else set[Import]()
    return found | ({ENUM} if any(each.deprecated for each in module.enums) else set[Import]())


def deprecated_classes(module: Module) -> tuple[str, ...]:
    """The statements that mark the classes, and let deriving from them warn."""
    return tuple(
        f"_deprecate(globals()[{python_string(each.name)}], {python_string(each.deprecated)})"
        for each in _types(module)
        if each.deprecated and each not in module.enums
    )


def _types(module: Module) -> tuple[HandleType | StructType | EnumType, ...]:
    return (*module.handles, *module.structs, *module.enums)


def marked(type_: HandleType | StructType | EnumType) -> str:
    """What stands above a class in the type stub."""
    return f"@_deprecated({python_string(type_.deprecated)})" if type_.deprecated else ""


def making_in_cffi(struct: StructType) -> str:
    """The statement of the cffi engine that warns where a record is made of its fields."""
    return _warn(_making(struct)) if struct.deprecated else ""


def making_in_cpython(struct: StructType) -> str:
    """The same of the cpython engine."""
    return _warn_in_c(_making(struct), "nullptr") if struct.deprecated else ""


def _making(struct: StructType) -> str:
    return f"{struct.name} is deprecated: {struct.deprecated}"


def _warn(text: str) -> str:
    return f"_warn_deprecated({python_string(text)})"


def _warn_in_c(text: str, failed: str) -> str:
    return f"if (PyErr_WarnEx(PyExc_DeprecationWarning, {c_string(text)}, 1) != 0) return {failed};"
