"""The behaviour tests again on a build with sanitizers, and the cells that handles live in, used by threads at once."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.behaviour import packages
from tests.behaviour.packages import PREBUILT, SHAPES
from wrapper_gen.resources import TEMPLATES

FLAGS = "-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -O1 -g1"
TESTS = (
    "scalars", "text", "lists", "spans", "optionals", "enums", "failures", "handles", "ownership", "threads",
    "docs_and_names",
)  # fmt: skip
"""What runs over the shapes package alone; its library counts its own objects, so leaks show without a leak checker."""


def runtime(name: str) -> str:
    """A library that has to be loaded before Python."""
    found = subprocess.run(
        ["c++", f"-print-file-name={name}"], capture_output=True, text=True, check=True
    ).stdout.strip()
    if not Path(found).is_absolute():
        pytest.skip(f"the compiler has no {name}")
    return found


def is_gcc() -> bool:
    compiler = shutil.which("c++")
    if compiler is None:
        return False
    version = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True).stdout
    return "Free Software Foundation" in version


@pytest.mark.skipif(PREBUILT in os.environ, reason="these are the tests that it runs")
def test_no_call_breaks_memory() -> None:
    if not is_gcc():
        pytest.skip("c++ is not gcc, whose sanitizers have other libraries")
    preload = [runtime(name) for name in ("libasan.so", "libubsan.so", "libstdc++.so.6")]
    package = packages.build(SHAPES, flags=FLAGS)
    machine_code = next(package.folder.glob("*.so")).read_bytes()
    assert b"__asan_report_load" in machine_code and b"__ubsan_handle" in machine_code, "both look on"
    files = [str(packages.HERE / f"test_{name}.py") for name in TESTS]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist", *files],
        env={
            **os.environ,
            PREBUILT: str(package.folder),
            "LD_PRELOAD": " ".join(preload),
            "ASAN_OPTIONS": "detect_leaks=0:abort_on_error=0",  # Python itself never frees all it has
            "UBSAN_OPTIONS": "print_stacktrace=1",
            "PYTHONMALLOC": "malloc",  # objects of Python are watched too
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-8000:]
    assert "runtime error" not in done.stderr


@pytest.mark.skipif(PREBUILT in os.environ, reason="this needs no package")
@pytest.mark.parametrize("sanitizer", ["thread", "address,undefined"])
def test_cells(sanitizer: str, tmp_path: Path) -> None:
    compiler = shutil.which("c++")
    if compiler is None:
        pytest.skip("no c++")
    program = tmp_path / "cells"
    flags = ["-std=c++17", "-Wall", "-Wextra", "-Wshadow", "-Werror", "-O1", "-g", f"-I{TEMPLATES / 'bridge'}"]
    flags += [f"-fsanitize={sanitizer}", "-fno-sanitize-recover=all", "-pthread"]
    source = packages.HERE / "cells" / "cells.cpp"
    built = subprocess.run([compiler, *flags, source, "-o", program], capture_output=True, text=True, check=False)
    if "cannot find" in built.stderr:
        pytest.skip(f"no runtime of -fsanitize={sanitizer}")
    assert built.returncode == 0, built.stderr
    done = subprocess.run([program], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr, done.returncode) == ("live 0, wrong 0\n", "", 0)
