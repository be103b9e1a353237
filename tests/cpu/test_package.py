"""The generated package of the CPU device: its errors, streams and settings, in processes of their own where needed."""

from __future__ import annotations

import gc
import itertools
from typing import Any

import pytest

from tests.behaviour.packages import Package
from tests.cpu.testing_package import package_for_tests


def free_memory(cpu: Any) -> int:
    """What is free when all is released that nobody refers to."""
    gc.collect()
    cpu.device_synchronize()
    return int(cpu.mem_get_info()[0])


def test_what_is_there(cpu: Any) -> None:
    assert cpu.available() and cpu.device_count() == 1 and cpu.get_device() == 0
    cpu.set_device(0)
    assert cpu.device_name().startswith("CPU, ")
    assert cpu.instruction_level() in ("baseline", "v3", "v4")
    free, total = cpu.mem_get_info()
    assert 0 < free <= total
    for call in (cpu.set_device, cpu.device_name, cpu.mem_get_info):
        with pytest.raises(ValueError, match="there is no device 1"):
            call(1)
    for make in (lambda: cpu.malloc(1, 1), lambda: cpu.stream_create(device=-1), lambda: cpu.wrap(0, 0, 7)):
        with pytest.raises(ValueError, match="there is no device"):
            make()


def test_large_memory_begins_at_different_places_of_a_page(cpu: Any) -> None:
    memories = [cpu.malloc(4 << 20) for _ in range(16)]
    begins = [memory.pointer() for memory in memories]
    assert all(begin % 256 == 0 for begin in begins)
    assert len({begin % 4096 for begin in begins}) == 16
    for begin, other in itertools.pairwise(begins):
        assert (begin - other) % 4096 >= 512 <= (other - begin) % 4096
    for memory in memories:  # whole, each apart from the others
        cpu.memset_async(memory, memory.pointer() % 251, memory.size())
    for memory in memories:
        there = bytearray(memory.size())
        cpu.memcpy_device_to_host_async(there, memory)
        assert there == bytes([memory.pointer() % 251]) * memory.size()
        memory.close()


def test_memory(cpu: Any) -> None:
    free = free_memory(cpu)
    with cpu.malloc(1000) as memory:
        assert (memory.size(), memory.device(), memory.is_null()) == (1000, 0, False)
        assert memory.pointer() % 64 == 0
        assert cpu.mem_get_info()[0] == free - 1000
        view = cpu.wrap(memory.pointer() + 10, 20)
        cpu.memset_async(memory, 1, 1000)
        cpu.memset_async(view, 2, 20)
        found = bytearray(1000)
        cpu.memcpy_device_to_host_async(found, memory)
        assert found == bytes([1] * 10 + [2] * 20 + [1] * 970)
        view.close()
    assert cpu.mem_get_info()[0] == free
    assert cpu.malloc(0).is_null()
    with pytest.raises(MemoryError, match=r"cannot allocate \d+ bytes on device 0: \d+ of \d+ are free"):
        cpu.malloc(1 << 60)


def test_copies_stay_inside(cpu: Any) -> None:
    memory, other = cpu.malloc(10), cpu.malloc(20)
    for call in (
        lambda: cpu.memset_async(memory, 0, 11),
        lambda: cpu.memset_async(memory, 0, 1, None, 10),
        lambda: cpu.memcpy_host_to_device_async(memory, bytes(11)),
        lambda: cpu.memcpy_device_to_host_async(bytearray(5), memory, None, 6),
        lambda: cpu.memcpy_device_to_device_async(memory, other, 11),
        lambda: cpu.memcpy_device_to_device_async(other, memory, 11),
    ):
        with pytest.raises(ValueError, match="do not fit"):
            call()
    cpu.memcpy_host_to_device_async(other, b"0123456789abcdefghij")
    cpu.memcpy_device_to_device_async(memory, other, 4, None, 2, 10)
    found = bytearray(4)
    cpu.memcpy_device_to_host_async(found, memory, None, 2)
    assert found == b"abcd"


def test_registered_memory(cpu: Any) -> None:
    stream, memory, data = cpu.stream_create(), cpu.malloc(4), bytearray(b"aaaa")
    cpu.host_register(data)
    with pytest.raises(cpu.CpuError, match="registered already"):
        cpu.host_register(data)
    cpu.stream_delay(stream, 20_000)
    cpu.memcpy_host_to_device_async(memory, data, stream)
    data[:] = b"bbbb"
    found = bytearray(4)
    cpu.memcpy_device_to_host_async(found, memory, stream)
    assert found == b"bbbb"
    cpu.host_unregister(data)
    with pytest.raises(cpu.CpuError, match="not registered"):
        cpu.host_unregister(data)


def test_streams_and_events(cpu: Any) -> None:
    first, second = cpu.stream_create(), cpu.stream_create(cpu.StreamFlags.NON_BLOCKING, -3)
    assert (second.priority(), second.device()) == (-3, 0)
    assert first.pointer() != second.pointer()
    start, end = cpu.event_create(), cpu.event_create()
    assert start.query()
    first.record(start)
    cpu.stream_delay(first, 1_000_000)
    first.record(end)
    second.wait_event(end)
    assert not first.query() and not second.query() and not end.query()
    with pytest.raises(cpu.CpuError, match="not complete"):
        start.elapsed_time(end)
    second.synchronize()
    assert first.query() and end.query()
    end.synchronize()
    assert start.elapsed_time(end) >= 1000
    untimed = cpu.event_create(cpu.EventFlags.DISABLE_TIMING)
    first.record(untimed)
    untimed.synchronize()
    with pytest.raises(cpu.CpuError, match="no time"):
        start.elapsed_time(untimed)
    with pytest.raises(cpu.CpuError, match="never recorded"):
        start.elapsed_time(cpu.event_create())
    for wrong in (-1.0, float("nan"), float("inf")):
        with pytest.raises(ValueError, match="not a time"):
            cpu.stream_delay(first, wrong)


def test_waiting_lets_python_go_on(cpu: Any) -> None:
    import threading

    stream = cpu.stream_create()
    cpu.stream_delay(stream, 2_000_000)
    went_on = threading.Event()
    thread = threading.Thread(target=went_on.set)
    thread.start()
    stream.synchronize()
    assert went_on.is_set()
    thread.join()


def test_the_shipped_package_has_nothing_for_tests(cpu: Any, cpu_package: Package) -> None:
    assert not {"fail_at", "forget_faults"} & set(dir(cpu))
    files = [
        path for path in cpu_package.folder.rglob("*") if path.suffix in (".py", ".pyi", ".h", ".hpp", ".cpp", ".so")
    ]
    assert any(path.suffix == ".so" for path in files)
    for word in (b"CPU_FFI_FAIL", b"CPU_FFI_LINK", b"cpu_fail_at", b"as it was told to", b"forget_faults"):
        assert not [path.name for path in files if word in path.read_bytes()], word


def test_failures_are_raised_where_one_waits(engine: str) -> None:
    cpu: Any = package_for_tests().load(engine)
    stream, other, event = cpu.stream_create(), cpu.stream_create(), cpu.event_create()
    memory = cpu.malloc(4)
    try:
        cpu.fail_at("memset_async", queued=True)
        cpu.memset_async(memory, 1, 4, stream)
        stream.record(event)
        other.wait_event(event)
        for waiting in (event.synchronize, other.synchronize, stream.synchronize):
            with pytest.raises(cpu.CpuError, match="memset_async fails, as it was told to"):
                waiting()
        stream.synchronize()
        other.synchronize()

        cpu.fail_at("memset_async", 2)
        cpu.memset_async(memory, 1, 4, stream)
        with pytest.raises(cpu.CpuError, match="memset_async"):
            cpu.memset_async(memory, 1, 4, stream)
        stream.synchronize()

        cpu.fail_at("malloc")
        with pytest.raises(MemoryError, match="as it was told to"):
            cpu.malloc(1)
        cpu.malloc(1)
        with pytest.raises(ValueError, match="counted from 1"):
            cpu.fail_at("malloc", 0)
    finally:
        cpu.forget_faults()


@pytest.mark.parametrize("call", ["memcpy_host_to_device_async", "memcpy_device_to_host_async"])
def test_memory_lent_to_a_call_that_raised_can_be_collected(cpu: Any, call: str) -> None:
    memory = cpu.malloc(10)

    def refuse() -> None:
        view = memoryview(bytearray(11))
        arguments = (memory, view) if call == "memcpy_host_to_device_async" else (view, memory)
        try:
            getattr(cpu, call)(*arguments)
        except ValueError as error:
            vars(error)["itself"] = error  # a cycle, with the frames of the call

    refuse()
    assert gc.collect() > 0


def test_closing_in_any_order_frees_all(cpu: Any) -> None:
    free = free_memory(cpu)
    for _ in range(50):
        stream, event, memory = cpu.stream_create(), cpu.event_create(), cpu.malloc(1 << 16)
        cpu.stream_delay(stream, 1000)
        cpu.memset_async(memory, 1, 1 << 16, stream)
        stream.record(event)
        memory.close()
        stream.close()
    del stream, event, memory
    assert free_memory(cpu) == free


# --- other settings, in other processes


def test_memory_runs_out_and_comes_back(cpu_package: Package, engine: str) -> None:
    program = """
import cpu_ffi as cpu
assert cpu.mem_get_info() == (8 << 20, 8 << 20)
stream = cpu.stream_create()
whole = cpu.malloc(8 << 20)
try:
    cpu.malloc(1)
    raise SystemExit("there was more")
except MemoryError as error:
    assert str(error) == "cannot allocate 1 bytes on device 0: 0 of 8388608 are free", error
cpu.stream_delay(stream, 30_000)
cpu.memset_async(whole, 1, 8 << 20, stream)
whole.close()
cpu.malloc(8 << 20)
"""
    cpu_package.python(program, engine=engine, CPU_FFI_MEMORY_MB="8")


def test_several_devices(cpu_package: Package, engine: str) -> None:
    program = """
import threading
import cpu_ffi as cpu
assert cpu.device_count() == 3
cpu.set_device(2)
memory, stream = cpu.malloc(4), cpu.stream_create()
assert (memory.device(), stream.device(), cpu.malloc(4, 1).device()) == (2, 2, 1)
thread = threading.Thread(target=lambda: cpu.set_device(cpu.get_device() + 1))
thread.start(); thread.join()
assert cpu.get_device() == 2
cpu.memcpy_device_to_device_async(memory, cpu.malloc(4, 0), 4, stream)
stream.synchronize()
try:
    cpu.unary(cpu.UnaryOp.NEG, cpu.DType.F32, memory, 0, memory, 0, [1], [1], cpu.stream_create(device=0))
    raise SystemExit("a stream of another device took it")
except ValueError as error:
    assert "memory of device 2 cannot be used on a stream of device 0" in str(error)
cpu.device_synchronize()
cpu.device_synchronize(1)
"""
    cpu_package.python(program, engine=engine, CPU_FFI_DEVICES="3")


def test_no_device(cpu_package: Package, engine: str) -> None:
    program = """
import cpu_ffi as cpu
assert not cpu.available() and cpu.device_count() == 0
for call in (lambda: cpu.malloc(1), cpu.stream_create, cpu.device_name):
    try:
        call()
        raise SystemExit("there is a device")
    except ValueError as error:
        assert "there is no device 0" in str(error)
"""
    cpu_package.python(program, engine=engine, CPU_FFI_DEVICES="0")


def test_a_setting_that_is_not_understood(cpu_package: Package, engine: str) -> None:
    program = """
import cpu_ffi as cpu
assert not cpu.available()
try:
    cpu.device_count()
except cpu.CpuError as error:
    print(error)
"""
    done = cpu_package.python(program, engine=engine, CPU_FFI_DEVICES="many")
    assert done.stdout == "CPU_FFI_DEVICES=many is not a number of at least 0\n"


FORK = """
import os, threading
import cpu_ffi as cpu
stream, memory, event = cpu.stream_create(), cpu.malloc(4), cpu.event_create()
cpu.stream_delay(stream, 200_000)
stream.record(event)
child = os.fork()
if child == 0:
    calls = [stream.synchronize, stream.query, event.synchronize, event.query, cpu.stream_create,
             cpu.device_synchronize, lambda: cpu.malloc(4), lambda: cpu.memset_async(memory, 0, 4, stream),
             lambda: stream.record(event), lambda: stream.wait_event(event)]
    for i, call in enumerate(calls):
        try:
            call()
            os._exit(1 + i)
        except cpu.CpuError as error:
            if "forked" not in str(error):
                os._exit(101 + i)
    memory.close(), stream.close(), event.close()
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
stream.synchronize()
"""


def test_a_forked_child_is_told_and_does_not_hang(cpu_package: Package, engine: str) -> None:
    cpu_package.python(FORK, engine=engine)


def test_a_child_may_use_what_was_not_in_use(cpu_package: Package, engine: str) -> None:
    program = """
import os
import cpu_ffi as cpu
assert cpu.available()
child = os.fork()
if child == 0:
    stream, memory = cpu.stream_create(), cpu.malloc(4)
    cpu.memset_async(memory, 7, 4, stream)
    found = bytearray(4)
    cpu.memcpy_device_to_host_async(found, memory, stream)
    os._exit(0 if found == bytes([7] * 4) else 1)
assert os.waitpid(child, 0)[1] == 0
"""
    cpu_package.python(program, engine=engine)


def test_a_process_may_end_in_the_middle(cpu_package: Package, engine: str) -> None:
    program = """
import cpu_ffi as cpu
stream, memory = cpu.stream_create(), cpu.malloc(1 << 20)
data = bytearray(1 << 20)
cpu.host_register(data)
cpu.stream_delay(stream, 50_000)
for _ in range(100):
    cpu.memcpy_host_to_device_async(memory, data, stream)
"""
    assert cpu_package.python(program, engine=engine).stderr == ""
