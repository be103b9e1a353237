"""What becomes of pipelines when calls fail, when people interrupt them, and after ten thousand batches."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from tests import processes
from tests.gpu.places import PLACES, ROOT, environment
from tests.limits import HANGS

SHARES = 2
"""Into how many tests a walk is cut, so that they can run beside each other."""


def run(module: str, *arguments: object, settings: dict[str, str], limit: float = HANGS) -> str:
    """What the module prints in a process of its own."""
    command = [sys.executable, "-m", f"tests.gpu.{module}", *map(str, arguments)]
    done = processes.run(command, cwd=ROOT, env=settings, limit=limit)
    if "BackendUnavailable" in done.stderr:
        pytest.skip(done.stderr.splitlines()[-1])
    assert done.returncode == 0, done.stdout + done.stderr[-6000:]
    return done.stdout


@pytest.mark.quick(0, slow=6)
@pytest.mark.parametrize("share", range(SHARES))
@pytest.mark.parametrize(
    ("place", "how"), [("standin", "once"), ("standin", "gone"), ("cpu", "once"), ("cpu", "queued")]
)
def test_every_call_may_fail(place: str, how: str, share: int) -> None:
    """Nothing hangs, nothing is left, no result is lost or out of order, and the next pipeline works."""
    settings = environment(place) | {"CPU_FFI_LINK_LATENCY_US": "0", "CUDA_STANDIN_LATENCY_US": "0"}
    steps = (share + 1, SHARES) if how != "gone" else (1 + 3 * share, 3 * SHARES)
    runs, raised = (
        int(word) for word in run("faults_process", how, *steps, settings=settings).split() if word.isdigit()
    )
    assert runs >= 20
    assert raised >= runs / 4


@pytest.mark.quick(8)
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("delay", [0.0, 0.013, 0.05])
def test_an_interrupt_ends_a_pipeline_that_can_go_on(place: str, delay: float) -> None:
    command = [sys.executable, "-m", "tests.gpu.interrupt_process"]
    process = subprocess.Popen(
        command, cwd=ROOT, env=environment(place), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    try:
        begun = process.stdout.readline()
        time.sleep(delay)
        process.send_signal(signal.SIGINT)
        try:
            said, errors = process.communicate(timeout=HANGS / 5)
        except subprocess.TimeoutExpired:  # it came before the first line of a `__del__`, where Python loses it
            process.send_signal(signal.SIGINT)
            said, errors = process.communicate(timeout=HANGS / 5)
    finally:
        process.kill()
    if "BackendUnavailable" in errors:
        pytest.skip(errors.splitlines()[-1])
    assert begun == "begun\n", errors
    assert said == "goes on: True\n", errors
    assert errors.rstrip().endswith("KeyboardInterrupt")
    assert process.returncode == -signal.SIGINT


@pytest.mark.slow
@pytest.mark.parametrize("place", PLACES)
def test_many_batches_leave_nothing_behind(place: str) -> None:
    """SOAK_BATCHES=10000 makes it long."""
    settings = environment(place) | {"CPU_FFI_LINK_LATENCY_US": "0", "CUDA_STANDIN_LATENCY_US": "0"}
    run("soak_process", os.environ.get("SOAK_BATCHES", "600"), settings=settings, limit=3 * HANGS)
