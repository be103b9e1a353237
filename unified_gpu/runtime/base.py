"""The base of contexts: a device, its memory pool and what was made on it, as streams and events know them."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from unified_gpu import elsewhere
from unified_gpu.backends import Device, Gpu, GpuBackend
from unified_gpu.errors import ClosedError

from .lifetime import LiveObjects, ProcessLocal
from .memory_pool import MemoryPool, MemoryStatistics

_numbers = itertools.count(1)


class ContextBase(ProcessLocal):
    """A device with a memory pool.

    Attributes:
        device: what the backend offers, see `unified_gpu.backends.Device`.
        check_results: raises when work that is done has no right results, where the device can say so.
        memory_pool: gives out the device's memory, and keeps it for the next array.
        closed_reason: why it cannot be used any more; empty while it is open.
        number: which context of this process it is, from 1.
        recording: the graph that is being recorded; None mostly.
    """

    if not TYPE_CHECKING:  # type checkers report an attribute that does not exist

        def __getattr__(self, name: str) -> object:
            found = getattr(type(self), name, None)
            if isinstance(found, property):  # which has raised AttributeError: again, for its message
                return found.__get__(self)
            instead = elsewhere.CONTEXT.get(name)
            raise elsewhere.missing("a Context", self, name, instead and f"ctx.{instead}")

    def __init__(self, device: Device, memory_pool: MemoryPool) -> None:
        self.device = device
        self.check_results: Callable[[], None] | None = getattr(device, "check_results", None)
        self.memory_pool = memory_pool
        self.closed_reason = ""
        self.number = next(_numbers)
        self.recording: Any = None
        self._made: LiveObjects[Any] = LiveObjects()

    @property
    def backend_name(self) -> str:
        """The name of its backend: "cuda", "torch", "vulkan" or "cpu"."""
        return self.device.backend

    @property
    def device_id(self) -> int:
        """The number of its device, from 0."""
        return self.device.index

    @property
    def device_name(self) -> str:
        """What the device's maker calls it."""
        return self.device.name

    @property
    def gpu(self) -> Gpu:
        """Its device: backend, number and name."""
        return Gpu(GpuBackend(self.device.backend), self.device.index, self.device.name)

    @property
    def closed(self) -> bool:
        """Whether it was closed, so that it cannot be used any more."""
        return bool(self.closed_reason)

    def check_open(self) -> None:
        """Raises ClosedError, with the reason, where it cannot be used any more."""
        if self.closed_reason:
            raise ClosedError(self.closed_reason)

    def memory_info(self) -> tuple[int, int]:
        """Bytes of the device that are free, and bytes that it has."""
        self.check_open()
        return self.device.memory_info()

    def memory_statistics(self) -> MemoryStatistics:
        """What the context's memory pool holds."""
        self.check_open()
        return self.memory_pool.statistics()

    def trim(self) -> int:
        """Release the memory that no array uses, and unused events; returns how many bytes that were."""
        self.check_open()
        return self.memory_pool.trim()

    def register(self, made: Any) -> None:
        """Remember something to be closed with the context, as long as it lives."""
        self._made.add(made)

    def stream_for(self, stream: Any) -> Any:
        """`stream`, or the current one; defined where there are streams, see `StreamContext`."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"<Context {self.device.backend}:{self.device.index}>"
