"""Kernels in Python on the CPU, beside numba's and those by hand in C++; prints figures as JSON for `gpu.py`.

python benchmarks/gpu_kernels.py ROUNDS [THREADS]
"""

from __future__ import annotations

import ctypes
import json
import math
import os
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from unified_gpu import (
    Array,
    Context,
    atomic_add,
    barrier,
    f32,
    global_id,
    group_id,
    kernel,
    local_id,
    local_size,
    rsqrt,
    shared,
    u32,
)

ROUNDS, THREADS = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 2
os.environ.setdefault("NUMBA_NUM_THREADS", str(THREADS))
KERNELS = ("saxpy", "stencil", "reduction", "nbody", "nbody fast", "histogram", "transpose")
ELEMENTS, SIDE, BODIES, COUNTED = 10_000_000, 1024, 4096, 1 << 20
Calls = dict[str, Callable[[], object]]


@kernel
def saxpy(a: f32, x: Array[f32, 1], y: Array[f32, 1]):
    i = global_id(0)
    y[i] = a * x[i] + y[i]


@kernel
def stencil(source: Array[f32, 2], target: Array[f32, 2]):
    i, j = global_id(0), global_id(1)
    if 0 < i < source.shape[0] - 1 and 0 < j < source.shape[1] - 1:
        target[i, j] = 0.25 * (source[i - 1, j] + source[i + 1, j] + source[i, j - 1] + source[i, j + 1])


@kernel
def reduction(x: Array[f32, 1], sums: Array[f32, 1]):
    part = shared(f32, 256)
    t = local_id(0)
    part[t] = x[global_id(0)]
    half = local_size(0) // 2
    while half > 0:
        barrier()
        if t < half:
            part[t] += part[t + half]
        half //= 2
    if t == 0:
        sums[group_id(0)] = part[0]


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
        self.counts = np.zeros(64, np.uint32)


def ours(ctx: Context, data: Data) -> Calls:
    up = {name: ctx.alloc_upload(value, value.dtype) for name, value in vars(data).items()}
    stream = ctx.default_stream

    def launched(made: Any, size: Any, args: list[Any], local: Any = None) -> Callable[[], object]:
        def call() -> None:
            ctx.launch(made, size, args, local_size=local)
            stream.synchronize()

        return call

    bodies = [up["places"], up["force"], 0.01]
    return {
        "saxpy": launched(saxpy, ELEMENTS, [2.0, up["x"], up["y"]]),
        "stencil": launched(stencil, (SIDE, SIDE), [up["source"], up["target"]]),
        "reduction": launched(reduction, data.many.size, [up["many"], up["sums"]], 256),
        "nbody": launched(exact_nbody, BODIES, bodies),
        "nbody fast": launched(fast_nbody, BODIES, bodies),
        "histogram": launched(histogram, COUNTED, [up["numbers"], up["counts"]], 1024),
        "transpose": launched(transpose, (SIDE, SIDE), [up["source"], up["target"]], (16, 16)),
    }


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
        "histogram": lambda: library.histogram(two, ctypes.c_long(COUNTED), at(d.numbers), at(d.counts)),
        "transpose": lambda: library.transpose(two, side, at(d.source), at(d.target)),
    }


def with_numba(data: Data) -> Calls:
    try:
        import numba
    except ImportError:
        return {}
    fast, exact = numba.njit(parallel=True, fastmath=True), numba.njit(parallel=True)

    def saxpy_(a: Any, x: Any, y: Any) -> None:
        for i in numba.prange(y.size):
            y[i] = a * x[i] + y[i]

    def stencil_(source: Any, target: Any) -> None:
        for i in numba.prange(1, source.shape[0] - 1):
            for j in range(1, source.shape[1] - 1):
                near = source[i - 1, j] + source[i + 1, j] + source[i, j - 1] + source[i, j + 1]
                target[i, j] = np.float32(0.25) * near

    def reduction_(x: Any, sums: Any) -> None:
        for block in numba.prange(sums.size):
            part = x[block * 256 : block * 256 + 256].copy()
            half = 128
            while half > 0:
                for t in range(half):
                    part[t] += part[t + half]
                half //= 2
            sums[block] = part[0]

    def nbody_(places: Any, force: Any, soft: Any) -> None:
        for i in numba.prange(places.shape[1]):
            x, y, z = places[0, i], places[1, i], places[2, i]
            fx = fy = fz = np.float32(0)
            for j in range(places.shape[1]):
                dx, dy, dz = places[0, j] - x, places[1, j] - y, places[2, j] - z
                near = np.float32(1) / math.sqrt(dx * dx + dy * dy + dz * dz + soft)
                weight = near * near * near
                fx += dx * weight
                fy += dy * weight
                fz += dz * weight
            force[0, i], force[1, i], force[2, i] = fx, fy, fz

    def histogram_(x: Any, counts: Any) -> None:
        own = np.zeros((64, 64), np.uint32)
        for part in numba.prange(64):
            size = x.size // 64
            for i in range(part * size, part * size + size):
                own[part, x[i] % 64] += 1
        for k in range(64):
            for part in range(64):
                counts[k] += own[part, k]

    def transpose_(source: Any, target: Any) -> None:
        for block in numba.prange(source.shape[0] // 16):
            for column in range(0, source.shape[1], 16):
                for i in range(block * 16, block * 16 + 16):
                    for j in range(column, column + 16):
                        target[j, i] = source[i, j]

    made = {name: exact(f) for name, f in locals().copy().items() if name.endswith("_")}
    d, soft = data, np.float32(0.01)
    quick = fast(nbody_)
    return {
        "saxpy": lambda: made["saxpy_"](np.float32(2), d.x, d.y),
        "stencil": lambda: made["stencil_"](d.source, d.target),
        "reduction": lambda: made["reduction_"](d.many, d.sums),
        "nbody": lambda: made["nbody_"](d.places, d.force, soft),
        "nbody fast": lambda: quick(d.places, d.force, soft),
        "histogram": lambda: made["histogram_"](d.numbers, d.counts),
        "transpose": lambda: made["transpose_"](d.source, d.target),
    }


def best(call: Callable[[], object]) -> float:
    """The shortest of five runs."""
    found = []
    for _ in range(5):
        start = time.perf_counter()
        call()
        found.append(time.perf_counter() - start)
    return min(found)


def main() -> None:
    data = Data()
    figures: dict[str, list[float]] = {}
    with Context("cpu") as ctx:
        everything = {"ours": ours(ctx, data), "by hand": by_hand(data), "numba": with_numba(data)}
        for calls in everything.values():
            for call in calls.values():
                call()  # compiled, and all memory there
        for _ in range(ROUNDS):
            for name in KERNELS:
                for who, calls in everything.items():
                    if name in calls:
                        figures.setdefault(f"{name}: {who}", []).append(best(calls[name]))
        print(json.dumps({"figures": figures, "device": ctx.device.name}))


if __name__ == "__main__":
    main()
