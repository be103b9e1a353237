"""Times constructors and methods of Python's protocols, beside nanobind and pybind11; it exits 0 whatever it finds.

python benchmarks/protocols.py [--rounds 20] [--processes 3] [--short] [--json FILE] [--no-install]
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
)
from peers import Missing, installed

LIBRARY = REPOSITORY / "benchmarks" / "protocols"
FOLDER = REPOSITORY / "build" / "benchmarks" / "protocols"
BOUND = 0.9

NOTES = """\
Below 1 is faster. A ratio is taken within its round; shown are the median over all rounds and half the distance of
its quartiles. All bindings wrap the same classes, and check positions alike. The time of the loop and of what Python
does before it calls is in all figures."""


def contenders(install: bool) -> list[Contender | Missing]:
    versions = {name: installed(name, NEEDED[name], install) for name in ("cffi", "nanobind", "pybind11")}
    wanted = [
        (OURS, versions["cffi"], lambda folder: build_ours(folder, library=LIBRARY)),
        (OURS_CFFI, versions["cffi"], lambda folder: build_ours(folder, library=LIBRARY)),
        (NANOBIND, versions["nanobind"], lambda folder: build_nanobind(folder, LIBRARY)),
        (PYBIND11, versions["pybind11"], lambda folder: build_pybind11(folder, LIBRARY)),
    ]
    return [Missing(n, v.why) if isinstance(v, Missing) else Contender(n, v, build) for n, v, build in wanted]


def measure(names: Sequence[str], processes: int, rounds: int) -> Times:
    """One fresh process after the other, each pinned to a core, each with all bindings."""
    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else [0]
    gathered: dict[str, dict[str, list[float]]] = {}
    program = REPOSITORY / "benchmarks" / "protocols_process.py"
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
    """The cpython engine against the faster peer."""
    found = []
    for operation, row in times.items():
        peers = [name for name in (NANOBIND, PYBIND11) if name in row]
        if peers:
            fastest = min(peers, key=lambda name: summarize(row[name]).median)
            found.append(Wanted(f"{operation}: against {fastest}", BOUND, ratio(times, operation, OURS, fastest)))
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
    title = "Constructors and Python's protocols"
    write_json(options.json, facts, publish(title, facts, parts, bounds), bounds, times)


if __name__ == "__main__":
    main()
