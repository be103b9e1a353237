"""Assignment to views: what NumPy does with the same data and the same index, on every backend."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from unified_gpu import Context, GpuArray, MixedContextsError
from unified_gpu.dtypes import DTYPES

NUMPY_DTYPES = [name for name, dtype in DTYPES.items() if dtype.numpy]

VIEWS: list[Any] = [
    (slice(None), 1), (1, 2), (-1, -1), (Ellipsis, 0), (0, Ellipsis), (slice(1, 3), slice(2, None)), 1,
    slice(None, None, 2), (slice(None), slice(3, 0)), (slice(None), slice(1, 4, 2), 0), (None, 1), (),
    (slice(None), None, slice(0, 1)), (1, 2, 1), (slice(0, 1), Ellipsis, slice(1, 2)), Ellipsis,
]  # fmt: skip


def grid(*shape: int, dtype: str = "f4") -> np.ndarray:
    return np.arange(np.prod(shape)).reshape(shape).astype(dtype)


def both(ctx: Context, *shape: int, dtype: str = "f4") -> tuple[GpuArray, np.ndarray]:
    data = grid(*shape, dtype=dtype)
    return ctx.alloc_upload(data), data


def some(shape: tuple[int, ...]) -> np.ndarray:
    return 100 + grid(*shape)


@pytest.mark.parametrize(
    "given",
    [
        lambda ctx, part: (7, 7),
        lambda ctx, part: (ctx.alloc_upload(part) if part.size else ctx.alloc(part.shape), part),
        lambda ctx, part: (part, part),
        lambda ctx, part: (part.tolist(), part),
        lambda ctx, part: (part.reshape(-1).tolist(), part),
        lambda ctx, part: (ctx.alloc_upload([[1.0]])[0], 1),
        lambda ctx, part: ([5.0], 5),
        lambda ctx, part: (np.asfortranarray(part), part),
    ],
    ids=["number", "array", "numpy", "list", "flat list", "repeated array", "repeated list", "transposed"],
)
def test_every_view_takes_what_it_takes_in_numpy(
    ctx: Context, given: Callable[[Context, np.ndarray], tuple[Any, Any]]
) -> None:
    for key in VIEWS:
        array, data = both(ctx, 3, 4, 2)
        value, same = given(ctx, some(data[key].shape))
        array[key] = value
        data[key] = same
        np.testing.assert_array_equal(array.download(), data, err_msg=str(key))


@pytest.mark.parametrize("name", NUMPY_DTYPES)
def test_every_dtype(ctx: Context, name: str) -> None:
    kind = DTYPES[name].numpy
    array, data = both(ctx, 50, 70, dtype=kind)
    column, row = grid(50, dtype=kind), grid(35, dtype=kind)[::-1].copy()
    array[:, 3], data[:, 3] = 1, 1
    array[:, 5], data[:, 5] = column, column
    array[1:, ::2], data[1:, ::2] = ctx.alloc_upload(row), row
    np.testing.assert_array_equal(array.download(), data)


def test_large_and_small_parts(ctx: Context) -> None:
    """More than the threads of a device take at once, and a single element."""
    array, data = both(ctx, 300, 700)
    array[1::3, 2::5], data[1::3, 2::5] = some(data[1::3, 2::5].shape), some(data[1::3, 2::5].shape)
    array[:, 699], data[:, 699] = 0, 0
    array[7:8, 3:4], data[7:8, 3:4] = -1, -1
    np.testing.assert_array_equal(array.download(), data)
    deep, expected = both(ctx, 3, 2, 3, 2, 3)
    deep[1:, :, ::2, 0, 1:], expected[1:, :, ::2, 0, 1:] = some((2, 2, 2, 2)), some((2, 2, 2, 2))
    np.testing.assert_array_equal(deep.download(), expected)


def test_transposed_arrays(ctx: Context) -> None:
    array, data = both(ctx, 3, 4)
    array.T[1] = [7, 8, 9]
    data.T[1] = [7, 8, 9]
    other = ctx.alloc_zeros((4, 3))
    other.T[...] = array
    np.testing.assert_array_equal(array.download(), data)
    np.testing.assert_array_equal(other.download(), data.T)
    assert array.T.upload(data.T + 1).T.tolist() == (data + 1).tolist()
    array.T.fill(2)
    assert array.tolist() == [[2] * 4] * 3


def test_values_that_overlap_the_view_are_copied_first(ctx: Context) -> None:
    array, data = both(ctx, 6, 4)
    for part, other in [(np.s_[1:], np.s_[:-1]), (np.s_[:, 1:], np.s_[:, :-1]), (np.s_[:, 0], np.s_[:, 1])]:
        array[part] = array[other]
        data[part] = data[other].copy()
        np.testing.assert_array_equal(array.download(), data)
    array[...] = array[2]
    data[...] = data[2].copy()
    array[:, 1] = array[:, 1]
    np.testing.assert_array_equal(array.download(), data)


def test_operators_in_place(ctx: Context) -> None:
    array, data = both(ctx, 3, 4)
    for change in (lambda x: x.__iadd__(1), lambda x: x.__imul__(3), lambda x: x.__isub__(2), lambda x: x.__ipow__(2)):
        for part in (array, data):
            change(part[:, 1])
    array[:, 2] /= 2
    data[:, 2] /= 2
    array[1:, ::3] += ctx.alloc_upload([[1.0], [2.0]])
    data[1:, ::3] += [[1.0], [2.0]]
    np.testing.assert_array_equal(array.download(), data)
    with pytest.raises(ValueError, match=r"shape \[2, 3\] cannot be assigned to shape \[3\]"):
        array[:, 1] += ctx.alloc_zeros((2, 3))


def test_methods_on_views_with_gaps(ctx: Context) -> None:
    array, data = both(ctx, 3, 4)
    array[:, 0].fill(9)
    data[:, 0] = 9
    column = ctx.alloc_upload([1.0, 2.0, 3.0])
    assert column.copy_to(array[:, 1]).tolist() == [1, 2, 3]
    pinned = ctx.alloc_pinned(3)
    pinned.numpy()[:] = [4, 5, 6]
    array[:, 2].upload(pinned, non_blocking=True)
    array[:, 3].upload([7, 8, 9])
    data[:, 1:] = [[1, 4, 7], [2, 5, 8], [3, 6, 9]]
    ctx.sync()
    np.testing.assert_array_equal(array.download(), data)


def test_work_on_several_streams(ctx: Context) -> None:
    """What is assigned is used by the stream of the assignment, also when it is collected at once."""
    stream = ctx.create_stream()
    array = ctx.alloc_zeros((500, 20))
    ctx.sync()
    with stream:
        for column in range(20):
            array[:, column] = np.full(500, column, "f4")
    stream.synchronize()
    np.testing.assert_array_equal(array.download(), np.tile(np.arange(20, dtype="f4"), (500, 1)))


@pytest.mark.parametrize("key", [slice(1, 3), (slice(None), 1), (0, 1)], ids=["rows", "column", "element"])
def test_what_does_not_fit(ctx: Context, key: Any) -> None:
    array, data = both(ctx, 4, 3)
    for wrong in ([1.0] * 5, np.zeros(5, "f4"), ctx.alloc_zeros(5), ctx.alloc_zeros((2, 5))):
        with pytest.raises(ValueError, match=r"shape \[.*5\] cannot be assigned to shape \["):
            array[key] = wrong
    whole = ctx.alloc_zeros((4, 3), "i32")
    for fractions in (np.zeros(data[key].shape, "f4"), ctx.alloc_zeros(data[key].shape), ctx.alloc_zeros(1)):
        with pytest.raises(TypeError, match="f32 is not assigned to i32; convert it"):
            whole[key] = fractions
    with pytest.raises(OverflowError, match="does not fit in f32"):
        array[key] = 1e300
    with pytest.raises(ValueError, match="ragged"):
        array[key] = [[1.0], [1.0, 2.0]]
    with pytest.raises(TypeError):
        array[key] = "text"
    with Context(backend=ctx.backend_name) as other, pytest.raises(MixedContextsError):
        array[key] = other.alloc_zeros(data[key].shape)
    np.testing.assert_array_equal(array.download(), data)


@pytest.mark.parametrize("key", [slice(1, 3), (slice(None), 1), (0, 1)], ids=["rows", "column", "element"])
def test_dtypes_of_no_higher_kind_are_converted(ctx: Context, key: Any) -> None:
    array, data = both(ctx, 4, 3)
    for number, dtype in enumerate(("i4", "f8", "u1", "?")):
        part = np.full(data[key].shape, number + 1).astype(dtype)
        array[key], data[key] = (part if number % 2 else ctx.alloc_upload(part)), part
        np.testing.assert_array_equal(array.download(), data)


@pytest.mark.torch
def test_an_array_that_repeats_its_elements_is_not_assigned_to(cpu: Context) -> None:
    torch = pytest.importorskip("torch")
    repeated = cpu.from_dlpack(torch.zeros(1).expand(3))
    for assign in (
        lambda: repeated.fill(1),
        lambda: repeated.upload([1, 2, 3]),
        lambda: repeated.__setitem__(..., [1]),
    ):
        with pytest.raises(ValueError, match=r"an array whose elements share memory; use its contiguous\(\) copy"):
            assign()
    assert repeated.tolist() == [0, 0, 0]
