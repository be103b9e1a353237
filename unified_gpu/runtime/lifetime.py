"""What becomes of contexts that are open when the process ends, and of those that a forked process inherits."""

from __future__ import annotations

import atexit
import os
import sys
from _thread import get_ident, interrupt_main, start_new_thread
from collections.abc import Iterator
from pathlib import Path
from time import monotonic, sleep
from types import CodeType, FrameType
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


_PACKAGE = Path(__file__).parents[1]
_FOLDER = str(_PACKAGE) + os.sep
_PIPELINES = (str(_PACKAGE / "pipelines" / name) for name in ("pipeline.py", "run.py", "multi.py", "distributed.py"))
_CALLS_USER_CODE = {__file__, *_PIPELINES}
"""Modules that call functions of users, and use no handle of a device meanwhile."""
_PATIENCE = 5.0
"""Seconds: a thread that takes longer for a call waits for something else than the device."""


def wait_for_other_threads(not_in: set[CodeType]) -> None:
    """Wait until each call into this package is over that another thread is in; those of `not_in` don't count.

    A call gets the handle of a stream, and then uses it. When no thread can get a handle any more, and those calls are
    over, no more work will be queued.
    """
    begun = {thread: calls for thread, frame in sys._current_frames().items() if (calls := _calls(frame, not_in))}
    begun.pop(get_ident(), None)
    end = monotonic() + _PATIENCE
    while begun and monotonic() < end:
        now = sys._current_frames()
        begun = {thread: left for thread, calls in begun.items() if (left := calls & _calls(now.get(thread), not_in))}
        sleep(0.0005 if begun else 0)


def _calls(frame: FrameType | None, not_in: set[CodeType]) -> set[FrameType]:
    """The calls into this package that a thread is in."""
    found = set()
    while frame is not None:
        code = frame.f_code
        if code.co_filename.startswith(_FOLDER) and code.co_filename not in _CALLS_USER_CODE and code not in not_in:
            found.add(frame)
        frame = frame.f_back
    return found


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
