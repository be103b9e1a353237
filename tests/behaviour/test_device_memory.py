"""Memory of a device and streams as arguments, over both engines; producers say so of memory of the CPU."""

from __future__ import annotations

import ctypes
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy
import pytest

from tests.behaviour import packages

SPEC = packages.HERE / "devices" / "devices.wrapper_spec"
CUDA, MANAGED = 2, 13


class Tensor:
    """Exports memory of the CPU by DLPack, as that of another device."""

    number = 0

    def __init__(self, array: Any, kind: int = CUDA, takes: tuple[str, ...] = ("stream", "max_version")) -> None:
        self.array, self.kind, self.takes = array, kind, takes
        self.told: list[Any] = []

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.kind, self.number

    def __dlpack__(self, **how: Any) -> Any:
        if how.keys() - {*self.takes}:
            raise TypeError("unexpected keyword")
        self.told.append(how.get("stream"))
        return self.array.__dlpack__()


class Interface:
    """The same by the CUDA array interface."""

    def __init__(self, array: Any, **more: Any) -> None:
        self.array = array
        data = (array.ctypes.data, False)
        self.__cuda_array_interface__ = {
            "shape": array.shape,
            "typestr": array.dtype.str,
            "data": data,
            "version": 3,
        } | more


class Stream:
    def __cuda_stream__(self) -> tuple[int, int]:
        return 0, 77


@pytest.fixture(scope="module", params=packages.ENGINES)
def devices(request: pytest.FixtureRequest) -> ModuleType:
    return packages.build(SPEC).load(request.param)


@pytest.fixture
def row() -> Any:
    return numpy.zeros(5, "f4")


@pytest.fixture
def table() -> Any:
    return numpy.zeros((3, 2), "f4")


def test_producers_are_told_the_stream(devices: ModuleType, row: Any) -> None:
    tensor = Tensor(row)
    for stream, handle in ((Stream(), 77), (5, 5), (None, 0)):
        devices.scale(stream, tensor)
        launched = devices.launched()
        assert (launched.stream, launched.address, launched.n) == (handle, row.ctypes.data, 5)
    assert tensor.told == [77, 5, 1]  # as DLPack calls the default stream
    older = Tensor(row, takes=("stream",))
    devices.scale(6, older)
    assert older.told == [6]


def test_memory_is_taken_by_either_protocol(devices: ModuleType, row: Any, table: Any) -> None:
    assert [devices.total(each) for each in (Tensor(table), Tensor(table, MANAGED), Interface(table))] == [302] * 3
    assert devices.total(Interface(table, strides=(8, 4))) == 302
    devices.scale(3, Interface(row))
    assert devices.launched().address == row.ctypes.data
    assert (devices.may_be(), devices.may_be(None), devices.may_be(Interface(table))) == (False, False, True)


def test_a_stream_alone(devices: ModuleType) -> None:
    assert [devices.handle(), devices.handle(None), devices.handle(3), devices.handle(Stream())] == [0, 0, 3, 77]


WANTED = "x: a C-contiguous array of float32 with 2 dimensions on a CUDA device is wanted"


@pytest.mark.parametrize(
    ("made", "why"),
    [
        (lambda table: table, "; this one is elsewhere"),
        (lambda table: Tensor(table, 1), "; this one is elsewhere"),
        (lambda table: Interface(table[0]), ", not one with 1"),
        (lambda table: Interface(table.astype("f8")), ", not one of type '<f8'"),
        (lambda table: Interface(table, typestr="nonsense"), ", not one of type 'nonsense'"),
        (lambda table: Interface(table, strides=(4, 12)), "; this one is in the other order"),
        (lambda table: Interface(table, strides=(4,)), "; what this one says of its memory is incomplete"),
        (lambda table: Interface(table, data=None), "; what this one says of its memory is incomplete"),
        (lambda table: Interface(table, shape=("a", 2)), "; what this one says of its memory is incomplete"),
        (lambda table: 3, ", not int"),
        (lambda table: None, ", not None"),
    ],
)
def test_other_memory(devices: ModuleType, table: Any, made: Any, why: str) -> None:
    with pytest.raises(TypeError) as caught:
        devices.total(made(table))
    assert str(caught.value) == WANTED + why


def test_other_mistakes(devices: ModuleType, row: Any) -> None:
    with pytest.raises(TypeError, match="this one is read-only"):
        devices.scale(1, Interface(row, data=(row.ctypes.data, True)))
    with pytest.raises(ValueError, match=r"^x: dimension 1 is 3, not 2$"):
        devices.may_be(Interface(numpy.zeros((3, 3), "f4")))
    for wrong in ("x", True, 1.5):
        with pytest.raises(TypeError, match=r"^s: an int, an object with __cuda_stream__, or None is wanted, not"):
            devices.scale(wrong, Tensor(row))
    for handle in (-1, 2**64):
        with pytest.raises(OverflowError, match=r"^s: .* does not fit a handle$"):
            devices.handle(handle)


# --- the CPU or a device


def test_memory_of_the_cpu_or_of_a_device(devices: ModuleType, row: Any) -> None:
    for here in (row, memoryview(row), Tensor(row, 1)):
        assert devices.anywhere(5, here) == (1, 0, 5)
    tensor = Tensor(row, MANAGED)
    assert devices.anywhere(5, tensor) == (CUDA, 0, 5)
    assert tensor.told == [5]
    assert devices.anywhere(None, Interface(row)) == (CUDA, -1, 0), "this protocol does not say the number"


def test_neither_the_cpu_nor_a_device(devices: ModuleType, row: Any) -> None:
    wanted = "x: a C-contiguous array of float32 with 1 dimension on the CPU or a CUDA device is wanted"
    for value, why in (
        (Tensor(row, 8), "; this one is elsewhere"),
        (row.astype("f8"), ", not one of format 'd'"),
        (Interface(row.astype("f8")), ", not one of type '<f8'"),
        (row[::2], "; this one has gaps between its elements"),
        ("text", ", not str"),
    ):
        with pytest.raises(TypeError) as caught:
            devices.anywhere(None, value)
        assert str(caught.value) == wanted + why


class Capsule(Tensor):
    """Says of memory of the CPU that it is on a device of this number, in a version of DLPack."""

    def __init__(self, array: Any, number: int = 0, version: int = 1) -> None:
        super().__init__(array)
        self.number, self.version = number, version

    def __dlpack__(self, **how: Any) -> Any:
        self.told.append(how.get("stream"))
        capsule = self.array.__dlpack__(max_version=(1, 0))
        address = ctypes.pythonapi.PyCapsule_GetPointer
        address.restype, address.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
        start = address(capsule, b"dltensor_versioned")
        ctypes.c_uint32.from_address(start).value = self.version
        ctypes.c_int32.from_address(start + 32 + 8).value = CUDA
        ctypes.c_int32.from_address(start + 32 + 12).value = self.number
        return capsule


needs_versions = pytest.mark.skipif(
    numpy.lib.NumpyVersion(numpy.__version__) < "2.1.0", reason="this NumPy has DLPack 0"
)


@needs_versions
def test_the_number_of_the_device(devices: ModuleType, row: Any) -> None:
    class OfTorch(Stream):
        device_index = 2

    assert devices.both(OfTorch(), Capsule(row, 2)) == 2
    with pytest.raises(TypeError, match=r"; this one is on device 1, and the stream is one of device 2$"):
        devices.both(OfTorch(), Capsule(row, 1))
    with pytest.raises(TypeError, match=r"^y: .*; this one is on device 1, and the stream is one of device 2$"):
        devices.both(OfTorch(), Capsule(row, 2), Capsule(row, 1))
    with pytest.raises(TypeError, match=r"; this one says that it is on device -7$"):
        devices.both(None, Capsule(row, -7))
    with pytest.raises(TypeError, match=r"; this one has version 2 of DLPack, of which 1 is known here$"):
        devices.both(None, Capsule(row, version=2))


def test_none_is_the_current_stream_of_torch(devices: ModuleType, row: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    class OnCuda(Tensor):
        is_cuda, device = True, "cuda:0"

    class Current:
        """As torch's streams are in versions that have no `__cuda_stream__`."""

        cuda_stream, device_index = 55, 0

    cuda = SimpleNamespace(current_stream=lambda device: {"cuda:0": Current()}[device])
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(Tensor=OnCuda, cuda=cuda))
    ours, other = OnCuda(row), Tensor(row)
    devices.scale(None, ours)
    assert (ours.told, devices.launched().stream) == ([55], 55)
    devices.both(None, other, ours)  # the first memory decides
    devices.both(None, ours, other)
    assert (ours.told[1:], other.told) == ([1, 55], [1, 55])
    devices.scale(7, ours)
    assert devices.launched().stream == 7
    monkeypatch.setattr(OnCuda, "is_cuda", False)
    devices.scale(None, ours)
    assert devices.launched().stream == 0
    monkeypatch.setattr(OnCuda, "is_cuda", True)
    monkeypatch.setattr(cuda, "current_stream", lambda device: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        devices.scale(None, ours)


def test_calls_within_a_call_have_streams_of_their_own(devices: ModuleType, row: Any) -> None:
    class Calling(Tensor):
        def __dlpack__(self, **how: Any) -> Any:
            devices.scale(99, Tensor(self.array))
            return super().__dlpack__(**how)

    x, y = Calling(row), Tensor(row)
    devices.both(5, x, y)
    assert (x.told, y.told) == ([5], [5])


@pytest.mark.torch
def test_tensors_of_torch_on_the_cpu(devices: ModuleType) -> None:
    torch = pytest.importorskip("torch")
    assert devices.anywhere(None, torch.zeros(3)) == (1, 0, 0)
    with pytest.raises(TypeError, match="on a CUDA device is wanted; this one is elsewhere"):
        devices.scale(None, torch.zeros(3))
