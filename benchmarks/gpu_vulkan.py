"""Kernels over Vulkan, beside wgpu-py's and Taichi's on the same driver; prints figures as JSON for `gpu.py`.

python benchmarks/gpu_vulkan.py ROUNDS [THREADS]

wgpu-py has its kernels in WGSL. `launch` is 200 launches of 64 threads, one submitted after the other, and `batched`
the same in as few submits as the library makes of them; both until the last is done. By hand in C++, which
VULKAN_BY_HAND says where to find, they are launches of our kernel by the driver alone. `queued` is the time of the
calling thread alone.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import struct
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from gpu_kernels import ELEMENTS, SIDE, best
from gpu_plain_kernels import reduction, saxpy, stencil

from unified_gpu import Array, Context, f32, global_id, kernel

KERNELS = ("saxpy", "stencil", "reduction", "launch", "batched")
LAUNCHES, SWEEPS = 200, 10
BLOCK, FEW = 256, 64
SUMMED = ELEMENTS // BLOCK * BLOCK
Calls = dict[str, Callable[[], object]]


@kernel
def step(x: Array[f32, 1]):
    i = global_id(0)
    x[i] = x[i] * 0.5 + 1.0


def ours(ctx: Context) -> Calls:
    rng = np.random.default_rng(0)
    x, y = (ctx.alloc_upload(rng.standard_normal(ELEMENTS).astype(np.float32)) for _ in range(2))
    source, target = (ctx.alloc_upload(rng.standard_normal((SIDE, SIDE)).astype(np.float32)) for _ in range(2))
    sums, few, stream = ctx.alloc(ELEMENTS // BLOCK), ctx.alloc_zeros(FEW), ctx.default_stream

    def several(count: int, made: Any, size: Any, args: list[Any], local: int | None = None) -> Callable[[], object]:
        def call() -> None:
            for _ in range(count):
                ctx.launch(made, size, args, local_size=local)
            stream.synchronize()

        return call

    def queued() -> None:
        for _ in range(LAUNCHES):
            ctx.launch(step, FEW, [few], local_size=FEW)

    return {
        "saxpy": several(1, saxpy, ELEMENTS, [2.0, x, y]),
        "stencil": several(SWEEPS, stencil, (SIDE, SIDE), [source, target]),
        "reduction": several(1, reduction, SUMMED, [x[:SUMMED], sums], BLOCK),
        "launch": several(LAUNCHES, step, FEW, [few], FEW),
        "batched": several(LAUNCHES, step, FEW, [few], FEW),
        "queued": queued,
    }


def by_hand() -> Calls:
    """Launches by vulkan_by_hand.cpp; none where it cannot."""
    path = os.environ.get("VULKAN_BY_HAND", "")
    if not path:
        return {}
    library = ctypes.CDLL(path)
    module, sizes = step.spirv(Array[f32, 1], rank=1), struct.pack("=ii", FEW, FEW)
    library.start.restype = ctypes.c_char_p
    failure = library.start(module, ctypes.c_size_t(len(module)), sizes, ctypes.c_size_t(len(sizes)), FEW, LAUNCHES)
    if failure:
        print(f"not available: Vulkan by hand: {failure.decode()}", file=sys.stderr)
        return {}
    library.result.restype = ctypes.POINTER(ctypes.c_float)
    library.batched(1)
    library.launch(1)
    assert library.result()[:FEW] == [1.5] * FEW, "a thread has not run"
    return {"launch": lambda: library.launch(LAUNCHES), "batched": lambda: library.batched(LAUNCHES)}


SAXPY = """
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) at: vec3<u32>) {
    if (at.x < arrayLength(&y)) { y[at.x] = 2.0 * x[at.x] + y[at.x]; }
}
"""
STENCIL = """
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> b: array<f32>;
@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) at: vec3<u32>) {
    let i = at.y; let j = at.x; let n = 1024u;
    if (i > 0u && i < n - 1u && j > 0u && j < n - 1u) {
        b[i * n + j] = 0.25 * (a[(i - 1u) * n + j] + a[(i + 1u) * n + j] + a[i * n + j - 1u] + a[i * n + j + 1u]);
    }
}
"""
REDUCTION = """
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> sums: array<f32>;
var<workgroup> part: array<f32, 256>;
@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) at: vec3<u32>, @builtin(local_invocation_id) own: vec3<u32>,
        @builtin(workgroup_id) group: vec3<u32>) {
    let t = own.x;
    part[t] = x[at.x];
    for (var half = 128u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if (t < half) { part[t] += part[t + half]; }
    }
    if (t == 0u) { sums[group.x] = part[0]; }
}
"""
STEP = """
@group(0) @binding(0) var<storage, read_write> x: array<f32>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) at: vec3<u32>) { x[at.x] = x[at.x] * 0.5 + 1.0; }
"""


def with_wgpu() -> Calls:
    """The same in WGSL; nothing where wgpu-py is not installed, or has no adapter for Vulkan."""
    try:
        import wgpu
    except ImportError:
        return {}
    adapters = [each for each in wgpu.gpu.enumerate_adapters_sync() if each.info["backend_type"] == "Vulkan"]
    if not adapters:
        return {}
    limits = {"max-storage-buffer-binding-size": 1 << 27, "max-buffer-size": 1 << 28}
    device = adapters[0].request_device_sync(required_limits=limits)
    use = wgpu.BufferUsage.STORAGE | wgpu.BufferUsage.COPY_SRC
    rng = np.random.default_rng(0)

    def buffer(size: int) -> Any:
        return device.create_buffer_with_data(data=rng.standard_normal(size).astype(np.float32), usage=use)

    def several(source: str, buffers: list[Any], groups: tuple[int, int], count: int, in_one: bool) -> Any:
        module = device.create_shader_module(code=source)
        pipeline = device.create_compute_pipeline(layout="auto", compute={"module": module, "entry_point": "main"})
        entries = [{"binding": i, "resource": {"buffer": each}} for i, each in enumerate(buffers)]
        bound = device.create_bind_group(layout=pipeline.get_bind_group_layout(0), entries=entries)
        done = buffers[-1]

        def commands(times: int) -> Any:
            encoder = device.create_command_encoder()
            compute = encoder.begin_compute_pass()
            compute.set_pipeline(pipeline)
            compute.set_bind_group(0, bound)
            for _ in range(times):
                compute.dispatch_workgroups(*groups)
            compute.end()
            return encoder.finish()

        def call() -> None:
            if in_one:
                device.queue.submit([commands(count)])
            else:
                for _ in range(count):
                    device.queue.submit([commands(1)])
            device.queue.read_buffer(done, 0, 4)  # which waits

        return call

    x, y, source, target = buffer(ELEMENTS), buffer(ELEMENTS), buffer(SIDE * SIDE), buffer(SIDE * SIDE)
    few, sums = buffer(64), buffer(ELEMENTS // BLOCK)
    return {
        "saxpy": several(SAXPY, [x, y], (-(-ELEMENTS // BLOCK), 1), 1, True),
        "stencil": several(STENCIL, [source, target], (SIDE // BLOCK, SIDE), SWEEPS, True),
        "reduction": several(REDUCTION, [x, sums], (SUMMED // BLOCK, 1), 1, True),
        "launch": several(STEP, [few], (1, 1), LAUNCHES, False),
        "batched": several(STEP, [few], (1, 1), LAUNCHES, True),
    }


def with_taichi() -> Calls:
    """Saxpy and the stencil as Taichi has them; nothing where it is not installed, or has no Vulkan."""
    try:
        with contextlib.redirect_stdout(sys.stderr):  # it says which version it is
            import taichi as ti

            ti.init(arch=ti.vulkan, log_level=ti.ERROR)
    except ImportError:
        return {}
    if ti.lang.impl.current_cfg().arch != ti.vulkan:
        return {}
    x, y = (ti.ndarray(ti.f32, ELEMENTS) for _ in range(2))
    source, target = (ti.ndarray(ti.f32, (SIDE, SIDE)) for _ in range(2))
    few = ti.ndarray(ti.f32, 64)

    def saxpy_(a: ti.types.ndarray(), b: ti.types.ndarray()):  # type: ignore[valid-type]
        for i in b:
            b[i] = 2.0 * a[i] + b[i]

    def stencil_(a: ti.types.ndarray(), b: ti.types.ndarray()):  # type: ignore[valid-type]
        for i, j in b:
            if 0 < i < SIDE - 1 and 0 < j < SIDE - 1:
                b[i, j] = 0.25 * (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1])

    def step_(a: ti.types.ndarray()):  # type: ignore[valid-type]
        for i in a:
            a[i] = a[i] * 0.5 + 1.0

    def several(made: Any, count: int, *arrays: Any) -> Callable[[], object]:
        def call() -> None:
            for _ in range(count):
                made(*arrays)
            ti.sync()

        return call

    for each in (saxpy_, stencil_, step_):  # Taichi reads annotations as they are
        each.__annotations__ = {name: ti.types.ndarray() for name in each.__annotations__ if name != "return"}
    return {
        "saxpy": several(ti.kernel(saxpy_), 1, x, y),
        "stencil": several(ti.kernel(stencil_), SWEEPS, source, target),
        "batched": several(ti.kernel(step_), LAUNCHES, few),
    }


def main() -> None:
    rounds = int(sys.argv[1])
    figures: dict[str, list[float]] = {}
    with Context("vulkan") as ctx:
        everything = {"ours": ours(ctx), "by hand": by_hand(), "wgpu-py": with_wgpu(), "Taichi": with_taichi()}
        for calls in everything.values():
            for call in calls.values():
                call()
        for _ in range(rounds):
            for name in KERNELS:
                for who, calls in everything.items():
                    if name in calls:
                        per = LAUNCHES if name in ("launch", "batched") else 1
                        figures.setdefault(f"{name}: {who}", []).append(best(calls[name]) / per)
            figures.setdefault("queued: ours", []).append(queued(everything["ours"], ctx))
        print(json.dumps({"figures": figures, "device": ctx.device.name}))


def queued(calls: Calls, ctx: Context) -> float:
    """The processor's time of the calling thread for one launch: the shortest of five runs."""
    found = []
    for _ in range(5):
        ctx.sync()
        start = time.thread_time()
        calls["queued"]()
        found.append(time.thread_time() - start)
    return min(found) / LAUNCHES


if __name__ == "__main__":
    main()
