"""Times values within values, in and out, beside nanobind and pybind11; it exits 0 whatever it finds.

python benchmarks/marshal.py [--rounds 20] [--processes 3] [--short] [--json FILE] [--no-install]
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

from calls import NotMeasured, Times, ratio, ratio_table, time_table
from common import REPOSITORY, Wanted, machine, progress, publish, summarize, write_json
from contenders import (
    BY_HAND,
    NANOBIND,
    NEEDED,
    OURS,
    OURS_CFFI,
    PYBIND11,
    PYTHON,
    Contender,
    build_all,
    build_nanobind,
    build_ours,
    build_pybind11,
    described,
    extension,
)
from marshal_process import BORROWED, NO_STATUS, OWN, STATUS
from peers import Missing, installed

LIBRARY = REPOSITORY / "benchmarks" / "marshal"
FOLDER = REPOSITORY / "build" / "benchmarks" / "marshal"

NOTES = """\
Below 1 is faster. A ratio is taken within its round; shown are the median over all rounds and half the distance of
its quartiles. The collector of cycles is on. The library keeps the values that it gives. The cffi engine encodes and
decodes in Python, and is shown without a bound. By hand there are only C's
calls and the callables, without a look at the GIL. A status and what was borrowed have to be looked at: what that
costs is the difference to the same call without."""


def contenders(install: bool) -> list[Contender | Missing]:
    versions = {name: installed(name, NEEDED[name], install) for name in ("cffi", "nanobind", "pybind11")}
    wanted = [
        (OURS, versions["cffi"], lambda folder: build_ours(folder, library=LIBRARY)),
        (OURS_CFFI, versions["cffi"], lambda folder: build_ours(folder, library=LIBRARY)),
        (BY_HAND, "", lambda folder: extension(folder, "by_hand", [LIBRARY / "by_hand.cpp"], library=LIBRARY)),
        (NANOBIND, versions["nanobind"], lambda folder: build_nanobind(folder, LIBRARY)),
        (PYBIND11, versions["pybind11"], lambda folder: build_pybind11(folder, LIBRARY)),
    ]
    return [Missing(n, v.why) if isinstance(v, Missing) else Contender(n, v, build) for n, v, build in wanted]


def measure(names: Sequence[str], processes: int, rounds: int) -> Times:
    """One fresh process after the other, each pinned to a core, each with all bindings."""
    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else [0]
    gathered: dict[str, dict[str, list[float]]] = {}
    program = REPOSITORY / "benchmarks" / "marshal_process.py"
    for number in range(processes):
        progress(f"process {number + 1}/{processes}, {rounds} rounds")
        arguments = [FOLDER, rounds, number, cores[-1 - number % len(cores)]]
        command = [str(PYTHON), str(program), *map(str, arguments), *names]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise NotMeasured((done.stderr.strip().splitlines() or ["no message"])[-1])
        for operation, row in json.loads(done.stdout).items():
            for name, times in row.items():
                gathered.setdefault(operation, {}).setdefault(name, []).extend(times)
    progress("")
    return gathered


def wanted(times: Times) -> list[Wanted]:
    """The cpython engine against the faster peer; where the container's own memory is the bound, as fast as that."""
    found = []
    for operation, row in times.items():
        peers = [name for name in (NANOBIND, PYBIND11, BY_HAND) if name in row]
        if not peers:
            continue
        bound = 1.0 if operation.startswith("{") and operation.endswith("in") else 0.9
        fastest = min(peers, key=lambda name: summarize(row[name]).median)
        library = min((name for name in peers if name != BY_HAND), key=lambda name: summarize(row[name]).median)
        for peer in dict.fromkeys((fastest, library)):
            found.append(Wanted(f"{operation}: against {peer}", bound, ratio(times, operation, OURS, peer)))
    return [*found, *wanted_of_checks(times)]


def wanted_of_checks(times: Times) -> list[Wanted]:
    """What a check adds to a call of ours, in nanoseconds."""
    found = []
    for plain, checked, bound in ((NO_STATUS, STATUS, 2.0), (OWN, BORROWED, 3.0)):
        both = zip(times[checked][OURS], times[plain][OURS], strict=True)
        found.append(Wanted(f"{checked}: more than {plain}", bound, summarize([a - b for a, b in both]), unit=" ns"))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--processes", type=int, default=3)
    parser.add_argument("--short", action="store_true", help="a quick look: 8 rounds in 2 processes")
    parser.add_argument("--json", type=Path, help="where to write the result")
    parser.add_argument("--no-install", action="store_true", help="leave out peers that are not there")
    options = parser.parse_args()
    rounds, processes = (8, 2) if options.short else (options.rounds, options.processes)
    FOLDER.mkdir(parents=True, exist_ok=True)
    every = contenders(not options.no_install)
    found = [each for each in every if isinstance(each, Contender)]
    missing = [each for each in every if isinstance(each, Missing)]
    missing += build_all(found, FOLDER)
    names = [each.name for each in found if each.name not in {gone.name for gone in missing}]
    times = measure(names, processes, rounds)
    bounds = wanted(times)
    facts = {**machine(), **described(found)}
    parts = [ratio_table(times, names, OURS), time_table(times, names), NOTES]
    parts += [f"Left out: {gone.name}, because {gone.why}" for gone in missing]
    write_json(options.json, facts, publish("Values within values", facts, parts, bounds), bounds, times)


if __name__ == "__main__":
    main()
