"""Memory that is lent by DLPack: tensors on the CPU, without a copy."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import pytest

torch = pytest.importorskip("torch")

pytestmark = pytest.mark.torch
TYPES = {
    "i8": "int8",
    "i16": "int16",
    "i32": "int32",
    "i64": "int64",
    "u8": "uint8",
    "f32": "float32",
    "f64": "float64",
}
TYPES |= {"bool": "bool", "u16": "uint16", "u32": "uint32", "u64": "uint64", "usize": "uint64"}


@pytest.mark.parametrize("scalar", TYPES)
def test_tensors(shapes: Any, scalar: str) -> None:
    tensor = torch.tensor([1, 0, 1], dtype=getattr(torch, TYPES[scalar]))
    total, fill = getattr(shapes, f"total_{scalar}"), getattr(shapes, f"fill_{scalar}")
    assert total(tensor) == 2
    assert total(tensor[1:]) == 1
    fill(tensor[1:], scalar == "bool" or 1)
    assert total(tensor) == 3
    assert tensor.tolist() == [1, 1, 1]
    assert total(torch.zeros(0, dtype=tensor.dtype)) == 0


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda: torch.zeros(3), "not one of float32"),
        (lambda: torch.zeros(3, dtype=torch.int64), "not one of int64"),
        (lambda: torch.zeros(3, dtype=torch.bfloat16), "not one of bfloat16"),
        (lambda: torch.zeros(3, dtype=torch.float16), "not one of float16"),
        (lambda: torch.zeros(3, dtype=torch.complex64), "not one of complex64"),
        (lambda: torch.zeros(2, 2, dtype=torch.float64), "not one of 2 dimensions"),
        (lambda: torch.tensor(1.0, dtype=torch.float64), "not one of 0 dimensions"),
        (lambda: torch.zeros(6, dtype=torch.float64)[::2], "gaps between its elements"),
        (lambda: torch.zeros(3, device="meta", dtype=torch.float64), "refuses|memory of the CPU"),
        (lambda: torch.zeros(3, dtype=torch.float64, requires_grad=True), "require gradient"),
    ],
)
def test_other_tensors_are_refused(shapes: Any, make: Any, why: str) -> None:
    for call in (shapes.total_f64, lambda values: shapes.fill_f64(values, 1)):
        with pytest.raises(
            TypeError, match=f"^values: a one-dimensional, contiguous .*array of float64 is wanted.*{why}"
        ):
            call(make())


def test_a_single_element_has_no_gaps(shapes: Any) -> None:
    assert shapes.total_f64(torch.ones(6, dtype=torch.float64)[::6]) == 1


def test_the_tensor_goes_when_nobody_needs_it(shapes: Any) -> None:
    tensor = torch.ones(3, dtype=torch.float64)
    memory = weakref.ref(tensor)
    for _ in range(3):
        shapes.total_f64(tensor)
    del tensor
    gc.collect()
    assert memory() is None


def test_an_object_that_lends_nothing(shapes: Any) -> None:
    class Liar:
        def __dlpack__(self) -> Any:
            return "no capsule"

        def __dlpack_device__(self) -> tuple[int, int]:
            return (1, 0)

    class Refuses(Liar):
        def __dlpack__(self) -> Any:
            raise BufferError("not today")

    class NoDevice:
        def __dlpack__(self) -> Any:
            raise AssertionError("the device is asked first")

    for wrong, why in ((Liar(), "."), (Refuses(), "not today"), (NoDevice(), ".")):
        with pytest.raises(TypeError, match=f"^values: .*{why}"):
            shapes.total_f64(wrong)


def test_a_device_that_is_none(shapes: Any) -> None:
    class Odd:
        def __dlpack__(self) -> Any:
            raise AssertionError("the device is asked first")

        def __dlpack_device__(self) -> tuple[int, int]:
            return (2**70, 0)

    with pytest.raises(TypeError, match="not in the memory of the CPU"):
        shapes.total_f64(Odd())
