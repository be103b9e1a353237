"""A graph as a list of calls, for devices that record nothing themselves: the CPU, and torch's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .protocols import Device

_QUEUED = frozenset("upload download copy fill assign cast unary binary where matmul reduce launch".split())
"""What a device queues on a stream, which is its last argument."""


class RecordedCalls:
    """The calls of a recording; while it goes on, this is what their stream is."""

    def __init__(self) -> None:
        self.calls: list[tuple[Callable[..., object], tuple[Any, ...]]] = []

    def launch(self, stream: Any, /) -> None:
        for call, arguments in self.calls:
            call(*arguments, stream)

    def close(self) -> None:
        self.calls = []


class CallRecorder:
    """A device whose calls for one stream are kept, and not made; those of other threads are for other streams."""

    def __init__(self, device: Device, recorded: RecordedCalls) -> None:
        self.device = device
        self._recorded = recorded

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.device, name)
        if name not in _QUEUED:
            return found

        def queued(*arguments: Any) -> None:
            if arguments[-1] is self._recorded:
                self._recorded.calls.append((found, arguments[:-1]))
            else:
                found(*arguments)

        return queued
