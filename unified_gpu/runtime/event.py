"""Events: points in the work of streams, by which one waits for another."""

from __future__ import annotations

from collections.abc import Generator
from typing import Protocol

from unified_gpu.backends import EventHandle
from unified_gpu.errors import ClosedError, EventNotRecorded, MixedContextsError

from .base import ContextBase
from .lifetime import ProcessLocal
from .waiting import wait


class RecordingStream(Protocol):
    """A stream, as far as an event needs it."""

    def record(self, event: Event, /) -> object: ...


class Event(ProcessLocal):
    """A point in a stream's work, made by `ctx.create_event()` or `stream.record()`.

    One can ask whether it is complete, wait for it, let another stream wait for it, and measure the time between two.
    """

    __slots__ = ("__weakref__", "_handle", "_recorded", "context", "timing")

    def __init__(self, context: ContextBase, timing: bool = True) -> None:
        self.context = context
        self.timing = timing
        self._recorded = False
        self._handle: EventHandle | None = context.device.create_event(timing)
        context.register(self)
        if context.closed_reason:  # closed by another thread meanwhile
            self.close()
            raise ClosedError(context.closed_reason)

    def record(self, stream: RecordingStream | None = None) -> None:
        """Let it stand for all work queued so far on `stream`, or on the current stream."""
        self.context.stream_for(stream).record(self)

    def query(self) -> bool:
        """Whether the work before it is done; does not wait.

        Raises:
            EventNotRecorded: when no stream has recorded it.
            ClosedError: when it or its context was closed.
        """
        is_done = self._recorded_handle().query()
        if is_done and self.context.check_results is not None:
            self.context.check_results()
        return is_done

    def synchronize(self) -> None:
        """Wait until the work before it is done, without blocking other threads.

        Raises:
            EventNotRecorded: when no stream has recorded it.
            ClosedError: when it or its context was closed.
        """
        wait(self._recorded_handle())
        if self.context.check_results is not None:
            self.context.check_results()

    def elapsed_time(self, end: Event) -> float:
        """Milliseconds from this event to `end`; waits until both are complete.

        Raises:
            EventNotRecorded: when one of them was never recorded.
            ValueError: when one of them was made with `timing=False`.
            MixedContextsError: when they are of different contexts.
        """
        if not isinstance(end, Event):
            raise TypeError(f"the time goes to an event, not to a {type(end).__name__}")
        if end.context is not self.context:
            message = f"events of {self.context} and {end.context} have no time between them"
            raise MixedContextsError.between(end.context, self.context, message)
        if not (self.timing and end.timing):
            raise ValueError("an event made with timing=False has no time; make it with ctx.create_event()")
        start, stop = self._recorded_handle(), end._recorded_handle()
        wait(start)
        wait(stop)
        return start.elapsed_time(stop)

    def close(self) -> None:
        """Release it now; closing it again does nothing."""
        if self._handle is not None:
            handle, self._handle = self._handle, None
            handle.close()

    def __await__(self) -> Generator[object, None, None]:
        """Let other tasks run until it is complete."""
        if not self.query():
            import asyncio  # imported here, because few programs await an event

            yield from asyncio.get_running_loop().run_in_executor(None, self.synchronize).__await__()

    def __repr__(self) -> str:
        if self._handle is None:
            return "<Event closed>"
        return f"<Event {'recorded' if self._recorded else 'not recorded'} of {self.context}>"

    def abandon(self) -> object:
        """Leave it behind in a forked process; returns what must never be released there."""
        left, self._handle = self._handle, None
        return left

    def _open_handle(self) -> EventHandle:
        if self._handle is None:
            raise ClosedError(self.context.closed_reason or "this event was closed")
        return self._handle

    def _recorded_handle(self) -> EventHandle:
        handle = self._open_handle()
        if not self._recorded:
            raise EventNotRecorded("this event was never recorded; call stream.record(event) before waiting for it")
        return handle
