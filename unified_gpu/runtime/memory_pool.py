"""The caching allocator: memory is asked of the device once, and then goes from hand to hand in the order of a stream.

Freed memory goes to the free list of the stream that it was allocated on: work that is queued there later comes after
whatever used it before, so nothing is waited for. Memory that other streams used too comes back when they are done.
What a closed stream had is idle, and the next stream that needs memory gets it.

Python may run finalizers and signal handlers wherever objects are made, here too, and those of users may call anything.
So finalizers only append to queues, which the allocator empties where it is called by users; its lock is one that the
same thread can take again, and between any two calls here what it guards is as it should be.
"""

from __future__ import annotations

import gc
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from threading import RLock
from typing import TYPE_CHECKING, Any

from unified_gpu.backends import Device, EventHandle, Memory, StreamHandle

from .chunks import Chunk, Chunks, Piece, Sizes
from .lifetime import interrupt_again
from .waiting import wait

if TYPE_CHECKING:
    from .stream import Stream

FreeLists = dict[int, list[Piece]]
"""Memory by its size; a stream's have a list for each size that it ever used."""

_sizes = Sizes()


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
        memory: what it lies in, at `piece.offset`.
        stream: the one whose order it belongs to.
        shared: who else has to do with it; most blocks have nobody, and are made and freed the faster for it.
    """

    __slots__ = ("memory", "piece", "shared", "stream")

    def __init__(self, piece: Piece, stream: Stream) -> None:
        self.piece = piece
        self.memory = piece.memory
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
            self.stream.context.allocator.give_away(self.piece)
            self.shared.lent = True

    def __del__(self) -> None:
        try:
            if self.shared is None:
                piece = self.piece
                self.stream.returned[piece.size].append(piece)
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

    Attributes:
        home: the default stream's free lists.
        spare_events: events without time that nobody uses; `event()` takes from them.
        lost: streams that nobody has any more; those of them that are done are released at the next opportunity.
    """

    def __init__(self, device: Device) -> None:
        self.home: FreeLists = {}
        self.spare_events: list[EventHandle] = []
        self.lost: deque[LostStream] = deque()
        self._device = device
        self._lock = RLock()
        self._chunks = Chunks(device)
        self._pending: deque[tuple[list[EventHandle], Stream, Piece]] = deque()
        self._spent: deque[tuple[Piece, bool]] = deque()
        self._idle: FreeLists = {}
        self._free_lists: dict[int, FreeLists] = {id(each): each for each in (self.home, self._idle)}

    def allocate(self, size_bytes: int, stream: Stream) -> Block:
        """Memory for work on `stream`; what it holds is not defined.

        Raises:
            MemoryError: when there is too little even after all cached memory was given back; with the numbers.
        """
        try:
            return Block(stream.free[_sizes[size_bytes]].pop(), stream)
        except (KeyError, IndexError):
            return Block(self._refill(_sizes[size_bytes], stream), stream)

    def adopt(self, memory: Memory, size: int, stream: Stream, owner: object) -> Block:
        """A block over memory of `owner`, who is kept until all queued work on it is done."""
        block = Block(Piece(Chunk(memory, size), size), stream)
        block.shared = Shared(lent=True, owner=owner)
        return block

    def give_away(self, piece: Piece) -> None:
        """Let memory live as long as someone else has it."""
        with self._lock:
            self._chunks.lend(piece)

    def take_back(self, block: Block, shared: Shared) -> None:
        """What happens to a block that other streams or other libraries have used; for finalizers."""
        if shared.owner is not None:
            for user in block.users():
                with suppress(Exception):  # the owner is kept all the same, and whoever waits for the stream is told
                    user.keep(shared.owner)
            return
        if shared.lent and block.piece.size == block.piece.chunk.size:  # it goes with us
            return
        events: list[EventHandle] = []
        usable = not shared.lent  # nobody knows the streams of other libraries
        try:
            for user in shared.streams if usable else ():
                events.append(event := self.event())
                user.mark(event)
        except Exception:  # nobody can say when the memory is free
            usable = False
        shared.returned = True
        if usable:
            self._pending.append((events, block.stream, block.piece))
        else:
            self._spent.append((block.piece, shared.lent))

    def take_back_after_all(self, block: Block, shared: Shared) -> None:
        """Take back a block that was interrupted on its way, unless it has arrived."""
        if shared.owner is not None:
            self.take_back(block, shared)
        elif not (shared.returned or (shared.lent and block.piece.size == block.piece.chunk.size)):
            self._spent.append((block.piece, shared.lent))

    def event(self) -> EventHandle:
        """An event without time; put it into `spare_events` when it is reached."""
        try:
            return self.spare_events.pop()
        except IndexError:
            return self._device.create_event(timing=False)

    def register(self, free: FreeLists) -> None:
        """Know the free lists of a new stream."""
        with self._lock:
            self._free_lists[id(free)] = free
            self._collect()

    def retire(self, stream: Stream) -> None:
        """Let any stream have what one leaves behind that is closed, and has nothing queued."""
        with self._lock:
            left = stream.free
            for size in list(left):
                self._idle.setdefault(size, [])
            stream.free, stream.returned = {}, self._idle
            self._free_lists.pop(id(left), None)
            for _, piece in _emptied(left):
                self._idle[piece.size].append(piece)

    def wait_for_lost(self) -> None:
        """Wait for the work of streams that nobody has any more; of its failures nobody is left to be told."""
        for lost in list(self.lost):
            with suppress(Exception):
                wait(lost.handle)

    def trim(self) -> int:
        """Give all cached memory back to the device, but for chunks that arrays still use a piece of.

        Returns:
            How many bytes that were.
        """
        with self._lock:
            before = self._chunks.reserved
            self._collect()
            self._drain()
            return before - self._chunks.reserved

    def statistics(self) -> MemoryStatistics:
        """What is reserved, used and cached at this moment."""
        with self._lock:
            self._collect()
            chunks = self._chunks
            free = sum(size * len(lists[size]) for lists in self._free_lists.copy().values() for size in list(lists))
            reserved, cached = chunks.reserved, chunks.unused + free
            return MemoryStatistics(reserved, reserved - cached, cached, chunks.peak, chunks.allocations)

    def close(self) -> None:
        """Give everything back, arrays or not, but for what was lent: that lives until nobody has it."""
        with self._lock:
            self._collect()
            self._chunks.close()
            for events, *_ in self._pending:
                self.spare_events.extend(events)
            for event in self.spare_events:
                event.close()
            self.spare_events.clear()
            self._pending, self._spent = deque(maxlen=0), deque(maxlen=0)  # what comes back from now on just goes

    def abandon(self) -> object:
        """Leave everything behind in a forked process; returns what must never be released there."""
        left = (self._chunks, self._pending, self._spent, self.spare_events, self.lost)
        self._lock = RLock()  # another thread of the parent may have held it
        self._chunks = Chunks(self._device)
        self._pending, self._spent, self.spare_events, self.lost = deque(), deque(), [], deque()
        return left

    def _refill(self, size: int, stream: Stream) -> Piece:
        _ = stream.handle  # raises when it was closed
        with self._lock:
            free = stream.free.setdefault(size, [])
            self._collect()
            for memories in (free, self._idle.get(size)):
                if memories:
                    with suppress(IndexError):  # what came between was quicker
                        return memories.pop()
            if piece := self._chunks.cut(size):
                return piece
            try:
                return self._chunks.grow(size)
            except (MemoryError, OverflowError):  # more than an address can say
                return self._allocate_after_all(size)

    def _allocate_after_all(self, size: int) -> Piece:
        """Give back all that can be had, and try once more."""
        gc.collect()  # arrays in a cycle, as exceptions make them, still hold memory
        for events, *_ in list(self._pending):
            for event in events:
                with suppress(Exception):  # over as well; see `reached`
                    wait(event)
        self._collect()
        self._drain()
        self._device.synchronize()
        try:
            return self._chunks.grow(size, alone=True)
        except (MemoryError, OverflowError) as error:
            device = self._device
            free, total = device.memory_info()
            raise MemoryError(
                f"{_bytes(size)} do not fit on {device.backend}:{device.index} ({device.name}): {_bytes(free)} of "
                f"{_bytes(total)} are free, arrays of this context hold {_bytes(self._chunks.reserved)}; close arrays "
                f"or use smaller batches ({error})"
            ) from None

    def _collect(self) -> None:
        """Take over what finalizers have left."""
        for piece, lent in _each(self._spent):
            self._chunks.spend(piece, lent=lent)
        for entry in _each(self._pending):
            events, stream, piece = entry
            if all(map(reached, events)):
                stream.returned[piece.size].append(piece)
                self.spare_events.extend(events)
            else:
                self._pending.append(entry)
        for lost in _each(self.lost):
            if not lost.is_done():
                self.lost.append(lost)
                continue
            self.spare_events.extend(event for event, _ in lost.held)
            self._free_lists.pop(id(lost.free), None)
            found = [piece for _, piece in _emptied(lost.free)]
            self._chunks.give_back(found)
            for piece in found:
                if self._chunks.has(piece):
                    self._idle.setdefault(piece.size, []).append(piece)
            lost.handle.close()

    def _drain(self) -> None:
        """Give back each chunk of which all pieces are on free lists."""
        found: list[tuple[FreeLists, Piece]] = []
        try:
            for free in self._free_lists.copy().values():
                found += _emptied(free)
            self._chunks.give_back([piece for _, piece in found])
        finally:
            for free, piece in found:
                if self._chunks.has(piece):
                    there = free if id(free) in self._free_lists else self._idle  # its stream may be gone by now
                    there.setdefault(piece.size, []).append(piece)


@dataclass(slots=True)
class LostStream:
    """What a stream has left that nobody has any more.

    Attributes:
        free: its memory, for other streams when its work is done.
        held, fresh: what its work uses, see `Stream.keep`.
    """

    handle: StreamHandle
    free: FreeLists
    held: deque[tuple[EventHandle, list[object]]]
    fresh: list[object]

    def is_done(self) -> bool:
        """Whether all its work is; of a failure nobody is left to be told."""
        try:
            return self.handle.query()
        except Exception:
            with suppress(Exception):
                wait(self.handle)
            return True


def _each(queue: deque[Any]) -> Iterator[Any]:
    """What is in a queue now, taken off one by one, also where others do that at the same time."""
    for _ in range(len(queue)):
        try:
            entry = queue.popleft()
        except IndexError:
            return
        yield entry


def _emptied(free: FreeLists) -> list[tuple[FreeLists, Piece]]:
    """All pieces of free lists, taken off, with where they were."""
    found = []
    for size in list(free):
        memories = free[size]
        with suppress(IndexError):  # until it is empty
            while True:
                found.append((free, memories.pop()))
    return found


def reached(event: EventHandle) -> bool:
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
