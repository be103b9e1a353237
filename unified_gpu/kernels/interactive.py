"""Functions of an interactive session, where what they use may be defined anew, as in the cells of a notebook."""

from __future__ import annotations

import linecache
from collections.abc import Callable
from typing import Any, TypeGuard

from unified_gpu.structs import Struct, is_struct

from .language import ArrayType

MISSING = object()
"""What a name means that is not there."""
Lookup = Callable[[str], Any]
"""What a name of a function's surroundings means now."""


def is_interactive(python: Callable[..., Any]) -> bool:
    """Whether it was defined in a notebook's cell, or at the prompt of IPython or Python.

    Such a source is no file, but an entry of linecache. Modules of an archive are that too, and have an origin.
    """
    name, surroundings = python.__code__.co_filename, python.__globals__
    if name.startswith("<") and name.endswith(">"):
        return True
    entry, spec = linecache.cache.get(name), surroundings.get("__spec__")
    return (
        entry is not None
        and len(entry) == 4
        and entry[1] is None
        and name not in (getattr(spec, "origin", None), surroundings.get("__file__"))
    )


def current(python: Callable[..., Any], lookup: Lookup, type_: Any) -> Any:
    """An annotation with the class that its struct's name means now, where a session has defined that anew."""
    if isinstance(type_, ArrayType):
        found = None if type_.struct is None else current(python, lookup, type_.struct)
        return type_ if found is type_.struct else ArrayType(type_.dtype, type_.ndim, found)
    if is_own_struct(python, type_):
        found = lookup(type_.__qualname__)
        return found if is_own_struct(python, found) else type_
    return type_


def is_own_struct(python: Callable[..., Any], type_: Any) -> TypeGuard[type[Struct]]:
    """Whether it is a struct of the same interactive session."""
    return is_struct(type_) and is_interactive(python) and type_.__module__ == python.__globals__.get("__name__")
