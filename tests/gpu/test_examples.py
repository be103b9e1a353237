"""The examples run on every backend, and what they claim to show is so."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests import processes
from tests.gpu import places
from tests.gpu.places import ROOT, environment

PLACES = [place for place in places.PLACES if place != "cpu-cffi"]

PATTERNS = ("sequential", "double buffer", "triple buffer", "training loop", "multi-stream", "stream query")
QUICK = {
    "async_pipeline": ("--batches", "5", "--elements", "20000"),
    "training_pipeline": ("--epochs", "3"),
}


def run_example(name: str, place: str, *options: str, without: tuple[str, ...] = ()) -> str:
    """What an example prints at a place; `without` modules it is as if they were not installed."""
    settings = environment(place)
    program = str(ROOT / "examples" / f"{name}.py")
    command = [sys.executable, program, *options]
    if without:
        missing = dict.fromkeys(without)
        code = f"import sys, runpy; sys.modules.update({missing!r}); sys.argv[:] = {[program, *options]!r}"
        command = [sys.executable, "-c", f"{code}; runpy.run_path({program!r}, run_name='__main__')"]
    done = processes.run(command, env=settings)
    if "BackendUnavailable" in done.stderr:
        pytest.skip(done.stderr.splitlines()[-1])
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    return done.stdout


def backend_of(place: str) -> str:
    return "cuda" if place == "standin" else place.removesuffix("-gpu")


@pytest.mark.quick(2)
@pytest.mark.parametrize("place", PLACES)
def test_context_basic_goes_through_its_seven_steps(place: str) -> None:
    printed = run_example("context_basic", place)
    assert re.findall(r"^(\d)\. ", printed, re.MULTILINE) == list("1234567")
    assert f"\n   {backend_of(place)}:0, " in printed
    assert "(a + b) * 2 = [[22.0, 44.0, 66.0], [28.0, 50.0, 72.0]]" in printed
    assert "a @ a.T     = [[14.0, 32.0], [32.0, 77.0]]" in printed
    assert "then computed: 8.0" in printed
    assert re.search(r"1000 arrays asked the device [01] times; [1-9]", printed)
    assert "ClosedError: " in printed


@pytest.mark.quick(2)
@pytest.mark.parametrize("place", PLACES)
def test_async_pipeline_measures_six_patterns(place: str, tmp_path: Path) -> None:
    printed = run_example("async_pipeline", place, *QUICK["async_pipeline"], "--svg", str(tmp_path))
    rows = re.findall(r"^([a-z][a-z -]+?) +([\d.]+) ms +([\d.]+)x +([\d.]+) lanes busy$", printed, re.MULTILINE)
    assert tuple(row[0] for row in rows) == PATTERNS
    assert all(float(milliseconds) > 0 for _, milliseconds, _, _ in rows)
    assert all(float(speedup) > 0 for _, _, speedup, _ in rows)
    for name in PATTERNS:
        picture = ElementTree.parse(tmp_path / f"{name.replace(' ', '_').replace('-', '_')}.svg")
        assert len(list(picture.iter("{http://www.w3.org/2000/svg}g"))) == 15


@pytest.mark.torch
@pytest.mark.quick(1)
@pytest.mark.parametrize("place", PLACES)
def test_training_pipeline_learns_the_digits(place: str) -> None:
    pytest.importorskip("sklearn")
    printed = run_example("training_pipeline", place, *QUICK["training_pipeline"])
    losses = [float(loss) for loss in re.findall(r"epoch +\d+: loss ([\d.]+)", printed)]
    assert len(losses) == 3
    assert losses[-1] < losses[0] / 2
    accuracy = re.search(r"accuracy on 360 others: ([\d.]+)%", printed)
    assert accuracy is not None and float(accuracy[1]) >= 80
    assert re.search(r"one batch at a time [\d.]+ s, prefetched [\d.]+ s: [\d.]+x", printed)


def test_training_pipeline_draws_its_own_digits_where_scikit_learn_is_missing() -> None:
    printed = run_example("training_pipeline", "cpu", *QUICK["training_pipeline"], without=("sklearn",))
    assert printed.startswith("scikit-learn is not installed (pip install scikit-learn)")
    accuracy = re.search(r"accuracy on 360 others: ([\d.]+)%", printed)
    assert accuracy is not None and float(accuracy[1]) >= 80


@pytest.mark.torch
@pytest.mark.slow
@pytest.mark.parametrize("place", PLACES)
def test_interop_copies_nothing(place: str) -> None:
    printed = run_example("interop", place)
    told = dict(re.findall(r"^(numpy|torch|cupy|jax): (.*)$", printed, re.MULTILINE))
    assert list(told) == ["numpy", "torch", "cupy", "jax"]
    if place in ("cpu", "torch"):
        seen = "they see [11.0, 12.0, 13.0, 14.0]; no copy was made"
        assert told["numpy"] == told["torch"] == told["jax"] == seen
    else:
        assert not any("it was copied" in line for line in told.values())


@pytest.mark.quick(2)
@pytest.mark.parametrize("place", PLACES)
def test_custom_kernel_runs_the_same_source(place: str) -> None:
    printed = run_example("custom_kernel", place)
    if backend_of(place) == "torch":
        assert "saxpy: " in printed or "no kernels here: " in printed
        return
    assert "saxpy: [1.0, 3.0, 5.0, 7.0] ..." in printed
    assert "block sums: 1000000, by the operation: 1000000" in printed
    assert "an argument too few: saxpy" in printed
    wrong = "kernel 'saxpy' is CUDA C, which Vulkan does not compile" if place == "vulkan" else r".*3.*y"
    assert re.search(f"does not compile: {wrong}", printed)


@pytest.mark.parametrize("name", ["context_basic", "custom_kernel", "interop"])
def test_the_short_examples_need_no_numpy(name: str) -> None:
    assert run_example(name, "cpu", without=("numpy", "torch", "jax"))


@pytest.mark.quick(2)
@pytest.mark.parametrize("place", PLACES)
def test_python_kernels_keep_the_momentum(place: str) -> None:
    printed = run_example("python_kernels", place, "--bodies", "100", "--steps", "3")
    assert f"100 bodies, 3 steps on <Context {backend_of(place)}:0>: mean speed 0." in printed
    momentum = re.search(r"momentum: (\S+),", printed)
    assert momentum is not None and float(momentum[1]) < 1e-6
