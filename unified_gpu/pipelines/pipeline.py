"""Batches go up, are computed and come down on three streams at once, in order, a few at a time."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Callable, Generator, Iterable, Iterator, Sized
from dataclasses import dataclass, replace
from operator import index
from types import TracebackType
from typing import Any, Self

from unified_gpu.context import Context
from unified_gpu.errors import ClosedError, GpuError
from unified_gpu.runtime.lifetime import ProcessLocal
from unified_gpu.runtime.stream import Stream
from unified_gpu.trace import Span, Trace

from .progress import Callback, Progress, progress_for
from .staging import STAGES, Slot

__all__ = ["Pipeline", "PipelineCancelled", "PipelineStatistics"]

Compute = Callable[[Any], Any]
"""Gets a batch's array, or the tuple of its arrays, and returns an array, a tuple of arrays or None."""


class PipelineCancelled(GpuError):
    """The pipeline was cancelled or closed while results were still to come."""


@dataclass(slots=True)
class PipelineStatistics:
    """What a pipeline has done since it was made.

    Attributes:
        batches: whose results were delivered.
        uploaded_bytes, downloaded_bytes: of those batches and their results.
        reading_seconds: that the iterator of batches took.
        waiting_seconds: that the device was waited for.
        pinned_bytes: the staging buffers as large as they are now.
    """

    batches: int = 0
    uploaded_bytes: int = 0
    downloaded_bytes: int = 0
    reading_seconds: float = 0.0
    waiting_seconds: float = 0.0
    pinned_bytes: int = 0


class Pipeline(ProcessLocal):
    """Three streams of a context, and what `depth` batches in flight need.

        with Pipeline(ctx) as pipe:
            for result in pipe.map(batches, lambda x: (x @ weights).relu()):
                ...

    A batch is a NumPy array, anything with the buffer protocol, or a tuple of them; shapes may differ from batch to
    batch. It is copied to pinned memory at once, so the iterator may use its own buffer again.

    `compute` is called with the batch's arrays while the compute stream is current; it queues work and returns the
    results. They must be arrays of its own for each batch, because later batches are computed while they are
    downloaded; the arrays it was given may be changed and returned. Where other code refers to a result, and so
    may change it, the next batch is computed when it is downloaded. Work that was queued on the current stream
    before `map` is done before the first batch is computed.

    Args:
        context: where the work is done.
        depth: how many batches are in flight at most: 1 is one after the other, 3 keeps three stages busy.
        traced: of how many batches of a `map`, the last ones, times are kept for `trace()`; 0 measures none.

    Raises:
        ValueError: when `depth` is less than 1 or `traced` less than 0.
        TypeError: when one of them is no whole number, or `context` is no context.
        ClosedError: when the context is closed.
    """

    def __init__(self, context: Context, depth: int = 3, *, traced: int = 256) -> None:
        if not isinstance(context, Context):
            raise TypeError(f"a pipeline is of a context, not of a {type(context).__name__}")
        depth, traced = index(depth), index(traced)
        if depth < 1:
            raise ValueError(f"a pipeline has room for at least 1 batch, not for {depth}")
        if traced < 0:
            raise ValueError(f"times are kept of 0 batches or more, not of {traced}")
        self._context = context
        self._depth = depth
        self._closed = False
        self._run: _Run | None = None
        self._busy = threading.Lock()  # never waited for: a finalizer or a signal handler may come at any moment
        self._statistics = PipelineStatistics()
        self._spans: deque[Span] = deque(maxlen=len(STAGES) * traced)
        self._streams = tuple(context.create_stream() for _ in STAGES)
        self._slots = [Slot(context, timed=traced > 0) for _ in range(depth)]
        self._ready = context.create_event(timing=False)
        self._origin = context.create_event(timing=traced > 0)

    @property
    def context(self) -> Context:
        return self._context

    @property
    def depth(self) -> int:
        return self._depth

    @property
    def upload_stream(self) -> Stream:
        return self._streams[0]

    @property
    def compute_stream(self) -> Stream:
        return self._streams[1]

    @property
    def download_stream(self) -> Stream:
        return self._streams[2]

    @property
    def statistics(self) -> PipelineStatistics:
        """What was done so far."""
        return replace(self._statistics, pinned_bytes=sum(slot.inputs.size + slot.outputs.size for slot in self._slots))

    def map(
        self, batches: Iterable[Any], compute: Compute, *, progress: bool | Callback = False
    ) -> Generator[Any, None, None]:
        """The results of all batches, in their order; a new batch is read only when there is room for it.

        Args:
            batches: read in this thread, while the device works on earlier ones.
            compute: see the class.
            progress: True shows a bar on stderr, a function is called with (done, total or None).

        Yields:
            For each batch what `compute` returned, as NumPy arrays (without NumPy `array.array`) that are yours.

        Raises:
            Exception: whatever a stage raised, with a note that names the stage and the batch, after the results of
                all batches before it, when nothing is queued any more.
            PipelineCancelled: after `cancel()` or `close()`.
            RuntimeError: when another `map` of this pipeline is not finished yet.
        """
        _check_callable(compute)
        return self._results(batches, compute, progress)

    def _results(
        self, batches: Iterable[Any], compute: Compute, progress: bool | Callback
    ) -> Generator[Any, None, None]:
        with _Run(self, batches, compute, progress) as run:
            source = iter(batches)
            while run.may_go_on():
                while run.has_room():
                    run.read(source)
                if run.in_flight:
                    run.wait()
                    yield run.result()

    def amap(
        self, batches: Iterable[Any] | AsyncIterable[Any], compute: Compute, *, progress: bool | Callback = False
    ) -> AsyncGenerator[Any, None]:
        """`map` as an asynchronous iterator: `async for result in pipe.amap(batches, compute)`.

        The event loop goes on while the device works. `batches` may be asynchronous too. `compute` is an ordinary
        function: it only queues work. After `break` the event loop closes it when it goes on next,
        `contextlib.aclosing` at once.
        """
        _check_callable(compute)
        return self._async_results(batches, compute, progress)

    async def _async_results(
        self, batches: Iterable[Any] | AsyncIterable[Any], compute: Compute, progress: bool | Callback
    ) -> AsyncGenerator[Any, None]:
        import asyncio  # imported here, because few programs iterate like this

        with _Run(self, batches, compute, progress) as run:
            source = aiter(batches) if isinstance(batches, AsyncIterable) else iter(batches)
            while run.may_go_on():
                while run.has_room():
                    if isinstance(source, AsyncIterator):
                        await run.aread(source)
                    else:
                        run.read(source)
                if run.in_flight:
                    await asyncio.to_thread(run.wait)
                    yield run.result()

    def cancel(self) -> bool:
        """Let the running `map` or `amap` end with PipelineCancelled, from any thread; False when none runs.

        Batches in flight are still done but not delivered.
        """
        run = self._run
        if run is not None:
            run.cancelled = True
        return run is not None

    def trace(self) -> Trace:
        """When the batches of the last `map` were uploaded, computed and downloaded, as measured on the streams.

        Raises:
            ValueError: when the pipeline measures nothing (`traced=0`).
        """
        if not self._spans.maxlen:
            raise ValueError("this pipeline measures no times: make it with traced=256, or as many as you want to see")
        return Trace(tuple(self._spans), f"Pipeline, {self._depth} in flight, {self._context.backend_name}")

    def close(self) -> None:
        """Cancel what runs, wait until nothing is queued, and release streams, events and buffers. Twice is fine."""
        if self._closed:
            return
        self._closed = True
        self.cancel()
        self._drain()  # errors are raised by the map that queued the work
        for slot in self._slots:
            slot.close()
        for stream in self._streams:
            stream.close()
        self._ready.close()
        self._origin.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self.close()

    def _drain(self) -> Exception | None:
        """Wait for all that is queued, whatever fails; the first failure."""
        failures = []
        for stream in (*self._streams, *self._streams):  # twice, because a call that fails may not have waited
            try:
                stream.synchronize()
            except Exception as error:
                failures.append(error)
        return failures[0] if failures else None


class _Run:
    """One `map` from its first batch until nothing of it is queued any more."""

    def __init__(self, pipe: Pipeline, batches: object, compute: Compute, progress: bool | Callback) -> None:
        self.in_flight: deque[Slot] = deque()
        self.cancelled = False
        self._pipe = pipe
        self._compute = compute
        self._progress: Progress = progress_for(progress)
        self._total = len(batches) if isinstance(batches, Sized) else None
        self._read = 0
        self._done = 0
        self._read_since_result = False  # a batch was read since the last result
        self._exhausted = False
        self._failure: Exception | None = None

    def __enter__(self) -> _Run:
        pipe = self._pipe
        if pipe._closed:
            raise ClosedError("the pipeline is closed: make a new one")
        if not pipe._busy.acquire(blocking=False):
            raise RuntimeError(
                "another map of this pipeline is not finished: close it, an amap by `await results.aclose()`, "
                "or make a second pipeline"
            )
        try:
            pipe._run = self
            pipe.context.current_stream.record(pipe._ready)
            pipe.compute_stream.wait_event(pipe._ready)
            pipe.upload_stream.record(pipe._origin)
            pipe._spans.clear()
        except BaseException:
            self._leave()
            raise
        return self

    def _leave(self) -> None:
        """Let another map run."""
        self._pipe._run = None
        self._pipe._busy.release()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        try:
            late = self._pipe._drain()
            if late is not None and error is None:
                raise late
        finally:
            for slot in self._pipe._slots:
                slot.forget()
            self._failure = None  # it knows this run by its traceback
            self._leave()
            self._progress.close()

    def may_go_on(self) -> bool:
        """Whether there are results to come; raises what ended the reading when all results before it are out."""
        self._check_cancelled()
        if self.in_flight or not (self._exhausted or self._failure):
            return True
        if self._failure is not None:
            raise self._failure
        return False

    def has_room(self) -> bool:
        """Whether another batch is to be read now.

        A result that is there is delivered before a second batch is read, so that a slow source holds up no result.
        """
        if self._exhausted or self._failure or self.cancelled or len(self.in_flight) == self._pipe.depth:
            return False
        return not (self._read_since_result and self.in_flight[0].is_complete())

    def _check_cancelled(self) -> None:
        if self.cancelled:
            raise PipelineCancelled(f"the pipeline was cancelled after {self._done} results")

    def read(self, source: Iterator[Any]) -> None:
        """Read a batch and queue all its work; a failure is kept until the results before it are out."""
        start = time.perf_counter()
        try:
            batch = next(source)
        except StopIteration:
            self._exhausted = True
        except Exception as error:
            self._fail(error, "reading")
        else:
            self._submit(batch, time.perf_counter() - start)

    async def aread(self, source: AsyncIterator[Any]) -> None:
        """`read` from an asynchronous source."""
        start = time.perf_counter()
        try:
            batch = await anext(source)
        except StopAsyncIteration:
            self._exhausted = True
        except Exception as error:
            self._fail(error, "reading")
        else:
            self._submit(batch, time.perf_counter() - start)

    def _submit(self, batch: Any, seconds: float) -> None:
        """Queue all that a batch needs; each stage waits on its own stream for the one before it."""
        pipe = self._pipe
        up, work, down = pipe._streams
        slot = pipe._slots[self._read % pipe.depth]
        uploaded, computed, downloaded = slot.ended
        slot.number = self._read
        stage = "upload"
        try:
            slot.begin(stage, up)
            arrays = slot.upload(batch, up)
            up.record(uploaded)

            stage = "compute"
            work.wait_event(uploaded)
            for earlier in self.in_flight:
                if earlier.results_are_reachable():  # this batch may write to them
                    work.wait_event(earlier.ended[-1])
            slot.begin(stage, work)
            with work:
                slot.take(self._compute(arrays), self.in_flight)
            del arrays  # what is not a result may be used again when this is computed
            work.record(computed)

            stage = "download"
            down.wait_event(computed)
            slot.begin(stage, down)
            slot.download(down)
            down.record(downloaded)
        except Exception as error:
            self._fail(error, stage)
            return
        self.in_flight.append(slot)
        self._read += 1
        self._read_since_result = True
        pipe._statistics.reading_seconds += seconds

    def _fail(self, error: Exception, stage: str) -> None:
        if isinstance(error, StopIteration | StopAsyncIteration):  # Python would take it for the end of the results
            error, cause = RuntimeError(f"{type(error).__name__} was raised"), error
            error.__cause__ = cause
        _tell(error, stage, self._read)
        self._failure = error

    def wait(self) -> None:
        """Wait for the oldest batch's results."""
        start = time.perf_counter()
        slot = self.in_flight[0]
        try:
            slot.ended[-1].synchronize()
        except Exception as error:
            self._check_cancelled()
            _tell(error, "device", slot.number)
            raise
        self._pipe._statistics.waiting_seconds += time.perf_counter() - start

    def result(self) -> Any:
        """The oldest batch's results, as memory of their own; its place is free again."""
        self._check_cancelled()
        pipe, slot = self._pipe, self.in_flight[0]
        result = slot.result()
        pipe._spans.extend(slot.spans(pipe._origin))
        counted = pipe._statistics
        counted.batches += 1
        counted.uploaded_bytes += slot.uploaded_bytes
        counted.downloaded_bytes += slot.downloaded_bytes
        self.in_flight.popleft().forget()
        self._done += 1
        self._read_since_result = False
        self._progress.update(self._done, self._total)
        return result


def _tell(error: Exception, stage: str, number: int) -> None:
    """Add to an error where it happened; its type stays what the caller expects."""
    error.add_note(f"unified_gpu.Pipeline: batch {number}, {stage}")


def _check_callable(compute: object) -> None:
    if not callable(compute):
        raise TypeError(f"compute is a {type(compute).__name__}; give a function of a batch's arrays")
