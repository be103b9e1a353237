"""Rows of arrays in kernels: `x[i]` of an array with several axes, read, written and passed on; NumPy is the oracle."""

from __future__ import annotations

import numpy as np
import pytest

from unified_gpu import (
    Array,
    Context,
    atomic_add,
    barrier,
    device,
    f32,
    global_id,
    i32,
    kernel,
    local,
    local_id,
    shared,
)


@device
def dot(a: Array[f32, 1], b: Array[f32, 1]) -> f32:
    total = f32(0)
    for k in range(len(a)):
        total += a[k] * b[k]
    return total


@device
def scale(row, factor):
    for k in range(row.shape[0]):
        row[k] *= factor


@device
def scale_all(block: Array[f32, 2], factor: f32):
    for k in range(len(block)):
        scale(block[k], factor)


@kernel
def products(x: Array[f32, 2], y: Array[f32, 2], out: Array[f32, 2]):
    """A matrix product of x and the transposed y."""
    row = x[global_id(0)]
    out[global_id(0)][global_id(1)] = dot(row, y[global_id(1)])


@kernel
def scaled(x: Array[f32, 3], factor: f32):
    scale_all(x[global_id(0)], factor)
    last = x[global_id(0), x.shape[1] - 1]
    last[0] = last[0] + len(last) + last.ndim + x[0].ndim


@kernel
def descended(x: Array[f32, 2], out: Array[i32, 1]):
    """The name of a row is another row in each turn; two of them are swapped."""
    best = 0
    row, other = x[0], x[1]
    for k in range(2, len(x)):
        if other[0] > row[0]:
            row, other = other, row
            best = k - 1
        other = x[k]
    out[0] = best
    row[1] = -1


@kernel
def shared_rows(x: Array[i32, 2], counts: Array[i32, 2]):
    tile = shared(i32, (2, 32))
    mine = local(i32, (2, 3))
    t = local_id(0)
    for n, row in enumerate((tile[0], tile[1])):
        row[t] = x[n, t]
    barrier()
    for part in (mine[0], mine[1]):
        part[0] = 0
        part[len(part) - 1] = tile[1][31 - t]
    atomic_add(counts[tile[0, t] % 2], mine[1][2] % 4, 1)


def values(*shape: int) -> np.ndarray:
    return np.random.default_rng(5).integers(-9, 9, shape).astype("f4")


@pytest.mark.parametrize("transposed", [False, True])
def test_rows_are_passed_to_functions(ctx: Context, transposed: bool) -> None:
    a, b = values(4, 7), values(5, 7)
    x, y = (ctx.alloc_upload(np.ascontiguousarray(each.T) if transposed else each) for each in (a, b))
    out = ctx.alloc_zeros((4, 5))
    ctx.launch(products, (4, 5), [x.T, y.T, out] if transposed else [x, y, out])
    np.testing.assert_array_equal(out.download(), a @ b.T)
    found = np.zeros((4, 5), "f4")
    products.reference((4, 5), [a, b, found])
    np.testing.assert_array_equal(found, a @ b.T)


def test_rows_of_rows_are_written(ctx: Context) -> None:
    a = values(3, 4, 5)
    wanted = a * np.float32(3)
    wanted[:, 3, 0] += 5 + 1 + 2
    x = ctx.alloc_upload(a)
    ctx.launch(scaled, 3, [x, 3])
    np.testing.assert_array_equal(x.download(), wanted)


def test_a_name_for_another_row_in_each_turn(ctx: Context) -> None:
    a = np.float32([[1, 0], [5, 0], [3, 0], [8, 0], [2, 0]])
    x, out = ctx.alloc_upload(a), ctx.alloc_zeros(1, "i32")
    ctx.launch(descended, 1, [x, out])
    assert out.item() == 3
    assert x.download()[:, 1].tolist() == [0, 0, 0, -1, 0]


def test_rows_of_shared_memory_and_of_a_thread(ctx: Context) -> None:
    a = np.random.default_rng(6).integers(0, 99, (2, 32)).astype("i4")
    wanted = np.zeros((2, 4), "i4")
    np.add.at(wanted, (a[0] % 2, a[1, ::-1] % 4), 1)
    counts = ctx.alloc_zeros((2, 4), "i32")
    ctx.launch(shared_rows, 32, [ctx.alloc_upload(a), counts], local_size=32)
    np.testing.assert_array_equal(counts.download(), wanted)


@kernel
def beyond(x: Array[f32, 2], i: i32, j: i32):
    row = x[i]
    row[j] = 1


@pytest.mark.parametrize(("i", "j", "axis"), [(3, 0, 0), (0, 2, 1), (-1, 0, 0)])
def test_indices_are_checked(cpu: Context, monkeypatch: pytest.MonkeyPatch, i: int, j: int, axis: int) -> None:
    with pytest.raises(IndexError, match=f"index {(i, j)[axis]} of axis {axis} of x"):
        beyond.reference(1, [np.zeros((3, 2), "f4"), i, j])
    monkeypatch.setenv("DL_CHECK", "1")
    with Context("cpu") as checked:
        x = checked.alloc_zeros((3, 2))
        with pytest.raises(RuntimeError, match=rf"test_kernel_rows.py:\d+: .*axis {axis} of x"):
            checked.launch(beyond, 1, [x, i, j])
            checked.sync()
