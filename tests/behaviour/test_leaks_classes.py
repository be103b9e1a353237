"""Classes, records, iterators, arrays, interfaces and awaited calls leave nothing behind, whatever way a call ends."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from tests.behaviour import packages
from tests.behaviour.leak_classes import GROUPS
from tests.behaviour.leak_scale import EXACT, calls_by
from tests.behaviour.objects import COUNTS_REFERENCES
from tests.behaviour.packages import HERE

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not COUNTS_REFERENCES, reason="this Python counts no references"),
]


@pytest.mark.parametrize("group", GROUPS)
def test_no_shape_of_call_leaves_anything_behind(group: str, engine: str) -> None:
    if group == "arrays":
        pytest.importorskip("numpy")
    folders = {}
    for name, spec in GROUPS[group].specs.items():
        path = HERE / f"{spec}.wrapper_spec" if "/" in spec else HERE.parent / "cases" / spec / "spec.wrapper_spec"
        folders[name] = str(packages.build(path).folder)
    done = subprocess.run(
        [
            sys.executable,
            str(HERE / "leak_classes.py"),
            str(calls_by(engine)),
            group,
            json.dumps(folders),
        ],
        env={**os.environ, **EXACT, "WRAPPER_GEN_ENGINE": engine},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    growth = json.loads(done.stdout)
    assert len(growth) == len({*GROUPS[group].calls, *GROUPS[group].failures})
    assert {shape: what for shape, what in growth.items() if what} == {}
