"""Warnings of the cffi engine, and of classes of both engines, about what the library's spec calls deprecated.

Static: the same for all packages, and private to the one it lies in.
"""

from __future__ import annotations

_PACKAGE = __name__.partition("._runtime.")[0]


def warn(message: str) -> None:
    """Warn of a call; the first caller that does not belong to this package is the one to be shown."""
    import sys
    import warnings

    level, frame = 1, sys._getframe()
    while frame.f_back is not None and is_own(frame.f_globals.get("__name__")):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, DeprecationWarning, stacklevel=level)


def is_own(module: object) -> bool:
    """Whether it is a module of this package."""
    return isinstance(module, str) and f"{module}.".startswith(f"{_PACKAGE}.")
