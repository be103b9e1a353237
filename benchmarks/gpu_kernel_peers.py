"""The kernels of `gpu_kernels.py` in numba, Taichi and Warp on the CPU, as their users write them; it measures nothing.

numba's are loops of `prange`. Taichi and Warp have no barriers on the CPU, so that a thread sums a block there, and
Warp runs the threads of a launch one after the other. Annotations are evaluated here: both want types in them.
"""

import contextlib
import math
import os
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

Calls = dict[str, Callable[[], object]]
First = Callable[[int], object]
"""Makes and launches a kernel that was not compiled before, another one for each number."""


def with_numba(data: Any, tries: int) -> tuple[Calls, First | None]:
    try:
        import numba
    except ImportError:
        return {}, None
    fast, exact = numba.njit(parallel=True, fastmath=True), numba.njit(parallel=True)
    u32 = np.uint32

    def saxpy(a: Any, x: Any, y: Any) -> None:
        for i in numba.prange(y.size):
            y[i] = a * x[i] + y[i]

    def stencil(source: Any, target: Any) -> None:
        for i in numba.prange(1, source.shape[0] - 1):
            for j in range(1, source.shape[1] - 1):
                near = source[i - 1, j] + source[i + 1, j] + source[i, j - 1] + source[i, j + 1]
                target[i, j] = np.float32(0.25) * near

    def reduction(x: Any, sums: Any) -> None:
        for block in numba.prange(sums.size):
            part = x[block * 256 : block * 256 + 256].copy()
            half = 128
            while half > 0:
                for t in range(half):
                    part[t] += part[t + half]
                half //= 2
            sums[block] = part[0]

    def nbody(places: Any, force: Any, soft: Any) -> None:
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

    def monte_carlo(threads: int, tries: int, hits: Any) -> None:
        total = u32(0)
        for i in numba.prange(threads):
            s = u32(u32(i) * u32(2654435769) + u32(1))
            inside = u32(0)
            for _ in range(tries):
                s = u32(s ^ u32(s << u32(13)))
                s = u32(s ^ u32(s >> u32(17)))
                s = u32(s ^ u32(s << u32(5)))
                x = np.float32(s >> u32(8)) * np.float32(1.0 / 16777216.0)
                s = u32(s ^ u32(s << u32(13)))
                s = u32(s ^ u32(s >> u32(17)))
                s = u32(s ^ u32(s << u32(5)))
                y = np.float32(s >> u32(8)) * np.float32(1.0 / 16777216.0)
                if x * x + y * y < np.float32(1):
                    inside += u32(1)
            total += inside
        hits[0] += total

    def histogram(x: Any, counts: Any) -> None:
        own = np.zeros((64, 64), np.uint32)
        for part in numba.prange(64):
            size = x.size // 64
            for i in range(part * size, part * size + size):
                own[part, x[i] % 64] += 1
        for k in range(64):
            for part in range(64):
                counts[k] += own[part, k]

    def transpose(source: Any, target: Any) -> None:
        for block in numba.prange(source.shape[0] // 16):
            for column in range(0, source.shape[1], 16):
                for i in range(block * 16, block * 16 + 16):
                    for j in range(column, column + 16):
                        target[j, i] = source[i, j]

    def first(number: int) -> None:
        weight = np.float32(number)

        def fresh(source: Any, target: Any) -> None:
            for i in numba.prange(1, source.shape[0] - 1):
                for j in range(1, source.shape[1] - 1):
                    near = source[i - 1, j] + source[i + 1, j] + source[i, j - 1] + source[i, j + 1]
                    target[i, j] = weight * near

        exact(fresh)(data.source, data.target)

    kernels = (saxpy, stencil, reduction, nbody, monte_carlo, histogram, transpose)
    made = {f.__name__: exact(f) for f in kernels}
    d, soft, quick = data, np.float32(0.01), fast(nbody)
    return {
        "saxpy": lambda: made["saxpy"](np.float32(2), d.x, d.y),
        "stencil": lambda: made["stencil"](d.source, d.target),
        "reduction": lambda: made["reduction"](d.many, d.sums),
        "nbody": lambda: made["nbody"](d.places, d.force, soft),
        "nbody fast": lambda: quick(d.places, d.force, soft),
        "Monte Carlo": lambda: made["monte_carlo"](d.walkers, tries, d.hits),
        "histogram": lambda: made["histogram"](d.numbers, d.counts),
        "transpose": lambda: made["transpose"](d.source, d.target),
    }, first


def with_taichi(data: Any, tries: int, threads: int, *, fast: bool) -> tuple[Calls, First | None]:
    """With mathematics that are fast, or exact, for all of them."""
    os.environ["ENABLE_TAICHI_HEADER_PRINT"] = "0"
    try:
        import taichi as ti
    except ImportError:
        return {}, None
    with contextlib.redirect_stdout(sys.stderr):
        ti.init(arch=ti.cpu, cpu_max_num_threads=threads, fast_math=fast, offline_cache=False, log_level=ti.WARN)
    one, two = ti.types.ndarray(ti.f32, 1), ti.types.ndarray(ti.f32, 2)
    whole = ti.types.ndarray(ti.u32, 1)

    def up(array: Any, dtype: Any = ti.f32) -> Any:
        result = ti.ndarray(dtype, array.shape)
        result.from_numpy(array)
        return result

    @ti.kernel
    def saxpy(a: ti.f32, x: one, y: one):
        for i in range(y.shape[0]):
            y[i] = a * x[i] + y[i]

    @ti.kernel
    def stencil(source: two, target: two):
        for i, j in ti.ndrange((1, source.shape[0] - 1), (1, source.shape[1] - 1)):
            target[i, j] = 0.25 * (source[i - 1, j] + source[i + 1, j] + source[i, j - 1] + source[i, j + 1])

    @ti.kernel
    def reduction(x: one, sums: one):
        for block in range(sums.shape[0]):
            total = ti.cast(0, ti.f32)
            for t in range(256):
                total += x[block * 256 + t]
            sums[block] = total

    @ti.kernel
    def nbody(places: two, force: two, soft: ti.f32):
        for i in range(places.shape[1]):
            x, y, z = places[0, i], places[1, i], places[2, i]
            fx, fy, fz = ti.cast(0, ti.f32), ti.cast(0, ti.f32), ti.cast(0, ti.f32)
            for j in range(places.shape[1]):
                dx, dy, dz = places[0, j] - x, places[1, j] - y, places[2, j] - z
                near = 1.0 / ti.sqrt(dx * dx + dy * dy + dz * dz + soft)
                weight = near * near * near
                fx += dx * weight
                fy += dy * weight
                fz += dz * weight
            force[0, i], force[1, i], force[2, i] = fx, fy, fz

    @ti.func
    def xorshift(s):
        s ^= s << 13
        s ^= ti.bit_shr(s, 17)
        s ^= s << 5
        return s

    @ti.kernel
    def monte_carlo(count: ti.i32, tries: ti.i32, hits: whole):
        for i in range(count):
            s = ti.cast(i, ti.u32) * ti.cast(-1640531527, ti.u32) + ti.cast(1, ti.u32)
            inside = ti.cast(0, ti.u32)
            for _ in range(tries):
                s = xorshift(s)
                x = ti.cast(ti.bit_shr(s, 8), ti.f32) * (1.0 / 16777216.0)
                s = xorshift(s)
                y = ti.cast(ti.bit_shr(s, 8), ti.f32) * (1.0 / 16777216.0)
                if x * x + y * y < 1.0:
                    inside += ti.cast(1, ti.u32)
            hits[0] += inside

    @ti.kernel
    def histogram(x: whole, counts: whole):
        for i in range(x.shape[0]):
            counts[x[i] % 64] += ti.cast(1, ti.u32)

    @ti.kernel
    def transpose(source: two, target: two):
        for i, j in ti.ndrange(source.shape[0], source.shape[1]):
            target[j, i] = source[i, j]

    d = data
    x, y, many, sums = up(d.x), up(d.y), up(d.many), up(d.sums)
    source, target, places, force = up(d.source), up(d.target), up(d.places), up(d.force)
    numbers, counts, hits = up(d.numbers, ti.u32), up(d.counts, ti.u32), up(d.hits, ti.u32)

    def first(number: int) -> None:
        weight = float(number)

        @ti.kernel
        def fresh(source: two, target: two):
            for i, j in ti.ndrange((1, source.shape[0] - 1), (1, source.shape[1] - 1)):
                target[i, j] = weight * (source[i - 1, j] + source[i + 1, j] + source[i, j - 1] + source[i, j + 1])

        fresh(source, target)
        ti.sync()

    def done(kernel: Any, *args: Any) -> Callable[[], object]:
        def call() -> None:
            kernel(*args)
            ti.sync()

        return call

    if fast:
        return {"nbody fast": done(nbody, places, force, 0.01)}, None
    return {
        "saxpy": done(saxpy, 2.0, x, y),
        "stencil": done(stencil, source, target),
        "reduction": done(reduction, many, sums),
        "nbody": done(nbody, places, force, 0.01),
        "Monte Carlo": done(monte_carlo, d.walkers, tries, hits),
        "histogram": done(histogram, numbers, counts),
        "transpose": done(transpose, source, target),
    }, first


def with_warp(data: Any, tries: int, cache: str) -> tuple[Calls, First | None]:
    try:
        import warp as wp
    except ImportError:
        return {}, None
    wp.config.quiet, wp.config.kernel_cache_dir = True, cache
    one, two, whole = wp.array(dtype=wp.float32), wp.array2d(dtype=wp.float32), wp.array(dtype=wp.uint32)

    def saxpy(a: wp.float32, x: one, y: one):
        i = wp.tid()
        y[i] = a * x[i] + y[i]

    def stencil(source: two, target: two):
        i, j = wp.tid()
        if i > 0 and i < source.shape[0] - 1 and j > 0 and j < source.shape[1] - 1:
            target[i, j] = 0.25 * (source[i - 1, j] + source[i + 1, j] + source[i, j - 1] + source[i, j + 1])

    def reduction(x: one, sums: one):
        block = wp.tid()
        total = wp.float32(0.0)
        for t in range(256):
            total += x[block * 256 + t]
        sums[block] = total

    def nbody(places: two, force: two, soft: wp.float32):
        i = wp.tid()
        x, y, z = places[0, i], places[1, i], places[2, i]
        fx = wp.float32(0.0)
        fy = wp.float32(0.0)
        fz = wp.float32(0.0)
        for j in range(places.shape[1]):
            dx = places[0, j] - x
            dy = places[1, j] - y
            dz = places[2, j] - z
            near = 1.0 / wp.sqrt(dx * dx + dy * dy + dz * dz + soft)
            weight = near * near * near
            fx += dx * weight
            fy += dy * weight
            fz += dz * weight
        force[0, i] = fx
        force[1, i] = fy
        force[2, i] = fz

    def monte_carlo(tries: wp.int32, hits: whole):
        s = wp.uint32(wp.tid()) * wp.uint32(2654435769) + wp.uint32(1)
        inside = wp.uint32(0)
        for _ in range(tries):
            s = s ^ (s << wp.uint32(13))
            s = s ^ (s >> wp.uint32(17))
            s = s ^ (s << wp.uint32(5))
            x = wp.float32(s >> wp.uint32(8)) * wp.float32(1.0 / 16777216.0)
            s = s ^ (s << wp.uint32(13))
            s = s ^ (s >> wp.uint32(17))
            s = s ^ (s << wp.uint32(5))
            y = wp.float32(s >> wp.uint32(8)) * wp.float32(1.0 / 16777216.0)
            if x * x + y * y < 1.0:
                inside += wp.uint32(1)
        wp.atomic_add(hits, 0, inside)

    def histogram(x: whole, counts: whole):
        wp.atomic_add(counts, wp.int32(x[wp.tid()] % wp.uint32(64)), wp.uint32(1))

    def transpose(source: two, target: two):
        i, j = wp.tid()
        target[j, i] = source[i, j]

    kernels = (saxpy, stencil, reduction, nbody, monte_carlo, histogram, transpose)
    made = {f.__name__: wp.kernel(f, enable_backward=False) for f in kernels}
    d = data
    up = {
        name: wp.array(value, dtype=wp.uint32 if value.dtype == np.uint32 else wp.float32, device="cpu")
        for name, value in vars(d).items()
        if isinstance(value, np.ndarray)
    }

    def launched(name: str, dim: Any, *args: Any) -> Callable[[], object]:
        return lambda: wp.launch(made[name], dim=dim, inputs=list(args), device="cpu")

    def first(number: int) -> None:
        weight = wp.constant(wp.float32(number))

        def fresh(source: two, target: two):
            i, j = wp.tid()
            if i > 0 and i < source.shape[0] - 1 and j > 0 and j < source.shape[1] - 1:
                target[i, j] = weight * (source[i - 1, j] + source[i + 1, j] + source[i, j - 1] + source[i, j + 1])

        kernel = wp.kernel(fresh, enable_backward=False, module="unique")
        wp.launch(kernel, dim=d.source.shape, inputs=[up["source"], up["target"]], device="cpu")

    bodies = launched("nbody", d.places.shape[1], up["places"], up["force"], 0.01)
    return {
        "saxpy": launched("saxpy", d.x.size, 2.0, up["x"], up["y"]),
        "stencil": launched("stencil", d.source.shape, up["source"], up["target"]),
        "reduction": launched("reduction", d.sums.size, up["many"], up["sums"]),
        "nbody": bodies,
        "nbody fast": bodies,
        "Monte Carlo": launched("monte_carlo", d.walkers, tries, up["hits"]),
        "histogram": launched("histogram", d.numbers.size, up["numbers"], up["counts"]),
        "transpose": launched("transpose", d.source.shape, up["source"], up["target"]),
    }, first
