"""Six ways to queue work, from one batch after the other to all stages at once, each measured against the first.

python examples/async_pipeline.py [--backend cuda|torch|vulkan|cpu] [--svg FOLDER]

Each batch goes up, is computed and comes down, and the computing is made to take about as long as a copy. The CPU has
no link to its own memory, so that copies and operations share its cores there. --svg writes a timeline of each pattern.
"""

from __future__ import annotations

import argparse
import copy
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from unified_gpu import Context, GpuArray, Pipeline, tanh
from unified_gpu.trace import Recorder, Trace

Batch = np.ndarray[Any, np.dtype[np.float32]]


class Work:
    """Batches, and a computation of about the time of a copy."""

    def __init__(self, ctx: Context, batches: int, elements: int) -> None:
        self.ctx = ctx
        self.count = batches
        self.elements = elements
        self.data = np.linspace(-1, 1, elements, dtype=np.float32)
        self.repeats = self.calibrated()

    def of(self, batches: int) -> Work:
        """The same with another number of batches."""
        other = copy.copy(self)
        other.count = batches
        return other

    def __iter__(self) -> Iterator[Batch]:
        return (self.data + np.float32(number) for number in range(self.count))

    def compute(self, x: GpuArray) -> GpuArray:
        for _ in range(self.repeats):
            tanh(x, out=x)
        return x

    def calibrated(self) -> int:
        """How many operations take the time of an upload, by the shortest of several measurements of each."""
        ctx, stream = self.ctx, self.ctx.default_stream
        x, pinned = ctx.alloc(self.elements), ctx.alloc_pinned(self.elements)
        copies, operations = [], []
        for _ in range(5):
            start = stream.record()
            x.upload(pinned, non_blocking=True)
            uploaded = stream.record()
            for _ in range(4):
                tanh(x, out=x)
            computed = stream.record()
            copies.append(start.elapsed_time(uploaded))
            operations.append(uploaded.elapsed_time(computed) / 4)
        return max(1, round(min(copies) / min(operations)))


# --- the patterns: each does all the work, and gives back its timeline ----------------------------------------------


def sequential(work: Work) -> Trace:
    """One stream: a batch begins when the one before it is down."""
    ctx, stream = work.ctx, work.ctx.default_stream
    staged, result = ctx.alloc_pinned(work.elements), ctx.alloc_pinned(work.elements)
    x = ctx.alloc(work.elements)
    with Recorder(ctx) as recorder:
        for number, batch in enumerate(work):
            np.asarray(staged)[:] = batch
            with recorder.span(stream, "upload", batch=number):
                x.upload(staged, non_blocking=True)
            with recorder.span(stream, "compute", batch=number):
                work.compute(x)
            with recorder.span(stream, "download", batch=number):
                x.download(result, non_blocking=True)
            stream.synchronize()
            np.asarray(result).copy()
        return recorder.trace("Sequential")


def double_buffer(work: Work) -> Trace:
    """Two batches in flight: one stage of each overlaps the other's."""
    return buffered(work, 2, "Double buffer")


def triple_buffer(work: Work) -> Trace:
    """Three batches in flight: all stages are busy at once."""
    return buffered(work, 3, "Triple buffer")


def buffered(work: Work, depth: int, title: str) -> Trace:
    with Pipeline(work.ctx, depth) as pipe:
        for _ in pipe.map(work, work.compute):
            pass
        return Trace(pipe.trace().spans, title)


def training_loop(work: Work, depth: int = 3) -> Trace:
    """Weights stay on the device and change with each batch; only a loss comes down."""
    weights = work.ctx.alloc_zeros(work.elements)

    def step(x: GpuArray) -> GpuArray:
        nonlocal weights
        weights += work.compute(x) * 0.1
        return weights.mean()

    with Pipeline(work.ctx, depth) as pipe:
        for _ in pipe.map(work, step):
            pass
        return Trace(pipe.trace().spans, "Training loop")


def multi_stream(work: Work) -> Trace:
    """Batches that have nothing to do with each other, on four streams, each with its own memory."""
    ctx = work.ctx
    streams = [ctx.create_stream() for _ in range(4)]
    staged = [(ctx.alloc_pinned(work.elements), ctx.alloc_pinned(work.elements)) for _ in streams]
    with Recorder(ctx) as recorder:
        for number, batch in enumerate(work):
            turn = number % len(streams)
            stream, (up, down), lane = streams[turn], staged[turn], f"stream {turn}"
            stream.synchronize()  # its pinned memory is free again
            np.asarray(up)[:] = batch
            with stream:
                with recorder.span(stream, lane, f"up {number}", number):
                    x = ctx.alloc(work.elements).upload(up, non_blocking=True)
                with recorder.span(stream, lane, f"compute {number}", number):
                    work.compute(x)
                with recorder.span(stream, lane, f"down {number}", number):
                    x.download(down, non_blocking=True)
        trace = recorder.trace("Multi-stream")
    for stream in streams:
        stream.close()
    return trace


def stream_query(work: Work) -> Trace:
    """The host does work of its own while it asks, now and then, whether the device is done."""
    ctx, stream = work.ctx, work.ctx.create_stream()
    staged, result = ctx.alloc_pinned(work.elements), ctx.alloc_pinned(work.elements)
    x = ctx.alloc(work.elements, stream=stream)
    done_meanwhile = 0
    next_batch = iter(work)
    with Recorder(ctx) as recorder:
        prepared = next(next_batch, None)
        number = 0
        while prepared is not None:
            np.asarray(staged)[:] = prepared
            with stream:
                with recorder.span(stream, "upload", batch=number):
                    x.upload(staged, non_blocking=True)
                with recorder.span(stream, "compute", batch=number):
                    work.compute(x)
                with recorder.span(stream, "download", batch=number):
                    x.download(result, non_blocking=True)
            prepared = next(next_batch, None)
            while not stream.query():
                done_meanwhile += 1
                time.sleep(0.0002)  # stands for a little work
            np.asarray(result).copy()
            number += 1
        trace = recorder.trace(f"Stream query: the host did {done_meanwhile} pieces of its own work meanwhile")
    stream.close()
    return trace


PATTERNS: dict[str, Callable[[Work], Trace]] = {
    "sequential": sequential,
    "double buffer": double_buffer,
    "triple buffer": triple_buffer,
    "training loop": training_loop,
    "multi-stream": multi_stream,
    "stream query": stream_query,
}


def main() -> None:
    parser = argparse.ArgumentParser(description="Six ways to queue the same work.")
    parser.add_argument("--backend", help="cuda, torch, vulkan or cpu")
    parser.add_argument("--batches", type=int, default=16)
    parser.add_argument("--elements", type=int, help="f32 in a batch; by default 1 million, or 16 on an accelerator")
    parser.add_argument("--svg", type=Path, metavar="FOLDER", help="write the timelines there")
    options = parser.parse_args()
    with Context(options.backend) if options.backend else Context.default() as ctx:
        on_cpu = ctx.alloc(1).__dlpack_device__()[0] == 1
        work = Work(ctx, options.batches, options.elements or (1_000_000 if on_cpu else 16_000_000))
        print(f"on {ctx.backend_name}:{ctx.device_id}, {ctx.device_name}: {work.count} batches of", end=" ")
        print(f"{work.elements * 4 / 1e6:.1f} MB, {work.repeats} operations each")
        show(work, options.svg)


def show(work: Work, folder: Path | None) -> None:
    one_by_one, _ = timed(sequential, work)
    for name, pattern in PATTERNS.items():
        seconds, trace = timed(pattern, work)
        alone = timed(partial(training_loop, depth=1), work)[0] if pattern is training_loop else one_by_one
        print(f"{name:16} {seconds * 1000:8.1f} ms  {alone / seconds:5.2f}x  {trace.overlap:.2f} lanes busy")
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
            trace.save(folder / f"{name.replace(' ', '_').replace('-', '_')}.svg")


def timed(pattern: Callable[[Work], Trace], work: Work) -> tuple[float, Trace]:
    """Seconds that all batches took, and when their stages ran; one batch before compiles and warms up."""
    pattern(work.of(1))
    start = time.perf_counter()
    trace = pattern(work)
    return time.perf_counter() - start, trace


if __name__ == "__main__":
    main()
