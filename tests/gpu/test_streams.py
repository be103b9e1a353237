"""Streams and events: the order of work, in one queue and between several, and how it is waited for."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import signal
import statistics
import sys
import threading
import time
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests import processes
from tests.gpu.places import ROOT
from tests.limits import HANGS
from unified_gpu import (
    Array,
    ClosedError,
    Context,
    Event,
    EventNotRecorded,
    MixedContextsError,
    Stream,
    f32,
    global_id,
    kernel,
)

MANY = 4_000_000
"""Elements that take some milliseconds, so that what does not wait is seen."""


def test_work_of_one_stream_is_done_in_order(ctx: Context) -> None:
    with ctx.create_stream() as stream:
        a = ctx.alloc_zeros(MANY)
        for _ in range(5):
            a += 1
        assert ctx.current_stream is stream
        assert a.sum().item() == 5 * MANY
    assert ctx.current_stream is ctx.default_stream


def test_streams_nest(ctx: Context) -> None:
    outer, inner = ctx.create_stream(), ctx.create_stream()
    with outer:
        with inner, outer:
            assert ctx.current_stream is outer
        with pytest.raises(KeyError), inner:
            raise KeyError
        assert ctx.current_stream is outer
    assert ctx.current_stream is ctx.default_stream


def test_one_stream_waits_for_another(ctx: Context) -> None:
    for wait in ("event", "stream"):
        first, second = ctx.create_stream(), ctx.create_stream()
        a, b = ctx.alloc_zeros(MANY), ctx.alloc(MANY)
        ctx.sync()
        for _ in range(3):
            a.fill(7, stream=first)
            if wait == "event":
                second.wait_event(first.record())
            else:
                second.wait_stream(first)
            a.copy_to(b, stream=second)
            first.wait_stream(second)
            a.fill(0, stream=first)
        assert (b.download(stream=second) == 7).all()


def test_query_and_synchronize(ctx: Context) -> None:
    stream = ctx.create_stream()
    event = ctx.create_event()
    a = ctx.alloc(MANY, stream=stream)
    for _ in range(10):
        a.fill(1, stream=stream)
    event.record(stream)
    event.synchronize()
    assert event.query()
    stream.sync()
    stream.synchronize()
    assert stream.query()


def test_elapsed_time(ctx: Context) -> None:
    stream = ctx.create_stream()
    a = ctx.alloc(MANY, stream=stream).fill(0, stream=stream)
    began = time.perf_counter()
    start = stream.record()
    for _ in range(10):
        a.fill(1, stream=stream)
    end = stream.record()
    measured = start.elapsed_time(end)
    waited = 1000 * (time.perf_counter() - began)
    assert 0 < measured <= waited + 1
    assert end.elapsed_time(start) == pytest.approx(-measured, abs=1e-3)


def test_an_event_that_was_never_recorded(ctx: Context) -> None:
    event, stream = ctx.create_event(), ctx.create_stream()
    recorded = stream.record()
    uses = [event.query, event.synchronize, lambda: stream.wait_event(event), lambda: event.elapsed_time(recorded),
            lambda: recorded.elapsed_time(event)]  # fmt: skip
    for use in uses:
        with pytest.raises(EventNotRecorded, match=r"call stream.record\(event\) before"):
            use()
    assert "not recorded" in repr(event)


def test_an_event_without_time(ctx: Context) -> None:
    event = ctx.default_stream.record(ctx.create_event(timing=False))
    event.synchronize()
    assert event.query()
    with pytest.raises(ValueError, match="timing=False has no time"):
        event.elapsed_time(ctx.default_stream.record())


def test_what_belongs_to_another_context(ctx: Context, backend: str) -> None:
    with Context(backend) as other:
        theirs = other.default_stream.record()
        with pytest.raises(MixedContextsError, match="an event of"):
            ctx.default_stream.wait_event(theirs)
        with pytest.raises(MixedContextsError, match="an event of"):
            ctx.default_stream.record(other.create_event())
        with pytest.raises(MixedContextsError, match="a stream of"):
            ctx.default_stream.wait_stream(other.default_stream)
        with pytest.raises(MixedContextsError, match="have no time between them"):
            ctx.default_stream.record().elapsed_time(theirs)


def test_what_is_no_stream_and_no_event(ctx: Context) -> None:
    wrong: Any = 3
    stream, array = ctx.default_stream, ctx.alloc_zeros(2)
    uses: list[Callable[[], object]] = [
        lambda: ctx.alloc(1, stream=wrong), lambda: array.download(stream=wrong), lambda: array.fill(1, stream=wrong),
        lambda: stream.wait_stream(wrong), lambda: stream.wait_event(wrong), lambda: stream.record(wrong),
        lambda: stream.wait_event(ctx.create_stream()),  # type: ignore[arg-type]
        lambda: stream.record().elapsed_time(wrong), lambda: ctx.create_event().record(wrong),
    ]  # fmt: skip
    for use in uses:
        with pytest.raises(TypeError, match=r"(is wanted.*, not a|not to a) (int|Stream)$"):
            use()


def test_a_closed_stream(ctx: Context) -> None:
    stream = ctx.create_stream()
    a = ctx.alloc(1000, stream=stream).fill(3, stream=stream)
    event = stream.record()
    stream.close()
    stream.close()
    event.close()
    event.close()
    uses = [stream.query, stream.synchronize, stream.record, lambda: a.fill(0, stream=stream), stream.pointer,
            lambda: ctx.alloc(1, stream=stream), stream.__enter__]  # fmt: skip
    for use in uses:
        with pytest.raises(ClosedError, match="this stream was closed"):
            use()
    with pytest.raises(ClosedError, match="this event was closed"):
        event.query()
    ctx.sync()
    assert (a.download() == 3).all()
    assert (stream.closed, repr(event)) == (True, "<Event closed>")
    assert repr(stream) == f"<Stream closed of {ctx}>"


def test_the_default_stream_stays(ctx: Context) -> None:
    ctx.default_stream.close()
    assert ctx.alloc_upload([1.0]).item() == 1


def test_priorities(ctx: Context) -> None:
    for priority in (-100, -1, 0, 1, 100):
        stream = ctx.create_stream(priority)
        assert stream.priority == priority
        assert ctx.alloc(10, stream=stream).fill(1, stream=stream).download(stream=stream).sum() == 10


@pytest.mark.parametrize("priority", ["high", 1.5, None])
def test_priorities_that_are_no_whole_numbers(ctx: Context, priority: Any) -> None:
    with pytest.raises(TypeError, match="cannot be interpreted as an integer"):
        ctx.create_stream(priority)


def test_cuda_stream_protocol(ctx: Context) -> None:
    if ctx.device.dlpack_type == 2:
        assert ctx.default_stream.__cuda_stream__() == (0, ctx.default_stream.pointer())
    else:
        with pytest.raises(TypeError, match="is no CUDA stream"):
            ctx.default_stream.__cuda_stream__()


def test_await(ctx: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    """Other tasks run until the stream is done, which it is here once one of them has run."""
    has_run = threading.Event()
    query, synchronize = Stream.query, Stream.synchronize
    monkeypatch.setattr(Stream, "query", lambda stream: has_run.is_set() and query(stream))
    monkeypatch.setattr(Stream, "synchronize", lambda stream: has_run.wait(HANGS) and synchronize(stream))

    async def program() -> list[str]:
        seen = []

        async def beside() -> None:
            await asyncio.sleep(0)
            seen.append("beside")
            has_run.set()

        task = asyncio.create_task(beside())
        stream = ctx.create_stream()
        a = ctx.alloc(MANY, stream=stream)
        a.fill(1, stream=stream)
        event = stream.record()
        await stream
        seen.append("stream")
        await event
        await stream
        await task
        assert event.query()
        assert stream.query()
        return seen

    assert asyncio.run(program()) == ["beside", "stream"]


def test_each_task_has_its_own_current_stream(ctx: Context) -> None:
    async def task(stream: Stream) -> bool:
        with stream:
            await asyncio.sleep(0.01)
            return ctx.current_stream is stream

    async def program() -> list[bool]:
        return await asyncio.gather(*(task(ctx.create_stream()) for _ in range(5)))

    assert asyncio.run(program()) == [True] * 5


def test_synchronize_lets_other_threads_run(ctx: Context) -> None:
    stream, ticks, over = ctx.create_stream(), [], threading.Event()

    def tick() -> None:
        while not over.is_set():
            ticks.append(1)
            time.sleep(0.0005)

    thread = threading.Thread(target=tick)
    thread.start()
    a = ctx.alloc(10 * MANY, "u8", stream=stream)
    while len(ticks) < 3:
        a.fill(1, stream=stream)
        stream.synchronize()
    over.set()
    thread.join(HANGS)


def test_streams_and_events_that_nobody_has_are_gone(ctx: Context) -> None:
    stream = ctx.create_stream()
    a = ctx.alloc(MANY, stream=stream).fill(1, stream=stream)
    event = stream.record()
    watched = [weakref.ref(stream), weakref.ref(event)]
    del stream, event
    assert (a.download(stream=a._allocation.stream) == 1).all()
    del a
    gc.collect()
    assert [w() for w in watched] == [None, None]
    np.testing.assert_array_equal(ctx.alloc_zeros(MANY).download(), 0)


def test_event_says_what_it_is(ctx: Context) -> None:
    assert repr(Event(ctx)) == f"<Event not recorded of {ctx}>"
    assert repr(ctx.default_stream.record()) == f"<Event recorded of {ctx}>"


@pytest.mark.quick(2)
def test_an_interrupt_ends_every_wait_and_the_context_goes_on(backend: str) -> None:
    """Each comes while work is queued that ends only when it is told to; see wait_process."""
    command = [sys.executable, "-m", "tests.gpu.wait_process", backend]
    done = processes.run(command, cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr[-6000:]
    late = [float(line.split()[-1]) for line in done.stdout.splitlines()]
    assert len(late) == 10
    assert statistics.median(late) < 300, done.stdout


class Interrupted(Exception):
    """What a handler of a signal has raised."""


@kernel
def add_one(x: Array[f32, 1]):
    i = global_id(0)
    x[i] = x[i] + 1


def test_an_interrupt_ends_a_wait_that_does_the_work_itself(cpu: Context) -> None:
    def interrupt(*_: object) -> None:
        raise Interrupted

    x = cpu.alloc_zeros(MANY)
    cpu.launch(add_one, MANY, [x])
    cpu.sync()
    added, launches = 1, 200
    end = time.monotonic() + HANGS
    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        while True:  # the signal may come late on a busy machine; what is left then is what the wait left
            launches *= 2
            assert time.monotonic() < end, "no interrupt ended a wait before its work was done"
            for _ in range(launches):
                cpu.launch(add_one, MANY, [x])
            added += launches
            with contextlib.suppress(Interrupted):
                signal.setitimer(signal.ITIMER_REAL, 0.02)
                cpu.sync()
                time.sleep(HANGS)
            if not cpu.default_stream.query():
                break
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert x.min().item() == x.max().item() == added
