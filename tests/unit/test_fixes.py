"""Does each fix mend what it is for? Every one of the specs in tests/errors/ is made, and the spec read again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from wrapper_gen import pipeline, report
from wrapper_gen.diagnostics import Diagnostic, Fix, SpecError

ERRORS = Path(__file__).parent.parent / "errors"


def findings(spec: Path) -> list[Diagnostic]:
    try:
        return list(pipeline.read(spec, spec.name)[1])
    except SpecError as error:
        return list(error.diagnostics)


def fixes() -> Iterator[tuple[str, int, int]]:
    for spec in sorted(ERRORS.glob("*.wrapper_spec")):
        for i, finding in enumerate(findings(spec)):
            yield from ((spec.name, i, j) for j in range(len(finding.fixes)))


def made(text: str, fix: Fix) -> str:
    lines = text.splitlines(keepends=True)
    line = lines[fix.span.line - 1]
    lines[fix.span.line - 1] = line[: fix.span.column - 1] + fix.replacement + line[fix.span.end_column - 1 :]
    return "".join(lines)


def alike(all_of: list[Diagnostic], one: Diagnostic) -> int:
    return sum((each.code, each.message) == (one.code, one.message) for each in all_of)


@pytest.mark.parametrize(("name", "i", "j"), list(fixes()))
def test_a_fix_mends_what_it_is_for(name: str, i: int, j: int, tmp_path: Path) -> None:
    before = findings(ERRORS / name)
    spec = tmp_path / name
    spec.write_text(made((ERRORS / name).read_text(), before[i].fixes[j]))
    after = findings(spec)
    assert alike(after, before[i]) < alike(before, before[i])
    codes = {each.code for each in before}
    assert {each.code for each in after} <= codes, "a fix makes no other mistake"


def test_there_are_fixes() -> None:
    assert len(list(fixes())) > 10


UNDECIDED = ("WG033", "WG037", "WG080", "WG089", "WG094", "WG099", "WG102", "WG103", "WG109", "WG113", "WG171")
"""What a spec leaves open (docs/guide/index.md: open decisions): each of these findings can have a fix."""


@pytest.mark.parametrize("code", UNDECIDED)
def test_what_is_not_decided_has_replacements(code: str) -> None:
    having = [each for spec in sorted(ERRORS.glob(f"{code}_*.wrapper_spec")) for each in findings(spec) if each.fixes]
    having = [each for each in having if each.code == code]
    assert having
    log = json.loads(report.as_sarif(having, "1"))["runs"][0]["results"]
    listed = json.loads(report.as_json(having))["diagnostics"]
    for finding, in_sarif, in_json in zip(having, log, listed, strict=True):
        texts = [fix.replacement for fix in finding.fixes]
        changes = [fix["artifactChanges"][0]["replacements"][0] for fix in in_sarif["fixes"]]
        assert [change["insertedContent"]["text"] for change in changes] == texts
        assert [fix["replacement"] for fix in in_json["fixes"]] == texts
