"""Lets every call of a device fail in turn, in a process of its own, and checks what becomes of a pipeline each time.

python -m tests.gpu.faults_process once|gone|queued FIRST STEP

Each walk takes calls FIRST, FIRST + STEP, … so that several processes can share it. Prints how many runs there were and
how many of them raised.
"""

from __future__ import annotations

import ctypes
import faulthandler
import gc
import os
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from unified_gpu import Context, GpuArray, Pipeline

BATCHES = 5
LIMIT = 20
"""Seconds for one run: one that takes longer hangs, and the process is ended with the stacks of all threads."""


class Standin:
    """The stand-in for the CUDA runtime."""

    def __init__(self) -> None:
        self._library = ctypes.CDLL(os.environ["CUDA_FFI_LIBRARY"])
        self._library.standinCalls.restype = ctypes.c_long

    def plan(self, text: str) -> None:
        assert self._library.standinFail(text.encode()) == 0

    def calls(self) -> int:
        return int(self._library.standinCalls(b"*"))

    def live(self) -> list[int]:
        """Streams, events, device memory and pinned memory that are not released."""
        return [self._library.standinLiveObjects(kind) for kind in range(4)]


def batches() -> Iterator[np.ndarray[Any, Any]]:
    """The third is larger than the buffers are by then."""
    return (np.full(5000 if number == 2 else 500, 1 + number, np.float32) for number in range(BATCHES))


def compute(x: GpuArray) -> tuple[GpuArray, GpuArray]:
    return x * 2.0, x.sum()


def program(backend: str, got: list[tuple[float, float]]) -> None:
    """A context, a pipeline and two maps, the second with the buffers of the first; results as they come."""
    with Context(backend) as ctx, Pipeline(ctx) as pipe:
        for _ in range(2):
            for number, (doubled, total) in enumerate(pipe.map(batches(), compute)):
                size = 5000 if number == 2 else 500
                assert doubled.shape == (size,)
                assert (doubled == 2.0 * (1 + number)).all(), f"batch {number} is spoilt"
                assert total == size * (1 + number), f"batch {number} is spoilt"
                got.append((float(doubled[0]), float(total)))


def run(backend: str) -> Exception | None:
    """The program under a time limit: all results, or some of the first ones and an exception."""
    got: list[tuple[float, float]] = []
    faulthandler.dump_traceback_later(LIMIT, exit=True)
    try:
        program(backend, got)
        failure = None
    except AssertionError:
        raise
    except Exception as error:
        failure = error
    finally:
        faulthandler.cancel_dump_traceback_later()
    one = [(2.0 * (1 + number), (5000 if number == 2 else 500) * (1.0 + number)) for number in range(BATCHES)]
    assert got == (one * 2)[: len(got)], "results are reordered"
    assert failure is not None or len(got) == 2 * BATCHES, "results are lost, and nothing says so"
    return failure


def walk(first: int, step: int, until: int, fail: Callable[[int], None], check: Callable[[int, bool], None]) -> None:
    """Run with each failure in turn; `check` is told which, and whether it was raised."""
    runs = raised = 0
    for nth in range(first, until + 1, step):
        fail(nth)
        runs += 1
        told = run(BACKEND) is not None
        raised += told
        check(nth, told)
    print(f"{runs} runs, {raised} raised")


def works_again(after: str) -> None:
    failure = run(BACKEND)
    if failure is not None:
        raise AssertionError(f"after {after} failed nothing works any more") from failure


BACKEND = os.environ["DL_BACKEND"]


def on_standin(first: int, step: int, *, lasts: bool) -> None:
    standin = Standin()
    assert run(BACKEND) is None  # compiles, and makes what is kept for good
    gc.collect()
    before, start = standin.live(), standin.calls()
    assert run(BACKEND) is None
    made = standin.calls() - start

    def check(nth: int, told: bool) -> None:
        nonlocal before
        standin.plan("")
        gc.collect()
        after = standin.live()
        if not lasts:  # a driver that has gone releases nothing
            room = 0 if told else 1  # what could not be released is left, and nobody is there to be told
            assert sum(after) - sum(before) <= room, f"call {nth}: {after} are left behind, not {before}"
        before = after
        works_again(f"call {nth}")

    walk(first, step, made, lambda nth: standin.plan(f"*:{nth}{'+' if lasts else ''}"), check)


WORK = ("record", "wait_event", "memcpy_host_to_device_async", "memcpy_device_to_host_async", "binary", "reduce")
"""What is queued and may fail on the stream."""
CALLS = (*WORK, "malloc")


def on_cpu(first: int, step: int, *, queued: bool) -> None:
    import cpu_ffi

    plan = [(function, nth) for function in (WORK if queued else CALLS) for nth in range(1, 4 * BATCHES)]

    def check(index: int, told: bool) -> None:
        cpu_ffi.forget_faults()
        works_again(f"call {plan[index - 1]}")

    def fail(index: int) -> None:
        cpu_ffi.fail_at(*plan[index - 1], queued=queued)

    assert run(BACKEND) is None
    walk(first, step, len(plan), fail, check)


def main() -> None:
    how, first, step = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    unraisable: list[str] = []
    sys.unraisablehook = lambda told: unraisable.append(f"{told.object}: {told.exc_value!r}")
    if BACKEND == "cuda":
        on_standin(first, step, lasts=how == "gone")
    else:
        on_cpu(first, step, queued=how == "queued")
    assert not unraisable, "\n".join(dict.fromkeys(unraisable))


if __name__ == "__main__":
    main()
