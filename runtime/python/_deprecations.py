"""Warnings of the cffi engine, and of classes of both engines, about what the library's spec calls deprecated.

Static: the same for all packages.
"""

from __future__ import annotations

import sys


def warn(message: str, package: str = "") -> None:
    """Warn of a call; the first caller that belongs neither to the package nor to its runtime is the one to be shown.

    The package is the one whose module calls this, where none is named.
    """
    import warnings

    level, frame = 1, sys._getframe()
    package = package or sys._getframe(1).f_globals["__package__"]
    while frame.f_back is not None and is_own(frame.f_globals.get("__name__"), package):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, DeprecationWarning, stacklevel=level)


def is_own(module: object, package: str) -> bool:
    """Whether it is a module of a package, or of the runtime that the package stands on."""
    return isinstance(module, str) and f"{module}.".startswith((f"{package}.", f"{__package__}."))


def package_of(cls: type) -> str:
    """The package that has a class."""
    return str(getattr(sys.modules.get(cls.__module__), "__package__", cls.__module__))
