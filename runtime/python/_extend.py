"""Modules of the package that its author wrote: the package has their public names, too.

Static: the same for all packages, and private to the one it lies in.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any


def extend(namespace: dict[str, Any], module: str, names: Sequence[str]) -> None:
    """Add names of one of its modules, which may import from the package: all else is there."""
    found = import_module(f"{namespace['__name__']}.{module}")
    namespace.update({name: getattr(found, name) for name in names})
    namespace["__all__"] += names
