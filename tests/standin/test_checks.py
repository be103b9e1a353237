"""The CUDA stand-in behaves as CUDA does where our tests rely on it; also under the sanitizers."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.limits import HANGS
from tests.standin.build import StandinUnavailable, build_checks

ROOT = Path(__file__).resolve().parents[2]
LATENCY = {"CUDA_STANDIN_LATENCY_US": "10000"}
SETTINGS: dict[str, dict[str, str]] = {
    "uploads_and_downloads_overlap": LATENCY,
    "uploads_take_turns": LATENCY,
    "freeing_waits_for_the_device": LATENCY,
    "elapsed_time_has_latency_and_bandwidth": LATENCY | {"CUDA_STANDIN_GBPS": "1"},
    "a_kernel_takes_time": {"CUDA_STANDIN_LATENCY_US": "1", "CUDA_STANDIN_KERNEL_US": "30000"},
    "memory_is_limited": {"CUDA_STANDIN_MEMORY_MB": "16"},
    "calls_fail_when_told_to": {"CUDA_STANDIN_FAIL": "cudaMalloc:2,cudaMemset:1=719"},
    "without_a_device_everything_says_so": {"CUDA_STANDIN_DEVICES": "0"},
    "devices_are_apart": {"CUDA_STANDIN_DEVICES": "2"},
}
"""The environment of the checks that need a particular machine."""
FIBERS = re.compile(r"==\d+==WARNING: ASan is ignoring requested __asan_handle_no_return.*\n.*\n.*/issues/189\n")
"""What the address sanitizer says when the threads of a block take turns on stacks that it does not know."""


def run(program: Path, name: str, settings: dict[str, str]) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("CUDA_STANDIN_")}
    environment["TSAN_OPTIONS"] = "atexit_sleep_ms=10"  # not a second for each check
    return subprocess.run(
        [program, name], env=environment | settings, capture_output=True, text=True, timeout=HANGS, check=False
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "sanitize",
    ["", pytest.param("thread", marks=pytest.mark.long), "address,undefined"],
    ids=["plain", "thread", "address"],
)
def test_every_check_passes(sanitize: str) -> None:
    try:
        program = build_checks(ROOT / "build" / "standin", sanitize)
    except StandinUnavailable as missing:
        pytest.skip(str(missing))
    names = run(program, "--list", {}).stdout.split()
    assert set(SETTINGS) <= set(names)
    failures = {}
    for name in names:
        result = run(program, name, SETTINGS.get(name, {}))
        messages = FIBERS.sub("", result.stderr)
        if result.returncode != 0 or messages:
            failures[name] = f"exit code {result.returncode}\n{messages}"
    assert not failures, "\n".join(f"{name}: {what}" for name, what in failures.items())


@pytest.mark.parametrize(
    "settings",
    [
        {"CUDA_STANDIN_LATENCY_US": "fast"},
        {"CUDA_STANDIN_FAIL": "cudaMalloc"},
        {"CUDA_STANDIN_FAIL": "cudaMalloc:x"},
        {"CUDA_STANDIN_FAIL": "*:2-"},
    ],
)
def test_a_misspelt_setting_ends_the_process(settings: dict[str, str]) -> None:
    try:
        program = build_checks(ROOT / "build" / "standin")
    except StandinUnavailable as missing:
        pytest.skip(str(missing))
    result = run(program, "live_objects_are_counted", settings)
    assert result.returncode != 0
    assert next(iter(settings)) in result.stderr
