"""The libraries of examples/libraries as the tests use them: built once, skipped where the library is missing."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.behaviour import packages
from wrapper_gen.diagnostics import ToolchainError

EXAMPLES = packages.ROOT / "examples" / "libraries"
NAMES = tuple(sorted(each.name for each in EXAMPLES.iterdir() if each.is_dir()))


def spec(name: str) -> Path:
    return EXAMPLES / name / f"{name}.wrapper_spec"


def package(name: str) -> packages.Package:
    """The package of one library; without the library, the test is skipped with what the build says."""
    try:
        return packages.build(spec(name))
    except ToolchainError as error:
        if error.diagnostic.code == "WG062":
            pytest.skip(f"{error}; its README.md says what to install")
        raise


def load(name: str, engine: str) -> Any:
    return package(name).load(engine)


def run(name: str, program: str, engine: str) -> subprocess.CompletedProcess[str]:
    """Run one of the programs beside a spec."""
    return package(name).python((EXAMPLES / name / program).read_text(), engine=engine)
