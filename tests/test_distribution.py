"""The distribution of unified_gpu: source archive → wheel → an environment without checkout, generator and NumPy."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "distributions" / "unified_gpu"
KERNEL = """\
import sys
from unified_gpu import Array, Context, f32, global_id, kernel

@kernel
def scale(x: Array[f32, 1], y: Array[f32, 1], by: f32):
    i = global_id(0)
    if i < x.shape[0]:
        y[i] = by * x[i]

with Context(sys.argv[1]) as ctx:
    x, y = ctx.alloc_upload([1.0, 2.0, 3.0]), ctx.alloc_zeros((3,))
    ctx.launch(scale, global_size=x.shape, args=[x, y, 2.0])
    print(y.tolist())
"""
PIPELINE = """\
import sys
from array import array
from unified_gpu import Context, Pipeline

batches = (array("f", [number, number + 1.0]) for number in range(5))
with Context(sys.argv[1]) as ctx, Pipeline(ctx, depth=3) as pipe:
    for result in pipe.map(batches, lambda x: (x * 2 + 1).sum(keepdims=True)):
        print(list(result), end=" ")
    print(pipe.statistics.batches)
"""

pytestmark = pytest.mark.slow


def run(*command: str | Path, cwd: Path, code: int = 0) -> str:
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the source archive, and the wheel that was built from it."""
    pytest.importorskip("build")
    pytest.importorskip("hatchling")
    if not Path("/usr/include/vulkan/vulkan.h").exists():
        pytest.skip("Vulkan's headers are not here")
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, SOURCE, cwd=folder)
    return folder


@pytest.fixture(scope="module")
def python(shipped: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of a new environment with nothing but the wheel."""
    folder = tmp_path_factory.mktemp("environment")
    run(sys.executable, "-m", "venv", "--without-pip", folder, cwd=folder)
    python = folder / "bin" / "python"
    wheel = next(shipped.glob("*.whl"))
    run(sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-index", wheel, cwd=folder)
    return python


def test_the_archives_hold_what_they_should(shipped: Path) -> None:
    (wheel,) = shipped.glob("*.whl")
    with zipfile.ZipFile(wheel) as opened:
        names = opened.namelist()
    assert {name.split("/")[0].partition("-")[0] for name in names} == {"unified_gpu"}
    extensions = {Path(name).name for name in names if name.endswith(".so")}
    packages = {f"_{name}_ffi.abi3.so" for name in ("cpu", "cuda", "dlpack", "nvrtc", "vulkan")}
    assert extensions == {*packages, "library_kernels.so"}
    assert wheel.stat().st_size < 8 << 20
    assert {Path(name).parts[2] for name in names if name.endswith(".cpp")} == {"torch_ffi"}
    assert any(name.endswith("/licenses/LICENSE") for name in names)
    assert "-abi3-" in wheel.name
    (archive,) = shipped.glob("*.tar.gz")
    with tarfile.open(archive) as source:
        names = source.getnames()
    assert not [name for name in names if name.endswith((".so", ".o", ".pyc"))]


def test_the_example_of_its_page_and_a_kernel_run(python: Path, tmp_path: Path) -> None:
    (example,) = re.findall(r"^```python\n(.*?)^```$", (SOURCE / "README.md").read_text("utf-8"), re.MULTILINE | re.S)
    assert run(python, "-c", example, cwd=tmp_path) == "[2.0, 5.0, 10.0]\n"
    (tmp_path / "k.py").write_text(KERNEL, encoding="utf-8")
    assert run(python, "k.py", "cpu", cwd=tmp_path) == "[2.0, 4.0, 6.0]\n"
    if "vulkan:0" in run(python, "-m", "unified_gpu", cwd=tmp_path):
        assert run(python, "k.py", "vulkan", cwd=tmp_path) == "[2.0, 4.0, 6.0]\n"


def test_a_pipeline_runs(python: Path, tmp_path: Path) -> None:
    (tmp_path / "p.py").write_text(PIPELINE, encoding="utf-8")
    has_vulkan = "vulkan:0" in run(python, "-m", "unified_gpu", cwd=tmp_path)
    for backend in ("cpu", "vulkan") if has_vulkan else ("cpu",):
        assert run(python, "p.py", backend, cwd=tmp_path) == "[4.0] [8.0] [12.0] [16.0] [20.0] 5\n"


def test_it_says_what_is_missing_when_it_is_needed(python: Path, tmp_path: Path) -> None:
    said = run(python, "-m", "unified_gpu", cwd=tmp_path)
    assert "torch is not installed: pip install torch" in said
    assert "preferred:" in said
    assert "pip install torch" in run(python, "-m", "unified_gpu", "--build", "torch", cwd=tmp_path, code=1)


WITHOUT_A_COMPILER = """\
from unified_gpu import Context
import unified_gpu as ug

with Context("cpu") as ctx:
    x = ctx.alloc_upload([3.0, 1.0, 2.0])
    print((x + 1).tolist(), (x % 2).tolist(), ug.round(ug.sin(x)).tolist(), x[::-1].tolist(), x[x > 1].tolist())
    print(ug.argsort(x).tolist(), ug.take(x, ctx.arange(2)).tolist(), ctx.linspace(0, 1, 3).tolist())
    ctx.random.seed(1)
    print(ctx.random.uniform(2).shape, ctx.random.permutation(3).shape, x.cast("u8").cumsum().tolist())
    matrix = ctx.arange(6).reshape(2, 3)
    print((matrix.T // 2).tolist(), ug.hypot(matrix, 2)[0, 0].item(), (matrix @ matrix.T).tolist())
    matrix[:, [0, 2]] = -1
    print(matrix.tolist(), ug.unique(matrix).tolist(), x.cast("f16").prod().item())
    long = ctx.ones((2, 70_000), "i64")
    print(ug.cumulative_sum(long, 1)[1, -1].item(), ug.cumulative_sum(long[0])[-1].item())
"""


def test_without_a_compiler_all_but_new_kernels_runs(python: Path, tmp_path: Path) -> None:
    (tmp_path / "k.py").write_text(KERNEL, encoding="utf-8")
    bare = ("/usr/bin/env", "-i", f"PATH={tmp_path}", f"UNIFIED_GPU_CACHE={tmp_path / 'cache'}")
    assert run(*bare, python, "-c", WITHOUT_A_COMPILER, cwd=tmp_path).splitlines() == [
        "[4.0, 2.0, 3.0] [1.0, 1.0, 0.0] [0.0, 1.0, 1.0] [2.0, 1.0, 3.0] [3.0, 2.0]",
        "[1, 2, 0] [3.0, 1.0] [0.0, 0.5, 1.0]",
        "(2,) (3,) [3, 4, 6]",
        "[[0, 1], [0, 2], [1, 2]] 2.0 [[5, 14], [14, 50]]",
        "[[-1, 1, -1], [-1, 4, -1]] [-1, 1, 4] 6.0",
        "70000 70000",
    ]
    said = run(*bare, python, "k.py", "cpu", cwd=tmp_path, code=1)
    assert "KernelCompileError: kernels for the CPU need a C++ compiler: install g++, or set CXX" in said
