"""What the threads of a subgroup get from each other, computed for the reference."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

_JOINED: dict[str, Callable[[Any, Any], Any]] = {
    "sum": lambda a, b: a + b,
    "min": lambda a, b: b if b < a else a,
    "max": lambda a, b: b if b > a else a,
}


def exchanged(op: str, given: Sequence[tuple[Any, ...]], size: int) -> list[Any]:
    """What each thread gets, by lane.

    Args:
        op: as `ir.Exchange` has it; empty for a barrier.
        given: what each thread gives; fewer than `size` in the last subgroup of a block.
    """
    import numpy as np

    if op == "shuffle":
        return [given[source if 0 <= source < len(given) else lane][0] for lane, (_, source) in enumerate(given)]
    if op in _JOINED:
        return [_reduced(_JOINED[op], [value for (value,) in given], size)] * len(given)
    if op == "ballot":
        return [np.uint64(sum(1 << lane for lane, (value,) in enumerate(given) if value))] * len(given)
    if op in ("any", "all"):
        votes = [bool(value) for (value,) in given]
        return [np.bool_(any(votes) if op == "any" else all(votes))] * len(given)
    return [None] * len(given)


def _reduced(joined: Callable[[Any, Any], Any], parts: list[Any], size: int) -> Any:
    """By halves, as the printed C does: the order of an addition of fractions can be seen."""
    distance = 1 << max(size - 1, 0).bit_length() >> 1
    while distance:
        for lane in range(min(distance, len(parts) - distance)):
            parts[lane] = joined(parts[lane], parts[lane + distance])
        distance //= 2
    return parts[0]
