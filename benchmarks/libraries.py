"""Times programs over the packages of examples/libraries beside those of others; whatever the figures, it exits 0.

python benchmarks/libraries.py [--rounds 30] [--processes 3] [--short] [--json FILE] [--no-install]
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from common import REPOSITORY, Wanted, cores, machine, progress, publish, ratios, summarize, table, write_json
from contenders import PYTHON, BuildFailed, execute
from peers import Missing, installed

FOLDER = REPOSITORY / "build" / "benchmarks" / "libraries"
LIBRARIES = ("zlib", "zstd", "leveldb", "yaml_cpp")
ZSTANDARD = "0.20.0"
"""The last one that brings zstd 1.5.4, which Debian 12 has: both sides then do the same work, to the byte."""

PLYVEL, PYYAML = "1.5.1", "6.0.3"
"""The bindings of LevelDB and of libyaml, in C, that are compared."""
BOUNDS = {"leveldb": 1.00, "yaml-cpp": 0.50}
"""What is wanted where it is not 1.05."""

NOTES = """\
Below 1 is faster. `zstd` of `examples/libraries` beside the `zstandard` package, whose own zstd may be of another
version; `zlib` beside the module of the standard library. What both make is compared: byte by byte, or, where the
versions of zstd differ, once it is decompressed. `leveldb` stands beside `plyvel`, which brings a LevelDB of its own:
20 000 records are written, half of them in a batch, read, iterated over and deleted. `yaml-cpp` stands beside PyYAML's
loader in C. A ratio is taken within its round; shown are the median over all
rounds and half the distance of its quartiles. A stream is given pieces of 64 KiB, and contexts of zstd are used again.
All run in one process, pinned to a core, the collector of cycles switched off; then again in another process.

Both sides release the GIL around calls of the library; the standard library's `crc32` does so only from 5 KiB on."""

Times = Mapping[str, tuple[Sequence[float], Sequence[float]]]
"""By program: nanoseconds a call of ours and of the other, one figure a round, the rounds of all processes in order."""


def build() -> None:
    """Generate and compile both packages, where that is needed.

    Raises:
        BuildFailed: the generator or the compiler failed.
    """
    for name in LIBRARIES:
        spec = REPOSITORY / "examples" / "libraries" / name / f"{name}.wrapper_spec"
        command = [sys.executable, "-m", "wrapper_gen", "build", "--engine", "cpython"]
        execute([*command, str(spec), "-o", str(FOLDER)])


def measure(processes: int, rounds: int) -> tuple[Times, Mapping[str, str]]:
    gathered: dict[str, tuple[list[float], list[float]]] = {}
    versions: dict[str, str] = {}
    program = REPOSITORY / "benchmarks" / "libraries_process.py"
    for number in range(processes):
        progress(f"process {number + 1}/{processes}, {rounds} rounds")
        arguments = [FOLDER, rounds, number, cores()[-1 - number % len(cores())]]
        command = [str(PYTHON), str(program), *map(str, arguments)]
        done = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        versions |= done["versions"]
        for what, (ours, theirs) in done["times"].items():
            row = gathered.setdefault(what, ([], []))
            row[0].extend(ours)
            row[1].extend(theirs)
    progress("")
    return gathered, versions


def shown(nanoseconds: float) -> str:
    return f"{nanoseconds / 1e3:.1f}" if nanoseconds < 1e5 else f"{nanoseconds / 1e3:.0f}"


def rows(times: Times) -> list[list[str]]:
    """One row a program: the ratio, then microseconds of both."""
    found = []
    for what, (ours, theirs) in times.items():
        ratio = ratios(ours, theirs)
        both = [shown(summarize(each).median) for each in (ours, theirs)]
        found.append([what, f"{ratio.median:.2f} ± {(ratio.high - ratio.low) / 2:.2f}", *both])
    return found


def wanted(times: Times) -> list[Wanted]:
    return [Wanted(f"{what}: against the other", _bound(what), ratios(*both)) for what, both in times.items()]


def _bound(what: str) -> float:
    """What is wanted of one program."""
    return next((bound for name, bound in BOUNDS.items() if what.startswith(name)), 1.05)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Time programs over the packages of examples/libraries.")
    parser.add_argument("--rounds", type=int, default=30, help="rounds a process")
    parser.add_argument("--processes", type=int, default=3, help="fresh processes")
    parser.add_argument("--short", action="store_true", help="2 processes of 9 rounds, for a quick look")
    parser.add_argument("--json", type=Path, help="write every single time to this file")
    parser.add_argument("--no-install", action="store_true", help="do nothing where another package is not there")
    options = parser.parse_args()
    if options.short:
        options.processes, options.rounds = 2, 9
    if options.rounds < 1 or options.processes < 1:
        parser.error("rounds and processes start at 1")
    return options


def main() -> None:
    options = arguments()
    for name, pinned in (("zstandard", ZSTANDARD), ("plyvel", PLYVEL), ("PyYAML", PYYAML)):
        version = installed(name, pinned, not options.no_install)
        if isinstance(version, Missing):
            print(f"not available: {version.why}")
            return
    try:
        build()
        times, versions = measure(options.processes, options.rounds)
    except (BuildFailed, subprocess.CalledProcessError) as failure:
        print(f"not available: {failure}")
        return
    facts = {**machine(), **versions}
    bounds = wanted(times)
    header = ("program", "ratio", "ours, µs", "the other, µs")
    page = publish("Whole programs", facts, [NOTES, table(header, rows(times))], bounds)
    write_json(options.json, facts, page, bounds, times)


if __name__ == "__main__":
    main()
