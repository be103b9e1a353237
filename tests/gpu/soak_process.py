"""Many batches through one pipeline after the other, in a process of its own: memory stays flat, nothing is left.

python -m tests.gpu.soak_process BATCHES
"""

from __future__ import annotations

import ctypes
import gc
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from tests.limits import HANGS
from unified_gpu import Context, GpuArray, Pipeline

MAP = 50
"""Batches of one map; every fifth map ends with an exception, every seventh is not read to its end."""


def batches(random: np.random.Generator) -> Iterator[np.ndarray[Any, Any]]:
    sizes = random.choice([1, 700, 5_000, 12_345, 20_000], MAP)
    return (np.full(size, number, np.float32) for number, size in enumerate(sizes))


def compute(x: GpuArray) -> tuple[GpuArray, GpuArray]:
    return x * 2.0, x.mean()


def go_through(ctx: Context, pipe: Pipeline, turn: int, random: np.random.Generator) -> int:
    """One map; how many results came."""

    left = MAP // 2

    def breaking(x: GpuArray) -> tuple[GpuArray, GpuArray]:
        nonlocal left
        left -= 1
        if not left:
            raise ZeroDivisionError
        return compute(x)

    done = 0
    try:
        for doubled, mean in pipe.map(batches(random), breaking if turn % 5 == 4 else compute):
            assert doubled[0] == doubled[-1] == 2 * done
            assert abs(float(mean) - done) <= 1e-3 * done
            done += 1
            if turn % 7 == 6 and done == MAP // 2:
                break
    except ZeroDivisionError:
        assert done == MAP // 2 - 1
    return done


def held(ctx: Context) -> dict[str, int]:
    """What the process and the device have in use."""
    gc.collect()
    ctx.trim()  # how much was ever cached at once depends on how fast the machine is
    statistics = ctx.memory_statistics()
    found = {
        "device memory of arrays": statistics.used,
        "device memory": statistics.reserved,
        "threads": len(list(Path("/proc/self/task").iterdir())),
        "resident KiB": int(Path("/proc/self/statm").read_text().split()[1]) * 4,
        "Python objects": len(gc.get_objects()),
    }
    if "CUDA_FFI_LIBRARY" in os.environ:
        del found["resident KiB"]  # the stand-in keeps what was freed for a while, to see who still uses it
    return found | live_objects()


def live_objects() -> dict[str, int]:
    """What the stand-in has that was not released."""
    if "CUDA_FFI_LIBRARY" not in os.environ:
        return {}
    standin = ctypes.CDLL(os.environ["CUDA_FFI_LIBRARY"])
    kinds = ("streams", "events", "device blocks", "pinned blocks")
    return {name: standin.standinLiveObjects(kind) for kind, name in enumerate(kinds)}


ROOM = {"resident KiB": 4096, "Python objects": 50, "threads": 3}
"""By how much these may differ: allocators of the C library keep some, and threads of the CPU device may start late."""


def wait_for_threads(count: int) -> None:
    """Wait until no more threads are left: those of closed streams end in their own time."""
    end = time.monotonic() + HANGS
    while len(list(Path("/proc/self/task").iterdir())) > count and time.monotonic() < end:
        time.sleep(0.01)


def main() -> None:
    wanted = int(sys.argv[1])
    random = np.random.default_rng(5)
    with Context(os.environ["DL_BACKEND"]) as ctx:
        done = turn = 0
        before: dict[str, int] = {}
        while done < wanted:
            with Pipeline(ctx) as pipe:
                for _ in range(4):
                    done += go_through(ctx, pipe, turn, random)
                    turn += 1
            if not before and done >= min(1000, wanted // 3):
                before = held(ctx)
        wait_for_threads(before["threads"])
        after = held(ctx)
    if ctx.backend_name == "cpu":
        free, total = ctx.device.memory_info()
        assert free == total, f"{total - free} bytes are left when the context is closed"
    assert not any(live_objects().values()), f"left when the context is closed: {live_objects()}"
    grown = {name: after[name] - before[name] for name in before if after[name] - before[name] > ROOM.get(name, 0)}
    assert not grown, f"after {done} batches more than before: {grown}; {before}"
    print(f"{done} batches; before: {before}; after: {after}")


if __name__ == "__main__":
    main()
