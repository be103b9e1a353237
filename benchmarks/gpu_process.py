"""One process of gpu.py: measures one thing on the device that the environment names, prints figures as JSON.

python gpu_process.py overlap|overhead|allocation|elementwise|device ROUNDS
"""

from __future__ import annotations

import ctypes
import importlib
import json
import os
import statistics
import sys
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from unified_gpu import Context, GpuArray, Kernel, Pipeline

Figures = dict[str, list[float]]
"""By measurement: one figure a round, in seconds unless its name says otherwise."""

BATCHES = 32
STAGE_US = 4000
"""How long a stage of `overlap` takes; gpu.py sets the link's latency to the same."""
CALLS = 200
ELEMENTS = 10_000_000
LARGE = 256 << 20
EMPTY = 'extern "C" __global__ void empty(const float *x, float *y, int count) {}'


def overlap(ctx: Context, rounds: int) -> Figures:
    """The same batches one after the other and in a pipeline, with one and with two stages' time of computing."""
    found: Figures = {}
    batches = [np.full(1000, number, np.float32) for number in range(BATCHES)]
    for _ in range(rounds):
        for name, stages in (("balanced", 1), ("computing twice as long", 2)):
            compute = lasting(ctx, stages)
            compute(ctx.alloc_upload(batches[0])).download()  # compiles
            start = time.perf_counter()
            for batch in batches:
                compute(ctx.alloc_upload(batch)).download()
            sequential = time.perf_counter() - start
            with Pipeline(ctx) as pipe:
                list(pipe.map(batches[:3], compute))  # takes its buffers
                start = time.perf_counter()
                for _ in pipe.map(batches, compute):
                    pass
                seconds = time.perf_counter() - start
                trace = pipe.trace()
            times = [
                statistics.median(span.end - span.begin for span in trace.spans if span.lane == lane)
                for lane in trace.lanes
            ]
            values = {"sequential": sequential, "pipeline": seconds, "bound": sum(times) / max(times)}
            values["computing"] = trace.busy("compute") / 1000
            for what, value in values.items():
                found.setdefault(f"{name}: {what}", []).append(value)
    return found


def lasting(ctx: Context, stages: int) -> Callable[[GpuArray], GpuArray]:
    """A computation of so many stages' time: a delay on the CPU, as many operations on a device with latency."""
    if ctx.backend_name == "cpu":
        import cpu_ffi

        def delayed(x: GpuArray) -> GpuArray:
            stream = ctx.current_stream.handle
            assert isinstance(stream, cpu_ffi.CpuStream)
            cpu_ffi.stream_delay(stream, float(STAGE_US * stages))
            return x

        return delayed

    def filled(x: GpuArray) -> GpuArray:
        for _ in range(stages):
            x.fill(1.0)
        return x

    return filled


def overhead(ctx: Context, rounds: int) -> Figures:
    """Processor seconds of a call of ours, and of the generated package's own; queued work is waited for apart."""
    package = importlib.import_module({"cpu": "cpu_ffi", "cuda": "cuda_ffi", "torch": "torch_ffi"}[ctx.backend_name])
    stream = ctx.create_stream()
    x, y = ctx.alloc(256), ctx.alloc(256)
    pinned = ctx.alloc_pinned(256)
    kernel = Kernel.from_source(EMPTY, "empty")
    with stream:
        ctx.launch(kernel, global_size=1, local_size=1, args=[x, y, 256])
    handle, raw_stream = next(iter(ctx.kernels.values())).handle, stream.handle
    memory, other = x._operand().memory, y._operand().memory
    host, ordinary, element = memoryview(pinned.bytes), bytearray(1024), bytearray(4)
    arguments = x.pointer.to_bytes(8, "little") + y.pointer.to_bytes(8, "little") + (256).to_bytes(4, "little")
    calls: dict[str, tuple[Callable[[], object], Callable[[], object]]] = {
        "launch": (
            lambda: ctx.launch(kernel, global_size=1, local_size=1, args=[x, y, 256], stream=stream),
            lambda: package.launch(handle, [1, 1, 1], [1, 1, 1], 0, arguments, [0, 8, 16], raw_stream),
        ),
        "upload": (
            lambda: x.upload(pinned, stream=stream, non_blocking=True),
            lambda: package.memcpy_host_to_device_async(memory, host, raw_stream),
        ),
        "download": (
            lambda: x.download(pinned, stream=stream, non_blocking=True),
            lambda: package.memcpy_device_to_host_async(host, memory, raw_stream),
        ),
        "blocking download": (
            lambda: x.download(ordinary, stream=stream),
            lambda: (package.memcpy_device_to_host_async(ordinary, memory, raw_stream), raw_stream.synchronize()),
        ),
        "one element": (
            lambda: x[0:1].item(stream=stream),
            lambda: (package.memcpy_device_to_host_async(element, memory, raw_stream), raw_stream.synchronize()),
        ),
        "copy": (
            lambda: x.copy_to(y, stream=stream),
            lambda: package.memcpy_device_to_device_async(other, memory, 1024, raw_stream),
        ),
    }
    found: Figures = {}
    for _ in range(rounds):
        for name, (ours, theirs) in calls.items():
            for whose, call in (("ours", ours), ("package", theirs)):
                found.setdefault(f"{name}: {whose}", []).append(processor_seconds(call, stream.synchronize))
    return found


def processor_seconds(call: Callable[[], object], wait: Callable[[], object]) -> float:
    """Of this thread, for one call; the shortest of several runs, as other work only adds."""
    best = float("inf")
    for _ in range(5):
        start = time.thread_time()
        for _ in range(CALLS):
            call()
        best = min(best, (time.thread_time() - start) / CALLS)
        wait()
    return best


def allocation(ctx: Context, rounds: int) -> Figures:
    """An array made and let go, in processor seconds; CuPy's pool does the same where it can."""
    cupy = gpu_library("cupy") if ctx.backend_name != "cpu" else None
    found: Figures = {}
    for _ in range(rounds):
        found.setdefault("ours", []).append(processor_seconds(lambda: ctx.alloc(1000), ctx.sync))
        if cupy is not None:
            found.setdefault("cupy", []).append(processor_seconds(lambda: cupy.empty(1000, "f4"), ctx.sync))
    return found


def elementwise(ctx: Context, rounds: int) -> Figures:
    """Operations on 10 million f32, ours and NumPy's, and by hand in C++, all into memory that is there."""
    a, b = (np.linspace(0.5, 1.5, ELEMENTS, dtype=np.float32) for _ in range(2))
    out = np.empty_like(a)
    x, y, z = ctx.alloc_upload(a), ctx.alloc_upload(b), ctx.alloc(ELEMENTS)
    ours: Mapping[str, Callable[[], object]] = {name: operation(name, x, y, z) for name in OPERATIONS}
    theirs: Mapping[str, Callable[[], object]] = {
        "add": lambda: np.add(a, b, out=out),
        "mul": lambda: np.multiply(a, b, out=out),
        "maximum": lambda: np.maximum(a, b, out=out),
        "sqrt": lambda: np.sqrt(a, out=out),
        "exp": lambda: np.exp(a, out=out),
    }
    limit = by_hand(z.pointer, x.pointer, y.pointer)
    found: Figures = {}
    for _ in range(rounds):
        for name in OPERATIONS:
            found.setdefault(f"{name}: ours", []).append(seconds_of(ours[name], ctx.sync))
            found.setdefault(f"{name}: NumPy", []).append(seconds_of(theirs[name], lambda: None))
            if name in limit:
                found.setdefault(f"{name}: by hand", []).append(seconds_of(limit[name], lambda: None))
    return found


OPERATIONS = ("add", "mul", "maximum", "sqrt", "exp")


def by_hand(*addresses: int) -> Mapping[str, Callable[[], object]]:
    """The operations of elementwise_by_hand.cpp, which GPU_BY_HAND says where to find; none where it says nothing."""
    if not os.environ.get("GPU_BY_HAND"):
        return {}
    library = ctypes.CDLL(os.environ["GPU_BY_HAND"])
    arguments = (int(os.environ["CPU_FFI_THREADS"]), *map(ctypes.c_void_p, addresses), ctypes.c_size_t(ELEMENTS))
    names = {"add": "add", "mul": "mul", "maximum": "maximum", "sqrt": "root"}
    return {name: partial(getattr(library, function), *arguments) for name, function in names.items()}


def operation(name: str, x: GpuArray, y: GpuArray, out: GpuArray) -> Callable[[], object]:
    import unified_gpu

    function = getattr(unified_gpu, name)
    return (lambda: function(x, out=out)) if name in ("sqrt", "exp") else (lambda: function(x, y, out=out))


def seconds_of(call: Callable[[], object], wait: Callable[[], object]) -> float:
    """The shortest of several runs by the clock, with what it queues."""
    best = float("inf")
    for _ in range(5):
        start = time.perf_counter()
        call()
        wait()
        best = min(best, time.perf_counter() - start)
    return best


def device(ctx: Context, rounds: int) -> Figures:
    """Copies of 256 MB and the shortest calls on a GPU, ours and those of torch, CuPy and cuda.core."""
    stream = ctx.create_stream()
    array, other, pinned = ctx.alloc(LARGE, "u8"), ctx.alloc(LARGE, "u8"), ctx.alloc_pinned(LARGE, "u8")
    event = ctx.create_event(timing=False)
    kernel = Kernel.from_source(EMPTY, "empty")
    small = ctx.alloc(256)
    copies: dict[str, Callable[[], object]] = {
        "upload: ours": lambda: array.upload(pinned, stream=stream, non_blocking=True),
        "download: ours": lambda: array.download(pinned, stream=stream, non_blocking=True),
        "copy: ours": lambda: array.copy_to(other, stream=stream),
    }
    calls: dict[str, Callable[[], object]] = {
        "launch: ours": lambda: ctx.launch(
            kernel, global_size=1, local_size=1, args=[small, small, 256], stream=stream
        ),
        "record: ours": lambda: stream.record(event),
        "query: ours": stream.query,
    }
    for library, add in (("torch", with_torch), ("cupy", with_cupy), ("cuda.core", with_cuda_core)):
        if gpu_library(library) is not None:
            add(copies, calls)
    found: Figures = {}
    for _ in range(rounds):
        for name, call in copies.items():
            found.setdefault(name, []).append(seconds_of(call, ctx.device.synchronize))
        for name, call in calls.items():
            found.setdefault(name, []).append(processor_seconds(call, ctx.device.synchronize))
    return found


Calls = dict[str, Callable[[], object]]


def with_torch(copies: Calls, calls: Calls) -> None:
    import torch

    host = torch.empty(LARGE, dtype=torch.uint8, pin_memory=True)
    one, two = (
        torch.empty(LARGE, dtype=torch.uint8, device="cuda"),
        torch.empty(LARGE, dtype=torch.uint8, device="cuda"),
    )
    copies["upload: torch"] = lambda: one.copy_(host, non_blocking=True)
    copies["download: torch"] = lambda: host.copy_(one, non_blocking=True)
    copies["copy: torch"] = lambda: two.copy_(one)


def with_cupy(copies: Calls, calls: Calls) -> None:
    cupy = importlib.import_module("cupy")
    host = np.frombuffer(cupy.cuda.alloc_pinned_memory(LARGE), np.uint8, LARGE)
    one, two = cupy.empty(LARGE, "u1"), cupy.empty(LARGE, "u1")
    copies["upload: CuPy"] = lambda: one.set(host)
    copies["download: CuPy"] = lambda: one.get(out=host, blocking=False)
    copies["copy: CuPy"] = lambda: cupy.copyto(two, one)
    kernel = cupy.RawKernel(EMPTY, "empty")
    small = cupy.empty(256, "f4")
    stream, event = cupy.cuda.Stream(non_blocking=True), cupy.cuda.Event(disable_timing=True)
    number = np.int32(256)

    def launch() -> None:
        with stream:
            kernel((1,), (1,), (small, small, number))

    calls["launch: CuPy"] = launch
    calls["record: CuPy"] = lambda: event.record(stream)
    calls["query: CuPy"] = lambda: stream.done


def with_cuda_core(copies: Calls, calls: Calls) -> None:
    try:
        core = importlib.import_module("cuda.core")
        core.Device  # noqa: B018 -- older ones have it in `experimental` only
    except AttributeError:
        core = importlib.import_module("cuda.core.experimental")
    gpu = core.Device()
    gpu.set_current()
    stream = gpu.create_stream()
    event = stream.record()
    options = core.ProgramOptions(arch=f"sm_{gpu.arch}")
    kernel = core.Program(EMPTY, "c++", options=options).compile("cubin").get_kernel("empty")
    config = core.LaunchConfig(grid=1, block=1)
    memory = gpu.allocate(1024, stream=stream)
    number = np.int32(256)
    calls["launch: cuda.core"] = lambda: core.launch(stream, config, kernel, memory, memory, number)
    calls["record: cuda.core"] = lambda: stream.record(event)


def gpu_library(name: str) -> Any:
    """The library where it is installed and finds a GPU."""
    try:
        library = importlib.import_module(name)
        if name == "torch" and not library.cuda.is_available():
            return None
        if name == "cupy":
            library.empty(1)
    except Exception:  # whatever it says is wrong, there is nothing to compare with
        return None
    return library


def main() -> None:
    what, rounds = sys.argv[1], int(sys.argv[2])
    measure = {each.__name__: each for each in (overlap, overhead, allocation, elementwise, device)}[what]
    with Context(os.environ["DL_BACKEND"]) as ctx:
        print(json.dumps({"device": ctx.device_name, "figures": measure(ctx, rounds)}))


if __name__ == "__main__":
    main()
