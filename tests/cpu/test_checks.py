"""The CPU device does what its headers say, also under the sanitizers."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.cpu.build import build_checks
from tests.limits import HANGS

LINK = {"CPU_FFI_LINK_LATENCY_US": "100000"}
SETTINGS: dict[str, dict[str, str]] = {
    "allocating_waits_for_memory_whose_free_is_pending": {"CPU_FFI_MEMORY_MB": "16"},
    "arrays_stay_on_their_device": {"CPU_FFI_DEVICES": "2"},
    "devices_are_apart": {"CPU_FFI_DEVICES": "2"},
    "memory_is_limited": {"CPU_FFI_MEMORY_MB": "16"},
    "outputs_past_the_caches_begin_and_end_anywhere": {"CPU_FFI_CACHE_MB": "0"},
    "parts_are_done_once_each": {"CPU_FFI_THREADS": "4"},
    "streams_share_the_pool": {"CPU_FFI_THREADS": "4"},
    "the_environment_names_calls_that_fail": {"CPU_FFI_FAIL": "malloc:2,memset_async:1=queued"},
    "the_link_has_a_rate": {"CPU_FFI_LINK_GBPS": "0.1"},
    "the_link_takes_its_time": LINK,
    "uploads_and_downloads_overlap": LINK,
    "uploads_take_turns": LINK,
    "work_rounds_to_nearest_whoever_does_it": {"CPU_FFI_THREADS": "4"},
}
"""The environment of the checks that need a particular device."""


def run(program: Path, name: str, settings: dict[str, str]) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("CPU_FFI_")}
    environment["TSAN_OPTIONS"] = "atexit_sleep_ms=10 die_after_fork=0"  # not a second for each check
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
    program = build_checks(sanitize)
    names = run(program, "--list", {}).stdout.split()
    assert set(SETTINGS) <= set(names)
    failures = {}
    level = {"CPU_FFI_CPU": "baseline"} if sanitize else {}
    for name in names:
        result = run(program, name, level | SETTINGS.get(name, {}))
        if result.returncode != 0 or result.stderr:
            failures[name] = f"exit code {result.returncode}\n{result.stderr}"
    assert not failures, "\n".join(f"{name}: {what}" for name, what in failures.items())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("check", "settings"),
    [
        ("the_link_has_a_rate", {"CPU_FFI_LINK_GBPS": "fast"}),
        ("a_stream_keeps_order", {"CPU_FFI_THREADS": "0"}),
        ("a_stream_keeps_order", {"CPU_FFI_CPU": "v9"}),
        ("a_stream_keeps_order", {"CPU_FFI_FAIL": "malloc"}),
        ("a_stream_keeps_order", {"CPU_FFI_FAIL": "malloc:0"}),
        ("a_stream_keeps_order", {"CPU_FFI_FAIL": "malloc:1=later"}),
    ],
)
def test_a_misspelt_setting_is_no_default(check: str, settings: dict[str, str]) -> None:
    result = run(build_checks(), check, settings)
    assert result.returncode != 0
    assert next(iter(settings)) in result.stderr
