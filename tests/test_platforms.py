"""Other systems and machines, by compilers that run here: `docs/platforms.md` says what of it these tests hold.

A package for Linux on aarch64 is built by Debian's cross compiler, and run by an emulator where one is with Debian's
Python for that machine: `tests/platforms/aarch64.sh` fetches both. Nothing else is run: for macOS and Windows both
units are compiled by PyPI's `ziglang`, which has their C and C++ headers, but not linked: Python's library is not here.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from tests.compilers import quick
from wrapper_gen import files, pipeline

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
CROSS = "aarch64-linux-gnu"
AARCH64 = 183
"""The number of the machine in an ELF file."""
SPEC = """\
wrapper_lib: {name: small, sources: [small.c, small.h], cpp_include: small.h}
functions: [{def: "small_add(a: i32, b: i32) -> i32"}, {def: "shout(what: text) -> text", cpp: what + "!"}]
"""
PORTABLE = ("arrays", "callables", "dynamic_library", "interfaces", "nested", "streams")
"""Cases with most of the runtime's headers, whose own C++ does not take `long` for a number of 64 bits."""
EMULATED = ROOT / "build" / "aarch64"
"""What `tests/platforms/aarch64.sh` makes."""
PROGRAM = """
import platform, small_ffi
print(platform.machine(), small_ffi.ENGINE, small_ffi.add(20, 22), small_ffi.shout("gr\u00fc\u00df"))
try:
    small_ffi.add(1 << 40, 1)
except OverflowError as error:
    print(error)
"""
TARGETS = {"aarch64-macos": "", "x86_64-macos": "", "x86_64-windows-gnu": "pyconfig_windows.h"}
"""With what takes the place of this machine's `pyconfig.h`, where numbers have other sizes."""


def generate(spec: Path, folder: Path) -> Path:
    """The package of a spec."""
    made = pipeline.generate(spec, f"specs/{spec.name}")
    output = folder / "generated"
    files.write(files.compare(made.files, output, packages=[made.module.package]))
    return output / made.module.package


@pytest.mark.skipif(shutil.which(f"{CROSS}-g++") is None, reason=f"no {CROSS}-g++: apt install g++-{CROSS}")
@pytest.mark.skipif(sysconfig.get_config_var("MULTIARCH") != "x86_64-linux-gnu", reason="asked of another machine")
@pytest.mark.parametrize("abi3", [False, True])
def test_a_package_is_compiled_for_another_machine(tmp_path: Path, abi3: bool) -> None:
    """Its suffix, the machine of the file and the tag of its wheel are those of that machine."""
    package, told = cross_compiled(tmp_path, abi3)
    suffix = ".abi3.so" if abi3 else f".cpython-3{sys.version_info.minor}-{CROSS}.so"
    assert told["extension"] == f"_small_ffi{suffix}"
    python = f"cp3{sys.version_info.minor}"
    tags = "cp311-abi3" if abi3 else f"{python}-{python}"
    assert told["tag"] == f"{tags}-linux_{CROSS[:7]}"
    head = (package / told["extension"]).read_bytes()[:20]
    assert (head[:4], int.from_bytes(head[18:20], "little")) == (b"\x7fELF", AARCH64)


@pytest.mark.skipif(shutil.which(f"{CROSS}-g++") is None, reason=f"no {CROSS}-g++: apt install g++-{CROSS}")
@pytest.mark.skipif(not EMULATED.is_dir(), reason="no emulator here: tests/platforms/aarch64.sh build/aarch64")
@pytest.mark.parametrize("abi3", [False, True])
def test_what_is_compiled_for_another_machine_runs_there(tmp_path: Path, abi3: bool) -> None:
    """In Debian's Python for that machine, which an emulator runs."""
    emulator = EMULATED / "emulator" / "usr" / "bin" / "qemu-aarch64-static"
    (python,) = (EMULATED / "root" / "usr" / "bin").glob("python3.*")
    if not abi3 and python.name != f"python3.{sys.version_info.minor}":
        pytest.skip(f"the extension is for this version of Python, and {python.name} is there")
    package, _ = cross_compiled(tmp_path, abi3)
    command = [emulator, "-L", EMULATED / "root", "-E", f"PYTHONPATH={package.parent}", "-E", "PYTHONUTF8=1", python]
    done = subprocess.run([*command, "-c", PROGRAM], capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    said, refused = done.stdout.splitlines()
    assert said == "aarch64 cpython 42 grüß!"
    assert "i32" in refused or "range" in refused, refused


def cross_compiled(folder: Path, abi3: bool) -> tuple[Path, dict[str, str]]:
    """A package that is compiled for aarch64, and what its build says."""
    (folder / "small.h").write_text('#ifdef __cplusplus\nextern "C"\n#endif\nint small_add(int, int);\n', "utf-8")
    (folder / "small.c").write_text('#include "small.h"\nint small_add(int a, int b) { return a + b; }\n', "utf-8")
    (folder / "small.wrapper_spec").write_text(SPEC, encoding="utf-8")
    package = generate(folder / "small.wrapper_spec", folder)
    environment = {**os.environ, "CXX": f"{CROSS}-g++", "CC": f"{CROSS}-gcc", "CXXFLAGS": quick(compiler="g++")}
    command = [sys.executable, str(package / "ffi_build.py"), "--engine", "cpython", *(["--abi3"] if abi3 else [])]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return package, json.loads(done.stdout)


@pytest.mark.skipif(importlib.util.find_spec("ziglang") is None, reason="no ziglang here: make platforms")
@pytest.mark.parametrize("case", PORTABLE)
@pytest.mark.parametrize("target", TARGETS)
def test_both_units_compile_for_another_system(tmp_path: Path, case: str, target: str) -> None:
    (spec,) = (ROOT / "tests" / "cases" / case).glob("*.wrapper_spec")
    package = generate(spec, tmp_path)
    guard = next(line for line in (package / "ffi_build.py").read_text("utf-8").splitlines() if '"guard"' in line)
    defined = f"-D{guard.split(chr(34))[3]}=1"
    include = Path(sysconfig.get_path("include"))
    if TARGETS[target]:
        include = Path(shutil.copytree(include, tmp_path / "include"))
        shutil.copy(ROOT / "tests" / "platforms" / TARGETS[target], include / "pyconfig.h")
    command = [sys.executable, "-m", "ziglang", "c++", "-target", target, "-std=c++17", "-O0", "-g0", defined]
    command += ["-I.", "-Isources", "-isystem", str(include), "-ftemplate-backtrace-limit=0"]
    units = {"bridge.cpp": [], "cpython.cpp": ["-DWG_CPYTHON_ONLY", "-DWG_UNITS=1", "-DWG_UNIT=0"]}
    for unit, flags in units.items():
        made = tmp_path / f"{unit}.o"
        done = subprocess.run(
            [*command, *flags, "-c", unit, "-o", str(made)], cwd=package, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        assert made.stat().st_size > 1000
