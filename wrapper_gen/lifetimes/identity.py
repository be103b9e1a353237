"""Objects of which one stands for each pointer, and those that are found by their cells."""

from __future__ import annotations

from collections.abc import Mapping, Set

from wrapper_gen.lifetimes.ended import tracked
from wrapper_gen.model import Function, Module
from wrapper_gen.queries import once
from wrapper_gen.types.queries import handles_in


@once
def identified(module: Module) -> Set[str]:
    """The handle types of which one object stands for each pointer."""
    return {h.name for h in module.handles if h.has_identity}


def may_be_there(function: Function, module: Module) -> bool:
    """Whether a handle that it returns may be an object that is there already."""
    return bool(handles_in(function.returns) & _known(module))


@once
def _known(module: Module) -> Set[str]:
    """The same, with those of other specs that it uses."""
    return {h.name for h in module.known_handles if h.has_identity}


@once
def found_by_cells(module: Module) -> Mapping[str, tuple[bool, bool]]:
    """The handle types whose objects the cffi engine finds by their cells: whether each lends, and is lent."""
    return {**dict.fromkeys(sorted(identified(module)), (False, False)), **tracked(module)}
