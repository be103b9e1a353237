"""Streams: queues of work, each done in order."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator
from contextlib import suppress
from contextvars import ContextVar
from typing import Any, Self

from unified_gpu.backends import DLPACK_CUDA, EventHandle, StreamHandle
from unified_gpu.errors import ClosedError, MixedContextsError, RecordingError

from .base import ContextBase
from .event import Event
from .lifetime import ProcessLocal, interrupt_later
from .pending import PendingStream, is_complete
from .segments import FreeLists
from .waiting import wait

Streams = tuple["Stream", "Streams"] | None
"""Those of `with`, the innermost first."""

streams: ContextVar[Streams] = ContextVar("unified_gpu_streams", default=None)

KEEP_ALIVE_BATCH = 8
"""How many objects that copies use may wait for the next event: recording one for each would slow down every copy."""


class Stream(ProcessLocal):
    """A queue of work of one context that is done in order, made by `ctx.create_stream()`.

    `with stream:` makes it the current stream of the thread or task; what is queued there without `stream=` goes on it.

    Attributes:
        context: the one it belongs to.
        priority: lower numbers go first, where the device has priorities.
        launched: the name of the kernel that was launched on it last.
        recording: the graph that records what is queued on it; None for all other streams.
        memory_pool: the context's.
        free_lists: memory whose next user may be this stream's next work; the pool owns it. Empty once it is closed.
        release_lists: where freed blocks go: `free_lists`, or the idle blocks of the pool once it is closed.
    """

    __slots__ = (
        "__weakref__",
        "_handle",
        "_is_default",
        "_kept_alive",
        "_unrecorded",
        "context",
        "free_lists",
        "launched",
        "memory_pool",
        "priority",
        "recording",
        "release_lists",
        "unreported",
    )

    def __init__(
        self, context: ContextBase, priority: int = 0, *, is_default: bool = False, recording: Any = None
    ) -> None:
        self.context = context
        self.priority = priority
        self.memory_pool = context.memory_pool
        self.launched = ""
        self.recording = recording
        self.unreported: Exception | None = None
        """What queued work has raised where nothing could raise it, as when an array was shown."""
        self._is_default = is_default
        own: FreeLists = self.memory_pool.default_free_lists if is_default else {}
        self.free_lists = self.release_lists = own
        self._unrecorded: list[object] = []
        self._kept_alive: deque[tuple[EventHandle, list[object]]] = deque()
        self._handle: StreamHandle | None = (
            context.device.create_stream(priority) if recording is None else recording.begin()
        )
        context.register(self)
        if not is_default and recording is None:
            self.memory_pool.register(own)
        if context.closed_reason:  # closed by another thread meanwhile
            self.release()
            raise ClosedError(context.closed_reason)

    @property
    def handle(self) -> StreamHandle:
        """What the backend calls it.

        Raises:
            ClosedError: when it or its context was closed.
        """
        if self._handle is None:
            raise ClosedError(self.context.closed_reason or "this stream was closed")
        return self._handle

    @property
    def closed(self) -> bool:
        """Whether it was closed, so that no work can be queued on it."""
        return self._handle is None

    def query(self) -> bool:
        """Whether everything queued so far is done; does not wait. Raises what queued work has raised."""
        self._report()
        if self.recording is not None:
            self._check_not_recording("asked whether it is done")
        is_done = self.handle.query()
        if self.context.check_results is not None:
            self.context.check_results()
        return is_done

    def synchronize(self) -> None:
        """Wait until everything queued so far is done, without blocking other threads.

        Raises:
            RuntimeError: of the backend's own class, when queued work has failed.
            ClosedError: when it or its context was closed.
        """
        self._report()
        if self.recording is not None:
            self._check_not_recording("waited for")
        handle = self.handle
        if self.memory_pool.freed:
            self.memory_pool.process_freed()
        if not self._unrecorded and handle.query():  # the usual case of a short wait, and quicker
            if self._kept_alive:
                self._release_completed()
            if self.context.check_results is not None:
                self.context.check_results()
            return
        unrecorded, self._unrecorded = self._unrecorded, []  # other threads may add more meanwhile
        try:
            wait(handle)
        except BaseException:  # the work may still go on
            self._unrecorded = unrecorded + self._unrecorded
            raise
        unrecorded.clear()
        self._release_completed()
        if self.context.check_results is not None:
            self.context.check_results()

    sync = synchronize

    def _report(self) -> None:
        if self.unreported is not None:
            error, self.unreported = self.unreported, None
            raise error

    def record(self, event: Event | None = None) -> Event:
        """Let `event`, or a new one, stand for all work queued so far.

        Raises:
            MixedContextsError: for an event of another context.
        """
        self._check_not_recording("recorded by an event")
        if event is None:
            event = Event(self.context)
        self._check_context(event, Event)
        if self.memory_pool.freed:  # soon, so that little work is queued behind it
            self.memory_pool.process_freed()
        self.handle.record(event._open_handle())
        event._recorded = True
        return event

    def wait_event(self, event: Event) -> None:
        """Let work that is queued from now on wait for `event`; the caller does not wait.

        Raises:
            EventNotRecorded: when no stream has recorded it.
            MixedContextsError: for an event of another context.
        """
        self._check_not_recording("told to wait")
        self._check_context(event, Event)
        self.handle.wait_event(event._recorded_handle())

    def wait_stream(self, stream: Stream) -> None:
        """Let work that is queued from now on wait for all that `stream` has queued so far."""
        self._check_not_recording("told to wait")
        self._check_context(stream, Stream)
        stream._check_not_recording("waited for")
        _ = stream.handle  # raises when it was closed
        stream._make_wait(self.handle)

    def close(self) -> None:
        """Wait for its work and release it; closing it again does nothing. A context's default stream stays."""
        if self._handle is not None and not self._is_default:
            try:
                self.synchronize()
            except Exception:
                with suppress(Exception):
                    wait(self.handle)  # a call that fails may not have waited
                self._release_handle()
                raise
            self._release_handle()

    def pointer(self) -> int:
        """Its address, for other libraries: a `cudaStream_t` on CUDA; valid until it is closed."""
        return self.handle.pointer()

    def __cuda_stream__(self) -> tuple[int, int]:
        """Export it to libraries for CUDA: (version of the protocol, cudaStream_t)."""
        if self.context.device.dlpack_type != DLPACK_CUDA:
            raise TypeError(f"a stream of backend {self.context.backend_name} is no CUDA stream")
        return 0, self.pointer()

    def __enter__(self) -> Self:
        _ = self.handle
        if self.context.recording is not None:
            self.context.stream_for(self)  # which refuses others in a recording
        streams.set((self, streams.get()))
        return self

    def __exit__(self, *exc: object) -> None:
        chosen = streams.get()
        streams.set(chosen[1] if chosen else None)

    def __await__(self) -> Generator[object, None, None]:
        """Let other tasks run until everything queued so far is done; raises what queued work has raised."""
        if not self.query():
            import asyncio  # imported here, because few programs await a stream

            yield from asyncio.get_running_loop().run_in_executor(None, self.synchronize).__await__()

    def __repr__(self) -> str:
        return f"<Stream {'closed' if self.closed else f'priority {self.priority}'} of {self.context}>"

    def __del__(self) -> None:
        try:
            self._finalize()
        except KeyboardInterrupt:
            self._finalize()
            interrupt_later()

    def _finalize(self) -> None:
        """Hand the queued work, and what it uses, over to the memory pool."""
        handle = getattr(self, "_handle", None)
        if handle is None or self.recording is not None:
            return
        if self.context.closed_reason:  # the context was collected too, and closed its streams
            handle.synchronize()
            return
        pending = PendingStream(handle, self.free_lists, self._kept_alive, self._unrecorded)
        self._handle = None  # no call from here to the last, so that no interrupt comes between
        self.memory_pool.pending_streams.append(pending)

    # what arrays, the memory pool and the context need

    def record_event(self, event: EventHandle, /) -> None:
        """Record a raw event; a closed stream has nothing left to wait for."""
        if self._handle is not None:
            self._handle.record(event)

    def _make_wait(self, consumer: StreamHandle, /) -> None:
        """Let a stream, which may be of another context or another library, wait for all that is queued here so far."""
        if self._handle is None:  # nothing is left to wait for
            return
        memory_pool = self.memory_pool
        event = memory_pool.event()
        self._handle.record(event)
        consumer.wait_event(event)
        memory_pool.event_pool.append(event)  # a wait is for the recording before it; later ones change nothing

    def keep_alive(self, kept: object, /) -> None:
        """Keep an object alive until everything queued so far is done; a few of them share an event."""
        handle = self._handle
        if handle is None:
            return
        if self.recording is not None:
            self.recording.keep(kept)
            return
        if self._unrecorded and self._unrecorded[-1] is kept:  # as of a graph that is launched again and again
            return
        self._unrecorded.append(kept)
        if len(self._unrecorded) >= KEEP_ALIVE_BATCH:
            unrecorded, self._unrecorded = self._unrecorded, []
            try:
                event = self.memory_pool.event()
                handle.record(event)
            except Exception:
                self._unrecorded = unrecorded + self._unrecorded
                raise
            self._kept_alive.append((event, unrecorded))
            self._release_completed()

    def _release_completed(self) -> None:
        """Forget the objects whose turn has come."""
        kept, events = self._kept_alive, self.memory_pool.event_pool
        while kept:
            try:
                entry = kept.popleft()
            except IndexError:  # another thread has removed it
                return
            if not is_complete(entry[0]):
                kept.appendleft(entry)
                return
            events.append(entry[0])

    def stop(self) -> StreamHandle | None:
        """Take no more work, because the context is being closed; returns what has the rest of it."""
        handle, self._handle = self._handle, None
        self.free_lists = {}
        return None if self.recording is not None else handle  # the graph ends what is being recorded

    def release(self) -> None:
        """Close it with its context, whose memory pool needs nothing of it any more."""
        handle = self.stop()
        self._kept_alive.clear()
        self._unrecorded.clear()
        if handle is not None:
            handle.close()

    def abandon(self) -> object:
        """Leave everything behind in a forked process; returns what must never be released there."""
        left = (self._handle, self._kept_alive, self._unrecorded)
        self._handle, self.free_lists, self._kept_alive, self._unrecorded = None, {}, deque(), []
        return left

    def _release_handle(self) -> None:
        handle, self._handle = self._handle, None
        if handle is not None:
            self.memory_pool.close_stream(self)
            handle.close()

    def _check_not_recording(self, what: str) -> None:
        if self.recording is not None:
            raise RecordingError(
                f"a stream that ctx.record() records cannot be {what}, for its work is done when the graph is "
                "launched: do that after the recording, with the stream that the graph is launched on"
            )

    def _check_context(self, given: Event | Stream, kind: type[Event | Stream]) -> None:
        if given.__class__ is kind and given.context is self.context:
            return
        what = "an event" if kind is Event else "a stream"
        if not isinstance(given, kind):
            raise TypeError(f"{what} is wanted, not a {type(given).__name__}")
        message = f"{what} of {given.context} cannot be used on a stream of {self.context}"
        raise MixedContextsError.between(given.context, self.context, message)
