"""The caching allocator: memory is asked of the device once, and then goes from hand to hand in the order of a stream.

Freed memory goes to the free list of the stream that it was allocated on: work that is queued there later comes after
whatever used it before, so nothing is waited for. Memory that other streams used too comes back when they are done.
What a closed stream had is idle, and the next stream that needs memory gets it.
"""

from __future__ import annotations

import gc
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING

from .backends import Device, EventHandle, Memory
from .lifetime import interrupt_again

if TYPE_CHECKING:
    from .stream import Stream

LARGE = 1 << 20
SMALL_STEP = 512
LARGE_STEP = 2 << 20
"""Sizes are rounded up to 512 bytes up to 1 MiB, then to 2 MiB: few sizes, and little lost by it."""

FreeLists = dict[int, list[Memory]]
"""Memory by its size; a stream's have a list for each size that it ever used."""


@dataclass(frozen=True, slots=True)
class MemoryStatistics:
    """What an allocator holds, in bytes.

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


class Block:
    """Memory in somebody's hands; it goes back to the allocator when the last array on it is gone.

    Attributes:
        stream: the one whose order it belongs to.
        shared: who else has to do with it; most blocks have nobody, and are made and freed the faster for it.
    """

    __slots__ = ("memory", "shared", "size", "stream")

    def __init__(self, memory: Memory, size: int, stream: Stream) -> None:
        self.memory = memory
        self.size = size
        self.stream = stream
        self.shared: Shared | None = None

    def used_on(self, stream: Stream) -> None:
        """Say that work on another stream than its own uses it, so that it is not given away before that is done."""
        if self.shared is None:
            self.shared = Shared()
        self.shared.streams.add(stream)

    def users(self) -> set[Stream]:
        """All streams whose work may use it."""
        return {self.stream} if self.shared is None else {self.stream, *self.shared.streams}

    def lend(self) -> None:
        """Take it out of the allocator's hands: it lives as long as anyone has it, also when the context is closed."""
        if self.shared is None:
            self.shared = Shared()
        if not self.shared.lent:
            self.stream.context.allocator.give_away(self.memory)
            self.shared.lent = True

    def __del__(self) -> None:
        try:
            if self.shared is None:
                self.stream.returned[self.size].append(self.memory)
            else:
                self.stream.context.allocator.take_back(self, self.shared)
        except KeyboardInterrupt:
            if self.shared is not None:  # else it has arrived: Python looks for interrupts after calls
                self.stream.context.allocator.take_back_after_all(self, self.shared)
            interrupt_again()


@dataclass(slots=True)
class Shared:
    """Who else has to do with a block.

    Attributes:
        streams: those that have used it, beside its own.
        lent: whether it is out of the allocator's hands: other libraries have it, or it came from them.
        owner: what keeps memory alive that came from elsewhere.
        returned: whether the allocator has it back; it must not get it twice.
    """

    streams: set[Stream] = field(default_factory=set)
    lent: bool = False
    owner: object = None
    returned: bool = False


class Allocator:
    """Gives out and takes back the memory of one context's device.

    A block may come back at any moment, also in the middle of a method here: taking back never waits for the lock.

    Attributes:
        home: the default stream's free lists.
        spare_events: events without time that nobody uses; `event()` takes from them.
    """

    def __init__(self, device: Device) -> None:
        self.home: FreeLists = {}
        self.spare_events: list[EventHandle] = []
        self._device = device
        self._lock = Lock()
        self._sizes: dict[Memory, int] = {}
        self._pending: deque[tuple[list[EventHandle], Stream | None, int, Memory]] = deque()
        self._idle: FreeLists = {}
        self._free_lists: list[FreeLists] = [self.home, self._idle]
        self._reserved = self._peak = self._device_allocations = 0

    def allocate(self, size_bytes: int, stream: Stream) -> Block:
        """Memory for work on `stream`; what it holds is not defined.

        Raises:
            MemoryError: when there is too little even after all cached memory was given back; with the numbers.
        """
        if size_bytes <= LARGE:
            size = size_bytes + SMALL_STEP - 1 & -SMALL_STEP or SMALL_STEP
        else:
            size = size_bytes + LARGE_STEP - 1 & -LARGE_STEP
        try:
            return Block(stream.free[size].pop(), size, stream)
        except (KeyError, IndexError):
            return Block(self._refill(size, stream), size, stream)

    def adopt(self, memory: Memory, size: int, stream: Stream, owner: object) -> Block:
        """A block over memory of `owner`, who is kept until all queued work on it is done."""
        block = Block(memory, size, stream)
        block.shared = Shared(lent=True, owner=owner)
        return block

    def give_away(self, memory: Memory) -> None:
        """Forget memory that someone else now answers for."""
        with self._lock:
            self._reserved -= self._sizes.pop(memory, 0)

    def take_back(self, block: Block, shared: Shared) -> None:
        """What happens to a block that other streams or other libraries have used."""
        stream: Stream | None = block.stream
        if shared.owner is not None:
            for user in block.users():
                with suppress(Exception):  # the owner is kept all the same, and whoever waits for the stream is told
                    user.keep(shared.owner)
        elif not shared.lent:
            events = []
            try:
                for user in shared.streams:
                    events.append(event := self.event())
                    user.mark(event)
            except Exception:  # nobody can say when the memory is free: it goes back to the device, which waits
                stream = None
            shared.returned = True
            self._pending.append((events, stream, block.size, block.memory))
            if self._lock.acquire(blocking=False):
                try:
                    self._collect()
                finally:
                    self._lock.release()

    def take_back_after_all(self, block: Block, shared: Shared) -> None:
        """Take back a block that was interrupted on its way, unless it has arrived."""
        if shared.owner is not None:
            self.take_back(block, shared)
        elif not (shared.lent or shared.returned):
            self._pending.append(([], None, block.size, block.memory))

    def event(self) -> EventHandle:
        """An event without time; put it into `spare_events` when it is reached."""
        try:
            return self.spare_events.pop()
        except IndexError:
            return self._device.create_event(timing=False)

    def register(self, free: FreeLists) -> None:
        """Know the free lists of a new stream."""
        with self._lock:
            self._free_lists.append(free)

    def retire(self, stream: Stream, idle: bool) -> None:
        """Take over what a stream leaves behind: for any stream when it is `idle`, else the device gets it."""
        with self._lock:
            left = stream.free
            for size in left:
                self._idle.setdefault(size, [])
            stream.free, stream.returned = {}, self._idle
            self._free_lists = [lists for lists in self._free_lists if lists is not left]
            for size, memories in left.items():
                kept = self._idle[size]
                while memories:
                    if idle:
                        kept.append(memories.pop())
                    else:
                        self._release(memories.pop())

    def trim(self) -> int:
        """Give all cached memory back to the device.

        Returns:
            How many bytes that were.
        """
        with self._lock:
            before = self._reserved
            self._collect()
            self._drain()
            return before - self._reserved

    def statistics(self) -> MemoryStatistics:
        """What is reserved, used and cached at this moment."""
        with self._lock:
            self._collect()
            cached = sum(size * len(memories) for free in self._free_lists for size, memories in free.items())
            used = self._reserved - cached
            return MemoryStatistics(self._reserved, used, cached, self._peak, self._device_allocations)

    def close(self) -> None:
        """Give everything back, arrays or not, but for what was lent: that lives until nobody has it."""
        with self._lock:
            for memory in list(self._sizes):
                self._release(memory)
            for events, *_ in self._pending:
                self.spare_events.extend(events)
            for event in self.spare_events:
                event.close()
            self._pending.clear()
            self.spare_events.clear()

    def abandon(self) -> object:
        """Leave everything behind in a forked process; returns what must never be released there."""
        left = (self._sizes, self._pending, self.spare_events)
        self._lock = Lock()  # another thread of the parent may have held it
        self._sizes, self._pending, self.spare_events = {}, deque(), []
        return left

    def _refill(self, size: int, stream: Stream) -> Memory:
        _ = stream.handle  # raises when it was closed
        with self._lock:
            free = stream.free.setdefault(size, [])
            self._collect()
            if free or (free := self._idle.get(size, [])):
                return free.pop()
            try:
                memory = self._device.allocate(size)
            except (MemoryError, OverflowError):  # more than an address can say
                memory = self._allocate_after_all(size)
            self._sizes[memory] = size
            self._reserved += size
            self._peak = max(self._peak, self._reserved)
            self._device_allocations += 1
            return memory

    def _allocate_after_all(self, size: int) -> Memory:
        """Give back all that can be had, and try once more."""
        gc.collect()  # arrays in a cycle, as exceptions make them, still hold memory
        for events, *_ in list(self._pending):
            for event in events:
                with suppress(Exception):  # over as well; see `reached`
                    event.synchronize()
        self._collect()
        self._drain()
        self._device.synchronize()
        try:
            return self._device.allocate(size)
        except (MemoryError, OverflowError) as error:
            device = self._device
            free, total = device.memory_info()
            raise MemoryError(
                f"{_bytes(size)} do not fit on {device.backend}:{device.index} ({device.name}): {_bytes(free)} of "
                f"{_bytes(total)} are free, arrays of this context hold {_bytes(self._reserved)}; close arrays or use "
                f"smaller batches ({error})"
            ) from None

    def _collect(self) -> None:
        """Put blocks that other streams have done with on the free list of their own."""
        for _ in range(len(self._pending)):
            events, stream, size, memory = entry = self._pending.popleft()
            if stream is None:
                self._release(memory)
            elif all(map(reached, events)):
                stream.returned[size].append(memory)
                self.spare_events.extend(events)
            else:
                self._pending.append(entry)

    def _drain(self) -> None:
        for free in self._free_lists:
            for memories in free.values():
                while memories:
                    self._release(memories.pop())

    def _release(self, memory: Memory) -> None:
        self._reserved -= self._sizes.pop(memory, 0)
        memory.close()


def reached(event: EventHandle) -> bool:
    """Whether the work before an event is over; also when it has failed, which whoever waits for the stream is told."""
    try:
        return event.query()
    except Exception:
        return True


def _bytes(count: int) -> str:
    """1.5 MiB, for people."""
    for power, unit in ((3, "GiB"), (2, "MiB"), (1, "KiB")):
        if count >= 1024**power:
            return f"{count / 1024**power:.1f} {unit}"
    return f"{count} bytes"
