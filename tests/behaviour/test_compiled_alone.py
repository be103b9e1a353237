"""`bridge.cpp` and `cpython.cpp` compile alone, with the macros that docs/packages.md names and no build script."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from tests.behaviour import packages
from tests.behaviour.packages import Package

SPEC = """
wrapper_lib: {name: alone, cpp_include: [string, vector]}
handle_types: [{name: Box, cpp_type: 'std::vector<i64>'}]
functions:
  - {name: half, cpp_body: return x / 2;, params: [{name: x, type: i64}], return: i64, stub: -1}
  - {name: greet, cpp_body: 'return "hello " + name;', params: [{name: name, type: text}], return: text}
  - {name: box, cpp_body: "return std::vector<i64>{1, 2, 3};", return: Box}
methods:
  - {handle: Box, name: sum, cpp_body: "i64 all = 0; for (i64 each : h.inner) all += each; return all;", return: i64}
"""
USE = "import alone_ffi as a; print(a.ENGINE, a.half(84), a.greet('you'), a.box().sum())"
FLAGS = ["-std=c++17", "-O0", "-fPIC", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
PYTHON = [f"-I{sysconfig.get_path('include')}"]
SHARED = ["-shared"] if sys.platform.startswith("linux") else ["-bundle", "-undefined", "dynamic_lookup"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The package, generated and no more."""
    made = packages.generate_text(SPEC, name="alone")
    return Path(shutil.copytree(made, tmp_path / made.name))


def compiler() -> str:
    found = shutil.which("c++")
    if found is None:
        pytest.skip("no c++")
    return found


def compiled(folder: Path, source: str, *flags: str) -> Path:
    """An object of one file, from another folder and without any folder of headers but Python's."""
    target = folder.parent / f"{len([*folder.parent.glob('*.o')])}.o"
    command = [compiler(), *FLAGS, *flags, "-c", str(folder / source), "-o", str(target)]
    done = subprocess.run(command, cwd=folder.parent, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return target


def linked(target: Path, *objects: Path) -> Path:
    subprocess.run([compiler(), *SHARED, *map(str, objects), "-o", str(target)], check=True)
    return target


def extension(folder: Path) -> Path:
    return folder / f"_alone_ffi{sysconfig.get_config_var('EXT_SUFFIX')}"


def test_the_bridge_is_a_c_library(folder: Path) -> None:
    library = ctypes.CDLL(str(linked(folder.parent / "alone.so", compiled(folder, "bridge.cpp", "-DHAS_ALONE"))))
    half = library.rt_alone_half
    half.argtypes, half.restype = [ctypes.c_int64], ctypes.c_int64
    assert half(84) == 42
    assert library.wg_alone_is_stub() == 0


def test_the_bridge_as_a_stub(folder: Path) -> None:
    object_ = compiled(folder, "bridge.cpp", '-DWG_MISSING="header alone.h was not found"')
    library = ctypes.CDLL(str(linked(folder.parent / "alone.so", object_)))
    assert library.wg_alone_is_stub() == 1
    assert b"header alone.h was not found" in object_.read_bytes()


@pytest.mark.quick(1)
@pytest.mark.skipif(sys.implementation.name != "cpython", reason="the cpython engine is CPython's")
@pytest.mark.parametrize(
    ("units", "macros"),
    [(1, []), (1, ["-DWG_CPYTHON_ONLY"]), (2, ["-DWG_CPYTHON_ONLY"])],
    ids=["with the C functions", "only", "two units"],
)
def test_the_cpython_engine(folder: Path, units: int, macros: list[str]) -> None:
    parts = [[f"-DWG_UNITS={units}", f"-DWG_UNIT={i}"] if units > 1 else [] for i in range(units)]
    objects = [compiled(folder, "cpython.cpp", "-DHAS_ALONE", *PYTHON, *macros, *part) for part in parts]
    built = linked(extension(folder), *objects)
    assert Package(folder).python(USE, engine="").stdout == "cpython 42 hello you 6\n"
    has_functions = b"\0rt_alone_half\0" in built.read_bytes()
    assert has_functions == ("-DWG_CPYTHON_ONLY" not in macros)


def test_the_cpython_engine_is_none_of_a_stub(folder: Path) -> None:
    command = [compiler(), *FLAGS, *PYTHON, "-fsyntax-only", str(folder / "cpython.cpp")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    first = next(line for line in done.stderr.splitlines() if "error" in line)
    assert "define HAS_ALONE: without its library a package has no cpython engine" in first
