"""Tests of unified_gpu run over every backend that can be used here; `cuda` is the stand-in where there is no GPU.

`UNIFIED_GPU_TEST_BACKENDS=vulkan` runs them over other ones; docs/gpu.md lists what fails there.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.gpu.places import ROOT, environment
from tests.limits import HANGS
from unified_gpu import BackendUnavailable, Context
from unified_gpu.backends import load_backend

BACKENDS = tuple(os.environ.get("UNIFIED_GPU_TEST_BACKENDS", "cpu torch cuda").split())

os.environ.setdefault("UNIFIED_GPU_CACHE", str(ROOT / "build" / "kernels"))  # not where the user's programs have theirs


@pytest.fixture(scope="session", params=BACKENDS)
def backend(request: pytest.FixtureRequest) -> str:
    """The name of a backend; the test is skipped where it cannot be used, with the reason."""
    name = str(request.param)
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
