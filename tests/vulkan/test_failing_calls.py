"""Calls of the driver that fail once: who is told, and that the stream and the device go on."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests import processes
from tests.behaviour.packages import ENGINES, Package
from tests.vulkan.conftest import run_python

SOURCE = Path(__file__).with_name("failing_calls.c")
HEAD = """
import ctypes, os, sys, time
import vulkan_ffi as vk

failing = ctypes.CDLL(os.environ["VULKAN_FFI_LIBRARY"])
INITIALIZATION_FAILED, OUT_OF_HOST_MEMORY = -3, -1

def raised(call):
    try:
        call()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return None

def busy(stream):
    \"\"\"Work that takes a while, so that what is queued behind it is recorded, and submitted later.\"\"\"
    for _ in range(8):
        vk.fill_async(large, b"abcd", large.size() // 4, stream)

def works():
    \"\"\"Whether a stream and the device do what they are told.\"\"\"
    vk.fill_async(small, b"wxyz", 4, stream)
    found = bytearray(16)
    vk.memcpy_device_to_host_async(found, small, stream)
    stream.synchronize()
    vk.device_synchronize()
    return bytes(found) == b"wxyz" * 4

large, small, stream = vk.malloc(64 << 20), vk.malloc(16), vk.stream_create()
vk.fill_async(large, b"abcd", 4, stream)
vk.device_synchronize()
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler here")
    result = tmp_path_factory.mktemp("failing") / "libfailing.so"
    done = processes.run([compiler, "-shared", "-fPIC", str(SOURCE), "-o", str(result), "-ldl"])
    assert done.returncode == 0, done.stderr
    return result


def run(package: Package, settings: dict[str, str], library: Path, code: str, engine: str = ENGINES[0]) -> None:
    chosen = {**settings, "VULKAN_FFI_LIBRARY": str(library), "VULKAN_FFI_VALIDATION": "0"}
    done = run_python(package, HEAD + code, engine=engine, **chosen)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr


BEHIND_OTHER_WORK = """
busy(stream)
failing.fail_submit(INITIALIZATION_FAILED)
vk.fill_async(small, b"abcd", 4, stream)
if {wait}:
    time.sleep(0.05)  # the submitter's thread comes first
message = raised(vk.device_synchronize)
assert message == "VulkanError: vkQueueSubmit failed: VK_ERROR_INITIALIZATION_FAILED", message
assert raised(vk.device_synchronize) is None, "told twice"
assert works()
"""


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("wait", [True, False], ids=["by the submitter", "by the call"])
def test_device_synchronize_raises_the_error_of_a_submit(
    package: Package, settings: dict[str, str], library: Path, engine: str, wait: bool
) -> None:
    run(package, settings, library, BEHIND_OTHER_WORK.replace("{wait}", str(wait)), engine)


ELSEWHERE = """
failing.fail_submit(INITIALIZATION_FAILED)
message = raised(lambda: vk.fill_async(small, b"abcd", 4, stream))  # the stream is idle, so that it submits at once
assert message and "VK_ERROR_INITIALIZATION_FAILED" in message, message
assert works()

busy(stream)
failing.fail_submit(INITIALIZATION_FAILED)
vk.fill_async(small, b"abcd", 4, stream)
time.sleep(0.05)
message = raised(stream.synchronize)
assert message and "VK_ERROR_INITIALIZATION_FAILED" in message, message
assert raised(vk.device_synchronize) is None and works()

failing.fail_submit(OUT_OF_HOST_MEMORY)
message = raised(lambda: vk.fill_async(small, b"abcd", 4, stream))
assert message and message.startswith("MemoryError"), message
assert works()
"""


def test_others_are_told_too(package: Package, settings: dict[str, str], library: Path) -> None:
    run(package, settings, library, ELSEWHERE)


ENDING = """
failing.fail_end(INITIALIZATION_FAILED)
message = raised(lambda: vk.fill_async(small, b"abcd", 4, stream))
assert message and "vkEndCommandBuffer" in message, message
assert works()

for _ in range(5):  # streams that end with such an error, and others that take their command buffers
    other = vk.stream_create()
    busy(other)
    failing.fail_end(INITIALIZATION_FAILED)
    vk.fill_async(small, b"abcd", 4, other)
    other.close()
    raised(vk.device_synchronize)
    failing.fail_end(0)
    assert works()
"""


def test_a_stream_ends_after_a_failed_end_of_its_commands(
    package: Package, settings: dict[str, str], library: Path
) -> None:
    run(package, settings, library, ENDING)
