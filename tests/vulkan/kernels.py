"""Kernels that the tests launch, and how their arguments are packed."""

from __future__ import annotations

import math
import struct
from typing import Any

from unified_gpu import (
    Array,
    atomic_add,
    barrier,
    f16,
    f32,
    f64,
    global_id,
    i8,
    i32,
    kernel,
    local_id,
    local_size,
    shared,
)
from unified_gpu.kernels.compiler.spirv.values import pushed
from unified_gpu.kernels.decorated.definition import PythonKernel


@kernel
def axpy(a: f32, x: Array[f32, 1], y: Array[f32, 1]):
    i = global_id(0)
    y[i] = a * x[i] + y[i]


@kernel
def count_each(x: Array[f32, 2]):
    x[global_id(0), global_id(1)] += 1.0


@kernel
def add_each(x: Array[f32, 2], y: Array[f32, 2]):
    i, j = global_id(0), global_id(1)
    x[i, j] += y[i, j]


@kernel
def step(x: Array[i32, 1]):
    i = global_id(0)
    x[i] = x[i] * 3 + 1


@kernel
def slow(x: Array[i32, 1], rounds: i32):
    i = global_id(0)
    for _ in range(rounds):
        x[i] = (x[i] * 1103515245 + 12345) & 65535


@kernel
def sum_of_halves(total: Array[f64, 1]):
    atomic_add(total, 0, 0.5)


@kernel
def takes_a_number(a: f32):
    b = a * 2.0
    b += 1.0


class Loaded:
    """A kernel on a device."""

    def __init__(self, vk: Any, python: PythonKernel, device: int = 0) -> None:
        function = python._for_types((), None).function
        self.vk = vk
        self.layout = pushed(function)
        self.handle = vk.kernel_load(python.spirv(), self.layout.size, device=device)

    def pack(self, threads: int, *values: Any) -> bytes:
        """The arguments; of an array its memory, whose elements have 4 bytes."""
        result, following = bytearray(self.handle.argument_bytes()), iter(values)
        memory: Any = None
        for field, dtype, at in self.layout.places:
            if field.is_pointer:
                memory = next(following)
                value = memory.pointer()
            elif field.name.startswith("global_size"):
                value = threads
            elif "." in field.name:
                value = memory.size() // 4
            else:
                value = next(following)
            struct.pack_into(f"={dtype.format}", result, at, value)
        return bytes(result)

    def __call__(self, stream: Any, threads: int, *values: Any) -> None:
        self.vk.launch(self.handle, [-(-threads // 128), 1, 1], [128, 1, 1], self.pack(threads, *values), stream)


@kernel
def far_arguments(
    a: Array[f32, 2], b: Array[f32, 2], c: Array[f32, 2], d: Array[f32, 2], out: Array[f32, 2], narrow: i8, half: f16
):
    i, j = global_id(0), global_id(1)
    out[i, j] = a[i, j] + b[i, j] * c[i, j] - d[i, j] + f32(narrow) + f32(half)


@kernel
def much_shared(x: Array[f32, 1]):
    part = shared(f32, 12000)
    part[local_id(0)] = x[global_id(0)]
    barrier()
    x[global_id(0)] = part[local_size(0) - 1 - local_id(0)]


@kernel
def needs_erf(x: Array[f64, 1]):
    i = global_id(0)
    x[i] = math.erf(x[i])
