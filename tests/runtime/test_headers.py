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


@pytest.mark.slow
@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("header", HEADERS)
@pytest.mark.parametrize("where", ["", "-DWG_RUNTIME_APART", "-DWG_RUNTIME_OBJECT"])
def test_a_header_compiles_alone(header: str, where: str, compiler: str, tmp_path: Path) -> None:
    """Behind Python.h, which some are for; packages include them in one order, which hides what one forgets.

    `where`: where the bodies are of functions that may be compiled once.
    """
    if where and "WG_ONCE" not in (INCLUDE / header).read_text(encoding="utf-8"):
        pytest.skip("it has no function that may be compiled once")
    source = tmp_path / "alone.cpp"
    source.write_text(f'#define PY_SSIZE_T_CLEAN\n#include <Python.h>\n#include "{header}"\n', encoding="utf-8")
    strict = ["-std=c++17", "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
    folders = [f"-I{INCLUDE}", f"-isystem{sysconfig.get_path('include')}"]
    command = [compiler, *strict, *filter(None, [where]), *folders, str(source)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=HANGS, check=False)
    assert done.returncode == 0, done.stderr
