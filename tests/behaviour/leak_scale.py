"""Weighs what calls leave behind: memory of Python and C, references, objects of the library."""

from __future__ import annotations

import ctypes
import gc
import os
import sys
from array import array
from collections.abc import Callable, Mapping, Sequence
from typing import Any

COUNT = int(os.environ.get("WRAPPER_GEN_TEST_CALLS", "100_000"))


def calls_by(engine: str) -> int:
    """Calls of each shape: by the cffi engine half as many, since one of its calls takes several times longer."""
    return COUNT // (2 if engine == "cffi" else 1)


def loop(statement: str, values: Mapping[str, Any], *, fails: bool, after: str = "") -> Callable[[int], None]:
    """A function that runs a statement so often, and `after` each; one that should fail and does not is an error."""
    call = "made()"
    if fails:
        call = f"try: made()\n        except Exception: pass\n        else: raise AssertionError({statement!r})"
    if after:
        call += f"\n        {after}"
    namespace = dict(values)
    # In a function of its own: the names that it gives objects end with it.
    exec(f"def made():\n    {statement}\ndef run(count):\n    for _ in range(count):\n        {call}\n", namespace)
    run: Callable[[int], None] = namespace["run"]
    return run


class Mallinfo(ctypes.Structure):
    _fields_ = tuple(
        (name, ctypes.c_size_t)
        for name in "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost".split()
    )


MALLINFO = getattr(ctypes.CDLL(None), "mallinfo2", None)
if MALLINFO is not None:
    MALLINFO.restype = Mallinfo


def heap() -> int:
    """Bytes that the process has of malloc and not given back; 0 where the C library does not tell."""
    if MALLINFO is None:
        return 0
    info = MALLINFO()
    return int(info.uordblks + info.hblkhd)


EXACT = {"MALLOC_ARENA_MAX": "1", "GLIBC_TUNABLES": "glibc.malloc.tcache_count=0"}
"""The environment in which a process weighs what threads leave: malloc counts what their caches have as in use."""

Growth = Mapping[str, int]
BYTES = "bytes of C"
TRIES = 8
"""Caches fill up once, that of Python's types over some thousand classes; what is lost at every call shows every time,
and in the same direction.
"""


def pass_over_what_is_there() -> None:
    """Have no collection look at it: there are some for each shape, and imported packages take most of the time."""
    gc.collect()
    gc.freeze()


class Scale:
    """Weighs the process; what it needs for that, it has before the first time."""

    def __init__(self, objects: Sequence[Any]) -> None:
        self._objects = objects
        self._has_total = hasattr(sys, "gettotalrefcount")
        self.what = ["blocks of Python", BYTES, "all references"]
        self.what += [f"references to {each!r:.60}" for each in objects]
        self._before = array("q", [0] * len(self.what))
        self._after = array("q", self._before)

    def measure(self, run: Callable[[int], None], calls: int) -> Growth:
        """What `calls` calls change by more than Python's own caches come to, time after time."""
        run(min(max(calls // 20, 200), 1000))
        growth: Growth = {}
        for attempt in range(TRIES):
            self._weigh(self._before)
            run(calls)
            self._weigh(self._after)
            changed = {
                what: after - before
                for what, before, after in zip(self.what, self._before, self._after, strict=True)
                if abs(after - before) > (calls + 4096 if what == BYTES else min(max(calls // 100, 50), 1000))
            }
            growth = {what: n for what, n in changed.items() if attempt == 0 or growth.get(what, 0) * n > 0}
            if not growth:
                break
        return growth

    def _weigh(self, into: array[int]) -> None:
        gc.collect()
        for i, each in enumerate(self._objects):
            into[i + 3] = sys.getrefcount(each)
        into[2] = sys.gettotalrefcount() if self._has_total else 0  # type: ignore[attr-defined]
        into[1] = heap()
        into[0] = sys.getallocatedblocks()
