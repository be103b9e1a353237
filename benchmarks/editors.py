"""Times the answers of `wrapper-gen lsp` about a spec of 200 entries, from the question to the answer.

python benchmarks/editors.py [--entries 200] [--rounds 30] [--json FILE]

One server is asked in turn what an editor asks while one types: `tests/lsp` asks the same. `diagnostics` are all
findings of a changed text. The first round, in which the server reads what it keeps, is not counted. `reading` is what
`wrapper-gen validate` does with the spec in a process that runs already: the same work without a server. The time on a
processor is the mean of all rounds; other programs do not change it, as they change the time until an answer.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any

from common import REPOSITORY, Wanted, machine, progress, publish, summarize, table, write_json

from wrapper_gen.lsp.findings import findings

sys.path.append(str(REPOSITORY))  # for the client of the tests

from tests.language_servers import Document, LanguageServer
from tests.lsp.large_spec import large, processor_time, questions

COMMAND = [sys.executable, "-m", "wrapper_gen", "lsp"]
BOUND = 100.0
"""Milliseconds, of every answer."""
READING = "reading"


@dataclass
class Taken:
    """Milliseconds of one question, round by round: until the answer, and on a processor."""

    answers: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)


def measure(entries: int, rounds: int, folder: Path) -> Mapping[str, Taken]:
    """What each question takes, and reading the spec."""
    text = large(entries)
    spec = folder / "read.wrapper_spec"
    spec.write_text(text, encoding="utf-8")
    server = LanguageServer(COMMAND, folder)
    try:
        document = Document(server, folder / "asked.wrapper_spec", text, "yaml")
        assert document.diagnostics() == []
        asked: dict[str, Callable[[], Any]] = {**questions(document), READING: lambda: findings(spec, {})}
        taken = {name: Taken() for name in asked}
        for number in range(rounds + 1):
            progress(f"round {number} of {rounds}")
            for name, ask in asked.items():
                used = time.process_time if name == READING else partial(processor_time, server.process.pid)
                start, begun = time.perf_counter(), used()
                ask()
                if number:
                    taken[name].answers.append(1000 * (time.perf_counter() - start))
                    taken[name].processor.append(1000 * (used() - begun))
    finally:
        server.kill()
        progress("")
    return taken


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--entries", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        taken = measure(options.entries, options.rounds, Path(folder).resolve())
    summaries = {name: summarize(each.answers) for name, each in taken.items()}
    figures = [(name, each.median, each.high, fmean(taken[name].processor)) for name, each in summaries.items()]
    rows = [(name, *(f"{value:.1f}" for value in values)) for name, *values in figures]
    shown = table(("milliseconds", "until the answer", "upper quartile", "on a processor"), rows)
    wanted = [Wanted(name, BOUND, each, unit=" ms") for name, each in summaries.items() if name != READING]
    facts = machine()
    page = publish(f"Answers about {options.entries} entries", facts, [shown], wanted)
    write_json(options.json, facts, page, wanted, {name: asdict(each) for name, each in taken.items()})


if __name__ == "__main__":
    main()
