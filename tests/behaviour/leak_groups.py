"""Shapes of calls over one or more packages, as statements; the tables of `leak_classes.py` are made of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Group:
    """Shapes of calls: by specs, beside these tests or among the cases, what makes values, and statements that use them."""

    specs: Mapping[str, str]
    setup: str
    calls: tuple[str, ...]
    failures: tuple[str, ...]
    """Statements that raise."""
    heavy: tuple[str, ...] = ()
    """Those that start a thread, and are made ten times less often, as what is awaited."""
