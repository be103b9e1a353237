"""Draws entries of drafts by lot, and compares them with those of `judged.yaml`, which a person read.

python -m tests.imports.judged [LIBRARY...]

prints each entry that is drawn and that nobody has judged as it stands, with its declaration and the header's comment.
A lot is a hash of the library and the declaration: one entry that comes or goes changes one lot.
"""

from __future__ import annotations

import argparse
import hashlib
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import yaml

from wrapper_gen.drafts import imported
from wrapper_gen.drafts.imported import ImportOutcome
from wrapper_gen.drafts.spec_text import entry_lines
from wrapper_gen.frozen import replace
from wrapper_gen.headers import CFunction

ANSWERS = Path(__file__).parent
JUDGED = ANSWERS / "judged.yaml"
SEED = 32
EACH = 20
"""How many entries of a library are drawn."""


class DrawnEntry(NamedTuple):
    """An entry as a draft has it, without its documentation."""

    function: CFunction
    text: str
    marks: str


def judged() -> Mapping[str, Mapping[str, object]]:
    """By library: the version that was read, and the verdicts by declaration."""
    found: Mapping[str, Mapping[str, object]] = yaml.safe_load(JUDGED.read_text(encoding="utf-8"))
    return found


def drafted(library: str) -> ImportOutcome:
    """The draft of a library with its answers, as the reader of specs takes it."""
    with tempfile.TemporaryDirectory(prefix="wrapper-gen-") as folder:
        answers = (ANSWERS / f"{library}.import").read_text(encoding="utf-8")
        (Path(folder) / f"{library}.import").write_text(answers, encoding="utf-8")
        return imported.import_(library, Path(folder), {}, builds=False, report=lambda _: None)


def version_of(outcome: ImportOutcome, macro: str) -> str:
    """What a macro of the headers says of their version."""
    found = outcome.imported.headers.constants.get(macro)
    return str(found.value) if found is not None else ""


def drawn(library: str, outcome: ImportOutcome) -> Sequence[DrawnEntry]:
    """The entries of the lowest lots."""
    spec = outcome.imported.draft.spec
    entries = [*spec.functions, *(each for kind in spec.classes for each in kind.methods)]
    functions = {each.key: each for each in outcome.imported.headers.all_functions()}
    by_key = {each.key: each for each in entries if each.key in functions and each.key not in outcome.off}

    def lot(key: str) -> str:
        return hashlib.sha256(f"{SEED} {library} {key}".encode()).hexdigest()

    found = []
    for key in sorted(by_key, key=lot)[:EACH]:
        entry = by_key[key]
        plain = replace(entry, data={k: v for k, v in entry.data.items() if k not in ("doc", "params")}, notes=())
        text = " ".join(" ".join(each.split()) for each in entry_lines(plain, "")).removeprefix("- ")
        found.append(DrawnEntry(functions[key], text, "; ".join(entry.notes).removeprefix("guess: ")))
    return found


def main() -> None:
    """Print what has to be judged."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("libraries", nargs="*", help="default: all that are judged")
    known = judged()
    for library in parser.parse_args().libraries or known:
        entries = dict(known.get(library, {}).get("entries", {}))  # type: ignore[call-overload]
        for each in drawn(library, drafted(library)):
            said = entries.get(each.function.key, {})
            if (said.get("entry"), said.get("marks", "")) != (each.text, each.marks):
                print(f"{library}: {each.function.key}  ({each.function.place}: {each.function.signature})")
                print(f"  {each.text}\n  # {each.marks}")
                print(f"  {' '.join(each.function.doc.text.split())[:400]}\n")


if __name__ == "__main__":
    main()
