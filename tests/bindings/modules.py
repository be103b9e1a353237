"""The modules of pybind11 and nanobind that tests convert, and what both tools make of them."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType

from tests.compilers import CACHE, digest, locked
from wrapper_gen.bindings import Conversion, convert

MODULES = Path(__file__).with_name("modules")
BINDERS = {
    "shapes": "pybind11",
    "inventory": "pybind11",
    "signals": "pybind11",
    "robots": "nanobind",
    "graphs": "nanobind",
}
"""The tool that each module is written for."""


@cache
def converted(name: str) -> Conversion:
    """The spec of a module, for a folder anywhere."""
    folder = MODULES / name
    return convert([str(folder / f"{name}.cpp")], name, BINDERS[name], beside="/")


def with_absolute_folders(text: str) -> str:
    """A spec whose folders are relative to `/`, for a place below."""
    return text.replace("{dirs: [", "{dirs: [/")


def checks(name: str) -> ModuleType:
    """The tests of the module itself."""
    return _loaded(f"checks_of_{name}", MODULES / name / "checks.py")


def names_in(name: str) -> Iterator[str]:
    """The names of its tests, without importing them."""
    for line in (MODULES / name / "checks.py").read_text(encoding="utf-8").splitlines():
        if line.startswith("def test_"):
            yield line.removeprefix("def ").partition("(")[0]


def original(name: str) -> ModuleType:
    """The module as its own tool makes it; compiled once for all processes."""
    source = MODULES / name / f"{name}.cpp"
    text = "".join(each.read_text(encoding="utf-8") for each in sorted(source.parent.glob("*.[ch]pp")))
    root = CACHE / digest(f"{text} {BINDERS[name]} {sys.version}")
    root.mkdir(parents=True, exist_ok=True)
    target = root / f"{name}{sysconfig.get_config_var('EXT_SUFFIX')}"
    with locked(root):
        if not target.is_file():
            _compile(source, target, BINDERS[name])
    return _loaded(name, target)


def _compile(source: Path, target: Path, binder: str) -> None:
    spec = importlib.util.find_spec(binder)
    assert spec is not None and spec.origin is not None
    folder = Path(spec.origin).parent
    folders = [sysconfig.get_paths()["include"], str(folder / "include")]
    sources = [str(source)]
    if binder == "nanobind":
        folders.append(str(folder / "ext" / "robin_map" / "include"))
        sources.append(str(folder / "src" / "nb_combined.cpp"))
    compiler = os.environ.get("CXX", "g++")
    options = ["-std=c++17", "-O0", "-shared", "-fPIC", "-fvisibility=hidden", "-fno-strict-aliasing"]
    made = target.with_suffix(f".{os.getpid()}")
    command = [compiler, *options, *(f"-I{each}" for each in folders), *sources, "-o", str(made)]
    subprocess.run(command, check=True, capture_output=True, text=True)
    made.rename(target)


def _loaded(name: str, path: Path) -> ModuleType:
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module
