"""The kernels of the library's own functions, as a wheel carries them compiled: for a CPU without a C++ compiler.

They are compiled when the wheel is built, from the text that would be compiled here, and are found by that text.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from .own_packages import FOLDER

NAME = "library_kernels"
"""Of the shared library, and of the list of what it has."""


def key(source: str, headers: Sequence[str], *, fast: bool) -> str:
    """What the library calls the kernel that is compiled from a text."""
    text = "\0".join((*headers, str(fast), source))
    return f"k{hashlib.sha256(text.encode()).hexdigest()[:32]}"


def find(source: str, name: str, headers: Sequence[str], *, fast: bool) -> tuple[Path, str] | None:
    """The library that has a kernel, and what it calls it; None where it has it not."""
    del name  # which says nothing about types
    called = key(source, headers, fast=fast)
    return (FOLDER / f"{NAME}.so", called) if called in _names(FOLDER) else None


@cache
def _names(folder: Path) -> frozenset[str]:
    try:
        return frozenset((folder / f"{NAME}.txt").read_text(encoding="ascii").split())
    except OSError:
        return frozenset()
