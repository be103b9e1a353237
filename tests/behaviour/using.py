"""Packages of which one uses another, as the command builds them, and programs that import both."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.behaviour import packages
from tests.behaviour.packages import HERE
from tests.compilers import compiling, environment, quick, quick_linking
from tests.limits import HANGS

SOURCES = HERE / "uses"


def python(folder: Path, program: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", program],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder / "generated"), **variables},
        capture_output=True,
        text=True,
        timeout=HANGS,
        check=False,
    )


@contextmanager
def building(flags: str) -> Iterator[None]:
    """The compiler and the linker that flags of this run are for."""
    asked = packages.all_flags()
    compiler = packages.compiler_for(asked)
    with (
        compiling(flags, asked or quick_linking("g++")),
        environment(**({"CXX": compiler} if compiler else {})),
    ):
        yield


def wrapper_gen(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run it, with compilers that are quick, or have the flags of all tests."""
    flags = packages.all_flags()
    is_usual = not {"--stub", "--abi3"}.intersection(arguments)  # what is compiled before is so for others
    with building(flags or (quick() if is_usual else "-O0")):
        return subprocess.run(
            [sys.executable, "-m", "wrapper_gen", *arguments],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=HANGS,
            check=False,
        )


def build(folder: Path, *arguments: str) -> None:
    done = wrapper_gen(folder, "build", "--engine", packages.BUILT, *arguments)
    assert done.returncode == 0, done.stderr


def library(folder: Path) -> None:
    """The library that all packages link with, and the project's settings."""
    (folder / "pyproject.toml").write_text('[tool.wrapper-gen]\nruntime = "shared"\n', encoding="utf-8")
    for source in SOURCES.iterdir():
        shutil.copy(source, folder)
    command = [os.environ.get("CXX", "g++"), "-shared", "-fPIC", "-O0", "scene.cpp", "-o", "libscene.so"]
    subprocess.run(command, cwd=folder, check=True, timeout=HANGS)
