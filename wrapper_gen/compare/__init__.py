"""What changed between two versions of a package, in Python and in C, and whether that breaks callers."""

from __future__ import annotations

from wrapper_gen.compare.changes import ApiChange, breaks_python, compared, next_version
from wrapper_gen.compare.surface import NotComparable, Surface, surface_of

__all__ = ["ApiChange", "NotComparable", "Surface", "breaks_python", "compared", "next_version", "surface_of"]
