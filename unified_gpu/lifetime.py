"""What becomes of contexts that are open when the process ends, and of those that a forked process inherits."""

from __future__ import annotations

import atexit
import os
from _thread import interrupt_main, start_new_thread
from time import sleep
from typing import NoReturn, Protocol, SupportsIndex
from weakref import WeakSet

AFTER_A_FORK = "start processes by spawn, or open contexts only in the children"
"""What to do instead: neither CUDA nor the threads of the CPU go on in a child, so a new context fails there too."""


class OfThisProcess:
    """The part of what stands for something of a device: neither `copy` nor `pickle` can make a second one."""

    __slots__ = ()
    _instead = "make another one"

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        raise TypeError(f"a {type(self).__name__} cannot be pickled, nor copied by `copy`: {self._instead}")


def interrupt_again() -> None:
    """Let Ctrl-C come once more: for `__del__`, where nobody hears of it, as Python ignores what is raised there."""

    def interrupt() -> None:
        sleep(0.01)  # by then what goes together is gone: Python's own weak references lose it as well
        interrupt_main()

    start_new_thread(interrupt, ())


class Owner(Protocol):
    """What has things of a device to give back."""

    def close(self) -> None: ...
    def abandon(self) -> object:
        """Use nothing from now on; returns what must never be released in this process."""


_open: WeakSet[Owner] = WeakSet()


def watch(owner: Owner) -> None:
    """Close it when the process ends, and abandon it in processes that are forked."""
    _open.add(owner)


@atexit.register
def _at_exit() -> None:
    """Wait for copies that are still queued: they use memory that is about to go."""
    for owner in list(_open):
        owner.close()


def _after_fork() -> None:
    """The devices are the parent's, and the threads that worked for them are not here."""
    left = [owner.abandon() for owner in list(_open)]
    _open.clear()
    if left:
        import ctypes

        ctypes.pythonapi.Py_IncRef(ctypes.py_object(left))  # never let go, not even when the interpreter ends


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
