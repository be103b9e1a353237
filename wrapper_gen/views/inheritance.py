"""Handle types that extend others, as the cffi engine's classes know them."""

from __future__ import annotations

from collections.abc import Set

from wrapper_gen import names
from wrapper_gen.interfaces import interface_types
from wrapper_gen.lifetimes.ended import perishable
from wrapper_gen.model import HandleType, Module
from wrapper_gen.model.inheritance import bases, with_relatives
from wrapper_gen.queries import Members, once
from wrapper_gen.views.exports import exporting
from wrapper_gen.views.held_objects import tracked_classes


def related(module: Module) -> Set[str]:
    """The handle types that extend others, and those that others extend."""
    return with_relatives(module.extends, module.extends)


def numbered_classes(module: Module) -> tuple[str, ...]:
    """Lines of a dict: their classes with the functions that drop their cells, by number."""
    found = related(module)
    numbered = ((i, h.name) for i, h in enumerate(module.handles) if h.name in found)
    return tuple(f"{i}: ({name}, {names.python_drop(name)})," for i, name in numbered)


def class_base(handle: HandleType, own: Members, module: Module) -> str:
    """What a class derives from."""
    base = handle.extends
    if not base and handle.name in perishable(module):
        base = "_Perishable"
    elif not base and handle.name in tracked_classes(module):
        base = "_Tracked"
    if handle.is_interface and interface_types(module).isdisjoint(bases(handle.name, module.extends)):
        return f"_Overridable, {handle.extends}" if handle.extends else "_Overridable"
    if handle.is_interface:
        return handle.extends
    if not own.constructors or not _constructed(module).isdisjoint(bases(handle.name, module.extends)):
        return _exporting(handle, base or "_Handle", module)
    return _exporting(handle, f"_Constructed, {base}" if base else "_Constructed", module)


@once
def _constructed(module: Module) -> Set[str]:
    """The classes that have constructors."""
    return {f.constructs for f in module.constructors}


def _exporting(handle: HandleType, base: str, module: Module) -> str:
    """The same where arrays use the memory of its objects: one that extends another has that of its base."""
    if handle.extends or handle.name not in exporting(module):
        return base
    return "_Exporter" if base == "_Handle" else f"_Exporter, {base}"
