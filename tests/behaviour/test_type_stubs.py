"""What a package says of its types is what it has once compiled and imported: stubtest over both engines."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from tests import compilers
from tests.behaviour import packages
from tests.behaviour.packages import HERE, ROOT, SHAPES
from tests.behaviour.test_golden_packages import CASES, MADE_UP
from wrapper_gen import names, pipeline
from wrapper_gen.model import Module

OWN = (
    HERE / "inheritance" / "inheritance.wrapper_spec",
    HERE / "properties" / "properties.wrapper_spec",
    SHAPES,
)
"""Packages of these tests, which `make test` compares."""
TORCH = ROOT / "specs" / "torch.wrapper_spec"
LIBRARIES = sorted((ROOT / "examples" / "libraries").glob("*/*.wrapper_spec"))
EVERY = (*CASES, *sorted((ROOT / "specs").glob("*.wrapper_spec")), *LIBRARIES)
"""The packages of the golden cases, of the project, and of the libraries among the examples; each has its own name."""
PARTS = 4


@pytest.mark.slow
def test_the_type_stubs_agree_with_the_modules(engine: str, tmp_path: Path) -> None:
    """All at once: stubtest reads what they share, the types of Python among it, each time that it runs."""
    agree(OWN, engine, tmp_path)


@pytest.mark.quick(0, slow=1)
@pytest.mark.parametrize("part", range(PARTS))
def test_all_type_stubs_agree_with_their_modules(part: int, engine: str, tmp_path: Path) -> None:
    """The same of every package, as the quick tests compiled them."""
    with compilers.as_for_quick_tests():
        agree([spec for spec in EVERY if spec != TORCH][part::PARTS], engine, tmp_path)


@pytest.mark.torch
def test_the_type_stub_of_torch_agrees(engine: str, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    with compilers.as_for_quick_tests():
        agree([TORCH], engine, tmp_path)


def agree(specs: Iterable[Path], engine: str, tmp_path: Path) -> None:
    """Compare packages with their type stubs, in one process."""
    pytest.importorskip("mypy")
    folders, allowed = [], tmp_path / "allowed"
    with allowed.open("w", encoding="utf-8") as file:
        for spec in specs:
            folders.append(packages.build(spec, stub=spec.parent.name in MADE_UP).folder)
            file.writelines(f"{each}\n" for each in may_differ(pipeline.read(spec, spec.name)[0]))
    built = [folder.name for folder in folders]
    assert len(built) == len(set(built))
    path = os.pathsep.join(str(folder.parent) for folder in folders)
    done = subprocess.run(
        [
            *(sys.executable, "-m", "mypy.stubtest", *built),
            "--ignore-disjoint-bases",  # one stub serves both engines, and a class of the cffi engine is no such base
            *("--allowlist", str(HERE / "type_stubs.allowed"), "--allowlist", str(allowed)),
            "--ignore-unused-allowlist",
        ],
        cwd=tmp_path,
        env={**os.environ, "MYPYPATH": path, "PYTHONPATH": path} | {"WRAPPER_GEN_ENGINE": engine},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("Success: no issues found in ")


def may_differ(module: Module) -> Iterator[str]:
    """What stubtest finds in a package whatever its stub says: regular expressions, as in the list of those for all."""
    package = re.escape(module.package)
    for struct in module.structs:
        # The stub calls it a dataclass, and type checkers know what that has, `__replace__` from Python 3.13 on. On one
        # engine `__new__` makes it; the constructor takes any sequence where the field is a list.
        yield rf"{package}\.(\w+\.)?{struct.name}\.__(init|replace)__"
        # The cffi engine's own module has the class before the package gives it its fields and methods.
        yield rf"{package}\._cffi_engine\.{struct.name}(\.\w+)?"
        if struct.is_extended:  # by structs of the library only: Python classes are refused, and it cannot be final
            yield rf"{package}\.(\w+\.)?{struct.name}"
    for function in module.callables:
        # A call may still use former names, which the stub deprecates: no signature shows one of a parameter, and one
        # of a class method looks up the present one.
        if names.former_parameters(function):
            yield rf"{package}\.(\w+\.){{0,2}}{names.of_function(function)}"
        if former := names.former_function(function):
            yield rf"{package}\.(\w+\.){{0,2}}{former}"
