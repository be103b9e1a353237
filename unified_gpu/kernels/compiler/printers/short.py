"""Whether a kernel is short: who waits for it on the CPU may then run it, on its own thread and stack.

A wait can have a limit of time, and the waiting thread may have a stack of tens of KiB only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import prod
from typing import Any

from unified_gpu.kernels.compiler import ir

_MOST_EXPRESSIONS = 300
"""Of a thread: these take at most about a microsecond."""
_MOST_STACK = 16 << 10
_THREADS = 1024
"""Elements of a variable with one for each thread of a block."""


def is_short(f: ir.Function, spread: Iterable[str], tables: Mapping[str, int]) -> bool:
    """Whether a thread of a kernel is done soon, whatever it is given, and a block needs little of the stack.

    Args:
        spread: the variables with an element for each thread of a block.
        tables: by array, how many of its elements are summed on the stack.
    """
    is_quick = not loops(f) and not ir.reaches(f, "print") and work(f, {}) <= _MOST_EXPRESSIONS
    return is_quick and stack(f, spread, tables) <= _MOST_STACK


def loops(f: ir.Function) -> bool:
    return any(isinstance(s, (ir.For, ir.While)) for each in (f, *f.calls) for s in ir.walk(each.body))


def work(f: ir.Function, known: dict[ir.Function, int]) -> int:
    """How many expressions a function has with those of the functions that it calls, as often as it calls them."""
    if f not in known:  # each function once: functions that call others many times have very many calls
        known[f] = sum(1 + (work(e.value, known) if e.op == "call" else 0) for e in ir.all_expressions(f))
    return known[f]


def stack(f: ir.Function, spread: Iterable[str], tables: Mapping[str, int]) -> int:
    """The bytes of a block's arrays."""
    kept = dict.fromkeys(spread, _THREADS)
    arrays = {**f.shared, **f.local}.items()
    own = sum(kept.get(name, 1) * prod(array.shape or ()) * array.dtype.size for name, array in arrays)
    variables = sum(_THREADS * _size(f.variables[name]) for name in kept if name in f.variables)
    return own + variables + sum(length * f.arrays[name].dtype.size for name, length in tables.items())


def _size(type_: Any) -> int:
    return sum(map(_size, type_.items)) if isinstance(type_, ir.TupleType) else max(1, int(type_.size))
