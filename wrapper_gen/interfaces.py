"""Questions about interfaces: which handle types are, and which calls are passed objects that Python may override."""

from __future__ import annotations

from collections.abc import Set

from wrapper_gen.model import Function, Module
from wrapper_gen.model.inheritance import bases, with_relatives
from wrapper_gen.queries import once
from wrapper_gen.types.queries import handles_in


@once
def interface_types(module: Module) -> frozenset[str]:
    """The handle types that are interfaces."""
    return frozenset(h.name for h in module.handles if h.is_interface)


@once
def overridable(module: Module) -> Set[str]:
    """The handle types whose objects may have methods that Python overrides: interfaces and their relatives."""
    return with_relatives(interface_types(module), module.extends)


@once
def closed_to_python(module: Module) -> Set[str]:
    """The relatives of interfaces from which no class of Python derives: they list no method that it could override."""
    return overridable(module) - interface_types(module)


def is_open_again(handle: str, module: Module) -> bool:
    """Whether classes of Python derive from an interface that extends such a type."""
    return handle in interface_types(module) and not closed_to_python(module).isdisjoint(bases(handle, module.extends))


def passes_overridable(function: Function, module: Module) -> bool:
    """Whether a call is passed objects whose methods C++ may call in Python."""
    known = overridable(module)
    return bool(known) and any(known & handles_in(p.type) for p in function.parameters)
