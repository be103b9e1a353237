"""The generated package of the CPU device, over both engines."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.behaviour.packages import ENGINES, Package
from tests.cpu.build import ROOT
from tests.limits import HANGS


@pytest.fixture(scope="session")
def cpu_package(tmp_path_factory: pytest.TempPathFactory) -> Package:
    """Built in place, then copied: a process that imports one extension under two names has the newer one's classes."""
    folder = ROOT / "generated" / "cpu_ffi"
    done = subprocess.run(
        [sys.executable, folder / "ffi_build.py", "--engine", "both"],
        capture_output=True,
        text=True,
        timeout=HANGS,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return Package(Path(shutil.copytree(folder, tmp_path_factory.mktemp("cpu") / folder.name)))


@pytest.fixture(scope="session", params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="session")
def cpu(cpu_package: Package, engine: str) -> Any:
    return cpu_package.load(engine)
