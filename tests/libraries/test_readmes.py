"""The page of each library shows what its users write, and what that prints."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.compilers import quick, quick_linking
from tests.libraries import library

_COMMAND = re.compile(r"^    (?!apt-get )(.+)$", re.MULTILINE)
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


@pytest.mark.slow
@pytest.mark.parametrize("name", library.NAMES)
def test_the_commands_of_the_page_are_all_that_it_takes(name: str, tmp_path: Path) -> None:
    """As a shell runs them, in the folder of the example; the page says what to install before."""
    library.package(name)  # or the test is skipped
    shutil.copytree(library.EXAMPLES / name, tmp_path, dirs_exist_ok=True, ignore=shutil.ignore_patterns("generated"))
    commands = _COMMAND.findall((tmp_path / "README.md").read_text(encoding="utf-8").partition("```")[0])
    assert len(commands) == 2
    settings = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    settings |= {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    settings |= {"CXXFLAGS": quick(), "LDFLAGS": quick_linking("g++")}
    for command in commands:
        done = subprocess.run(
            command, shell=True, cwd=tmp_path, env=settings, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout
