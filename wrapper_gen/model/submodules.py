"""Modules of a package beside its own: which entries stand there is said by each of them."""

from __future__ import annotations

from wrapper_gen.diagnostics import Span
from wrapper_gen.frozen import frozen


@frozen
class Submodule:
    """One module below the package."""

    name: str
    span: Span
