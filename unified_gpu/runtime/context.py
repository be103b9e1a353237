"""StreamContext: the streams, events and pinned memory of a context, and how it is closed."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from contextvars import ContextVar
from functools import partial
from operator import index
from threading import RLock
from typing import Any, Self, TypeVar

from unified_gpu.backends import DLPACK_CPU, Device, Gpu, StreamHandle, choose_device, open_device
from unified_gpu.backends.checked_mode import is_checked
from unified_gpu.dtypes import as_dtype
from unified_gpu.errors import ClosedError, MixedContextsError, RecordingError
from unified_gpu.shapes import lengths_of

from .base import ContextBase
from .event import Event
from .graph import Graph
from .lifetime import AFTER_A_FORK, check_not_forked, close_at_exit, interrupt_later, is_exiting, wait_for_calls
from .memory_pool import MemoryPool
from .pinned import PinnedArray
from .redzones import CheckedMemoryPool
from .stream import Stream, streams
from .waiting import wait, wait_at_exit

Made = TypeVar("Made")
Contexts = tuple["StreamContext", "Contexts"] | None
"""Those of `with`, the innermost first."""

contexts: ContextVar[Contexts] = ContextVar("unified_gpu_contexts", default=None)
_chosen_streams = streams.get  # bound once: Python 3.11 calls a method of an imported name slowly


class StreamContext(ContextBase):
    """A context as far as it has streams; see `unified_gpu.Context`.

    Attributes:
        dtype: what floating point data becomes where no dtype is named.
        default_stream: what is used where no stream is named or chosen.
        kernels: those that were compiled for it.
    """

    def __init__(
        self, backend: str | None = None, device: int | str | Gpu | None = None, *, dtype: object = "f32"
    ) -> None:
        check_not_forked()
        name, number = choose_device(backend, device)
        self.dtype = as_dtype(dtype)
        opened: Device = open_device(name, number)
        on_the_cpu = opened.dlpack_type == DLPACK_CPU
        super().__init__(opened, (CheckedMemoryPool if on_the_cpu and is_checked() else MemoryPool)(opened))
        self._closing = RLock()
        self._released = False
        self._stopped: list[StreamHandle] = []
        self._launched: dict[int, str] = {}
        self.kernels: dict[object, Any] = {}
        self.default_stream = Stream(self, is_default=True)
        close_at_exit(self)

    @property
    def current_stream(self) -> Stream:
        """The stream of the innermost `with stream:` of this thread or task, else the default stream."""
        return chosen_stream(self)

    def create_stream(self, priority: int = 0) -> Stream:
        """A queue of its own, which waits for no other.

        Args:
            priority: lower numbers go first, where the device has priorities.
        """
        self.check_open()
        return Stream(self, index(priority))

    def create_event(self, timing: bool = True) -> Event:
        """A point in a stream's work; without `timing` it is cheaper, and has no time."""
        self.check_open()
        return Event(self, timing)

    def stream_for(self, stream: Stream | None) -> Stream:
        """`stream`, or the current one.

        Raises:
            MixedContextsError: when it is of another context.
            TypeError: when it is no stream.
        """
        if stream is None:
            return chosen_stream(self)
        if stream.__class__ is not Stream:
            raise TypeError(f"a stream is wanted, as ctx.create_stream() makes it, not a {type(stream).__name__}")
        if stream.context is not self:
            message = f"a stream of {stream.context} cannot be used for work of {self}"
            raise MixedContextsError.between(stream.context, self, message)
        if self.recording is not None and stream is not self.recording.stream and self._is_recording():
            raise RecordingError(
                "ctx.record() records what is queued on the current stream: leave out the other stream, or queue that "
                "work before or after the recording"
            )
        return stream

    def record(self) -> Graph:
        """Record what the block queues, instead of doing it, as a graph that is launched as often as is wanted.

            with ctx.record() as graph:
                ctx.launch(step, size, [old, new])
            graph.launch()

        Launching a graph costs little more than a launch of one kernel. Its arrays are made before, and operations in
        it have `out=`; what needs new memory, reads results on the host, waits, or uses another stream, is a
        RecordingError. Only what this thread or task queues is recorded.

        Raises:
            ClosedError: after the context was closed.
        """
        self.check_open()
        return Graph(self)

    def _is_recording(self) -> bool:
        """Whether it is this thread or task that records."""
        return chosen_stream(self).recording is not None

    def alloc_pinned(self, shape: int | Sequence[int], dtype: object = None) -> PinnedArray:
        """A new array in pinned memory of the host, with which copies to and from the device are asynchronous.

        Raises:
            MemoryError: when so much cannot be pinned.
            ValueError, ClosedError: as `alloc` does.
        """
        self.check_open()
        pinned = PinnedArray(self.device, lengths_of(shape), self.dtype if dtype is None else as_dtype(dtype))
        self.register(pinned.pin)
        return pinned

    def sync(self) -> None:
        """Wait for all work of the context, on all of its streams; raises what queued work has raised."""
        self.check_open()
        is_recording = self.recording is not None and self._is_recording()
        for stream in self._live(Stream):
            if not stream.closed and (is_recording or stream.recording is None):
                stream.synchronize()
        self.memory_pool.wait_for_pending_streams()

    # the end

    def close(self) -> None:
        """Wait for all work and give everything back; closing it again does nothing.

        Arrays, streams and events raise ClosedError from now on, in all threads; their queued work is done on return.
        Memory that was exported lives until the other library releases it. Errors of queued work are not reported; call
        `sync` before to see them. After an interrupt, close it again to continue.
        """
        with self._closing:
            if not self._released:
                self._stop_streams()
                wait_for_calls(self._stopped)
                self._stop_streams()  # of streams that were being made
                self._finish()

    def _stop_streams(self) -> None:
        """Refuse new work from now on."""
        self.closed_reason = self.closed_reason or f"{self} was closed, and all that was made by it"
        for stream in self._live(Stream):
            if handle := stream.stop():
                self._stopped.append(handle)
                self._launched[id(handle)] = stream.launched

    def _finish(self) -> None:
        """Wait for what is queued, and release everything."""
        handles = [*self._stopped, *(stream.handle for stream in list(self.memory_pool.pending_streams))]
        for handle in handles:
            with suppress(Exception):  # errors are not reported: see `close`
                if is_exiting():
                    wait_at_exit(handle, partial(self._waits_for, id(handle)))
                else:
                    wait(handle)
        self._released = True
        for handle in handles:
            handle.close()
        for made in self._made:
            made.release() if isinstance(made, Stream) else made.close()
        for kernel in self.kernels.values():
            kernel.close()
        self.kernels.clear()
        self.memory_pool.close()
        self._stopped.clear()
        self.memory_pool.pending_streams.clear()

    def _waits_for(self, number: int) -> str:
        """What is told of a stream whose work goes on when the program has ended."""
        name = self._launched.get(number)
        last = f"; kernel {name!r} was launched last on it" if name else ""
        return f"the program is at its end, and waits for what is queued on a stream of {self}{last}. Ctrl-C ends it"

    def __del__(self) -> None:
        """Finish the queued work of a context that was collected; no other thread uses it."""
        try:
            self._finalize()
        except KeyboardInterrupt:
            self._finalize()
            interrupt_later()

    def _finalize(self) -> None:
        if not getattr(self, "_released", True):
            try:
                self._stop_streams()
                if handle := self.default_stream.stop():  # weak references to it are cleared already
                    self._stopped.append(handle)
                self._finish()
            except AttributeError:  # it was never opened
                pass

    def __enter__(self) -> Self:
        self.check_open()
        contexts.set((self, contexts.get()))
        return self

    def __exit__(self, *exc: object) -> None:
        current = contexts.get()
        contexts.set(current[1] if current else None)
        self.close()

    def _live(self, kind: type[Made]) -> list[Made]:
        return [made for made in self._made if isinstance(made, kind)]

    def abandon(self) -> object:
        """Leave everything behind in a forked process; returns what must never be released there."""
        if self.closed_reason:
            return self.device  # which has the kernels of its operations
        self.closed_reason = f"{self} was made before this process was forked; {AFTER_A_FORK}"
        self._released = True
        self._closing = RLock()  # another thread of the parent may have held it
        return [self.device, self.kernels, self.memory_pool.abandon(), [made.abandon() for made in list(self._made)]]


def current_context() -> StreamContext:
    """The context of the innermost `with ctx:` of this thread or task.

    Raises:
        ClosedError: when there is none.
    """
    current = contexts.get()
    if current is None:
        raise ClosedError("no context is current here; use `with Context.default() as ctx:`")
    return current[0]


def chosen_stream(context: StreamContext) -> Stream:
    """The innermost stream of `context` that this thread or task has chosen by `with stream:`, else the default one."""
    chosen = _chosen_streams()
    while chosen is not None:
        if chosen[0].context is context:
            return chosen[0]
        chosen = chosen[1]
    return context.default_stream
