"""Counts calls in threads, ours beside nanobind's and pybind11's; whatever the figures, it exits 0.

python benchmarks/threads.py [--rounds 7] [--short] [--json FILE] [--no-install]
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from common import (
    ENVIRONMENT,
    REPOSITORY,
    SPREAD,
    Wanted,
    alternate,
    machine,
    progress,
    publish,
    ratios,
    summarize,
    table,
    times,
    write_json,
)
from contenders import (
    NANOBIND,
    OURS,
    OURS_CFFI,
    PYBIND11,
    PYTHON,
    BuildFailed,
    contenders,
    described,
    execute,
    extension,
    package_folder,
)
from peers import Missing
from threads_process import THREADS

FOLDER = REPOSITORY / "build" / "benchmarks" / "threads"
SOURCES = REPOSITORY / "benchmarks" / "waiting"
MODULES = {
    OURS: "waiting_ffi",
    OURS_CFFI: "waiting_ffi",
    NANOBIND: "waiting_nanobind",
    PYBIND11: "waiting_pybind11",
}
ENGINES = {OURS: "cpython", OURS_CFFI: "cffi"}

NOTES = """\
{spread} Each round is a fresh process a contender. A short call adds two ints; it is made in one thread, first alone,
then beside a thread that runs Python without a pause, then in 1 to 8 threads together. They take turns with the GIL, so
1.00x is all that can be had, and half is a fair share beside a busy thread; a second is one of the process's processor
time, which other work on the machine hardly changes. A blocking call waits a millisecond, and each tool is told so in
its own way: `blocking: true`, `gil_scoped_release`; a second is one by the clock."""

Rates = Mapping[str, Mapping[str, Sequence[float]]]
"""By contender and measurement: calls a second, one figure a round."""


def build() -> None:
    """Compile all, where that is needed.

    Raises:
        BuildFailed: a generator or the compiler failed.
    """
    FOLDER.mkdir(parents=True, exist_ok=True)
    execute([sys.executable, "-m", "wrapper_gen", str(SOURCES / "waiting.wrapper_spec"), "-o", str(FOLDER)])
    execute([str(PYTHON), str(FOLDER / "waiting_ffi" / "ffi_build.py"), "--engine", "both"])
    own = package_folder("nanobind")
    flags = [f"-I{own / 'include'}", f"-I{own / 'ext' / 'robin_map' / 'include'}", "-fno-strict-aliasing"]
    core = own / "src" / "nb_combined.cpp"
    extension(FOLDER, "waiting_nanobind", [SOURCES / "waiting_nanobind.cpp", core], flags)
    flags = [f"-I{package_folder('pybind11') / 'include'}"]
    extension(FOLDER, "waiting_pybind11", [SOURCES / "waiting_pybind11.cpp"], flags)


def measure(rounds: int, seconds: float) -> Rates:
    found: dict[str, dict[str, list[float]]] = {name: {} for name in MODULES}
    program = REPOSITORY / "benchmarks" / "threads_process.py"
    for number in range(rounds):
        for name, module in alternate(list(MODULES.items()), number):
            progress(f"round {number + 1}/{rounds}: {name}")
            environment = {**ENVIRONMENT, "WRAPPER_GEN_ENGINE": ENGINES.get(name, "")}
            command = [str(PYTHON), str(program), str(FOLDER), module, str(seconds)]
            done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
            for what, rate in json.loads(done.stdout).items():
                found[name].setdefault(what, []).append(rate)
    progress("")
    return found


def share_rows(rates: Rates) -> list[list[str]]:
    """One row a contender: the lone rate, and what is left of it beside the busy thread."""
    found = []
    for name, row in rates.items():
        share = ratios(row["beside"], row["short 1"])
        found.append([name, millions(summarize(row["short 1"]).median), share.text("{:.1%}".format)])
    return found


def thread_rows(rates: Rates, kind: str, form: Callable[[float], str]) -> list[list[str]]:
    """One row a contender: the rate of one thread, then that of several against it."""
    found = []
    for name, row in rates.items():
        alone = row[f"{kind} 1"]
        several = [ratios(row[f"{kind} {threads}"], alone).text(times) for threads in THREADS[1:]]
        found.append([name, form(summarize(alone).median), *several])
    return found


def millions(value: float) -> str:
    return f"{value / 1e6:.2f} M"


def rounded(value: float) -> str:
    return f"{value:.0f}"


def wanted(rates: Rates) -> list[Wanted]:
    """As bounds from above: the lone rate against what is left of it."""
    lost = ratios(rates[OURS]["short 1"], rates[OURS]["beside"])
    return [Wanted("cpython, lone rate against beside a busy thread (keeps 40 %)", 1 / 0.4, lost)]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Count calls in threads.")
    parser.add_argument("--rounds", type=int, default=7, help="fresh processes a contender")
    parser.add_argument("--short", action="store_true", help="3 rounds, for a quick look")
    parser.add_argument("--json", type=Path, help="write every single rate to this file")
    parser.add_argument("--no-install", action="store_true", help="compare only with peers that are already there")
    options = parser.parse_args()
    if options.short:
        options.rounds = 3
    if options.rounds < 1:
        parser.error("rounds start at 1")
    return options


def main() -> None:
    options = arguments()
    candidates = contenders(install=not options.no_install)
    facts = {**machine(), **described([each for each in candidates if not isinstance(each, Missing)])}
    try:
        build()
        rates = measure(options.rounds, 0.3)
    except (BuildFailed, subprocess.CalledProcessError) as failure:
        print(f"not available: {failure}")
        return
    several = [f"{threads} threads" for threads in THREADS[1:]]
    parts = [
        NOTES.format(spread=SPREAD),
        table(("short calls, one thread", "calls a second", "share kept beside a busy thread"), share_rows(rates)),
        table(("short calls, all together", "one thread", *several), thread_rows(rates, "short", millions)),
        table(
            ("blocking calls, all together", "one thread", *several), thread_rows(rates, "blocking", "{:.0f}".format)
        ),
    ]
    bounds = wanted(rates)
    write_json(options.json, facts, publish("Threads", facts, parts, bounds), bounds, rates)


if __name__ == "__main__":
    main()
