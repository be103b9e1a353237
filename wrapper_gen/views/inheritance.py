"""Handle types that extend others, as the cffi engine's classes know them."""

from __future__ import annotations

from collections.abc import Set

from wrapper_gen import names
from wrapper_gen.model import Module
from wrapper_gen.model.inheritance import with_relatives


def related(module: Module) -> Set[str]:
    """The handle types that extend others, and those that others extend."""
    return with_relatives(module.extends, module.extends)


def numbered_classes(module: Module) -> tuple[str, ...]:
    """Lines of a dict: their classes with the functions that drop their cells, by number."""
    found = related(module)
    numbered = ((i, h.name) for i, h in enumerate(module.handles) if h.name in found)
    return tuple(f"{i}: ({name}, {names.python_drop(name)})," for i, name in numbered)
