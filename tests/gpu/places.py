"""Where tests of pipelines and examples run: each place is an environment for a process of its own.

A process, because a library is loaded once a process, and how slow it pretends to be is read once.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from tests.standin.build import StandinUnavailable, build_standin

ROOT = Path(__file__).resolve().parents[2]

PLACES: tuple[Any, ...] = (
    "cpu",
    "cpu-cffi",
    "torch",
    "standin",
    pytest.param("cuda-gpu", marks=pytest.mark.gpu),
    pytest.param("torch-gpu", marks=pytest.mark.gpu),
)

_SETTINGS = {
    "cpu": {"DL_BACKEND": "cpu", "HOST_FFI_LINK_LATENCY_US": "1000"},
    "cpu-cffi": {"DL_BACKEND": "cpu", "HOST_FFI_LINK_LATENCY_US": "1000", "WRAPPER_GEN_ENGINE": "cffi"},
    "torch": {"DL_BACKEND": "torch", "CUDA_VISIBLE_DEVICES": ""},
    "standin": {"DL_BACKEND": "cuda", "CUDA_STANDIN_LATENCY_US": "500"},
    "cuda-gpu": {"DL_BACKEND": "cuda"},
    "torch-gpu": {"DL_BACKEND": "torch"},
}


def environment(place: str) -> dict[str, str]:
    """The environment of a place, without what this shell says about devices.

    Skips the test where the place is not to be had.
    """
    prefixes = ("DL_", "HOST_FFI_", "CUDA_STANDIN_", "CUDA_FFI_", "NVRTC_FFI_", "PIPELINE_")
    ours = {name: value for name, value in os.environ.items() if not name.startswith(prefixes)}
    paths = [str(ROOT), str(ROOT / "generated")]
    settings = ours | {"PYTHONPATH": os.pathsep.join(paths)} | _SETTINGS[place]
    if place == "standin":
        try:
            library = str(build_standin(ROOT / "build" / "standin"))
        except StandinUnavailable as missing:
            pytest.skip(str(missing))
        settings |= {"CUDA_FFI_LIBRARY": library, "NVRTC_FFI_LIBRARY": library}
    return settings
