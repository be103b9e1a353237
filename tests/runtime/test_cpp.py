"""The runtime's own tests in C++, `runtime/tests/`: a program a subject, without the generator and without Python."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.compilers import quickest
from tests.limits import HANGS
from wrapper_gen.resources import RUNTIME

PROGRAMS = sorted(path.stem for path in (RUNTIME / "tests").glob("*.cpp"))
COMPILERS = [each for each in ("g++", "clang++") if shutil.which(each)]
WARNINGS = ("-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror")
SANITIZERS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g")


def run(program: str, compiler: str, folder: Path, *flags: str) -> None:
    target = folder / program
    command = [compiler, "-std=c++17", "-O0", *WARNINGS, *flags, f"-I{RUNTIME / 'include'}", "-pthread"]
    built = subprocess.run(
        [*command, f"{program}.cpp", "-o", str(target)],
        cwd=RUNTIME / "tests",
        capture_output=True,
        text=True,
        timeout=HANGS,
        check=False,
    )
    if flags and "cannot find" in built.stderr:
        pytest.skip(f"{compiler} has no runtime of its sanitizers here")
    assert built.returncode == 0, built.stderr
    environment = {**os.environ, "LD_PRELOAD": "", "ASAN_OPTIONS": "detect_leaks=1"}
    done = subprocess.run([target], env=environment, capture_output=True, text=True, timeout=HANGS, check=False)
    assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)


@pytest.mark.skipif(not COMPILERS, reason="no C++ compiler")
@pytest.mark.parametrize("program", PROGRAMS)
def test_the_runtime(program: str, tmp_path: Path) -> None:
    run(program, quickest() or COMPILERS[0], tmp_path)


@pytest.mark.quick(0, slow=5)
@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("program", PROGRAMS)
def test_the_runtime_under_sanitizers(program: str, compiler: str, tmp_path: Path) -> None:
    run(program, compiler, tmp_path, *SANITIZERS)
