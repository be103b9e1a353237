"""Every call of the CPU device fails in turn, in a process that has the build of cpu_ffi for tests."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.gpu.places import ROOT, environment
from tests.limits import HANGS

CASES = Path(__file__).with_name("fault_cases.py")


@pytest.mark.quick(1)
@pytest.mark.parametrize("place", ["cpu", "cpu-cffi"])
def test_the_cases_hold(place: str) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", str(CASES)]
    settings = environment(place) | {"CPU_FFI_LINK_LATENCY_US": "0"}
    done = subprocess.run(command, cwd=ROOT, env=settings, capture_output=True, text=True, timeout=HANGS, check=False)
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr
    assert " passed" in done.stdout
