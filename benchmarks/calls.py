"""Times calls from Python into one tiny library, bound in ten ways, side by side; whatever the figures, it exits 0.

python benchmarks/calls.py [--rounds 40] [--processes 6] [--short] [--json FILE] [--no-install]
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from calls_process import OPERATIONS
from common import REPOSITORY, Summary, Wanted, machine, progress, publish, ratios, summarize, table, write_json
from contenders import (
    BY_HAND,
    CTYPES,
    CYTHON,
    FLAGS,
    NANOBIND,
    OURS,
    OURS_ABI3,
    OURS_CFFI,
    PYBIND11,
    PYTHON,
    SWIG,
    Contender,
    build_all,
    contenders,
    described,
)
from peers import Missing

FOLDER = REPOSITORY / "build" / "benchmarks" / "calls"
PEERS = (NANOBIND, PYBIND11, CYTHON, SWIG, CTYPES)
"""Who gives a Python programmer the same as we do; raw cffi has neither classes nor checks."""

UNCHECKED = frozenset({(SWIG, "array of 1000")})
"""Where a peer does not look at what it is given: SWIG's typemap takes an array of any type for one of doubles."""

PLAIN = ("two ints", "two floats", "method", "method(int)", "bool", "property")
CONVERTED = ("array of 1000", "list of 1000", "text")

Times = Mapping[str, Mapping[str, Sequence[float]]]
"""By operation and contender: nanoseconds a call, one figure a round, the rounds of all processes in order."""

Bound = tuple[str, float, float | None]
"""An operation, and what is wanted against the best peer and against the C-API by hand."""

NOTES = """\
Below 1 is faster. A ratio is taken within its round; shown are the median over all rounds and half the distance of its
quartiles. The collector of cycles is switched off.

- abi3 is our cpython engine built once for CPython 3.11 and all later versions; the peers are built for this one.
- The constructor: ours is a function that returns a handle, the others call their class; raw cffi makes and frees.
- SWIG's array is not checked for its type; its functions take no keywords.
- Cython's list and array are typed as its documentation advises.
- Everyone is compiled with `{flags}`, nobody with link-time optimisation;
  of our cffi engine, cffi's own part with -O1, as always."""

# --- measuring ------------------------------------------------------------------------------------------------


class NotMeasured(Exception):
    """A process failed; the message is what it printed last."""


def measure(names: Sequence[str], processes: int, rounds: int) -> Times:
    """One fresh process after the other, each pinned to a core, each with all contenders."""
    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else [0]
    gathered: dict[str, dict[str, list[float]]] = {}
    for number in range(processes):
        progress(f"process {number + 1}/{processes}, {rounds} rounds")
        program = REPOSITORY / "benchmarks" / "calls_process.py"
        arguments = [FOLDER, rounds, number, cores[-1 - number % len(cores)]]
        done = subprocess.run(
            [PYTHON, program, *map(str, arguments), *names], capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            raise NotMeasured((done.stderr.strip().splitlines() or ["no message"])[-1])
        for operation, row in json.loads(done.stdout).items():
            for name, times in row.items():
                gathered.setdefault(operation, {}).setdefault(name, []).extend(times)
    progress("")
    return gathered


# --- judging --------------------------------------------------------------------------------------------------


def ratio(times: Times, operation: str, above: str, below: str) -> Summary | None:
    row = times.get(operation, {})
    return ratios(row[above], row[below]) if above in row and below in row else None


def best_peer(times: Times, operation: str) -> str:
    """The fastest of the peers that do the same; empty when none was measured."""
    row = times[operation]
    measured = [name for name in PEERS if name in row and (name, operation) not in UNCHECKED]
    return min(measured, key=lambda name: summarize(row[name]).median, default="")


def wanted(times: Times) -> list[Wanted]:
    """The bounds, one row each: the cpython engine's, those of its build for abi3, then the cffi engine's."""
    bounds: list[Bound] = [(each, 0.90, 1.10) for each in (*PLAIN, "by keyword")]
    bounds += [(each, 0.80, 1.25) for each in ("constructor", "clone, drop")]
    bounds += [("property set", 0.95, None), ("third of three overloads", 0.80, None)]
    found = _wanted_cpython(times, OURS, "", [*bounds, *((each, 0.90, None) for each in CONVERTED)])
    # A call for each number that crosses, which the C-API by hand saves: it is compiled for one version of Python.
    bounds = [(operation, of_peer, 1.25 if of_limit else None) for operation, of_peer, of_limit in bounds]
    bounds += [(each, 0.90, None) for each in CONVERTED if each != "list of 1000"]
    found += _wanted_cpython(times, OURS_ABI3, "abi3, ", bounds)
    against = ratio(times, "list of 1000", OURS_ABI3, NANOBIND)
    found.append(Wanted(f"abi3, list of 1000: against {NANOBIND}", 2.10, against))
    for operation in [each for each in times if CTYPES in times[each]]:
        against = ratio(times, operation, OURS_CFFI, CTYPES)
        found.append(Wanted(f"cffi engine, {operation}: against {CTYPES}", 0.50, against))
    for operation in PLAIN:
        against = ratio(times, operation, OURS_CFFI, PYBIND11)
        found.append(Wanted(f"cffi engine, {operation}: against {PYBIND11}", 1.35, against))
    return found


def _wanted_cpython(times: Times, ours: str, which: str, bounds: Sequence[Bound]) -> list[Wanted]:
    found = []
    for operation, of_peer, of_limit in bounds:
        peer = best_peer(times, operation)
        found.append(Wanted(f"{which}{operation}: against {peer}", of_peer, ratio(times, operation, ours, peer)))
        if of_limit:
            against = ratio(times, operation, ours, BY_HAND)
            found.append(Wanted(f"{which}{operation}: against {BY_HAND}", of_limit, against))
    named, plain = times["by keyword"].get(ours), times["two ints"].get(ours)
    against = ratios(named, plain) if named and plain else None
    found.append(Wanted(f"{which}by keyword: against by position", 1.15, against))
    found.append(Wanted(f"{which}exception: against {NANOBIND}", 0.60, ratio(times, "exception", ours, NANOBIND)))
    return found


# --- showing --------------------------------------------------------------------------------------------------


def ratio_table(times: Times, names: Sequence[str], base: str) -> str:
    """One row an operation, one column a contender: the time against that of `base`."""

    def cell(operation: str, name: str) -> str:
        found = ratio(times, operation, name, base)
        return "-" if found is None else f"{found.median:.2f} +- {(found.high - found.low) / 2:.2f}"

    shown = [name for name in names if name != base]
    return table(("against " + base, *shown), [[o, *(cell(o, name) for name in shown)] for o in times])


def time_table(times: Times, names: Sequence[str]) -> str:
    def cell(operation: str, name: str) -> str:
        found = times[operation].get(name)
        return f"{summarize(found).median:.0f}" if found else "-"

    return table(("nanoseconds a call", *names), [[o, *(cell(o, name) for name in names)] for o in times])


def report(times: Times, names: Sequence[str]) -> str:
    notes = NOTES.format(flags=" ".join(FLAGS))
    calls = table(("operation", "call"), [[operation, f"`{OPERATIONS[operation]}`"] for operation in times], texts=2)
    parts = [notes, calls, *(ratio_table(times, names, base) for base in (NANOBIND, BY_HAND)), time_table(times, names)]
    return "\n\n".join(parts)


# --- the command ----------------------------------------------------------------------------------------------


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Time calls into a tiny library, bound in ten ways.")
    parser.add_argument("--rounds", type=int, default=40, help="rounds a process")
    parser.add_argument("--processes", type=int, default=6, help="fresh processes, one after the other")
    parser.add_argument("--short", action="store_true", help="15 rounds in 3 processes, for a quick look")
    parser.add_argument("--json", type=Path, help="write every single time to this file")
    parser.add_argument("--no-install", action="store_true", help="compare only with peers that are already there")
    options = parser.parse_args()
    if options.short:
        options.rounds, options.processes = 15, 3
    if min(options.rounds, options.processes) < 1:
        parser.error("rounds and processes start at 1")
    return options


def main() -> None:
    options = arguments()
    candidates = contenders(install=not options.no_install)
    found = [each for each in candidates if isinstance(each, Contender)]
    missing = [each for each in candidates if isinstance(each, Missing)]
    FOLDER.mkdir(parents=True, exist_ok=True)
    missing += build_all(found, FOLDER)
    names = [each.name for each in found if each.name not in {gone.name for gone in missing}]
    facts = {**machine(), **described(found)}
    try:
        times = measure(names, options.processes, options.rounds)
    except NotMeasured as failure:
        print(f"not available: {failure}")
        return
    bounds = wanted(times)
    page = publish("Calls", facts, [report(times, names)], bounds)
    print("".join(f"\nnot available: {gone.name}: {gone.why}" for gone in missing))
    write_json(options.json, facts, page, bounds, {"times": times, "missing": [asdict(gone) for gone in missing]})


if __name__ == "__main__":
    main()
