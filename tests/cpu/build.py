"""Compiles the checks of the CPU device, with or without a sanitizer, once per content."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
DEVICE = ROOT / "runtimes" / "cpu"
COMMON = ROOT / "runtimes" / "common"
TESTING = DEVICE / "testing"
FLAGS = ("-std=c++17", "-O1", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fno-math-errno", "-pthread")


def build_checks(sanitize: str = "") -> Path:
    """The program, of the device as tests need it, from the cache where it has been compiled before.

    Skips without a compiler.

    With a sanitizer, of the loops only those of the baseline are instrumented: tests choose them by CPU_FFI_CPU.
    """
    flags = ["-g1", f"-fsanitize={sanitize}", "-fno-sanitize-recover=all"] if sanitize else []
    device = device_sources()
    levels = [device / "level_v3.cpp", device / "level_v4.cpp"]
    objects = [compiled(f"{path.stem}.o", [path], ["-c"], device) for path in levels]
    own = [path for folder in (device, HERE / "checks") for path in sorted(folder.glob("*.cpp")) if path not in levels]
    return compiled("checks", [*own, *objects], [*flags, "-ldl"], device)


def device_sources() -> Path:
    """A folder with the device's sources as a package has them: those of tests in the place of those they replace."""
    sources = {path.name: path for folder in (COMMON, DEVICE, TESTING) for path in folder.glob("*.*")}
    key = hashlib.sha256()
    for name, path in sorted(sources.items()):
        key.update(name.encode() + path.read_bytes())
    folder = ROOT / "build" / "cpu" / "sources" / key.hexdigest()[:16]
    if not folder.is_dir():
        folder.parent.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(dir=folder.parent))
        for path in sources.values():
            shutil.copy(path, made)
        try:
            made.rename(folder)
        except OSError:  # another test was faster
            shutil.rmtree(made)
    return folder


def compiled(name: str, sources: Sequence[Path], arguments: Sequence[str], device: Path) -> Path:
    """What the compiler makes of sources and objects, in a folder named after their content and that of all headers."""
    compiler = os.environ.get("CXX", "g++")
    if shutil.which(compiler) is None:
        pytest.skip(f"no C++ compiler here: {compiler} is not to be found")
    headers = [path for folder in (device, HERE / "checks") for path in sorted(folder.glob("*.[hi]*"))]
    key = hashlib.sha256("\0".join([compiler, *FLAGS, *arguments, *(path.name for path in sources)]).encode())
    for path in (*sources, *headers):
        key.update(path.read_bytes())
    built = ROOT / "build" / "cpu" / key.hexdigest()[:16] / name
    if not built.is_file():
        built.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=built.parent) as folder:
            output = Path(folder) / name
            command = [
                compiler,
                *FLAGS,
                f"-I{device}",
                *map(str, sources),
                *arguments,
                "-o",
                str(output),
            ]
            subprocess.run(command, check=True)
            output.replace(built)  # whole or not at all, also when two tests build it at once
    return built
