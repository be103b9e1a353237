"""Measures memory: an object's bytes, the peak while values are converted, what stays of iteration; it always exits 0.

python benchmarks/memory.py [--rounds 5] [--short] [--json FILE] [--no-install]        Linux only
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import interleaved
from common import (
    ENVIRONMENT,
    REPOSITORY,
    SPREAD,
    Wanted,
    alternate,
    machine,
    progress,
    publish,
    summarize,
    table,
    write_json,
)
from contenders import BY_HAND, CTYPES, OURS, PYTHON, RAW_CFFI, Contender, build_all, contenders, described
from memory_process import LIST, OBJECTS, STEPS, TEXT
from peers import Missing

BUILT = REPOSITORY / "build" / "benchmarks"
MEASURED = ("objects", "list", "text")
ITERATED = ("steps",)

NOTES = f"""\
{SPREAD} A fresh process a figure, from what the kernel says is resident. An object is a handle of a C++ class
of 8 bytes, with all that belongs to it: the mean over {OBJECTS:,}. While a call runs, memory rises by this much above
what it was, the argument being there before: for a list of {LIST:,} floats (8 MB as C++ has them), and for a string of
{TEXT // 1_000_000} MB, where the result of the same size is counted too.
What stays of a step is what memory has risen by after {STEPS:,} steps over numbers of the library's, which were gone
over once before; a page of memory more or less is 0.004 bytes."""

Bytes = Mapping[str, Mapping[str, Sequence[float]]]
"""By contender and what is measured: bytes, one figure a round."""


def measure(names: Sequence[str], rounds: int, folder: Path, measured: Sequence[str]) -> Bytes:
    found: dict[str, dict[str, list[float]]] = {name: {} for name in names}
    program = REPOSITORY / "benchmarks" / "memory_process.py"
    for number in range(rounds):
        for name in alternate(names, number):
            progress(f"round {number + 1}/{rounds}: {name}")
            for what in measured:
                command = [str(PYTHON), str(program), str(folder), name, what]
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
    iterating = [
        each
        for each in interleaved.contenders(REPOSITORY / "benchmarks" / "marshal", not options.no_install)
        if isinstance(each, Contender) and each.name != BY_HAND
    ]
    names, missing_too = _built(found, BUILT / "calls")
    names_of_iterating, _ = _built(iterating, BUILT / "marshal")
    missing += missing_too
    facts = {**machine(), **described(found)}
    try:
        measured = measure(names, options.rounds, BUILT / "calls", MEASURED)
        iterated = measure(names_of_iterating, options.rounds, BUILT / "marshal", ITERATED)
    except subprocess.CalledProcessError as failure:
        print(f"not available: {(failure.stderr.strip().splitlines() or ['no message'])[-1]}")
        return
    header = ("", "bytes an object", "MB for a list", "MB for a string")
    stays = {name: summarize(row["steps"]) for name, row in iterated.items()}
    steps = [[name, each.text("{:.3f}".format)] for name, each in stays.items()]
    header_of_steps = ("", "bytes that stay of a step")
    bounds = [Wanted("bytes that stay of a step of iteration", 0.01, stays.get(OURS), unit=" bytes")]
    parts = [NOTES, table(header, rows(measured)), table(header_of_steps, steps)]
    page = publish("Memory", facts, parts, bounds)
    print("".join(f"\nnot available: {gone.name}: {gone.why}" for gone in missing))
    write_json(options.json, facts, page, bounds, {"converted": measured, "iterated": iterated})


def _built(found: Sequence[Contender], folder: Path) -> tuple[list[str], list[Missing]]:
    """The contenders that could be built there, by name, and the others."""
    folder.mkdir(parents=True, exist_ok=True)
    missing = build_all(found, folder)
    return [each.name for each in found if each.name not in {gone.name for gone in missing}], missing


if __name__ == "__main__":
    main()
