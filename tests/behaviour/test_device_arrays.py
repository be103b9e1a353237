"""Memory of a device as results, over both engines: memory of the CPU, of which this is said, and the stand-in's."""

from __future__ import annotations

import ctypes
import gc
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy
import pytest

from tests.behaviour import packages
from tests.behaviour.test_device_memory import CUDA, SPEC, Interface
from tests.standin.build import StandinUnavailable, build_standin, cuda_include


@pytest.fixture(scope="module", params=packages.ENGINES)
def devices(request: pytest.FixtureRequest) -> ModuleType:
    return packages.build(SPEC).load(request.param)


@pytest.fixture
def row() -> Any:
    return numpy.zeros(5, "f4")


def wait_of(devices: ModuleType, export: Callable[[], object]) -> tuple[int, int, int] | None:
    """Which stream waits for which, on which device; None where none does."""
    before = devices.waited().times
    export()
    now = devices.waited()
    return (now.waiting, now.other, now.device) if now.times > before else None


def test_an_array_of_a_device(devices: ModuleType) -> None:
    array = devices.made(5, 2)
    assert (array.__dlpack_device__(), array.shape, array.strides, array.ndim) == ((CUDA, 2), (3,), (4,), 1)
    assert (array.format, array.itemsize, array.nbytes, array.readonly, len(array)) == ("f", 4, 12, False, 3)
    assert repr(array).startswith("<DeviceArray of 'f' (3,) on cuda:2 at 0x")
    about = array.__cuda_array_interface__
    assert about | {"data": None} == {
        "shape": (3,),
        "typestr": "<f4",
        "data": None,
        "strides": (4,),
        "version": 3,
        "stream": 5,
    }
    address, is_readonly = about["data"]
    assert ((ctypes.c_float * 3).from_address(address)[:], is_readonly) == ([1, 2, 3], False)
    assert devices.read_only().__cuda_array_interface__["data"][1] is True
    assert devices.read_only().__cuda_array_interface__["stream"] == 1, "of the default stream DLPack says 1"


def test_consumers_wait_for_the_stream_that_fills_an_array(devices: ModuleType) -> None:
    array = devices.made(5, 2)
    assert wait_of(devices, lambda: array.__dlpack__(stream=8)) == (8, 5, 2)
    assert wait_of(devices, lambda: array.__dlpack__()) == (1, 5, 2), "who says nothing uses the default stream"
    assert wait_of(devices, lambda: array.__dlpack__(stream=2, max_version=(1, 1))) == (2, 5, 2)
    for stream in (5, -1):
        assert wait_of(devices, lambda stream=stream: array.__dlpack__(stream=stream)) is None
    on_default = devices.made(None, 2)
    assert wait_of(devices, lambda: on_default.__dlpack__(stream=1)) is None
    assert wait_of(devices, lambda: on_default.__dlpack__(stream=8)) == (8, 1, 2)


def test_an_array_goes_into_the_next_call(devices: ModuleType) -> None:
    array = devices.made(5, 2)
    assert wait_of(devices, lambda: devices.scale(6, array)) == (6, 5, 2)
    assert devices.launched().address == array.__cuda_array_interface__["data"][0]
    assert devices.beside(6, array).__dlpack_device__() == (CUDA, 2)
    assert devices.where_it_is(6, array).__dlpack_device__() == (CUDA, 2)
    with pytest.raises(TypeError, match="this one is read-only"):
        devices.scale(6, devices.read_only())


def test_a_result_may_be_on_the_cpu(devices: ModuleType, row: Any) -> None:
    array = devices.where_it_is(None, row)
    assert (memoryview(array).tolist(), array.__dlpack_device__()) == ([1, 2, 3], (1, 0))
    assert not hasattr(array, "__cuda_array_interface__")


def test_what_owns_the_memory_of_an_array(devices: ModuleType) -> None:
    gc.collect()
    before = devices.living()
    array = devices.made(5, 2)
    capsule = array.__dlpack__(stream=5)
    del array
    assert devices.living() == before + 1
    del capsule
    assert devices.living() == before
    tensor = devices.Tensor()
    cells = tensor.cells()
    assert (cells.shape, cells.__dlpack_device__()) == ((2, 3), (CUDA, 1))
    with pytest.raises(BufferError, match="the memory of this Tensor is in use by an array"):
        tensor.close()
    del cells
    tensor.close()


def test_mistakes_with_an_array(devices: ModuleType, row: Any) -> None:
    array = devices.made(5, 2)
    for wrong, raised, why in (
        ({"stream": 0}, ValueError, "stream: 0 is none; 1 is the default stream"),
        ({"stream": "5"}, TypeError, "stream: an int or None is wanted"),
        ({"stream": -2}, OverflowError, "negative"),
        ({"copy": True}, BufferError, "copy: the memory is not copied"),
        ({"dl_device": (1, 0)}, BufferError, "dl_device: the memory is on another device"),
        ({"dl_device": (CUDA, 0)}, BufferError, "dl_device: the memory is on another device"),
        ({"max_version": 1}, TypeError, "max_version: a pair of ints is wanted"),
    ):
        with pytest.raises(raised, match=why):
            array.__dlpack__(**wrong)
    with pytest.raises(BufferError, match="this array is read-only"):
        devices.read_only().__dlpack__(max_version=(0, 8))
    with pytest.raises(BufferError, match="cannot wait for what fills this array on device 9: invalid device ordinal"):
        devices.made(5, 9).__dlpack__(stream=6)
    with pytest.raises(devices.DevicesError, match="lies on device -4"):
        devices.made(5, -4)
    with pytest.raises(devices.DevicesError, match="on a device of which nothing says the number"):
        devices.beside(5, Interface(row))
    for use in (memoryview, bytes, numpy.asarray, list):
        with pytest.raises(TypeError):
            use(array)
    with pytest.raises(TypeError, match=r"on CUDA device 2: use torch.from_dlpack or cupy.from_dlpack"):
        numpy.array(array)


# --- on the stand-in for the CUDA runtime

PROGRAM = """
from on_cuda_ffi import downloaded, filled, stream

class WithoutWaiting:
    def __init__(self, array):
        self.array = array
    def __dlpack_device__(self):
        return self.array.__dlpack_device__()
    def __dlpack__(self, *, stream, max_version):
        return self.array.__dlpack__(stream=-1, max_version=max_version)

a, b = stream(), stream()
print(set(downloaded(b, filled(a, 4))), set(downloaded(None, filled(b, 4))), set(downloaded(b, filled(None, 4))))
queued = [filled(a, 4) for _ in range(20)]
print(set(downloaded(b, WithoutWaiting(filled(a, 4)))) == {0}, set(downloaded(b, filled(a, 4))))
try:
    downloaded(a, filled(b, 4, device=7))
except (TypeError, BufferError) as error:
    print(error)
"""


@pytest.mark.parametrize("engine", packages.ENGINES)
def test_streams_wait_on_the_standin(engine: str) -> None:
    try:
        library, include = build_standin(packages.ROOT / "build" / "standin"), cuda_include()
    except StandinUnavailable as missing:
        pytest.skip(str(missing))
    spec = (packages.HERE / "devices" / "on_cuda.txt").read_text()
    for word, path in (("@include@", include), ("@library@", library), ("@folder@", library.parent)):
        spec = spec.replace(word, str(path))
    done = packages.build_text(spec, name="on_cuda").python(PROGRAM, engine=engine, CUDA_STANDIN_LATENCY_US="20000")
    *printed, error = done.stdout.splitlines()
    assert printed == ["{0.0} {0.0} {0.0}", "False {0.0}"], "without waiting, memory is read that is not filled yet"
    assert error.endswith("cannot wait for what fills this array on device 7: invalid device ordinal"), error
