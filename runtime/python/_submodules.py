"""Modules below the package: they are imported with it, and get their classes and functions from its extension.

Static: the same for all packages, and private to the one it lies in.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from types import SimpleNamespace
from typing import Any

from ._support import Extension


def import_submodules(package: str, names: Sequence[str]) -> SimpleNamespace:
    """Import them, while the package is: each has its exceptions and enums then."""
    return SimpleNamespace(**{name: import_module(f"{package}.{name}") for name in names})


def populate(extension: Extension, namespace: dict[str, Any], submodules: SimpleNamespace) -> None:
    """Put the classes and functions of the extension into the package and its submodules."""
    declared = [vars(module) for module in vars(submodules).values()]
    known = {name: each for own in declared for name, each in own.items() if name in own["__all__"]}
    for where, defined in extension.defined({**known, **namespace}).items():
        own = vars(getattr(submodules, where)) if where else namespace
        own.update(defined)
        own["__all__"] += defined
    for own in declared:
        if complete := own.get("_complete_module"):
            complete()
