"""Interrupts whatever waits for a device by Ctrl-C, in a process of its own, and goes on with the context each time.

python -m tests.gpu.wait_process BACKEND

Prints by how many milliseconds each interrupt was late. One kernel works all the while, for as long as nobody tells it
to end.
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
from unified_gpu import Context, Kernel

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


def main() -> None:
    with Context(sys.argv[1]) as ctx:
        told, out = ctx.alloc_pinned(1, "i32"), ctx.alloc_zeros(1, "i32")
        result = ctx.alloc_zeros(100_000)
        ctx.sync()
        stream, other = ctx.create_stream(), ctx.create_stream()
        pinned = ctx.alloc_pinned(100_000)
        ordinary = np.empty(100_000, "f4")
        told[0] = 0
        kernel = Kernel.from_source(SOURCE, "work")
        ctx.launch(kernel, 1, [told.numpy().ctypes.data, out], local_size=1, stream=stream)
        event = stream.record()
        (result + 1).copy_to(result, stream=stream)

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
            interrupt = Interrupt()
            interrupt.start()
            try:
                wait()
            except KeyboardInterrupt:
                print(f"{name}: {1000 * (time.monotonic() - interrupt.sent):.0f}", flush=True)
            else:
                raise AssertionError(f"{name} was not interrupted")
            interrupt.join(HANGS)
            assert not stream.query(), "the work goes on"
            assert (ctx.alloc_upload([1.0, 2.0], stream=other).tolist(stream=other)) == [1, 2], (
                "and so does the context"
            )
        told[0] = 1
        ctx.sync()
        assert out.tolist() == [7]
        assert result.fill(3).tolist() == [3.0] * 100_000


if __name__ == "__main__":
    main()
