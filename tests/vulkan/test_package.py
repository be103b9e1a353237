"""The generated package of Vulkan: memory, copies, streams, events, kernels, and what it refuses."""

from __future__ import annotations

import gc
import mmap
import random
import struct
import threading
import time
from typing import Any

import numpy as np
import pytest

from tests.behaviour.packages import ENGINES, Package
from tests.vulkan import kernels
from tests.vulkan.conftest import run_python
from tests.vulkan.kernels import Loaded


def bytes_of(vk: Any, memory: Any, stream: Any = None) -> bytes:
    found = bytearray(memory.size())
    vk.memcpy_device_to_host_async(found, memory, stream)
    return bytes(found)


def uploaded(vk: Any, data: Any, stream: Any = None) -> Any:
    memory = vk.malloc(len(memoryview(data).cast("B")))
    vk.memcpy_host_to_device_async(memory, data, stream)
    return memory


def test_what_is_there(vk: Any) -> None:
    assert vk.available() and not vk.STUB
    count = vk.device_count()
    assert count >= 1 and vk.device_name() and isinstance(vk.refused_devices(), list)
    assert vk.device_kind() in ("discrete", "integrated", "virtual", "cpu", "other")
    free, total = vk.mem_get_info()
    assert 0 < free <= total
    limit = vk.DeviceLimit
    assert vk.device_limit(limit.BLOCK_THREADS) >= 128 and vk.device_limit(limit.ARGUMENT_BYTES) >= 128
    assert vk.device_limit(limit.GRID_X) >= 65535 and vk.device_limit(limit.ALLOCATIONS) >= 4096
    assert isinstance(vk.device_has(vk.DeviceFeature.F64), bool)
    for call in (
        lambda: vk.device_name(count),
        lambda: vk.malloc(1, -1),
        lambda: vk.stream_create(device=count),
        lambda: vk.event_create(device=count),
    ):
        with pytest.raises(ValueError, match="there is no device"):
            call()


def test_memory(vk: Any) -> None:
    assert vk.malloc(0).is_null() and vk.malloc(0).pointer() == 0
    memory = vk.malloc(1000)
    assert (memory.size(), memory.device(), memory.is_null()) == (1000, 0, False)
    assert memory.pointer() % 256 == 0
    memory.close()
    with pytest.raises(vk.ClosedHandleError):
        memory.size()
    with pytest.raises(MemoryError, match=r"cannot allocate \d+ bytes on device 0"):
        vk.malloc(1 << 60)


def test_freed_memory_is_free_again(vk: Any) -> None:
    gc.collect()
    vk.device_synchronize()
    with vk.malloc(1 << 20):
        pass
    free, stream = vk.mem_get_info()[0], vk.stream_create()
    for _ in range(20):
        with vk.malloc(4 << 20) as memory:
            vk.fill_async(memory, b"\1", 4 << 20, stream)
    stream.synchronize()
    vk.device_synchronize()
    assert vk.mem_get_info()[0] == free


def test_copies_and_fills_of_any_place(vk: Any) -> None:
    seed = random.Random(7)
    stream, size = vk.stream_create(), 5000
    model = [bytearray(seed.randbytes(size)) for _ in range(2)]
    memory = [uploaded(vk, bytes(each), stream) for each in model]
    for _ in range(150):
        a, b = seed.randrange(2), seed.randrange(2)
        length = seed.choice([0, 1, 3, 4, 8, 100, seed.randrange(2000)])
        to, origin = seed.randrange(size - length + 1), seed.randrange(size - length + 1)
        match seed.randrange(4):
            case 0:
                data = seed.randbytes(length)
                vk.memcpy_host_to_device_async(memory[a], data, stream, to)
                model[a][to : to + length] = data
            case 1:
                vk.memcpy_device_to_device_async(memory[a], memory[b], length, stream, to, origin)
                model[a][to : to + length] = bytes(model[b][origin : origin + length])
            case 2:
                element = seed.choice([seed.randbytes(seed.choice([1, 2, 4, 8])), bytes(8), b"\7" * 8])
                count = length // len(element)
                vk.fill_async(memory[a], element, count, stream, to)
                model[a][to : to + count * len(element)] = element * count
            case _:
                found = bytearray(length)
                vk.memcpy_device_to_host_async(found, memory[a], stream, origin)
                assert found == model[a][origin : origin + length]
    assert [bytes_of(vk, each, stream) for each in memory] == model


def test_copies_stay_inside(vk: Any) -> None:
    memory, other, stream = vk.malloc(10), vk.malloc(20), vk.stream_create()
    for call in (
        lambda: vk.fill_async(memory, b"\0", 11),
        lambda: vk.fill_async(memory, b"\0", 1, stream, 11),
        lambda: vk.fill_async(memory, bytes(8), (1 << 64) - 1, stream),
        lambda: vk.memcpy_host_to_device_async(memory, bytes(11)),
        lambda: vk.memcpy_host_to_device_async(memory, bytes(1), None, (1 << 64) - 1),
        lambda: vk.memcpy_device_to_host_async(bytearray(5), memory, None, 6),
        lambda: vk.memcpy_device_to_device_async(memory, other, 11),
        lambda: vk.memcpy_device_to_device_async(other, memory, 11),
    ):
        with pytest.raises(ValueError, match="do not fit"):
            call()
    with pytest.raises(ValueError, match="1, 2, 4 or 8 bytes, not 3"):
        vk.fill_async(memory, b"abc", 1)
    with pytest.raises(ValueError, match="0 bytes"):
        vk.host_register(bytearray())


def test_ordinary_memory_is_read_at_once(vk: Any) -> None:
    stream, slow, step = vk.stream_create(), Loaded(vk, kernels.slow), Loaded(vk, kernels.step)
    x, y = vk.malloc(1 << 18), vk.malloc(24 << 20)
    vk.fill_async(x, bytes(4), 1 << 16, stream)
    slow(stream, 1 << 16, x, 2000)
    assert not stream.query()
    data = np.arange(6 << 20, dtype=np.int32)  # more than one part of a copy
    vk.memcpy_host_to_device_async(y, data, stream)
    data[:] = 0
    step(stream, data.size, y)
    found = np.frombuffer(bytes_of(vk, y, stream), np.int32)
    assert np.array_equal(found, np.arange(6 << 20, dtype=np.int32) * 3 + 1)


def test_registered_memory(vk: Any) -> None:
    stream, memory = vk.stream_create(), vk.malloc(8 << 20)
    pages = [mmap.mmap(-1, 8 << 20) for _ in range(2)]
    for each in pages:
        vk.host_register(each)
    with pytest.raises(vk.VulkanError, match="registered already"):
        vk.host_register(pages[0])
    numbers = np.frombuffer(pages[0], np.int32)
    numbers[:] = np.arange(2 << 20)
    vk.memcpy_host_to_device_async(memory, pages[0], stream)
    Loaded(vk, kernels.step)(stream, 2 << 20, memory)
    vk.memcpy_device_to_host_async(memoryview(pages[1])[100:-100], memory, stream, 100)  # a part of it
    stream.synchronize()
    expected = (np.arange(2 << 20) * 3 + 1).astype(np.int32).tobytes()
    assert pages[1][100:-100] == expected[100:-100] and pages[1][:100] == bytes(100)
    del numbers
    for each in pages:
        vk.host_unregister(each)
    with pytest.raises(vk.VulkanError, match="not registered"):
        vk.host_unregister(pages[0])


def test_work_of_a_stream_is_done_in_order(vk: Any) -> None:
    stream, step = vk.stream_create(), Loaded(vk, kernels.step)
    x = uploaded(vk, np.zeros(1000, np.int32), stream)
    expected = 0
    for _ in range(300):
        step(stream, 1000, x)
        expected = (expected * 3 + 1) & 0xFFFFFFFF
    assert set(np.frombuffer(bytes_of(vk, x, stream), np.uint32).tolist()) == {expected}
    assert stream.query() and stream.wait_for(0)


def test_a_graph_does_what_was_recorded_at_each_launch(vk: Any) -> None:
    recorded, stream, step = vk.stream_create(), vk.stream_create(), Loaded(vk, kernels.step)
    x, y = uploaded(vk, np.ones(100, np.int32), stream), vk.malloc(400)
    recorded.begin_capture()
    with pytest.raises(vk.VulkanError, match="is recording already"):
        recorded.begin_capture()
    for _ in range(2):
        step(recorded, 100, x)
    vk.memcpy_device_to_device_async(y, x, 200, recorded)
    for wait in (recorded.synchronize, recorded.query, lambda: recorded.record(vk.event_create())):
        with pytest.raises(vk.VulkanError, match="end_capture comes before"):
            wait()
    graph = recorded.end_capture()
    with pytest.raises(vk.VulkanError, match="call begin_capture first"):
        recorded.end_capture()
    assert graph.count() == 3 and graph.device() == 0
    assert set(np.frombuffer(bytes_of(vk, x, stream), np.int32).tolist()) == {1}, "nothing was done yet"
    for _ in range(200):
        graph.launch(stream)
    recorded.begin_capture()
    with pytest.raises(vk.VulkanError, match="cannot be launched on a stream that is recording"):
        graph.launch(recorded)
    recorded.close()
    step.handle.close()
    graph.close()  # what was launched goes on
    expected = 1
    for _ in range(400):
        expected = (expected * 3 + 1) & 0xFFFFFFFF
    for memory in (x, y):
        found = np.frombuffer(bytes_of(vk, memory, stream), np.uint32)
        assert set(found[:50].tolist()) == {expected}
    with pytest.raises(vk.ClosedHandleError):
        graph.launch(stream)


def test_what_nobody_waits_for_is_submitted_too(vk: Any) -> None:
    stream, slow, step = vk.stream_create(), Loaded(vk, kernels.slow), Loaded(vk, kernels.step)
    x, y = uploaded(vk, np.zeros(1 << 14, np.int32), stream), uploaded(vk, np.zeros(64, np.int32), stream)
    page = mmap.mmap(-1, mmap.PAGESIZE)
    vk.host_register(page)
    found = np.frombuffer(page, np.int32)
    for _ in range(2):  # the second time its thread sleeps
        slow(stream, 1 << 14, x, 500)  # so that what follows is recorded only
        for _ in range(5):
            step(stream, 64, y)
        vk.memcpy_device_to_host_async(memoryview(page)[:256], y, stream)
        expected, until = found[0] * 243 + 121, time.monotonic() + 20
        while found[63] != expected and time.monotonic() < until:
            time.sleep(0.01)
        assert set(found[:64].tolist()) == {expected}
        time.sleep(0.1)
    stream.synchronize()
    del found
    vk.host_unregister(page)


def test_events_order_streams(vk: Any) -> None:
    first, second = vk.stream_create(), vk.stream_create()
    slow, axpy = Loaded(vk, kernels.slow), Loaded(vk, kernels.step)
    x, y, event = vk.malloc(1 << 16), vk.malloc(1 << 16), vk.event_create()
    assert event.query() and event.wait_for(0)  # never recorded
    for timing in (vk.EventFlags.DEFAULT, vk.EventFlags.DISABLE_TIMING):
        event = vk.event_create(timing)
        vk.fill_async(x, bytes(4), 1 << 14, first)
        slow(first, 1 << 14, x, 3000)
        first.record(event)
        second.wait_event(event)
        complete = event.query()
        idle = second.query()
        assert complete or not idle  # what is only waited for counts
        vk.memcpy_device_to_device_async(y, x, 1 << 16, second)
        axpy(second, 1 << 14, y)
        second.synchronize()
        assert event.query() and event.wait_for(1000)
        before = np.frombuffer(bytes_of(vk, x, first), np.int32)
        assert before[0] != 0
        assert np.array_equal(np.frombuffer(bytes_of(vk, y, second), np.int32), before * 3 + 1)


def test_waiting_has_a_limit(vk: Any) -> None:
    stream, slow, x, event = vk.stream_create(), Loaded(vk, kernels.slow), vk.malloc(1 << 16), vk.event_create()
    slow(stream, 1 << 14, x, 5_000)
    stream.record(event)
    assert not stream.wait_for(1) and not event.wait_for(1) and not event.query()
    with pytest.raises(vk.VulkanError, match="not complete yet"):
        event.elapsed_time(event)
    while not stream.wait_for(50):
        pass
    assert event.query()


def test_elapsed_time(vk: Any) -> None:
    stream, slow, x = vk.stream_create(), Loaded(vk, kernels.slow), vk.malloc(1 << 16)
    start, end, other = vk.event_create(), vk.event_create(), vk.event_create(vk.EventFlags.DISABLE_TIMING)
    stream.record(start)
    slow(stream, 1 << 14, x, 3000)
    stream.record(end)
    stream.record(other)
    stream.synchronize()
    assert 0.1 < start.elapsed_time(end) < 60_000
    assert end.elapsed_time(start) == -start.elapsed_time(end)
    with pytest.raises(vk.VulkanError, match="DISABLE_TIMING"):
        start.elapsed_time(other)
    with pytest.raises(vk.VulkanError, match="never recorded"):
        start.elapsed_time(vk.event_create())
    for _ in range(300):  # more than a pool of timestamps has
        stream.record(start)
    stream.synchronize()
    assert start.elapsed_time(start) == 0


def test_what_is_closed_with_work_queued(vk: Any) -> None:
    result = vk.malloc(4 << 12)
    done = vk.event_create()
    slow, stream = Loaded(vk, kernels.slow), vk.stream_create()
    with vk.malloc(4 << 12) as x:
        vk.fill_async(x, struct.pack("<i", 5), 1 << 12, stream)
        slow(stream, 1 << 12, x, 5000)
        vk.memcpy_device_to_device_async(result, x, 4 << 12, stream)
        stream.record(done)
    slow.handle.close()
    stream.close()
    taken = [vk.malloc(4 << 12) for _ in range(20)]  # none of them is what is still in use
    for each in taken:
        vk.fill_async(each, b"\xff", 4 << 12)
    done.synchronize()
    expected = 5
    for _ in range(5000):
        expected = (expected * 1103515245 + 12345) & 65535
    assert set(np.frombuffer(bytes_of(vk, result), np.int32).tolist()) == {expected}


def test_streams_that_follow_each_other(vk: Any) -> None:
    """A driver may look at a semaphore for a moment after the work that it stands for is done."""
    memory = [vk.malloc(1 << 16) for _ in range(4)]
    for turn in range(200):
        streams = [vk.stream_create() for _ in range(3)]
        event = vk.event_create(vk.EventFlags.DISABLE_TIMING)
        for number, stream in enumerate(streams):
            vk.fill_async(memory[number], bytes([turn]), 1 << 16, stream)
            stream.record(event)
            streams[number - 1].wait_event(event)
        for stream in streams:
            vk.fill_async(memory[3], bytes([turn]), 8, stream)
            while not stream.query():
                pass
            stream.close()
    assert bytes_of(vk, memory[2]) == bytes([199]) * (1 << 16)


def test_many_streams_in_threads(vk: Any) -> None:
    step, axpy, failures = Loaded(vk, kernels.step), Loaded(vk, kernels.axpy), []
    shared = vk.stream_create()
    counted = uploaded(vk, np.zeros(64, np.int32), shared)

    def work(number: int) -> None:
        try:
            stream = vk.stream_create()
            for turn in range(20):
                x = uploaded(vk, np.full(500, turn, np.float32), stream)
                y = uploaded(vk, np.full(500, number, np.float32), stream)
                axpy(stream, 500, 2.0, x, y)
                step(shared, 64, counted)
                found = np.frombuffer(bytes_of(vk, y, stream), np.float32)
                assert set(found.tolist()) == {2.0 * turn + number}
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert failures == []
    expected = 0
    for _ in range(80):
        expected = (expected * 3 + 1) & 0xFFFFFFFF
    assert set(np.frombuffer(bytes_of(vk, counted, shared), np.uint32).tolist()) == {expected}


def test_launches_that_a_device_cannot_run(vk: Any) -> None:
    stream, step, x = vk.stream_create(), Loaded(vk, kernels.step), vk.malloc(400)
    limit = vk.DeviceLimit
    arguments = step.pack(100, x)
    threads, groups = vk.device_limit(limit.BLOCK_X), vk.device_limit(limit.GRID_Y)
    for grid, block in (
        ([1, 1, 1], [threads + 1, 1, 1]),
        ([1, 1, 1], [threads, 64, 1]),
        ([1, groups + 1, 1], [1, 1, 1]),
    ):
        with pytest.raises(vk.VulkanUnsupported, match="has at most"):
            vk.launch(step.handle, grid, block, arguments, stream)
    for grid, block in (([1, 1], [1, 1, 1]), ([1, 1, 1], [1, 0, 1]), ([], [1])):
        with pytest.raises(ValueError, match="3 numbers of at least 1"):
            vk.launch(step.handle, grid, block, arguments, stream)
    for bad in (b"", arguments[:-1], arguments + b"\0"):
        with pytest.raises(ValueError, match=r"takes arguments of \d+ bytes"):
            vk.launch(step.handle, [1, 1, 1], [1, 1, 1], bad, stream)
    assert issubclass(vk.VulkanUnsupported, vk.VulkanError) and issubclass(vk.VulkanDeviceLost, vk.VulkanError)


def test_modules_that_are_refused(vk: Any) -> None:
    words = kernels.step.spirv()
    for bad in (b"", words[:-4], words[:-3], b"\0" * len(words), words[:20], words + bytes(4)):
        with pytest.raises(ValueError, match="no module of SPIR-V"):
            vk.kernel_load(bad, 40)
    with pytest.raises(ValueError, match="entry point main"):
        vk.kernel_load(words.replace(b"main\0\0\0\0", b"many\0\0\0\0"), 40)
    with pytest.raises(vk.VulkanUnsupported, match="passes at most"):
        vk.kernel_load(words, vk.device_limit(vk.DeviceLimit.ARGUMENT_BYTES) + 1)
    if not vk.device_has(vk.DeviceFeature.F64_ATOMIC_ADD):
        with pytest.raises(vk.VulkanUnsupported, match=r"needs atomic additions of f64, which .* has not"):
            vk.kernel_load(kernels.sum_of_halves.spirv(), 40)
    tessellation = struct.pack("<2I", 2 << 16 | 17, 3)
    with pytest.raises(vk.VulkanUnsupported, match="capability 3 of SPIR-V"):
        vk.kernel_load(words[:20] + tessellation + words[20:], 40)


# --- in processes of their own: what is chosen by the environment

_STAGED = (
    "import pytest, sys; sys.exit(pytest.main(['-q', '-p', 'no:cacheprovider', 'tests/vulkan', '-k', sys.argv[1]]))"
)


def test_copies_that_are_staged(package: Package, settings: dict[str, str]) -> None:
    """The same where the device's memory is not the host's, as on most GPUs."""
    chosen = f"(any_place or registered or ordinary or closed or threads or freed) and {ENGINES[-1]}"
    code = f"import sys; sys.argv.append({chosen!r}); {_STAGED}"
    done = run_python(package, code, VULKAN_FFI_STAGING="1", **settings)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "6 passed" in done.stdout


@pytest.mark.parametrize("engine", ENGINES)
def test_a_machine_without_the_loader_or_without_drivers(package: Package, engine: str) -> None:
    name = package.folder.name
    code = f"""
import {name} as vk
assert not vk.available()
for call in (vk.device_count, lambda: vk.malloc(1), vk.stream_create):
    try:
        call()
    except (vk.LibraryUnavailable, vk.VulkanError) as error:
        print(type(error).__name__, error)
"""
    lines = run_python(package, code, engine=engine, VULKAN_FFI_LIBRARY="/nowhere").stdout.splitlines()
    assert len(lines) == 3 and all(line.startswith("LibraryUnavailable VULKAN_FFI_LIBRARY") for line in lines)
    chosen = {"VK_ICD_FILENAMES": "/nowhere", "VULKAN_FFI_VALIDATION": "0"}
    lines = run_python(package, code, engine=engine, **chosen).stdout.splitlines()
    assert len(lines) == 3 and all(line.startswith("VulkanError no Vulkan driver is installed") for line in lines)


def test_after_a_fork(package: Package, settings: dict[str, str]) -> None:
    code = f"""
import os, {package.folder.name} as vk
memory, stream = vk.malloc(4), vk.stream_create()
child = os.fork()
if child == 0:
    try:
        vk.memcpy_host_to_device_async(memory, b"abcd", stream)
        stream.synchronize()
        vk.malloc(4)
    except vk.VulkanError as error:
        assert "was forked" in str(error), error
        memory.close(), stream.close()
        os._exit(7)
    os._exit(1)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
vk.memcpy_host_to_device_async(memory, b"abcd", stream)
found = bytearray(4)
vk.memcpy_device_to_host_async(found, memory, stream)
assert found == b"abcd"
"""
    done = run_python(package, code, **settings)
    assert done.returncode == 0, done.stderr


def test_a_fork_while_the_submitter_is_at_work(package: Package, settings: dict[str, str]) -> None:
    """It looks at all streams: with many of them, the child mostly gets what it has locked then."""
    code = f"""
import os, signal, {package.folder.name} as vk
memory, streams = vk.malloc(1 << 16), [vk.stream_create() for _ in range(2000)]
event = vk.event_create()
streams[0].record(event)
streams[0].synchronize()
for _ in range(20):
    for _ in range(20):
        vk.fill_async(memory, b"abcd", 1 << 12, streams[1])
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        event.close()
        for call in (lambda: streams[0].record(vk.event_create()), lambda: vk.fill_async(memory, b"ab", 1)):
            try:
                call()
            except vk.VulkanError:
                pass
        os._exit(7)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
"""
    done = run_python(package, code, **settings)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("engine", ENGINES)
def test_a_process_may_end_with_work_recorded(package: Package, settings: dict[str, str], engine: str) -> None:
    code = """
import vulkan_ffi as vk
x, stream = vk.malloc(1 << 20), vk.stream_create()
for _ in range(500):
    vk.fill_async(x, b"abcd", 1 << 10, stream)
"""
    for _ in range(3):
        done = run_python(package, code, engine=engine, **settings)
        assert done.returncode == 0, done.stderr


def test_the_validation_layer_is_heard(package: Package, settings: dict[str, str]) -> None:
    """Without that, no test would show that it has nothing to say."""
    if settings["VULKAN_FFI_VALIDATION"] != "1":
        pytest.skip("no validation layer here; apt install vulkan-validationlayers")
    code = f"""
import sys, {package.folder.name} as vk
from tests.vulkan import kernels
kernel, stream = vk.kernel_load(kernels.takes_a_number.spirv(), 0), vk.stream_create()
assert vk.is_validating() and vk.validation_messages() == []
vk.launch(kernel, [1, 1, 1], [1, 1, 1], b"", stream)
stream.synchronize()
said = vk.validation_messages()
assert any("push" in each for each in said), said
assert vk.validation_messages() == []
"""
    done = run_python(package, code, **settings)
    assert done.returncode == 0, done.stderr
