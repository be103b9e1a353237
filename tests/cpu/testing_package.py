"""Builds cpu_ffi as tests need it: with calls that fail on demand, and with a link that takes its time.

python -m tests.cpu.testing_package [FLAGS] prints the folder that a process imports it from, by PYTHONPATH, in place of
the package that the project ships.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path, PurePosixPath
from typing import Any

import yaml

from tests.behaviour import packages
from tests.behaviour.packages import Package
from tests.cpu.build import DEVICE, ROOT

SPEC = ROOT / "specs" / "cpu.wrapper_spec"
ADDITIONS = DEVICE / "testing" / "additions.yaml"
FLAGS = "-O2"
"""Tests of pipelines measure what overlaps, so that computing must not take long."""


def testing_spec() -> str:
    """The text of the spec: that of the project with the additions."""
    spec: dict[str, Any] = yaml.safe_load(SPEC.read_text(encoding="utf-8"))
    added = yaml.safe_load(ADDITIONS.read_text(encoding="utf-8"))
    library = spec["wrapper_lib"]
    library["cpp_include"] += added["cpp_include"]
    library["compile_args"].remove("-O3")  # it would come after the flags of a test
    sources = {PurePosixPath(path).name: path for path in [*library["sources"], *added["sources"]]}
    library["sources"] = [os.path.normpath(SPEC.parent / path) for path in sources.values()]
    spec["functions"] += added["functions"]
    return yaml.safe_dump(spec, sort_keys=False, width=1000)


def package_for_tests(flags: str = "") -> Package:
    """The package, compiled with these flags, or taken from the cache."""
    return packages.build_text(testing_spec(), name="cpu", flags=flags or packages.all_flags() or FLAGS)


def testing_folder(flags: str = "") -> Path:
    """The folder that it is imported from."""
    return package_for_tests(flags).folder.parent


if __name__ == "__main__":
    print(testing_folder(" ".join(sys.argv[1:])))
