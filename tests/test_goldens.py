"""Can the expected files of `cases/` be read, and changes of them?"""

from __future__ import annotations

from collections import Counter
from pathlib import Path, PurePosixPath

import jinja2
import pytest

from tests import test_cases
from wrapper_gen import render
from wrapper_gen.resources import TEMPLATES

NAMES = sorted(path.relative_to(TEMPLATES).as_posix() for path in TEMPLATES.glob("*/*.jinja"))
MOST_LINES = 35_000
"""Of all cases together."""
MOST_FILES = 15
"""How many files a comment in a template changes."""


def test_they_are_few_enough_to_be_read() -> None:
    files = [path for path in Path(__file__).with_name("cases").glob("*/expected/**/*") if path.is_file()]
    assert sum(path.read_text(encoding="utf-8").count("\n") for path in files) <= MOST_LINES


def test_a_comment_in_a_template_changes_few(monkeypatch: pytest.MonkeyPatch) -> None:
    """In each template one at its start, and one in each of its loops; the files of entries leave comments out."""
    before = {case.name: expected(case) for case in test_cases.CASES}
    own = render.environment().overlay(loader=jinja2.FunctionLoader(commented), bytecode_cache=None)
    monkeypatch.setattr(render, "environment", lambda: own)
    found = Counter[str]()
    for case in test_cases.CASES:
        for path, text in expected(case).items():
            if text != before[case.name][path]:
                changed = {name for name in NAMES if comment(name) in text}
                assert changed, f"{case.name}/{path} is another, and has no comment"
                found.update(changed)
    assert len(found) > 50  # templates that some case has which is kept whole
    assert {name: count for name, count in found.items() if count > MOST_FILES} == {}


def expected(case: Path) -> dict[PurePosixPath, str]:
    """The text of each of a case's expected files, but warnings."""
    generated = test_cases.generate(case)
    own = test_cases.own_files(generated)
    return own if case.name in test_cases.WHOLE else test_cases.texts_of_entries(generated.module, own)


def comment(template: str) -> str:
    mark = "#" if template.endswith((".py.jinja", ".pyi.jinja")) else "//"
    return f"{mark} of {template}, which nobody needs\n"


def commented(template: str) -> str:
    """A template with comments."""
    lines = (TEMPLATES / template).read_text(encoding="utf-8").splitlines(keepends=True)
    loops = (line + comment(template) * line.lstrip().startswith("{% for ") for line in lines)
    return comment(template) + "".join(loops)
