"""Where tests of pipelines and examples run: each place is an environment for a process of its own.

A process, because a library is loaded once a process, and how slow it pretends to be is read once.
"""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.cpu.testing_package import testing_folder
from tests.standin.build import StandinUnavailable, build_standin
from tests.vulkan import driver

ROOT = Path(__file__).resolve().parents[2]

PLACES: tuple[Any, ...] = (
    "cpu",
    "cpu-cffi",
    pytest.param("torch", marks=pytest.mark.torch),
    "standin",
    "vulkan",
    pytest.param("cuda-gpu", marks=pytest.mark.gpu),
    pytest.param("torch-gpu", marks=[pytest.mark.gpu, pytest.mark.torch]),
)


def skip_on_the_stand_in(backend: str, *, unless: bool) -> None:
    """Skip what shows nothing new on the stand-in for CUDA, which compiles each kernel for a second."""
    if backend == "cuda" and not unless and not has_gpu():
        pytest.skip("the stand-in compiles each kernel for a second")


_SETTINGS = {
    "cpu": {"DL_BACKEND": "cpu", "CPU_FFI_LINK_LATENCY_US": "1000"},
    "cpu-cffi": {"DL_BACKEND": "cpu", "CPU_FFI_LINK_LATENCY_US": "1000", "WRAPPER_GEN_ENGINE": "cffi"},
    "torch": {"DL_BACKEND": "torch", "CUDA_VISIBLE_DEVICES": ""},
    "standin": {"DL_BACKEND": "cuda", "CUDA_STANDIN_LATENCY_US": "500"},
    "vulkan": {"DL_BACKEND": "vulkan", "PYTHONWARNINGS": "error::RuntimeWarning"},
    "cuda-gpu": {"DL_BACKEND": "cuda"},
    "torch-gpu": {"DL_BACKEND": "torch"},
}


@cache
def has_gpu() -> bool:
    """Whether the real CUDA runtime finds a device; asked elsewhere, because it is loaded once a process."""
    code = "import cuda_ffi; print(cuda_ffi.available())"
    clean = {name: value for name, value in os.environ.items() if name != "CUDA_FFI_LIBRARY"}
    done = subprocess.run([sys.executable, "-c", code], env=clean, capture_output=True, text=True, check=False)
    return done.stdout == "True\n"


def environment(place: str) -> dict[str, str]:
    """The environment of a place, without what this shell says about devices.

    Skips the test where the place is not to be had.
    """
    prefixes = ("DL_", "CPU_FFI_", "CUDA_STANDIN_", "CUDA_FFI_", "NVRTC_FFI_", "PIPELINE_")
    ours = {name: value for name, value in os.environ.items() if not name.startswith(prefixes)}
    own = [str(testing_folder())] if place in ("cpu", "cpu-cffi") else []  # calls that fail, a link that takes its time
    paths = [str(ROOT), *own, str(ROOT / "generated")]
    settings = ours | {"PYTHONPATH": os.pathsep.join(paths)} | _SETTINGS[place]
    if place == "vulkan" and "VK_ICD_FILENAMES" not in settings:
        settings |= driver.settings()
    if place.endswith("-gpu") and not has_gpu():
        pytest.skip("no GPU here")
    if place == "standin":
        try:
            library = str(build_standin(ROOT / "build" / "standin"))
        except StandinUnavailable as missing:
            pytest.skip(str(missing))
        settings |= {"CUDA_FFI_LIBRARY": library, "NVRTC_FFI_LIBRARY": library}
    return settings
