"""The checked mode's memory: between two arrays lies some that is neither's, so that reaching beyond one is noticed."""

from __future__ import annotations

from .memory_pool import Allocation, MemoryPool, PoolStream

REDZONE_BYTES = 1024


class CheckedMemoryPool(MemoryPool):
    """Gives each array more than it asks for."""

    def allocate(self, size_bytes: int, stream: PoolStream) -> Allocation:
        return super().allocate(size_bytes + REDZONE_BYTES, stream)
