"""Queues of the torch package: what they compute, in which order, and what lives how long; on the CPU and on a GPU."""

from __future__ import annotations

import ctypes
import itertools
import math
import os
import shutil
import signal
import struct
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.behaviour import packages
from tests.behaviour.packages import Package
from tests.behaviour.torch_agreement import HERE, NOISE, SPEC, cpu_only, memory_in_use, needs_gpu, torch_device
from tests.limits import HANGS

np = pytest.importorskip("numpy")

pytestmark = pytest.mark.torch

DTYPES = ["UINT8", "UINT16", "UINT32", "UINT64", "INT8", "INT16", "INT32", "INT64", "FLOAT16", "FLOAT32", "FLOAT64"]
COMPARISONS = ["EQ", "NE", "LT", "LE", "GT", "GE"]
NUMPY_BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "ADD": np.add,
    "SUB": np.subtract,
    "MUL": np.multiply,
    "MAXIMUM": np.maximum,
    "MINIMUM": np.minimum,
    "EQ": np.equal,
    "NE": np.not_equal,
    "LT": np.less,
    "LE": np.less_equal,
    "GT": np.greater,
    "GE": np.greater_equal,
}
PLACES = ["cpu", pytest.param("cuda", marks=needs_gpu)]
WAIT = """
extern "C" __global__ void wait_for(const volatile unsigned char* opened) {
    while (*opened == 0) {}
}
"""


# --- what the tests need ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def package() -> Package:
    return packages.build(SPEC)


@pytest.fixture(scope="module")
def ffi(package: Package, engine: str) -> ModuleType:
    return package.load(engine)


class Device:
    """Arrays on one device of torch's, by one queue."""

    def __init__(self, ffi: ModuleType, where: str) -> None:
        self.ffi = ffi
        self.where = where
        self.queue = ffi.queue_create(where)

    def dtype(self, of: Any) -> Any:
        return self.ffi.DType["BOOL" if of is bool or of == np.dtype(bool) else np.dtype(of).name.upper()]

    def empty(self, shape: tuple[int, ...], dtype: Any) -> tuple[Any, Any]:
        """Memory, and a contiguous view of all of it."""
        memory = self.ffi.malloc(math.prod(shape) * np.dtype(dtype).itemsize, self.where)
        return memory, self.view(memory, shape, dtype)

    def view(self, memory: Any, shape: tuple[int, ...], dtype: Any, offset: int = 0) -> Any:
        strides = [math.prod(shape[i + 1 :]) for i in range(len(shape))]
        return memory.view(self.dtype(dtype), shape, strides, offset)

    def put(self, array: Any) -> Any:
        memory, view = self.empty(array.shape, array.dtype)
        self.ffi.memcpy_host_to_device_async(memory, np.ascontiguousarray(array), self.queue)
        return view

    def get(self, memory: Any, shape: tuple[int, ...], dtype: Any) -> Any:
        result = np.empty(shape, dtype)
        self.ffi.memcpy_device_to_host_async(result.reshape(-1).view(np.uint8), memory, self.queue)
        return result

    def number(self, value: Any) -> Any:
        return self.ffi.element(value.tobytes(), self.dtype(value.dtype))

    def run(self, name: str, shape: tuple[int, ...], dtype: Any, *arguments: Any) -> Any:
        """What a method of the queue writes."""
        memory, out = self.empty(shape, dtype)
        first = [arguments[0]] if not hasattr(arguments[0], "numel") else []
        getattr(self.queue, name)(*first, out, *arguments[len(first) :])
        return self.get(memory, shape, dtype)


@pytest.fixture(params=PLACES)
def device(request: pytest.FixtureRequest, ffi: ModuleType) -> Device:
    return Device(ffi, request.param)


@pytest.fixture(scope="module")
def waiting(ffi: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A kernel of the CPU that ends when a byte is not 0."""
    if shutil.which("g++") is None:
        pytest.skip("there is no g++")
    from unified_gpu.backends.cpu_kernels import compile_kernel

    sources = Path(ffi.__file__ or "").parent / "sources"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("UNIFIED_GPU_CACHE", str(tmp_path_factory.mktemp("kernels")))
        path = compile_kernel(WAIT, "wait_for", (), sources, "baseline")
    return ffi.library_load(str(path)).kernel("wait_for")


class Gate:
    """Holds up queues of the CPU until it is opened."""

    def __init__(self, ffi: ModuleType, kernel: Any) -> None:
        self._ffi, self._kernel = ffi, kernel
        self._byte = ctypes.c_ubyte(0)

    def hold(self, queue: Any) -> None:
        address = struct.pack("P", ctypes.addressof(self._byte))
        self._ffi.launch(self._kernel, [1, 1, 1], [1, 1, 1], 0, address, [0], queue)

    def open(self) -> None:
        self._byte.value = 1


@contextmanager
def held(ffi: ModuleType, kernel: Any, *queues: Any) -> Iterator[Gate]:
    gate = Gate(ffi, kernel)
    for queue in queues:
        gate.hold(queue)
    try:
        yield gate
    finally:
        gate.open()
        for queue in queues:
            queue.synchronize()


def samples(dtype: Any, seed: int) -> Any:
    """Numbers of all sizes, the extreme ones too."""
    random = np.random.default_rng(seed)
    if dtype.kind == "f":
        return random.normal(size=(3, 129)).astype(dtype)
    info = np.iinfo(dtype)
    numbers = random.integers(info.min, info.max, size=(3, 129), dtype=dtype, endpoint=True)
    numbers[1] = random.integers(0, 12, size=129)
    extremes = [info.min, info.max, 0, 1, *([-1] if info.min else [])]
    pairs = list(itertools.product(extremes, repeat=2))
    numbers[2, : len(pairs)] = [pair[seed % 2] for pair in pairs]
    return numbers


def quotient(a: Any, b: Any) -> Any:
    """Division towards zero that wraps, and gives 0 for a division by 0."""
    if a.dtype.kind == "f":
        return a / b
    bits, low = 8 * a.dtype.itemsize, int(np.iinfo(a.dtype).min)
    found = []
    for x, y in zip(a.flat, b.flat, strict=True):
        whole = abs(int(x)) // abs(int(y)) if y else 0
        signed = -whole if (x < 0) != (y < 0) else whole
        found.append((signed - low) % 2**bits + low)
    return np.array(found, a.dtype).reshape(a.shape)


# --- operations ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", DTYPES)
def test_two_arrays_give_what_numpy_gives(device: Device, name: str) -> None:
    dtype = np.dtype(name.lower())
    a, b = samples(dtype, 0), samples(dtype, 1)
    ours = [device.put(a), device.put(b)]
    number = b[0, 0]
    spread = np.full_like(a, number)
    with np.errstate(all="ignore"):
        for op, function in {**NUMPY_BINARY, "DIV": quotient}.items():
            kind = bool if op in COMPARISONS else dtype
            which = device.ffi.BinaryOp[op]
            for left, right, x, y in (
                (ours[0], ours[1], a, b),
                (ours[0], device.number(number), a, spread),
                (device.number(number), ours[0], spread, a),
            ):
                np.testing.assert_array_equal(device.run("binary", a.shape, kind, which, left, right), function(x, y))


@pytest.mark.parametrize("name", DTYPES)
def test_one_array_gives_what_numpy_gives(device: Device, name: str) -> None:
    dtype = np.dtype(name.lower())
    x = samples(dtype, 0)
    ours = device.put(x)
    exact = {"NEG": np.negative, "ABS": np.abs, "RELU": lambda x: np.maximum(x, 0)}
    near: dict[str, Any] = {
        "EXP": np.exp,
        "LOG": np.log,
        "SQRT": np.sqrt,
        "TANH": np.tanh,
        "SIGMOID": lambda x: 1 / (1 + np.exp(-x)),
    }
    with np.errstate(all="ignore"):
        for op, function in exact.items():
            np.testing.assert_array_equal(
                device.run("unary", x.shape, dtype, device.ffi.UnaryOp[op], ours), function(x)
            )
        for op, function in near.items() if dtype.kind == "f" else ():
            found = device.run("unary", x.shape, dtype, device.ffi.UnaryOp[op], ours)
            expected = function(x.astype(np.float64))
            np.testing.assert_allclose(found, expected, rtol=2e-3 if name == "FLOAT16" else 2e-6, atol=1e-6)


@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize("name", DTYPES)
def test_reductions_give_what_numpy_gives(device: Device, name: str, axis: int | None) -> None:
    dtype = np.dtype(name.lower())
    x = samples(dtype, 0)
    ours, ops = device.put(x), device.ffi.ReduceOp
    shape = () if axis is None else x.shape[:axis] + x.shape[axis + 1 :]
    for op, function in (("MAX", np.max), ("MIN", np.min)):
        np.testing.assert_array_equal(device.run("reduce", shape, dtype, ops[op], ours, axis), function(x, axis=axis))
    if dtype.kind == "f":
        for op, function in (("SUM", np.sum), ("MEAN", np.mean)):
            found = device.run("reduce", shape, dtype, ops[op], ours, axis)
            np.testing.assert_allclose(found, function(x.astype("f8"), axis=axis), rtol=1e-2, atol=2e-2)
    else:
        wide = np.uint64 if dtype.kind == "u" else np.int64
        expected = np.sum(x, axis=axis, dtype=wide)
        np.testing.assert_array_equal(device.run("reduce", shape, wide, ops.SUM, ours, axis), expected)
        mean = device.run("reduce", shape, np.float32, ops.MEAN, ours, axis)
        np.testing.assert_allclose(
            mean, x.mean(axis=axis, dtype="f8"), rtol=1e-4, atol=1e-4 * float(np.iinfo(dtype).max)
        )


def test_truths_are_counted(device: Device) -> None:
    truths = device.put(np.array([True, False, True]))
    assert device.run("reduce", (), np.int64, device.ffi.ReduceOp.SUM, truths, None) == 2
    assert device.run("reduce", (), bool, device.ffi.ReduceOp.MIN, truths, None) == False  # noqa: E712 (a NumPy bool)


def test_dtypes_are_converted_as_numpy_converts_them(device: Device) -> None:
    for one, other in itertools.product([*DTYPES, "BOOL"], repeat=2):
        kinds = [np.dtype("bool" if name == "BOOL" else name.lower()) for name in (one, other)]
        x = np.arange(0, 2 if one == "BOOL" else 100).astype(kinds[0])
        np.testing.assert_array_equal(device.run("cast", x.shape, kinds[1], device.put(x)), x.astype(kinds[1]))


def test_choices(device: Device) -> None:
    condition = np.arange(6).reshape(2, 3) % 2 == 0
    for name in DTYPES:
        a, b = np.arange(6).reshape(2, 3).astype(name.lower()), np.arange(6, 12).reshape(2, 3).astype(name.lower())
        ours = [device.put(array) for array in (condition, a, b)]
        np.testing.assert_array_equal(device.run("where", a.shape, a.dtype, *ours), np.where(condition, a, b))
        found = device.run("where", a.shape, a.dtype, ours[0], device.number(a[1, 1]), ours[2])
        np.testing.assert_array_equal(found, np.where(condition, a[1, 1], b))


def test_matrix_products_take_any_strides(device: Device) -> None:
    a, b = np.arange(6, dtype="f4").reshape(2, 3), np.arange(8, dtype="f4").reshape(4, 2)
    memories = []
    for array in (a, b):
        memory = device.ffi.malloc(array.nbytes, device.where)
        device.ffi.memcpy_host_to_device_async(memory, array, device.queue)
        memories.append(memory)
    f32 = device.ffi.DType.FLOAT32
    a_transposed = memories[0].view(f32, [3, 2], [1, 3])
    b_transposed = memories[1].view(f32, [2, 4], [1, 2])
    np.testing.assert_array_equal(device.run("matmul", (3, 4), "f4", a_transposed, b_transposed), a.T @ b.T)
    repeated = memories[0].view(f32, [2, 2], [0, 1])
    np.testing.assert_array_equal(
        device.run("matmul", (2, 4), "f4", repeated, b_transposed), np.tile(a[0, :2], (2, 1)) @ b.T
    )


def test_every_element_is_exact(device: Device) -> None:
    for name in DTYPES:
        dtype = np.dtype(name.lower())
        value = np.finfo(dtype).max if dtype.kind == "f" else np.iinfo(dtype).max
        number = np.array(value, dtype)
        memory, out = device.empty((3,), dtype)
        device.queue.fill(out, device.number(number))
        assert device.get(memory, (3,), dtype).tolist() == [number] * 3
    with pytest.raises(ValueError, match="has 4 bytes, not 2"):
        device.ffi.element(b"ab", device.ffi.DType.INT32)


def test_results_go_into_a_part_and_leave_the_rest(device: Device) -> None:
    memory = device.ffi.malloc(40, device.where)
    device.ffi.memset_async(memory, 7, 40, device.queue)
    device.ffi.memset_async(memory, 1, 4, device.queue, dst_offset=36)
    x = device.put(np.array([1, -2, 3], "i4"))
    device.queue.unary(device.ffi.UnaryOp.NEG, device.view(memory, (3,), "i4", offset=8), x)
    expected = [0x07070707] * 2 + [-1, 2, -3] + [0x07070707] * 4 + [0x01010101]
    assert device.get(memory, (10,), "i4").tolist() == expected


# --- what is refused -------------------------------------------------------------------------------------------------


def test_a_view_lies_within_its_memory(device: Device) -> None:
    ffi = device.ffi
    memory = ffi.malloc(64, device.where)
    f32 = ffi.DType.FLOAT32
    assert memory.view(f32, [4, 4], [4, 1]).shape == (4, 4)
    assert memory.view(f32, [1000], [0], 60).numel() == 1000
    assert memory.view(f32, [0, 5], [5, 1], 64).numel() == 0
    assert memory.view(f32, [], [], 60).ndim == 0
    for shape, strides, offset in (
        ([17], [1], 0),
        ([16], [1], 4),
        ([2, 2], [16, 1], 0),
        ([1], [1], 64),
        ([2**62, 4], [2**62, 1], 0),
        ([2**33, 2**33], [2**33, 1], 0),
        ([2], [2**63 - 1], 0),
        ([1], [1], 2**63),
    ):
        with pytest.raises(ValueError, match=r"does not fit in memory of 64 bytes|is beyond the memory's 64 bytes"):
            memory.view(f32, shape, strides, offset)
    with pytest.raises(ValueError, match="not a multiple of the element's 4 bytes"):
        memory.view(f32, [1], [1], 2)
    with pytest.raises(ValueError, match="must not be negative"):
        memory.view(f32, [2], [-1], 4)
    with pytest.raises(ValueError, match="1 strides for 2 dimensions"):
        memory.view(f32, [2, 2], [1])


def test_a_copy_lies_within_its_memory(device: Device) -> None:
    ffi, queue = device.ffi, device.queue
    memory, other = ffi.malloc(16, device.where), ffi.malloc(8, device.where)
    for copy in (
        lambda: ffi.memcpy_host_to_device_async(memory, bytes(17), queue),
        lambda: ffi.memcpy_host_to_device_async(memory, bytes(16), queue, 1),
        lambda: ffi.memcpy_device_to_host_async(bytearray(17), memory, queue),
        lambda: ffi.memcpy_device_to_host_async(bytearray(1), memory, queue, 16),
        lambda: ffi.memcpy_device_to_device_async(memory, other, 9, queue),
        lambda: ffi.memcpy_device_to_device_async(memory, other, 8, queue, 9),
        lambda: ffi.memset_async(memory, 0, 17, queue),
        lambda: ffi.memset_async(memory, 0, 1, queue, 2**63),
    ):
        with pytest.raises(ValueError, match=r"does not fit in memory|is beyond the memory"):
            copy()


def test_what_does_not_fit_is_refused_at_once_and_changes_nothing(device: Device) -> None:
    ffi, queue = device.ffi, device.queue
    memory, out = device.empty((2, 3), "f4")
    ffi.memset_async(memory, 7, 24, queue)
    same, wide, row = (device.put(np.ones(shape, "f4")) for shape in ((2, 3), (3, 2), (3,)))
    whole = device.put(np.ones((2, 3), "i4"))
    add, total = ffi.BinaryOp.ADD, ffi.ReduceOp.SUM
    for wrong, refused in {
        lambda: queue.unary(ffi.UnaryOp.EXP, out, wide): ValueError,
        lambda: queue.unary(ffi.UnaryOp.NEG, out, whole): TypeError,
        lambda: queue.binary(add, out, same, row): ValueError,
        lambda: queue.binary(add, out, same, whole): TypeError,
        lambda: queue.binary(ffi.BinaryOp.EQ, out, same, same): TypeError,
        lambda: queue.where(out, same, same, same): TypeError,
        lambda: queue.cast(out, wide): ValueError,
        lambda: queue.fill(out, row): ValueError,
        lambda: queue.fill(out, ffi.element(bytes(4), ffi.DType.INT32)): TypeError,
        lambda: queue.matmul(out, same, same): ValueError,
        lambda: queue.matmul(out, wide, row): ValueError,
        lambda: queue.reduce(total, out, same): ValueError,
        lambda: queue.reduce(total, out, same, 2): IndexError,
        lambda: queue.reduce(total, out, same, -1): IndexError,
        lambda: queue.reduce(ffi.ReduceOp.MAX, device.empty((), "f8")[1], same): TypeError,
    }.items():
        with pytest.raises(refused):
            wrong()
    queue.synchronize()
    assert device.get(memory, (24,), "u1").tolist() == [7] * 24


def test_too_much_memory(device: Device) -> None:
    for size in (2**50, 2**62, 2**64 - 1):
        with pytest.raises(MemoryError):
            device.ffi.malloc(size, device.where)
        with pytest.raises(MemoryError):
            device.ffi.malloc_pinned(size, "cpu")


def test_what_a_device_says_of_itself(device: Device) -> None:
    free, total = device.ffi.memory_info(device.where)
    assert 0 < free <= total
    kind = device.ffi.accelerator()
    assert (kind, device.ffi.device_count() > 0) == (("cuda", True) if device.where == "cuda" else ("", False))
    device.ffi.device_synchronize(device.where)
    memory = device.ffi.malloc(24, device.where)
    assert (memory.size(), memory.device().split(":")[0]) == (24, device.where)
    assert device.queue.device().split(":")[0] == device.where


@cpu_only
def test_devices_that_are_not_there(ffi: ModuleType) -> None:
    for make in (ffi.queue_create, ffi.event_create, ffi.memory_info, ffi.device_synchronize):
        with pytest.raises(ffi.TorchError, match="Cannot initialize CUDA"):
            make("cuda")
    with pytest.raises(ffi.TorchError, match="queues are for the CPU and accelerators"):
        ffi.queue_create("meta")
    with pytest.raises(NotImplementedError, match="only CUDA has streams"):
        ffi.queue_from_pointer(1, "cpu")


# --- order, copies and lifetimes -------------------------------------------------------------------------------------


def test_ordinary_memory_is_read_before_the_call_returns(ffi: ModuleType, waiting: Any) -> None:
    device = Device(ffi, "cpu")
    memory = ffi.malloc(8)
    with held(ffi, waiting, device.queue):
        data = bytearray(b"original")
        ffi.memcpy_host_to_device_async(memory, data, device.queue)
        data[:] = b"changed!"
        assert not device.queue.query()
    assert device.get(memory, (8,), "u1").tobytes() == b"original"


def pinned_view(pinned: Any) -> Any:
    return (ctypes.c_ubyte * pinned.size()).from_address(pinned.pointer())


def test_pinned_memory_is_read_and_written_in_its_turn(ffi: ModuleType, waiting: Any) -> None:
    queue, memory = ffi.queue_create(), ffi.malloc(8)
    up, down = ffi.malloc_pinned(12), ffi.malloc_pinned(8)
    to_read, to_write = pinned_view(up), pinned_view(down)
    to_read[:] = list(b"oooooooooooo")
    with held(ffi, waiting, queue):
        ffi.memcpy_host_to_device_async(memory, memoryview(to_read).cast("B")[2:10], queue)
        to_read[:] = list(b"abcdefghijkl")
        ffi.memcpy_device_to_host_async(to_write, memory, queue)
        assert bytes(to_write) != b"cdefghij"
    assert bytes(to_write) == b"cdefghij"


def test_pinned_memory_is_ordinary_when_it_is_closed(ffi: ModuleType) -> None:
    pinned = ffi.malloc_pinned(64)
    address = pinned.pointer()
    pinned.close()
    assert ffi.malloc_pinned(0).size() == 0
    memory, queue = ffi.malloc(64), ffi.queue_create()
    again = [ffi.malloc_pinned(64) for _ in range(8)]  # one may lie where the first did
    for each in again:
        pinned_view(each)[:] = [5] * 64
        ffi.memcpy_host_to_device_async(memory, pinned_view(each), queue)
    queue.synchronize()
    assert address not in [each.pointer() for each in again] or memory.size() == 64


def test_a_download_waits(ffi: ModuleType, waiting: Any) -> None:
    device = Device(ffi, "cpu")
    memory = ffi.malloc(4)
    with held(ffi, waiting, device.queue) as gate:
        ffi.memset_async(memory, 3, 4, device.queue)
        threading.Timer(0.05, gate.open).start()
        assert device.get(memory, (4,), "u1").tolist() == [3] * 4


def test_everything_may_be_closed_while_it_is_in_use(ffi: ModuleType, waiting: Any) -> None:
    queue, out = ffi.queue_create(), ffi.malloc(1 << 20)
    pinned = ffi.malloc_pinned(1 << 20)
    result = pinned_view(pinned)
    with held(ffi, waiting, queue):
        source = ffi.malloc(1 << 20)
        ffi.memset_async(source, 5, 1 << 20, queue)
        with source.view(ffi.DType.UINT8, [1 << 20], [1]) as x, out.view(ffi.DType.UINT8, [1 << 20], [1]) as y:
            queue.binary(ffi.BinaryOp.ADD, y, x, x)
        source.close()
        ffi.malloc(1 << 20).close()
        ffi.memcpy_device_to_host_async(result, out, queue)
        out.close()
        other, event, done = ffi.queue_create(), ffi.event_create(), ffi.event_create()
        queue.record(event)
        other.wait_event(event)
        event.close()
        other.record(done)
        other.close()
    done.synchronize()
    assert set(result) == {10}


def test_a_closed_queue_still_does_its_work(ffi: ModuleType, waiting: Any) -> None:
    memory, event, gate = ffi.malloc(4), ffi.event_create(), Gate(ffi, waiting)
    with ffi.queue_create() as queue:
        gate.hold(queue)
        ffi.memset_async(memory, 9, 4, queue)
        queue.record(event)
    with pytest.raises(ffi.ClosedHandleError):
        queue.synchronize()
    assert not event.query()
    gate.open()
    event.synchronize()
    assert Device(ffi, "cpu").get(memory, (4,), "u1").tolist() == [9] * 4


def test_queues_run_beside_each_other_and_wait_for_events(ffi: ModuleType, waiting: Any) -> None:
    first, second, third = (ffi.queue_create() for _ in range(3))
    event, end = ffi.event_create(), ffi.event_create()
    assert event.query(), "it was never recorded"
    event.synchronize()
    second.wait_event(event)
    with held(ffi, waiting, first):
        first.record(event)
        second.wait_event(event)
        ffi.memset_async(ffi.malloc(4), 0, 4, second)
        ffi.memset_async(ffi.malloc(4), 0, 4, third)
        third.synchronize()
        assert (event.query(), first.query(), second.query()) == (False, False, False)
        with pytest.raises(ffi.TorchError, match="not complete"):
            event.elapsed_time(event)
    second.synchronize()
    assert event.query()
    second.record(end)
    end.synchronize()
    assert event.elapsed_time(end) >= 0


def test_events_have_times(device: Device) -> None:
    ffi = device.ffi
    begin, end, untimed = (
        ffi.event_create(device.where),
        ffi.event_create(device.where),
        ffi.event_create(device.where, False),
    )
    with pytest.raises(ffi.TorchError):
        begin.elapsed_time(end)
    device.queue.record(begin)
    matrix = device.put(np.ones((300, 300), "f4"))
    _, out = device.empty((300, 300), "f4")
    device.queue.matmul(out, matrix, matrix)
    device.queue.record(end)
    device.queue.record(untimed)
    device.queue.synchronize()
    assert 0 < begin.elapsed_time(end) < 60_000
    assert end.pointer() != 0
    with pytest.raises(ffi.TorchError):
        begin.elapsed_time(untimed)


def test_a_failure_is_told_once_and_later_work_is_done(ffi: ModuleType) -> None:
    device = Device(ffi, "cpu")
    queue = device.queue
    truths = device.put(np.ones(4, bool))
    memory = ffi.malloc(4)

    def fail() -> None:
        queue.unary(ffi.UnaryOp.NEG, truths, truths)

    fail()
    ffi.memset_async(memory, 6, 4, queue)
    with pytest.raises(ffi.TorchError, match="on a bool tensor is not supported"):
        queue.synchronize()
    queue.synchronize()
    assert device.get(memory, (4,), "u1").tolist() == [6] * 4
    fail()
    failed = ffi.event_create()
    queue.record(failed)
    for tell in (failed.synchronize, failed.query, queue.synchronize):
        with pytest.raises(ffi.TorchError, match="bool"):
            tell()
    other = ffi.queue_create()
    other.wait_event(failed)
    with pytest.raises(ffi.TorchError, match="bool"):
        other.synchronize()
    fail()
    with pytest.raises(ffi.TorchError, match="bool"):
        ffi.device_synchronize()
    fail()
    with pytest.raises(ffi.TorchError, match="bool"):
        device.get(memory, (4,), "u1")
    assert queue.query()


def test_other_threads_run_while_one_waits(ffi: ModuleType, waiting: Any) -> None:
    queue = ffi.queue_create()
    with held(ffi, waiting, queue) as gate:
        threading.Timer(0.05, gate.open).start()
        queue.synchronize()  # would wait for ever if it kept the timer from running
        assert queue.query()


def test_threads_have_queues_of_their_own(ffi: ModuleType) -> None:
    wrong: list[object] = []

    def work(number: int) -> None:
        device = Device(ffi, "cpu")
        memory, total = device.empty((64,), "i8")
        step = device.put(np.full(64, number, "i8"))
        ffi.memset_async(memory, 0, 512, device.queue)
        for _ in range(300):
            device.queue.binary(ffi.BinaryOp.ADD, total, total, step)
        found = device.get(memory, (64,), "i8")
        if found.tolist() != [300 * number] * 64:
            wrong.append(found)

    threads = [threading.Thread(target=work, args=[n]) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_queues_leave_no_memory_behind(ffi: ModuleType) -> None:
    def work(times: int) -> None:
        for _ in range(times):
            device = Device(ffi, "cpu")
            x = device.put(np.ones(1 << 12, "f4"))
            device.run("binary", (1 << 12,), "f4", ffi.BinaryOp.ADD, x, device.number(np.float32(1)))
            with pytest.raises(ValueError, match="no dimensions"):
                device.queue.fill(x, x)
            device.queue.record(ffi.event_create())
            ffi.malloc_pinned(1 << 12).close()
            device.queue.synchronize()

    work(50)
    before = memory_in_use()
    work(400)
    assert memory_in_use() - before < NOISE


# --- kernels ---------------------------------------------------------------------------------------------------------


def test_a_kernel_takes_what_it_says(ffi: ModuleType, waiting: Any, tmp_path: Path) -> None:
    queue = ffi.queue_create()
    assert waiting.argument_sizes() == [8]
    one = [1, 1, 1]
    for grid, block, shared, arguments, offsets in (
        ([1, 1], one, 0, bytes(8), [0]),
        ([0, 1, 1], one, 0, bytes(8), [0]),
        (one, [1025, 1, 1], 0, bytes(8), [0]),
        (one, one, 1 << 20, bytes(8), [0]),
        (one, one, 0, bytes(8), []),
        (one, one, 0, bytes(7), [0]),
        (one, one, 0, bytes(8), [4]),
    ):
        with pytest.raises(ValueError, match=r"\d"):
            ffi.launch(waiting, grid, block, shared, arguments, offsets, queue)
    with pytest.raises(ffi.TorchError, match="cannot load the kernels"):
        ffi.library_load(str(tmp_path / "none.so"))


# --- the process -----------------------------------------------------------------------------------------------------


def test_work_that_is_queued_at_the_end_is_done(package: Package, engine: str) -> None:
    """Interpreter and library are taken down while a thread of ours is within torch."""
    code = f"""
import {package.folder.name} as ffi
queue = ffi.queue_create()
memory = ffi.malloc(4 * 800 * 800)
x = memory.view(ffi.DType.FLOAT32, [800, 800], [800, 1])
ffi.memset_async(memory, 0, memory.size(), queue)
for _ in range(20):
    out = ffi.malloc(memory.size()).view(ffi.DType.FLOAT32, [800, 800], [800, 1])
    queue.matmul(out, x, x)
print("ended")
"""
    for _ in range(3):
        assert package.python(code, engine=engine).stdout == "ended\n"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forked_process_is_told(package: Package, engine: str) -> None:
    code = f"""
import os, {package.folder.name} as ffi
queue = ffi.queue_create()
memory = ffi.malloc(4)
ffi.memset_async(memory, 1, 4, queue)
queue.synchronize()
if os.fork() == 0:
    for use in (queue.synchronize, queue.query, lambda: ffi.memset_async(memory, 1, 4, queue), ffi.queue_create):
        try:
            use()
        except ffi.TorchError as error:
            assert "forked" in str(error)
        else:
            raise AssertionError("nothing was raised")
    raise SystemExit(0)
print(os.waitpid(-1, 0)[1], flush=True)
"""
    assert package.python(code, engine=engine).stdout == "0\n"


def test_ctrl_c_ends_the_program(package: Package, engine: str) -> None:
    code = f"""
import os, signal, threading, {package.folder.name} as ffi
queue = ffi.queue_create()
x = ffi.malloc(4 * 1000 * 1000).view(ffi.DType.FLOAT32, [1000, 1000], [1000, 1])
threading.Timer(0.1, os.kill, [os.getpid(), signal.SIGINT]).start()
try:
    while True:
        queue.matmul(x, ffi.zeros([1000, 1000]), ffi.zeros([1000, 1000]))
        queue.synchronize()
except KeyboardInterrupt:
    print("interrupted")
"""
    assert signal.SIGINT
    assert package.python(code, engine=engine).stdout == "interrupted\n"


# --- an accelerator --------------------------------------------------------------------------------------------------


@cpu_only
@pytest.mark.skipif(shutil.which("g++") is None, reason="there is no g++")
def test_queues_of_an_accelerator(package: Package, engine: str) -> None:
    """On a device of ours, in a process of its own; see `torch_queues.py` for what is checked."""
    result = subprocess.run(
        [sys.executable, str(HERE / "torch_queues.py"), str(package.folder), str(torch_device())],
        env={**os.environ, "WRAPPER_GEN_ENGINE": engine},
        capture_output=True,
        text=True,
        timeout=HANGS,
        check=False,
    )
    assert (result.returncode, result.stderr) == (0, ""), result.stdout + result.stderr


class TestOnGpu:
    """What only a GPU shows."""

    pytestmark = needs_gpu

    def test_memory_is_torchs(self, ffi: ModuleType) -> None:
        import torch

        before = torch.cuda.memory_allocated()
        memory = ffi.malloc(1 << 20, "cuda")
        assert torch.cuda.memory_allocated() - before == 1 << 20
        memory.close()
        assert torch.cuda.memory_allocated() == before
        assert ffi.memory_info("cuda")[1] == torch.cuda.mem_get_info()[1]

    def test_a_stream_of_torchs_can_be_used(self, ffi: ModuleType) -> None:
        import torch

        theirs = torch.cuda.Stream()
        queue = ffi.queue_from_pointer(theirs.cuda_stream, f"cuda:{theirs.device.index}")
        assert queue.pointer() == theirs.cuda_stream
        tensor = torch.zeros(1 << 20, dtype=torch.uint8, device=theirs.device)
        torch.cuda.synchronize()
        memory = ffi.mem_from_pointer(tensor.data_ptr(), tensor.numel(), str(theirs.device))
        ffi.memset_async(memory, 7, tensor.numel(), queue)
        theirs.synchronize()
        assert int(tensor.min()) == 7
        assert ffi.queue_from_pointer(1, "cuda").pointer() == torch.cuda.default_stream().cuda_stream

    def test_pinned_memory_is_pinned(self, ffi: ModuleType) -> None:
        import torch

        pinned = ffi.malloc_pinned(4096, "cuda")
        assert torch.frombuffer(pinned_view(pinned), dtype=torch.uint8).is_pinned()
        queue, memory = ffi.queue_create("cuda"), ffi.malloc(4096, "cuda")
        pinned_view(pinned)[:] = [3] * 4096
        ffi.memcpy_host_to_device_async(memory, pinned_view(pinned), queue)
        back = bytearray(4096)
        ffi.memcpy_device_to_host_async(back, memory, queue)
        assert back == bytes([3]) * 4096

    def test_memory_in_use_is_not_given_away(self, ffi: ModuleType) -> None:
        size = 64 << 20
        queue, result = ffi.queue_create("cuda"), ffi.malloc(size, "cuda")
        source = ffi.malloc(size, "cuda")
        ffi.memset_async(source, 5, size, queue)
        busy = ffi.ones([4096, 4096], device="cuda")
        for _ in range(20):
            out = ffi.malloc(4 * 4096 * 4096, "cuda").view(ffi.DType.FLOAT32, [4096, 4096], [4096, 1])
            queue.matmul(out, busy, busy)
        ffi.memcpy_device_to_device_async(result, source, size, queue)
        source.close()
        other, thief = ffi.queue_create("cuda"), ffi.malloc(size, "cuda")
        ffi.memset_async(thief, 9, size, other)
        other.synchronize()
        back = bytearray(size)
        ffi.memcpy_device_to_host_async(back, result, queue)
        assert back.count(5) == size
