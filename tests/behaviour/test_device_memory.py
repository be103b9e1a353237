"""Memory of a device and streams as arguments, over both engines; producers say so of memory of the CPU."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy
import pytest

from tests.behaviour import packages

SPEC = """\
wrapper_lib: {name: devices, cpp_include: cstdint}
cpp_prelude: |
  typedef struct stream_st *stream_t;
  struct launched { std::uintptr_t stream, address; long n; };
  inline launched last{};
  inline void scale(float *x, long n, stream_t s) {
    last = {reinterpret_cast<std::uintptr_t>(s), reinterpret_cast<std::uintptr_t>(x), n};
  }
  inline long total(const float *, long n, long m) { return 100 * n + m; }
structs:
  - {name: Launched, cpp_type: launched, fields: {stream: u64, address: u64, n: i64}}
functions:
  - {def: "scale(s: stream, x: &mut [f32; n; cuda])", cpp: "scale(x, n, s)"}
  - {def: "total(x: &[f32; n, m; cuda]) -> i64", cpp: "total(x, n, m)"}
  - {def: "may_be(x: &[f32; 3, 2; cuda]? = None) -> bool", cpp_body: "return x ? x->extent(1) == 2 : false;"}
  - {def: "handle(s: stream = None) -> u64", cpp: s.handle()}
  - {def: "launched() -> Launched", cpp_body: "return ::last;"}
"""
CUDA, MANAGED = 2, 13


class Tensor:
    """Exports memory of the CPU by DLPack, as that of another device."""

    def __init__(self, array: Any, kind: int = CUDA, takes: tuple[str, ...] = ("stream", "max_version")) -> None:
        self.array, self.kind, self.takes = array, kind, takes
        self.told: list[Any] = []

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.kind, 0

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
    return packages.build_text(SPEC, name="devices").load(request.param)


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
