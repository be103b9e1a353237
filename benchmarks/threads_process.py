"""One process of threads.py: loads one binding, counts calls in threads, prints rates as JSON.

python threads_process.py FOLDER MODULE SECONDS
"""

from __future__ import annotations

import importlib
import json
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

THREADS = (1, 2, 4, 8)
MICROSECONDS = 1000
"""How long a blocking call waits."""


def short_calls(module: Any, until: float) -> int:
    """Call until a moment; the clock is looked at once in a hundred calls."""
    add, clock, done = module.add, time.perf_counter, 0
    while clock() < until:
        for _ in range(20):
            add(3, 4)
            add(3, 4)
            add(3, 4)
            add(3, 4)
            add(3, 4)
        done += 100
    return done


def blocking_calls(module: Any, until: float) -> int:
    wait, clock, done = module.wait, time.perf_counter, 0
    while clock() < until:
        wait(MICROSECONDS)
        done += 1
    return done


Clock = Callable[[], float]


def rate(calls: Callable[[Any, float], int], module: Any, threads: int, seconds: float, clock: Clock) -> float:
    """Calls of all threads together, which start at the same time, in a second of the clock.

    Short calls take turns with the GIL, so the process's own processor time passes as wall-clock time does on an idle
    machine, and other work doesn't change it.
    """
    counts: list[int] = []
    gate = threading.Barrier(threads + 1)
    end = [0.0]

    def work() -> None:
        gate.wait()
        counts.append(calls(module, end[0]))

    workers = [threading.Thread(target=work) for _ in range(threads)]
    for worker in workers:
        worker.start()
    end[0] = time.perf_counter() + seconds
    start = clock()
    gate.wait()
    for worker in workers:
        worker.join()
    return sum(counts) / (clock() - start)


def beside_busy(module: Any, seconds: float) -> float:
    """Short calls a second in one thread, while another runs Python without a pause."""
    stop = threading.Event()

    def busy() -> None:
        while not stop.is_set():
            sum(range(100))

    other = threading.Thread(target=busy)
    other.start()
    found = rate(short_calls, module, 1, seconds, time.process_time)
    stop.set()
    other.join()
    return found


def main() -> None:
    folder, name, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
    sys.path.insert(0, folder)
    module = importlib.import_module(name)
    rate(short_calls, module, 1, 0.05, time.process_time)  # warms up
    measured = {"beside": beside_busy(module, 2 * seconds)}
    for threads in THREADS:
        measured[f"short {threads}"] = rate(short_calls, module, threads, seconds, time.process_time)
        measured[f"blocking {threads}"] = rate(blocking_calls, module, threads, seconds, time.perf_counter)
    print(json.dumps(measured))


if __name__ == "__main__":
    main()
