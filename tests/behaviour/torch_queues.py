"""Checks of queues on a torch device that is not there: run in a process of its own, since a device is there for good.

Called with the generated package's folder and the file of the device that `torch_device.cpp` is. Its work waits at a
gate, and it overwrites memory that is given back as soon as a caching allocator could give it to someone else.
"""

from __future__ import annotations

import ctypes
import importlib
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.behaviour.torch_streams import DEVICE, Device, raises

SIZE = 1 << 16


def filled(ffi: Any, value: int, queue: Any, device: str = DEVICE) -> Any:
    memory = ffi.malloc(SIZE, device)
    ffi.memset_async(memory, value, SIZE, queue)
    return memory


def as_bytes(ffi: Any, memory: Any) -> Any:
    return memory.view(ffi.DType.UINT8, [memory.size()], [1])


def download(ffi: Any, memory: Any, queue: Any) -> bytearray:
    data = bytearray(memory.size())
    ffi.memcpy_device_to_host_async(data, memory, queue)
    return data


def the_accelerator_is_found(ffi: Any, device: Device) -> None:
    assert (ffi.accelerator(), ffi.device_count()) == (DEVICE, 2)
    assert [ffi.malloc(8, f"{DEVICE}:{i}").device() for i in (0, 1)] == [f"{DEVICE}:0", f"{DEVICE}:1"]
    assert ffi.queue_create(f"{DEVICE}:1", -1).device() == f"{DEVICE}:1"
    assert ffi.queue_create(DEVICE, -1).priority() == -1
    raises(ffi.TorchError, "there is no device 2", ffi.malloc, 8, f"{DEVICE}:2")
    raises(NotImplementedError, "does not tell how much memory", ffi.memory_info, DEVICE)
    raises(NotImplementedError, "only CUDA has streams", ffi.queue_from_pointer, 1, DEVICE)


def work_is_queued(ffi: Any, device: Device) -> None:
    queue, other = ffi.queue_create(DEVICE), ffi.queue_create(DEVICE)
    out = ffi.malloc(SIZE, DEVICE)
    with device.closed():
        x = filled(ffi, 4, queue)
        queue.binary(ffi.BinaryOp.MUL, as_bytes(ffi, out), as_bytes(ffi, x), as_bytes(ffi, x))
        assert (queue.query(), other.query()) == (False, True)
    queue.synchronize()
    assert queue.query()
    assert download(ffi, out, queue) == bytes([16]) * SIZE
    assert queue.pointer() not in (0, other.pointer())


def ordinary_memory_is_read_before_the_call_returns(ffi: Any, device: Device) -> None:
    queue, memory = ffi.queue_create(DEVICE), ffi.malloc(8, DEVICE)
    with device.closed():
        data = bytearray(b"original")
        ffi.memcpy_host_to_device_async(memory, data, queue)
        data[:] = b"changed!"
        assert not queue.query()
    assert download(ffi, memory, queue) == b"original"


def pinned_memory_is_used_in_its_turn(ffi: Any, device: Device) -> None:
    queue, memory = ffi.queue_create(DEVICE), ffi.malloc(8, DEVICE)
    pinned, back = ffi.malloc_pinned(8, DEVICE), ffi.malloc_pinned(8, DEVICE)
    up, down = ((ctypes.c_ubyte * 8).from_address(each.pointer()) for each in (pinned, back))
    with device.closed():
        ffi.memcpy_host_to_device_async(memory, up, queue)
        up[:] = list(b"in time.")
        ffi.memcpy_device_to_host_async(down, memory, queue)
        assert bytes(down) != b"in time."
    queue.synchronize()
    assert bytes(down) == b"in time."


def memory_that_is_in_use_is_not_given_away(ffi: Any, device: Device) -> None:
    queue, out = ffi.queue_create(DEVICE), ffi.malloc(SIZE, DEVICE)
    source = filled(ffi, 5, queue)
    queue.synchronize()
    with device.closed():
        number = ffi.element(b"\3", ffi.DType.UINT8)
        with as_bytes(ffi, source) as x, as_bytes(ffi, out) as y:
            queue.binary(ffi.BinaryOp.ADD, y, x, number)
        number.close()
        source.close()  # now it would be overwritten, if the queue were not known to use it
    assert download(ffi, out, queue) == bytes([8]) * SIZE


def pinned_memory_that_is_in_use_is_kept(ffi: Any, device: Device) -> None:
    queue, memory = ffi.queue_create(DEVICE), ffi.malloc(SIZE, DEVICE)
    with device.closed():
        pinned = ffi.malloc_pinned(SIZE, DEVICE)
        ctypes.memset(pinned.pointer(), 6, SIZE)
        ffi.memcpy_host_to_device_async(memory, (ctypes.c_ubyte * SIZE).from_address(pinned.pointer()), queue)
        pinned.close()
        for other in [ffi.malloc_pinned(SIZE, DEVICE) for _ in range(8)]:  # one may lie where the first did
            ctypes.memset(other.pointer(), 7, SIZE)
    assert download(ffi, memory, queue) == bytes([6]) * SIZE


def queues_wait_for_events(ffi: Any, device: Device) -> None:
    first, second, third = (ffi.queue_create(DEVICE) for _ in range(3))
    event, end = ffi.event_create(DEVICE), ffi.event_create(DEVICE)
    assert event.query()
    event.synchronize()
    second.wait_event(event)
    with device.closed():
        memory = filled(ffi, 2, first)
        first.record(event)
        second.wait_event(event)
        raises(ffi.TorchError, "not complete", event.elapsed_time, event)
        assert [event.query(), first.query(), second.query(), third.query()] == [False, False, False, True]
    second.synchronize()
    assert event.query() and first.query()
    second.record(end)
    end.synchronize()
    assert event.elapsed_time(end) >= 0
    raises(ffi.TorchError, "never recorded", event.elapsed_time, ffi.event_create(DEVICE))
    untimed = ffi.event_create(DEVICE, False)
    second.record(untimed)
    raises(ffi.TorchError, "without timing", event.elapsed_time, untimed)
    raises(ValueError, "one is the CPU's", first.record, ffi.event_create("cpu"))
    raises(ValueError, "one is the CPU's", ffi.queue_create("cpu").wait_event, event)
    raises(ValueError, "one is the CPU's", event.elapsed_time, ffi.event_create("cpu"))
    assert memory.size() == SIZE


def waiting_lets_others_run(ffi: Any, device: Device) -> None:
    for wait in ("queue", "event", "device"):
        queue, event = ffi.queue_create(DEVICE), ffi.event_create(DEVICE)
        with device.closed():
            filled(ffi, 1, queue)
            queue.record(event)
            threading.Timer(0.05, device.open).start()  # would never come if the wait kept it from running
            if wait == "queue":
                queue.synchronize()
            elif wait == "event":
                event.synchronize()
            else:
                ffi.device_synchronize(DEVICE)
            assert queue.query()


def copies_go_between_devices(ffi: Any, device: Device) -> None:
    first, second = ffi.queue_create(f"{DEVICE}:0"), ffi.queue_create(f"{DEVICE}:1")
    there, back = ffi.malloc(SIZE, f"{DEVICE}:1"), ffi.malloc(SIZE, f"{DEVICE}:0")
    with device.closed():
        ffi.memcpy_device_to_device_async(there, filled(ffi, 3, first), SIZE, first)
        event = ffi.event_create(DEVICE)
        first.record(event)
        second.wait_event(event)
        x = as_bytes(ffi, there)
        second.binary(ffi.BinaryOp.ADD, x, x, x)
        ffi.memcpy_device_to_device_async(back, there, SIZE, second)
        second.record(event)
        first.wait_event(event)
    assert download(ffi, back, first) == bytes([6]) * SIZE


def the_current_stream_stays(ffi: Any, device: Device) -> None:
    before = ffi.current_stream(0).native_handle()
    queue = ffi.queue_create(DEVICE)
    filled(ffi, 1, queue)
    assert ffi.current_stream(0).native_handle() == before != queue.pointer()


def the_work_of_the_cpu_is_still_there(ffi: Any, device: Device) -> None:
    queue, memory = ffi.queue_create("cpu"), ffi.malloc(8)
    ffi.memset_async(memory, 1, 8, queue)
    assert download(ffi, memory, queue) == bytes([1]) * 8


def nothing_is_left(ffi: Any, device: Device) -> None:
    ffi.device_synchronize(DEVICE)
    before = device.bytes_in_use()
    queue = ffi.queue_create(DEVICE)
    for _ in range(20):
        x = filled(ffi, 2, queue)
        queue.unary(ffi.UnaryOp.NEG, as_bytes(ffi, x), as_bytes(ffi, x))
        queue.binary(ffi.BinaryOp.DIV, as_bytes(ffi, x), as_bytes(ffi, x), ffi.element(b"\0", ffi.DType.UINT8))
    del x
    queue.synchronize()
    assert device.bytes_in_use() == before


CHECKS: tuple[Callable[[Any, Device], None], ...] = (
    the_accelerator_is_found,
    work_is_queued,
    ordinary_memory_is_read_before_the_call_returns,
    pinned_memory_is_used_in_its_turn,
    memory_that_is_in_use_is_not_given_away,
    pinned_memory_that_is_in_use_is_kept,
    queues_wait_for_events,
    waiting_lets_others_run,
    copies_go_between_devices,
    the_current_stream_stays,
    the_work_of_the_cpu_is_still_there,
    nothing_is_left,
)


def main() -> None:
    package, path = Path(sys.argv[1]), sys.argv[2]
    sys.path.insert(0, str(package.parent))
    ffi = importlib.import_module(package.name)
    device = Device(path)
    for check in CHECKS:
        check(ffi, device)
        print(check.__name__, flush=True)


if __name__ == "__main__":
    main()
