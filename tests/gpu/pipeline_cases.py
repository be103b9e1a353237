"""What a pipeline does: run by test_pipeline.py on each backend, in a process where copies take their time.

The environment names the backend (DL_BACKEND), where unified_gpu must come from (PIPELINE_SOURCE, when it is a copy),
and how slow the device is.
"""

from __future__ import annotations

import array
import asyncio
import contextlib
import ctypes
import gc
import os
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import unified_gpu
from tests.limits import HANGS
from unified_gpu import (
    BackendUnavailable,
    ClosedError,
    Context,
    GpuArray,
    MixedContextsError,
    Pipeline,
    PipelineCancelled,
    Stream,
)

on_standin = pytest.mark.skipif("CUDA_STANDIN_LATENCY_US" not in os.environ, reason="only the stand-in plans failures")
on_cpu = pytest.mark.skipif(
    os.environ.get("DL_BACKEND") != "cpu", reason="only the cpu backend fails and is slow on demand"
)


@pytest.fixture
def ctx() -> Iterator[Context]:
    source = os.environ.get("PIPELINE_SOURCE")
    assert source is None or Path(unified_gpu.__file__).is_relative_to(source), "another copy is being tested"
    try:
        context = Context(os.environ["DL_BACKEND"])
    except BackendUnavailable as reason:
        pytest.skip(str(reason))
    with context:
        yield context


def hold(stream: Stream, milliseconds: float = 10) -> None:
    """Let a stream work for about so long, where the backend can."""
    if stream.context.backend_name == "cpu":
        import cpu_ffi

        assert isinstance(stream.handle, cpu_ffi.CpuStream)
        cpu_ffi.stream_delay(stream.handle, milliseconds * 1000)
    else:
        size = 1 << (23 if stream.context.backend_name == "vulkan" else 18)  # a millisecond of lavapipe
        memory = stream.context.alloc(size, "u8", stream=stream)
        for _ in range(round(milliseconds)):
            memory.fill(1, stream=stream)


def numbers(count: int, size: int = 256) -> Iterator[np.ndarray[Any, Any]]:
    return (np.full(size, 1 + number, np.float32) for number in range(count))


def double(x: GpuArray) -> GpuArray:
    return x * 2.0


def slowly(x: GpuArray) -> GpuArray:
    hold(x.context.current_stream)
    return x * 2.0


def very_slowly(x: GpuArray) -> GpuArray:
    hold(x.context.current_stream, 100)
    return x * 2.0


def firsts(results: Iterable[Any]) -> list[float]:
    """The one number that each result is full of."""
    found = []
    for result in results:
        assert (result == result.flat[0]).all(), "a mixture of batches"
        found.append(float(result.flat[0]))
    return found


def doubled(count: int) -> list[float]:
    return [2.0 * (1 + number) for number in range(count)]


def is_idle(pipe: Pipeline) -> bool:
    """Whether nothing is queued but, at most, the events that memory which was let go waits for."""
    end = time.monotonic() + 0.25  # less than one batch takes that is slow
    streams = (pipe.upload_stream, pipe.compute_stream, pipe.download_stream)
    while not (idle := all(stream.query() for stream in streams)) and time.monotonic() < end:
        pass
    return idle


# --- results ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("depth", [1, 2, 3, 7])
def test_results_come_in_order_whatever_the_depth(ctx: Context, depth: int) -> None:
    with Pipeline(ctx, depth) as pipe:
        assert firsts(pipe.map(numbers(20), double)) == doubled(20)


@pytest.mark.parametrize("compute", [double, slowly])
def test_each_stage_waits_for_the_one_before(ctx: Context, compute: Callable[[GpuArray], GpuArray]) -> None:
    with Pipeline(ctx) as pipe:
        for _ in range(2):  # the second time all memory holds something else
            assert firsts(pipe.map(numbers(12, 100_000), compute)) == doubled(12)


def test_work_queued_before_the_map_is_done_before_its_first_batch(ctx: Context) -> None:
    weights = ctx.alloc_zeros(256)
    ctx.sync()
    with Pipeline(ctx) as pipe:
        hold(ctx.current_stream, 30)
        weights.fill(5.0)
        assert firsts(pipe.map(numbers(3), lambda x: x * weights)) == [5.0, 10.0, 15.0]
        with ctx.create_stream() as stream:
            hold(stream, 30)
            weights.fill(7.0)
            assert firsts(pipe.map(numbers(3), lambda x: x * weights)) == [7.0, 14.0, 21.0]


def test_shapes_may_differ_and_buffers_grow(ctx: Context) -> None:
    random = np.random.default_rng(3)
    shapes = [(), (1,), (0,), (3, 5), (2, 3, 4), (100_000,), (7,), (0, 4), (400, 300), (5,)]
    batches = [np.asarray(random.random(shape), np.float32) for shape in shapes]
    with Pipeline(ctx) as pipe:
        results = list(pipe.map(batches, lambda x: x + 1.0))
        grown = pipe.statistics.pinned_bytes
    for batch, result in zip(batches, results, strict=True):
        assert result.shape == batch.shape
        np.testing.assert_array_equal(result, batch + np.float32(1))
    assert grown >= 3 * 2 * 4 * 3  # at least what the smallest slots hold


def test_a_batch_may_be_a_tuple_and_so_may_a_result(ctx: Context) -> None:
    def compute(batch: tuple[GpuArray, GpuArray]) -> tuple[GpuArray, ...]:
        x, y = batch
        return x * 2.0, y + 1, x.gt(1.0)

    batches = [(np.full((2, 3), i, np.float32), np.arange(i, dtype=np.int64)) for i in range(5)]
    with Pipeline(ctx) as pipe:
        for i, (x, y, z) in enumerate(pipe.map(batches, compute)):
            assert (x.dtype, x.shape, y.dtype, z.dtype) == (np.float32, (2, 3), np.int64, np.bool_)
            assert (x == 2 * i).all()
            assert y.tolist() == list(range(1, i + 1))
            assert (z == (i > 1)).all()


def test_compute_may_give_back_nothing_or_an_empty_tuple_or_its_input(ctx: Context) -> None:
    with Pipeline(ctx) as pipe:
        assert list(pipe.map(numbers(4), lambda x: None)) == [None] * 4
        assert list(pipe.map(numbers(4), lambda x: ())) == [()] * 4
        assert firsts(pipe.map(numbers(8), lambda x: x)) == [1.0 + i for i in range(8)]
        assert firsts(pipe.map(numbers(8), lambda x: x.fill(9.0))) == [9.0] * 8


def test_anything_with_a_buffer_is_a_batch(ctx: Context) -> None:
    fortran = np.asfortranarray(np.arange(6, dtype=np.float32).reshape(2, 3))
    batches = [array.array("f", [1, 2]), memoryview(b"ab"), bytearray(b"c"), [1.0, 2.5], [[1, 2], [3, 4]], 3.0, fortran]
    with Pipeline(ctx) as pipe:
        results = list(pipe.map([*batches, fortran[:, ::2]], lambda x: x))
    assert [result.tolist() for result in results[:4]] == [[1.0, 2.0], [97, 98], [99], [1.0, 2.5]]
    assert [result.tolist() for result in results[4:6]] == [[[1, 2], [3, 4]], 3.0]
    np.testing.assert_array_equal(results[6], fortran)
    np.testing.assert_array_equal(results[7], fortran[:, ::2])


def test_transposed_and_half_precision_results_come_down_whole(ctx: Context) -> None:
    batch = np.arange(6, dtype=np.float32).reshape(2, 3)
    with Pipeline(ctx) as pipe:
        (turned, half, brain) = next(pipe.map([batch], lambda x: (x.T, x.cast("f16"), x.cast("bf16"))))
    np.testing.assert_array_equal(turned, batch.T)
    np.testing.assert_array_equal(half, batch.astype(np.float16))
    np.testing.assert_array_equal(brain, batch)
    assert (half.dtype, brain.dtype) == (np.float16, np.float32)


def test_the_source_may_use_its_buffer_again(ctx: Context) -> None:
    def batches() -> Iterator[np.ndarray[Any, Any]]:
        own = np.empty(50_000, np.float32)
        for number in range(10):
            own[:] = 1 + number
            yield own
            own[:] = -1

    with Pipeline(ctx) as pipe:
        assert firsts(pipe.map(batches(), double)) == doubled(10)


def test_results_belong_to_the_caller(ctx: Context) -> None:
    with Pipeline(ctx) as pipe:
        kept = list(pipe.map(numbers(12, 10_000), double))
        for result in kept[:3]:
            result += 1
        assert firsts(pipe.map(numbers(3, 10_000), double)) == doubled(3)
    assert firsts(kept[3:]) == doubled(12)[3:]
    assert firsts(kept[:3]) == [3.0, 5.0, 7.0]


def test_state_that_compute_changes_is_changed_in_order(ctx: Context) -> None:
    total = ctx.alloc_zeros(256)

    def step(x: GpuArray) -> GpuArray:
        nonlocal total
        hold(ctx.current_stream, 1)
        total += x
        return total * 1.0

    with Pipeline(ctx) as pipe:
        assert firsts(pipe.map(numbers(10), step)) == [(i + 1) * (i + 2) / 2 for i in range(10)]
    assert total[:1].item() == 55.0


# --- reading ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("depth", [1, 3])
def test_a_batch_is_read_only_when_there_is_room(ctx: Context, depth: int) -> None:
    read = 0

    def batches() -> Iterator[np.ndarray[Any, Any]]:
        nonlocal read
        for batch in numbers(10):
            read += 1
            yield batch

    with Pipeline(ctx, depth) as pipe:
        results = pipe.map(batches(), slowly)
        assert read == 0
        for delivered, _ in enumerate(results, start=1):
            assert read <= delivered - 1 + depth
            assert pipe.statistics.batches == delivered
        assert read == 10


@on_cpu
def test_all_places_are_used(ctx: Context) -> None:
    read = []

    def batches() -> Iterator[np.ndarray[Any, Any]]:
        for batch in numbers(10):
            read.append(batch)
            yield batch

    def compute(x: GpuArray) -> GpuArray:
        if len(read) == 1:
            hold(ctx.current_stream, 500)
        return x

    with Pipeline(ctx, 4) as pipe:
        results = pipe.map(batches(), compute)
        next(results)
        assert len(read) == 4
        results.close()


def test_a_slow_source_holds_up_no_result(ctx: Context) -> None:
    log: list[str] = []

    def batches() -> Iterator[np.ndarray[Any, Any]]:
        for number, batch in enumerate(numbers(4)):
            pipe.download_stream.synchronize()  # what was read before is done
            log.append(f"read {number}")
            yield batch

    with Pipeline(ctx) as pipe:
        for number, _ in enumerate(pipe.map(batches(), double)):
            log.append(f"got {number}")
    # Reading waited for result 0, so it comes before the next reading, or before this one where the device was quicker.
    assert [line for line in log if line.startswith("got")] == [f"got {number}" for number in range(4)]
    assert all(log.index(f"got {number}") < log.index(f"read {number + 2}") for number in range(2))


def test_an_empty_source_has_no_results(ctx: Context) -> None:
    with Pipeline(ctx) as pipe:
        assert list(pipe.map([], double)) == []
        assert pipe.statistics.batches == 0


# --- what goes wrong --------------------------------------------------------------------------------------------------


def failing_source(fail_at: int) -> Iterator[Any]:
    yield from numbers(fail_at)
    raise LookupError("no more")


def ragged_source(fail_at: int) -> Iterator[Any]:
    yield from numbers(fail_at)
    yield [[1.0], [2.0, 3.0]]


def failing_compute(fail_at: int) -> Callable[[GpuArray], GpuArray]:
    calls = iter(range(fail_at + 1))

    def compute(x: GpuArray) -> GpuArray:
        hold(x.context.current_stream, 2)
        if next(calls) == fail_at:
            hold(x.context.current_stream, 100)
            raise ZeroDivisionError("compute")
        return x * 2.0

    return compute


def wrong_result(fail_at: int) -> Callable[[GpuArray], Any]:
    calls = iter(range(fail_at + 1))
    return lambda x: x * 2.0 if next(calls) != fail_at else "text"


FAILURES: dict[str, tuple[type[Exception], str, Callable[[int], Any], Callable[[int], Any]]] = {
    "source": (LookupError, "reading", failing_source, lambda n: double),
    "batch": (ValueError, "upload", ragged_source, lambda n: double),
    "compute": (ZeroDivisionError, "compute", lambda n: numbers(99, 200_000), failing_compute),
    "result": (TypeError, "compute", lambda n: numbers(99, 200_000), wrong_result),
}


@pytest.mark.parametrize("fail_at", [0, 1, 5])
@pytest.mark.parametrize("failure", FAILURES)
def test_a_failure_is_told_with_its_batch_when_all_before_are_out_and_nothing_runs(
    ctx: Context, failure: str, fail_at: int
) -> None:
    kind, stage, source, compute = FAILURES[failure]
    with Pipeline(ctx) as pipe:
        got: list[float] = []
        with pytest.raises(kind) as caught:
            got.extend(firsts(pipe.map(source(fail_at), compute(fail_at))))
        idle = is_idle(pipe)
        assert type(caught.value) is kind
        assert caught.value.__notes__ == [f"unified_gpu.Pipeline: batch {fail_at}, {stage}"]
        assert idle
        assert firsts(pipe.map(numbers(5), double)) == doubled(5)


@pytest.mark.parametrize("fail_at", [0, 1, 5])
@pytest.mark.parametrize("failure", FAILURES)
def test_results_before_a_failure_are_delivered(ctx: Context, failure: str, fail_at: int) -> None:
    kind, _, source, compute = FAILURES[failure]
    got = []
    with Pipeline(ctx) as pipe, pytest.raises(kind):
        for result in pipe.map(source(fail_at), compute(fail_at)):
            got.append(result)
    assert firsts(got) == doubled(fail_at)


@on_cpu
@pytest.mark.parametrize("fail_at", [0, 1, 5])
def test_work_that_fails_on_the_device_is_told_with_its_batch(ctx: Context, fail_at: int) -> None:
    import cpu_ffi

    calls = iter(range(99))

    def compute(x: GpuArray) -> GpuArray:
        if next(calls) == fail_at:
            cpu_ffi.fail_at("binary", 1, queued=True)
        return slowly(x)

    got = []
    with Pipeline(ctx) as pipe:
        with pytest.raises(cpu_ffi.CpuError, match="binary fails") as caught:
            for result in pipe.map(numbers(20), compute):
                got.append(result)
        assert is_idle(pipe)
        assert caught.value.__notes__ == [f"unified_gpu.Pipeline: batch {fail_at}, device"]
        assert firsts(got) == doubled(fail_at)
        assert firsts(pipe.map(numbers(5), double)) == doubled(5)


@pytest.mark.parametrize("quickly", [False, True])
def test_one_memory_for_the_results_of_two_batches_is_refused(ctx: Context, quickly: bool) -> None:
    """Also when the first of them is delivered before the second is read."""
    own = ctx.alloc(256)

    def compute(x: GpuArray) -> GpuArray:
        if not quickly:
            hold(ctx.current_stream)
        return x.copy_to(own)

    def batches() -> Iterator[np.ndarray[Any, Any]]:
        for batch in numbers(9):
            if quickly:
                pipe.download_stream.synchronize()
            yield batch

    with Pipeline(ctx) as pipe:
        results = pipe.map(batches(), compute)
        assert firsts([next(results)]) == [1.0]
        with pytest.raises(ValueError, match=r"memory of batch 0 again.*copy\(\)") as caught:
            next(results)
        assert caught.value.__notes__ == ["unified_gpu.Pipeline: batch 1, compute"]
    with Pipeline(ctx, depth=1) as pipe:
        assert firsts(pipe.map(numbers(5), compute)) == [1.0 + i for i in range(5)]


def keeping(pipe: Pipeline, own: GpuArray, gives: Callable[[GpuArray], Any]) -> Callable[[GpuArray], Any]:
    """A computation that changes an array of its own each time; downloads are much slower than that."""

    def compute(x: GpuArray) -> Any:
        hold(pipe.download_stream, 20)
        x.copy_to(own)
        return gives(x)

    return compute


def test_a_result_that_is_refused_for_the_next_batch_is_right(ctx: Context) -> None:
    own = ctx.alloc(256)
    with Pipeline(ctx) as pipe:
        results = pipe.map(numbers(9), keeping(pipe, own, lambda x: own))
        assert firsts([next(results)]) == [1.0]
        with pytest.raises(ValueError, match="memory of batch 0 again"):
            next(results)


def test_memory_that_the_next_batch_changes_is_downloaded_first(ctx: Context) -> None:
    own = ctx.alloc(256)
    given: list[GpuArray] = []

    def first_its_own(x: GpuArray) -> Any:
        given.append(x)
        return own if len(given) % 3 == 1 else x  # not the same for two in flight

    with Pipeline(ctx) as pipe:
        assert firsts(pipe.map(numbers(8), keeping(pipe, own, first_its_own))) == [1.0 + i for i in range(8)]
        given.clear()
        got = pipe.map(numbers(8), keeping(pipe, own, lambda x: own[:128] if first_its_own(x) is own else x))
        assert firsts(got) == [1.0 + i for i in range(8)]


def test_an_array_of_another_context_is_refused(ctx: Context) -> None:
    with Context(ctx.backend_name) as other, Pipeline(ctx) as pipe:
        foreign = other.alloc_zeros(4)
        with pytest.raises(MixedContextsError, match="the pipeline is of"):
            list(pipe.map(numbers(3), lambda x: foreign))


def test_bad_arguments_are_refused_at_once(ctx: Context) -> None:
    with pytest.raises(ValueError, match="at least 1 batch, not for 0"):
        Pipeline(ctx, 0)
    with pytest.raises(TypeError, match="a pipeline is of a context, not of a NoneType"):
        Pipeline(None)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="cannot be interpreted as an integer"):
        Pipeline(ctx, depth=1.5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="0 batches or more"):
        Pipeline(ctx, traced=-1)
    with Pipeline(ctx) as pipe, pytest.raises(TypeError, match="compute is a int"):
        pipe.map([], 3)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        list(Pipeline(ctx).map(3, double))  # type: ignore[arg-type]


def test_a_pipeline_does_one_map_at_a_time(ctx: Context) -> None:
    with Pipeline(ctx) as pipe:
        first = pipe.map(numbers(5), double)
        next(first)
        with pytest.raises(RuntimeError, match="another map of this pipeline is not finished"):
            next(pipe.map(numbers(5), double))
        assert firsts(first) == doubled(5)[1:]
        assert firsts(pipe.map(numbers(5), double)) == doubled(5)


def test_two_pipelines_of_a_context_work_side_by_side(ctx: Context) -> None:
    with Pipeline(ctx) as one, Pipeline(ctx, 2) as two:
        both = zip(one.map(numbers(9), double), two.map(numbers(9), slowly), strict=True)
        for number, (first, second) in enumerate(both):
            assert firsts([first, second]) == [2.0 * (1 + number)] * 2


# --- the end ----------------------------------------------------------------------------------------------------------


def end_by_closing(pipe: Pipeline, results: Any) -> None:
    results.close()


def end_by_cancelling(pipe: Pipeline, results: Any) -> None:
    assert pipe.cancel()
    with pytest.raises(PipelineCancelled, match="cancelled after 1 results"):
        next(results)


def end_by_interrupt(pipe: Pipeline, results: Any) -> None:
    with pytest.raises(KeyboardInterrupt):
        results.throw(KeyboardInterrupt)


@pytest.mark.parametrize("end", [end_by_closing, end_by_cancelling, end_by_interrupt])
@pytest.mark.parametrize("size", [256, 400_000])
def test_whatever_ends_a_map_nothing_runs_after_it(ctx: Context, end: Any, size: int) -> None:
    with Pipeline(ctx) as pipe:
        results = pipe.map(numbers(99, size), very_slowly)
        assert firsts([next(results)]) == [2.0]
        end(pipe, results)
        assert is_idle(pipe)
        assert list(results) == []
        assert not pipe.cancel()
        assert firsts(pipe.map(numbers(4, size), double)) == doubled(4)


@on_standin
def test_waits_that_fail_are_made_again(ctx: Context) -> None:
    standin = ctypes.CDLL(os.environ["CUDA_FFI_LIBRARY"])
    with Pipeline(ctx) as pipe:
        results = pipe.map(numbers(9), very_slowly)
        next(results)
        assert standin.standinFail(b"cudaStreamSynchronize:2,cudaStreamSynchronize:3") == 0
        results.close()
        standin.standinFail(b"")
        assert is_idle(pipe)


def test_interrupt_while_computing_ends_the_map_at_once(ctx: Context) -> None:
    def compute(x: GpuArray) -> GpuArray:
        hold(ctx.current_stream, 100)
        raise KeyboardInterrupt

    with Pipeline(ctx) as pipe:
        with pytest.raises(KeyboardInterrupt):
            list(pipe.map(numbers(9, 400_000), compute))
        assert is_idle(pipe)


def test_cancel_from_another_thread(ctx: Context) -> None:
    with Pipeline(ctx) as pipe:
        assert not pipe.cancel()
        reached = threading.Event()
        thread = threading.Thread(target=lambda: (reached.wait(HANGS), pipe.cancel()), daemon=True)
        thread.start()
        with pytest.raises(PipelineCancelled):
            for number, _ in enumerate(pipe.map((batch for _ in iter(int, 1) for batch in numbers(9)), double)):
                if number == 5:
                    reached.set()
        thread.join(HANGS)
        assert is_idle(pipe)


def test_closing_the_pipeline_ends_its_map(ctx: Context) -> None:
    pipe = Pipeline(ctx)
    results = pipe.map(numbers(9), slowly)
    next(results)
    pipe.close()
    pipe.close()
    with pytest.raises(PipelineCancelled):
        next(results)
    with pytest.raises(ClosedError, match="the pipeline is closed"):
        next(pipe.map(numbers(9), slowly))


def test_closing_the_context_ends_its_pipelines(ctx: Context) -> None:
    inner = Context(ctx.backend_name)
    pipe = Pipeline(inner)
    results = pipe.map(numbers(9), slowly)
    next(results)
    inner.close()
    with pytest.raises(ClosedError, match="was closed"):
        list(results)
    pipe.close()
    with pytest.raises(ClosedError):
        Pipeline(inner)


@pytest.mark.parametrize("stage", [0, 1, 2])
def test_a_stream_closed_under_it_is_told(ctx: Context, stage: int) -> None:
    with Pipeline(ctx) as pipe:
        results = pipe.map(numbers(9), double)
        assert firsts([next(results)]) == [2.0]
        (pipe.upload_stream, pipe.compute_stream, pipe.download_stream)[stage].close()
        got = []
        with pytest.raises(ClosedError, match="this stream was closed") as caught:
            for result in results:
                got.append(result)
        assert firsts(got) == doubled(9)[1 : 1 + len(got)]
        assert caught.value.__notes__[0].startswith(f"unified_gpu.Pipeline: batch {1 + len(got)}, ")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forked_process_is_told_and_the_parent_goes_on(ctx: Context) -> None:
    with Pipeline(ctx) as pipe:
        results = pipe.map(numbers(9), double)
        next(results)
        child = os.fork()
        if not child:
            status = 1
            gc.collect()  # the kernels of other tests are in cycles, and the parent's to release
            try:
                next(results)
            except ClosedError as error:
                status = 0 if "fork" in str(error) else 2
            finally:
                os._exit(status)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert firsts(results) == doubled(9)[1:]


def test_nothing_is_left_behind(ctx: Context) -> None:
    def use() -> tuple[int, int]:
        with Pipeline(ctx) as pipe:
            for _ in pipe.map(numbers(30, 5_000), double):
                pass
            with pytest.raises(ZeroDivisionError):
                list(pipe.map(numbers(30, 5_000), failing_compute(7)))
            next(pipe.map(numbers(30, 5_000), slowly))
        gc.collect()
        ctx.sync()
        statistics = ctx.memory_statistics()
        return statistics.used, len(list(Path("/proc/self/task").glob("*")))

    use()
    before = use()
    for _ in range(5):
        after = use()
    assert after[0] == before[0]
    assert after[1] <= before[1] + 3  # threads of streams that are being closed


# --- asynchronous -----------------------------------------------------------------------------------------------------


async def async_numbers(count: int) -> AsyncIterator[np.ndarray[Any, Any]]:
    for batch in numbers(count):
        await asyncio.sleep(0)
        yield batch


@pytest.mark.parametrize("source", [numbers, async_numbers])
def test_results_come_to_an_event_loop_that_goes_on(ctx: Context, source: Callable[[int], Any]) -> None:
    async def main() -> tuple[list[float], int]:
        ticks = 0

        async def tick() -> None:
            nonlocal ticks
            while True:
                await asyncio.sleep(0.001)
                ticks += 1

        ticking = asyncio.create_task(tick())
        with Pipeline(ctx) as pipe:
            got = [result async for result in pipe.amap(source(9), slowly)]
        ticking.cancel()
        return firsts(got), ticks

    got, ticks = asyncio.run(main())
    assert got == doubled(9)
    assert ticks >= (9 if ctx.backend_name == "cpu" else 1)  # the others may be quicker than a tick is long


def test_a_cancelled_task_leaves_nothing_running(ctx: Context) -> None:
    async def main() -> bool:
        with Pipeline(ctx) as pipe:

            async def consume() -> None:
                async for _ in pipe.amap(numbers(99), very_slowly):
                    reached.set()

            reached = asyncio.Event()
            task = asyncio.create_task(consume())
            await reached.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            idle = is_idle(pipe)
            assert [r.flat[0] async for r in pipe.amap(async_numbers(3), double)] == doubled(3)
            return idle

    assert asyncio.run(main())


def test_stop_iteration_in_compute_is_not_the_end(ctx: Context) -> None:
    def compute(x: Any) -> Any:
        next(iter(()))

    async def main() -> None:
        async for _ in pipe.amap(numbers(3), compute):
            pass

    with Pipeline(ctx) as pipe:
        for run in (lambda: list(pipe.map(numbers(3), compute)), lambda: asyncio.run(main())):
            with pytest.raises(RuntimeError, match="StopIteration was raised") as caught:
                run()
            assert caught.value.__notes__ == ["unified_gpu.Pipeline: batch 0, compute"]
            assert isinstance(caught.value.__cause__, StopIteration)


def test_leaving_an_event_loops_results_early(ctx: Context) -> None:
    async def main() -> list[float]:
        with Pipeline(ctx) as pipe:
            async for _ in pipe.amap(numbers(9), double):
                break
            with pytest.raises(RuntimeError, match=r"is not finished: close it, an amap by `await results.aclose\(\)`"):
                next(pipe.map(numbers(9), double))
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            async with contextlib.aclosing(pipe.amap(numbers(9), double)) as results:
                async for _ in results:
                    break
            assert is_idle(pipe)
            return firsts(pipe.map(numbers(3), double))

    assert asyncio.run(main()) == doubled(3)


def test_failures_reach_the_event_loop_with_their_batch(ctx: Context) -> None:
    async def broken() -> AsyncIterator[Any]:
        async for batch in async_numbers(2):
            yield batch
        raise LookupError("no more")

    async def main(source: Any, compute: Any) -> list[float]:
        got = []
        with Pipeline(ctx) as pipe:
            try:
                async for result in pipe.amap(source, compute):
                    got.append(result)
            except (LookupError, ZeroDivisionError) as error:
                assert is_idle(pipe)
                assert error.__notes__[0].startswith("unified_gpu.Pipeline: batch 2, ")
        return firsts(got)

    assert asyncio.run(main(broken(), double)) == doubled(2)
    assert asyncio.run(main(numbers(9), failing_compute(2))) == doubled(2)


# --- what it tells ----------------------------------------------------------------------------------------------------


def test_progress_is_called_with_what_is_done_and_the_total(ctx: Context) -> None:
    calls: list[tuple[int, int | None]] = []
    with Pipeline(ctx) as pipe:
        list(pipe.map(list(numbers(3)), double, progress=lambda done, total: calls.append((done, total))))
        list(pipe.map(numbers(1), double, progress=lambda done, total: calls.append((done, total))))
    assert calls == [(1, 3), (2, 3), (3, 3), (1, None)]


@pytest.mark.parametrize("tqdm", [True, False])
def test_a_bar_or_a_line_shows_progress(
    ctx: Context, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tqdm: bool
) -> None:
    if tqdm:
        pytest.importorskip("tqdm")
    else:
        monkeypatch.setitem(sys.modules, "tqdm", None)
    with Pipeline(ctx) as pipe:
        list(pipe.map(list(numbers(3)), double, progress=True))
        list(pipe.map(numbers(2), double, progress=True))
    shown = capsys.readouterr().err
    assert "3/3" in shown
    assert shown.endswith("\n")
    if not tqdm:
        assert shown == "\r1/3 batches\r2/3 batches\r3/3 batches\n\r1 batches\r2 batches\n"


def test_statistics_count_what_was_moved(ctx: Context) -> None:
    with Pipeline(ctx) as pipe:
        list(pipe.map(numbers(5, 100), lambda x: (x, x.sum())))
        statistics = pipe.statistics
    assert statistics.batches == 5
    assert statistics.uploaded_bytes == 5 * 400
    assert statistics.downloaded_bytes == 5 * 404
    assert statistics.pinned_bytes == 6 * 4096
    assert statistics.reading_seconds > 0
    assert statistics.waiting_seconds > 0


def test_the_trace_shows_each_stage_after_the_one_before(ctx: Context) -> None:
    with Pipeline(ctx, traced=8) as pipe:
        list(pipe.map(numbers(3), double))
        list(pipe.map(numbers(12), slowly))
        trace = pipe.trace()
    assert trace.lanes == ("upload", "compute", "download")
    assert [span.batch for span in trace.spans] == [number for number in range(4, 12) for _ in range(3)]
    for batch in range(4, 12):
        upload, compute, download = (span for span in trace.spans if span.batch == batch)
        assert 0 <= upload.begin <= upload.end <= compute.begin <= compute.end <= download.begin <= download.end
    for lane in trace.lanes:
        times = [time for span in trace.spans if span.lane == lane for time in (span.begin, span.end)]
        assert times == sorted(times)


@on_cpu
def test_stages_of_different_batches_overlap(ctx: Context) -> None:
    with Pipeline(ctx) as pipe:
        list(pipe.map(numbers(12), slowly))
        busy = pipe.trace()
    with Pipeline(ctx, depth=1) as pipe:
        list(pipe.map(numbers(12), slowly))
        alone = pipe.trace()
    assert alone.overlap <= 1.0
    assert busy.overlap > alone.overlap
    computing = [span for span in busy.spans if span.lane == "compute"]
    uploading = [span for span in busy.spans if span.lane == "upload"]
    assert any(up.begin < work.end and work.begin < up.end for up in uploading for work in computing)


def test_without_a_trace_nothing_is_measured(ctx: Context) -> None:
    with Pipeline(ctx, traced=0) as pipe:
        assert firsts(pipe.map(numbers(5), double)) == doubled(5)
        with pytest.raises(ValueError, match="measures no times"):
            pipe.trace()
