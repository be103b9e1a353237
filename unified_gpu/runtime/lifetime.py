"""What becomes of contexts that are open when the process ends, and of those that a forked process inherits."""

from __future__ import annotations

import atexit
import gc
import os
import sys
from _thread import _count, interrupt_main, start_new_thread
from collections.abc import Iterator, Sequence
from time import monotonic, sleep
from types import FrameType
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
_devices = {"used": False, "inherited": False, "exiting": False}


def close_at_exit(owner: Owner) -> None:
    """Close it when the process ends, and abandon it in processes that are forked."""
    _devices["used"] = True
    _open.add(owner)


def is_exiting() -> bool:
    """Whether the program has ended, and only what is queued goes on."""
    return _devices["exiting"]


def check_not_forked() -> None:
    """Refuse to open a device in a process whose parent had one open before it was forked, closed again or not.

    Raises:
        ClosedError: in such a process.
    """
    if _devices["inherited"]:
        raise ClosedError(f"this process was forked from one that had used a device before; {AFTER_A_FORK}")


_PATIENCE = 2.0
"""Seconds: a thread that takes longer for a call waits for something else than the device."""
_CALLS_LAST = 0.05
"""Seconds: what refers to a stream for longer may be a traceback, and is looked at."""


def wait_for_calls(handles: Sequence[object]) -> None:
    """Wait until no other thread is in a call that uses one of these handles of streams.

    A call gets the handle of a stream, and then uses it: until it is over, there is a reference more than those of
    `handles`. When no thread can get a handle any more, and no call has one, no more work will be queued. What refers
    to a handle otherwise is waited for too, so the wait has an end; tracebacks are not, for long. The frames of other
    threads would show calls as well, but those end while they are read, and then CPython may crash.
    """
    start, look = monotonic(), _CALLS_LAST
    ended: Sequence[object] = ()
    while any(_references(handles, number, ended) > _NO_OTHERS for number in range(len(handles))):
        waited = monotonic() - start
        if not _count() or waited >= _PATIENCE:  # there are no other threads
            return
        if waited >= look:  # not often, because it goes through all objects
            ended = _in_tracebacks(handles)
            look *= 4
        sleep(0.0005)


def _in_tracebacks(handles: Sequence[object]) -> list[object]:
    """Frames that have ended and refer to a handle, and their `f_locals`. A frame that runs shows nothing here."""
    ended = [each for each in gc.get_referrers(*handles) if isinstance(each, FrameType)]
    parts = {id(part): part for frame in ended for part in gc.get_referents(frame) if type(part) is dict}
    known = {id(handle) for handle in handles}
    return ended + [each for each in parts.values() if any(id(value) in known for value in gc.get_referents(each))]


def _references(handles: Sequence[object], number: int, ended: Sequence[object]) -> int:
    """How many there are to a handle, but those of what has ended."""
    if not _COUNTS_REFERENCES:
        return 0
    count = sys.getrefcount(handles[number])
    return count - sum(part is handles[number] for each in ended for part in gc.get_referents(each))


_COUNTS_REFERENCES = hasattr(sys, "getrefcount")  # PyPy does not
_NO_OTHERS = _references([object()], 0, ())


@atexit.register
def _at_exit() -> None:
    """Wait for copies that are still queued: they use memory that is about to go."""
    _devices["exiting"] = True
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
