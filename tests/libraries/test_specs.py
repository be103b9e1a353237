"""How much the specs of the libraries take: entries, lines an entry, entries with code."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.libraries import library
from wrapper_gen import pipeline
from wrapper_gen.spec import read_document

_DOC = re.compile(r"\s*doc: .*")
_TOP = re.compile(r"(\w+):")


@dataclass(frozen=True)
class Counts:
    """Of one spec, without documentation and comments: lines of entries, of their types, and of C++ in the prelude."""

    entries: int
    with_code: int
    of_entries: int
    of_types: int
    of_prelude: int


def counts(spec: Path) -> Counts:
    module, _ = pipeline.read(spec, spec.name)
    with_code = sum(1 for each in _mappings(read_document(spec, spec.name).data) if _has_code(each))
    lines = Counter(_kinds(spec.read_text().splitlines()))
    return Counts(len(module.callables), with_code, lines["entry"], lines["type"], lines["prelude"])


def _mappings(data: object) -> Iterator[Mapping[str, object]]:
    """All mappings in a spec."""
    if isinstance(data, Mapping):
        yield data
    for each in data.values() if isinstance(data, Mapping) else data if isinstance(data, list) else ():
        yield from _mappings(each)


def _has_code(entry: Mapping[str, object]) -> bool:
    """Whether it is an entry with a lambda or a body."""
    lambdas = (str(entry.get(key, "")).lstrip().startswith("[") for key in ("cpp_fn", "cpp_method"))
    return "cpp_body" in entry or any(lambdas)


def _kinds(lines: Iterable[str]) -> Iterator[str]:
    """What each line is part of."""
    section, kind = "", "type"
    for line in lines:
        if top := _TOP.match(line):
            section, kind = top[1], "entry" if top[1] == "functions" else "type"
        elif line.startswith("  - name:"):
            kind = "type"  # the next handle type
        elif line.strip() in ("methods:", "properties:"):
            kind = "entry"
        elif line.strip() and not line.lstrip().startswith("#") and not _DOC.fullmatch(line):
            yield {"cpp_prelude": "prelude", "wrapper_lib": "library"}.get(section, kind)


@pytest.mark.parametrize("name", library.NAMES)
def test_entries_need_few_lines_and_hardly_any_code(name: str) -> None:
    found = counts(library.spec(name))
    print(f"{name}: {found}, {found.of_entries / found.entries:.2f} lines an entry")
    assert found.entries >= 40
    assert found.with_code <= 0.10 * found.entries
    assert found.of_entries <= 2 * found.entries


@pytest.mark.parametrize("name", library.NAMES)
def test_lines_are_such_as_one_reads(name: str) -> None:
    assert max(map(len, library.spec(name).read_text().splitlines())) <= 160
