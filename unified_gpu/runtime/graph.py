"""Graphs: work that is recorded once, and launched as a whole."""

from __future__ import annotations

from contextlib import suppress
from threading import Lock
from typing import Any, NoReturn, Self, cast

from unified_gpu.backends import Device
from unified_gpu.backends.protocols import GraphHandle, RecordingDevice
from unified_gpu.backends.recorded_calls import CallRecorder, RecordedCalls
from unified_gpu.errors import ClosedError, RecordingError

from .base import ContextBase
from .lifetime import ProcessLocal
from .stream import Stream, streams

_starting = Lock()
_NOT_RECORDED = "this graph was not recorded: with ctx.record() as graph: … queues its work"


class Graph(ProcessLocal):
    """Work that was recorded, and is launched as often as is wanted: `with ctx.record() as graph:` records it.

    What the block queues on the current stream is recorded, and not done: kernels, operations with `out=`, fills, and
    copies of pinned memory. Each launch does all of it, in that order, with the same arrays and the same numbers. The
    arrays are kept until the graph is closed or collected, also where nothing else has them.

    Attributes:
        context: the one it belongs to.
        stream: the current one while it is recorded.
    """

    __slots__ = ("__weakref__", "_device", "_handle", "_held", "_kept", "_queue", "_reason", "context", "stream")
    _alternative = "record it again, in a context of that process"

    def __init__(self, context: ContextBase) -> None:
        self.context = context
        self.stream: Stream | None = None
        self._device = context.device
        self._reason = _NOT_RECORDED
        self._handle: GraphHandle | None = None
        self._queue: Any = None
        self._kept: dict[int, object] = {}
        self._held: tuple[object, ...] = ()
        context.register(self)

    # --- recording

    def __enter__(self) -> Self:
        """Record from now on what this thread or task queues on the current stream.

        Raises:
            RecordingError: where it was recorded already, or another graph of the context is being recorded.
            ClosedError: after the context was closed.
        """
        context = self.context
        context.check_open()
        if self.stream is not None:
            raise RecordingError("a graph is recorded once: make another one, ctx.record()")
        with _starting:
            if context.recording is not None:
                raise RecordingError(f"{context} records another graph: end that one first")
            context.recording = self
        try:
            self._device = context.device
            if hasattr(self._device, "begin_capture"):
                self._queue = cast(RecordingDevice, self._device).begin_capture()
            else:
                self._queue = RecordedCalls()
                context.device = cast(Device, CallRecorder(self._device, self._queue))
            self.stream = Stream(context, recording=self)
        except BaseException:
            self._end_recording()
            raise
        streams.set((self.stream, streams.get()))
        return self

    def __exit__(self, kind: type[BaseException] | None, *exc: object) -> None:
        chosen = streams.get()
        streams.set(chosen[1] if chosen else None)
        try:
            handle = self._end_recording()
        except BaseException:
            self._reason = "the recording of this graph has failed: record another one"
            raise
        if kind is not None or self.context.closed_reason:
            self._reason = f"the recording of this graph has ended by {kind.__name__}: record another" if kind else ""
            self._drop(handle)
            return
        self._held = (handle, *self._kept.values())
        self._handle = handle

    def begin(self) -> Any:
        """What the backend calls the stream while it records."""
        return self._queue

    def _end_recording(self) -> GraphHandle:
        """Do as usual what is queued from now on; gives what was recorded."""
        queue, self._queue = self._queue, None
        self.context.recording = None
        self.context.device = self._device
        if self.stream is not None:
            self.stream.stop()
        if queue is None or isinstance(queue, RecordedCalls):
            return queue or RecordedCalls()
        return cast(RecordingDevice, self._device).end_capture(queue)

    def keep(self, kept: object) -> None:
        """Keep something alive that the recorded work uses."""
        self._kept[id(kept)] = kept

    def refuse_memory(self) -> NoReturn:
        """Raise RecordingError where something needs memory, which would be another's when the graph is launched."""
        raise RecordingError(
            "ctx.record() cannot record what needs new memory: allocate before, and give operations out="
        )

    # --- launching

    def launch(self, stream: Stream | None = None) -> None:
        """Queue all of it on a stream, or on the current one.

        Launches on several streams use the same arrays: the caller orders them, by events.

        Raises:
            RecordingError: inside of a recording, and for a graph whose recording has not ended, or by an exception.
            MixedContextsError: for a stream of another context.
            ClosedError: when it or its context was closed.
        """
        handle = self._handle
        if handle is None:
            if self.context.closed_reason:
                raise ClosedError(self.context.closed_reason)
            if self._queue is not None:
                raise RecordingError("this graph is being recorded: launch it after the `with` block")
            raise (ClosedError if self._reason == _CLOSED else RecordingError)(self._reason)
        target = self.context.stream_for(stream)
        if target.recording is not None:
            raise RecordingError("a recording cannot launch a graph: queue its work again, or launch both in turn")
        handle.launch(target.handle)
        if self.stream is not None:
            target.launched = self.stream.launched
        target.keep_alive(self._held)

    def close(self) -> None:
        """Release it, and what it keeps, when no queued launch needs that any more; closing it again does nothing."""
        if self._queue is not None and not self.context.closed_reason:
            raise RecordingError("this graph is being recorded: close it after the `with` block")
        if self._handle is not None:
            self._handle, self._reason = None, _CLOSED
            self._held = ()
            self._kept.clear()

    def abandon(self) -> object:
        """Leave it behind in a forked process; returns what must never be released there."""
        left = (self._handle, self._queue, self._held, self._kept)
        self._handle, self._queue, self._held, self._kept = None, None, (), {}
        return left

    def _drop(self, handle: GraphHandle) -> None:
        with suppress(Exception):  # the error that has ended the recording is raised
            handle.close()
        self._kept.clear()

    def __repr__(self) -> str:
        state = "recorded" if self._handle else "being recorded" if self._queue is not None else "closed"
        return f"<Graph {'not recorded' if self.stream is None else state} of {self.context}>"


_CLOSED = "this graph was closed"
