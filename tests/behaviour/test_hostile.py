"""Whatever a function is given, nothing crashes and both engines say the same: each package in its own process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.behaviour import hostile_process, packages
from tests.behaviour.packages import HERE, ROOT, SHAPES
from tests.behaviour.test_golden_packages import CASES, MADE_UP
from tests.limits import HANGS
from tests.sanitizers import FLAGS, REPORTS, compilers_are_gcc, python_under, quickest_sanitizers

CALLS = 2000
FEW = 300
SEED = os.environ.get("HOSTILE_SEED", "0")
SPECS = {
    "shapes": SHAPES,
    "lambdas": HERE / "lambdas" / "lambdas.wrapper_spec",
    "stress": HERE / "stress" / "stress.wrapper_spec",
    # Calls of `awaitables` wait until another thread lets them go on.
    **{case.parent.name: case for case in CASES if case.parent.name != "awaitables"},
}


def differences(spec: Path, count: int, record: Path, *, flags: str = "", python: Sequence[str] = ()) -> list[object]:
    """Where the engines differ in so many calls; fails with the call that a process did not survive."""
    folder = packages.build(spec, flags=flags, stub=spec.parent.name in MADE_UP).folder
    arguments = [str(spec), str(folder), SEED, str(count)]
    done = subprocess.run(
        [*(python or (sys.executable,)), "-W", "ignore", "-m", "tests.behaviour.hostile_process", *arguments],
        cwd=ROOT,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            hostile_process.CURRENT: str(record),
            **REPORTS,
            **({"PYTHONMALLOC": "malloc"} if python else {}),  # objects of Python are watched too
        },
        capture_output=True,
        text=True,
        timeout=HANGS,
        check=False,
    )
    last = record.read_text(encoding="utf-8").strip() if record.exists() else "none"
    again = f"python -m tests.behaviour.hostile_process {' '.join(arguments)} {last.partition(' ')[0]}"
    assert done.returncode == 0, f"exit code {done.returncode} in call {last}\n{again}\n{done.stderr[-8000:]}"
    found: list[object] = json.loads(done.stdout)
    return found


def test_a_few_hostile_calls(tmp_path: Path) -> None:
    assert differences(SHAPES, FEW, tmp_path / "call") == []


@pytest.mark.quick(0, slow=5)
@pytest.mark.parametrize("spec", SPECS)
def test_hostile_calls(spec: str, tmp_path: Path) -> None:
    """Under sanitizers, where there are any: they see what breaks memory, and the calls give the same."""
    flags, python = _watched()
    assert differences(SPECS[spec], CALLS, tmp_path / "call", flags=flags, python=python) == []


def _watched() -> tuple[str, Sequence[str]]:
    """How packages are compiled and Python is started, so that sanitizers look on; nothing where there are none."""
    try:
        compilers_are_gcc()
        which = quickest_sanitizers()
        return FLAGS[which], python_under(which)
    except pytest.skip.Exception:
        return "", ()
