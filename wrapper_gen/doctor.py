"""What this machine has of what generating, compiling and packaging need: found where, or missing; prints nothing."""

from __future__ import annotations

import importlib.util
import os
import shlex
import shutil
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

from wrapper_gen import caches, compile, settings
from wrapper_gen.frozen import frozen
from wrapper_gen.version import VERSION

_OF_WINDOWS = ("cl", "clang-cl") if os.name == "nt" else ()


@frozen
class Examined:
    """One thing that is needed for something."""

    what: str
    where: str
    """Empty where it is missing."""
    needed: str = ""
    """What for, where nothing but that needs it; empty for what every build needs."""
    remedy: str = ""
    """What to do where it is missing."""

    @property
    def is_fatal(self) -> bool:
        return not (self.where or self.needed)

    @property
    def text(self) -> str:
        if self.where:
            return f"{self.what:14} {self.where}"
        needed = f"; only {self.needed} it" if self.needed else ""
        return f"{self.what:14} MISSING{needed}" + (f": {self.remedy}" if self.remedy else "")


def examine(output: Path) -> Iterator[Examined]:
    """All of it, in order; the settings are those of the project of an output folder.

    Raises:
        SpecError: the settings are wrong.
    """
    yield Examined("wrapper-gen", f"{VERSION}, {Path(__file__).parent}")
    version = ".".join(map(str, sys.version_info[:3]))
    without = " without the GIL" if sysconfig.get_config_var("Py_GIL_DISABLED") else ""
    yield Examined("Python", f"{version}{without}, {sys.executable}")
    header = Path(sysconfig.get_path("include"), "Python.h")
    yield Examined("Python.h", str(header) if header.exists() else "")
    yield Examined("C++ compiler", _compiler("CXX", *_OF_WINDOWS, "c++", "g++", "clang++"))
    yield Examined(
        "C compiler", _compiler("CC", *_OF_WINDOWS, "cc", "gcc", "clang"), "libraries with sources in C need"
    )
    pkg_config = shlex.split(os.environ.get("PKG_CONFIG", "pkg-config"))[0]
    yield Examined("pkg-config", shutil.which(pkg_config) or "", "specs with names in `requires` need")
    yield Examined("cffi", _module("cffi"), "the cffi engine and stubs need")
    yield Examined("CMake", shutil.which("cmake") or "", "wheels need")
    clang, pygls = "pip install 'wrapper-gen[import]'", "pip install 'wrapper-gen[lsp]'"
    yield Examined("libclang", _module("clang"), "`import`, `verify` and `compare` need", clang)
    yield Examined("pygls", _module("pygls"), "`lsp` needs", pygls)
    yield Examined("cache", _cache(), "quick builds need")
    yield Examined("settings", _settings(output))


def _compiler(variable: str, *names: str) -> str:
    """The compiler that the environment names, or the first that is there, with its own words for its version."""
    chosen = shlex.split(os.environ.get(variable, "")) or next(([name] for name in names if shutil.which(name)), [])
    path = shutil.which(chosen[0]) if chosen else None
    return f"{shlex.join([path, *chosen[1:]])}, {compile.version_of(path)}" if path else ""


def _module(name: str) -> str:
    found = importlib.util.find_spec(name)
    return str(found.origin or next(iter(found.submodule_search_locations or ()), "")) if found else ""


def _cache() -> str:
    try:
        folder = caches.base()
        size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    except (OSError, RuntimeError):
        return ""
    return f"{folder}, {size >> 20} MB" if folder.is_dir() else f"{folder}, which the first build makes"


def _settings(output: Path) -> str:
    found = settings.read(output)
    named = [f"version {found.version}"] if found.version else []
    named += [f"output {os.path.relpath(found.output)}"] if found.output else []
    return ", ".join([f"runtime {found.runtime}", *named])
