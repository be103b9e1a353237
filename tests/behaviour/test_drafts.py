"""Drafts of headers of this machine, with the answers of `tests/imports`, under the sanitizers.

Each passes a program that uses it, and the tests that any package has to pass; one process runs all of them.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.behaviour import packages
from tests.limits import HANGS
from tests.sanitizers import FLAGS, REPORTS, compilers_are_gcc, python_under, quickest_sanitizers
from wrapper_gen import pipeline
from wrapper_gen.diagnostics import SpecError, ToolchainError
from wrapper_gen.drafts import imported
from wrapper_gen.verify.conformance import conformance_of

pytest.importorskip("clang.cindex")
pytestmark = pytest.mark.slow

ANSWERS = packages.HERE.parent / "imports"
PROGRAMS = ANSWERS / "programs"
LIBRARIES = sorted(path.stem for path in PROGRAMS.glob("*.py") if path.stem != "__init__")
NOT_HERE = "the library is not here"
LARGE = ["git2"]
"""Libraries whose drafts take minutes to compile: git2 has 696 entries."""


def drafted(name: str, folder: Path) -> Path:
    """The spec of a library, with the answers that are kept."""
    folder.mkdir()
    shutil.copy(ANSWERS / f"{name}.import", folder)
    try:
        outcome = imported.import_(name, folder, {}, builds=False, report=print)
    except (SpecError, ToolchainError) as error:
        found = error.diagnostics if isinstance(error, SpecError) else [error.diagnostic]
        pytest.skip(f"{name}: {NOT_HERE}: {found[0].message}")
    assert not outcome.off, outcome.off
    outcome.write()
    return folder / f"{name}.wrapper_spec"


def prepared(name: str, folder: Path, tests: Path) -> Path:
    """Build the package of a draft, and write its tests; gives the folder that it is imported from."""
    spec = drafted(name, folder)
    module, _ = pipeline.read(spec, spec.name)
    flags = FLAGS[quickest_sanitizers()]
    package = packages.build(spec, flags=flags, require=True, engine="cpython")
    (tests / f"test_{name}_conformance.py").write_text(conformance_of(module).text, encoding="utf-8")
    shutil.copy(PROGRAMS / f"{name}.py", tests / f"test_{name}_program.py")
    return package.folder.parent


def test_every_library_with_answers_has_a_program() -> None:
    assert {path.stem for path in ANSWERS.glob("*.import")} == {*LIBRARIES}


@pytest.mark.parametrize(
    "libraries",
    [
        pytest.param([each for each in LIBRARIES if each not in LARGE], id="ten"),
        pytest.param(LARGE, id="large", marks=pytest.mark.long),
    ],
)
def test_drafts_bear_their_use(libraries: list[str], tmp_path: Path) -> None:
    compilers_are_gcc()
    python = python_under(quickest_sanitizers())
    tests = tmp_path / "tests"
    tests.mkdir()
    folders, missing = list[Path](), dict[str, str]()
    for name in libraries:
        try:
            folders.append(prepared(name, tmp_path / name, tests))
        except pytest.skip.Exception as why:
            missing[name] = str(why)
    if not folders:
        pytest.skip("; ".join(missing.values()))
    options = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-c", os.devnull, "--rootdir", str(tests)]
    done = subprocess.run(
        [*python, "-m", "pytest", *options, "-k", "not both_engines_agree", str(tests)],  # it has one of them
        cwd=tests,
        env={
            **os.environ,
            **REPORTS,
            "PYTHONMALLOC": "malloc",
            "PYTHONPATH": os.pathsep.join(map(str, folders)),
            "WRAPPER_GEN_ENGINE": "cpython",
        },
        capture_output=True,
        text=True,
        timeout=3 * HANGS,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-6000:]
    passed = re.search(r"(\d+) passed", done.stdout)
    assert passed is not None
    assert int(passed[1]) > 20 * len(folders), done.stdout[-2000:]
