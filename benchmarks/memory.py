"""Measures memory: an object's bytes, the peak while a list or a string is converted; whatever the figures, it exits 0.

python benchmarks/memory.py [--rounds 5] [--short] [--json FILE] [--no-install]        Linux only
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from common import ENVIRONMENT, REPOSITORY, SPREAD, alternate, machine, progress, publish, summarize, table, write_json
from contenders import CTYPES, PYTHON, RAW_CFFI, Contender, build_all, contenders, described
from memory_process import LIST, OBJECTS, TEXT
from peers import Missing

FOLDER = REPOSITORY / "build" / "benchmarks" / "calls"
MEASURED = ("objects", "list", "text")

NOTES = f"""\
{SPREAD} A fresh process a figure, from what the kernel says is resident. An object is a handle of a C++ class
of 8 bytes, with all that belongs to it: the mean over {OBJECTS:,}. While a call runs, memory rises by this much above
what it was, the argument being there before: for a list of {LIST:,} floats (8 MB as C++ has them), and for a string of
{TEXT // 1_000_000} MB, where the result of the same size is counted too."""

Bytes = Mapping[str, Mapping[str, Sequence[float]]]
"""By contender and what is measured: bytes, one figure a round."""


def measure(names: Sequence[str], rounds: int) -> Bytes:
    found: dict[str, dict[str, list[float]]] = {name: {} for name in names}
    program = REPOSITORY / "benchmarks" / "memory_process.py"
    for number in range(rounds):
        for name in alternate(names, number):
            progress(f"round {number + 1}/{rounds}: {name}")
            for what in MEASURED:
                command = [str(PYTHON), str(program), str(FOLDER), name, what]
                done = subprocess.run(command, env=ENVIRONMENT, check=True, capture_output=True, text=True)
                found[name].setdefault(what, []).append(float(done.stdout))
    progress("")
    return found


def rows(measured: Bytes) -> list[list[str]]:
    found = []
    for name, row in measured.items():
        objects, values, text = (summarize(row[what]) for what in MEASURED)
        found.append([name, objects.text("{:.0f}".format), *(each.text(_megabytes) for each in (values, text))])
    return found


def _megabytes(value: float) -> str:
    return f"{value / 1e6:.1f}"


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure the memory of objects and conversions.")
    parser.add_argument("--rounds", type=int, default=5, help="fresh processes a figure")
    parser.add_argument("--short", action="store_true", help="2 rounds, for a quick look")
    parser.add_argument("--json", type=Path, help="write every single figure to this file")
    parser.add_argument("--no-install", action="store_true", help="compare only with peers that are already there")
    options = parser.parse_args()
    if options.short:
        options.rounds = 2
    if options.rounds < 1:
        parser.error("rounds start at 1")
    return options


def main() -> None:
    options = arguments()
    if not sys.platform.startswith("linux"):
        print("not available: only Linux says how much is resident")
        return
    candidates = contenders(install=not options.no_install)
    found = [each for each in candidates if isinstance(each, Contender) and each.name not in (CTYPES, RAW_CFFI)]
    missing = [each for each in candidates if isinstance(each, Missing)]
    FOLDER.mkdir(parents=True, exist_ok=True)
    missing += build_all(found, FOLDER)
    names = [each.name for each in found if each.name not in {gone.name for gone in missing}]
    facts = {**machine(), **described(found)}
    try:
        measured = measure(names, options.rounds)
    except subprocess.CalledProcessError as failure:
        print(f"not available: {(failure.stderr.strip().splitlines() or ['no message'])[-1]}")
        return
    header = ("", "bytes an object", "MB for a list", "MB for a string")
    page = publish("Memory", facts, [NOTES, table(header, rows(measured))], [])
    print("".join(f"\nnot available: {gone.name}: {gone.why}" for gone in missing))
    write_json(options.json, facts, page, [], measured)


if __name__ == "__main__":
    main()
