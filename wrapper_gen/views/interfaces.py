"""What both engines know of interfaces: their virtual functions, in the order in which C++ numbers them."""

from __future__ import annotations

from collections.abc import Iterable

from wrapper_gen import names
from wrapper_gen.model import Function, HandleType, Module, Virtual
from wrapper_gen.quoting import python_string
from wrapper_gen.types.queries import handles_in


def virtual_methods(methods: Iterable[Function]) -> list[tuple[Function, Virtual]]:
    return [(each, each.virtual) for each in methods if each.virtual]


def overriding_symbol(handle: HandleType, module: Module) -> str:
    """The C function that lets a method of Python override a virtual function of an object."""
    return names.support(module.name, f"override_{handle.name}")


def constructs_interface(function: Function, module: Module) -> bool:
    return any(h.is_interface and h.name == function.constructs for h in module.handles)


def may_override(function: Function, module: Module) -> bool:
    """Whether a call is given objects whose methods C++ may call."""
    interfaces = {h.name for h in module.handles if h.is_interface}
    given = {name for p in function.parameters for name in handles_in(p.type)} | {function.handle or ""}
    return not interfaces.isdisjoint(given)


def interface_of(handle: HandleType, methods: Iterable[Function], module: Module) -> tuple[str, ...]:
    """The lines of the statement that lets Python classes override its methods, in the cffi engine."""
    rows = []
    for method, virtual in virtual_methods(methods):
        name, codec = python_string(names.of_function(method)), python_string(str(virtual.callback.type))
        rows.append(f"{name}: ({virtual.is_abstract}, _types[{codec}]),")
    return (
        f"{handle.name}._let_override(",
        "    _callables,",
        f"    _lib.{overriding_symbol(handle, module)},",
        *(["    {", *(f"        {row}" for row in rows), "    },"] if rows else ["    {},"]),
        ")",
    )
