"""Faults of CUDA, on the stand-in: called with the name of a case, which raises when it is not as it should be."""

from __future__ import annotations

import ctypes
import gc
import os
import sys
from typing import Any

import numpy as np

from unified_gpu import BackendUnavailable
from unified_gpu.backends import load_backend, open_device
from unified_gpu.backends.protocols import Operand
from unified_gpu.dtypes import DTYPES

F32 = DTYPES["f32"]
SOURCE = 'extern "C" __global__ void add_one(float* xs, int count) { for (int i = 0; i < count; ++i) xs[i] += 1; }'
STANDIN = ctypes.CDLL(os.environ["CUDA_FFI_LIBRARY"])
KINDS = 5  # of what the stand-in counts


def plan(text: str) -> None:
    assert STANDIN.standinFail(text.encode()) == 0


def calls(function: str = "*") -> int:
    return int(STANDIN.standinCalls(function.encode()))


def alive() -> list[int]:
    gc.collect()
    return [STANDIN.standinLiveObjects(kind) for kind in range(KINDS)]


def work(device: Any) -> Any:
    """All that a device does, in short: what it gives is the same each time."""
    pinned, result = device.allocate_pinned(20000), device.allocate_pinned(20000)
    pinned.buffer[:] = np.arange(5000, dtype="f4").tobytes()
    up, down, done = device.create_stream(), device.create_stream(-1), device.create_event()
    x, y = (Operand(device.allocate(20000), 0, F32, (5000,), (1,)) for _ in range(2))
    total = Operand(device.allocate(4), 0, F32, (), ())
    device.upload(x.memory, 0, pinned.buffer, up)
    device.fill(y, 2.0, up)
    device.binary("mul", y, x, y, up)
    kernel = device.compile(SOURCE, "add_one").handle
    arguments = np.array([y.memory.pointer(), 5000], "u8").tobytes()[:12]
    device.launch(kernel, (1, 1, 1), (1, 1, 1), 0, arguments, (0, 8), up)
    device.launch(kernel, (1, 1, 1), (1, 1, 1), 100_000, arguments, (0, 8), up)
    device.reduce("sum", total, y, None, up)
    device.copy(x.memory, 0, y.memory, 0, 20000, up)
    up.record(done)
    down.wait_event(done)
    device.download(result.buffer, x.memory, 0, down)
    done.synchronize()
    down.synchronize()
    assert done.query() and down.query()
    free, whole = device.memory_info()
    assert free <= whole
    device.synchronize()
    total_bytes = bytearray(4)
    device.download(total_bytes, total.memory, 0, up)
    pinned.close()
    result.close()
    return bytes(result.buffer), bytes(total_bytes)


def expected() -> Any:
    values = np.arange(5000, dtype="f4") * 2 + 2
    return values.tobytes(), np.float32(values.sum(dtype="f8")).tobytes()


def every_call_fails_once() -> None:
    """Each call in turn fails: the failure is raised or does no harm, nothing hangs, and the next time all is well."""
    assert work(open_device("cuda", 0)) == expected()
    start = calls()
    assert work(open_device("cuda", 0)) == expected()
    needed = calls() - start
    raised: set[str] = set()
    for number in range(1, needed + 50):
        plan(f"*:{number}")
        before = calls()
        try:
            found = work(open_device("cuda", 0))
        except Exception as error:
            raised.add(type(error).__name__)
            error.__traceback__ = None
        else:
            assert found == expected(), f"the failure of call {number} is hidden in a wrong result"
        made = calls() - before
        plan("")
        gc.collect()
        assert work(open_device("cuda", 0)) == expected(), f"call {number} failed, and later work is spoilt"
        if made < number:
            break
    else:
        raise AssertionError("the work never ended before the planned failure")
    assert {"CudaError", "CudaMemoryError"} <= raised, raised
    assert "SystemError" not in raised


def the_driver_disappears() -> None:
    """From one call on all fail: an exception, and no crash and no hang, now and at the end of the process."""
    open_device("cuda", 0)
    for number in (1, 5, 12, 20, 30, 45, 60):
        plan(f"*:{number}+=46")
        try:
            work(open_device("cuda", 0))
        except Exception as error:
            assert type(error).__name__ in ("CudaError", "NvrtcError"), repr(error)
        else:
            raise AssertionError(f"nothing was raised when call {number} and all later ones failed")
        gc.collect()
    kept.append(open_device)
    plan("*:1+=46")  # and so it stays


kept: list[Any] = []


def two_devices() -> None:
    """Each device does its own work, whichever is current, and what was current stays so."""
    import cuda_ffi

    first, second = open_device("cuda", 0), open_device("cuda", 1)
    cuda_ffi.set_device(1)
    assert work(first) == expected()
    assert cuda_ffi.get_device() == 1
    cuda_ffi.set_device(0)
    assert work(second) == expected()
    assert cuda_ffi.get_device() == 0
    here, there, stream = first.allocate(4), second.allocate(4), second.create_stream()
    assert (here.device(), there.device()) == (0, 1)
    second.upload(there, 0, b"abcd", stream)
    second.copy(here, 0, there, 0, 4, stream)
    stream.synchronize()
    result = bytearray(4)
    first.download(result, here, 0, first.create_stream())
    assert result == b"abcd"


def nothing_is_left() -> None:
    """Streams, events, memory, pins and libraries all go with the objects that stand for them."""
    device = open_device("cuda", 0)
    work(device)
    first = alive()
    for _ in range(5):
        work(device)
    assert alive() == first
    del device
    assert alive() == [0] * KINDS


def no_device() -> None:
    try:
        load_backend("cuda")
    except BackendUnavailable as error:
        assert "no device" in str(error), error
    else:
        raise AssertionError("the backend is there")


def memory_is_scarce() -> None:
    """What does not fit is a MemoryError, and what fits still works."""
    device = open_device("cuda", 0)
    held = []
    try:
        while True:
            held.append(device.allocate(100_000))
    except MemoryError as error:
        assert len(held) == 10, (len(held), error)
    held.clear()
    assert work(device) == expected()


if __name__ == "__main__":
    globals()[sys.argv[1]]()
