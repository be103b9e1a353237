"""What type checkers make of kernels: those of the documentation and the examples pass, and wrong ones do not."""

from __future__ import annotations

import importlib
import inspect
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import unified_gpu
from tests.gpu.places import ROOT
from tests.limits import HANGS
from unified_gpu import Array, Context, PythonKernel, f32, global_id, i8, kernel
from unified_gpu.kernels.language import ArrayType, DeviceFunction, Intrinsic

NAMES = ROOT / "unified_gpu" / "kernels" / "names.pyi"
_PROGRAM = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
WRONG = """
from unified_gpu import Array, Struct, f32, global_id, i32, kernel


class Line(Struct):
    slope: f32


@kernel
def wrong(x: Array[f32, 2], n: i32, flat: Array[i32, ...], line: Line, lines: Array[Line, 1]):
    i = global_id(0)
    x[i, 0] = n + x.shape[1] + flat[i]
    x.sum()
    x["a"] = 1
    x[i, 1] = "text"
    global_id("0")
    row = x[i]
    row[0] = row.shape[0] * len(row) * row[1] + line.slope
    row.sum()
    row[0] = line.first
    Line("steep")
    lines[i] = Line(lines[0].slope + len(lines))
    lines[i].slope = x[0, 0] * lines.slope[1]
    lines[i] = 3
    lines[i].first = 1
"""


_WRONG_ON_PURPOSE = ("factr * 2.0", "x[i] / step[0]")


def programs(folder: Path) -> Path:
    """A folder with the examples, the programs of all pages that are about this library, and one that is wrong.

    The cells of a notebook are no programs: each goes on with names of the last one, and defines some anew.
    """
    pages = [*sorted((ROOT / "docs").rglob("*.md")), ROOT / "README.md", *ROOT.glob("distributions/*/README.md")]
    for page in pages:
        for number, each in enumerate(_PROGRAM.findall(page.read_text(encoding="utf-8"))):
            is_ours = page.parent.name == "gpu" or re.search(r"^(?:from|import) unified_gpu\b", each, re.MULTILINE)
            if is_ours and not any(wrong in each for wrong in _WRONG_ON_PURPOSE) and page.stem != "notebooks":
                name = f"page_{page.parent.name}_{page.stem}_{number}.py".replace("-", "_")
                (folder / name).write_text(each, encoding="utf-8")
    names = {path.name.rpartition("_")[0] for path in folder.glob("page_*")}
    assert {"page_tutorials_gpu", "page_gpu_kernels", "page_unified_gpu_README"} <= names
    for path in (*ROOT.glob("examples/*.py"), *ROOT.glob("examples/cookbook/*.py")):
        (folder / f"example_{path.name}").write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
    (folder / "wrong.py").write_text(WRONG, encoding="utf-8")
    return folder


def found_by(command: list[str], folder: Path, pattern: str) -> list[tuple[str, int]]:
    """Where a checker finds something."""
    paths = f"{ROOT}:{ROOT / 'generated'}"
    done = subprocess.run(
        command, cwd=folder, env={**os.environ, "MYPYPATH": paths}, capture_output=True, text=True,
        timeout=HANGS, check=False,
    )  # fmt: skip
    found = re.findall(pattern, done.stdout, re.MULTILINE)
    assert done.returncode == 1 and found, done.stdout + done.stderr
    return [(name, int(line)) for name, line in found]


EXPECTED = [("wrong.py", line) for line in (13, 14, 15, 16, 19, 20, 21, 24, 25)]


@pytest.mark.slow
def test_mypy_passes(tmp_path: Path) -> None:
    folder = programs(tmp_path)
    options = ["--config-file=", "--ignore-missing-imports", "--explicit-package-bases", "--follow-imports=silent"]
    command = [sys.executable, "-m", "mypy", *options, *sorted(path.name for path in folder.glob("*.py"))]
    assert sorted(found_by(command, folder, r"^(\w+\.py):(\d+): error")) == EXPECTED


@pytest.mark.slow
def test_pyright_passes(tmp_path: Path) -> None:
    folder = programs(tmp_path)
    settings = {
        "include": ["."], "extraPaths": [str(ROOT), str(ROOT / "generated")], "reportMissingImports": "none",
        "reportMissingModuleSource": "none", "pythonVersion": "3.11", "reportUnusedExpression": "none",
    }  # fmt: skip
    (folder / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    command = [sys.executable, "-m", "pyright", "-p", str(folder), "--pythonpath", sys.executable]
    assert sorted(set(found_by(command, folder, r"(\w+\.py):(\d+):\d+ - error"))) == EXPECTED


def test_the_names_are_all_there() -> None:
    known = set(re.findall(r"^(?:def|class) ([a-z]\w*)", NAMES.read_text(encoding="utf-8"), re.MULTILINE))
    language = importlib.import_module("unified_gpu.kernels.language")
    wanted = {name for name, each in vars(unified_gpu).items() if isinstance(each, (Intrinsic, DeviceFunction))}
    wanted |= {"device", *(name for name in unified_gpu.__all__ if isinstance(getattr(unified_gpu, name), type(f32)))}
    assert known == wanted
    assert all(hasattr(language, name) or hasattr(unified_gpu, name) for name in known)


def test_annotations_of_any_array(cpu: Context) -> None:
    assert Array[f32, ...] == ArrayType(f32, None) == Array[f32]
    assert Array[Any, ...] == ArrayType(None, None)
    with pytest.raises(TypeError, match="a number of axes of at least 1"):
        Array[f32, "2"]

    @kernel
    def total(x: Array[f32, ...], y: Array[Any, ...]):
        y[global_id(0)] = x.ndim

    assert isinstance(total, PythonKernel) and not inspect.isclass(total)
    for shape, dtype in (((2,), "i32"), ((2, 2), "f64")):
        y = cpu.zeros(2, dtype)
        cpu.launch(total, 2, [cpu.ones(shape), y])
        assert y.tolist() == [len(shape)] * 2


def test_a_dtype_makes_numbers() -> None:
    assert (f32(0.1), f32(2), i8(-3)) == (0.10000000149011612, 2.0, -3)
    with pytest.raises(OverflowError):
        i8(200)
