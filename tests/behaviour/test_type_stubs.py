"""What a package says of its types is what it has once compiled and imported: stubtest over both engines."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.behaviour import packages
from tests.behaviour.packages import HERE, SHAPES

PROPERTIES = HERE / "properties" / "properties.wrapper_spec"
SPECS = {
    "inheritance": packages.HERE / "inheritance" / "inheritance.wrapper_spec",
    "shapes": SHAPES,
    "properties": PROPERTIES,
    **{
        name: HERE.parent / "cases" / name / "spec.wrapper_spec"
        for name in ("awaitables", "interfaces", "overloads", "signatures", "submodules")
    },
    "classes": HERE.parent / "cases" / "classes" / "spec.wrapper_spec",
    **{name: HERE.parents[1] / "specs" / f"{name}.wrapper_spec" for name in ("cuda", "torch")},
}


def test_the_type_stubs_agree_with_the_modules(engine: str, tmp_path: Path) -> None:
    """All at once: stubtest reads what they share, the types of Python and torch among it, each time that it runs."""
    pytest.importorskip("mypy")
    specs = dict(SPECS)
    if importlib.util.find_spec("torch") is None:
        del specs["torch"]
    folders = [packages.build(spec).folder for spec in specs.values()]
    names = [folder.name for folder in folders]
    assert len(names) == len(set(names))
    path = os.pathsep.join(str(folder.parent) for folder in folders)
    done = subprocess.run(
        [
            *(sys.executable, "-m", "mypy.stubtest", *names),
            "--ignore-disjoint-bases",  # one stub serves both engines, and a class of the cffi engine is no such base
            *("--allowlist", str(HERE / "type_stubs.allowed"), "--ignore-unused-allowlist"),
        ],
        cwd=tmp_path,
        env={**os.environ, "MYPYPATH": path, "PYTHONPATH": path} | {"WRAPPER_GEN_ENGINE": engine},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("Success: no issues found in ")
