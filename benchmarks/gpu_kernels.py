"""Kernels in Python on the CPU, beside those by hand in C++ and the peers'; prints figures as JSON for `gpu.py`.

python benchmarks/gpu_kernels.py ROUNDS [THREADS]
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from gpu_front_end import front_ends
from gpu_kernel_peers import Calls, First, with_numba, with_taichi, with_warp
from gpu_plain_kernels import reduction, saxpy, stencil

from unified_gpu import (
    Array,
    Context,
    atomic_add,
    barrier,
    device,
    f32,
    global_id,
    group_id,
    i32,
    kernel,
    local_id,
    rsqrt,
    shared,
    u32,
)

ROUNDS, THREADS = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 2
os.environ.setdefault("NUMBA_NUM_THREADS", str(THREADS))
FAST = "nbody fast"
KERNELS = ("saxpy", "stencil", "reduction", "nbody", "Monte Carlo", "histogram", "transpose", FAST)
SETTLES = 0.1
"""Seconds: threads of OpenMP keep their cores for milliseconds after their work, those of others for less."""
LEAST = 0.02
"""Seconds that are measured: the first runs of the shortest kernels find the caches cold, and threads asleep."""
ELEMENTS, SIDE, BODIES, COUNTED, WALKERS, TRIES = 10_000_000, 1024, 4096, 1 << 20, 1 << 16, 64


def nbody(places, force, soft):
    i = global_id(0)
    x, y, z = places[0, i], places[1, i], places[2, i]
    fx, fy, fz = 0.0, 0.0, 0.0
    for j in range(places.shape[1]):
        dx, dy, dz = places[0, j] - x, places[1, j] - y, places[2, j] - z
        near = rsqrt(dx * dx + dy * dy + dz * dz + soft)
        weight = near * near * near
        fx += dx * weight
        fy += dy * weight
        fz += dz * weight
    force[0, i] = fx
    force[1, i] = fy
    force[2, i] = fz


exact_nbody, fast_nbody = kernel(nbody), kernel(math="fast")(nbody)


@device
def xorshift(s):
    s ^= s << 13
    s ^= s >> 17
    s ^= s << 5
    return s


@kernel
def monte_carlo(tries: i32, hits: Array[u32, 1]):
    s = u32(global_id(0)) * 2654435769 + 1
    inside = u32(0)
    for _ in range(tries):
        s = xorshift(s)
        x = f32(s >> 8) * (1.0 / 16777216.0)
        s = xorshift(s)
        y = f32(s >> 8) * (1.0 / 16777216.0)
        if x * x + y * y < 1.0:
            inside += 1
    atomic_add(hits, 0, inside)


@kernel
def histogram(x: Array[u32, 1], counts: Array[u32, 1]):
    own = shared(u32, 64)
    t = local_id(0)
    if t < 64:
        own[t] = 0
    barrier()
    atomic_add(own, x[global_id(0)] % 64, 1)
    barrier()
    if t < 64:
        atomic_add(counts, t, own[t])


@kernel
def transpose(source: Array[f32, 2], target: Array[f32, 2]):
    tile = shared(f32, (16, 17))
    y, x = local_id(0), local_id(1)
    tile[y, x] = source[group_id(0) * 16 + y, group_id(1) * 16 + x]
    barrier()
    target[group_id(1) * 16 + y, group_id(0) * 16 + x] = tile[x, y]


class Data:
    """What all of them work on, in NumPy's memory."""

    def __init__(self) -> None:
        rng = np.random.default_rng(0)
        self.x, self.y = (rng.standard_normal(ELEMENTS).astype(np.float32) for _ in range(2))
        self.source = rng.standard_normal((SIDE, SIDE)).astype(np.float32)
        self.target = np.zeros_like(self.source)
        self.many = self.x[: ELEMENTS // 256 * 256]
        self.sums = np.zeros(ELEMENTS // 256, np.float32)
        self.places = rng.standard_normal((3, BODIES)).astype(np.float32)
        self.force = np.zeros_like(self.places)
        self.numbers = rng.integers(0, 2**32, COUNTED, dtype=np.uint32)
        self.counts, self.hits = np.zeros(64, np.uint32), np.zeros(1, np.uint32)
        self.walkers = WALKERS


def ours(ctx: Context, data: Data) -> tuple[Calls, First]:
    up = {n: ctx.alloc_upload(value, value.dtype) for n, value in vars(data).items() if isinstance(value, np.ndarray)}
    stream = ctx.default_stream

    def launched(made: Any, size: Any, args: list[Any], local: Any = None) -> Callable[[], object]:
        def call() -> None:
            ctx.launch(made, size, args, local_size=local)
            stream.synchronize()

        return call

    def first(number: int) -> None:
        @kernel
        def fresh(source: Array[f32, 2], target: Array[f32, 2]):
            i, j = global_id(0), global_id(1)
            if 0 < i < source.shape[0] - 1 and 0 < j < source.shape[1] - 1:
                near = source[i - 1, j] + source[i + 1, j] + source[i, j - 1] + source[i, j + 1]
                target[i, j] = f32(number) * near

        launched(fresh, (SIDE, SIDE), [up["source"], up["target"]])()

    bodies = [up["places"], up["force"], 0.01]
    return {
        "saxpy": launched(saxpy, ELEMENTS, [2.0, up["x"], up["y"]]),
        "stencil": launched(stencil, (SIDE, SIDE), [up["source"], up["target"]]),
        "reduction": launched(reduction, data.many.size, [up["many"], up["sums"]], 256),
        "nbody": launched(exact_nbody, BODIES, bodies),
        FAST: launched(fast_nbody, BODIES, bodies),
        "Monte Carlo": launched(monte_carlo, WALKERS, [TRIES, up["hits"]]),
        "histogram": launched(histogram, COUNTED, [up["numbers"], up["counts"]], 1024),
        "transpose": launched(transpose, (SIDE, SIDE), [up["source"], up["target"]], (16, 16)),
    }, first


def by_hand(data: Data) -> Calls:
    path = os.environ.get("KERNELS_BY_HAND", "")
    if not path:
        return {}
    library = ctypes.CDLL(path)

    def at(array: Any) -> Any:
        return ctypes.c_void_p(array.ctypes.data)

    side, two = ctypes.c_long(SIDE), ctypes.c_int(THREADS)
    size, small = ctypes.c_long(ELEMENTS), ctypes.c_float(0.01)
    d = data
    return {
        "saxpy": lambda: library.saxpy(two, size, ctypes.c_float(2), at(d.x), at(d.y)),
        "stencil": lambda: library.stencil(two, side, at(d.source), at(d.target)),
        "reduction": lambda: library.reduction(two, ctypes.c_long(d.many.size), at(d.many), at(d.sums)),
        "nbody": lambda: library.nbody(two, ctypes.c_long(BODIES), at(d.places), at(d.force), small),
        "Monte Carlo": lambda: library.monte_carlo(two, ctypes.c_long(WALKERS), ctypes.c_int(TRIES), at(d.hits)),
        "histogram": lambda: library.histogram(two, ctypes.c_long(COUNTED), at(d.numbers), at(d.counts)),
        "transpose": lambda: library.transpose(two, side, at(d.source), at(d.target)),
    }


def best(call: Callable[[], object]) -> float:
    """The shortest of five runs or more, after a pause in which the threads of the peer before fall asleep."""
    time.sleep(SETTLES)
    found: list[float] = []
    while len(found) < 5 or sum(found) < LEAST:
        start = time.perf_counter()
        call()
        found.append(time.perf_counter() - start)
    return min(found)


def main() -> None:
    data = Data()
    figures: dict[str, list[float]] = {}
    for _ in range(ROUNDS):
        for name, seconds in front_ends().items():
            figures.setdefault(name, []).append(seconds)
    with tempfile.TemporaryDirectory() as cache:
        os.environ["UNIFIED_GPU_CACHE"] = f"{cache}/ours"
        with Context("cpu") as ctx:
            everything = {"ours": ours(ctx, data), "by hand": (by_hand(data), None), "numba": with_numba(data, TRIES)}
            everything["Warp"] = with_warp(data, TRIES, f"{cache}/warp")
            everything["Taichi"] = with_taichi(data, TRIES, THREADS, fast=False)
            measure(everything, KERNELS[:-1], figures)
            first_launches({who: first for who, (_, first) in everything.items() if first}, figures)
            everything["Taichi"] = with_taichi(data, TRIES, THREADS, fast=True)
            measure(everything, [FAST], figures)
            print(json.dumps({"figures": figures, "device": ctx.device.name}))


def measure(
    everything: dict[str, tuple[Calls, First | None]], kernels: Sequence[str], figures: dict[str, list[float]]
) -> None:
    for calls, _ in everything.values():
        for name in kernels:
            if name in calls:
                calls[name]()  # compiled, and all memory there
    for _ in range(ROUNDS):
        for name in kernels:
            for who, (calls, _) in everything.items():
                if name in calls:
                    figures.setdefault(f"{name}: {who}", []).append(best(calls[name]))


def first_launches(firsts: dict[str, First], figures: dict[str, list[float]]) -> None:
    """Of a stencil with another factor each time; the caches of all are empty."""
    for number in range(ROUNDS):
        for who, first in firsts.items():
            start = time.perf_counter()
            first(number + 2)
            figures.setdefault(f"first launch: {who}", []).append(time.perf_counter() - start)


if __name__ == "__main__":
    main()
