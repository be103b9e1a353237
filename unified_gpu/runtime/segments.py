"""Segments: allocations of the device that are cut to blocks, so that many small arrays share one.

A driver may have room for a few thousand allocations only: what Vulkan guarantees is 4,096.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from unified_gpu.backends import Device, Memory

ALIGNMENT = 512
"""Where blocks begin, in bytes from the segment's own address; CUDA promises 256 of its allocations."""
LARGE = 1 << 20
_LARGE_STEP = 2 << 20
_FEWEST, _MOST = 16 << 10, 16 << 20
"""Bytes of the first segment, and of the largest that is shared; between them they grow with what there is."""
_REMEMBERED = 4096


class RoundedSizes(dict[int, int]):
    """The size of a block for so many bytes; looked up, because that is faster than computing it.

    A multiple of 512 bytes, from 16 KiB on one of 16 steps to the next power of two, and above 1 MiB a multiple of
    2 MiB: few sizes, and little memory is wasted.
    """

    def __missing__(self, size_bytes: int) -> int:
        step = max(ALIGNMENT, 1 << max(0, (size_bytes - 1).bit_length() - 5)) if size_bytes <= LARGE else _LARGE_STEP
        if len(self) >= _REMEMBERED:
            self.clear()
        self[size_bytes] = size = max(1, -(-size_bytes // step)) * step
        return size


class Segment:
    """One allocation of the device.

    Attributes:
        allocated: bytes from its start that were split into blocks.
        discarded: of those, bytes of blocks that were freed and are not used again.
        exported: bytes of blocks that other libraries have.
    """

    __slots__ = ("allocated", "discarded", "exported", "memory", "size")

    def __init__(self, memory: Memory, size: int) -> None:
        self.memory = memory
        self.size = size
        self.allocated = self.discarded = self.exported = 0


class Block:
    """A part of a segment; one array after the other uses it.

    Attributes:
        memory: the segment's.
        offset: where it begins there, in bytes.
    """

    __slots__ = ("memory", "offset", "segment", "size")

    def __init__(self, segment: Segment, size: int) -> None:
        self.segment = segment
        self.memory = segment.memory
        self.offset = 0
        self.size = size


FreeLists = dict[int, list[Block]]
"""Free blocks by their size; those of a stream have a list for each size that it has used."""


class Segments:
    """All segments of a device that a context has.

    Not thread-safe. Any call that it makes may run a finalizer, which may enter it again.

    Attributes:
        reserved: bytes of all of them, without what other libraries have.
        peak: the most that ever was.
        allocations: how often the device was asked.
    """

    def __init__(self, device: Device) -> None:
        self.device = device
        self.reserved = self.peak = self.allocations = 0
        self._all: set[Segment] = set()
        self._open: Segment | None = None

    @property
    def unused(self) -> int:
        """Bytes that are no block yet, and bytes of discarded blocks."""
        return sum(segment.size - segment.allocated + segment.discarded for segment in list(self._all))

    def split(self, size: int) -> Block | None:
        """A new block without asking the device; None when there is no room for it."""
        while (segment := self._open) is not None:
            block = Block(segment, size)
            if segment is self._open:  # still; no call from here on
                if segment.size - segment.allocated < size:
                    return None
                block.offset = segment.allocated
                segment.allocated += size
                return block
        return None

    def allocate(self, size: int, *, alone: bool = False) -> Block:
        """A new block from a new segment, which has room for more of them unless `alone`.

        Raises:
            MemoryError, OverflowError: when the device has not so much.
        """
        room = size
        if size <= LARGE and not alone:
            room = max(size, min(max(self.reserved // 2, _FEWEST), _MOST) // size * size)
        segment = Segment(self.device.allocate(room), room)
        block = Block(segment, size)
        segment.allocated = size
        self._all.add(segment)
        self.reserved += room
        self.peak = max(self.peak, self.reserved)
        self.allocations += 1
        if self._open is None or segment.size - segment.allocated > self._open.size - self._open.allocated:
            self._open = segment
        return block

    def export(self, block: Block) -> None:
        """Other libraries use it from now on: its memory lives until they release it, also after `close`."""
        segment = block.segment
        self.reserved -= block.size
        if block.size == segment.size:
            self._all.discard(segment)
        else:
            segment.exported += block.size

    def discard(self, block: Block, *, exported: bool) -> None:
        """Discard a block that must not be used again; its segment is released when all its blocks are discarded."""
        segment = block.segment
        if segment not in self._all:
            return
        if exported:
            segment.exported -= block.size
            self.reserved += block.size
        segment.discarded += block.size
        self._release_if_unused(segment, segment.discarded)

    def owns(self, block: Block) -> bool:
        """Whether the segment of a block is still ours."""
        return block.segment in self._all

    def release_unused(self, blocks: Sequence[Block]) -> None:
        """Give those segments back to the device that have no other blocks than these."""
        back: dict[Segment, int] = {}
        for block in blocks:
            back[block.segment] = back.get(block.segment, block.segment.discarded) + block.size
        for segment, size in back.items():
            self._release_if_unused(segment, size)

    def close(self) -> None:
        """Give everything back, but for segments of which others have a block: those go with the last of them."""
        self._open = None
        for segment in list(self._all):
            if segment.exported:
                self._all.discard(segment)
            else:
                self._release(segment)

    def _release_if_unused(self, segment: Segment, back: int) -> None:
        """Release a segment when as many bytes are back as were allocated from it."""
        was_open = segment is self._open
        if was_open:  # no block may be split from it meanwhile
            self._open = None
        if back == segment.allocated:
            self._release(segment)
        elif was_open and self._open is None:
            self._open = segment

    def _release(self, segment: Segment) -> None:
        with suppress(KeyError):
            self._all.remove(segment)
            self.reserved -= segment.size
            segment.memory.close()
