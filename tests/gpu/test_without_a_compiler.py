"""The CPU without a C++ compiler: the library's own functions run with the kernels that a wheel carries compiled."""

from __future__ import annotations

import runpy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cpu_ffi
import numpy as np
import pytest

import unified_gpu as ug
from tests.gpu.places import ROOT
from unified_gpu import Context, KernelCompileError, elementwise, global_id, kernel
from unified_gpu.backends import cpu_kernels, library_kernels


@pytest.fixture
def compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder into which the program that makes a wheel compiles what is asked for."""
    program = runpy.run_path(str(ROOT / "distributions" / "unified_gpu" / "library_kernels.py"))
    recorder = program["Recorder"](tmp_path, Path(cpu_ffi.__file__).parent / "sources")
    monkeypatch.setattr(cpu_kernels, "has_compiler", lambda: False)
    monkeypatch.setattr(library_kernels, "find", recorder.find)
    yield tmp_path


def test_one_kernel_of_a_function_is_enough(compiled: Path) -> None:
    """Numbers, views, repeated arrays and other dtypes become arrays of one shape and dtype first."""
    x, y = np.arange(6, dtype="f4").reshape(2, 3), np.arange(1, 4)
    with Context("cpu") as ctx:
        g, h = ctx.alloc_upload(x), ctx.alloc_upload(y)
        out = ctx.alloc((2, 3), "f32")
        for _ in range(2):  # also of what was called before
            cases: list[tuple[Any, Any]] = [
                (ug.hypot(g, g), np.hypot(x, x)),
                (ug.hypot(g.T, g.T), np.hypot(x.T, x.T)),
                (ug.hypot(g, 2), np.hypot(x, 2)),
                (ug.hypot(1.5, g[:, ::2]), np.hypot(1.5, x[:, ::2])),
                (ug.hypot(g, h.cast("i16")), np.hypot(x, y.astype("f4"))),
                (ug.hypot(g, g[:, 1:2], out=out), np.hypot(x, x[:, 1:2])),
                (ug.hypot(g[0, 0], g[1, 1]), np.hypot(x[0, 0], x[1, 1])),
            ]
            for found, wanted in cases:
                np.testing.assert_allclose(found.download(), wanted, rtol=1e-6)
        assert len([*compiled.glob("*.o")]) == 1
        assert ug.logical_and(g, h).tolist() == np.logical_and(x, y).tolist()
        assert ug.logical_and(h > 1, g.cast("f64")).tolist() == np.logical_and(y > 1, x).tolist()
    assert len([*compiled.glob("*.o")]) == 2


def test_a_block_of_any_size_has_one_kernel(compiled: Path) -> None:
    with Context("cpu") as ctx:
        for count in (1, 3, 1000, 5000):
            assert ctx.arange(count)[-1].item() == count - 1
    assert len([*compiled.glob("*.o")]) == 1


def test_what_is_new_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    @kernel
    def one(x):
        x[global_id(0)] = 1

    monkeypatch.setenv("CXX", "")
    monkeypatch.setenv("PATH", "/nonexistent")
    with Context("cpu") as ctx:
        x = ctx.alloc_upload([1.0, 2.0])
        assert (x + 1).tolist() == [2, 3]
        for use in (lambda: ctx.launch(one, 1, [x]), lambda: elementwise(lambda a: a * 3)(x), lambda: ug.sin(x)):
            with pytest.raises(KernelCompileError, match=r"need a C\+\+ compiler: install g\+\+, or set CXX"):
                use()


def test_what_is_not_carried_is_not_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library_kernels, "FOLDER", tmp_path)
    called = library_kernels.key("text", ["header"], fast=False)
    (tmp_path / "library_kernels.txt").write_text(f"{called}\n", encoding="ascii")
    assert library_kernels.find("text", "sin", ["header"], fast=False) == (tmp_path / "library_kernels.so", called)
    assert library_kernels.find("text", "sin", ["header"], fast=True) is None
    assert library_kernels.find("text", "sin", ["another header"], fast=False) is None
    monkeypatch.setattr(library_kernels, "FOLDER", tmp_path / "none")
    assert library_kernels.find("text", "sin", ["header"], fast=False) is None
