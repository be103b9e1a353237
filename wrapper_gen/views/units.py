"""In how many units the cpython engine is compiled, and how its functions are dealt out to them."""

from __future__ import annotations

from typing import TypeVar

from wrapper_gen.model import Module

F = TypeVar("F")

_FUNCTIONS_A_UNIT = 150
"""Below that, reading the headers again costs more than a second core saves."""
_MOST_UNITS = 8
_GROUPS = 24
"""Of the functions, where there may be several units: 2, 3, 4, 6 and 8 of them get equal shares."""


def most_units(module: Module) -> int:
    """In how many units the engine is compiled at most, at the same time where there are cores for it.

    A prelude is compiled once: it may hold what there can be only one of.
    """
    return 1 if module.prelude else min(1 + len(module.callables) // _FUNCTIONS_A_UNIT, _MOST_UNITS)


def groups(module: Module, functions: tuple[F, ...]) -> tuple[tuple[F, ...], ...]:
    """The functions in groups, which the build deals out to units; all in one where there is only one unit."""
    count = _GROUPS if most_units(module) > 1 else 1
    size = -(-len(functions) // count) or 1
    return tuple(functions[i * size : (i + 1) * size] for i in range(count))
