"""Random calls on handles that lend, hold, share, take and end each other: nothing is used after its end.

Each run is a process of its own. The library counts uses of what has ended, and does not crash by them.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.behaviour import packages
from tests.limits import HANGS

pytest.importorskip("hypothesis")

LIFETIMES = packages.HERE / "lifetimes"
SPEC = LIFETIMES / "lifetimes.wrapper_spec"
RUNS = int(os.environ.get("LIFETIMES_RUNS", "60"))
"""Sequences of calls in each process; `LIFETIMES_RUNS=2000` takes minutes."""
SWAPPED = {
    "a parameter that is taken is borrowed": ("    params: {plug: {mode: take}}\n", ""),
    "a result keeps nothing alive": (
        'std::make_shared<row *>(r); }"\n        keep_alive: h',
        'std::make_shared<row *>(r); }"',
    ),
}
"""Specs that say something else of who owns what than the library does: text of it, and the other."""


def run(package: packages.Package, engine: str, *how: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(LIFETIMES / "machine.py"), *how],
        env={**os.environ, "PYTHONPATH": str(package.folder.parent), "WRAPPER_GEN_ENGINE": engine},
        capture_output=True,
        text=True,
        timeout=HANGS,
        check=False,
    )


@pytest.mark.slow
def test_no_sequence_of_calls_breaks_anything(engine: str) -> None:
    done = run(packages.build(SPEC), engine, str(RUNS))
    assert (done.stderr[-4000:], done.returncode) == ("", 0), done.stdout[-4000:]


@pytest.mark.slow
@pytest.mark.parametrize("what", SWAPPED)
def test_a_spec_that_is_wrong_is_found_out(what: str, engine: str, tmp_path: Path) -> None:
    right, other = SWAPPED[what]
    text = SPEC.read_text(encoding="utf-8")
    assert text.count(right) == 1
    spec = tmp_path / SPEC.name
    spec.write_text(text.replace(right, other), encoding="utf-8")
    (tmp_path / "library.h").write_bytes((LIFETIMES / "library.h").read_bytes())
    done = run(packages.build(spec), engine, "3000", "quick")  # which ends at the first that goes wrong
    assert done.returncode != 0, "nobody found out"
    assert "wrong" in done.stderr or done.returncode < 0
