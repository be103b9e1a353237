"""What every benchmark needs: timed processes, medians and spread, tables, the machine; it knows no tool."""

from __future__ import annotations

import json
import os
import platform
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")

REPOSITORY = Path(__file__).resolve().parent.parent

ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
"""Without this shell's own settings: with `PYTHONDONTWRITEBYTECODE` every run would compile the checkout anew."""
ENVIRONMENT["CCACHE_DISABLE"] = (
    "1"  # it would keep what compiles to objects, as ours, and nothing of a peer's one command
)

# --- one run ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Run:
    """What one process took: seconds from start to exit, those of them on a processor, its largest resident set."""

    seconds: float
    peak_bytes: int
    processor_seconds: float


class RunFailed(Exception):
    """The process exited with an error, or could not be started; the message is its own last words."""


class OverLimit(Exception):
    """The process was stopped because it ran past the limit."""


def run(command: Sequence[str], *, limit: float = 600.0, **environment: str) -> Run:
    """Time one fresh process, and everything that it starts, in the repository's root, with these variables besides.

    The peak is that of the largest process among the command and the children it waited for (a driver's
    compiler). Linux counts in it the parent's memory up to `exec`, so a peak as small as this interpreter's
    own says no more than that.

    Raises:
        RunFailed: it could not be started, or its exit status isn't 0.
        OverLimit: it was still running after `limit` seconds.
    """
    with tempfile.TemporaryFile() as errors:
        start = time.perf_counter()
        try:
            process = subprocess.Popen(
                command,
                cwd=REPOSITORY,
                env={**ENVIRONMENT, **environment},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                process_group=0,
            )
        except OSError as error:
            raise RunFailed(str(error)) from None
        timer = threading.Timer(limit, os.killpg, (process.pid, signal.SIGKILL))
        timer.start()
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        timer.cancel()
        # wait4 has reaped it: Popen must not wait for this number again, another process may have it by then.
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode == -signal.SIGKILL and seconds >= limit:
            raise OverLimit
        if process.returncode != 0:
            errors.seek(0)
            raise RunFailed(_last_words(errors.read().decode(errors="replace"), process.returncode))
    peak = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return Run(seconds, peak, usage.ru_utime + usage.ru_stime)


def _last_words(text: str, code: int) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:160] if lines else f"exit status {code}"


# --- rounds -------------------------------------------------------------------------------------------------


def alternate(items: Sequence[T], round_number: int) -> Sequence[T]:
    """The items in their order in even rounds and backwards in odd ones, so that none always runs first."""
    return items if round_number % 2 == 0 else items[::-1]


@dataclass(frozen=True, slots=True)
class Summary:
    """A median and its quartiles."""

    median: float
    low: float
    high: float

    def text(self, form: Callable[[float], str]) -> str:
        return f"{form(self.median)} [{form(self.low)} to {form(self.high)}]"


def summarize(values: Sequence[float]) -> Summary:
    """The median and the quartiles of one or more values."""
    if len(values) == 1:
        return Summary(values[0], values[0], values[0])
    low, median, high = statistics.quantiles(values, n=4, method="inclusive")
    return Summary(median, low, high)


def ratios(above: Sequence[float], below: Sequence[float]) -> Summary:
    """The ratio round by round, then its median: what slows a whole round down falls out."""
    return summarize([a / b for a, b in zip(above, below, strict=False)])


# --- what is wanted -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Wanted:
    """A bound on a ratio, or on what `unit` says, and what was measured.

    `censored`: the other was stopped at its limit.
    """

    what: str
    bound: float
    measured: Summary | None
    censored: bool = False
    unit: str = ""

    @property
    def held(self) -> str:
        """Yes or no by the median; in between, when only the spread reaches the bound."""
        if self.measured is None:
            return "not measured"
        if self.measured.median <= self.bound:
            return "yes"
        return "within the spread" if self.measured.low <= self.bound else "no"

    def row(self) -> list[str]:
        shown = "-" if self.measured is None else self.measured.text(self._text)
        return [self.what, f"≤ {self._text(self.bound)}", f"< {shown}" if self.censored else shown, self.held]

    def _text(self, value: float) -> str:
        return f"{value:.2f}{self.unit}" if self.unit else times(value)


SPREAD = "Median [quartiles] over the rounds; ratios are taken round by round."
WANTED_HEADER = ("what", "wanted", "measured", "held")

# --- text ---------------------------------------------------------------------------------------------------


def table(header: Sequence[str], rows: Iterable[Sequence[str]], texts: int = 1) -> str:
    """A Markdown table that reads as plain text too; the first `texts` columns aren't numbers."""
    lines = [list(header), *map(list, rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(header))]

    def place(cells: Sequence[str]) -> str:
        padded = (c.ljust(w) if i < texts else c.rjust(w) for i, (c, w) in enumerate(zip(cells, widths, strict=True)))
        return f"| {' | '.join(padded)} |"

    rule = "|".join("-" * (w + 1) + ("-" if i < texts else ":") for i, w in enumerate(widths))
    return "\n".join([place(lines[0]), f"|{rule}|", *map(place, lines[1:])])


def seconds(value: float) -> str:
    return f"{value:.3f}" if value < 10 else f"{value:.1f}"


def times(value: float) -> str:
    return f"{value:.2f}x" if value < 100 else f"{value:.0f}x"


def megabytes(value: float) -> str:
    return f"{value / 1e6:.1f}" if value >= 1e5 else f"{value / 1e6:.3f}"


def progress(text: str) -> None:
    """Show on one line of the terminal what runs now; an empty text wipes it."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def publish(title: str, facts: Mapping[str, str], parts: Sequence[str], wanted: Sequence[Wanted]) -> str:
    """Print the result of a benchmark; gives it back without the machine, for the page that has them all."""
    bounds = [table(WANTED_HEADER, [each.row() for each in wanted])] if wanted else []
    page = "\n\n".join([*parts, *bounds])
    print(f"## {title}", describe(facts), page, sep="\n\n")
    return page


def write_json(path: Path | None, facts: Mapping[str, str], page: str, wanted: Sequence[Wanted], data: object) -> None:
    """Write one benchmark's run to a file, where one is asked for."""
    if path is None:
        return
    held = [asdict(each) | {"held": each.held} for each in wanted]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"machine": facts, "page": page, "wanted": held, "data": data}, indent=1) + "\n")


# --- the machine --------------------------------------------------------------------------------------------


def machine() -> Mapping[str, str]:
    """What the figures depend on and can be told without naming the machine."""
    return {
        "processor": _processor(),
        "cores": str(len(cores())),
        "system": f"{platform.system()} {platform.machine()}",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "compiler": first_line(["g++", "--version"]) or "none",
    }


def cores() -> list[int]:
    """The cores that this process may run on."""
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else list(range(os.cpu_count() or 1))


def describe(facts: Mapping[str, str]) -> str:
    return "\n".join(f"- {name}: {value}" for name, value in facts.items())


def first_line(command: Sequence[str]) -> str:
    """The first line a command prints that isn't empty; nothing when it cannot be run."""
    try:
        printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return ""
    return next((line.strip() for line in printed.splitlines() if line.strip()), "")


def _processor() -> str:
    information = Path("/proc/cpuinfo")
    if information.exists():
        for line in information.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown"
