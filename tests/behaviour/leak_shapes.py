"""Shapes of calls of one package, as statements; the tables of `test_leaks_of_shapes.py` are made of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.behaviour.packages import HERE

CASES = HERE.parent / "cases"


@dataclass(frozen=True)
class Shapes:
    """Statements that leave nothing behind, and that raise and leave nothing behind."""

    spec: Path
    quick: tuple[str, ...]
    failing: tuple[str, ...]
    values: Callable[[Any], Mapping[str, Any]] = lambda lib: {}
    """What they use besides `lib`, the package."""
    count: Callable[[Any], object] = lambda lib: None
    """How many objects the library has."""
    after: str = "pass"
    """What follows each, when nothing of it is there any more."""


class Raised(Exception):
    """What a callable raises."""


def raises(*_given: object) -> Any:
    raise Raised


def nothing(*_given: object) -> None:
    pass
