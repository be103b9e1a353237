"""Graphs: what is recorded once does the same at each launch, and what no graph can have is refused."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable

import numpy as np
import pytest

from unified_gpu import (
    Array,
    ClosedError,
    Context,
    Graph,
    MixedContextsError,
    Pipeline,
    RecordingError,
    add,
    exp,
    f32,
    global_id,
    kernel,
    matmul,
    mul,
    where,
)
from unified_gpu import sum as total


@kernel
def axpy(x: Array[f32, 1], y: Array[f32, 1], factor: f32):
    y[global_id(0)] += factor * x[global_id(0)]


def test_each_launch_does_all_that_was_recorded(ctx: Context) -> None:
    x, y = ctx.arange(4, dtype="f32"), ctx.ones(4)
    with ctx.record() as graph:
        mul(y, 0.5, out=y)
        add(y, x, out=y)
        x.fill(3.0)
        y[1:3].copy_to(x[:2])
    assert (x.tolist(), y.tolist()) == ([0, 1, 2, 3], [1, 1, 1, 1]), "nothing was done yet"
    graph.launch()
    assert (x.tolist(), y.tolist()) == ([1.5, 2.5, 3, 3], [0.5, 1.5, 2.5, 3.5])
    graph.launch()
    assert (x.tolist(), y.tolist()) == ([3.25, 4.25, 3, 3], [1.75, 3.25, 4.25, 4.75])


def test_kernels_are_recorded_with_their_arguments(ctx: Context) -> None:
    if ctx.backend_name == "torch" and ctx.device.dlpack_type != 1:
        pytest.skip("kernels of a GPU of torch's are those of cuda")
    x, y = ctx.ones(100), ctx.zeros(100)
    with ctx.record() as graph:
        for factor in (1.0, 2.0):
            ctx.launch(axpy, 100, [x, y, factor])
    for _ in range(300):  # more than a queue of Vulkan has at once
        graph.launch()
    assert set(y.tolist()) == {900.0}


def test_operations_that_need_memory_of_their_own(ctx: Context) -> None:
    x = ctx.alloc_upload(np.linspace(-1, 1, 200_000, dtype="f4").reshape(200, 1000))
    rows, whole, chosen = ctx.empty(200), ctx.empty(()), ctx.empty_like(x)
    square = ctx.empty((200, 200))
    mask = x > 0
    expected = [x.sum(1).download(), x.sum().download(), np.where(x.download() > 0, 2.0, -1.0), (x @ x.T).download()]
    with ctx.record() as graph:
        total(x, 1, out=rows)
        total(x, out=whole)
        where(mask, 2.0, -1.0, out=chosen)
        matmul(x, x.T, out=square)
    gc.collect()
    others = [ctx.empty((200, 1000)).fill(7.0) for _ in range(4)]  # which must not lie where the graph works
    for each in (rows, whole, chosen, square):
        each.fill(0)
    graph.launch()
    for made, wanted in zip((rows, whole, chosen, square), expected, strict=True):
        assert np.array_equal(made.download(), wanted)
    assert all((each == 7).all().item() for each in others)


def test_arrays_that_are_freed_are_kept(ctx: Context) -> None:
    x, result = ctx.alloc_upload(np.arange(1000, dtype="f4")), ctx.empty(1000)
    with ctx.record() as graph:
        mul(x, 2.0, out=result)
    del x
    gc.collect()
    new = [ctx.alloc(1000).fill(-1.0) for _ in range(8)]
    graph.launch()
    assert np.array_equal(result.download(), np.arange(1000) * 2)
    used = ctx.memory_statistics().used
    graph.close()
    ctx.sync()
    assert ctx.memory_statistics().used < used, "what the graph alone had is free again"
    assert all((each == -1).all().item() for each in new)


def test_a_graph_that_is_dropped_is_kept_until_its_work_is_done(ctx: Context) -> None:
    x, result = ctx.ones(1 << 16), ctx.zeros(1 << 16)
    with ctx.record() as graph:
        add(result, x, out=result)
    graph.launch()
    graph.launch()
    del graph, x
    gc.collect()
    others = [ctx.alloc(1 << 16).fill(100.0) for _ in range(4)]
    assert (result == 2).all().item()
    assert len(others) == 4


def test_pinned_memory_is_read_and_written_at_each_launch(ctx: Context) -> None:
    given, made = ctx.alloc_pinned(3), ctx.alloc_pinned(3)
    x = ctx.empty(3)
    with ctx.record() as graph:
        x.upload(given, non_blocking=True)
        mul(x, 10.0, out=x)
        x.download(made, non_blocking=True)
    for number in (1.0, 2.0):
        given.numpy()[:] = number
        graph.launch()
        ctx.sync()
        assert made.tolist() == [10 * number] * 3


def test_streams_are_ordered_by_events(ctx: Context) -> None:
    first, second = ctx.create_stream(), ctx.create_stream()
    x = ctx.zeros(1000)
    ctx.sync()
    with ctx.record() as graph:
        add(x, 1.0, out=x)
    for _ in range(10):
        for one, other in ((first, second), (second, first)):
            graph.launch(one)
            other.wait_event(one.record())
    ctx.sync()
    assert (x == 20).all().item()


def test_other_threads_work_on_while_one_records(ctx: Context) -> None:
    x, y = ctx.zeros(10), ctx.zeros(10)
    ctx.sync()  # another stream does not wait for what makes them zero
    errors: list[BaseException] = []

    def work() -> None:
        try:
            with ctx.create_stream() as stream:
                for _ in range(20):
                    add(y, ctx.ones(10), out=y)
                stream.synchronize()
            ctx.sync()
        except BaseException as error:
            errors.append(error)

    with ctx.record() as graph:
        add(x, 1.0, out=x)
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        add(x, 1.0, out=x)
    assert errors == []
    assert (x.tolist(), y.tolist()) == ([0.0] * 10, [20.0] * 10)
    graph.launch()
    assert x.tolist() == [2.0] * 10


def test_an_empty_graph_does_nothing(ctx: Context) -> None:
    with ctx.record() as graph:
        pass
    graph.launch()
    ctx.sync()


REFUSED: dict[str, Callable[[Context], object]] = {
    "cannot record what needs new memory: allocate before": lambda ctx: ctx.zeros(5000),
    "give operations out=": lambda ctx: exp(ctx.test_array),  # type: ignore[attr-defined]
    "copy before or after the recording": lambda ctx: ctx.test_array.tolist(),  # type: ignore[attr-defined]
    "or make pinned = ctx.alloc_pinned": lambda ctx: ctx.test_array.upload([1.0] * 4),  # type: ignore[attr-defined]
    "waits for none": lambda ctx: ctx.test_array.download(ctx.alloc_pinned(4)),  # type: ignore[attr-defined]
    "cannot be waited for": lambda ctx: ctx.current_stream.synchronize(),
    "do that after the recording": lambda ctx: ctx.sync(),
    "cannot be asked whether it is done": lambda ctx: ctx.current_stream.query(),
    "cannot be recorded by an event": lambda ctx: ctx.current_stream.record(),
    "cannot be told to wait": lambda ctx: ctx.current_stream.wait_stream(ctx.default_stream),
    "leave out the other stream": lambda ctx: ctx.test_array.fill(0, stream=ctx.default_stream),  # type: ignore[attr-defined]
    "queue that work before or after": lambda ctx: ctx.create_stream().__enter__(),
    "records another graph": lambda ctx: ctx.record().__enter__(),
    "launch both in turn": lambda ctx: ctx.test_graph.launch(),  # type: ignore[attr-defined]
    "recorded by an event": lambda ctx: next(Pipeline(ctx).map([np.ones(3, "f4")], lambda x: x)),
}


@pytest.mark.parametrize("told", REFUSED)
def test_what_no_graph_can_have(ctx: Context, told: str) -> None:
    x = ctx.ones(4)
    with ctx.record() as before:
        x.fill(2.0)
    ctx.test_array, ctx.test_graph = x, before  # type: ignore[attr-defined]
    with pytest.raises(RecordingError, match=told.replace("(", r"\(")), ctx.record() as graph:
        x.fill(5.0)
        REFUSED[told](ctx)
    with pytest.raises(RecordingError, match="has ended by RecordingError: record another"):
        graph.launch()
    assert x.tolist() == [1.0] * 4, "what is done after it is as usual"
    before.launch()
    assert x.tolist() == [2.0] * 4


def test_when_a_graph_can_be_launched(ctx: Context) -> None:
    x = ctx.ones(4)
    graph = ctx.record()
    assert repr(graph).startswith("<Graph not recorded of")
    with pytest.raises(RecordingError, match=r"with ctx\.record\(\) as graph"):
        graph.launch()
    with graph:
        mul(x, 2.0, out=x)
        with pytest.raises(RecordingError, match="launch it after the `with` block"):
            graph.launch()
        with pytest.raises(RecordingError, match="close it after the `with` block"):
            graph.close()
    with pytest.raises(RecordingError, match="a graph is recorded once"), graph:
        pass
    with Context(ctx.backend_name) as other, pytest.raises(MixedContextsError):
        graph.launch(other.default_stream)
    stream = ctx.create_stream()
    stream.close()
    with pytest.raises(ClosedError):
        graph.launch(stream)
    graph.launch()
    assert x.tolist() == [2.0] * 4
    graph.close()
    graph.close()
    with pytest.raises(ClosedError, match="this graph was closed"):
        graph.launch()


def test_arrays_of_another_context_are_refused(ctx: Context) -> None:
    with Context(ctx.backend_name) as other:
        x, theirs = ctx.ones(4), other.ones(4)
        with pytest.raises(MixedContextsError), ctx.record():
            add(x, theirs, out=x)


def test_a_graph_of_a_closed_context(backend: str) -> None:
    context = Context(backend)
    x = context.ones(4)
    with context.record() as graph:
        x.fill(2.0)
    graph.launch()
    context.close()
    with pytest.raises(ClosedError, match="was closed"):
        graph.launch()
    graph.close()
    with pytest.raises(ClosedError), context.record():
        pass


def test_a_context_that_is_closed_in_a_recording(backend: str) -> None:
    context = Context(backend)
    x = context.ones(4)
    with context.record() as graph:
        x.fill(2.0)
        context.close()
        with pytest.raises(ClosedError):
            x.fill(3.0)
    with pytest.raises(ClosedError):
        graph.launch()
    assert isinstance(graph, Graph)
