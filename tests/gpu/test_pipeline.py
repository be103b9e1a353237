"""The cases of a pipeline on every backend, and with each of its synchronizations taken out in turn."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests import processes
from tests.gpu.places import PLACES, environment

ROOT = Path(__file__).resolve().parents[2]
CASES = Path(__file__).with_name("pipeline_cases.py")
SYNCHRONIZATION = re.compile(r"^\s+(?!def )\S*\b(?:record|wait_event|synchronize|begin)\(.*\)$")
"""A line that orders or waits, or marks a time; nothing else stands in it."""


def run_cases(settings: Mapping[str, str], *options: str, folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Run the cases in a process of their own; a test that hangs is ended with the process."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *options, str(CASES)]
    return processes.run(command, cwd=folder, env=settings)


PIPELINES = ROOT / "unified_gpu" / "pipelines"
FILES = ("pipeline.py", "run.py", "staging.py")


@pytest.mark.quick(1)
@pytest.mark.parametrize("place", PLACES)
def test_the_cases_hold(place: str) -> None:
    done = run_cases(environment(place))
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr
    if " passed" not in done.stdout:
        pytest.skip(done.stdout.splitlines()[-1])


def synchronizations() -> list[tuple[str, int, str]]:
    """File, line number and text of each."""
    found = []
    for name in FILES:
        lines = (PIPELINES / name).read_text(encoding="utf-8").splitlines()
        found += [(name, i, line.strip()) for i, line in enumerate(lines) if SYNCHRONIZATION.match(line)]
    return found


def test_all_synchronizations_are_found() -> None:
    """The pattern above misses none: whoever adds one in another form changes it."""
    texts = [(PIPELINES / name).read_text(encoding="utf-8") for name in FILES]
    words = sum(
        len(re.findall(r"(?<!def )\b(?:record|wait_event|wait_stream|synchronize|begin)\(", text)) for text in texts
    )
    assert len(synchronizations()) == words >= 12


@pytest.mark.slow
@pytest.mark.parametrize(("name", "line", "text"), synchronizations(), ids=lambda value: str(value))
def test_a_case_fails_without_a_synchronization(name: str, line: int, text: str, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "unified_gpu", tmp_path / "unified_gpu", ignore=shutil.ignore_patterns("__pycache__"))
    file = tmp_path / "unified_gpu" / "pipelines" / name
    lines = file.read_text(encoding="utf-8").splitlines()
    lines[line] = lines[line].replace(text, "pass")
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    settings = environment("cpu") | {"PIPELINE_SOURCE": str(tmp_path)}
    settings["PYTHONPATH"] = os.pathsep.join([str(tmp_path), settings["PYTHONPATH"]])
    found_as_a_file = ("-o", "consider_namespace_packages=false")  # else pytest puts this folder before the copy's
    done = run_cases(settings, "-x", *found_as_a_file, folder=tmp_path)
    assert done.returncode == 1 or done.returncode < 0, (
        f"every case passes without it\n{done.stdout[-2000:]}{done.stderr}"
    )
    assert "another copy is being tested" not in done.stdout
