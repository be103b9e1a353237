"""Runs: one `map` of a pipeline, and the streams, events and buffers that the runs of a pipeline use in turn."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator, Sized
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from unified_gpu.context import Context
from unified_gpu.errors import ClosedError, GpuError
from unified_gpu.trace import Span

from .progress import Callback, Progress, progress_for
from .staging import STAGES, Slot

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


class Resources:
    """What a pipeline has on a device.

    Attributes:
        streams: of uploads, of computing, of downloads.
        slots: staging buffers and events, one for each batch in flight.
        ready: what was queued on the current stream before the run.
        origin: the time from which spans are measured.
        spans: when the last batches were in each stage.
        busy: held by a run; never waited for, because a finalizer or a signal handler may come at any moment.
        run: the one that is not finished.
    """

    def __init__(self, context: Context, depth: int, traced: int) -> None:
        self.context = context
        self.depth = depth
        self.closed = False
        self.run: Run | None = None
        self.busy = threading.Lock()
        self.statistics = PipelineStatistics()
        self.spans: deque[Span] = deque(maxlen=len(STAGES) * traced)
        self.streams = tuple(context.create_stream() for _ in STAGES)
        self.slots = [Slot(context, timed=traced > 0) for _ in range(depth)]
        self.ready = context.create_event(timing=False)
        self.origin = context.create_event(timing=traced > 0)

    def drain(self) -> Exception | None:
        """Wait for all that is queued, also after a failure; returns the first one."""
        failures = []
        for stream in (*self.streams, *self.streams):  # twice, because a call that fails may not have waited
            try:
                stream.synchronize()
            except Exception as error:
                failures.append(error)
        return failures[0] if failures else None

    def release(self) -> None:
        """Release all of it; nothing is queued any more."""
        for slot in self.slots:
            slot.close()
        for stream in self.streams:
            stream.close()
        self.ready.close()
        self.origin.close()


class Run:
    """One `map` from its first batch until nothing of it is queued any more."""

    def __init__(self, resources: Resources, batches: object, compute: Compute, progress: bool | Callback) -> None:
        self.in_flight: deque[Slot] = deque()
        self.cancelled = False
        self._resources = resources
        self._compute = compute
        self._progress: Progress = progress_for(progress)
        self._total = len(batches) if isinstance(batches, Sized) else None
        self._read = 0
        self._done = 0
        self._read_since_result = False  # a batch was read since the last result
        self._exhausted = False
        self._failure: Exception | None = None

    def __enter__(self) -> Run:
        resources = self._resources
        if resources.closed:
            raise ClosedError("the pipeline is closed: make a new one")
        if not resources.busy.acquire(blocking=False):
            raise RuntimeError(
                "another map of this pipeline is not finished: close it, an amap by `await results.aclose()`, "
                "or make a second pipeline"
            )
        try:
            resources.run = self
            upload, compute, _ = resources.streams
            resources.context.current_stream.record(resources.ready)
            compute.wait_event(resources.ready)
            upload.record(resources.origin)
            resources.spans.clear()
        except BaseException:
            self._leave()
            raise
        return self

    def _leave(self) -> None:
        """Let another map run."""
        self._resources.run = None
        self._resources.busy.release()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        try:
            late = self._resources.drain()
            if late is not None and error is None:
                raise late
        finally:
            for slot in self._resources.slots:
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

        A result that is there is delivered before a second batch is read, so that a slow source delays no result.
        """
        if self._exhausted or self._failure or self.cancelled or len(self.in_flight) == self._resources.depth:
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
        resources = self._resources
        up, work, down = resources.streams
        slot = resources.slots[self._read % resources.depth]
        uploaded, computed, downloaded = slot.ended
        slot.begin_batch(self._read)
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
                slot.take(self._compute(arrays), [other for other in resources.slots if other is not slot])
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
        resources.statistics.reading_seconds += seconds

    def _fail(self, error: Exception, stage: str) -> None:
        if isinstance(error, StopIteration | StopAsyncIteration):  # Python would take it for the end of the results
            error, cause = RuntimeError(f"{type(error).__name__} was raised"), error
            error.__cause__ = cause
        add_stage(error, stage, self._read)
        self._failure = error

    def wait(self) -> None:
        """Wait for the oldest batch's results."""
        start = time.perf_counter()
        slot = self.in_flight[0]
        try:
            slot.ended[-1].synchronize()
        except Exception as error:
            self._check_cancelled()
            add_stage(error, "device", slot.number)
            raise
        self._resources.statistics.waiting_seconds += time.perf_counter() - start

    def result(self) -> Any:
        """The oldest batch's results, as memory of their own; its place is free again."""
        self._check_cancelled()
        resources, slot = self._resources, self.in_flight[0]
        result = slot.result()
        resources.spans.extend(slot.spans(resources.origin))
        counted = resources.statistics
        counted.batches += 1
        counted.uploaded_bytes += slot.uploaded_bytes
        counted.downloaded_bytes += slot.downloaded_bytes
        self.in_flight.popleft().end_batch()
        self._done += 1
        self._read_since_result = False
        self._progress.update(self._done, self._total)
        return result


def add_stage(error: Exception, stage: str, number: int) -> None:
    """Add to an error where it happened; its type stays what the caller expects."""
    error.add_note(f"unified_gpu.Pipeline: batch {number}, {stage}")
