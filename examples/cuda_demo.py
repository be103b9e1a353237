"""Shows the CUDA device, and sends bytes to it and back on two streams while Python goes on.

Needs `wrapper-gen build specs/cuda.wrapper_spec`; `make demo` does both. Without a CUDA driver it says so and goes on
with the stand-in that the tests use, where there is one.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "generated"))

import cuda_ffi as cuda  # noqa: E402  (where it is found was only said above)

SIZE = 16 << 20
STANDIN = {"CUDA_STANDIN_LATENCY_US": "500", "CUDA_STANDIN_GBPS": "10"}  # so that there is something to measure


def main() -> None:
    if cuda.available():
        show_device()
        round_trip()
    elif (standin := build_standin()) is not None:
        print("This machine has no CUDA driver: going on with the stand-in that the tests use.\n", flush=True)
        environment = {**os.environ, **STANDIN, "CUDA_FFI_LIBRARY": standin}
        os.execve(sys.executable, [sys.executable, __file__], environment)
    else:
        show_what_is_missing()


def show_device() -> None:
    free, total = cuda.mem_get_info()
    print(f"device {cuda.get_device()} of {cuda.device_count()}: {cuda.device_name(cuda.get_device())}")
    print(f"memory: {free / 2**30:.1f} of {total / 2**30:.1f} GiB free")
    print(f"CUDA:   runtime {version(cuda.runtime_version())}, driver {version(cuda.driver_version())}\n")


def round_trip() -> None:
    """Up on one stream, down on another; an event makes the second wait for the first."""
    source, result = bytearray(os.urandom(SIZE)), bytearray(SIZE)
    cuda.host_register(source)  # pinned, both copies run beside Python
    cuda.host_register(result)
    start, uploaded, end = cuda.event_create(), cuda.event_create(), cuda.event_create()
    with cuda.malloc(SIZE) as memory, cuda.stream_create() as up, cuda.stream_create() as down:
        up.record(start)
        cuda.memcpy_host_to_device_async(memory, source, up)
        up.record(uploaded)
        down.wait_event(uploaded)
        cuda.memcpy_device_to_host_async(result, memory, down)
        down.record(end)
        asked = 1
        while not end.query():
            asked += 1
    cuda.host_unregister(source)
    cuda.host_unregister(result)
    up_ms, down_ms = start.elapsed_time(uploaded), uploaded.elapsed_time(end)
    print(f"{SIZE >> 20} MiB up in {up_ms:.2f} ms and down in {down_ms:.2f} ms, on two streams")
    print(f"Python asked {asked} times meanwhile whether it was done")
    if result != source:
        sys.exit("the bytes came back changed")
    print("the bytes came back as they went")


def build_standin() -> str | None:
    """The path of the stand-in; None when it, a compiler or the CUDA headers are not here, or it is in use already."""
    script = ROOT / "tests" / "standin" / "build.py"
    if cuda.STUB or "CUDA_FFI_LIBRARY" in os.environ or not script.exists():
        return None
    command = [sys.executable, str(script), str(ROOT / "build" / "standin")]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else None


def show_what_is_missing() -> None:
    print("CUDA cannot be used here. The package still imports, and a call says why:\n")
    try:
        print(cuda.device_count(), "devices")
    except (cuda.LibraryUnavailable, cuda.CudaError) as error:
        print(f"{type(error).__name__}: {error}")


def version(number: int) -> str:
    return f"{number // 1000}.{number % 1000 // 10}"


if __name__ == "__main__":
    main()
