"""What may come in the middle of a call: finalizers, also those of users, and signal handlers; in a process of its own.

python -m tests.gpu.reentry_process BACKEND CASE

The collector comes wherever objects are made. A case that hangs is ended with the stacks of all threads.
"""

from __future__ import annotations

import faulthandler
import gc
import signal
import sys
from collections.abc import Callable
from types import FrameType

import numpy as np

from unified_gpu import Context, Stream

LIMIT = 300
"""Seconds for a case, each of which takes one or two; on a busy machine more."""


def lose_streams(ctx: Context, count: int = 20) -> None:
    """Leave streams to the collector, with memory and, in part, with objects that copies use."""
    for number in range(count):
        stream = ctx.create_stream()
        pinned = ctx.alloc_pinned(64)
        ctx.alloc(64, stream=stream).upload(pinned, stream=stream, non_blocking=number % 2 == 0)
        box: dict[str, object] = {"stream": stream}
        box["me"] = box


def in_the_middle_of(ctx: Context, call: Callable[[], object]) -> None:
    """Let the collector come at the first object that `call` makes, at the second, and so on."""
    for nth in range(1, 40):
        gc.collect()
        gc.disable()
        lose_streams(ctx, 2)
        gc.set_threshold(gc.get_count()[0] + nth)
        gc.enable()
        call()
        gc.set_threshold(700)


def allocate(ctx: Context) -> None:
    sizes = iter(range(1, 1_000_000, 512))
    in_the_middle_of(ctx, lambda: ctx.alloc(next(sizes), "u8"))
    for n in range(1, 2000):
        box: dict[str, object] = {}
        box["me"], box["stream"] = box, ctx.create_stream()
        ctx.alloc(n * 16)


def statistics(ctx: Context) -> None:
    in_the_middle_of(ctx, ctx.memory_statistics)


def trim(ctx: Context) -> None:
    kept = [ctx.alloc(64 * number) for number in range(40)]
    del kept[::2]
    in_the_middle_of(ctx, ctx.trim)


def register(ctx: Context) -> None:
    in_the_middle_of(ctx, ctx.create_stream)
    in_the_middle_of(ctx, ctx.create_event)
    in_the_middle_of(ctx, ctx.sync)


def give_away(ctx: Context) -> None:
    arrays = [ctx.alloc(64).fill(7) for _ in range(40)]
    views = []
    in_the_middle_of(ctx, lambda: views.append(np.asarray(arrays.pop())))
    assert all((view == 7).all() for view in views)


def users_finalizers(ctx: Context) -> None:
    """A finalizer of a user's calls whatever there is."""
    calls = 0

    class Meddling:
        def __del__(self) -> None:
            nonlocal calls
            calls += 1
            with ctx.create_stream() as stream:
                array = ctx.alloc_zeros(100 + calls % 50)
                ctx.default_stream.wait_stream(stream)
                array.fill(2, stream=ctx.default_stream)
                stream.wait_stream(ctx.default_stream)
                assert array.sum(stream=stream) is not None
            ctx.memory_statistics()
            ctx.create_event().record()
            if calls % 10 == 0:
                ctx.trim()
                ctx.sync()

    for number in range(300):
        meddling: list[object] = [Meddling()]
        meddling.append(meddling)
        del meddling
        lose_streams(ctx, 1)
        ctx.memory_statistics()
        assert (ctx.alloc(128).fill(number) + 1).tolist() == [number + 1.0] * 128
    assert calls >= 250


def signal_handlers(ctx: Context) -> None:
    """A signal handler comes at any moment, in another one too, and calls whatever there is."""
    calls = running = 0

    def arm() -> None:
        signal.setitimer(signal.ITIMER_REAL, 0.001)  # once: a handler that takes longer would be interrupted for ever

    def handler(signum: int, frame: FrameType | None) -> None:
        nonlocal calls, running
        calls += 1
        running += 1
        if running < 3:
            arm()
        stream = ctx.create_stream()
        array = ctx.alloc_zeros(100 + calls % 50, stream=stream)
        ctx.default_stream.wait_stream(stream)
        array.fill(1, stream=ctx.default_stream)
        ctx.memory_statistics()
        if calls % 5 == 0:
            ctx.trim()
            ctx.sync()
        running -= 1
        arm()

    signal.signal(signal.SIGALRM, handler)
    arm()
    number = 0
    while calls < 300:
        number += 1
        with ctx.create_stream() as stream:
            array = ctx.alloc(1 + number % 700).fill(number, stream=ctx.default_stream)
            stream.wait_stream(ctx.default_stream)
            assert (array * 2).tolist()[-1] == 2.0 * number
            ctx.memory_statistics()
            if number % 7 == 0:
                ctx.trim()
    signal.signal(signal.SIGALRM, signal.SIG_IGN)


def contexts_of_the_collector(ctx: Context) -> None:
    """Whole contexts are left to the collector, which comes while another one makes objects."""
    for _ in range(20):
        other = Context(ctx.backend_name)
        lose_streams(other, 3)
        array = other.alloc(1000).fill(1)
        del other, array
        ctx.memory_statistics()
        ctx.create_stream()


ONE_CALL: tuple[Callable[[Context], None], ...] = (allocate, statistics, trim, register, give_away)
CASES = (*ONE_CALL, users_finalizers, signal_handlers, contexts_of_the_collector)


def run(backend: str, case: Callable[[Context], None]) -> None:
    print(case.__name__, flush=True)
    faulthandler.dump_traceback_later(LIMIT, exit=True)
    with Context(backend) as ctx:
        if case not in ONE_CALL:
            gc.set_threshold(1, 1, 1)
        case(ctx)
        gc.set_threshold(700, 10, 10)
        gc.collect()
        ctx.sync()
        found = ctx.memory_statistics()
        assert found.used == 0, found
        ctx.trim()
        assert ctx.memory_statistics().reserved == 0, ctx.memory_statistics()
        assert len(ctx._live(Stream)) == 1, "lost streams are gone"
        assert not ctx.memory_pool.pending_streams, "and released"
    faulthandler.cancel_dump_traceback_later()


def main() -> None:
    backend, chosen = sys.argv[1:]
    unraisable: list[str] = []
    sys.unraisablehook = lambda told: unraisable.append(f"{told.object}: {told.exc_value!r}")
    run(backend, next(case for case in CASES if case.__name__ == chosen))
    assert not unraisable, "\n".join(dict.fromkeys(unraisable))


if __name__ == "__main__":
    main()
