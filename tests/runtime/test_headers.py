"""The headers of the runtime: each can be included alone, and their folders are floors of one house."""

from __future__ import annotations

import graphlib
import re
import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest

from tests.limits import HANGS
from wrapper_gen.resources import RUNTIME

INCLUDE = RUNTIME / "include"
HEADERS = sorted(path.relative_to(INCLUDE).as_posix() for path in INCLUDE.rglob("*.hpp"))
_INCLUDED = re.compile(r'#include "wg/(\w+)/\w+\.hpp"')
COMPILERS = [each for each in ("g++", "clang++") if shutil.which(each)]


def test_no_folder_includes_one_that_includes_it() -> None:
    """Who looks for what a header needs looks in the folders below its own."""
    needs: dict[str, set[str]] = {}
    for header in HEADERS:
        folder = header.split("/")[1]
        needs.setdefault(folder, set()).update(_INCLUDED.findall((INCLUDE / header).read_text(encoding="utf-8")))
    floors = graphlib.TopologicalSorter({folder: below - {folder} for folder, below in needs.items()})
    order = [*floors.static_order()]  # CycleError names a circle
    assert order[0] == "base"
    assert order[-1] == "cpython"


def compile_only(text: str, compiler: str, folder: Path, *flags: str) -> None:
    """Compile what follows Python.h, which some headers are for, with warnings as errors."""
    source = folder / "included.cpp"
    source.write_text(f"#define PY_SSIZE_T_CLEAN\n#include <Python.h>\n{text}", encoding="utf-8")
    strict = ["-std=c++17", "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
    folders = [f"-I{INCLUDE}", f"-isystem{sysconfig.get_path('include')}"]
    command = [compiler, *strict, *flags, *folders, str(source)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=HANGS, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.quick(0, slow=40)
@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("header", HEADERS)
def test_a_header_compiles_alone(header: str, compiler: str, tmp_path: Path) -> None:
    """Packages include them in one order, which hides what one forgets."""
    compile_only(f'#include "{header}"\n', compiler, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("where", ["-DWG_RUNTIME_APART", "-DWG_RUNTIME_OBJECT"])
@pytest.mark.parametrize("is_reversed", [False, True])
def test_headers_compile_where_bodies_are_elsewhere(
    is_reversed: bool, where: str, compiler: str, tmp_path: Path
) -> None:
    """Of functions that may be compiled once: only declared, and only there. What the headers include is the same."""
    headers = HEADERS[::-1] if is_reversed else HEADERS
    compile_only("".join(f'#include "{header}"\n' for header in headers), compiler, tmp_path, where)
