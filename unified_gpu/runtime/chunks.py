"""Chunks: allocations of the device that are cut to pieces, so that many small arrays share one.

A driver may have room for a few thousand allocations only: what Vulkan guarantees is 4,096.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from unified_gpu.backends import Device, Memory

ALIGNMENT = 512
"""Where pieces begin, in bytes from the chunk's own address; CUDA promises 256 of its allocations."""
LARGE = 1 << 20
_LARGE_STEP = 2 << 20
_FEWEST, _MOST = 16 << 10, 16 << 20
"""Bytes of the first chunk, and of the largest that is shared; between them they grow with what there is."""
_REMEMBERED = 4096


class Sizes(dict[int, int]):
    """The size of a piece for so many bytes; looked up, because that is quicker than to compute it.

    A multiple of 512 bytes, from 16 KiB on one of 16 steps to the next power of two, and above 1 MiB a multiple of
    2 MiB: few sizes, and little lost by it.
    """

    def __missing__(self, size_bytes: int) -> int:
        step = max(ALIGNMENT, 1 << max(0, (size_bytes - 1).bit_length() - 5)) if size_bytes <= LARGE else _LARGE_STEP
        if len(self) >= _REMEMBERED:
            self.clear()
        self[size_bytes] = size = max(1, -(-size_bytes // step)) * step
        return size


class Chunk:
    """One allocation of the device.

    Attributes:
        taken: bytes from its begin that pieces were cut from.
        spent: of those, bytes of pieces that came back and are never used again.
        lent: bytes of pieces that other libraries have.
    """

    __slots__ = ("lent", "memory", "size", "spent", "taken")

    def __init__(self, memory: Memory, size: int) -> None:
        self.memory = memory
        self.size = size
        self.taken = self.spent = self.lent = 0


class Piece:
    """A part of a chunk; it goes from array to array.

    Attributes:
        memory: the chunk's.
        offset: where it begins there, in bytes.
    """

    __slots__ = ("chunk", "memory", "offset", "size")

    def __init__(self, chunk: Chunk, size: int) -> None:
        self.chunk = chunk
        self.memory = chunk.memory
        self.offset = 0
        self.size = size


class Chunks:
    """All chunks of a device that a context has.

    Used by one thread at a time; but wherever it calls something, what else it is called for may come between.

    Attributes:
        reserved: bytes of all of them, without what other libraries have.
        peak: the most that ever was.
        allocations: how often the device was asked.
    """

    def __init__(self, device: Device) -> None:
        self.device = device
        self.reserved = self.peak = self.allocations = 0
        self._all: set[Chunk] = set()
        self._open: Chunk | None = None

    @property
    def unused(self) -> int:
        """Bytes that nobody has: what was never cut off, and what is spent."""
        return sum(chunk.size - chunk.taken + chunk.spent for chunk in list(self._all))

    def cut(self, size: int) -> Piece | None:
        """A new piece without asking the device; None when there is no room for it."""
        while (chunk := self._open) is not None:
            piece = Piece(chunk, size)
            if chunk is self._open:  # still; no call from here on
                if chunk.size - chunk.taken < size:
                    return None
                piece.offset = chunk.taken
                chunk.taken += size
                return piece
        return None

    def grow(self, size: int, *, alone: bool = False) -> Piece:
        """A new piece from a new chunk, which has room for more of them unless `alone`.

        Raises:
            MemoryError, OverflowError: when the device has not so much.
        """
        room = size
        if size <= LARGE and not alone:
            room = max(size, min(max(self.reserved // 2, _FEWEST), _MOST) // size * size)
        chunk = Chunk(self.device.allocate(room), room)
        piece = Piece(chunk, size)
        chunk.taken = size
        self._all.add(chunk)
        self.reserved += room
        self.peak = max(self.peak, self.reserved)
        self.allocations += 1
        if self._open is None or chunk.size - chunk.taken > self._open.size - self._open.taken:
            self._open = chunk
        return piece

    def lend(self, piece: Piece) -> None:
        """Other libraries have it from now on: its memory lives until they let go of it, whatever is closed here."""
        chunk = piece.chunk
        self.reserved -= piece.size
        if piece.size == chunk.size:
            self._all.discard(chunk)
        else:
            chunk.lent += piece.size

    def spend(self, piece: Piece, *, lent: bool) -> None:
        """Take back a piece that must not be used again; the chunk goes when all of it has come back."""
        chunk = piece.chunk
        if chunk not in self._all:
            return
        if lent:
            chunk.lent -= piece.size
            self.reserved += piece.size
        chunk.spent += piece.size
        self._release_whole(chunk, chunk.spent)

    def has(self, piece: Piece) -> bool:
        """Whether the chunk of a piece is still ours."""
        return piece.chunk in self._all

    def give_back(self, pieces: Sequence[Piece]) -> None:
        """Give those chunks back to the device that have no other pieces than these."""
        back: dict[Chunk, int] = {}
        for piece in pieces:
            back[piece.chunk] = back.get(piece.chunk, piece.chunk.spent) + piece.size
        for chunk, size in back.items():
            self._release_whole(chunk, size)

    def close(self) -> None:
        """Give everything back, but for chunks of which others have a piece: those go with the last of them."""
        self._open = None
        for chunk in list(self._all):
            if chunk.lent:
                self._all.discard(chunk)
            else:
                self._release(chunk)

    def _release_whole(self, chunk: Chunk, back: int) -> None:
        """Release a chunk when as many bytes are back as were taken from it."""
        was_open = chunk is self._open
        if was_open:  # nothing is to be cut from it meanwhile
            self._open = None
        if back == chunk.taken:
            self._release(chunk)
        elif was_open and self._open is None:
            self._open = chunk

    def _release(self, chunk: Chunk) -> None:
        with suppress(KeyError):
            self._all.remove(chunk)
            self.reserved -= chunk.size
            chunk.memory.close()
