"""The memory pool: it caches the memory of a device, and gives each block out again in the order of a stream.

A freed block goes to the free list of the stream that it was allocated on: later work of that stream runs after the
work that used the block before, so nothing waits. A block that other streams used too is a pending free: the pool
records an event on each of them, and waits until all are complete. The free blocks of a closed stream are idle: the
next stream that needs memory takes them.

Python may run finalizers and signal handlers wherever objects are made, here too, and those of users may call any
function. So finalizers only append to queues, which the pool processes in its other methods; its lock is reentrant, and
between any two calls here the state that it guards is consistent.
"""

from __future__ import annotations

import gc
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field
from threading import RLock
from typing import Any, Protocol

from unified_gpu.backends import Device, EventHandle, Memory, StreamHandle

from .lifetime import interrupt_later
from .pending import PendingStream, is_complete, popped
from .segments import Block, FreeLists, RoundedSizes, Segment, Segments
from .waiting import wait

_sizes = RoundedSizes()


class PoolStream(Protocol):
    """A stream, as far as the memory pool and those who use an allocation need it.

    Attributes:
        free_lists: blocks for its next work, by size.
        release_lists: where blocks go that are freed.
        recording: the graph that records its work, or None.
    """

    free_lists: FreeLists
    release_lists: FreeLists
    recording: Any

    @property
    def memory_pool(self) -> MemoryPool: ...
    @property
    def handle(self) -> StreamHandle: ...
    @property
    def closed(self) -> bool: ...
    def synchronize(self) -> None: ...
    def pointer(self) -> int: ...
    def keep_alive(self, kept: object, /) -> None:
        """Keep an object alive until everything queued so far is done."""

    def record_event(self, event: EventHandle, /) -> None: ...
    def _make_wait(self, consumer: StreamHandle, /) -> None:
        """Let a stream, perhaps of another library, wait for everything queued so far."""


@dataclass(frozen=True, slots=True)
class MemoryStatistics:
    """What a memory pool holds, in bytes.

    Attributes:
        reserved: taken from the device.
        used: of that, used by arrays or by queued work.
        cached: of that, free for the next array.
        peak_reserved: the most that was ever reserved.
        device_allocations: how many allocations the device has made.
    """

    reserved: int
    used: int
    cached: int
    peak_reserved: int
    device_allocations: int


class Allocation:
    """A block that arrays use; it is freed when the last of them is collected.

    Attributes:
        memory: the memory of its segment; the block begins there at `block.offset`.
        stream: the stream that it was allocated on.
        uses: other streams, other libraries; None for most, which makes them faster to allocate and free.
    """

    __slots__ = ("block", "memory", "stream", "uses")

    def __init__(self, block: Block, stream: PoolStream) -> None:
        self.block = block
        self.memory = block.memory
        self.stream = stream
        self.uses: Uses | None = None

    def record_stream(self, stream: PoolStream) -> None:
        """Work on another stream uses it: it is not allocated again before that work is done."""
        if stream.recording is not None:
            stream.recording.keep(self)
            return
        self.uses = self.uses or Uses()
        self.uses.streams.add(stream)

    def stream_uses(self) -> set[PoolStream]:
        """All streams whose work may use it."""
        return {self.stream} if self.uses is None else {self.stream, *self.uses.streams}

    def mark_exported(self) -> None:
        """Other libraries use it: its memory lives until they release it, also when the context is closed."""
        if self.uses is None:
            self.uses = Uses()
        if not self.uses.exported:
            self.stream.memory_pool.export(self.block)
            self.uses.exported = True

    def __del__(self) -> None:
        try:
            if self.uses is None:
                block = self.block
                self.stream.release_lists[block.size].append(block)
            else:
                self.stream.memory_pool.freed.append((self.block, self.stream, self.uses))
        except KeyboardInterrupt:  # after the append: Python handles signals after a call
            interrupt_later()


@dataclass(slots=True)
class Uses:
    """The users of an allocation, other than arrays on its own stream.

    Attributes:
        streams: other streams that have used it.
        exported: whether another library uses or owns it, so that the pool does not.
        owner: keeps memory alive that was imported.
        reclaimed: whether the pool has taken the block back; it must not take it twice.
    """

    streams: set[PoolStream] = field(default_factory=set)
    exported: bool = False
    owner: object = None
    reclaimed: bool = False


class MemoryPool:
    """Allocates the memory of one context's device, and caches what is freed.

    Attributes:
        default_free_lists: the default stream's free lists.
        event_pool: unused events without timing; `event()` takes from them.
        freed: blocks that other streams or other libraries have used, as finalizers leave them.
        pending_streams: those that were collected while work was queued; released when it is done.
    """

    def __init__(self, device: Device) -> None:
        self.default_free_lists: FreeLists = {}
        self.event_pool: list[EventHandle] = []
        self.freed: deque[tuple[Block, PoolStream, Uses]] = deque()
        self.pending_streams: deque[PendingStream] = deque()
        self._device = device
        self._lock = RLock()
        self._segments = Segments(device)
        self._pending_frees: deque[tuple[list[EventHandle], PoolStream, Block]] = deque()
        self._discarded: deque[tuple[Block, bool]] = deque()
        self._idle: FreeLists = {}
        self._free_lists: dict[int, FreeLists] = {id(each): each for each in (self.default_free_lists, self._idle)}

    def allocate(self, size_bytes: int, stream: PoolStream) -> Allocation:
        """Memory for work on `stream`; what it holds is not defined.

        Raises:
            MemoryError: when there is too little even after all cached memory was given back; with the numbers.
        """
        try:
            return Allocation(stream.free_lists[_sizes[size_bytes]].pop(), stream)
        except (KeyError, IndexError):
            return Allocation(self._refill(_sizes[size_bytes], stream), stream)

    def wrap_external(self, memory: Memory, size: int, stream: PoolStream, owner: object) -> Allocation:
        """A block over memory of `owner`, who is kept until all queued work on it is done."""
        self.process_freed()
        allocation = Allocation(Block(Segment(memory, size), size), stream)
        allocation.uses = Uses(exported=True, owner=owner)
        return allocation

    def export(self, block: Block) -> None:
        """Keep the memory of a block alive until other libraries release it."""
        with self._lock:
            self._segments.export(block)

    def process_freed(self) -> None:
        """Reclaim the blocks that finalizers have queued in `freed`."""
        while self.freed:
            try:
                entry = self.freed.popleft()
            except IndexError:  # another thread has taken it
                return
            try:
                self._reclaim(*entry)
            except BaseException:  # an interrupt
                self.freed.appendleft(entry)
                raise

    def _reclaim(self, block: Block, stream: PoolStream, uses: Uses) -> None:
        """Make a block a pending free, or discard it; an interrupted call is made again."""
        if uses.reclaimed:
            return
        if uses.owner is not None:
            for user in {stream, *uses.streams}:
                with suppress(Exception):  # the stream keeps the owner, and its `synchronize` reports the error
                    user.keep_alive(uses.owner)
            return
        if uses.exported and block.size == block.segment.size:  # its segment ends too
            return
        events: list[EventHandle] = []
        usable = not uses.exported  # the streams of other libraries are not known
        try:
            for user in uses.streams if usable else ():
                events.append(event := self.event())
                user.record_event(event)
        except Exception:  # the end of the work that uses it cannot be observed
            usable = False
        uses.reclaimed = True  # no call from here to the append, so that no interrupt comes between
        if usable:
            self._pending_frees.append((events, stream, block))
        else:
            self._discarded.append((block, uses.exported))

    def event(self) -> EventHandle:
        """An event without timing; it goes back to `event_pool` when it is complete."""
        try:
            return self.event_pool.pop()
        except IndexError:
            return self._device.create_event(timing=False)

    def register(self, free: FreeLists) -> None:
        """Add the free lists of a new stream."""
        with self._lock:
            self._free_lists[id(free)] = free
            self._process_queues()

    def close_stream(self, stream: PoolStream) -> None:
        """Make the free blocks of a stream idle that is closed and has nothing queued."""
        with self._lock:
            left = stream.free_lists
            for size in list(left):
                self._idle.setdefault(size, [])
            stream.free_lists, stream.release_lists = {}, self._idle
            self._free_lists.pop(id(left), None)
            for _, block in _take_all(left):
                self._idle[block.size].append(block)

    def wait_for_pending_streams(self) -> None:
        """Wait for the work of streams that were collected; its errors are ignored, because no caller is left."""
        for stream in list(self.pending_streams):
            with suppress(Exception):
                wait(stream.handle)

    def trim(self) -> int:
        """Release unused events and all cached memory, except segments with a block that arrays still use.

        Returns:
            How many bytes that were.
        """
        with self._lock:
            before = self._segments.reserved
            self._process_queues()
            self._release_cached()
            while self.event_pool:
                with suppress(IndexError):  # a finalizer or another thread has taken the last one
                    self.event_pool.pop().close()
            return before - self._segments.reserved

    def statistics(self) -> MemoryStatistics:
        """What is reserved, used and cached at this moment."""
        with self._lock:
            self._process_queues()
            segments = self._segments
            free = sum(size * len(lists[size]) for lists in self._free_lists.copy().values() for size in list(lists))
            reserved, cached = segments.reserved, segments.unused + free
            return MemoryStatistics(reserved, reserved - cached, cached, segments.peak, segments.allocations)

    def close(self) -> None:
        """Release all memory, also that of arrays, except exported blocks, which their last user releases."""
        with self._lock:
            self._process_queues()
            self._segments.close()
            for events, *_ in self._pending_frees:
                self.event_pool.extend(events)
            for event in self.event_pool:
                event.close()
            self.event_pool.clear()
            self.freed = deque(maxlen=0)  # which drops later frees, as these do
            self._pending_frees, self._discarded = deque(maxlen=0), deque(maxlen=0)

    def abandon(self) -> object:
        """Leave everything behind in a forked process; returns what must never be released there."""
        queues = (self.freed, self._pending_frees, self._discarded, self.pending_streams)
        left = (self._segments, self.event_pool, *queues)
        self._lock = RLock()  # another thread of the parent may have held it
        self._segments = Segments(self._device)
        self.freed, self._pending_frees, self._discarded = deque(), deque(), deque()
        self.event_pool, self.pending_streams = [], deque()
        return left

    def _refill(self, size: int, stream: PoolStream) -> Block:
        with self._lock:
            _ = stream.handle  # raises when it was closed, and nothing is allocated after `close`
            if stream.recording is not None:
                stream.recording.refuse_memory()
            free = stream.free_lists.setdefault(size, [])
            self._process_queues()
            for memories in (free, self._idle.get(size)):
                if memories:
                    with suppress(IndexError):  # another thread, or a finalizer, has taken the last one
                        return memories.pop()
            if block := self._segments.split(size):
                return block
            try:
                return self._segments.allocate(size)
            except (MemoryError, OverflowError):  # OverflowError: more than an address can hold
                return self._allocate_after_releasing(size)

    def _allocate_after_releasing(self, size: int) -> Block:
        """Release all cached memory, and try once more."""
        gc.collect()  # arrays in a cycle, as exceptions make them, still hold memory
        for events, *_ in list(self._pending_frees):
            for event in events:
                with suppress(Exception):  # over as well; see `is_complete`
                    wait(event)
        self._process_queues()
        self._release_cached()
        self._device.synchronize()
        try:
            return self._segments.allocate(size, alone=True)
        except (MemoryError, OverflowError) as error:
            device = self._device
            free, total = device.memory_info()
            raise MemoryError(
                f"{_bytes(size)} do not fit on {device.backend}:{device.index} ({device.name}): {_bytes(free)} of "
                f"{_bytes(total)} are free, arrays of this context hold {_bytes(self._segments.reserved)}; "
                f"close arrays or use smaller batches ({error})"
            ) from None

    def _process_queues(self) -> None:
        """Process what finalizers have queued, and what waits for work that is done."""
        self.process_freed()
        for block, exported in popped(self._discarded):
            self._segments.discard(block, exported=exported)
        for entry in popped(self._pending_frees):
            events, stream, block = entry
            if all(map(is_complete, events)):
                stream.release_lists[block.size].append(block)
                self.event_pool.extend(events)
            else:
                self._pending_frees.append(entry)
        for collected in popped(self.pending_streams):
            if not collected.is_complete():
                self.pending_streams.append(collected)
                continue
            self.event_pool.extend(event for event, _ in collected.kept_alive)
            self._free_lists.pop(id(collected.free_lists), None)
            found = [block for _, block in _take_all(collected.free_lists)]
            self._segments.release_unused(found)
            for block in found:
                if self._segments.owns(block):
                    self._idle.setdefault(block.size, []).append(block)
            collected.handle.close()

    def _release_cached(self) -> None:
        """Release each segment whose blocks are all on free lists."""
        found: list[tuple[FreeLists, Block]] = []
        try:
            for free in self._free_lists.copy().values():
                found += _take_all(free)
            self._segments.release_unused([block for _, block in found])
        finally:
            for free, block in found:
                if self._segments.owns(block):
                    there = free if id(free) in self._free_lists else self._idle  # its stream may be closed by now
                    there.setdefault(block.size, []).append(block)


def _take_all(free: FreeLists) -> list[tuple[FreeLists, Block]]:
    """Remove all blocks from free lists; each with the lists that it was on."""
    found = []
    for size in list(free):
        memories = free[size]
        with suppress(IndexError):  # until it is empty
            while True:
                found.append((free, memories.pop()))
    return found


def _bytes(count: int) -> str:
    """A number of bytes as in `1.5 MiB`."""
    for power, unit in ((3, "GiB"), (2, "MiB"), (1, "KiB")):
        if count >= 1024**power:
            return f"{count / 1024**power:.1f} {unit}"
    return f"{count} bytes"
