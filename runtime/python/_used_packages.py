"""Packages whose types another one uses: they are imported before it, and tell it of their types.

Static: the same for all packages, and private to the one it lies in. Imported only where packages share objects.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

from ._support import Extension

Uses = tuple[str, str, Mapping[str, Sequence[str]], Sequence[str]]
"""A package, its library, its classes by the modules that have them, and the fingerprints of what else is relied on."""


def import_used(user: str, uses: Uses, command: str) -> Extension:
    """The extension of a package that `user` uses, with all that it relies on.

    Raises:
        ImportError: the package is missing or cannot be imported, has another runtime, or is not as it was when the
            user was generated, which `command` does.
    """
    package, _, _, relied_on = uses
    try:
        module = import_module(package)
    except ModuleNotFoundError as error:
        if error.name != package:
            raise
        raise ImportError(f"{user} uses {package}, which is not there: install it, or put it beside {user}") from None
    except ImportError as error:
        raise ImportError(f"{user} uses {package}, which cannot be imported: {error}") from error
    found = getattr(module, "_extension", None)
    if not isinstance(found, Extension):
        hint = "generate both with the same --runtime, shared or package"
        raise ImportError(f"{user} uses {package}, which has another runtime: {hint}")
    carried = set((found.get("fingerprints") or "").splitlines())
    changed = sorted(line.split()[0] for line in relied_on if line not in carried)
    if changed:
        raise other_spec(user, package, changed, command)
    return found


def other_spec(user: str, package: str, changed: Sequence[str], command: str) -> ImportError:
    """What is raised where the other package is of another spec than this one knows."""
    what = ", ".join(changed)
    message = f"{user} was generated for another version of {package}, which differs in: {what}; run: {command}"
    return ImportError(message)


def classes_of(uses: Uses) -> dict[str, Any]:
    """The classes that are used, by name; their package is imported."""
    return {name: getattr(sys.modules[home], name) for home, listed in uses[2].items() for name in listed}
