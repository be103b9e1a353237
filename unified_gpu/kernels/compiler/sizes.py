"""How many blocks of how many threads a launch has, by its axes; the last axis is the fastest."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from unified_gpu.kernels.kernel import axes, blocks

from .ranges import MOST

Sizes = tuple[int, ...]


@lru_cache(4096, typed=True)
def launch_sizes(
    global_size: int | Sequence[int],
    local_size: int | Sequence[int] | None,
    is_free: bool,
    preferred: int,
    whole: bool = False,
) -> tuple[Sizes, Sizes, Sizes]:
    """Threads in all, blocks, and threads of a block, along each axis.

    Args:
        is_free: whether any blocks will do; then the threads of the last that reach beyond do nothing.
        preferred: how many threads a block has then.
        whole: whether it has somewhat fewer where the last blocks then reach not beyond: see `are_whole`.

    Raises:
        TypeError: when they are no whole numbers.
        ValueError: for sizes that no device has.
    """
    sizes = axes("global_size", global_size)
    local = None if local_size is None else axes("local_size", local_size)
    if any(size > MOST for size in sizes):
        raise ValueError(f"global_size {list(sizes)}: an axis has at most {MOST} threads")
    if is_free and local is None and 1 <= len(sizes) <= 3 and all(size > 0 for size in sizes):
        left = preferred
        chosen: list[int] = []
        for size in reversed(sizes):
            most = min(size, left, 64 if len(chosen) == 2 else left)
            chosen.append(_dividing(size, most) if whole else most)
            left //= chosen[-1]
        local = tuple(reversed(chosen))
    try:
        grid, block = blocks(tuple(reversed(sizes)), None if local is None else tuple(reversed(local)))
    except ValueError as error:
        note = " (from the last axis to the first)" if len(sizes) > 1 else ""
        raise ValueError(f"{error}{note}") from None
    count = len(sizes)
    return sizes, tuple(reversed(grid[:count])), tuple(reversed(block[:count]))


def _dividing(size: int, most: int) -> int:
    """The longest side of at most `most` that divides an axis; `most` where that is much shorter."""
    return next((side for side in range(most, most // 4, -1) if size % side == 0 and side % 32 == 0), most)


def are_whole(sizes: Sizes, block: Sizes) -> bool:
    """Whether no thread of the blocks is beyond the launch; a block has the fastest axis first."""
    return not any(size % length for size, length in zip(reversed(sizes), block, strict=False))


def hashable(size: Any) -> Any:
    """Sizes as `launch_sizes` keeps them: a list is no key."""
    return tuple(size) if isinstance(size, list) or hasattr(size, "tolist") else size
