"""Times compiling a made-up library's binding, ours and the peers'; whatever the figures, it exits 0.

python benchmarks/compile.py [--sizes 30 300] [--rounds 3] [--short] [--json FILE] [--no-install]
"""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from bindings import FLAGS, NANOBIND_ALONE, Binding, Library, write
from common import (
    REPOSITORY,
    SPREAD,
    Run,
    RunFailed,
    Summary,
    Wanted,
    alternate,
    cores,
    machine,
    megabytes,
    progress,
    publish,
    ratios,
    run,
    seconds,
    summarize,
    table,
    write_json,
)
from contenders import NANOBIND, OURS, PYBIND11, BuildFailed, contenders, described
from peers import Missing

FOLDER = REPOSITORY / "build" / "benchmarks" / "compile"
TWO_CORES = "wrapper-gen, cpython, two cores"

NOTES = """\
{spread} Each compiles a library of inline functions with two parameters and as many methods in classes of ten: numbers,
booleans and strings. All with `{flags} -O2` (cffi's part: -O1), one command, on one core
where nothing else is said. Translating is not counted: neither ours, nor SWIG's, nor Cython's. Peak memory is that of
the largest process; the size is of the stripped extension. "Against nanobind" compares processor seconds, which other
work on the machine hardly changes; it does
change the seconds by the clock, which are compared for two cores, against the processor seconds of one."""

HEADER = ("processor seconds", "by the clock", "against nanobind", "peak MB", "size MB")


@dataclass
class Series:
    """Every compilation of one binding, and how large the result is."""

    runs: list[Run] = field(default_factory=list)
    output_bytes: int = 0


Results = Mapping[str, Series]


def measure(bindings: Sequence[Binding], rounds: int, label: str) -> Results:
    """Compile each binding in turn, `rounds` times; a binding that fails is left out from then on."""
    pins = cores()
    plan = [(each.name, each, pins[-1:]) for each in bindings]
    plan += [(TWO_CORES, each, pins[-2:]) for each in bindings if each.name == OURS and len(pins) > 1]
    found = {name: Series() for name, _, _ in plan}
    for number in range(rounds):
        for name, binding, pinned in alternate(plan, number):
            progress(f"{label}, round {number + 1}/{rounds}: {name}")
            command = ["taskset", "-c", ",".join(map(str, pinned)), *binding.command, *binding.again]
            try:
                found[name].runs.append(run(command))
            except RunFailed as failure:
                print(f"not available: {name}: {failure}")
                plan = [each for each in plan if each[0] != name]
                continue
            found[name].output_bytes = binding.output.stat().st_size
    progress("")
    return {name: series for name, series in found.items() if len(series.runs) == rounds}


def ratio(results: Results, above: str, below: str) -> Summary | None:
    """By processor time, which a busy machine hardly changes; two cores by the clock, as that is what they save."""
    if above not in results or below not in results:
        return None
    clock = above == TWO_CORES
    taken = [one.seconds if clock else one.processor_seconds for one in results[above].runs]
    return ratios(taken, [one.processor_seconds for one in results[below].runs])


def rows(results: Results) -> list[list[str]]:
    found = []
    for name, series in results.items():
        against = ratio(results, name, NANOBIND)
        found.append(
            [
                name,
                summarize([one.processor_seconds for one in series.runs]).text(seconds),
                seconds(summarize([one.seconds for one in series.runs]).median),
                f"{against.median:.2f}x" if against else "-",
                megabytes(max(one.peak_bytes for one in series.runs)),
                megabytes(series.output_bytes),
            ]
        )
    return found


def wanted(results: Results) -> list[Wanted]:
    return [
        Wanted("300 functions and methods, cpython alone, against nanobind", 1.5, ratio(results, OURS, NANOBIND)),
        Wanted(f"the same, against {NANOBIND_ALONE}", 1.5, ratio(results, OURS, NANOBIND_ALONE)),
        Wanted("the same, against pybind11", 0.4, ratio(results, OURS, PYBIND11)),
        Wanted(
            "the same, two cores by the clock against one core's processor time",
            1 / 1.6,
            ratio(results, TWO_CORES, OURS),
        ),
    ]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Time compiling a made-up library's bindings.")
    parser.add_argument("--sizes", type=int, nargs="+", default=[30, 300], help="how many functions, and methods")
    parser.add_argument("--rounds", type=int, default=3, help="how often each is compiled")
    parser.add_argument("--short", action="store_true", help="one round, for a quick look")
    parser.add_argument("--json", type=Path, help="write every single run to this file")
    parser.add_argument("--no-install", action="store_true", help="compare only with peers that are already there")
    options = parser.parse_args()
    if options.short:
        options.rounds = 1
    if min(options.rounds, *options.sizes) < 1:
        parser.error("rounds and sizes start at 1")
    return options


def main() -> None:
    options = arguments()
    candidates = contenders(install=not options.no_install)
    missing = [each for each in candidates if isinstance(each, Missing)]
    facts = {**machine(), **described([each for each in candidates if not isinstance(each, Missing)])}
    if missing:
        print(*(f"not available: {gone.name}: {gone.why}" for gone in missing), sep="\n")
        return
    parts, results, data = [NOTES.format(spread=SPREAD, flags=" ".join(FLAGS))], {}, {}
    for size in sorted(set(options.sizes)):
        folder = FOLDER / str(size)
        shutil.rmtree(folder, ignore_errors=True)
        try:
            results[size] = measure(write(Library(size, size), folder), options.rounds, f"{size} functions")
        except BuildFailed as failure:
            print(f"not available: {size} functions: {failure}")
            continue
        header = (
            f"{size} functions, {size} methods",
            "processor seconds",
            "by the clock",
            "against nanobind",
            "peak MB",
            "size MB",
        )
        parts.append(table(header, rows(results[size])))
        data[size] = {name: asdict(series) for name, series in results[size].items()}
    bounds = wanted(results.get(300, {}))
    write_json(options.json, facts, publish("Compiling", facts, parts, bounds), bounds, data)


if __name__ == "__main__":
    main()
