"""Checks of streams on a torch device that is not there: run in a process of its own, since a device is there for good.

Called with the generated package's folder and the file of the device that `torch_device.cpp` is.
"""

from __future__ import annotations

import ctypes
import importlib
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

DEVICE = "gated"


class Device:
    """The device, and the gate at which its copies wait."""

    def __init__(self, path: str) -> None:
        self._library = ctypes.CDLL(path)
        self._library.bytes_in_use.restype = ctypes.c_size_t

    def open(self) -> None:
        self._library.open_gate(ctypes.c_bool(True))

    def bytes_in_use(self) -> int:
        return int(self._library.bytes_in_use())

    @contextmanager
    def closed(self) -> Iterator[None]:
        self._library.open_gate(ctypes.c_bool(False))
        try:
            yield
        finally:
            self.open()


def a_stream_has_a_device(ffi: Any, device: Device) -> None:
    assert ffi.stream_create().device == ffi.stream_create(0).device == f"{DEVICE}:0"
    assert ffi.TorchStream.stream_create(1, priority=-1).device == f"{DEVICE}:1"
    for missing in (2, 127, -2):
        raises(ffi.TorchError, f"there is no device {missing}: {DEVICE} has 2", ffi.stream_create, missing)
    raises(OverflowError, "", ffi.stream_create, 128)


def a_consumer_of_dlpack_waits(ffi: Any, device: Device) -> None:
    stream = ffi.stream_create(0)
    before = stream.set_current()
    try:
        there = ffi.arange(0, 6).to_stream(0, stream)
        assert there.__dlpack_device__() == (12, 0)
        with device.closed():
            other = ffi.arange(0, 6).to_stream(0, stream)
            there.__dlpack__(stream=-1)
            there.__dlpack__(stream=stream.native_handle())
            there.__dlpack__(stream=1)
            assert not before.query(), "the default stream waits for the current one"
            waiting = threading.Thread(target=there.__dlpack__, kwargs={"stream": 4096})
            waiting.start()
            waiting.join(0.05)
            assert waiting.is_alive(), "the host waits for a stream that torch does not have"
            device.open()
            waiting.join()
        assert stream.query() and before.query()
        for unknown in (0, 2):
            raises(BufferError, "stream: ", partial(there.__dlpack__, stream=unknown))
        other.close()
    finally:
        before.set_current()


def a_copy_is_queued_on_the_stream(ffi: Any, device: Device) -> None:
    host = ffi.arange(0, 6).reshape([2, 3])
    stream, other = ffi.stream_create(0), ffi.stream_create(0)
    with device.closed():
        there = host.to_stream(0, stream)
        assert (there.device, there.shape, there.dtype) == (f"{DEVICE}:0", (2, 3), ffi.DType.FLOAT32)
        assert not stream.query()
        assert other.query()
    stream.sync()
    assert stream.query()
    assert there.cpu().to_list() == host.to_list()
    again = there.to_stream(0, stream)
    assert again.data_ptr() == there.data_ptr(), "it is there already"


def both_tensors_may_be_closed_before_the_copy(ffi: Any, device: Device) -> None:
    stream = ffi.stream_create(0)
    with device.closed():
        host = ffi.full([1000], 7)
        there = host.to_stream(0, stream)
        host.close()
        ffi.full([1000], 8).to_stream(0, stream).close()
        ffi.full([1000], 9)  # may come to lie where the others did
    stream.sync()
    assert there.to_list() == [7.0] * 1000


def sync_waits_and_lets_others_run(ffi: Any, device: Device) -> None:
    stream = ffi.stream_create(0)
    with device.closed():
        ffi.ones([4]).to_stream(0, stream)
        threading.Timer(0.05, device.open).start()
        stream.sync()  # would wait for ever if it kept the timer from running
        assert stream.query()


def a_stream_waits_for_another(ffi: Any, device: Device) -> None:
    first, second, third = (ffi.stream_create(0) for _ in range(3))
    with device.closed():
        ffi.ones([4]).to_stream(0, first)
        second.wait_stream(first)
        assert [s.query() for s in (first, second, third)] == [False, False, True]
    second.sync()
    assert first.query()


def the_current_stream_is_the_threads(ffi: Any, device: Device) -> None:
    stream = ffi.stream_create(0)
    default = ffi.current_stream(0)
    before = stream.set_current()
    assert before.native_handle() == default.native_handle() != stream.native_handle()
    assert ffi.current_stream(0).native_handle() == stream.native_handle()
    assert ffi.current_stream(1).native_handle() not in (stream.native_handle(), default.native_handle())
    seen: list[int] = []
    thread = threading.Thread(target=lambda: seen.append(ffi.current_stream(0).native_handle()))
    thread.start()
    thread.join()
    assert seen == [default.native_handle()]
    with device.closed():
        ffi.ones([4]).to(DEVICE, non_blocking=True)
        assert not stream.query()
        assert default.query()
    assert before.set_current().native_handle() == stream.native_handle()


def to_stream_leaves_the_current_stream(ffi: Any, device: Device) -> None:
    before = ffi.current_stream(0).native_handle()
    ffi.ones([4]).to_stream(1, ffi.stream_create(1))
    assert ffi.current_stream(0).native_handle() == ffi.current_stream().native_handle() == before


def a_stream_of_another_device_is_refused(ffi: Any, device: Device) -> None:
    host, stream = ffi.ones([4]), ffi.stream_create(0)
    raises(ffi.TorchError, f"the stream is on {DEVICE}:0, not on {DEVICE}:1", host.to_stream, 1, stream)
    raises(ffi.TorchError, "there is no device 2", host.to_stream, 2, stream)
    assert host.to_stream(-1, stream).device == f"{DEVICE}:0"


def tensors_move_between_devices(ffi: Any, device: Device) -> None:
    host = ffi.arange(0, 4)
    first = host.to(DEVICE)
    second = first.to(f"{DEVICE}:1")
    assert [t.device for t in (host, first, second)] == ["cpu", f"{DEVICE}:0", f"{DEVICE}:1"]
    assert [t.is_cuda for t in (host, first, second)] == [False] * 3
    assert [t.to_list() for t in (host, first, second)] == [[0.0, 1.0, 2.0, 3.0]] * 3
    assert first.to_bytes() == host.to_bytes()
    assert ffi.from_data([1, 2], device=f"{DEVICE}:1").to_list() == [1.0, 2.0]
    assert ffi.from_buffer(bytes(8), dtype=ffi.DType.INT32, device=DEVICE).device == f"{DEVICE}:0"
    raises(ffi.TorchError, "there is no device 7", host.to, f"{DEVICE}:7")
    raises(ffi.TorchError, "Cannot initialize CUDA", first.cuda, 0)


def raises(kind: type[Exception], message: str, call: Callable[..., object], *arguments: object) -> None:
    try:
        call(*arguments)
    except kind as error:
        assert message in str(error), error
    else:
        raise AssertionError(f"no {kind.__name__}")


CHECKS: tuple[Callable[[Any, Device], None], ...] = (
    a_stream_has_a_device,
    a_consumer_of_dlpack_waits,
    a_copy_is_queued_on_the_stream,
    both_tensors_may_be_closed_before_the_copy,
    sync_waits_and_lets_others_run,
    a_stream_waits_for_another,
    the_current_stream_is_the_threads,
    to_stream_leaves_the_current_stream,
    a_stream_of_another_device_is_refused,
    tensors_move_between_devices,
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
