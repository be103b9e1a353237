"""Tests of vulkan_ffi run on Mesa's lavapipe, which computes on the CPU, with the validation layer where there is one.

The driver and the layer are chosen before the library is first used, which happens once in a process.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from tests import processes
from tests.behaviour.packages import ENGINES, ROOT, Package, build
from tests.vulkan import driver


def environment() -> dict[str, str]:
    """What chooses the driver and the layer; the test is skipped where there is no such driver."""
    found = driver.settings()
    if not found:
        pytest.skip("no lavapipe here; apt install mesa-vulkan-drivers")
    return found


@pytest.fixture(scope="session")
def package() -> Package:
    """The compiled package; the test is skipped where it could not be compiled."""
    built = build(ROOT / "specs" / "vulkan.wrapper_spec")
    if built.load().STUB:
        pytest.skip("no headers of Vulkan here; apt install libvulkan-dev")
    return built


def run_python(
    package: Package, code: str, *, engine: str = ENGINES[0], **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run a program that can import the package in a process of its own."""
    settings = {**os.environ, "PYTHONPATH": str(package.folder.parent), "WRAPPER_GEN_ENGINE": engine, **environment}
    return processes.run([sys.executable, "-c", code], env=settings, cwd=ROOT)


@pytest.fixture(scope="session")
def settings() -> dict[str, str]:
    return environment()


@pytest.fixture(params=ENGINES)
def vk(request: pytest.FixtureRequest, package: Package, settings: dict[str, str]) -> Iterator[Any]:
    """The package; fails when the validation layer has something to say about the test."""
    driver.choose()
    loaded = package.load(str(request.param))
    try:
        loaded.device_count()
    except loaded.LibraryUnavailable as missing:
        pytest.skip(f"{missing}; apt install libvulkan1")
    loaded.validation_messages()
    yield loaded
    loaded.device_synchronize()
    assert loaded.validation_messages() == []
