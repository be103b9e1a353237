"""Pipeline: batches are uploaded, computed and downloaded on three streams at once, in order, a few at a time."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Generator, Iterable
from dataclasses import replace
from operator import index
from types import TracebackType
from typing import Any, Self

from unified_gpu.context import Context
from unified_gpu.runtime.lifetime import ProcessLocal
from unified_gpu.runtime.stream import Stream
from unified_gpu.trace import Trace

from .progress import Callback
from .run import Compute, PipelineCancelled, PipelineStatistics, Resources, Run

__all__ = ["Pipeline", "PipelineCancelled", "PipelineStatistics"]


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
        self._resources = Resources(context, depth, traced)

    @property
    def context(self) -> Context:
        """Whose device computes."""
        return self._resources.context

    @property
    def depth(self) -> int:
        """How many batches are on their way at the same time."""
        return self._resources.depth

    @property
    def upload_stream(self) -> Stream:
        """The stream on which batches are copied to the device."""
        return self._resources.streams[0]

    @property
    def compute_stream(self) -> Stream:
        """The stream on which batches are computed."""
        return self._resources.streams[1]

    @property
    def download_stream(self) -> Stream:
        """The stream on which results are copied from the device."""
        return self._resources.streams[2]

    @property
    def statistics(self) -> PipelineStatistics:
        """What was done so far."""
        slots = self._resources.slots
        pinned_bytes = sum(slot.inputs.size + slot.outputs.size for slot in slots)
        return replace(self._resources.statistics, pinned_bytes=pinned_bytes)

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
        with Run(self._resources, batches, compute, progress) as run:
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

        with Run(self._resources, batches, compute, progress) as run:
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
        run = self._resources.run
        if run is not None:
            run.cancelled = True
        return run is not None

    def trace(self) -> Trace:
        """When the batches of the last `map` were uploaded, computed and downloaded, as measured on the streams.

        Raises:
            ValueError: when the pipeline measures nothing (`traced=0`).
        """
        if not self._resources.spans.maxlen:
            raise ValueError("this pipeline measures no times: make it with traced=256, or as many as you want to see")
        return Trace(tuple(self._resources.spans), f"Pipeline, {self.depth} in flight, {self.context.backend_name}")

    def close(self) -> None:
        """Cancel what runs, wait until nothing is queued, and release streams, events and buffers. Twice is fine."""
        resources = self._resources
        if not resources.closed:
            resources.closed = True
            self.cancel()
            resources.drain()  # errors are raised by the map that queued the work
            resources.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self.close()


def _check_callable(compute: object) -> None:
    if not callable(compute):
        raise TypeError(f"compute is a {type(compute).__name__}; give a function of a batch's arrays")
