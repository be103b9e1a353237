"""Runs tests of the generated cuda package each in a process of its own: the runtime is loaded once a process."""

from __future__ import annotations

import importlib
import importlib.util
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = "CUDA_FFI_LIBRARY"
"""The environment variable that names the file to load as the CUDA runtime."""

Body = Callable[[ModuleType], None]


def on_standin(**settings: object) -> Callable[[Body], Callable[[Path, Path], None]]:
    """Make a test of a function that gets the cuda package, with the stand-in for the CUDA runtime loaded.

    Args:
        settings: of the stand-in; `latency_us=10` sets CUDA_STANDIN_LATENCY_US.
    """
    environment = {f"CUDA_STANDIN_{name.upper()}": str(value) for name, value in settings.items()}

    def decorate(body: Body) -> Callable[[Path, Path], None]:
        def test(cuda_package: Path, standin: Path) -> None:
            run(body, cuda_package, {LIBRARY: str(standin), **environment})

        return _named_after(body, test)

    return decorate


def anywhere(body: Body) -> Callable[[Path, Path, str], None]:
    """The same for what holds on a GPU as well: one test with the stand-in, and one that needs a GPU."""

    @pytest.mark.parametrize("where", ["standin", pytest.param("gpu", marks=pytest.mark.gpu)])
    def test(cuda_package: Path, standin: Path, where: str) -> None:
        if where == "gpu" and not has_gpu(cuda_package):
            pytest.skip("no GPU here")
        run(body, cuda_package, {LIBRARY: str(standin)} if where == "standin" else {})

    return _named_after(body, test)


def _named_after(body: Body, test: Callable[..., None]) -> Callable[..., None]:
    """Give pytest the name and the place of `body`, and keep `body` where the other process finds it."""
    test.__name__, test.__qualname__, test.__module__ = body.__name__, body.__qualname__, body.__module__
    test.__doc__ = body.__doc__
    vars(test)["body"] = body
    return test


def run(body: Body, package: Path, environment: Mapping[str, str]) -> None:
    """Call `body` with the package in a new process; what it says there is the failure here."""
    file = Path(body.__code__.co_filename)
    result = python(package, environment, __file__, str(file), body.__name__)
    assert result.returncode == 0, f"exit code {result.returncode}\n{result.stderr}"
    assert result.stderr == ""


def python(package: Path, environment: Mapping[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python where `package` can be imported, without settings from our own environment."""
    ours = {k: v for k, v in os.environ.items() if k != LIBRARY and not k.startswith("CUDA_STANDIN_")}
    paths = os.pathsep.join([str(package.parent), str(ROOT)])
    return subprocess.run(
        [sys.executable, *arguments],
        env={**ours, "PYTHONPATH": paths, **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def has_gpu(package: Path) -> bool:
    """Whether the real runtime finds a device."""
    return python(package, {}, "-c", "import cuda_ffi; print(cuda_ffi.available())").stdout == "True\n"


def _main(file: str, name: str) -> None:
    spec = importlib.util.spec_from_file_location(Path(file).stem, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    getattr(module, name).body(importlib.import_module("cuda_ffi"))


if __name__ == "__main__":
    _main(*sys.argv[1:])
