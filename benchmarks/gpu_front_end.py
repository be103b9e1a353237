"""A kernel of 50 lines, to time what the compiler of kernels itself takes: no launch, no other compiler."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping

from unified_gpu import Array, PythonKernel, atomic_max, barrier, f32, global_id, i32, kernel, local_id, shared

SHORTEST_OF = 5


def fresh() -> PythonKernel:
    """Of a function that the compiler has not seen."""

    @kernel
    def smooth(source: Array[f32, 2], target: Array[f32, 2], most: Array[i32, 1], reach: i32, near: f32, alike: f32):
        i, j = global_id(0), global_id(1)
        y, x = local_id(0), local_id(1)
        rows, columns = source.shape[0], source.shape[1]
        tile = shared(f32, (16, 16))
        peaks = shared(f32, 256)
        inside = i < rows and j < columns
        here = f32(0)
        if inside:
            here = source[i, j]
        tile[y, x] = here
        peaks[y * 16 + x] = here
        barrier()
        total, weights = f32(0), f32(0)
        for dy in range(-reach, reach + 1):
            for dx in range(-reach, reach + 1):
                row, column = i + dy, j + dx
                if row < 0 or row >= rows or column < 0 or column >= columns:
                    continue
                other = source[row, column]
                if 0 <= y + dy < 16 and 0 <= x + dx < 16:
                    other = tile[y + dy, x + dx]
                distance = f32(dx * dx + dy * dy) * near
                step = (other - here) * alike
                weight = math.exp(-distance - step * step)
                total += weight * other
                weights += weight
        smoothed = here
        if weights > 1e-6:
            smoothed = total / weights
        slope = f32(0)
        if 0 < i < rows - 1 and 0 < j < columns - 1:
            down = source[i + 1, j] - source[i - 1, j]
            right = source[i, j + 1] - source[i, j - 1]
            slope = math.sqrt(down * down + right * right)
        half = 128
        while half > 0:
            barrier()
            if y * 16 + x < half:
                peaks[y * 16 + x] = max(peaks[y * 16 + x], peaks[y * 16 + x + half])
            half //= 2
        if y == 0 and x == 0:
            atomic_max(most, 0, i32(peaks[0] * 1000.0))
        if inside:
            result = smoothed + 0.1 * slope
            if slope > 0.5:
                result = 0.5 * (result + here)
            elif slope < 0.01:
                result = smoothed
            target[i, j] = min(max(result, 0.0), 1.0)

    return smooth


TYPES = Array[f32, 2], Array[f32, 2], Array[i32, 1], i32, f32, f32
PRINTED: Mapping[str, Callable[[], object]] = {
    "C++": lambda: fresh().source("cpu", *TYPES, rank=2),
    "CUDA C": lambda: fresh().source("cuda", *TYPES, rank=2),
    "SPIR-V": lambda: fresh().spirv(*TYPES, rank=2),
}
"""From the Python function to what is compiled next."""


def front_ends() -> dict[str, float]:
    """Seconds of each, the shortest of some."""
    found = {}
    for name, made in PRINTED.items():
        times = []
        for _ in range(SHORTEST_OF):
            start = time.perf_counter()
            made()
            times.append(time.perf_counter() - start)
        found[f"front end: {name}"] = min(times)
    return found
