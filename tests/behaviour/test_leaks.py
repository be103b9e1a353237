"""No call leaves anything behind: no memory of Python or C, no reference too many or too few."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from tests.behaviour.leak_process import CALLS, FAILURES
from tests.behaviour.leak_scale import EXACT, calls_by
from tests.behaviour.objects import COUNTS_REFERENCES
from tests.behaviour.packages import HERE, Package

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not COUNTS_REFERENCES, reason="this Python counts no references"),
]


def test_no_kind_of_call_leaves_anything_behind(shapes_package: Package, engine: str) -> None:
    done = subprocess.run(
        [sys.executable, str(HERE / "leak_process.py"), str(calls_by(engine))],
        env={
            **os.environ,
            **EXACT,
            "PYTHONPATH": os.pathsep.join([str(shapes_package.folder.parent), os.environ.get("PYTHONPATH", "")]),
            "WRAPPER_GEN_ENGINE": engine,
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    growth = json.loads(done.stdout)
    assert len(growth) >= len(CALLS) + len(FAILURES)
    assert {kind: what for kind, what in growth.items() if what} == {}
