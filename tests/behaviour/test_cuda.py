"""The generated cuda package works: on the stand-in, on the real runtime without a driver, and as a stub."""

from __future__ import annotations

import ctypes
import functools
import gc
import os
import struct
import threading
import time
from array import array
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.behaviour.cuda_process import LIBRARY, ROOT, anywhere, built, has_gpu, on_standin, python
from tests.standin.build import StandinUnavailable, cuda_include, standin_environment

POISON = 0xCD
"""What the stand-in has in memory that nobody wrote."""


# --- what the tests need ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def cuda_package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    try:
        cuda_include()
    except StandinUnavailable as missing:
        pytest.skip(str(missing))
    folder = tmp_path_factory.mktemp("cuda")
    built("nvrtc", folder)  # beside it, for kernels
    return built("cuda", folder)


@pytest.fixture(scope="session")
def stub_package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built("cuda", tmp_path_factory.mktemp("cuda_stub"), stub=True)


@pytest.fixture(scope="session")
def standin() -> dict[str, str]:
    try:
        return standin_environment(ROOT / "build" / "standin")
    except StandinUnavailable as missing:
        pytest.skip(str(missing))


def runtime() -> Any:
    """The stand-in itself, to ask what the package did with it."""
    return ctypes.CDLL(os.environ[LIBRARY])


def live_objects() -> list[int]:
    """How many streams, events and device allocations there are."""
    return [runtime().standinLiveObjects(kind) for kind in range(3)]


def hold(stream: Any) -> None:
    """Let what is queued on the stream from now on wait for `release`."""
    assert runtime().standinHold(ctypes.c_void_p(stream.pointer())) == 0


def release() -> None:
    runtime().standinRelease()


def calls(function: str) -> int:
    return int(runtime().standinCalls(function.encode()))


def read(cuda: ModuleType, memory: Any) -> bytes:
    """What device memory holds, once all queued work is done."""
    cuda.device_synchronize()
    result = bytearray(memory.size())
    cuda.memcpy_device_to_host(result, memory)
    return bytes(result)


def raised(kind: type[Exception], call: Callable[[], object]) -> Any:
    """The exception of this very kind that `call` raises."""
    with pytest.raises(kind) as caught:
        call()
    assert type(caught.value) is kind
    return caught.value


# --- devices ---------------------------------------------------------------------------------------------------------


@on_standin(memory_mb=64, devices=2)
def test_devices_are_described(cuda: ModuleType) -> None:
    assert not cuda.STUB
    assert cuda.available()
    assert cuda.runtime_version() == cuda.driver_version() >= 12000
    assert cuda.device_count() == 2
    assert cuda.device_name() == cuda.device_name(1) == "CUDA stand-in"
    cuda.malloc(1 << 20)
    memory = cuda.malloc(2 << 20)
    assert cuda.mem_get_info() == (62 << 20, 64 << 20)
    assert memory.size() == 2 << 20


@anywhere
def test_a_device_has_a_name_and_memory(cuda: ModuleType) -> None:
    assert cuda.available()
    assert cuda.device_name(cuda.device_count() - 1)
    free, total = cuda.mem_get_info()
    assert 0 < free <= total
    least, greatest = cuda.stream_priority_range()
    assert least == 0 >= greatest


@on_standin(devices=2)
def test_each_thread_has_its_current_device(cuda: ModuleType) -> None:
    cuda.set_device(1)
    seen: list[int] = []
    thread = threading.Thread(target=lambda: seen.append(cuda.get_device()))
    thread.start()
    thread.join()
    assert (seen, cuda.get_device()) == ([0], 1)


@on_standin(devices=2)
def test_things_are_released_whatever_device_is_current(cuda: ModuleType) -> None:
    cuda.set_device(1)
    things = [cuda.malloc(8), cuda.stream_create(), cuda.event_create()]
    assert things[0].device() == 1
    cuda.set_device(0)
    for thing in things:
        thing.close()
    assert live_objects() == [0, 0, 0]
    assert cuda.get_device() == 0


@on_standin(devices=0)
def test_no_device_is_a_count_of_zero(cuda: ModuleType) -> None:
    assert not cuda.available()
    assert cuda.device_count() == 0
    assert raised(cuda.CudaError, lambda: cuda.malloc(1)).code == 100


# --- memory ----------------------------------------------------------------------------------------------------------


@anywhere
def test_bytes_go_to_the_device_and_back(cuda: ModuleType) -> None:
    with cuda.malloc(8) as first, cuda.malloc(8) as second:
        cuda.memcpy_host_to_device(first, b"abcdefgh")
        cuda.memset(second, 0x2E, 8)
        cuda.memcpy_device_to_device(second, first, 3)
        assert read(cuda, second) == b"abc....."


@anywhere
def test_offsets_reach_into_memory(cuda: ModuleType) -> None:
    first, second = cuda.malloc(8), cuda.malloc(8)
    cuda.memset(first, 0x2E, 8)
    cuda.memset(first, 0x2B, 2, dst_offset=6)
    cuda.memcpy_host_to_device(first, b"xy", 1)
    assert read(cuda, first) == b".xy...++"
    cuda.memcpy_device_to_device(second, first, 4, dst_offset=2, src_offset=1)
    middle = bytearray(4)
    cuda.memcpy_device_to_host(middle, second, src_offset=2)
    assert middle == b"xy.."


@anywhere
def test_any_buffer_is_copied(cuda: ModuleType) -> None:
    numbers = array("f", [1.5, -2.0, 3.25])
    result = array("f", [0.0, 0.0, 0.0])
    memory = cuda.malloc(12)
    cuda.memcpy_host_to_device(memory, numbers)
    cuda.memcpy_device_to_host(memoryview(result).cast("B"), memory)
    assert result == numbers


@anywhere
def test_memory_says_what_it_is(cuda: ModuleType) -> None:
    memory, nothing = cuda.malloc(24), cuda.malloc(0)
    assert (memory.size(), memory.is_null(), memory.device()) == (24, False, cuda.get_device())
    assert memory.pointer() > 0
    assert (nothing.size(), nothing.is_null(), nothing.pointer()) == (0, True, 0)
    cuda.memcpy_host_to_device(nothing, b"")


@on_standin()
def test_sizes_are_checked_before_cuda_is_called(cuda: ModuleType) -> None:
    memory, other, host, huge = cuda.malloc(16), cuda.malloc(32), bytearray(17), 2**64 - 1
    for call, size, offset, limit in [
        (lambda: cuda.memset(memory, 0, 17), 17, 0, 16),
        (lambda: cuda.memset(memory, 0, 1, dst_offset=16), 1, 16, 16),
        (lambda: cuda.memset_async(memory, 0, huge), huge, 0, 16),
        (lambda: cuda.memset_async(memory, 0, 2, dst_offset=huge), 2, huge, 16),
        (lambda: cuda.memcpy_host_to_device(memory, host), 17, 0, 16),
        (lambda: cuda.memcpy_host_to_device_async(memory, host[:4], dst_offset=13), 4, 13, 16),
        (lambda: cuda.memcpy_device_to_host(host, memory), 17, 0, 16),
        (lambda: cuda.memcpy_device_to_host_async(host, memory), 17, 0, 16),
        (lambda: cuda.memcpy_device_to_device(other, memory, 20), 20, 0, 16),
        (lambda: cuda.memcpy_device_to_device(memory, other, 20), 20, 0, 16),
        (lambda: cuda.memcpy_device_to_device_async(other, memory, 20), 20, 0, 16),
        (lambda: cuda.memcpy_device_to_device_async(memory, other, 8, dst_offset=9), 8, 9, 16),
    ]:
        message = f"{size} bytes at offset {offset} do not fit in device memory of {limit} bytes"
        assert str(raised(ValueError, call)) == message
    assert sum(map(calls, ["cudaMemset", "cudaMemsetAsync", "cudaMemcpy", "cudaMemcpyAsync"])) == 0


@on_standin()
def test_numbers_that_do_not_fit_are_overflows(cuda: ModuleType) -> None:
    memory = cuda.malloc(4)
    raised(OverflowError, lambda: cuda.malloc(-1))
    raised(OverflowError, lambda: cuda.malloc(2**64))
    raised(OverflowError, lambda: cuda.memset(memory, 256, 4))
    raised(OverflowError, lambda: cuda.memset(memory, -1, 4))
    raised(OverflowError, lambda: cuda.memset(memory, 0, -1))


@on_standin()
def test_other_things_than_memory_are_type_errors(cuda: ModuleType) -> None:
    memory = cuda.malloc(4)
    calls: list[Callable[[], object]] = [
        lambda: cuda.memcpy_host_to_device(memory, "text"),
        lambda: cuda.memcpy_host_to_device(memory, memoryview(b"abcdefgh")[::2]),
        lambda: cuda.memcpy_host_to_device(b"abcd", b"abcd"),
        lambda: cuda.memcpy_device_to_host(b"read", memory),
        lambda: cuda.memcpy_device_to_host(array("f", [0.0]), memory),
        lambda: cuda.memcpy_device_to_host(None, memory),
        lambda: cuda.memset(cuda.stream_create(), 0, 1),
        lambda: cuda.memset_async(memory, 0, 1, cuda.event_create()),
        lambda: cuda.CudaDeviceMem(),
    ]
    for call in calls:
        raised(TypeError, call)
    assert read(cuda, memory) == bytes([POISON] * 4)


# --- streams and events ----------------------------------------------------------------------------------------------


@anywhere
def test_two_streams_and_an_event_make_a_round_trip(cuda: ModuleType) -> None:
    size = 1 << 16
    source, result = bytearray(os.urandom(size)), bytearray(size)
    cuda.host_register(source)
    cuda.host_register(result)
    up, down = (cuda.stream_create(cuda.StreamFlags.NON_BLOCKING) for _ in range(2))
    first, second, uploaded = cuda.malloc(size), cuda.malloc(size), cuda.event_create()
    cuda.memcpy_host_to_device_async(first, source, up)
    cuda.memcpy_device_to_device_async(second, first, size, up)
    up.record(uploaded)
    down.wait_event(uploaded)
    cuda.memcpy_device_to_host_async(result, second, down)
    down.synchronize()
    assert result == source
    assert up.query() and down.query() and uploaded.query()
    cuda.host_unregister(source)
    cuda.host_unregister(result)


@on_standin()
def test_copies_of_pinned_memory_run_beside_python(cuda: ModuleType) -> None:
    source, result = bytearray(b"new!"), bytearray(b"old!")
    cuda.host_register(source)
    cuda.host_register(result)
    stream, memory = cuda.stream_create(), cuda.malloc(4)
    hold(stream)
    cuda.memcpy_host_to_device_async(memory, source, stream)
    cuda.memcpy_device_to_host_async(result, memory, stream)
    assert not stream.query()
    assert result == b"old!"
    release()
    stream.synchronize()
    assert stream.query()
    assert result == b"new!"


@on_standin(latency_us=50_000)
def test_copies_of_ordinary_memory_are_safe(cuda: ModuleType) -> None:
    source, result = bytearray(b"new!"), bytearray(4)
    stream, memory = cuda.stream_create(), cuda.malloc(4)
    cuda.memcpy_host_to_device_async(memory, source, stream)
    source[:] = b"late"
    cuda.memcpy_device_to_host_async(result, memory, stream)
    assert result == b"new!"


@anywhere
def test_a_stream_keeps_order(cuda: ModuleType) -> None:
    stream, memory = cuda.stream_create(), cuda.malloc(4)
    for value in range(100):
        cuda.memset_async(memory, value, 4, stream)
    stream.synchronize()
    assert read(cuda, memory) == bytes([99] * 4)


@on_standin()
def test_an_event_makes_one_stream_wait_for_another(cuda: ModuleType) -> None:
    writer, reader = (cuda.stream_create(cuda.StreamFlags.NON_BLOCKING) for _ in range(2))
    memory, result, written = cuda.malloc(1), bytearray(1), cuda.event_create()
    cuda.host_register(result)
    hold(writer)
    for value in (1, 2, 3):
        cuda.memset_async(memory, value, 1, writer)
    writer.record(written)
    reader.wait_event(written)
    cuda.memcpy_device_to_host_async(result, memory, reader)
    assert not written.query() and not reader.query()
    release()
    reader.synchronize()
    assert written.query()
    assert result == bytes([3])


@on_standin()
def test_the_default_stream_waits_for_default_streams_only(cuda: ModuleType) -> None:
    ordered = cuda.stream_create()
    apart = cuda.stream_create(cuda.StreamFlags.NON_BLOCKING)
    first, second, result = cuda.malloc(1), cuda.malloc(1), bytearray(1)
    cuda.memset_async(first, 1, 1, ordered)
    cuda.memcpy_device_to_host(result, first)
    assert result == bytes([1])
    hold(apart)
    cuda.memset_async(second, 1, 1, apart)
    cuda.memset_async(first, 2, 1)
    cuda.memcpy_device_to_host(result, first)
    assert result == bytes([2])
    assert not apart.query()
    release()
    assert read(cuda, second) == bytes([1])


@anywhere
def test_streams_have_priorities(cuda: ModuleType) -> None:
    least, greatest = cuda.stream_priority_range()
    assert cuda.stream_create().priority() == 0
    assert cuda.stream_create(priority=greatest).priority() == greatest
    assert cuda.stream_create(cuda.StreamFlags.NON_BLOCKING, greatest - 100).priority() == greatest
    assert cuda.CudaStream.stream_create(priority=least).priority() == least


@anywhere
def test_pointers_are_for_other_libraries(cuda: ModuleType) -> None:
    assert cuda.stream_create().pointer() > 0
    assert cuda.event_create().pointer() > 0


@on_standin(latency_us=20_000)
def test_events_measure_milliseconds(cuda: ModuleType) -> None:
    stream, memory = cuda.stream_create(), cuda.malloc(1)
    start, end = cuda.event_create(), cuda.event_create(cuda.EventFlags.BLOCKING_SYNC)
    stream.record(start)
    cuda.memset_async(memory, 0, 1, stream)
    cuda.memset_async(memory, 0, 1, stream)
    stream.record(end)
    end.synchronize()
    assert 40 <= start.elapsed_time(end) < 40_000  # less than there are microseconds


@on_standin()
def test_times_that_are_not_there_are_errors(cuda: ModuleType) -> None:
    stream, memory = cuda.stream_create(), cuda.malloc(1)
    start, end = cuda.event_create(), cuda.event_create()
    untimed = cuda.event_create(cuda.EventFlags.DISABLE_TIMING)
    assert start.query()
    start.synchronize()
    stream.record(start)
    stream.record(untimed)
    assert raised(cuda.CudaError, lambda: start.elapsed_time(end)).code == 400
    assert raised(cuda.CudaError, lambda: start.elapsed_time(untimed)).code == 400
    hold(stream)
    cuda.memset_async(memory, 0, 1, stream)
    stream.record(end)
    assert raised(cuda.CudaError, lambda: start.elapsed_time(end)).name == "cudaErrorNotReady"
    release()


# --- kernels ---------------------------------------------------------------------------------------------------------

SOURCE = """
extern "C" __global__ void add(float* out, const float* x, float increment, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) out[i] = x[i] + increment;
}
extern "C" __global__ void reverse(int* numbers) {
    extern __shared__ int copies[];
    copies[threadIdx.x] = numbers[threadIdx.x];
    __syncthreads();
    numbers[threadIdx.x] = copies[blockDim.x - 1 - threadIdx.x];
}
extern "C" __global__ void nothing() {}
"""
ONE = (1, 1, 1)


def image(cuda: ModuleType) -> bytes:
    """The kernels, compiled for the device."""
    import nvrtc_ffi

    ask = cuda.DeviceAttribute
    major, minor = map(cuda.device_attribute, (ask.COMPUTE_CAPABILITY_MAJOR, ask.COMPUTE_CAPABILITY_MINOR))
    program = nvrtc_ffi.compile_program(SOURCE, "kernels.cu", [f"--gpu-architecture=sm_{major}{minor}"])
    return bytes(program.cubin())


@anywhere
def test_a_kernel_runs(cuda: ModuleType) -> None:
    count = 1000
    x, out, stream = cuda.malloc(4 * count), cuda.malloc(4 * count), cuda.stream_create()
    kernel = cuda.library_load(image(cuda)).kernel("add")
    assert kernel.argument_sizes() == [8, 8, 4, 4]
    assert kernel.pointer() > 0
    cuda.memcpy_host_to_device_async(x, array("f", range(count)), stream)
    arguments = struct.pack("=QQfi", out.pointer(), x.pointer(), 0.5, count)
    cuda.launch(kernel, (8, 1, 1), [128, 1, 1], 0, arguments, (0, 8, 16, 20), stream)
    stream.synchronize()
    assert read(cuda, out) == array("f", (0.5 + i for i in range(count))).tobytes()


@anywhere
def test_a_graph_does_what_was_recorded_at_each_launch(cuda: ModuleType) -> None:
    x, recorded, stream = cuda.malloc(16), cuda.stream_create(cuda.StreamFlags.NON_BLOCKING), cuda.stream_create()
    kernel = cuda.library_load(image(cuda)).kernel("add")
    cuda.memset(x, 0, 16)
    recorded.begin_capture()
    for increment in (1.0, 2.0):
        arguments = struct.pack("=QQfi", x.pointer(), x.pointer(), increment, 4)
        cuda.launch(kernel, ONE, (4, 1, 1), 0, arguments, (0, 8, 16, 20), recorded)
    graph = recorded.end_capture()
    assert read(cuda, x) == bytes(16), "nothing was done yet"
    for _ in range(5):
        graph.launch(stream)
    graph.launch()
    assert read(cuda, x) == array("f", [18.0] * 4).tobytes()
    graph.close()
    raised(cuda.ClosedHandleError, lambda: graph.launch(stream))


@on_standin()
def test_what_a_stream_that_records_refuses(cuda: ModuleType) -> None:
    stream = cuda.stream_create()
    assert raised(cuda.CudaError, stream.end_capture).code == 401
    stream.begin_capture()
    raised(cuda.CudaError, stream.begin_capture)
    for wait in (stream.query, stream.synchronize):
        assert raised(cuda.CudaError, wait).code == 900
    with stream.end_capture() as graph:
        graph.launch(stream)
    stream.synchronize()
    assert (calls("cudaGraphDestroy"), calls("cudaGraphExecDestroy")) == (1, 1)


@anywhere
def test_a_kernel_keeps_its_library(cuda: ModuleType) -> None:
    with cuda.library_load(image(cuda)) as library:
        kernel = library.kernel("nothing")
    gc.collect()
    for _ in range(3):
        cuda.launch(kernel, ONE, ONE, 0, b"", ())
    cuda.device_synchronize()
    raised(cuda.ClosedHandleError, lambda: library.kernel("nothing"))
    kernel.close()
    raised(cuda.ClosedHandleError, lambda: cuda.launch(kernel, ONE, ONE, 0, b"", ()))


@on_standin()
def test_libraries_are_unloaded_with_their_last_kernel(cuda: ModuleType) -> None:
    code = image(cuda)
    library = cuda.library_load(code)
    kernels = [library.kernel("nothing"), library.kernel("add")]
    library.close()
    for kernel in kernels:
        assert runtime().standinLiveObjects(4) == 1
        kernel.close()
    assert runtime().standinLiveObjects(4) == 0
    for _ in range(50):
        cuda.library_load(code).kernel("add")
    gc.collect()
    assert (runtime().standinLiveObjects(4), calls("cudaLibraryUnload")) == (0, 51)


@anywhere
def test_shared_memory_beyond_the_usual_has_to_be_allowed(cuda: ModuleType) -> None:
    numbers, size = cuda.malloc(4096), 64 << 10
    assert size <= cuda.device_attribute(cuda.DeviceAttribute.MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)
    kernel = cuda.library_load(image(cuda)).kernel("reverse")
    cuda.memcpy_host_to_device(numbers, array("i", range(1024)))
    arguments = struct.pack("=Q", numbers.pointer())
    error = raised(cuda.CudaError, lambda: cuda.launch(kernel, ONE, (1024, 1, 1), size, arguments, (0,)))
    assert error.name == "cudaErrorInvalidValue"
    kernel.allow_shared_memory(size)
    cuda.launch(kernel, ONE, (1024, 1, 1), size, arguments, (0,))
    assert read(cuda, numbers) == array("i", range(1023, -1, -1)).tobytes()
    raised(cuda.CudaError, lambda: kernel.allow_shared_memory(1 << 30))


@anywhere
def test_arguments_are_checked_before_cuda_sees_them(cuda: ModuleType) -> None:
    kernel = cuda.library_load(image(cuda)).kernel("add")
    blob = bytes(24)
    for grid, block, arguments, offsets, message in [
        (ONE, ONE, blob, (0, 8, 16), "the kernel takes 4 arguments, not 3"),
        (ONE, ONE, blob, (0, 8, 16, 20, 22), "the kernel takes 4 arguments, not 5"),
        (ONE, ONE, blob, (0, 17, 16, 20), "argument 1 has 8 bytes at offset 17, and all arguments together have 24"),
        (ONE, ONE, blob, (0, 8, 16, 2**32 - 1), "argument 3 has 4 bytes at offset 4294967295, and all"),
        ((1, 1), ONE, blob, (0, 8, 16, 20), "grid has 3 numbers"),
        (ONE, (1,), blob, (0, 8, 16, 20), "block has 3 numbers"),
    ]:
        call = functools.partial(cuda.launch, kernel, grid, block, 0, arguments, offsets)
        assert str(raised(ValueError, call)).startswith(message)
    raised(OverflowError, lambda: cuda.launch(kernel, (-1, 1, 1), ONE, 0, blob, (0, 8, 16, 20)))
    raised(TypeError, lambda: cuda.launch(kernel, ONE, ONE, 0, "text", (0, 8, 16, 20)))


@anywhere
def test_launches_that_the_device_does_not_take_are_errors(cuda: ModuleType) -> None:
    kernel = cuda.library_load(image(cuda)).kernel("nothing")
    for grid, block in [((0, 1, 1), ONE), (ONE, (1025, 1, 1)), (ONE, (0, 1, 1)), ((1, 65536, 1), ONE)]:
        error = raised(cuda.CudaError, functools.partial(cuda.launch, kernel, grid, block, 0, b"", ()))
        assert error.name in ("cudaErrorInvalidConfiguration", "cudaErrorInvalidValue")
    cuda.launch(kernel, ONE, ONE, 0, b"", ())
    cuda.device_synchronize()


@anywhere
def test_what_is_no_image_is_refused(cuda: ModuleType) -> None:
    code = image(cuda)
    assert str(raised(ValueError, lambda: cuda.library_load(b""))) == "the image is empty"
    for cut in (8, 100, len(code) - 1):
        message = f"the image is cut short: {cut} bytes"
        assert str(raised(ValueError, functools.partial(cuda.library_load, code[:cut]))) == message
    raised(cuda.CudaError, lambda: cuda.library_load(b"this is not PTX").kernel("add"))
    assert raised(cuda.CudaError, lambda: cuda.library_load(code).kernel("missing")).code == 500
    cuda.malloc(1)


@on_standin(devices=2)
def test_memory_is_copied_between_devices(cuda: ModuleType) -> None:
    first = cuda.malloc(8)
    cuda.set_device(1)
    second, stream = cuda.malloc(8), cuda.stream_create()
    assert (first.device(), second.device()) == (0, 1)
    cuda.memcpy_host_to_device(first, b"abcdefgh")
    cuda.memset_async(second, 0x2E, 8, stream)
    cuda.memcpy_peer_async(second, first, 4, stream, dst_offset=1, src_offset=2)
    stream.synchronize()
    assert read(cuda, second) == b".cdef..."
    raised(ValueError, lambda: cuda.memcpy_peer_async(second, first, 8, stream, dst_offset=1))


@anywhere
def test_memory_and_streams_of_others_are_used_and_left_to_them(cuda: ModuleType) -> None:
    memory, stream = cuda.malloc(8), cuda.stream_create()
    lent = cuda.device_mem_from_pointer(memory.pointer() + 2, 4, cuda.get_device())
    queue = cuda.stream_from_pointer(stream.pointer())
    assert (lent.size(), lent.pointer(), lent.device()) == (4, memory.pointer() + 2, cuda.get_device())
    assert queue.pointer() == stream.pointer()
    cuda.memset_async(memory, 0x2E, 8, stream)
    cuda.memset_async(lent, 0x2B, 4, queue)
    queue.synchronize()
    lent.close()
    queue.close()
    assert stream.query()
    assert read(cuda, memory) == b"..++++.."
    cuda.memset_async(memory, 0, 8, cuda.stream_from_pointer(0))


@anywhere
def test_devices_have_attributes(cuda: ModuleType) -> None:
    ask = cuda.DeviceAttribute
    values = {attribute: cuda.device_attribute(attribute) for attribute in ask}
    assert values[ask.WARP_SIZE] == 32
    assert values[ask.MAX_THREADS_PER_BLOCK] == 1024
    assert values[ask.MULTIPROCESSOR_COUNT] >= 1
    assert values[ask.COMPUTE_CAPABILITY_MAJOR] >= 5
    assert values[ask.MAX_SHARED_MEMORY_PER_BLOCK_OPTIN] >= values[ask.MAX_SHARED_MEMORY_PER_BLOCK] >= 48 << 10
    assert raised(cuda.CudaError, lambda: cuda.device_attribute(ask.WARP_SIZE, 99)).code == 101


@on_standin(fail="cudaLaunchKernel:1=719,cudaLibraryGetKernel:1=209,cudaLibraryLoadData:1=2,cudaFuncGetParamInfo:2=999")
def test_failures_of_kernels_are_raised_once(cuda: ModuleType) -> None:
    code = image(cuda)
    raised(cuda.CudaMemoryError, lambda: cuda.library_load(code))
    library = cuda.library_load(code)
    assert raised(cuda.CudaError, lambda: library.kernel("add")).name == "cudaErrorNoKernelImageForDevice"
    blind = library.kernel("add")
    raised(ValueError, blind.argument_sizes)
    kernel = library.kernel("nothing")
    assert raised(cuda.CudaError, lambda: cuda.launch(kernel, ONE, ONE, 0, b"", ())).code == 719
    cuda.launch(kernel, ONE, ONE, 0, b"", ())
    assert runtime().cudaPeekAtLastError() == 0


# --- errors ----------------------------------------------------------------------------------------------------------


@anywhere
def test_errors_have_code_name_and_message(cuda: ModuleType) -> None:
    error = raised(cuda.CudaError, lambda: cuda.set_device(99))
    assert (error.code, error.name, str(error)) == (101, "cudaErrorInvalidDevice", "invalid device ordinal")
    assert isinstance(error, RuntimeError)


@anywhere
def test_too_much_memory_is_a_memory_error(cuda: ModuleType) -> None:
    error = raised(cuda.CudaMemoryError, lambda: cuda.malloc(1 << 50))
    assert str(error) == "out of memory"
    assert isinstance(error, MemoryError) and isinstance(error, cuda.CudaError)
    assert (error.code, error.name) == (2, "cudaErrorMemoryAllocation")
    cuda.malloc(16)


@on_standin(fail="cudaMemcpyAsync:1=719,cudaMalloc:2,cudaStreamSynchronize:1=700")
def test_failures_inside_cuda_are_raised_once(cuda: ModuleType) -> None:
    memory, stream = cuda.malloc(4), cuda.stream_create()
    raised(cuda.CudaMemoryError, lambda: cuda.malloc(4))
    error = raised(cuda.CudaError, lambda: cuda.memcpy_host_to_device_async(memory, b"abcd", stream))
    assert (error.code, error.name) == (719, "cudaErrorLaunchFailure")
    assert raised(cuda.CudaError, stream.synchronize).code == 700
    cuda.memcpy_host_to_device_async(memory, b"abcd", stream)
    stream.synchronize()
    assert read(cuda, memory) == b"abcd"
    assert live_objects() == [1, 0, 1]


@on_standin()
def test_no_error_is_left_for_others_to_find(cuda: ModuleType) -> None:
    stream, event, memory = cuda.stream_create(), cuda.event_create(), cuda.malloc(1)
    hold(stream)
    cuda.memset_async(memory, 0, 1, stream)
    stream.record(event)
    assert not stream.query() and not event.query()
    raised(cuda.CudaError, lambda: cuda.set_device(99))
    raised(cuda.CudaMemoryError, lambda: cuda.malloc(1 << 50))
    assert runtime().cudaPeekAtLastError() == 0
    release()


# --- lifetimes -------------------------------------------------------------------------------------------------------


@on_standin()
def test_closed_handles_cannot_be_used(cuda: ModuleType) -> None:
    memory, stream, event = cuda.malloc(4), cuda.stream_create(), cuda.event_create()
    fresh_memory, fresh_stream, fresh_event = cuda.malloc(4), cuda.stream_create(), cuda.event_create()
    for handle in (memory, stream, event):
        handle.close()
        handle.close()
        assert handle.closed
    uses: list[Callable[[], object]] = [
        memory.size,
        memory.pointer,
        stream.synchronize,
        stream.query,
        stream.pointer,
        event.synchronize,
        event.query,
        lambda: cuda.memset(memory, 0, 1),
        lambda: cuda.memcpy_host_to_device(memory, b"a"),
        lambda: cuda.memcpy_device_to_device(fresh_memory, memory, 1),
        lambda: cuda.memset_async(fresh_memory, 0, 1, stream),
        lambda: fresh_stream.record(event),
        lambda: fresh_stream.wait_event(event),
        lambda: fresh_event.elapsed_time(event),
    ]
    for use in uses:
        raised(cuda.ClosedHandleError, use)
    assert calls("cudaMemsetAsync") == 0


@on_standin()
def test_everything_is_released_exactly_once(cuda: ModuleType) -> None:
    for _ in range(300):
        cuda.malloc(64)
        cuda.event_create().close()
        with cuda.stream_create() as stream:
            assert stream.query()
    cycle: list[Any] = [cuda.malloc(64)]
    cycle.append(cycle)
    del cycle
    gc.collect()
    assert live_objects() == [0, 0, 0]
    assert (calls("cudaFree"), calls("cudaEventDestroy"), calls("cudaStreamDestroy")) == (301, 300, 300)


@on_standin(latency_us=200_000)
def test_closing_memory_waits_for_the_work_on_it(cuda: ModuleType) -> None:
    stream, memory, result = cuda.stream_create(), cuda.malloc(1), bytearray(1)
    cuda.host_register(result)
    hold(stream)
    cuda.memset_async(memory, 7, 1, stream)
    cuda.memcpy_device_to_host_async(result, memory, stream)
    stream.close()
    assert result == bytes(1)
    release()  # most of the latency is still to come
    memory.close()
    assert result == bytes([7])


@on_standin()
def test_a_stream_can_be_closed_while_another_thread_waits_for_it(cuda: ModuleType) -> None:
    stream, memory = cuda.stream_create(), cuda.malloc(1)
    hold(stream)
    cuda.memset_async(memory, 5, 1, stream)
    failures: list[BaseException] = []

    def wait() -> None:
        try:
            stream.synchronize()
        except BaseException as error:
            failures.append(error)

    thread = threading.Thread(target=wait)
    thread.start()
    while not calls("cudaStreamSynchronize"):  # and this thread runs: waiting does not hold the GIL
        time.sleep(0.001)
    stream.close()
    raised(cuda.ClosedHandleError, stream.query)
    assert thread.is_alive()
    release()
    thread.join()
    assert failures == []
    assert read(cuda, memory) == bytes([5])


left_open: list[Any] = []


@on_standin(latency_us=20_000)
def test_handles_left_open_do_no_harm_at_exit(cuda: ModuleType) -> None:
    memory, stream, event = cuda.malloc(4), cuda.stream_create(), cuda.event_create()
    cuda.memset_async(memory, 1, 4, stream)
    stream.record(event)
    left_open.extend([event, memory, stream, left_open, cuda])


# --- without the stand-in --------------------------------------------------------------------------------------------


def test_without_a_driver_the_real_runtime_says_so(cuda_package: Path) -> None:
    if has_gpu(cuda_package):
        pytest.skip("there is a GPU here")
    program = """
import cuda_ffi
assert not cuda_ffi.STUB and not cuda_ffi.available()
for call in (cuda_ffi.device_count, cuda_ffi.stream_create, cuda_ffi.device_synchronize, lambda: cuda_ffi.malloc(1)):
    try:
        call()
    except cuda_ffi.CudaError as error:
        assert (error.code, error.name) == (35, "cudaErrorInsufficientDriver"), error
    except cuda_ffi.LibraryUnavailable:
        pass
    else:
        raise AssertionError(call)
"""
    result = python(cuda_package, {}, "-c", program)
    assert (result.returncode, result.stderr) == (0, "")


def test_without_the_runtime_the_package_imports(cuda_package: Path, tmp_path: Path) -> None:
    program = """
import cuda_ffi
assert not cuda_ffi.STUB and not cuda_ffi.available()
try:
    cuda_ffi.device_count()
except cuda_ffi.LibraryUnavailable as error:
    print(error)
"""
    nowhere = str(tmp_path / "libcudart.so.13")
    result = python(cuda_package, {LIBRARY: nowhere}, "-c", program)
    assert (result.returncode, result.stderr) == (0, "")
    assert nowhere in result.stdout


def test_a_stub_imports_and_says_what_is_missing(stub_package: Path) -> None:
    program = """
import cuda_ffi
assert cuda_ffi.STUB and not cuda_ffi.available()
assert cuda_ffi.StreamFlags.NON_BLOCKING != cuda_ffi.StreamFlags.DEFAULT
calls = [cuda_ffi.runtime_version, cuda_ffi.stream_create, lambda: cuda_ffi.malloc(1), lambda: cuda_ffi.set_device(0)]
for call in calls:
    try:
        call()
    except cuda_ffi.LibraryUnavailable as error:
        assert "--stub left it out" in str(error), error
    else:
        raise AssertionError(call)
"""
    result = python(stub_package, {}, "-c", program)
    assert (result.returncode, result.stderr) == (0, "")
