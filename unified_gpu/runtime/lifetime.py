"""What becomes of contexts that are open when the process ends, and of those that a forked process inherits."""

from __future__ import annotations

import atexit
import os
import sys
from _thread import _count, interrupt_main, start_new_thread
from collections.abc import Iterator, Sequence
from time import monotonic, sleep
from typing import Generic, NoReturn, Protocol, SupportsIndex, TypeVar
from weakref import ref

from unified_gpu.errors import ClosedError

AFTER_A_FORK = "start processes by spawn, or open contexts only in the children"
"""What to do instead: neither CUDA nor the threads of the CPU go on in a child, so a new context fails there too."""


class ProcessLocal:
    """The part of what stands for something of a device: neither `copy` nor `pickle` can make a second one."""

    __slots__ = ()
    _alternative = "make another one"

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        raise TypeError(f"a {type(self).__name__} cannot be pickled, nor copied by `copy`: {self._alternative}")


def interrupt_later() -> None:
    """Raise KeyboardInterrupt again, soon: for `__del__`, where Python ignores exceptions."""

    def interrupt() -> None:
        sleep(0.01)  # so that finalizers of the same object graph end first; weakref callbacks ignore exceptions too
        interrupt_main()

    start_new_thread(interrupt, ())


Thing = TypeVar("Thing")


class LiveObjects(Generic[Thing]):
    """Objects, as long as they live; without a lock, because a finalizer may come at any moment and add some."""

    def __init__(self) -> None:
        self._all: set[ref[Thing]] = set()

    def add(self, thing: Thing) -> None:
        self._all.add(ref(thing, self._all.discard))

    def clear(self) -> None:
        self._all.clear()

    def __iter__(self) -> Iterator[Thing]:
        """Those that there are now."""
        return (thing for each in list(self._all) if (thing := each()) is not None)


class Owner(Protocol):
    """What has resources of a device to release."""

    def close(self) -> None: ...
    def abandon(self) -> object:
        """Use nothing from now on; returns what must never be released in this process."""


_open: LiveObjects[Owner] = LiveObjects()
_devices = {"used": False, "inherited": False}


def close_at_exit(owner: Owner) -> None:
    """Close it when the process ends, and abandon it in processes that are forked."""
    _devices["used"] = True
    _open.add(owner)


def check_not_forked() -> None:
    """Refuse to open a device in a process whose parent had one open before it was forked, closed again or not.

    Raises:
        ClosedError: in such a process.
    """
    if _devices["inherited"]:
        raise ClosedError(f"this process was forked from one that had used a device before; {AFTER_A_FORK}")


_PATIENCE = 2.0
"""Seconds: a thread that takes longer for a call waits for something else than the device."""


def wait_for_calls(handles: Sequence[object]) -> None:
    """Wait until no other thread is in a call that uses one of these handles of streams.

    A call gets the handle of a stream, and then uses it: until it is over, there is a reference more than those of
    `handles`. When no thread can get a handle any more, and no call has one, no more work will be queued. Tracebacks
    refer to handles too, so the wait has an end. The frames of other threads would show calls as well, but those end
    while they are read, and then CPython may crash.
    """
    end = monotonic() + _PATIENCE
    while any(_references(handles, number) > _NO_OTHERS for number in range(len(handles))):
        if not _count() or monotonic() >= end:  # there are no other threads
            return
        sleep(0.0005)


def _references(handles: Sequence[object], number: int) -> int:
    return sys.getrefcount(handles[number]) if _COUNTS_REFERENCES else 0


_COUNTS_REFERENCES = hasattr(sys, "getrefcount")  # PyPy does not
_NO_OTHERS = _references([object()], 0)


@atexit.register
def _at_exit() -> None:
    """Wait for copies that are still queued: they use memory that is about to go."""
    for owner in list(_open):
        owner.close()


def _after_fork() -> None:
    """The devices are the parent's, and the threads that worked for them are not here."""
    left = [owner.abandon() for owner in list(_open)]
    _open.clear()
    _devices["inherited"] = _devices["used"]
    if left:
        import ctypes

        ctypes.pythonapi.Py_IncRef(ctypes.py_object(left))  # never released, not even when the interpreter ends


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
