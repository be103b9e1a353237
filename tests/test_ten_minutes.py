"""The page that leads from a header to a wheel: its commands run in order over its files, and say what it says."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.limits import HANGS
from tests.test_wheels import BIN, environment

PAGE = Path(__file__).parents[1] / "docs" / "ten-minutes.md"
_BLOCK = re.compile(r"(?:^`([\w./]+)`:?[^\n]*:\n\n)?^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
"""With the path of the file that it is, where the line before names one."""
_SHOWN = ("yaml",)
"""Blocks that show what a file of a former command has."""


def tools(folder: Path) -> str:
    """The PATH of a user with an environment of their own, where wrapper-gen is installed."""
    python, own = environment(folder), folder / "bin"
    own.mkdir()
    commands = {
        "python": [str(python)],
        "pip": [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", str(python)],
        "pytest": [str(python), "-m", "pytest", "-p", "no:cacheprovider"],
        "wrapper-gen": [sys.executable, "-m", "wrapper_gen"],
    }
    for name, command in commands.items():
        (own / name).write_text(f'#!/bin/sh\nexec {shlex.join(command)} "$@"\n', encoding="utf-8")
        (own / name).chmod(0o755)
    return os.pathsep.join([str(own), str(BIN), os.environ["PATH"]])


@pytest.mark.slow
def test_all_that_the_page_says_is_so(tmp_path: Path) -> None:
    folder, said = tmp_path / "user", ""
    folder.mkdir()
    inherited = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    variables = {**inherited, "PATH": tools(tmp_path), "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    start, blocks = folder, _BLOCK.findall(PAGE.read_text(encoding="utf-8"))
    assert {language for _, language, _ in blocks} == {"c", "python", "sh", "text", "yaml"}
    for path, language, text in blocks:
        if language in _SHOWN:
            file = path or "tally.import"
            assert text in (folder / file).read_text(encoding="utf-8"), file
        elif path:
            target = (start if "/" in path else folder) / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
        elif language == "text":
            assert said == text
        else:
            script = ["bash", "-ec", f'{text}pwd > "$WHERE"']
            where = tmp_path / "where"
            done = subprocess.run(
                script,
                cwd=folder,
                env={**variables, "WHERE": str(where)},
                capture_output=True,
                text=True,
                timeout=HANGS,
                check=False,
            )
            assert done.returncode == 0, text + done.stdout + done.stderr
            folder, said = Path(where.read_text(encoding="utf-8").strip()), done.stdout


def test_the_page_asks_for_few_lines_of_one_file_by_hand() -> None:
    """What a user writes besides the library itself and a program to try it."""
    text = PAGE.read_text(encoding="utf-8")
    ((file, lines),) = re.findall(r"^sed -i '[^']*' (\S+) <<'LINES'\n(.*?)^LINES$", text, re.MULTILINE | re.DOTALL)
    assert text.count("sed -i") == 1
    assert file == "tally.wrapper_spec"
    assert lines.count("\n") <= 10
    assert ">>> " in lines
