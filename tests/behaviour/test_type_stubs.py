"""What a package says of its types is what it has once compiled and imported: stubtest over both engines."""

from __future__ import annotations

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


@pytest.mark.parametrize("spec", SPECS)
def test_the_type_stub_agrees_with_the_module(spec: str, engine: str, tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    if spec == "torch":
        pytest.importorskip("torch")
    folder = packages.build(SPECS[spec]).folder
    done = subprocess.run(
        [
            *(sys.executable, "-m", "mypy.stubtest", folder.name),
            "--ignore-disjoint-bases",  # one stub serves both engines, and a class of the cffi engine is no such base
            *("--allowlist", str(HERE / "type_stubs.allowed"), "--ignore-unused-allowlist"),
        ],
        cwd=tmp_path,
        env={**os.environ, "MYPYPATH": str(folder.parent), "PYTHONPATH": str(folder.parent)}
        | {"WRAPPER_GEN_ENGINE": engine},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("Success: no issues found in ")
