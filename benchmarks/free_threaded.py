"""Counts short calls in one and two threads, on a Python without a GIL, ours beside nanobind's; it always exits 0.

PYTHON_GIL=0 python3.13t benchmarks/free_threaded.py [--rounds 15] [--short] [--json FILE]

The Python that runs it is the one that is measured. In the tree of `make pythons`:

tests/pythons/enter.sh TREE env PYTHON_GIL=0 PYTHONPATH=. /opt/3.13t/bin/python benchmarks/free_threaded.py
"""

from __future__ import annotations

import argparse
import importlib
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import contenders
from common import (
    REPOSITORY,
    SPREAD,
    Wanted,
    alternate,
    machine,
    progress,
    publish,
    ratios,
    summarize,
    table,
    times,
    write_json,
)
from contenders import NANOBIND, OURS, TINY, BuildFailed, execute

FOLDER = REPOSITORY / "build" / "benchmarks" / "free_threaded"
PEERS = FOLDER / "peers"
ANY, LOCKED = "calls side by side", "one call at a time on a handle"
FOLDERS = {ANY: FOLDER / "any", LOCKED: FOLDER / "locked"}
"""What both bindings are told of a counter: `thread: any` or not, and `nb::lock_self()` or not."""
MODULES = {OURS: "tiny_ffi", NANOBIND: "with_nanobind"}
SCALES = 1.8
"""What two threads are to reach of one thread's rate."""
OPERATIONS: Mapping[str, tuple[str, str, float]] = {
    "two ints": (ANY, "add(3, 4)", 0.9),
    "by keyword": (ANY, "add(a=3, b=4)", 0.9),
    "method": (ANY, "own.get()", 1.0),
    "method, locked": (LOCKED, "own.get()", 1.0),
    "make and drop": (ANY, "make(5)", 0.9),
    "clone and drop": (ANY, "own.clone()", 0.9),
}
"""What is timed, and the part of nanobind's time that is wanted: a handle that is called cannot be closed meanwhile."""
SHARED = ("make and drop", "clone and drop")
"""The library counts its objects: threads that make some wait for each other there, whoever binds it."""

NOTES = """\
{spread} Within one process, both bindings in turn, each in one thread and in two that start together;
a thread's handle is its own. Nanoseconds are a thread's for one call, with the loop around it. Nothing is locked but
where the row says so: then ours has no `thread: any`, and nanobind's methods have `nb::lock_self()`."""

Burst = Callable[[int], None]
Rates = Mapping[str, Mapping[str, Mapping[int, Sequence[float]]]]
"""Calls a second of all threads together: by operation, contender and number of threads; one figure a round."""


def build() -> None:
    """Compile both for the Python that runs this.

    Raises:
        BuildFailed: a generator, the compiler or pip failed.
    """
    PEERS.mkdir(parents=True, exist_ok=True)
    if not (PEERS / "nanobind").is_dir():
        wanted = f"nanobind=={contenders.NEEDED['nanobind']}"
        execute([sys.executable, "-m", "pip", "install", "--quiet", "--target", str(PEERS), wanted])
    spec = (TINY / "tiny.wrapper_spec").read_text(encoding="utf-8")
    own = PEERS / "nanobind"
    includes = [f"-I{own / 'include'}", f"-I{own / 'ext' / 'robin_map' / 'include'}", "-fno-strict-aliasing"]
    sources = [TINY / "with_nanobind.cpp", own / "src" / "nb_combined.cpp"]
    for kind, folder in FOLDERS.items():
        folder.mkdir(exist_ok=True)
        for file in TINY.glob("tiny.[ch]pp"):
            shutil.copy(file, folder)
        cpp_type = '    cpp_type: "tiny::Counter"\n'
        text = spec.replace(cpp_type, f"{cpp_type}    thread: any\n") if kind == ANY else spec
        (folder / "tiny.wrapper_spec").write_text(text, encoding="utf-8")
        execute([sys.executable, "-m", "wrapper_gen", str(folder / "tiny.wrapper_spec"), "-o", str(folder)])
        execute([sys.executable, str(folder / "tiny_ffi" / "ffi_build.py")], CXXFLAGS=" ".join(contenders.FLAGS))
        flags = [*includes, "-DNB_FREE_THREADED", f"-DNB_DOMAIN={folder.name}"]
        flags += ["-DTINY_LOCKS"] if kind == LOCKED else []
        contenders.extension(folder, "with_nanobind", sources, flags, interpreter=Path(sys.executable))


def load(folder: Path, name: str) -> Any:
    """Import from a folder what other folders have under the same name."""
    sys.path.insert(0, str(folder))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.pop(0)
        for each in [each for each in sys.modules if each.partition(".")[0] == name]:
            del sys.modules[each]


def burst(module: Any, expression: str) -> Callable[[], Burst]:
    """Makes what a thread does: so many times a hundred calls, on a handle of its own."""
    make = getattr(module, "make", None) or module.Counter
    lines = "\n        ".join([expression] * 10)
    text = f"def run(count, *, add, make, own):\n    for _ in range(count * 10):\n        {lines}\n"

    def prepared() -> Burst:
        names: dict[str, Any] = {}
        exec(text, names)
        return partial(names["run"], add=module.add, make=make, own=make(7))

    return prepared


def rate(prepared: Callable[[], Burst], threads: int, hundreds: int) -> float:
    """Calls a second of all threads together, from when the first starts until the last is done."""
    gate = threading.Barrier(threads)
    spans: list[tuple[float, float]] = []

    def work() -> None:
        run = prepared()
        run(1)
        gate.wait()
        start = time.perf_counter()
        run(hundreds)
        spans.append((start, time.perf_counter()))

    workers = [threading.Thread(target=work) for _ in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return threads * hundreds * 100 / (max(end for _, end in spans) - min(start for start, _ in spans))


def measure(rounds: int, hundreds: int) -> Rates:
    found: dict[str, dict[str, dict[int, list[float]]]] = {}
    modules = {kind: {each: load(folder, name) for each, name in MODULES.items()} for kind, folder in FOLDERS.items()}
    for operation, (kind, expression, _) in OPERATIONS.items():
        bursts = {contender: burst(module, expression) for contender, module in modules[kind].items()}
        rows = found[operation] = {contender: {1: [], 2: []} for contender in MODULES}
        for number in range(rounds):
            progress(f"{operation}: round {number + 1}/{rounds}")
            for contender in alternate(list(MODULES), number):
                for threads in (1, 2):
                    rows[contender][threads].append(rate(bursts[contender], threads, hundreds))
    progress("")
    return found


def wanted(rates: Rates) -> list[Wanted]:
    found = []
    for operation, rows in rates.items():
        ours, theirs = rows[OURS], rows[NANOBIND]
        for threads in (1, 2):
            what = f"{operation}, {threads} thread{'s' if threads > 1 else ''}: time against nanobind"
            found.append(Wanted(what, OPERATIONS[operation][2], ratios(theirs[threads], ours[threads])))
        if operation not in SHARED:
            lost = ratios(ours[1], ours[2])
            found.append(Wanted(f"{operation}: one thread's rate against that of two", 1 / SCALES, lost))
    return found


def rows(rates: Rates) -> list[list[str]]:
    """One row an operation and contender: nanoseconds alone, and what a second thread adds."""
    found = []
    for operation, by_contender in rates.items():
        for contender, figures in by_contender.items():
            alone = summarize([1e9 / each for each in figures[1]])
            gain = ratios(figures[2], figures[1])
            found.append([operation, contender, f"{alone.median:.1f}", gain.text(times)])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description="Count short calls in threads without a GIL.")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--short", action="store_true", help="5 rounds, for a quick look")
    parser.add_argument("--json", type=Path, help="write every single rate to this file")
    options = parser.parse_args()
    if getattr(sys, "_is_gil_enabled", lambda: True)():
        parser.error("this Python has a GIL, or something turned it on: run a free-threaded one, with PYTHON_GIL=0")
    try:
        build()
    except (BuildFailed, subprocess.CalledProcessError) as failure:
        print(f"not available: {failure}")
        return
    rates = measure(5 if options.short else options.rounds, 500)
    facts = {**machine(), "nanobind": contenders.NEEDED["nanobind"]}
    header = ("operation", "", "nanoseconds, one thread", "rate of two threads")
    parts = [NOTES.format(spread=SPREAD), table(header, rows(rates), texts=2)]
    bounds = wanted(rates)
    write_json(options.json, facts, publish("Without a GIL", facts, parts, bounds), bounds, rates)


if __name__ == "__main__":
    main()
