"""A span is the caller's own memory: read and written where it lies, and refused when it is not what the spec says."""

from __future__ import annotations

import ctypes
from array import array
from typing import Any

import pytest

CODES = {"i8": "b", "i16": "h", "i32": "i", "i64": "q", "u8": "B", "u16": "H", "u32": "I", "u64": "Q", "f32": "f"}
CODES |= {"f64": "d", "usize": "Q"}
NAMES = {"bool": "bool", "usize": "uint64", "f32": "float32", "f64": "float64"}


def name_of(scalar: str) -> str:
    """What NumPy calls it, and so do our messages."""
    return NAMES.get(scalar) or ("uint" if scalar[0] == "u" else "int") + scalar[1:]


@pytest.mark.parametrize("scalar", CODES)
def test_memory_is_read_and_written_where_it_lies(shapes: Any, scalar: str) -> None:
    total, fill = getattr(shapes, f"total_{scalar}"), getattr(shapes, f"fill_{scalar}")
    data = array(CODES[scalar], [1, 2, 3])
    assert total(data) == 6
    assert fill(data, 7) is None
    assert list(data) == [7, 7, 7]
    assert total(memoryview(data)[1:]) == 14
    assert total(array(CODES[scalar])) == 0
    fill(array(CODES[scalar]), 1)


@pytest.mark.parametrize("scalar", [*CODES, "bool"])
def test_numpy(shapes: Any, scalar: str) -> None:
    numpy = pytest.importorskip("numpy")
    total, fill = getattr(shapes, f"total_{scalar}"), getattr(shapes, f"fill_{scalar}")
    dtype = "bool" if scalar == "bool" else CODES[scalar]
    data = numpy.ones(5, dtype=dtype)
    assert total(data) == 5
    fill(data[1:3], scalar == "bool" or 9)
    assert data.tolist() == [1, *[True if scalar == "bool" else 9] * 2, 1, 1]
    assert total(numpy.zeros(0, dtype=dtype)) == 0
    assert total(numpy.ones((3, 3), dtype=dtype)[1]) == 3
    assert total(data[4:4]) == 0


@pytest.mark.parametrize("scalar", [*CODES, "bool"])
def test_other_types_are_refused(shapes: Any, scalar: str) -> None:
    numpy = pytest.importorskip("numpy")
    total = getattr(shapes, f"total_{scalar}")
    mine = "?" if scalar == "bool" else CODES[scalar]
    wanted = name_of(scalar)
    for other in ("?", "b", "B", "h", "H", "i", "I", "q", "Q", "e", "f", "d", "D", "S8", "U2", "M8[s]", "V8"):
        if numpy.dtype(other) == numpy.dtype(mine):
            continue
        with pytest.raises(TypeError, match=f"^values: a one-dimensional, contiguous array of {wanted} is wanted"):
            total(numpy.zeros(3, dtype=other))


def test_formats_of_the_same_type(shapes: Any) -> None:
    """C has several names for the same integer, and libraries differ in which they use."""
    for code in "lqn":
        assert shapes.total_i64(memoryview(array("q", [1, 2])).cast("B").cast(code)) == 3
    assert shapes.total_i64((ctypes.c_int64 * 2)(3, 4)) == 7
    assert shapes.total_f32((ctypes.c_float * 2)(3, 4)) == 7
    assert shapes.total_u8(b"\1\2") == 3
    assert shapes.total_bool(memoryview(b"\1\0\1").cast("?")) == 2
    with pytest.raises(TypeError, match="format"):
        shapes.total_i8(memoryview(b"\1\2").cast("c"))


def test_other_byte_orders_are_refused(shapes: Any) -> None:
    numpy = pytest.importorskip("numpy")
    assert shapes.total_i32(numpy.ones(2, dtype="=i4")) == 2
    assert shapes.total_i32(numpy.ones(2, dtype="<i4")) == 2
    with pytest.raises(TypeError, match="not one of format"):
        shapes.total_i32(numpy.ones(2, dtype=">i4"))
    with pytest.raises(TypeError, match="not one of format"):
        shapes.total_i32((ctypes.c_int32.__ctype_be__ * 2)(1, 2))


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda np: np.zeros((2, 2)), "not one of 2 dimensions"),
        (lambda np: np.array(1.0), "not one of 0 dimensions"),
        (lambda np: np.zeros(6)[::2], "gaps between its elements"),
        (lambda np: np.zeros(6)[::-1], "gaps between its elements"),
        (lambda np: [1.0, 2.0], "not list"),
        (lambda np: (1.0,), "not tuple"),
        (lambda np: None, "not None"),
        (lambda np: 1.0, "not float"),
        (lambda np: "text", "not str"),
        (lambda np: b"12345678", "not one of format 'B'"),
    ],
)
def test_other_layouts_are_refused(shapes: Any, make: Any, why: str) -> None:
    numpy = pytest.importorskip("numpy")
    for call in (shapes.total_f64, lambda values: shapes.fill_f64(values, 1)):
        with pytest.raises(
            TypeError, match=f"^values: a one-dimensional, contiguous .*array of float64 is wanted.*{why}"
        ):
            call(make(numpy))


def test_memory_that_may_not_be_written(shapes: Any) -> None:
    numpy = pytest.importorskip("numpy")
    frozen = numpy.zeros(3)
    frozen.flags.writeable = False
    for values, fill in ((frozen, shapes.fill_f64), (b"abc", shapes.fill_u8), (memoryview(b"abc"), shapes.fill_u8)):
        with pytest.raises(TypeError, match=r"contiguous writable array of .* is wanted; this one is read-only$"):
            fill(values, 1)
    assert shapes.total_f64(frozen) == 0
    assert frozen.tolist() == [0, 0, 0]


def test_memory_that_is_not_aligned(shapes: Any) -> None:
    numpy = pytest.importorskip("numpy")
    crooked = numpy.frombuffer(bytearray(33), dtype="f8", offset=1, count=4)
    assert not crooked.flags.aligned
    with pytest.raises(TypeError, match="multiple"):
        shapes.total_f64(crooked)
    with pytest.raises(TypeError, match="multiple"):
        shapes.fill_f64(crooked, 1)
    assert shapes.total_u8(numpy.frombuffer(bytearray(9), dtype="u1", offset=1)) == 0
    assert shapes.total_f64(crooked[:0]) == 0


def test_memory_is_given_back(shapes: Any) -> None:
    data = bytearray(b"abc")
    shapes.fill_u8(data, 1)
    with pytest.raises(OverflowError):
        shapes.fill_u8(data, 256)
    with pytest.raises(TypeError):
        shapes.fill_i64(data, 1)
    data += b"d"  # impossible while somebody holds its memory
    assert data == b"\1\1\1d"


def test_memory_is_given_back_by_a_refusal(shapes: Any) -> None:
    """Also while somebody has the exception, whose traceback holds what the conversion held."""
    data = bytearray(b"abcd")
    kept = []
    for fill in (shapes.fill_i64, shapes.fill_u8, shapes.fill_bool):
        with pytest.raises(TypeError) as caught:
            fill(data, "x")
        kept.append(caught.value)
    with memoryview(data) as whole, whole[::2] as gaps, whole.cast("B", (2, 2)) as square, whole.toreadonly() as fixed:
        for wrong in (gaps, square, fixed):
            with pytest.raises(TypeError) as caught:
                shapes.fill_u8(wrong, 1)
            kept.append(caught.value)
    data += b"e"  # impossible while somebody holds its memory
    assert len(kept) == 6


def test_a_view_that_was_released(shapes: Any) -> None:
    view = memoryview(bytearray(3))
    view.release()
    with pytest.raises((TypeError, ValueError)):
        shapes.total_u8(view)
