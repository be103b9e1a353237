"""The memory pool: it caches the memory of a device, and gives each block out again in the order of a stream.

Freed memory goes to the free list of the stream that it was allocated on: work that is queued there later comes after
whatever used it before, so nothing is waited for. Memory that other streams used too comes back when they are done.
What a closed stream had is idle, and the next stream that needs memory gets it.

Python may run finalizers and signal handlers wherever objects are made, here too, and those of users may call anything.
So finalizers only append to queues, which the pool empties where it is called by users; its lock is one that the
same thread can take again, and between any two calls here what it guards is as it should be.
"""

from __future__ import annotations

import gc
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from threading import RLock
from typing import Any, Protocol

from unified_gpu.backends import Device, EventHandle, Memory, StreamHandle

from .lifetime import interrupt_later
from .segments import Block, RoundedSizes, Segment, Segments
from .waiting import wait

FreeLists = dict[int, list[Block]]
"""Memory by its size; a stream's have a list for each size that it ever used."""

_sizes = RoundedSizes()


class PoolStream(Protocol):
    """A stream, as far as the memory pool and those who use an allocation need it.

    Attributes:
        free_lists: blocks for its next work, by size.
        release_lists: where blocks go that are freed.
    """

    free_lists: FreeLists
    release_lists: FreeLists

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
        used: of that, in the hands of arrays or of work that is queued.
        cached: of that, free to be used again.
        peak_reserved: the most that was ever reserved.
        device_allocations: how often the device was asked.
    """

    reserved: int
    used: int
    cached: int
    peak_reserved: int
    device_allocations: int


class Allocation:
    """Memory in somebody's hands; it goes back to the pool when the last array on it is gone.

    Attributes:
        memory: what it lies in, at `block.offset`.
        stream: the one whose order it belongs to.
        uses: who else has to do with it; most blocks have nobody, and are made and freed the faster for it.
    """

    __slots__ = ("block", "memory", "stream", "uses")

    def __init__(self, block: Block, stream: PoolStream) -> None:
        self.block = block
        self.memory = block.memory
        self.stream = stream
        self.uses: Uses | None = None

    def record_stream(self, stream: PoolStream) -> None:
        """Say that work on another stream than its own uses it, so that it is not given away before that is done."""
        if self.uses is None:
            self.uses = Uses()
        self.uses.streams.add(stream)

    def stream_uses(self) -> set[PoolStream]:
        """All streams whose work may use it."""
        return {self.stream} if self.uses is None else {self.stream, *self.uses.streams}

    def mark_exported(self) -> None:
        """The pool no longer owns the memory: it lives as long as anyone has it, also when the context is closed."""
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
                self.stream.memory_pool.free(self, self.uses)
        except KeyboardInterrupt:
            if self.uses is not None:  # else it has arrived: Python looks for interrupts after calls
                self.stream.memory_pool.free_interrupted(self, self.uses)
            interrupt_later()


@dataclass(slots=True)
class Uses:
    """Who else has to do with a block.

    Attributes:
        streams: those that have used it, beside its own.
        exported: whether it is owned by others: other libraries have it, or it came from them.
        owner: what keeps memory alive that came from elsewhere.
        freed: whether the pool has it back; it must not get it twice.
    """

    streams: set[PoolStream] = field(default_factory=set)
    exported: bool = False
    owner: object = None
    freed: bool = False


class MemoryPool:
    """Gives out and takes back the memory of one context's device.

    Attributes:
        default_free_lists: the default stream's free lists.
        event_pool: events without time that nobody uses; `event()` takes from them.
        pending_streams: those that were collected while work was queued; released when it is done.
    """

    def __init__(self, device: Device) -> None:
        self.default_free_lists: FreeLists = {}
        self.event_pool: list[EventHandle] = []
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
        allocation = Allocation(Block(Segment(memory, size), size), stream)
        allocation.uses = Uses(exported=True, owner=owner)
        return allocation

    def export(self, block: Block) -> None:
        """Let memory live as long as someone else has it."""
        with self._lock:
            self._segments.export(block)

    def free(self, allocation: Allocation, uses: Uses) -> None:
        """What happens to a block that other streams or other libraries have used; for finalizers."""
        if uses.owner is not None:
            for user in allocation.stream_uses():
                with suppress(Exception):  # the owner is kept all the same, and whoever waits for the stream is told
                    user.keep_alive(uses.owner)
            return
        if uses.exported and allocation.block.size == allocation.block.segment.size:  # it goes with us
            return
        events: list[EventHandle] = []
        usable = not uses.exported  # nobody knows the streams of other libraries
        try:
            for user in uses.streams if usable else ():
                events.append(event := self.event())
                user.record_event(event)
        except Exception:  # nobody can say when the memory is free
            usable = False
        uses.freed = True
        if usable:
            self._pending_frees.append((events, allocation.stream, allocation.block))
        else:
            self._discarded.append((allocation.block, uses.exported))

    def free_interrupted(self, allocation: Allocation, uses: Uses) -> None:
        """Take back a block that was interrupted on its way, unless it has arrived."""
        if uses.owner is not None:
            self.free(allocation, uses)
        elif not (uses.freed or (uses.exported and allocation.block.size == allocation.block.segment.size)):
            self._discarded.append((allocation.block, uses.exported))

    def event(self) -> EventHandle:
        """An event without time; put it into `event_pool` when it is reached."""
        try:
            return self.event_pool.pop()
        except IndexError:
            return self._device.create_event(timing=False)

    def register(self, free: FreeLists) -> None:
        """Know the free lists of a new stream."""
        with self._lock:
            self._free_lists[id(free)] = free
            self._process_queues()

    def close_stream(self, stream: PoolStream) -> None:
        """Let any stream have what one leaves behind that is closed, and has nothing queued."""
        with self._lock:
            left = stream.free_lists
            for size in list(left):
                self._idle.setdefault(size, [])
            stream.free_lists, stream.release_lists = {}, self._idle
            self._free_lists.pop(id(left), None)
            for _, block in _take_all(left):
                self._idle[block.size].append(block)

    def wait_for_pending_streams(self) -> None:
        """Wait for the work of streams that nobody has any more; of its failures nobody is left to be told."""
        for stream in list(self.pending_streams):
            with suppress(Exception):
                wait(stream.handle)

    def trim(self) -> int:
        """Give all cached memory back to the device, but for segments that arrays still use a block of.

        Returns:
            How many bytes that were.
        """
        with self._lock:
            before = self._segments.reserved
            self._process_queues()
            self._release_cached()
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
        """Give everything back, arrays or not, but for what was exported: that lives until nobody has it."""
        with self._lock:
            self._process_queues()
            self._segments.close()
            for events, *_ in self._pending_frees:
                self.event_pool.extend(events)
            for event in self.event_pool:
                event.close()
            self.event_pool.clear()
            self._pending_frees, self._discarded = deque(maxlen=0), deque(maxlen=0)  # which drop later frees

    def abandon(self) -> object:
        """Leave everything behind in a forked process; returns what must never be released there."""
        left = (self._segments, self._pending_frees, self._discarded, self.event_pool, self.pending_streams)
        self._lock = RLock()  # another thread of the parent may have held it
        self._segments = Segments(self._device)
        self._pending_frees, self._discarded, self.event_pool, self.pending_streams = deque(), deque(), [], deque()
        return left

    def _refill(self, size: int, stream: PoolStream) -> Block:
        _ = stream.handle  # raises when it was closed
        with self._lock:
            free = stream.free_lists.setdefault(size, [])
            self._process_queues()
            for memories in (free, self._idle.get(size)):
                if memories:
                    with suppress(IndexError):  # what came between was quicker
                        return memories.pop()
            if block := self._segments.split(size):
                return block
            try:
                return self._segments.allocate(size)
            except (MemoryError, OverflowError):  # more than an address can say
                return self._allocate_after_releasing(size)

    def _allocate_after_releasing(self, size: int) -> Block:
        """Give back all that can be had, and try once more."""
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
        """Take over what finalizers have left."""
        for block, exported in _popped(self._discarded):
            self._segments.discard(block, exported=exported)
        for entry in _popped(self._pending_frees):
            events, stream, block = entry
            if all(map(is_complete, events)):
                stream.release_lists[block.size].append(block)
                self.event_pool.extend(events)
            else:
                self._pending_frees.append(entry)
        for stream in _popped(self.pending_streams):
            if not stream.is_done():
                self.pending_streams.append(stream)
                continue
            self.event_pool.extend(event for event, _ in stream.kept_alive)
            self._free_lists.pop(id(stream.free_lists), None)
            found = [block for _, block in _take_all(stream.free_lists)]
            self._segments.release_unused(found)
            for block in found:
                if self._segments.owns(block):
                    self._idle.setdefault(block.size, []).append(block)
            stream.handle.close()

    def _release_cached(self) -> None:
        """Give back each segment of which all blocks are on free lists."""
        found: list[tuple[FreeLists, Block]] = []
        try:
            for free in self._free_lists.copy().values():
                found += _take_all(free)
            self._segments.release_unused([block for _, block in found])
        finally:
            for free, block in found:
                if self._segments.owns(block):
                    there = free if id(free) in self._free_lists else self._idle  # its stream may be gone by now
                    there.setdefault(block.size, []).append(block)


@dataclass(slots=True)
class PendingStream:
    """What a stream has left that nobody has any more.

    Attributes:
        free_lists: its memory, for other streams when its work is done.
        kept_alive, unrecorded: what its work uses, see `Stream.keep_alive`.
    """

    handle: StreamHandle
    free_lists: FreeLists
    kept_alive: deque[tuple[EventHandle, list[object]]]
    unrecorded: list[object]

    def is_done(self) -> bool:
        """Whether all its work is; of a failure nobody is left to be told."""
        try:
            return self.handle.query()
        except Exception:
            with suppress(Exception):
                wait(self.handle)
            return True


def _popped(queue: deque[Any]) -> Iterator[Any]:
    """What is in a queue now, taken off one by one, also where others do that at the same time."""
    for _ in range(len(queue)):
        try:
            entry = queue.popleft()
        except IndexError:
            return
        yield entry


def _take_all(free: FreeLists) -> list[tuple[FreeLists, Block]]:
    """All blocks of free lists, taken off, with where they were."""
    found = []
    for size in list(free):
        memories = free[size]
        with suppress(IndexError):  # until it is empty
            while True:
                found.append((free, memories.pop()))
    return found


def is_complete(event: EventHandle) -> bool:
    """Whether the work before an event is over; also when it has failed, which whoever waits for the stream is told."""
    try:
        return event.query()
    except Exception:
        with suppress(Exception):
            wait(event)  # a call that failed may not have looked
        return True


def _bytes(count: int) -> str:
    """1.5 MiB, for people."""
    for power, unit in ((3, "GiB"), (2, "MiB"), (1, "KiB")):
        if count >= 1024**power:
            return f"{count / 1024**power:.1f} {unit}"
    return f"{count} bytes"
