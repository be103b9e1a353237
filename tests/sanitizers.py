"""How compiled packages and the Python that imports them are run under the sanitizers of gcc and of clang."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest

from tests.compilers import quick_linking

SANITIZERS = "address,undefined"
BY_CLANG = "address,undefined by clang++"
"""The same in half the time, where there is clang++ with its sanitizers and a linker to match."""
CLANGS_FLAG = "-shared-libasan"
"""The flag that only builds for clang++'s sanitizers have."""
LINES = "WRAPPER_GEN_TEST_LINES"
"""The environment variable with which reports of clang++'s sanitizers name lines, not only functions."""
_LINES = " -g1" if os.environ.get(LINES) else ""  # they take much of the compiler's time
FLAGS = {
    "thread": "-fsanitize=thread -fno-omit-frame-pointer -O1 -g1",
    SANITIZERS: f"-fsanitize={SANITIZERS} -fno-sanitize=enum -fno-sanitize-recover=all -fno-omit-frame-pointer -O0 -g1"
    " -fsanitize-undefined-trap-on-error --param asan-use-after-return=0",
    BY_CLANG: f"-fsanitize=address,undefined {CLANGS_FLAG} -fno-sanitize=enum,function -fsanitize-trap=undefined"
    f" -fno-sanitize-trap=vptr -fno-sanitize-recover=all -fno-omit-frame-pointer -O0{_LINES}"
    " -fsanitize-address-use-after-return=never",
}
"""How packages are compiled; to optimise takes the address sanitizer's twice the time, and makes calls little faster.

Without `enum`: an IntFlag keeps bits that have no name, and so does a C enum with every compiler we know. What is
undefined stops the program, and the address sanitizer says where; to say what it was takes the compiler twice the time.
What uses a stack that was left is only found where ASAN_OPTIONS asks for it: there need not be code for it.
"""
WITH_CLASSES = FLAGS[SANITIZERS].replace(" -fsanitize-undefined-trap-on-error", "")
"""Those of gcc, which say what is undefined, and ask each object which class it has, as those of clang++ do anyway."""
REPORTS = {
    "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1:handle_sigill=1",  # Python never frees all it has
    "UBSAN_OPTIONS": "print_stacktrace=1",
}
"""The environment in which packages run: what is found is shown, with the calls that led to it."""
WATCHED = {"thread": b"__tsan_read", SANITIZERS: b"__asan_report_load", BY_CLANG: b"__asan_report_load"}
"""What is found in machine code that a sanitizer looks on."""
NO_FORK = "not fork"
"""Tests that fork do so beside threads of C++, which may hold the lock of the sanitizer's own memory at that moment."""
CLANGS_LIBRARY = f"libclang_rt.asan-{platform.machine()}.so"
LIBRARIES = {
    "thread": ("c++", ["libtsan.so"]),
    SANITIZERS: ("c++", ["libasan.so", "libubsan.so"]),
    BY_CLANG: ("clang++", [CLANGS_LIBRARY]),
}
"""The compiler that has a sanitizer's libraries, and their names."""
KNOWN_RACES = Path(__file__).parent / "behaviour" / "stress" / "thread_sanitizer.supp"


def runtime(name: str, compiler: str = "c++") -> str:
    """A library that has to be loaded before Python."""
    found = _library(name, compiler)
    if not found:
        pytest.skip(f"the compiler has no {name}")
    return found


def _library(name: str, compiler: str) -> str:
    """Where a compiler has a library; empty where it has none."""
    command = [compiler, f"-print-file-name={name}"]
    found = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    return found if Path(found).is_absolute() else ""


@cache
def quickest_sanitizers() -> str:
    """Which of those for memory and undefined behaviour take least time here."""
    has_clang = shutil.which("clang++") and quick_linking("clang++") and _library(CLANGS_LIBRARY, "clang++")
    return BY_CLANG if has_clang else SANITIZERS


def compilers_are_gcc() -> None:
    """Skips the test where they are not: other compilers have other libraries."""
    command = [shutil.which("c++") or "false", "--version"]
    said = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    if "Free Software Foundation" not in said:
        pytest.skip("c++ is not gcc, whose sanitizers have other libraries")


def python_under(sanitizer: str) -> Sequence[str]:
    """The command that starts Python, which no sanitizer built, with one loaded before everything else."""
    compiler, names = LIBRARIES[sanitizer]
    preload = " ".join(runtime(name, compiler) for name in (*names, "libstdc++.so.6"))
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
