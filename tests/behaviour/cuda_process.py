"""Runs tests of the packages for CUDA each in a process of its own: the libraries are loaded once a process."""

from __future__ import annotations

import importlib
import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType

import pytest

from tests.behaviour import packages
from tests.behaviour.packages import ENGINES, ROOT
from tests.limits import HANGS

LIBRARY = "CUDA_FFI_LIBRARY"
"""The environment variable that names the file to load as the CUDA runtime."""
_OURS = (LIBRARY, "NVRTC_FFI_LIBRARY", "CUDA_STANDIN_", "WRAPPER_GEN_ENGINE")
_ABOUT_FIBERS = ("__asan_handle_no_return", "False positive error reports may follow", "sanitizers/issues/189")
"""AddressSanitizer says once that it does not know the stacks on which threads of a block run."""

Body = Callable[[ModuleType], None]


def on_standin(**settings: object) -> Callable[[Body], Callable[[Path, dict[str, str], str], None]]:
    """Make tests of a function that gets the cuda package, with the stand-in for the CUDA runtime and NVRTC loaded.

    Args:
        settings: of the stand-in; `latency_us=10` sets CUDA_STANDIN_LATENCY_US.
    """
    environment = {f"CUDA_STANDIN_{name.upper()}": str(value) for name, value in settings.items()}

    def decorate(body: Body) -> Callable[[Path, dict[str, str], str], None]:
        @pytest.mark.parametrize("engine", ENGINES)
        def test(cuda_package: Path, standin: dict[str, str], engine: str) -> None:
            run(body, cuda_package, standin | environment | {"WRAPPER_GEN_ENGINE": engine})

        return named_after(body, test)

    return decorate


def anywhere(body: Body) -> Callable[[Path, dict[str, str], str, str], None]:
    """The same for what holds on a GPU as well: tests with the stand-in, and tests that need a GPU."""

    @pytest.mark.parametrize("where", ["standin", pytest.param("gpu", marks=pytest.mark.gpu)])
    @pytest.mark.parametrize("engine", ENGINES)
    def test(cuda_package: Path, standin: dict[str, str], engine: str, where: str) -> None:
        if where == "gpu" and not has_gpu(cuda_package):
            pytest.skip("no GPU here")
        run(body, cuda_package, (standin if where == "standin" else {}) | {"WRAPPER_GEN_ENGINE": engine})

    return named_after(body, test)


def built(name: str, folder: Path, *, stub: bool = False) -> Path:
    """The package of one of the specs, compiled, copied into `folder`."""
    package = packages.build(ROOT / "specs" / f"{name}.wrapper_spec", stub=stub, require=not stub).folder
    return Path(shutil.copytree(package, folder / package.name, ignore=shutil.ignore_patterns("build")))


def named_after(body: Body, test: Callable[..., None]) -> Callable[..., None]:
    """Give pytest the name and the place of `body`, and keep `body` where the other process finds it."""
    test.__name__, test.__qualname__, test.__module__ = body.__name__, body.__qualname__, body.__module__
    test.__doc__ = body.__doc__
    vars(test)["body"] = body
    return test


def run(body: Body, package: Path, environment: Mapping[str, str]) -> None:
    """Call `body` with the package in a new process; what it says there is the failure here."""
    file = Path(body.__code__.co_filename)
    result = python(package, environment, __file__, str(file), body.__name__, package.name)
    assert result.returncode == 0, f"exit code {result.returncode}\n{result.stderr}"
    said = [line for line in result.stderr.splitlines() if not any(words in line for words in _ABOUT_FIBERS)]
    assert not said, "\n".join(said)


def python(package: Path, environment: Mapping[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python where `package` can be imported, without settings from our own environment."""
    ours = {k: v for k, v in os.environ.items() if not k.startswith(_OURS)}
    paths = os.pathsep.join([str(package.parent), str(ROOT)])
    return subprocess.run(
        [sys.executable, *arguments],
        env={**ours, "PYTHONPATH": paths, **environment},
        capture_output=True,
        text=True,
        timeout=HANGS,
        check=False,
    )


def has_gpu(package: Path) -> bool:
    """Whether the real runtime finds a device."""
    return python(package, {}, "-c", "import cuda_ffi; print(cuda_ffi.available())").stdout == "True\n"


def _main(file: str, name: str, package: str) -> None:
    spec = importlib.util.spec_from_file_location(Path(file).stem, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    getattr(module, name).body(importlib.import_module(package))


if __name__ == "__main__":
    _main(*sys.argv[1:])
