"""Imports the headers of eleven libraries, without answers and with those of tests/imports; exits 0 in any case.

python benchmarks/imports.py [NAME...] [--no-build] [--page docs/import.md]

For each library: the functions that are declared, those that a person or the language leaves out, the questions, the
share of the others that is written before any answer and with the answers, and the entries that compile.
"""

from __future__ import annotations

import argparse
import re
import statistics
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from common import REPOSITORY, progress, table

from wrapper_gen.drafts import imported
from wrapper_gen.drafts.answers import State
from wrapper_gen.drafts.imported import ImportOutcome
from wrapper_gen.drafts.report import Became
from wrapper_gen.drafts.report import Row as Reported
from wrapper_gen.headers import CFunction

ANSWERS = REPOSITORY / "tests" / "imports"
NO_CALLS = re.compile(
    r"deprecated|not exported by the library|C\+\+ has deleted it|it is not public|a copy|of .*(detail|internal).*"
    r"|Python has no operator (=|!|<<|->|\+\+|--) here|releases the object|it (starts|stops) the library|.* is abstract"
)
"""Why functions are left out that no package would have."""
BEGIN, END = "<!-- table of benchmarks/imports.py -->", "<!-- end of the table -->"


class Row(NamedTuple):
    """What was found of one library."""

    name: str
    declared: int
    wanted: int
    asked: int
    open: int
    by_hand: int
    """Functions whose entries a person has to write, since no answer decides them."""
    before: float
    after: float
    entries: int
    compile: int | None
    """None where nothing was compiled."""


def main() -> None:
    """Measure, and print the table or write it into a page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="libraries (default: all)")
    parser.add_argument("--no-build", action="store_true", help="compile nothing")
    parser.add_argument("--page", type=Path, help="a page that has the table")
    chosen = parser.parse_args()
    if chosen.page and chosen.no_build:
        parser.error("the table of a page says what compiles: leave --no-build out")
    names = chosen.names or sorted(path.stem for path in ANSWERS.glob("*.import"))
    rows = [measured(name, builds=not chosen.no_build) for name in names]
    text = shown(rows)
    if chosen.page:
        page = chosen.page.read_text(encoding="utf-8")
        before, _, rest = page.partition(BEGIN)
        chosen.page.write_text(f"{before}{BEGIN}\n{text}\n{END}{rest.partition(END)[2]}", encoding="utf-8")
    else:
        print(text)


def measured(name: str, *, builds: bool) -> Row:
    """Import one library twice."""
    progress(f"{name}…")
    answers = (ANSWERS / f"{name}.import").read_text(encoding="utf-8")
    options = next(line for line in answers.splitlines() if line.startswith("import:"))
    first = run(name, options + "\n", builds=False)
    second = run(name, answers, builds=builds)
    wanted = [row for row in first.rows if isinstance(row.declaration, CFunction) and not _is_no_call(row.why)]
    after = [row for row in second.rows if isinstance(row.declaration, CFunction) and not _is_no_call(row.why)]
    left = [row for row in after if row.word is Became.LEFT_OUT and _is_by_answer(row.why, answers)]
    counted = [row for row in after if row not in left]
    questions = [each for each in first.asked if each.state in (State.PROPOSED, State.OPEN) and each.group != "entries"]
    by_hand = sum(row.question.startswith("entries/") for row in counted)
    functions = [row for row in first.rows if isinstance(row.declaration, CFunction)]
    open_ = sum(each.state is State.OPEN for each in questions)
    entries = _entries(second)
    off = len({key for key in second.off if key})
    return Row(
        name,
        len(functions),
        len(wanted),
        len(questions),
        open_,
        by_hand,
        _share(wanted),
        _share(counted),
        entries + off,
        entries if builds else None,
    )


def run(name: str, answers: str, *, builds: bool) -> ImportOutcome:
    """One import, in a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="wrapper-gen-") as folder:
        (Path(folder) / f"{name}.import").write_text(answers, encoding="utf-8")
        return imported.import_(name, Path(folder), {}, builds=builds, report=lambda _: None)


def shown(rows: Sequence[Row]) -> str:
    """The table, and its medians."""
    header = (
        "library",
        "functions",
        "wanted",
        "questions (open)",
        "to write by hand",
        "written before",
        "with answers",
        "entries that compile",
    )
    lines = [
        (
            each.name,
            str(each.declared),
            str(each.wanted),
            f"{each.asked} ({each.open})",
            str(each.by_hand),
            f"{each.before:.0%}",
            f"{each.after:.0%}",
            f"{each.entries}, not tried" if each.compile is None else f"{each.compile} of {each.entries}",
        )
        for each in rows
    ]
    asked = statistics.median(100 * each.asked / each.wanted for each in rows)
    found = f"Questions for 100 functions, the median: {asked:.0f}."
    compiled = [each.compile for each in rows if each.compile is not None]
    if compiled:
        found += f" Entries that compile: {sum(compiled) / max(1, sum(each.entries for each in rows)):.1%}."
    return f"{table(header, lines)}\n\n{found}"


def _is_no_call(why: str) -> bool:
    return NO_CALLS.fullmatch(why) is not None


def _is_by_answer(why: str, answers: str) -> bool:
    named = re.fullmatch(r"(?:of )?(\S+?)(?: is left out|, which is .*)", why)
    if why.startswith("by the answer entries/"):
        return True
    if named and re.search(rf"^  {re.escape(named[1])}: skip", answers, re.MULTILINE):
        return True
    leave = answers.partition("leave:")[2].partition("\nstatuses:")[0].partition("\nrecords:")[0]
    return bool(why) and why in leave


def _share(rows: Sequence[Reported]) -> float:
    words = [row.word for row in rows if row.word is not Became.FOLLOWS]
    return sum(word in (Became.WRITTEN, Became.GUESSED) for word in words) / max(1, len(words))


def _entries(outcome: ImportOutcome) -> int:
    written: Mapping[str, str] = outcome.entries
    return len(written)


if __name__ == "__main__":
    main()
