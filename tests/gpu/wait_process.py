"""Interrupts whatever waits for a device by Ctrl-C, in a process of its own, and goes on with the context each time.

python -m tests.gpu.wait_process BACKEND

Prints by how many milliseconds each interrupt was late. One kernel works all the while, for as long as nobody tells it
to end; over Vulkan, whose kernels cannot be told anything, each wait has one of its own that takes long enough.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable

import numpy as np

from tests.limits import HANGS
from unified_gpu import Array, Context, Event, GpuArray, Kernel, Stream, global_id, i32, kernel

SOURCE = """
extern "C" __global__ void work(unsigned long long told, int *out) {
    while (*(volatile int *)told == 0) {}
    out[0] = 7;
}
"""


class Interrupt(threading.Thread):
    """Sends SIGINT, when whoever made it is likely to wait."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.sent = 0.0

    def run(self) -> None:
        time.sleep(0.1)
        self.sent = time.monotonic()
        os.kill(os.getpid(), signal.SIGINT)


class Told:
    """Work that ends when it is told to: one kernel for all waits."""

    def __init__(self, ctx: Context, stream: Stream, out: GpuArray) -> None:
        self.told = ctx.alloc_pinned(1, "i32")
        self.told[0] = 0
        kernel = Kernel.from_source(SOURCE, "work")
        ctx.launch(kernel, 1, [self.told.numpy().ctypes.data, out], local_size=1, stream=stream)

    def go_on(self) -> None:
        """It does."""

    def end(self) -> None:
        self.told[0] = 1


class Long:
    """Work that takes long enough: kernels for each wait, since a device may have one queue for all streams."""

    def __init__(self, ctx: Context, stream: Stream, out: GpuArray) -> None:
        self.ctx, self.stream, self.out, self.launches = ctx, stream, out, 1
        self.numbers = ctx.alloc_zeros(4096, "i32", stream=stream)
        took = 0.0
        while took < 0.4:
            self.launches *= 2
            begun = time.monotonic()
            self.go_on()
            stream.synchronize()
            took = time.monotonic() - begun

    def go_on(self) -> None:
        for _ in range(self.launches):
            self.ctx.launch(turn, 4096, [self.numbers, 10_000], stream=self.stream)

    def end(self) -> None:
        self.out.fill(7)


@kernel
def turn(x: Array[i32, 1], rounds: i32):
    i = global_id(0)
    for _ in range(rounds):
        x[i] = (x[i] * 1103515245 + 12345) & 65535


def main() -> None:
    with Context(sys.argv[1]) as ctx:
        out = ctx.alloc_zeros(1, "i32")
        result = ctx.alloc_zeros(100_000)
        ctx.sync()
        stream, other = ctx.create_stream(), ctx.create_stream()
        pinned = ctx.alloc_pinned(100_000)
        ordinary = np.empty(100_000, "f4")
        work = (Long if ctx.backend_name == "vulkan" else Told)(ctx, stream, out)
        event = stream.record()
        one_more = result + 1
        stream.wait_stream(ctx.default_stream)  # which reads `result` for that
        one_more.copy_to(result, stream=stream)

        waits: dict[str, Callable[[], object]] = {
            "stream.synchronize": stream.synchronize,
            "event.synchronize": event.synchronize,
            "sync": ctx.sync,
            "elapsed_time": lambda: event.elapsed_time(event),
            "download": lambda: result.download(stream=stream),
            "download to ordinary memory": lambda: result.download(ordinary, stream=stream),
            "download to pinned memory": lambda: result.download(pinned, stream=stream),
            "tolist": lambda: result.tolist(stream=stream),
            "item": lambda: out.item(stream=stream),
            "upload": lambda: result.upload(ordinary, stream=stream),
        }
        for name, wait in waits.items():
            while (late := interrupted(work, stream, event, wait)) is None:
                assert isinstance(work, Long), f"{name} was not interrupted"
                work.launches *= 2
            print(f"{name}: {1000 * late:.0f}", flush=True)
            assert (ctx.alloc_upload([1.0, 2.0], stream=other).tolist(stream=other)) == [1, 2], (
                "and so does the context"
            )
        work.end()
        ctx.sync()
        assert out.tolist() == [7]
        assert result.fill(3).tolist() == [3.0] * 100_000


def interrupted(work: Told | Long, stream: Stream, event: Event, wait: Callable[[], object]) -> float | None:
    """How many seconds late a wait was interrupted; None when it was over by then."""
    work.go_on()
    stream.record(event)
    interrupt, is_over = Interrupt(), False
    interrupt.start()
    try:
        wait()
        is_over = True
        interrupt.join(HANGS)
        time.sleep(HANGS)
    except KeyboardInterrupt:
        late = time.monotonic() - interrupt.sent
    interrupt.join(HANGS)
    if is_over:
        return None
    assert isinstance(work, Long) or not stream.query(), "the work goes on"
    return late


if __name__ == "__main__":
    main()
