"""How a package's functions are dealt out to the compiler's units: neighbours in groups, a group or more a unit."""

from __future__ import annotations

import zlib
from itertools import pairwise
from typing import TypeVar

from wrapper_gen import names
from wrapper_gen.model import Module
from wrapper_gen.queries import once

F = TypeVar("F")

_FUNCTIONS_A_UNIT = 150
"""Below that, reading the headers again costs more than a second core saves."""
_MOST_UNITS = 8
_FEW = 24
"""So many functions are one group: to compile all of them takes hardly longer than to compile one."""
_AVERAGE, _MOST = 16, 32
"""Functions of a group: to compile them takes about twice as long as to read the headers, which each group does."""


def most_units(module: Module) -> int:
    """In how many units the engine is compiled at most, at the same time where there are cores for it.

    A prelude is compiled once: it may hold what there can be only one of.
    """
    return 1 if module.prelude else min(1 + len(module.callables) // _FUNCTIONS_A_UNIT, _MOST_UNITS)


def groups(module: Module, functions: tuple[F, ...]) -> tuple[tuple[F, ...], ...]:
    """The functions in groups, each of which may be compiled by itself; all in one where that would not help.

    A group ends where the name of its last function says so: one that is added, or goes, changes no other group.
    """
    ends = [0, *_ends(module)]
    return tuple(functions[start:end] for start, end in pairwise(ends))


def group_names(module: Module) -> tuple[str, ...]:
    """What each group is called: by the C symbol of the function that ends it; the last one is ended by none."""
    *ends, _ = _ends(module)
    return (*(names.c_symbol(module.name, module.callables[end - 1]) for end in ends), "last")


@once
def _ends(module: Module) -> tuple[int, ...]:
    """How many functions there are up to the end of each group."""
    found, start = list[int](), 0
    count = len(module.callables)
    if not module.prelude and count > _FEW:
        for i, function in enumerate(module.callables[:-1], 1):
            if _hash(names.c_symbol(module.name, function)) % _AVERAGE == 0 or i - start == _MOST:
                found.append(i)
                start = i
    return (*found, count)


def _hash(name: str) -> int:
    return zlib.crc32(name.encode())
