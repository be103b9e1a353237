"""Times adding two small tensors through torch_ffi beside torch's own Python; whatever the figures, it exits 0.

python benchmarks/torch_calls.py [--rounds 30] [--processes 4] [--short] [--json FILE]
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from common import (
    ENVIRONMENT,
    REPOSITORY,
    Wanted,
    cores,
    machine,
    progress,
    publish,
    ratios,
    summarize,
    table,
    write_json,
)
from contenders import BuildFailed, execute
from torch_calls_process import CFFI, CONTENDERS, CPYTHON

FOLDER = REPOSITORY / "build" / "benchmarks" / "torch"
TORCH = tuple(name for name in CONTENDERS if name not in (CPYTHON, CFFI))

NOTES = """\
Below 1 is faster. A ratio is taken within its round; shown are the median over all rounds and half the distance of its
quartiles, in the last column the nanoseconds of torch's fastest call. All run in one process, pinned to a core, torch
with one thread and the collector of cycles switched off; then again in another process.

`no_grad` and `inference_mode` are torch's own ways to leave out what gradients need; they hold for all columns. Our
package records nothing for gradients in any of them, and looks for no `__torch_function__`; torch's own call does."""

Times = Mapping[str, Mapping[str, Sequence[float]]]
"""By row and contender: nanoseconds a call, one figure a round, the rounds of all processes in order."""


def build() -> None:
    """Generate and compile the package, where that is needed.

    Raises:
        BuildFailed: the generator or the compiler failed.
    """
    spec = REPOSITORY / "specs" / "torch.wrapper_spec"
    execute([sys.executable, "-m", "wrapper_gen", str(spec), "-o", str(FOLDER)])
    execute([sys.executable, str(FOLDER / "torch_ffi" / "ffi_build.py"), "--engine", "both"])


def measure(processes: int, rounds: int) -> Times:
    gathered: dict[str, dict[str, list[float]]] = {}
    program = REPOSITORY / "benchmarks" / "torch_calls_process.py"
    for number in range(processes):
        progress(f"process {number + 1}/{processes}, {rounds} rounds")
        arguments = [FOLDER, rounds, number, cores()[-1 - number % len(cores())]]
        command = [sys.executable, str(program), *map(str, arguments)]
        done = subprocess.run(command, env=ENVIRONMENT, check=True, capture_output=True, text=True)
        for row, found in json.loads(done.stdout).items():
            for name, nanoseconds in found.items():
                gathered.setdefault(row, {}).setdefault(name, []).extend(nanoseconds)
    progress("")
    return gathered


def fastest(row: Mapping[str, Sequence[float]]) -> str:
    """Which of torch's own ways to write it takes least."""
    return min(TORCH, key=lambda name: summarize(row[name]).median)


def rows(times: Times) -> list[list[str]]:
    """One row a size and mode: our engines against torch's fastest, then torch's others."""
    found = []
    for what, row in times.items():
        base = fastest(row)
        cells = []
        for name in CONTENDERS:
            each = ratios(row[name], row[base])
            cells.append("1" if name == base else f"{each.median:.2f} ± {(each.high - each.low) / 2:.2f}")
        found.append([what, *cells, f"{summarize(row[base]).median:.0f}"])
    return found


def wanted(times: Times) -> list[Wanted]:
    return [
        Wanted(f"cpython, {what}: against torch's fastest", 1.0, ratios(row[CPYTHON], row[fastest(row)]))
        for what, row in times.items()
    ]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Time adding two tensors.")
    parser.add_argument("--rounds", type=int, default=30, help="rounds a process")
    parser.add_argument("--processes", type=int, default=4, help="fresh processes")
    parser.add_argument("--short", action="store_true", help="2 processes of 15 rounds, for a quick look")
    parser.add_argument("--json", type=Path, help="write every single time to this file")
    options = parser.parse_args()
    if options.short:
        options.processes, options.rounds = 2, 15
    if options.rounds < 1 or options.processes < 1:
        parser.error("rounds and processes start at 1")
    return options


def main() -> None:
    options = arguments()
    try:
        facts = {**machine(), "torch": importlib.metadata.version("torch")}
        build()
        times = measure(options.processes, options.rounds)
    except (importlib.metadata.PackageNotFoundError, BuildFailed, subprocess.CalledProcessError) as failure:
        print(f"not available: {failure}")
        return
    bounds = wanted(times)
    header = ("two tensors", *CONTENDERS, "ns")
    page = publish("Adding two tensors", facts, [NOTES, table(header, rows(times))], bounds)
    write_json(options.json, facts, page, bounds, times)


if __name__ == "__main__":
    main()
