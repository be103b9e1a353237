"""The behaviour tests again with a debug build of Python, which asserts what it relies on and counts all references.

Debian: `apt install python3.11-dbg libffi-dev`, for the Python that the tests run with.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from tests import compilers
from tests.behaviour import packages

pytestmark = pytest.mark.slow

TESTS = (
    "docs_and_names", "engines_agree", "enums", "exit", "failures", "handles", "handshake", "lambdas", "leaks", "lists",
    "optionals", "ownership", "prefix", "scalars", "spans", "stub", "text", "threads",
)  # fmt: skip
"""What needs no other package than cffi and what is Python alone."""


@pytest.fixture(scope="module")
def debug_python() -> list[Path]:
    """The interpreter, and the folder with the cffi that was compiled for it."""
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    found = shutil.which(f"python{version}d") or shutil.which(f"python{version}-dbg")
    if found is None:
        pytest.skip(f"there is no debug build of Python {version} here")
    folder = compilers.CACHE / f"debug_python{version}"
    if not (folder / "cffi").is_dir():
        made = folder.with_suffix(f".{os.getpid()}")
        pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "-q", "--python", found, "install")
        done = subprocess.run(
            [*pip, "--no-binary", "cffi", "--target", str(made), "cffi"], capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            pytest.skip(f"cffi cannot be compiled for the debug build: {done.stderr.strip()[-300:]}")
        shutil.rmtree(folder, ignore_errors=True)
        made.rename(folder)
    return [Path(found), folder]


def test_with_a_debug_build(debug_python: list[Path]) -> None:
    python, cffi = debug_python
    paths = [str(cffi), sysconfig.get_path("purelib"), str(packages.HERE.parents[1])]
    files = [str(packages.HERE / f"test_{name}.py") for name in TESTS]
    done = subprocess.run(
        [str(python), "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist", *files],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "WRAPPER_GEN_TEST_CALLS": "3000"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-8000:]
