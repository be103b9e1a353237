"""Kernels in Python that several programs measure: saxpy, a stencil, sums of blocks of 256; it measures nothing."""

from __future__ import annotations

from unified_gpu import Array, barrier, f32, global_id, group_id, kernel, local_id, local_size, shared


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
