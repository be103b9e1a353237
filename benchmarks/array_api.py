"""The conformance suite of the Python array API standard over unified_gpu: how many of its tests pass.

python benchmarks/array_api.py SUITE [--backend cpu|vulkan] [--examples N] [--no-install] [--only TEXT]

SUITE is a checkout of https://github.com/data-apis/array-api-tests with its submodule. It runs in a copy, by pytest and
hypothesis in the environment of the peers. What is left out, and why, stands in array_api_left_out.toml. As a plugin of
pytest, this module leaves it out.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from common import REPOSITORY, first_line, progress
from peers import ENVIRONMENT, Missing, installed

LEFT_OUT = Path(__file__).with_name("array_api_left_out.toml")
FOLDER = REPOSITORY / "build" / "benchmarks" / "array_api"
_WITHOUT_COMPLEX = ("for dt in complex_dtypes], key", "for dt in complex_dtypes or real_float_dtypes], key")
"""The suite fails when it is imported for a namespace without complex numbers; this line of it is changed."""
_OPENED = "exec('import unified_gpu; ctx = unified_gpu.Context(\"{}\"); ctx.__enter__(); xp = ctx.array_namespace')"


def pytest_collection_modifyitems(items: Sequence[Any]) -> None:
    """Mark what is left out with its reason."""
    import pytest  # of the environment that has the suite's own requirements

    patterns = [(reason, re.compile(each)) for reason, listed in left_out().items() for each in listed]
    for item in items:
        name = item.nodeid.removeprefix("array_api_tests/")
        reason = next((reason for reason, pattern in patterns if pattern.match(name)), None)
        if reason is not None:
            item.add_marker(pytest.mark.skip(reason=reason), append=False)


def left_out() -> dict[str, list[str]]:
    """Regular expressions of names of tests, by the reason why they are left out."""
    return tomllib.loads(LEFT_OUT.read_text(encoding="utf-8"))


def copied(suite: Path, backend: str) -> Path:
    """A copy of the suite that can be imported for a namespace without complex numbers."""
    target = FOLDER / backend
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(suite, target, ignore=shutil.ignore_patterns(".git", ".hypothesis", "__pycache__"))
    helpers = target / "array_api_tests" / "dtype_helpers.py"
    text = helpers.read_text(encoding="utf-8")
    helpers.write_text(text.replace(*_WITHOUT_COMPLEX), encoding="utf-8")
    return target


def run_suite(folder: Path, backend: str, examples: int, only: str) -> ElementTree.Element:
    """What pytest says of each test."""
    report = folder / "report.xml"
    paths = (REPOSITORY, REPOSITORY / "generated", REPOSITORY / "benchmarks")
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(map(str, paths)),
        "ARRAY_API_TESTS_MODULE": _OPENED.format(backend),
        "ARRAY_API_TESTS_SKIP_DTYPES": "complex64,complex128",
    }
    command = [str(ENVIRONMENT / "bin" / "python"), "-m", "pytest", "array_api_tests", "-q", "-p", "array_api"]
    command += ["-p", "no:cacheprovider", "-W", "ignore", "--tb=short", "--disable-deadline", "--derandomize"]
    command += [f"--max-examples={examples}", f"--junitxml={report}", *(["-k", only] if only else [])]
    with (folder / "log.txt").open("w", encoding="utf-8") as log:
        subprocess.run(command, cwd=folder, env=environment, stdout=log, stderr=subprocess.STDOUT, check=False)
    if not report.exists():
        sys.exit(f"the suite did not run; see {folder / 'log.txt'}")
    return ElementTree.parse(report).getroot()


def counted(report: ElementTree.Element) -> tuple[int, list[str], Counter[str]]:
    """How many tests pass, which fail, and how many are left out for each reason."""
    passed, failed, reasons = 0, [], Counter[str]()
    for case in report.iter("testcase"):
        skipped = case.find("skipped")
        if skipped is not None:
            reasons[skipped.get("message", "")] += 1
        elif case.find("failure") is not None or case.find("error") is not None:
            failed.append(f"{case.get('classname', '').removeprefix('array_api_tests.')}::{case.get('name')}")
        else:
            passed += 1
    return passed, failed, reasons


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite", type=Path, metavar="SUITE")
    parser.add_argument("--backend", default="cpu")
    parser.add_argument("--examples", type=int, default=10, metavar="N", help="draws of a test; 10 by default")
    parser.add_argument("--only", default="", metavar="TEXT", help="the tests that `pytest -k TEXT` chooses")
    parser.add_argument("--no-install", action="store_true")
    given = parser.parse_args()
    if not (given.suite / "array-api" / "spec").is_dir():
        sys.exit(f"{given.suite} has no array-api/spec: git clone --recursive the suite")
    needed = ("pytest==9.2.0", "hypothesis==6.170.17", "pytest-json-report==1.5.0", "numpy")
    found = installed("ndindex", "1.10.1", not given.no_install, needed)
    if isinstance(found, Missing):
        sys.exit(f"ndindex: {found.why}")
    progress(f"array-api-tests on {given.backend}: minutes, most of them for compiling kernels")
    folder = copied(given.suite, given.backend)
    passed, failed, reasons = counted(run_suite(folder, given.backend, given.examples, given.only))
    version = first_line(["git", "-C", str(given.suite), "log", "-1", "--format=%h"]) or "of unknown version"
    wanted = passed + len(failed)
    print(f"array-api-tests {version} on {given.backend}, {given.examples} examples a test")
    print(f"{passed} of {wanted} tests pass, {passed / max(wanted, 1):.1%}; {reasons.total()} are left out:")
    for reason, count in reasons.most_common():
        print(f"{count:6}  {reason}")
    for name in failed:
        print(f"  fails  {name}")


if __name__ == "__main__":
    main()
