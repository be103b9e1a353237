"""One process of memory.py: loads one contender, prints what one thing costs in bytes.

python memory_process.py FOLDER CONTENDER objects|list|text|steps
"""

from __future__ import annotations

import gc
import sys
from collections import deque
from pathlib import Path
from typing import Any

from calls_process import load
from interleaved_process import load as load_of_marshal

OBJECTS = 200_000
LIST = 1_000_000
TEXT = 100_000_000
STEPS = 1_000_000


def resident(field: str) -> int:
    """Bytes of memory: `VmRSS` now, or `VmHWM`, the most since the last `forget`."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field):
            return int(line.split()[1]) * 1024
    raise OSError(field)


def forget() -> None:
    """Start to look for the largest resident set anew."""
    Path("/proc/self/clear_refs").write_text("5")


def of_objects(names: dict[str, Any]) -> float:
    """Bytes a live object takes, all that belongs to it included; the list that holds them is there before."""
    make = names["make"]
    held: list[Any] = [None] * OBJECTS
    for i in range(1000):  # the first ones pay for the allocators' pools
        held[i] = make(i)
    gc.collect()
    before = resident("VmRSS")
    for i in range(1000, OBJECTS):
        held[i] = make(i)
    return (resident("VmRSS") - before) / (OBJECTS - 1000)


def of_list(names: dict[str, Any]) -> float:
    values = [i * 0.5 for i in range(LIST)]
    return _peak(names["total_of_list"], values)


def of_text(names: dict[str, Any]) -> float:
    return _peak(names["upper"], "x" * TEXT)


def of_steps(module: Any) -> float:
    """What stays of a step over numbers of the library's, the iterator still being there; others have loaded all."""
    drain = deque[int](maxlen=0).extend
    drain(module.each_number(STEPS))
    gc.collect()
    before = resident("VmRSS")
    steps = module.each_number(STEPS)
    drain(steps)
    return (resident("VmRSS") - before) / STEPS


def _peak(call: Any, argument: Any) -> float:
    """How far memory rises above what it was before, during one call; a small call has loaded all before."""
    call(argument[:1])
    gc.collect()
    forget()
    before = resident("VmRSS")
    call(argument)
    return float(resident("VmHWM") - before)


def main() -> None:
    folder, name, what = sys.argv[1:]
    sys.path.insert(0, folder)
    gc.disable()
    if what == "steps":
        print(of_steps(load_of_marshal(name, "marshal_ffi")))
        return
    print({"objects": of_objects, "list": of_list, "text": of_text}[what](load(name)))


if __name__ == "__main__":
    main()
