"""The suite over the backends again, with the CPU device, the stand-in and their packages under sanitizers."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.behaviour import packages
from tests.cpu import testing_package as testing
from tests.gpu.places import ROOT, environment
from tests.sanitizers import FLAGS, KNOWN_RACES, NO_FORK, REPORTS, SANITIZERS, WATCHED, compilers_are_gcc, python_under
from tests.standin.build import StandinUnavailable, build_standin

pytestmark = pytest.mark.slow

HERE = Path(__file__).parent
MORE = "UNIFIED_GPU_TEST_SANITIZERS"
"""The environment variable that chooses how much: nothing for a part, `all` for everything of these files."""
FILES = {"pipeline_cases": 75, "test_allocator": 20, "test_streams": 15, "fault_cases": 5, "test_operations": 100}
ALL_FILES = {**FILES, "test_array": 80, "test_context": 10, "test_interop": 20, "test_kernels": 25}
"""The files, and how many of their tests pass at least: so that one that chooses none is noticed."""
CHOSEN = {
    "cpu": "(cpu or pipeline_cases or fault_cases) and not cuda and not jax",
    "standin": "cuda or pipeline_cases",
}
"""Tests of a backend have it in their names. JAX's threads are not compiled with a sanitizer."""
NOT_THERE = {("standin", "fault_cases")}  # the stand-in's own are in other files
ONE_OF_EACH = "not test_operations or f32 or i64 or matmul or where"
"""Dtypes differ in how elements are computed, and not in who touches which memory at what time."""
FOUND = re.compile(r"ThreadSanitizer|AddressSanitizer|runtime error")
FIBERS = re.compile(r"==\d+==WARNING: ASan is ignoring requested __asan_handle_no_return.*\n.*\n.*/issues/189\n")
"""What the address sanitizer says when the threads of a block take turns on stacks that it does not know."""


def watched_package(name: str, sanitizer: str) -> str:
    """The folder to import a package from that is compiled with a sanitizer; `cpu` is the build for tests."""
    flags = FLAGS[sanitizer]
    package = (
        testing.package_for_tests(flags)
        if name == "cpu"
        else packages.build(ROOT / "specs" / f"{name}.wrapper_spec", flags=flags)
    )
    assert WATCHED[sanitizer] in next(package.folder.glob("*.so")).read_bytes()
    return str(package.folder.parent)


def settings_for(place: str, sanitizer: str, reports: Path) -> dict[str, str]:
    """The environment of the tests: what is imported and loaded there, and how a sanitizer reports."""
    own = {
        "PYTHONMALLOC": "malloc",  # memory that is free for Python is free for the sanitizer too
        "OPENBLAS_NUM_THREADS": "1",  # NumPy's and torch's threads are not compiled with a sanitizer
        "OMP_NUM_THREADS": "1",
        "TSAN_OPTIONS": f"suppressions={KNOWN_RACES}:die_after_fork=0:log_path={reports}",
        "ASAN_OPTIONS": f"{REPORTS['ASAN_OPTIONS']}:log_path={reports}",
        "UBSAN_OPTIONS": REPORTS["UBSAN_OPTIONS"],  # it reports to stderr, whatever it is told
    }
    names = ["cpu"]
    if place == "standin":
        library = str(build_standin(ROOT / "build" / "standin", sanitizer))
        own |= {"CUDA_FFI_LIBRARY": library, "NVRTC_FFI_LIBRARY": library}
        names += ["cuda", "nvrtc"]
    folders = [str(ROOT), *(watched_package(name, sanitizer) for name in names)]
    return environment(place) | own | {"PYTHONPATH": os.pathsep.join(folders)}


@pytest.mark.parametrize(
    ("sanitizer", "place"),
    [
        ("thread", "cpu"),
        *(
            pytest.param(*each, marks=pytest.mark.long)
            for each in (("thread", "standin"), (SANITIZERS, "cpu"), (SANITIZERS, "standin"))
        ),
    ],
)
def test_nothing_is_touched_that_should_not_be(place: str, sanitizer: str, tmp_path: Path) -> None:
    """All files in one process: under a sanitizer, it takes seconds until the first test of a process runs."""
    compilers_are_gcc()
    files = [file for file in (ALL_FILES if os.environ.get(MORE) == "all" else FILES) if (place, file) not in NOT_THERE]
    python = python_under(sanitizer)
    try:
        settings = settings_for(place, sanitizer, tmp_path / "report")
    except StandinUnavailable as missing:
        pytest.skip(str(missing))
    chosen = f"({CHOSEN[place]}) and not torch and not vulkan and {NO_FORK}"
    if os.environ.get(MORE) != "all":
        chosen += f" and ({ONE_OF_EACH})"
    options = ["-v", "-x", "--capture=sys", "-p", "no:cacheprovider", "-p", "no:xdist", "-k", chosen]
    command = [*python, "-m", "pytest", *options, *(str(HERE / f"{file}.py") for file in files)]
    done = subprocess.run(command, cwd=ROOT, env=settings, capture_output=True, text=True, check=False)
    reports = [done.stderr, *(path.read_text(encoding="utf-8") for path in tmp_path.glob("report*"))]
    found = FIBERS.sub("", "".join(reports))
    assert not FOUND.search(found), found[:8000]
    assert done.returncode == 0, done.stdout[-8000:] + found[-8000:]
    passed = {file: len(re.findall(rf"/{file}\.py::.* PASSED", done.stdout)) for file in files}
    assert {file: count for file, count in passed.items() if count < ALL_FILES[file]} == {}
