"""Waiting for a device in slices, so that Ctrl-C ends it: Python looks for signals between two calls."""

from __future__ import annotations

import sys
from collections.abc import Callable
from time import monotonic
from typing import Protocol

_SLICE_MILLISECONDS = 50
"""How long an interrupt waits at most; the work that is waited for ends a slice at once."""


class Waitable(Protocol):
    """A stream or an event of a backend."""

    def wait_for(self, milliseconds: int, /) -> bool:
        """Wait, but no longer than so long; whether it is done, and then raises what queued work has raised."""


_PATIENCE = 5.0
"""Seconds after which whoever looks at a process that does not end wants to know why."""


def wait_at_exit(handle: Waitable, what: Callable[[], str]) -> None:
    """`wait`, and say on stderr what is waited for, once, when it takes long: nothing else of the program goes on."""
    start, is_told = monotonic(), False
    while not handle.wait_for(_SLICE_MILLISECONDS):
        if not is_told and monotonic() - start > _PATIENCE:
            is_told = True
            sys.stderr.write(f"unified_gpu: {what()}\n")
            sys.stderr.flush()


def wait(handle: Waitable) -> None:
    """Wait for all that a stream has, or for an event.

    Raises:
        Exception: of the backend's own class, when queued work has failed.
        KeyboardInterrupt: or what else a signal handler raises; the work goes on then.
    """
    while not handle.wait_for(_SLICE_MILLISECONDS):
        pass
