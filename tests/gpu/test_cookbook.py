"""The programs of the cookbook compute what NumPy does, on every backend, and are short."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests import processes
from tests.gpu.places import ROOT, environment
from unified_gpu import Context

FOLDER = ROOT / "examples" / "cookbook"
PROGRAMS = sorted(path.stem for path in FOLDER.glob("*.py"))


def program(name: str) -> Any:
    """The module of a program."""
    called = f"cookbook_{name}"
    if called not in sys.modules:
        spec = importlib.util.spec_from_file_location(called, FOLDER / f"{name}.py")
        assert spec is not None and spec.loader is not None
        sys.modules[called] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[called])
    return sys.modules[called]


def close(found: Any, wanted: Any, error: float = 1e-5) -> None:
    np.testing.assert_allclose(np.asarray(found.download()), wanted, rtol=error, atol=error)


# --- what NumPy makes of it -----------------------------------------------------------------------------------


def convolution(ctx: Context, rng: np.random.Generator) -> None:
    image = rng.random((20, 30), np.float32)
    padded = np.pad(image, 1, mode="edge")
    weights = program("convolution").SHARPEN
    wanted = sum(weights[i][j] * padded[i : i + 20, j : j + 30] for i in range(3) for j in range(3))
    close(program("convolution").convolution(ctx, image), wanted)


def csr(ctx: Context, rng: np.random.Generator) -> None:
    matrix = (rng.random((50, 40)) * (rng.random((50, 40)) < 0.1)).astype("f4")
    matrix[7] = 0
    x = rng.random(40, np.float32)
    close(program("csr").csr(ctx, matrix, x), matrix @ x)


def heat(ctx: Context, rng: np.random.Generator) -> None:
    plate = rng.random((16, 24), np.float32)
    found = program("heat").heat(ctx, plate, 5)
    for _ in range(10):
        inner = plate[1:-1, 1:-1]
        around = plate[:-2, 1:-1] + plate[2:, 1:-1] + plate[1:-1, :-2] + plate[1:-1, 2:]
        plate = plate.copy()
        plate[1:-1, 1:-1] = inner + np.float32(0.2) * (around - 4 * inner)
    close(found, plate)


def kmeans(ctx: Context, rng: np.random.Generator) -> None:
    places = np.array([[0, 0], [5, 5], [-5, 5]], "f4")
    points = (places[rng.integers(0, 3, 600)] + rng.normal(size=(600, 2))).astype("f4")
    centres = places + 1
    found, label = program("kmeans").kmeans(ctx, points, centres, 4)
    for _ in range(4):
        wanted = np.argmin(((points[:, None] - centres) ** 2).sum(2), 1)
        centres = np.array([points[wanted == k].mean(0) for k in range(3)])
    close(found, centres, 1e-4)
    assert (label.download() == wanted).mean() > 0.99


def life(ctx: Context, rng: np.random.Generator) -> None:
    cells = (rng.random((20, 30)) < 0.4).astype("u1")
    found = program("life").life(ctx, cells, 6)
    for _ in range(6):
        around = sum(np.roll(cells, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1))
        cells = ((around == 3) | ((around == 4) & (cells == 1))).astype("u1")
    assert np.array_equal(found.download(), cells)


def mandelbrot(ctx: Context, rng: np.random.Generator) -> None:
    found = program("mandelbrot").mandelbrot(ctx, (24, 32), 50).download()
    f = np.float32
    cx = f(-2.2) + f(2.4 / 24) * np.arange(32, dtype="f4")[None, :] + np.zeros((24, 1), "f4")
    cy = f(1.2) - f(2.4 / 24) * np.arange(24, dtype="f4")[:, None] + np.zeros((1, 32), "f4")
    x, y, counts = np.zeros_like(cx), np.zeros_like(cy), np.zeros((24, 32), "i4")
    for _ in range(50):
        inside = x * x + y * y <= 4
        counts += inside
        x, y = np.where(inside, x * x - y * y + cx, x), np.where(inside, 2 * x * y + cy, y)
    assert np.array_equal(found, counts)


def monte_carlo(ctx: Context, rng: np.random.Generator) -> None:
    found = program("monte_carlo").pi(ctx, 500, seed=3)
    assert abs(found - np.pi) < 0.02
    with Context("cpu") as other:
        assert found == program("monte_carlo").pi(other, 500, seed=3), "the same bits on every device"


def nbody(ctx: Context, rng: np.random.Generator) -> None:
    bodies = rng.random((100, 4), np.float32)
    found = ctx.empty((100, 3))
    ctx.launch(
        program("nbody").accelerate, 100, {"bodies": ctx.alloc_upload(bodies), "acceleration": found}, local_size=64
    )
    d = bodies[None, :, :3].astype("f8") - bodies[:, None, :3]
    pull = bodies[:, 3] / ((d**2).sum(2) + 0.01) ** 1.5
    close(found, (pull[..., None] * d).sum(1), 2e-3)


def network(ctx: Context, rng: np.random.Generator) -> None:
    x = rng.uniform(-1, 1, (64, 2)).astype("f4")
    y = np.sin(2 * x.sum(1, keepdims=True))
    first, second = rng.normal(size=(2, 8)).astype("f4"), rng.normal(size=(8, 1)).astype("f4")
    found = program("network").train(ctx, x, y, (first, second), 20)
    for _ in range(20):
        hidden = np.tanh(x @ first)
        error = hidden @ second - y
        gradients = x.T @ (error @ second.T * (1 - hidden**2)), hidden.T @ error
        first, second = first - 0.1 / 64 * gradients[0], second - 0.1 / 64 * gradients[1]
    assert abs(found - (error**2).mean()) < 1e-3 * found


def reduction(ctx: Context, rng: np.random.Generator) -> None:
    parts = [rng.random(1 << 12, np.float32) for _ in range(7)]
    mean, variance = program("reduction").mean_and_variance(ctx, iter(parts))
    whole = np.concatenate(parts).astype("f8")
    assert abs(mean - whole.mean()) < 1e-9 and abs(variance - whole.var()) < 1e-9


def scan(ctx: Context, rng: np.random.Generator) -> None:
    for length in (1, 256, 257, 70_000):
        x = rng.integers(-9, 9, length).astype("f4")
        assert np.array_equal(program("scan").scan(ctx, ctx.alloc_upload(x)).download(), x.cumsum())


def sort(ctx: Context, rng: np.random.Generator) -> None:
    x = rng.random(512, np.float32)
    assert np.array_equal(program("sort").bitonic_sort(ctx, x).download(), np.sort(x))
    with pytest.raises(ValueError, match="power of two"):
        program("sort").bitonic_sort(ctx, x[:500])


CHECKS: dict[str, Callable[[Context, np.random.Generator], None]] = {
    check.__name__: check
    for check in (
        convolution, csr, heat, kmeans, life, mandelbrot, monte_carlo, nbody, network, reduction, scan, sort,
    )
}  # fmt: skip
SOME = [
    "cpu",
    "vulkan",
    pytest.param("cuda", marks=pytest.mark.slow),  # the stand-in compiles each kernel for a second
    pytest.param("torch", marks=pytest.mark.torch),
]


@pytest.mark.parametrize("backend", SOME, indirect=True)
@pytest.mark.parametrize("name", PROGRAMS)
def test_they_compute_what_numpy_does(ctx: Context, name: str) -> None:
    CHECKS[name](ctx, np.random.default_rng(5))


def test_they_are_twelve_and_short() -> None:
    assert sorted(CHECKS) == PROGRAMS
    lengths = {path.stem: len(path.read_text(encoding="utf-8").splitlines()) for path in FOLDER.glob("*.py")}
    assert {name: length for name, length in lengths.items() if length >= 40} == {}
    page = (ROOT / "docs" / "cookbook.md").read_text(encoding="utf-8")
    assert [name for name in PROGRAMS if f"(../examples/cookbook/{name}.py)" not in page] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", PROGRAMS)
def test_they_run_as_programs(name: str) -> None:
    options = ["--megabytes", "64"] if name == "reduction" else []
    command = [sys.executable, str(Path(FOLDER) / f"{name}.py"), "--backend", "cpu", *options]
    done = processes.run(command, env=environment("vulkan"))
    assert done.returncode == 0 and done.stderr == "", done.stderr
    assert "vulkan" not in done.stdout, "--backend is stronger than DL_BACKEND"
