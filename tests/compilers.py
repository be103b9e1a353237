"""The compilers that tests use, with flags that make builds quick, and what they compiled before."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from wrapper_gen import pipeline
from wrapper_gen.runtime_files import HEADERS

ROOT = Path(__file__).resolve().parents[1]
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache").absolute() / "wrapper-gen" / "tests"
"""Outside of the checkout: another one with the same content, as CI's, needs no build of its own."""
CLANG = "WRAPPER_GEN_TEST_CLANG"
"""The environment variable that names the clang++ of builds without flags; where it is empty, all are those of g++."""
_FOR_CLANG = ("-fpch-instantiate-templates",)  # once for all packages, as far as that goes
_LINKER = "-fuse-ld=mold"
_STANDARD = (
    *("algorithm", "array", "atomic", "chrono", "cmath", "condition_variable", "cstdint", "cstring", "deque"),
    *("filesystem", "functional", "map", "memory", "mutex", "optional", "sstream", "stdexcept", "string"),
    *("thread", "tuple", "unordered_map", "unordered_set", "variant", "vector"),
)
"""Headers that many builds include."""
_SMALLEST = ROOT / "tests" / "cases" / "minimal" / "spec.wrapper_spec"
"""What its package has of our static headers, all packages have."""


@cache
def quickest() -> str:
    """The other compiler that this run is to use where it can: clang++ takes half the time of g++. Empty without one.

    What it refuses is compiled by g++ again, in whose words tests expect what is wrong. Builds with flags of their own,
    except those of clang++'s sanitizers, and all that is shipped, are always g++'s.
    """
    compiler = os.environ.get(CLANG, "")
    if not compiler or "CXX" in os.environ or shutil.which(compiler) is None:
        return ""
    command = [compiler, *_FOR_CLANG, "-fsyntax-only", "-x", "c++", "-"]
    tried = subprocess.run(command, input="#include <vector>\n", capture_output=True, text=True, check=False)
    return "" if tried.returncode else compiler


@cache
def quick_linking(compiler: str) -> str:
    """The flag for a quicker linker, where the compiler has it.

    GNU's takes a third of the time of clang++ for a package, and for one of a sanitizer more than all the rest.
    """
    if shutil.which(compiler) is None:
        return ""
    with tempfile.TemporaryDirectory() as folder, environment(LD_PRELOAD=""):
        command = [compiler, _LINKER, "-shared", "-fPIC", "-x", "c++", os.devnull, "-o", str(Path(folder) / "none.so")]
        tried = subprocess.run(command, capture_output=True, check=False)
    return "" if tried.returncode else _LINKER


@contextmanager
def as_for_quick_tests() -> Iterator[None]:
    """Build as `make test` does, which takes no time where that ran before."""
    with environment(**{CLANG: os.environ.get(CLANG) or "clang++"}):
        quickest.cache_clear()
        try:
            yield
        finally:
            quickest.cache_clear()


def quick(flags: str = "-O0", compiler: str = os.environ.get("CXX", "g++"), *, is_whole: bool = True) -> str:
    """Flags with which a build takes less time: as they are, tests ask what code does, not how fast it is.

    Where the compiler is g++, it reads what `precompiled` says.
    """
    if compiler != "g++" or shutil.which(compiler) is None:
        return flags
    return precompiled(flags, compiler, is_whole=is_whole)


@cache
def precompiled(flags: str, compiler: str, *, is_whole: bool) -> str:
    """These flags and more, for g++ or clang++: it reads what it compiled before with the same flags.

    That is most of the standard library, and where the API of Python is the whole one, those static headers of ours too
    that all packages have. g++ makes the functions of what was compiled before in every unit: where a package has no
    use for a header, to read it so costs more than it saves. A header is known by its content. Builds of
    `test_warnings` and `test_compiled_alone` do without, and show that each file includes what it needs.
    """
    version = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True).stdout
    if compiler == "g++":
        flags += " --param=ggc-min-heapsize=512000"  # in KiB: it looks for memory to use again only when it has so much
        if "-O0" in flags.split() and int(version.partition(") ")[2].partition(".")[0] or 0) >= 12:
            flags += " -ffold-simple-inlines"  # not a function for each std::move; with -O1 it is so anyway
    command = [compiler, "-std=c++17", "-g0", "-fPIC", "-fvisibility=hidden", *flags.split(), "-x", "c++-header"]
    joined = _joined_headers() if is_whole else ""
    text = "".join(f"#include <{name}>\n" for name in _STANDARD)
    if joined:
        command += [f"-I{sysconfig.get_path(kind)}" for kind in ("include", "platinclude")]
        text += "#define PY_SSIZE_T_CLEAN\n#include <Python.h>\n"
        for_engine = "#define WG_CPYTHON\n{}#undef WG_CPYTHON\n" if sys.implementation.name == "cpython" else "{}"
        text += for_engine.format(f'#include "{HEADERS}"\n')
    if compiler != "g++":  # its preprocessor alone reads the source again, which is empty without this folder
        text = f'#if __has_include("is_compiled.hpp")\n{text}#endif\n'
        command += [*_FOR_CLANG, "-Ionce"]
    api = (Path(sysconfig.get_path("include")) / "Python.h").stat()  # which clang++ compares, too
    contents = [joined, f"{api.st_size} {api.st_mtime_ns}"]
    root = CACHE / digest(f"{version} {command} {text} {contents}")
    root.mkdir(parents=True, exist_ok=True)
    os.utime(root)
    header = root / "before.hpp"  # empty: g++ reads it where it cannot use what was compiled
    compiled = header.with_suffix(".hpp.gch" if compiler == "g++" else ".hpp.pch")
    with locked(root):
        if not compiled.is_file():
            header.touch()
            (root / HEADERS).write_text(joined, encoding="utf-8")
            source, whole = root / "source.hpp", root / "whole"  # under its name only when all of it is there
            source.write_text(text, encoding="utf-8")
            (root / "once").mkdir(exist_ok=True)
            (root / "once" / "is_compiled.hpp").touch()
            with environment(LD_PRELOAD=""):
                subprocess.run([*command, str(source), "-o", str(whole)], check=True, cwd=root)
            whole.rename(compiled)
    return f"{flags} -include {header}"


def _joined_headers() -> str:
    """Our headers as every build of this Python includes them."""
    files = pipeline.generate(_SMALLEST, _SMALLEST.name).files
    return next(text for path, text in files.items() if path.name == HEADERS)


@contextmanager
def compiling(flags: str, linked: str) -> Iterator[None]:
    """The environment of a build: with flags for compiler and linker, and without what was loaded to watch Python."""
    with environment(CXXFLAGS=flags, LDFLAGS=linked, LD_PRELOAD=""):
        yield


@contextmanager
def environment(**values: str) -> Iterator[None]:
    """These variables for a while; an empty one is left out."""
    before = {name: os.environ.get(name) for name in values}
    _set({name: value or None for name, value in values.items()})
    try:
        yield
    finally:
        _set(before)


def _set(values: Mapping[str, str | None]) -> None:
    for name, value in values.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:20]
