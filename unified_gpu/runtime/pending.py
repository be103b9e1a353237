"""What waits for the work of a stream: streams that were collected with work queued, and events."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeVar

from unified_gpu.backends import EventHandle, StreamHandle

from .segments import FreeLists
from .waiting import wait

Entry = TypeVar("Entry")


@dataclass(slots=True)
class PendingStream:
    """What a stream leaves that was collected, until its work is done.

    Attributes:
        free_lists: its memory, for other streams when its work is done.
        kept_alive, unrecorded: what its work uses, see `Stream.keep_alive`.
    """

    handle: StreamHandle
    free_lists: FreeLists
    kept_alive: deque[tuple[EventHandle, list[object]]]
    unrecorded: list[object]

    def is_complete(self) -> bool:
        """Whether all its work is done; its errors are ignored, because no caller is left."""
        try:
            return self.handle.query()
        except Exception:
            with suppress(Exception):
                wait(self.handle)
            return True


def popped(queue: deque[Entry]) -> Iterator[Entry]:
    """The entries of a queue at this moment, each removed from it; other threads may do the same."""
    for _ in range(len(queue)):
        try:
            entry = queue.popleft()
        except IndexError:
            return
        yield entry


def is_complete(event: EventHandle) -> bool:
    """Whether the work before an event has ended, also by an error, which `synchronize` of the stream reports."""
    try:
        return event.query()
    except Exception:
        with suppress(Exception):
            wait(event)  # a call that failed may not have looked
        return True
