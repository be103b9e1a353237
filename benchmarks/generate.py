"""Measures generation in fresh processes, beside SWIG, Shroud and litgen; whatever the figures, it exits 0.

python benchmarks/generate.py [--sizes 10 100 …] [--rounds 7] [--limit 60] [--json FILE] [--no-install]
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from common import (
    REPOSITORY,
    SPREAD,
    OverLimit,
    Run,
    RunFailed,
    Summary,
    Wanted,
    alternate,
    machine,
    megabytes,
    progress,
    publish,
    ratios,
    run,
    seconds,
    summarize,
    table,
    times,
    write_json,
)
from made_up import write_all
from peers import Generator, Missing, generate, ours, peers

SIZES = (10, 100, 1_000, 10_000)
SMALL, LARGE = 1_000, 10_000
"""The two sizes between which the time per function is compared."""

BOUNDS_OF_SWIG = {SMALL: 0.45, LARGE: 3.0}
"""Of its time, which grows less than ours and most others'."""
MEMORY = Path("/dev/shm")
"""Rounds delete what they made, and for minutes after that ext4 takes half a millisecond to make a file."""

OWN = "wrapper-gen"
BARE = 'python -c "import click, jinja2, yaml, jsonschema"'
FRESH = "generate, nothing there yet"
UNCHANGED = "generate, nothing to change"
CHECK = "check, nothing to change"
SHORT_ROUNDS = 3
"""The commands on the project's own specs are short: so many times more rounds steady them."""


@dataclass
class Series:
    """All runs of one command: either runs alone, or why there are no more."""

    runs: list[Run] = field(default_factory=list)
    failure: str = ""
    stopped_after: float = 0.0
    output_bytes: int = 0

    @property
    def done(self) -> bool:
        return bool(self.failure or self.stopped_after)

    @property
    def seconds(self) -> list[float]:
        """On a processor: what else the machine does counts for none."""
        return [one.processor_seconds for one in self.runs]

    def add(self, command: Sequence[str], limit: float) -> None:
        """One more run, unless an earlier one failed or ran past the limit."""
        if self.done:
            return
        try:
            self.runs.append(run(command, limit=limit))
        except RunFailed as failure:
            self.failure = str(failure)
        except OverLimit:
            self.stopped_after = limit


Results = Mapping[int, Mapping[str, Series]]

# --- measuring ----------------------------------------------------------------------------------------------


def measure_generation(
    contenders: Sequence[Generator], sizes: Sequence[int], rounds: int, limit: float, work: Path
) -> Results:
    """Time every contender at every size, interleaved; each run starts from an empty output folder."""
    results = {size: {contender.name: Series() for contender in contenders} for size in sizes}
    for size in sizes:
        folder = work / str(size)
        folder.mkdir()
        write_all(size, folder)
    for contender in contenders:  # once unmeasured: byte code, file cache
        _generate_once(contender, work / str(sizes[0]), Series(), limit)
    for round_number in range(rounds):
        for size in sizes:
            for contender in alternate(contenders, round_number):
                progress(f"round {round_number + 1}/{rounds}: {size} functions, {contender.name}")
                _generate_once(contender, work / str(size), results[size][contender.name], limit)
    return results


def _generate_once(contender: Generator, inputs: Path, series: Series, limit: float) -> None:
    output = inputs / "output"
    output.mkdir()
    series.add(contender.command(inputs, output), limit)
    if not series.done:
        series.output_bytes = sum(file.stat().st_size for file in output.rglob("*") if file.is_file())
        if not series.output_bytes:
            series.failure = "it wrote nothing"
    shutil.rmtree(output)


def measure_own_specs(rounds: int, limit: float, work: Path) -> Mapping[str, Series]:
    """Time our command on the project's own specs against the bare import of what it stands on."""
    specs = sorted((REPOSITORY / "specs").glob("*.wrapper_spec"))
    if not specs:
        return {}
    # The spec's path in the output is relative to the folder that holds the output folder.
    fresh, kept = work / "fresh" / "generated", work / "kept" / "generated"
    for folder in (fresh, kept):
        folder.parent.mkdir()
    commands = [
        (BARE, [sys.executable, "-c", "import click, jinja2, yaml, jsonschema"]),
        (FRESH, generate(specs, fresh)),
        (UNCHANGED, generate(specs, kept)),
        (CHECK, generate(specs, kept, "check")),
    ]
    series = {name: Series() for name, _ in commands}
    Series().add(generate(specs, kept), limit)
    for round_number in range(rounds * SHORT_ROUNDS):
        progress(f"round {round_number + 1}/{rounds * SHORT_ROUNDS}: the project's own specs")
        for name, command in alternate(commands, round_number):
            series[name].add(command, limit)
            shutil.rmtree(fresh, ignore_errors=True)
    return series


# --- judging ------------------------------------------------------------------------------------------------


def per_function_growth(at: Mapping[int, Series], base: Series | None = None) -> Summary | None:
    """Time per function at the large size over that at the small one, less the start-up that `base` shows."""
    if not (SMALL in at and LARGE in at and at[SMALL].runs and at[LARGE].runs):
        return None
    start_up = base.seconds if base else [0.0] * len(at[LARGE].runs)
    grown = [
        (large - start) / (small - start) * SMALL / LARGE
        for small, large, start in zip(at[SMALL].seconds, at[LARGE].seconds, start_up, strict=False)
    ]
    return summarize(grown)


def wanted_of_generation(results: Results, names: Sequence[str]) -> list[Wanted]:
    """The bounds against the peers, and on the growth."""
    found = []
    for size in results:
        for name in names:
            bound = BOUNDS_OF_SWIG.get(size) if name.startswith("SWIG") else 1.0
            if name != OWN and bound is not None:
                measured, censored = _against(results[size][OWN], results[size][name])
                found.append(Wanted(f"time of {name} at {size:,} functions", bound, measured, censored))
    own = {size: results[size][OWN] for size in results}
    smallest = own[min(own)]
    what = f"time per function at {LARGE:,} against {SMALL:,}"
    found.append(Wanted(what, 1.2, per_function_growth(own)))
    if min(own) < SMALL:
        found.append(Wanted(f"{what}, without start-up", 1.2, per_function_growth(own, smallest)))
    return found


def _against(own: Series, peer: Series) -> tuple[Summary | None, bool]:
    """Our time over the peer's; over the limit at which the peer was stopped, the ratio is an upper bound."""
    if not own.runs:
        return None, False
    if peer.stopped_after:
        return ratios(own.seconds, [peer.stopped_after] * len(own.runs)), True
    return (ratios(own.seconds, peer.seconds) if peer.runs else None), False


def wanted_of_own_specs(series: Mapping[str, Series]) -> list[Wanted]:
    def ratio(above: str, below: str) -> Summary | None:
        usable = series and series[above].runs and series[below].runs
        return ratios(series[above].seconds, series[below].seconds) if usable else None

    return [
        Wanted("generate on the project's specs against the bare import", 2.0, ratio(FRESH, BARE)),
        Wanted("check against generate, nothing to change", 1.0, ratio(CHECK, UNCHANGED)),
    ]


# --- showing ------------------------------------------------------------------------------------------------


def generation_table(results: Results, names: Sequence[str]) -> str:
    """One row a size and contender; the growth compares the time per function at the two large sizes."""
    rows = []
    for size in results:
        for name in names:
            growth = per_function_growth({s: results[s][name] for s in results}) if size == LARGE else None
            rows.append([f"{size:,}", name, *_cells(results[size][name], results[size][OWN], size, growth)])
    header = (
        "functions",
        "generator",
        "processor seconds",
        "times ours",
        "µs a function",
        "growth",
        "peak MB",
        "output MB",
    )
    return table(header, rows, texts=2)


def _cells(series: Series, own: Series, size: int, growth: Summary | None) -> list[str]:
    if series.failure:
        return ["not available", *[""] * 5]
    if series.stopped_after:
        least = f"> {times(series.stopped_after / summarize(own.seconds).median)}" if own.runs else "-"
        return [f"> {series.stopped_after:.0f}, stopped", least, *[""] * 4]
    summary = summarize(series.seconds)
    return [
        summary.text(seconds),
        ratios(series.seconds, own.seconds).text(times) if own.runs else "-",
        f"{summary.median / size * 1e6:.0f}",
        growth.text(times) if growth else "",
        megabytes(max(one.peak_bytes for one in series.runs)),
        megabytes(series.output_bytes),
    ]


def not_available(results: Results, own: Mapping[str, Series], missing: Sequence[Missing]) -> str:
    """Everything that could not be measured, each with its reason."""
    reasons = [f"{gone.name}: {gone.why}" for gone in missing]
    for size, row in results.items():
        reasons += [f"{name} at {size:,} functions: {one.failure}" for name, one in row.items() if one.failure]
    reasons += [f"{name}: {one.failure}" for name, one in own.items() if one.failure]
    return "".join(f"\nnot available: {reason}" for reason in reasons)


def own_specs_table(series: Mapping[str, Series]) -> str:
    """One row a command, against the bare import."""
    rows = []
    for name, one in series.items():
        if not one.runs:
            rows.append([name, "not available", "", ""])
            continue
        bare = ratios(one.seconds, series[BARE].seconds).text(times) if series[BARE].runs else "-"
        peak = megabytes(max(each.peak_bytes for each in one.runs))
        rows.append([name, summarize(one.seconds).text(seconds), bare, peak])
    return table(("command", "processor seconds", "times the bare import", "peak MB"), rows)


# --- the command --------------------------------------------------------------------------------------------


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Time wrapper-gen beside SWIG, Shroud and litgen.")
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES), help="how many functions")
    parser.add_argument("--rounds", type=int, default=7, help="how often each command runs at each size")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds after which a run is stopped")
    parser.add_argument("--json", type=Path, help="write every single run to this file")
    parser.add_argument("--no-install", action="store_true", help="compare only with peers that are already there")
    options = parser.parse_args()
    if options.rounds < 1 or min(options.sizes) < 1:
        parser.error("rounds and sizes start at 1")
    return options


def main() -> None:
    options = arguments()
    candidates = peers(install=not options.no_install)
    contenders = [ours(), *(peer for peer in candidates if isinstance(peer, Generator))]
    missing = [peer for peer in candidates if isinstance(peer, Missing)]
    names = [contender.name for contender in contenders]
    with tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as folder:
        sizes = sorted(set(options.sizes))
        results = measure_generation(contenders, sizes, options.rounds, options.limit, Path(folder))
        own = measure_own_specs(options.rounds, options.limit, Path(folder))
    progress("")
    facts = machine()
    wanted = [*wanted_of_generation(results, names), *wanted_of_own_specs(own)]
    parts = [SPREAD, generation_table(results, names), "The project's own specs:", own_specs_table(own)]
    page = publish("Generation", facts, [*parts, "The time of wrapper-gen against …"], wanted)
    print(not_available(results, own, missing))
    data = {
        "generation": {size: {name: asdict(one) for name, one in row.items()} for size, row in results.items()},
        "own_specs": {name: asdict(one) for name, one in own.items()},
        "missing": [asdict(one) for one in missing],
    }
    write_json(options.json, facts, page, wanted, data)


if __name__ == "__main__":
    main()
