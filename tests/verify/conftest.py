"""The libraries of these tests, compiled once."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.verify.lies import compiled


@pytest.fixture(scope="session")
def compiled_libraries(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with headers, specs and shared objects, which no test changes."""
    pytest.importorskip("clang.cindex")
    folder = tmp_path_factory.mktemp("libraries")
    compiled(folder)
    return folder


@pytest.fixture
def libraries(compiled_libraries: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    shutil.copytree(compiled_libraries, tmp_path, dirs_exist_ok=True)
    return tmp_path
