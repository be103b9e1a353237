"""The conformance suite of the Python array API standard passes as far as docs/gpu/arrays.md says.

The suite is in no registry, and is not copied: `ARRAY_API_TESTS` names a clone of it.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.gpu.places import ROOT
from tests.vulkan import driver

pytestmark = pytest.mark.slow

VARIABLE = "ARRAY_API_TESTS"
CLONE = "git clone --recursive https://github.com/data-apis/array-api-tests build/array-api-tests"
LEAST = {"cpu": 0.90, "vulkan": 0.85}
"""What part of the tests passes that are not named as left out."""
MOST_LEFT_OUT = 300
EXAMPLES = os.environ.get("ARRAY_API_EXAMPLES", "2")


def suite() -> Path:
    """The clone that the variable names, or the one in the folder of what is built."""
    named = os.environ.get(VARIABLE)
    folder = Path(named) if named else ROOT / "build" / "array-api-tests"
    if not (folder / "array-api" / "spec").is_dir():
        if named:
            pytest.fail(f"{VARIABLE} names {folder}, which is no clone with its submodule; run: {CLONE}")
        pytest.skip(f"the suite is not here; run: {CLONE}")
    return folder


@pytest.mark.parametrize("backend", LEAST)
def test_the_suite_passes_as_far_as_is_promised(backend: str) -> None:
    command = [sys.executable, "benchmarks/array_api.py", str(suite()), "--backend", backend, "--examples", EXAMPLES]
    environment = {**(driver.settings() if backend == "vulkan" else {}), **os.environ}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    counts = re.search(r"^(\d+) of (\d+) tests pass, .*; (\d+) are left out:$", done.stdout, re.MULTILINE)
    assert counts, done.stdout + done.stderr
    passed, wanted, left_out = map(int, counts.groups())
    assert left_out <= MOST_LEFT_OUT, done.stdout
    assert wanted >= 1000, f"the suite has more tests than {wanted}: {done.stdout}"
    assert passed / wanted >= LEAST[backend], done.stdout
