"""Loops of kernels over a range whose step is known only when they run; the oracle is Python's range."""

from __future__ import annotations

from itertools import islice, product

import numpy as np
import pytest

from unified_gpu import Array, Context, barrier, f32, global_id, global_size, i32, i64, kernel, local_id, shared

COUNTED = 5


@kernel
def turns(first, last, step, out: Array[i64, 2]):
    i = global_id(0)
    n = 0
    for k in range(first[i], last[i], step[i]):
        if n >= COUNTED:
            break
        n += 1
        if k % 3 == 0:
            continue
        out[i, n] = i64(k)
    out[i, 0] = n


@kernel
def stride(x: Array[f32, 1]):
    for k in range(global_id(0), len(x), global_size(0)):
        x[k] += k


@kernel
def together(x: Array[i32, 1], step: i32):
    """A barrier in a loop whose bounds are the same for all threads."""
    tile = shared(i32, 32)
    t = local_id(0)
    for k in range(10, 0, step):
        tile[t] = x[t] + k
        barrier()
        x[t] = tile[31 - t]
        barrier()


def ranges(dtype):
    """Bounds and steps around 0 and around the limits of a dtype, and what `turns` writes for each."""
    limits = np.iinfo(dtype)
    near = [0, 1, 2, 7, 100, limits.max, limits.max - 1]
    near += [-1, -3, -100, limits.min, limits.min + 1] if limits.min else []
    all_ = [(first, last, step) for first, last, step in product(near, near, near) if step]
    wanted = np.zeros((len(all_), COUNTED + 1), "i8")
    for row, bounds in zip(wanted, all_, strict=True):
        seen = list(islice(range(*bounds), COUNTED))
        row[0] = len(seen)
        for n, k in enumerate(seen, 1):
            row[n] = 0 if k % 3 == 0 else np.array(k, dtype).astype("i8")
    return [np.array(column, dtype) for column in zip(*all_, strict=True)], wanted


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"])
def test_as_often_as_in_python(cpu: Context, dtype: str) -> None:
    bounds, wanted = ranges(dtype)
    out = cpu.alloc_zeros(wanted.shape, "i64")
    cpu.launch(turns, len(wanted), [*map(cpu.alloc_upload, bounds), out])
    np.testing.assert_array_equal(out.download(), wanted)


@pytest.mark.parametrize("dtype", ["i4", "u8"])
def test_on_vulkan_and_in_the_reference(backend: str, dtype: str) -> None:
    bounds, wanted = ranges(dtype)
    found = np.zeros_like(wanted)
    turns.reference(len(wanted), [*bounds, found])
    np.testing.assert_array_equal(found, wanted)
    if backend == "cuda":
        assert "turns" in turns.source("cuda", *3 * [Array[i32, 1]], Array[i64, 2])
        return
    with Context(backend) as ctx:
        out = ctx.alloc_zeros(wanted.shape, "i64")
        ctx.launch(turns, len(wanted), [*map(ctx.alloc_upload, bounds), out])
        np.testing.assert_array_equal(out.download(), wanted)


@pytest.mark.parametrize("threads", [1, 37, 5000])
def test_strides_of_a_grid(cpu: Context, threads: int) -> None:
    x = cpu.alloc_zeros(1000)
    cpu.launch(stride, threads, [x])
    assert x.tolist() == list(range(1000))


@pytest.mark.parametrize("step", [-3, -1, 2])
def test_barriers_in_it(cpu: Context, step: int) -> None:
    wanted = np.arange(32, dtype="i4")
    x = cpu.alloc_upload(wanted)
    cpu.launch(together, 32, [x, step], local_size=32)
    for k in range(10, 0, step):
        wanted = (wanted + k)[::-1]
    assert x.tolist() == wanted.tolist()


def test_a_step_of_0_makes_no_turn_and_is_found_in_the_checked_mode(
    cpu: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    def launched(ctx: Context) -> list[list[int]]:
        first, last, step = (ctx.alloc_upload(np.array(each, "i4")) for each in ([0, 9], [9, 0], [0, 0]))
        out = ctx.alloc_zeros((2, COUNTED + 1), "i64")
        ctx.launch(turns, 2, [first, last, step, out])
        return out.tolist()

    assert launched(cpu) == [[0] * (COUNTED + 1)] * 2
    monkeypatch.setenv("DL_CHECK", "1")
    with Context("cpu") as checked, pytest.raises(RuntimeError, match=r"turns failed at .*: a division by 0"):
        launched(checked)
