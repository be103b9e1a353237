"""Counts what `wrapper-gen migrate` leaves to a person, over every spec that the repository has and had.

python benchmarks/migration.py [FOLDER …] [--last N] [--json FILE]

Each different text of a spec in the history of the folders (without any: specs, examples, tests/cases) is migrated
beside the headers of that time, and read before and after: both have to come to the same module. Printed are the
questions that are left by their reason, and one place of each; the texts that cannot be read; and those whose meaning
would change. Texts of one spec that ask the same ask it once: of such questions there may be `MOST`, more are an error.
"""

from __future__ import annotations

import argparse
import io
import json
import re
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from common import REPOSITORY, table

from wrapper_gen import dump
from wrapper_gen.diagnostics import Diagnostic, SpecError
from wrapper_gen.pipeline import read
from wrapper_gen.spec.former.migrate import migrate

FOLDERS = ("specs", "examples", "tests/cases")
MOST = 5
"""Different questions of all specs together."""
_NAMED = re.compile(r"'[^']*'")
_PLACES = {"span", "places", "line", "column", "literal", "spec", "unsaid_owner", "not_ours"}
"""What a layout decides, and what only the original format leaves unsaid."""


@dataclass(frozen=True)
class Text:
    """One text that a spec had."""

    commit: str
    path: str
    blob: str


@dataclass
class Result:
    """What becomes of all texts."""

    texts: int = 0
    changed: int = 0
    questions: list[tuple[str, str]] = field(default_factory=list)
    """The path, with the commit, and the reason."""
    unreadable: list[tuple[str, str]] = field(default_factory=list)
    wrong: list[tuple[str, str]] = field(default_factory=list)
    """What is wrong with those that are read, but for the questions."""
    different: list[str] = field(default_factory=list)

    def asked(self) -> int:
        """Questions, of which all texts of a spec together ask each once."""
        return len({(shown.partition("@")[0], text) for shown, text in self.questions})

    def reasons(self) -> Counter[str]:
        return Counter(reason_of(text) for _, text in self.questions)


def reason_of(text: str) -> str:
    """A question without the names and the code of its place."""
    return _NAMED.sub("…", text).partition("; without that it is")[0]


def history(folders: Sequence[str], repository: Path = REPOSITORY) -> list[Text]:
    """Each different text of a spec, the latest first, with a commit that has it."""
    command = ["git", "-C", str(repository), "log", "--format=%x00%H", "--raw", "--no-abbrev", "--diff-filter=AMR"]
    out = subprocess.run([*command, "--", *folders], check=True, capture_output=True, text=True).stdout
    found: dict[str, Text] = {}
    commit = ""
    for line in out.splitlines():
        if line.startswith("\0"):
            commit = line[1:]
        elif line.startswith(":") and line.endswith(".wrapper_spec"):
            about, *paths = line.split("\t")
            blob = about.split()[3]
            found.setdefault(blob, Text(commit, paths[-1], blob))
    return list(found.values())


def migrated(texts: Sequence[Text], repository: Path = REPOSITORY) -> Result:
    """Migrate each, where it stood."""
    result = Result()
    for text in texts:
        with tempfile.TemporaryDirectory() as folder:
            _export(text, Path(folder), repository)
            _migrate(text, Path(folder) / text.path, result)
    return result


def _export(text: Text, into: Path, repository: Path) -> None:
    """The folder of a spec at that time, and the C++ that our own specs compile in."""
    for folder in (str(PurePosixPath(text.path).parent), *(["runtimes", "native"] * text.path.startswith("specs/"))):
        command = ["git", "-C", str(repository), "archive", text.commit, folder]
        made = subprocess.run(command, check=False, capture_output=True)
        if made.returncode == 0:
            with tarfile.open(fileobj=io.BytesIO(made.stdout)) as archive:
                archive.extractall(into, filter="data")


def _migrate(text: Text, path: Path, result: Result) -> None:
    shown = f"{text.path}@{text.commit[:9]}"
    result.texts += 1
    module, mistakes = _meaning(path)
    try:
        done = migrate(path, text.path)
    except SpecError as error:
        result.unreadable.append((shown, error.diagnostics[0].code))
        return
    result.changed += done.after != done.before
    result.questions += [(shown, reason) for reason in done.undecided]
    path.write_text(done.after, encoding="utf-8", newline="")
    if done.undecided:
        return
    if mistakes and module is None:
        result.wrong.append((shown, ", ".join(sorted(set(mistakes)))))
    if _meaning(path) != (module, mistakes):
        result.different.append(shown)


def _meaning(path: Path) -> tuple[Any, list[str]]:
    """The module of a spec without places, None where it has none, and the codes of what is found in it."""
    try:
        module, findings = read(path, path.name)
    except SpecError as error:
        return None, _codes(error.diagnostics)
    return _without_places(dump.plain(module)), _codes(findings)


def _codes(findings: Iterable[Diagnostic]) -> list[str]:
    return sorted(each.code for each in findings if each.code != "WG290")


def _without_places(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_places(each) for key, each in value.items() if key not in _PLACES}
    return [_without_places(each) for each in value] if isinstance(value, list) else value


def report(result: Result) -> str:
    """What a person reads."""
    lines = [
        f"{result.texts} texts, of which {result.changed} change",
        f"{len(result.questions)} questions, {result.asked()} of them different",
        f"{len(result.unreadable)} are no YAML, {len(result.wrong)} have mistakes besides",
        f"{len(result.different)} would mean something else",
    ]
    if result.questions:
        first = {reason_of(reason): shown for shown, reason in reversed(result.questions)}
        rows = [(reason, first[reason], str(number)) for reason, number in result.reasons().most_common()]
        lines.append(table(("reason", "for example", "questions"), rows, texts=2))
    lines += [f"another meaning: {each}" for each in result.different]
    lines += [f"has mistakes: {shown} ({codes})" for shown, codes in result.wrong]
    lines += [f"cannot be read: {shown} ({code})" for shown, code in result.unreadable]
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folders", nargs="*", default=FOLDERS)
    parser.add_argument("--last", type=int, help="only so many texts, the latest")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args(arguments)
    result = migrated(history(options.folders)[: options.last])
    print(report(result))
    if options.json:
        options.json.write_text(json.dumps(asdict(result), indent=1) + "\n", encoding="utf-8")
    return int(bool(result.different) or result.asked() > MOST)


if __name__ == "__main__":
    sys.exit(main())
