"""Every call of the CPU device fails in turn, at once or on the stream: it is reported, and nothing is lost or hangs.

test_faults.py runs it with the build of cpu_ffi for tests.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import unified_gpu as ug
from unified_gpu import Context, Kernel

cpu: Any = pytest.importorskip("cpu_ffi")

TWICE = Kernel.from_source('extern "C" __global__ void twice(float *out) { out[threadIdx.x] *= 2; }', "twice")

AT_ONCE = ("record", "wait_event", "host_register", "library_load")
ON_THE_STREAM = (
    "memcpy_host_to_device_async",
    "memcpy_device_to_host_async",
    "memcpy_device_to_device_async",
    "fill",
    "cast",
    "unary",
    "binary",
    "where",
    "matmul",
    "reduce",
    "launch",
)


@pytest.fixture(autouse=True)
def no_faults_afterwards() -> Iterator[None]:
    yield
    cpu.forget_faults()


def program() -> None:
    """Uses whatever a context has; all results are checked."""
    with Context("cpu") as ctx, ctx.create_stream() as stream:
        large = [ctx.alloc(300_000) for _ in range(4)]  # each is an allocation of the device
        pinned = ctx.alloc_pinned(64)
        pinned.numpy()[:] = np.arange(64)
        a = ctx.alloc_upload(pinned, non_blocking=True)
        b = ctx.alloc(64, stream=ctx.default_stream)
        ctx.default_stream.wait_stream(stream)
        b.fill(2, stream=ctx.default_stream)
        stream.wait_event(ctx.default_stream.record())
        ctx.launch(TWICE, 64, [a])
        c = ug.where(a.gt(10), a + b, ug.relu(a)).copy()
        product = (c.reshape(8, 8) @ c.reshape(8, 8).T).cast("f64").sum()
        back = c.download(non_blocking=True)
        ctx.sync()
        data = np.arange(64, dtype="f4") * 2
        data = np.where(data > 10, data + 2, data)
        np.testing.assert_array_equal(back, data)
        assert large[0].fill(1).sum().item() == 300_000
        assert product.item() == (data.reshape(8, 8) @ data.reshape(8, 8).T).sum()


def walk(function: str, queued: bool) -> tuple[int, list[Exception]]:
    """Let each call of a function fail in turn, until there is none left; how many there were, and what they raised."""
    program()
    raised: list[Exception] = []
    for nth in range(1, 100):
        cpu.forget_faults()
        cpu.fail_at(function, nth, queued=queued)
        try:
            program()
        except Exception as error:
            error.__traceback__ = None
            raised.append(error)
        else:
            return nth - 1, raised
        finally:
            gc.collect()
        cpu.forget_faults()
        program()
    raise AssertionError(f"{function} is called without end")


@pytest.mark.filterwarnings("error::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("function", (*AT_ONCE, *ON_THE_STREAM))
def test_calls_that_fail_at_once(function: str) -> None:
    calls, raised = walk(function, queued=False)
    assert calls > 0
    assert len(raised) == calls
    assert all(isinstance(error, cpu.CpuError) for error in raised), raised


def test_memory_that_is_refused_once_is_asked_for_again() -> None:
    for nth in range(1, 6):
        cpu.forget_faults()
        cpu.fail_at("malloc", nth)
        program()
        cpu.forget_faults()
        cpu.fail_at("malloc", nth)
        cpu.fail_at("malloc", nth + 1)
        with pytest.raises(MemoryError, match=r"do not fit on cpu:0 .* are free, arrays of this context hold"):
            program()


@pytest.mark.filterwarnings("error::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("function", ON_THE_STREAM)
def test_work_that_fails_on_the_stream(function: str) -> None:
    calls, raised = walk(function, queued=True)
    assert calls > 0
    assert all(isinstance(error, cpu.CpuError) for error in raised), raised


def test_a_failure_is_told_once_and_the_stream_goes_on() -> None:
    with Context("cpu") as ctx:
        a = ctx.alloc(4).fill(1)
        ctx.sync()
        cpu.fail_at("fill", queued=True)
        a.fill(2)
        with pytest.raises(cpu.CpuError):
            ctx.sync()
        ctx.sync()
        assert a.fill(3).tolist() == [3] * 4


def test_the_memory_of_work_that_failed_is_used_again() -> None:
    with Context("cpu") as ctx:
        for _ in range(10):
            cpu.forget_faults()
            cpu.fail_at("unary", queued=True)
            with pytest.raises(cpu.CpuError):
                ug.exp(ctx.alloc(1000).fill(1)).download()
        assert ctx.memory_statistics().used == 0
        assert ctx.memory_statistics().device_allocations <= 2
