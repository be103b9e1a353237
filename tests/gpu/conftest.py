"""Tests of unified_gpu run over every backend that can be used here; `cuda` is the stand-in where there is no GPU.

`UNIFIED_GPU_TEST_BACKENDS=vulkan` runs them over some only. What fails over Vulkan is in a table of docs/gpu/vulkan.md,
and nothing else may fail or be skipped there; see `not_on_vulkan`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Generator, Iterator

import pytest

from tests.gpu import not_on_vulkan
from tests.gpu.places import ROOT, environment
from tests.limits import HANGS
from tests.vulkan import driver
from unified_gpu import BackendUnavailable, Context
from unified_gpu.backends import load_backend

BACKENDS = tuple(os.environ.get("UNIFIED_GPU_TEST_BACKENDS", "cpu torch cuda vulkan").split())
_MISSING = ("cannot be used here", "could not import", "the suite is not here")
"""What a skipped test says where something is not installed."""

os.environ.setdefault("UNIFIED_GPU_CACHE", str(ROOT / "build" / "kernels"))  # not where the user's programs have theirs


@pytest.fixture(
    scope="session",
    params=[pytest.param(name, marks=[pytest.mark.torch] if name == "torch" else []) for name in BACKENDS],
)
def backend(request: pytest.FixtureRequest) -> str:
    """The name of a backend; the test is skipped where it cannot be used, with the reason."""
    name = str(request.param)
    if name == "vulkan":
        driver.choose()
    if name == "cuda" and not _has_gpu():
        os.environ["CUDA_FFI_LIBRARY"] = os.environ["NVRTC_FFI_LIBRARY"] = environment("standin")["CUDA_FFI_LIBRARY"]
    try:
        load_backend(name)
    except BackendUnavailable as reason:
        pytest.skip(str(reason))
    return name


@pytest.fixture
def ctx(backend: str) -> Iterator[Context]:
    """A context of each backend."""
    with Context(backend=backend) as context:
        yield context
        if backend == "vulkan":
            context.device.synchronize()  # it warns of what validation has said, also when the context was closed


@pytest.fixture
def cpu() -> Iterator[Context]:
    """A context of the CPU, for what does not depend on the backend."""
    with Context(backend="cpu") as context:
        yield context


def _has_gpu() -> bool:
    """Whether the real runtime finds a device; asked elsewhere, because it is loaded once a process."""
    code = "import cuda_ffi; print(cuda_ffi.available())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=HANGS, check=False)
    return done.stdout == "True\n"


def _is_over_vulkan(item: pytest.Item) -> bool:
    if item.path.name == "pipeline_cases.py":
        return os.environ.get("DL_BACKEND") == "vulkan"
    return getattr(getattr(item, "callspec", None), "params", {}).get("backend") == "vulkan"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What docs/gpu/vulkan.md says not to be there must fail so over Vulkan; what validation says is a failure."""
    table = not_on_vulkan.rows()
    for item in filter(_is_over_vulkan, items):
        item.add_marker(pytest.mark.filterwarnings("error::RuntimeWarning"))
        row = not_on_vulkan.row_of(item, table)
        if row is not None:
            item.add_marker(pytest.mark.xfail(reason=row.what, raises=(*row.raises, AssertionError), strict=True))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A test that skips itself over Vulkan, where docs/gpu/vulkan.md does not say so, fails."""
    report = yield
    if report.skipped and not hasattr(report, "wasxfail") and _is_over_vulkan(item):
        is_named = any(item.get_closest_marker(mark) is not None for mark in ("xfail", "skipif"))
        if not is_named and not any(reason in str(report.longrepr) for reason in _MISSING):
            report.outcome = "failed"
            report.longrepr = f"docs/gpu/vulkan.md does not say that it is skipped over Vulkan: {report.longrepr}"
    return report
