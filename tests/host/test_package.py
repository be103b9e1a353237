"""The generated package of the CPU device: its errors, streams and settings, in processes of their own where needed."""

from __future__ import annotations

import gc
from typing import Any

import pytest

from tests.behaviour.packages import Package


def free_memory(host: Any) -> int:
    """What is free when all is released that nobody refers to."""
    gc.collect()
    host.device_synchronize()
    return int(host.mem_get_info()[0])


def test_what_is_there(host: Any) -> None:
    assert host.available() and host.device_count() == 1 and host.get_device() == 0
    host.set_device(0)
    assert host.device_name().startswith("CPU, ")
    assert host.instruction_level() in ("baseline", "v3", "v4")
    free, total = host.mem_get_info()
    assert 0 < free <= total
    for call in (host.set_device, host.device_name, host.mem_get_info):
        with pytest.raises(ValueError, match="there is no device 1"):
            call(1)
    for make in (lambda: host.malloc(1, 1), lambda: host.stream_create(device=-1), lambda: host.wrap(0, 0, 7)):
        with pytest.raises(ValueError, match="there is no device"):
            make()


def test_memory(host: Any) -> None:
    free = free_memory(host)
    with host.malloc(1000) as memory:
        assert (memory.size(), memory.device(), memory.is_null()) == (1000, 0, False)
        assert memory.pointer() % 64 == 0
        assert host.mem_get_info()[0] == free - 1000
        view = host.wrap(memory.pointer() + 10, 20)
        host.memset_async(memory, 1, 1000)
        host.memset_async(view, 2, 20)
        found = bytearray(1000)
        host.memcpy_device_to_host_async(found, memory)
        assert found == bytes([1] * 10 + [2] * 20 + [1] * 970)
        view.close()
    assert host.mem_get_info()[0] == free
    assert host.malloc(0).is_null()
    with pytest.raises(MemoryError, match=r"cannot allocate \d+ bytes on device 0: \d+ of \d+ are free"):
        host.malloc(1 << 60)


def test_copies_stay_inside(host: Any) -> None:
    memory, other = host.malloc(10), host.malloc(20)
    for call in (
        lambda: host.memset_async(memory, 0, 11),
        lambda: host.memset_async(memory, 0, 1, None, 10),
        lambda: host.memcpy_host_to_device_async(memory, bytes(11)),
        lambda: host.memcpy_device_to_host_async(bytearray(5), memory, None, 6),
        lambda: host.memcpy_device_to_device_async(memory, other, 11),
        lambda: host.memcpy_device_to_device_async(other, memory, 11),
    ):
        with pytest.raises(ValueError, match="do not fit"):
            call()
    host.memcpy_host_to_device_async(other, b"0123456789abcdefghij")
    host.memcpy_device_to_device_async(memory, other, 4, None, 2, 10)
    found = bytearray(4)
    host.memcpy_device_to_host_async(found, memory, None, 2)
    assert found == b"abcd"


def test_registered_memory(host: Any) -> None:
    stream, memory, data = host.stream_create(), host.malloc(4), bytearray(b"aaaa")
    host.host_register(data)
    with pytest.raises(host.HostError, match="registered already"):
        host.host_register(data)
    host.stream_delay(stream, 20_000)
    host.memcpy_host_to_device_async(memory, data, stream)
    data[:] = b"bbbb"
    found = bytearray(4)
    host.memcpy_device_to_host_async(found, memory, stream)
    assert found == b"bbbb"
    host.host_unregister(data)
    with pytest.raises(host.HostError, match="not registered"):
        host.host_unregister(data)


def test_streams_and_events(host: Any) -> None:
    first, second = host.stream_create(), host.stream_create(host.StreamFlags.NON_BLOCKING, -3)
    assert (second.priority(), second.device()) == (-3, 0)
    assert first.pointer() != second.pointer()
    start, end = host.event_create(), host.event_create()
    assert start.query()
    first.record(start)
    host.stream_delay(first, 1_000_000)
    first.record(end)
    second.wait_event(end)
    assert not first.query() and not second.query() and not end.query()
    with pytest.raises(host.HostError, match="not reached"):
        start.elapsed_time(end)
    second.synchronize()
    assert first.query() and end.query()
    end.synchronize()
    assert start.elapsed_time(end) >= 1000
    untimed = host.event_create(host.EventFlags.DISABLE_TIMING)
    first.record(untimed)
    untimed.synchronize()
    with pytest.raises(host.HostError, match="no time"):
        start.elapsed_time(untimed)
    with pytest.raises(host.HostError, match="never recorded"):
        start.elapsed_time(host.event_create())
    for wrong in (-1.0, float("nan"), float("inf")):
        with pytest.raises(ValueError, match="not a time"):
            host.stream_delay(first, wrong)


def test_waiting_lets_python_go_on(host: Any) -> None:
    import threading

    stream = host.stream_create()
    host.stream_delay(stream, 2_000_000)
    went_on = threading.Event()
    thread = threading.Thread(target=went_on.set)
    thread.start()
    stream.synchronize()
    assert went_on.is_set()
    thread.join()


def test_failures_are_raised_where_one_waits(host: Any) -> None:
    stream, other, event = host.stream_create(), host.stream_create(), host.event_create()
    memory = host.malloc(4)
    try:
        host.fail_at("memset_async", queued=True)
        host.memset_async(memory, 1, 4, stream)
        stream.record(event)
        other.wait_event(event)
        for waiting in (event.synchronize, other.synchronize, stream.synchronize):
            with pytest.raises(host.HostError, match="memset_async fails, as it was told to"):
                waiting()
        stream.synchronize()
        other.synchronize()

        host.fail_at("memset_async", 2)
        host.memset_async(memory, 1, 4, stream)
        with pytest.raises(host.HostError, match="memset_async"):
            host.memset_async(memory, 1, 4, stream)
        stream.synchronize()

        host.fail_at("malloc")
        with pytest.raises(MemoryError, match="as it was told to"):
            host.malloc(1)
        host.malloc(1)
        with pytest.raises(ValueError, match="counted from 1"):
            host.fail_at("malloc", 0)
    finally:
        host.forget_faults()


@pytest.mark.parametrize("call", ["memcpy_host_to_device_async", "memcpy_device_to_host_async"])
def test_memory_lent_to_a_call_that_raised_can_be_collected(host: Any, call: str) -> None:
    memory = host.malloc(10)

    def refuse() -> None:
        view = memoryview(bytearray(11))
        arguments = (memory, view) if call == "memcpy_host_to_device_async" else (view, memory)
        try:
            getattr(host, call)(*arguments)
        except ValueError as error:
            vars(error)["itself"] = error  # a cycle, with the frames of the call

    refuse()
    assert gc.collect() > 0


def test_closing_in_any_order_frees_all(host: Any) -> None:
    free = free_memory(host)
    for _ in range(50):
        stream, event, memory = host.stream_create(), host.event_create(), host.malloc(1 << 16)
        host.stream_delay(stream, 1000)
        host.memset_async(memory, 1, 1 << 16, stream)
        stream.record(event)
        memory.close()
        stream.close()
    del stream, event, memory
    assert free_memory(host) == free


# --- other settings, in other processes


def test_memory_runs_out_and_comes_back(host_package: Package, engine: str) -> None:
    program = """
import host_ffi as host
assert host.mem_get_info() == [8 << 20, 8 << 20]
stream = host.stream_create()
whole = host.malloc(8 << 20)
try:
    host.malloc(1)
    raise SystemExit("there was more")
except MemoryError as error:
    assert str(error) == "cannot allocate 1 bytes on device 0: 0 of 8388608 are free", error
host.stream_delay(stream, 30_000)
host.memset_async(whole, 1, 8 << 20, stream)
whole.close()
host.malloc(8 << 20)
"""
    host_package.python(program, engine=engine, HOST_FFI_MEMORY_MB="8")


def test_several_devices(host_package: Package, engine: str) -> None:
    program = """
import threading
import host_ffi as host
assert host.device_count() == 3
host.set_device(2)
memory, stream = host.malloc(4), host.stream_create()
assert (memory.device(), stream.device(), host.malloc(4, 1).device()) == (2, 2, 1)
thread = threading.Thread(target=lambda: host.set_device(host.get_device() + 1))
thread.start(); thread.join()
assert host.get_device() == 2
host.memcpy_device_to_device_async(memory, host.malloc(4, 0), 4, stream)
stream.synchronize()
try:
    host.unary(host.UnaryOp.NEG, host.DType.F32, memory, 0, memory, 0, [1], [1], host.stream_create(device=0))
    raise SystemExit("a stream of another device took it")
except ValueError as error:
    assert "memory of device 2 cannot be used on a stream of device 0" in str(error)
host.device_synchronize()
host.device_synchronize(1)
"""
    host_package.python(program, engine=engine, HOST_FFI_DEVICES="3")


def test_no_device(host_package: Package, engine: str) -> None:
    program = """
import host_ffi as host
assert not host.available() and host.device_count() == 0
for call in (lambda: host.malloc(1), host.stream_create, host.device_name):
    try:
        call()
        raise SystemExit("there is a device")
    except ValueError as error:
        assert "there is no device 0" in str(error)
"""
    host_package.python(program, engine=engine, HOST_FFI_DEVICES="0")


def test_a_setting_that_is_not_understood(host_package: Package, engine: str) -> None:
    program = """
import host_ffi as host
assert not host.available()
try:
    host.device_count()
except host.HostError as error:
    print(error)
"""
    done = host_package.python(program, engine=engine, HOST_FFI_DEVICES="many")
    assert done.stdout == "HOST_FFI_DEVICES=many is not a number of at least 0\n"


FORK = """
import os, threading
import host_ffi as host
stream, memory, event = host.stream_create(), host.malloc(4), host.event_create()
host.stream_delay(stream, 200_000)
stream.record(event)
child = os.fork()
if child == 0:
    calls = [stream.synchronize, stream.query, event.synchronize, event.query, host.stream_create,
             host.device_synchronize, lambda: host.malloc(4), lambda: host.memset_async(memory, 0, 4, stream),
             lambda: stream.record(event), lambda: stream.wait_event(event)]
    for i, call in enumerate(calls):
        try:
            call()
            os._exit(1 + i)
        except host.HostError as error:
            if "forked" not in str(error):
                os._exit(101 + i)
    memory.close(), stream.close(), event.close()
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
stream.synchronize()
"""


def test_a_forked_child_is_told_and_does_not_hang(host_package: Package, engine: str) -> None:
    host_package.python(FORK, engine=engine)


def test_a_child_may_use_what_was_not_in_use(host_package: Package, engine: str) -> None:
    program = """
import os
import host_ffi as host
assert host.available()
child = os.fork()
if child == 0:
    stream, memory = host.stream_create(), host.malloc(4)
    host.memset_async(memory, 7, 4, stream)
    found = bytearray(4)
    host.memcpy_device_to_host_async(found, memory, stream)
    os._exit(0 if found == bytes([7] * 4) else 1)
assert os.waitpid(child, 0)[1] == 0
"""
    host_package.python(program, engine=engine)


def test_a_process_may_end_in_the_middle(host_package: Package, engine: str) -> None:
    program = """
import host_ffi as host
stream, memory = host.stream_create(), host.malloc(1 << 20)
data = bytearray(1 << 20)
host.host_register(data)
host.stream_delay(stream, 50_000)
for _ in range(100):
    host.memcpy_host_to_device_async(memory, data, stream)
"""
    assert host_package.python(program, engine=engine).stderr == ""
