"""How many blocks of how many threads a launch has, by its axes; the last axis is the fastest."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from unified_gpu.kernels.arguments.layout import MOST
from unified_gpu.kernels.kernel import blocks

Sizes = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class LaunchSizes:
    """Blocks, and threads of a block.

    Attributes:
        grid, block: along each axis of the launch.
        device_grid, device_block: along the three axes of a device, the fastest first.
        are_whole: whether no thread of the blocks is beyond the launch.
    """

    grid: Sizes
    block: Sizes
    device_grid: Sizes
    device_block: Sizes
    are_whole: bool


@lru_cache(4096)
def launch_sizes(sizes: Sizes, local: Sizes | None, preferred: int, whole: bool = False) -> LaunchSizes:
    """The blocks of a launch.

    Args:
        sizes: threads in all.
        local: threads of a block; None where any blocks will do: the threads that reach beyond do nothing.
        preferred: how many threads a block has then.
        whole: whether it may have somewhat fewer, so that the blocks are whole.

    Raises:
        ValueError: for sizes that no device has.
    """
    if any(size > MOST for size in sizes):
        raise ValueError(f"global_size {list(sizes)}: an axis has at most {MOST} threads")
    if local is None and 1 <= len(sizes) <= 3 and all(size > 0 for size in sizes):
        left = preferred
        chosen: list[int] = []
        for size in reversed(sizes):
            most = min(size, left, 64 if len(chosen) == 2 else left)
            chosen.append(_dividing(size, most) if whole else most)
            left //= chosen[-1]
        local = tuple(reversed(chosen))
    grid, block = blocks(sizes, local, last_is_first=True)
    last = slice(len(sizes) - 1, None, -1)
    are_whole = not any(size % length for size, length in zip(sizes, block[last], strict=True))
    return LaunchSizes(grid[last], block[last], grid, block, are_whole)


def _dividing(size: int, most: int) -> int:
    """The longest side of at most `most` that divides an axis; `most` where that is much shorter."""
    return next((side for side in range(most, most // 4, -1) if size % side == 0 and side % 32 == 0), most)
