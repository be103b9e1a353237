"""What is generated compiles without a warning, under both compilers, with and without its library, and as C."""

from __future__ import annotations

import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest

from tests.behaviour import packages

STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror", "-fsyntax-only"]
SPECS = {
    "shapes": packages.SHAPES,
    "lambdas": packages.HERE / "lambdas" / "lambdas.wrapper_spec",
    "c_calls": packages.HERE / "c_calls" / "c_calls.wrapper_spec",
    "statuses": packages.HERE.parent / "cases" / "statuses" / "spec.wrapper_spec",
}
COMPILERS = ["g++", pytest.param("clang++", marks=pytest.mark.slow)]
LONG = {"c_calls"}
"""Those that take a compiler more than ten seconds."""
EXTRA = {"lambdas": ["-Wno-conversion"]}
"""Flags for specs whose own code converts as it likes."""


def compiler(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not here")
    return found


def check(command: list[str], folder: Path) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.returncode == 0


@pytest.mark.quick(2, slow=4)
@pytest.mark.parametrize("name", COMPILERS)
@pytest.mark.parametrize("mode", ["library", "stub"])
@pytest.mark.parametrize("spec", [pytest.param(name, marks=pytest.mark.slow if name in LONG else ()) for name in SPECS])
def test_the_bridge(name: str, mode: str, spec: str) -> None:
    folder = packages.generate(SPECS[spec])
    guard = {"shapes": "HAS_SHAPES", "lambdas": "HAS_LAM", "c_calls": "HAS_READER", "statuses": "HAS_STATUSES"}[spec]
    command = [
        compiler(name),
        "-std=c++17",
        *STRICT,
        *EXTRA.get(spec, []),
        f"-{'D' if mode == 'library' else 'U'}{guard}",
    ]
    check([*command, "-Isources", "bridge.cpp"], folder)


@pytest.mark.skipif("cpython" not in packages.ENGINES, reason="this Python has no cpython engine")
@pytest.mark.parametrize("name", COMPILERS)
@pytest.mark.parametrize("kind", ["this Python", pytest.param("abi3", marks=[packages.with_abi3, pytest.mark.slow])])
def test_the_cpython_engine(name: str, kind: str) -> None:
    folder = packages.generate(packages.SHAPES)
    command = [compiler(name), "-std=c++17", *STRICT, "-DHAS_SHAPES", "-Isources"]
    command += ["-DPy_LIMITED_API=0x030b0000"] if kind == "abi3" else []
    python = ["-isystem", sysconfig.get_path("include")]
    check([*command, *python, "cpython.cpp"], folder)


@pytest.mark.parametrize("standard", ["c99", "c11", "c17"])
def test_the_header_is_c(standard: str) -> None:
    folder = packages.generate(packages.SHAPES)
    program = folder / "check_header.c"
    program.write_text(
        '#include "bridge.h"\n#include "bridge.h"\nint main(void) { return wg_shapes_is_stub() ? 1 : 0; }\n'
    )
    check([compiler("cc"), f"-std={standard}", *STRICT, "-Wstrict-prototypes", program.name], folder)


@pytest.mark.slow
@pytest.mark.parametrize("standard", ["c++20", "c++23"])
def test_later_standards(standard: str) -> None:
    folder = packages.generate(packages.SHAPES)
    command = [compiler("g++"), f"-std={standard}", *STRICT, "-DHAS_SHAPES", "-Isources"]
    check([*command, "bridge.cpp"], folder)
