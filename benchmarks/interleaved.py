"""Runs a benchmark whose rows are operations of one library, each timed through all of its bindings in one process.

`interleaved_process.py` is the other half: what such a process does.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from calls import NotMeasured, Times, ratio_table, time_table
from common import REPOSITORY, Wanted, machine, progress, publish, write_json
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
from peers import Missing, installed


@dataclass(frozen=True, slots=True)
class Benchmark:
    """One library, in the folder `name` beside this file; `<name>_process.py` has its operations."""

    name: str
    title: str
    notes: str
    wanted: Callable[[Times], list[Wanted]]

    @property
    def library(self) -> Path:
        return REPOSITORY / "benchmarks" / self.name

    @property
    def program(self) -> Path:
        return REPOSITORY / "benchmarks" / f"{self.name}_process.py"

    @property
    def built(self) -> Path:
        return REPOSITORY / "build" / "benchmarks" / self.name


def contenders(library: Path, install: bool) -> list[Contender | Missing]:
    """Our two engines, nanobind and pybind11; the C-API by hand where the library has `by_hand.cpp`."""
    versions = {name: installed(name, NEEDED[name], install) for name in ("cffi", "nanobind", "numpy", "pybind11")}
    ours = partial(build_ours, library=library)
    by_hand = library / "by_hand.cpp"
    found: list[tuple[str, str | Missing, Callable[[Path], None]]] = [
        (OURS, versions["cffi"], ours),
        (OURS_CFFI, versions["cffi"], ours),
        (NANOBIND, versions["nanobind"], partial(build_nanobind, library=library)),
        (PYBIND11, versions["pybind11"], partial(build_pybind11, library=library)),
    ]
    if by_hand.exists():
        found.insert(2, (BY_HAND, "", partial(extension, name="by_hand", sources=[by_hand], library=library)))
    return [Missing(n, v.why) if isinstance(v, Missing) else Contender(n, v, build) for n, v, build in found]


def measure(program: Path, built: Path, names: Sequence[str], processes: int, rounds: int) -> Times:
    """One fresh process of `program` after the other, each pinned to a core, each with all bindings in `built`.

    Raises:
        NotMeasured: a process failed.
    """
    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else [0]
    gathered: dict[str, dict[str, list[float]]] = {}
    for number in range(processes):
        progress(f"process {number + 1}/{processes}, {rounds} rounds")
        arguments = [built, rounds, number, cores[-1 - number % len(cores)]]
        command = [str(PYTHON), str(program), *map(str, arguments), *names]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise NotMeasured((done.stderr.strip().splitlines() or ["no message"])[-1])
        for operation, row in json.loads(done.stdout).items():
            for name, times in row.items():
                gathered.setdefault(operation, {}).setdefault(name, []).extend(times)
    progress("")
    return gathered


def arguments(description: str | None) -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--processes", type=int, default=3)
    parser.add_argument("--short", action="store_true", help="a quick look: 8 rounds in 2 processes")
    parser.add_argument("--json", type=Path, help="where to write the result")
    parser.add_argument("--no-install", action="store_true", help="leave out peers that are not there")
    options = parser.parse_args()
    if options.short:
        options.rounds, options.processes = 8, 2
    return options


def run(benchmark: Benchmark, description: str | None) -> None:
    """The whole program: builds what is there, measures, and publishes it; it exits 0 whatever the figures."""
    options = arguments(description)
    benchmark.built.mkdir(parents=True, exist_ok=True)
    every = contenders(benchmark.library, not options.no_install)
    found = [each for each in every if isinstance(each, Contender)]
    missing = [each for each in every if isinstance(each, Missing)]
    missing += build_all(found, benchmark.built)
    names = [each.name for each in found if each.name not in {gone.name for gone in missing}]
    times = measure(benchmark.program, benchmark.built, names, options.processes, options.rounds)
    bounds = benchmark.wanted(times)
    facts = {**machine(), **described(found)}
    parts = [ratio_table(times, names, OURS), time_table(times, names), benchmark.notes]
    parts += [f"Left out: {gone.name}, because {gone.why}" for gone in missing]
    write_json(options.json, facts, publish(benchmark.title, facts, parts, bounds), bounds, times)
