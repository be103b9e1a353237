"""The page of each library shows what its users write, and what that prints."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.libraries import library

_SHOWN = re.compile(r"^```python\n(.*?)^```\n\n```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.quick(2)
@pytest.mark.parametrize("name", library.NAMES)
def test_ten_lines_do_what_the_page_says(
    name: str, engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ((program, output),) = _SHOWN.findall((library.EXAMPLES / name / "README.md").read_text(encoding="utf-8"))
    assert len([line for line in program.splitlines() if line and "import" not in line]) <= 10
    package = library.package(name)
    monkeypatch.chdir(tmp_path)
    assert package.python(program, engine=engine).stdout == output
