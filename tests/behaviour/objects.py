"""Counts what a library has, also on Pythons that release objects some time after the last reference is gone."""

from __future__ import annotations

import gc
import mmap
import sys
from typing import Any

import pytest

COUNTS_REFERENCES = sys.implementation.name == "cpython"
"""Whether an object is released with its last reference."""
HAS_GIL: bool = getattr(sys, "_is_gil_enabled", lambda: True)()
"""Before any package is imported, which could turn it on."""


def let_go() -> None:
    """Where a collector finds out what nobody refers to any more, let it."""
    if not COUNTS_REFERENCES:
        for _ in range(3):  # what a finalizer lets go of is found by the next one
            gc.collect()


def collect() -> None:
    """Release what is in cycles, too."""
    gc.collect()
    let_go()


def live(shapes: Any, kind: int) -> int:
    """How many objects of a kind the shapes library has, not counting those that nobody refers to."""
    let_go()
    count: int = shapes.live(kind)
    return count


def four_gib_and(more: int) -> mmap.mmap:
    """Memory of more bytes than 32 bits count; pages that are not used take none."""
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | getattr(mmap, "MAP_NORESERVE", 0)
    try:
        return mmap.mmap(-1, (1 << 32) + more, flags)
    except (OSError, ValueError, OverflowError) as error:
        pytest.skip(f"this machine has no {(1 << 32) + more} bytes: {error}")
