"""Times importing packages of 10 to 1 000 functions, ours and the peers'; whatever the figures, it exits 0.

python benchmarks/startup.py [--sizes 10 100 1000] [--rounds 15] [--short] [--json FILE] [--no-install]
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from bindings import NANOBIND_ALONE, OURS_BOTH, Binding, Library, write
from common import (
    ENVIRONMENT,
    REPOSITORY,
    SPREAD,
    Summary,
    Wanted,
    alternate,
    cores,
    machine,
    progress,
    publish,
    ratios,
    summarize,
    table,
    write_json,
)
from contenders import (
    CYTHON,
    NANOBIND,
    OURS,
    OURS_CFFI,
    PYBIND11,
    PYTHON,
    BuildFailed,
    contenders,
    described,
)
from peers import Missing

FOLDER = REPOSITORY / "build" / "benchmarks" / "startup"
ENGINES = {OURS: "cpython", OURS_CFFI: "cffi"}
COMPILED = {OURS: OURS_BOTH, OURS_CFFI: OURS_BOTH, NANOBIND: NANOBIND_ALONE, PYBIND11: PYBIND11, CYTHON: CYTHON}
"""Who is timed, and the binding that is compiled for it: our engines share one."""

NOTES = """\
{spread} Milliseconds that the `import` statement takes in a fresh process, bytecode and disk cache being warm; the
interpreter's own start is not counted. Free functions only; everyone is
compiled with -O1 (nanobind's own library with -O2), to have them in bearable time."""

PROGRAM = """\
import sys, time
sys.path.insert(0, sys.argv[1])
start = time.perf_counter()
__import__(sys.argv[2])
print((time.perf_counter() - start) * 1000)
"""

Times = Mapping[str, Sequence[float]]
"""By contender: milliseconds, one figure a round."""


def build(size: int) -> dict[str, Binding]:
    """Each contender's binding of one size, compiled where that is needed.

    Raises:
        BuildFailed: a generator or the compiler failed.
    """
    bindings = {each.name: each for each in write(Library(size, 0), FOLDER / str(size), optimised="-O1")}
    for name in dict.fromkeys(COMPILED.values()):
        progress(f"{size} functions: compiling {name}")
        bindings[name].compile_once()
    return {name: bindings[compiled] for name, compiled in COMPILED.items()}


def measure(bindings: Mapping[str, Binding], rounds: int) -> Times:
    """Import each in a fresh process in turn; a first round that isn't counted warms the caches."""
    found: dict[str, list[float]] = {name: [] for name in bindings}
    for number in range(rounds + 1):
        for name, binding in alternate(list(bindings.items()), number):
            progress(f"round {number}/{rounds}: {name}")
            command = ["taskset", "-c", str(cores()[-1]), str(PYTHON), "-c", PROGRAM, str(binding.root), binding.module]
            environment = {**ENVIRONMENT, "WRAPPER_GEN_ENGINE": ENGINES.get(name, "")}
            done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
            if number:
                found[name].append(float(done.stdout))
    progress("")
    return found


def measure_torch(rounds: int) -> Mapping[str, Summary]:
    """Importing torch_ffi, which loads torch's libraries, against torch's Python; nothing where they are not built.

    The libraries are the same, so that the difference is what Python code takes.
    """
    found: dict[str, list[float]] = {"torch_ffi": [], "torch": []}
    for number in range(rounds + 1):
        for name in found:
            progress(f"round {number}/{rounds}: {name}")
            command = [sys.executable, "-c", PROGRAM, str(REPOSITORY / "generated"), name]
            done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, check=False)
            if done.returncode:
                progress("")
                return {}
            if number:
                found[name].append(float(done.stdout))
    progress("")
    return {name: summarize(times) for name, times in found.items()}


def ratio(results: Mapping[int, Times], size: int, above: str, below: str) -> Summary | None:
    return ratios(results[size][above], results[size][below]) if size in results else None


def rows(results: Mapping[int, Times]) -> list[list[str]]:
    """One row a contender: milliseconds at every size, then against nanobind at the largest."""
    largest = max(results)
    found = []
    for name in COMPILED:
        cells = [summarize(times[name]).text("{:.1f}".format) for times in results.values()]
        against = ratio(results, largest, name, NANOBIND)
        found.append([name, *cells, f"{against.median:.2f}x" if against else "-"])
    return found


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Time importing made-up packages.")
    parser.add_argument("--sizes", type=int, nargs="+", default=[10, 100, 1000], help="how many functions")
    parser.add_argument("--rounds", type=int, default=15, help="how often each is imported")
    parser.add_argument("--short", action="store_true", help="5 rounds, for a quick look")
    parser.add_argument("--json", type=Path, help="write every single run to this file")
    parser.add_argument("--no-install", action="store_true", help="compare only with peers that are already there")
    options = parser.parse_args()
    if options.short:
        options.rounds = 5
    if min(options.rounds, *options.sizes) < 1:
        parser.error("rounds and sizes start at 1")
    return options


def main() -> None:
    options = arguments()
    candidates = contenders(install=not options.no_install)
    facts = {**machine(), **described([each for each in candidates if not isinstance(each, Missing)])}
    results: dict[int, Times] = {}
    try:
        for size in sorted(set(options.sizes)):
            results[size] = measure(build(size), options.rounds)
    except (BuildFailed, subprocess.CalledProcessError) as failure:
        print(f"not available: {failure}")
        return
    header = ("milliseconds to import", *(f"{size:,} functions" for size in results), "against nanobind")
    parts = [NOTES.format(spread=SPREAD), table(header, rows(results))]
    beside = measure_torch(min(options.rounds, 5))
    if beside:
        lines = [[name, summary.text("{:.0f}".format)] for name, summary in beside.items()]
        parts.append(table(("a large library", "milliseconds to import"), lines))
    bounds = [Wanted("1 000 functions, cpython, against nanobind", 1.0, ratio(results, 1000, OURS, NANOBIND))]
    write_json(options.json, facts, publish("Importing", facts, parts, bounds), bounds, results)


if __name__ == "__main__":
    main()
