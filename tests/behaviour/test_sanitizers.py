"""The behaviour tests again on a build with sanitizers; handles and their cells used by threads at once."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
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


STRESS = packages.HERE / "stress"
ROUNDS = 3000
"""What each of the eight threads does at random; a pin that is missing anywhere shows within 300."""


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


def python_under(sanitizer: str) -> Sequence[str]:
    """The command that starts Python, which no sanitizer built, with one loaded before everything else."""
    names = {"thread": ("libtsan.so",), "address,undefined": ("libasan.so", "libubsan.so")}[sanitizer]
    preload = " ".join(runtime(name) for name in (*names, "libstdc++.so.6"))
    python = ("env", f"LD_PRELOAD={preload}", sys.executable)
    said = ""
    for command in (python, ("setarch", "-R", *python)):  # where addresses are too random for it, without that
        if shutil.which(command[0]) is None:
            continue
        tried = subprocess.run([*command, "-c", ""], capture_output=True, text=True, check=False)
        if tried.returncode == 0:
            return command
        said = tried.stderr
    pytest.skip(f"Python does not start under -fsanitize={sanitizer} here: {said.strip()[-300:]}")


@pytest.mark.skipif(PREBUILT in os.environ, reason="this has a package of its own")
@pytest.mark.parametrize("sanitizer", ["thread", "address,undefined"])
def test_handles_that_threads_fight_for(engine: str, sanitizer: str) -> None:
    if not is_gcc():
        pytest.skip("c++ is not gcc, whose sanitizers have other libraries")
    python = python_under(sanitizer)
    flags = f"-fsanitize={sanitizer} -fno-omit-frame-pointer -O1 -g1"
    package = packages.build(STRESS / "stress.wrapper_spec", flags=flags)
    watched = b"__tsan_read" if sanitizer == "thread" else b"__asan_report_load"
    assert watched in next(package.folder.glob("*.so")).read_bytes()
    done = subprocess.run(
        [*python, str(STRESS / "threads.py"), str(ROUNDS)],
        env={
            **os.environ,
            "PYTHONPATH": str(package.folder.parent),
            "WRAPPER_GEN_ENGINE": engine,
            "PYTHONMALLOC": "malloc",  # memory that is free for Python is free for the sanitizer too
            "TSAN_OPTIONS": f"suppressions={STRESS / 'thread_sanitizer.supp'}",
            "ASAN_OPTIONS": "detect_leaks=0",  # Python itself never frees all it has; the library counts its objects
        },
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert (done.stderr, done.returncode) == ("", 0), done.stdout + done.stderr[:8000]
    assert done.stdout.startswith(f"{engine}: live 0, wrong 0, surprises {{}}\n")


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
