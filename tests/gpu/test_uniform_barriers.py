"""Barriers in loops and branches that all threads of a block take together: what is proven, and what `uniform` says."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from unified_gpu import (
    Array,
    Context,
    KernelSourceError,
    barrier,
    device,
    f32,
    global_id,
    group_id,
    i32,
    kernel,
    local_id,
    shared,
    subgroup_any,
    uniform,
)

BLOCK = 32


@device
def twice(bounds: Array[i32, 1], g: i32) -> i32:
    return bounds[g] * 2 // 2


@kernel
def ragged(bounds: Array[i32, 1], x: Array[f32, 1], out: Array[f32, 1]):
    part = shared(f32, BLOCK)
    g, t = group_id(0), local_id(0)
    total = f32(0)
    first = bounds[g]
    for row in range(first, twice(bounds, g + 1)):
        part[t] = x[row * BLOCK + t]
        barrier()
        total += part[BLOCK - 1 - t]
        barrier()
    if bounds[g] == bounds[g + 1]:
        part[t] = -1.0 * t
        barrier()
        total = part[(t + 1) % BLOCK]
    out[g * BLOCK + t] = total


@kernel
def exchange_sort(x: Array[i32, 1]):
    values = shared(i32, BLOCK)
    t = local_id(0)
    values[t] = x[t]
    go = True
    while go:
        barrier()
        changed = 0
        if t % 2 == 0 and values[t] > values[t + 1]:
            values[t], values[t + 1] = values[t + 1], values[t]
            changed = 1
        barrier()
        if t % 2 == 1 and t < BLOCK - 1 and values[t] > values[t + 1]:
            values[t], values[t + 1] = values[t + 1], values[t]
            changed = 1
        barrier()
        go = uniform(subgroup_any(changed != 0))
    x[t] = values[t]


@kernel
def countdown(x: Array[i32, 1], out: Array[i32, 1]):
    left = shared(i32, 1)
    t = local_id(0)
    if t == 0:
        left[0] = x[0]
    barrier()
    turns = 0
    while uniform(left[0]) > 0 and turns < 100:
        barrier()
        turns += 1
        if t == 0:
            left[0] -= 2
        barrier()
        if uniform(turns % 2) == 0:
            continue
        x[t] += 1
    out[t] = turns


@kernel
def not_the_same(x: Array[i32, 1], out: Array[i32, 1]):
    for k in range(uniform(x[local_id(0)])):  # line of uniform
        barrier()
        out[local_id(0)] = k


@kernel
def written(x: Array[i32, 1]):
    for _ in range(x[0]):
        barrier()
    x[global_id(0)] = 1


@kernel
def by_thread(x: Array[i32, 1], out: Array[i32, 1]):
    for _ in range(x[local_id(0)]):
        barrier()
    out[global_id(0)] = 1


@kernel
def behind_a_branch(x: Array[i32, 1], out: Array[i32, 1]):
    if local_id(0) < 3:
        out[0] = uniform(x[0])


@pytest.mark.trial("gpu")
def test_bounds_that_all_threads_read_from_the_same_place(ctx: Context) -> None:
    bounds = np.array([0, 1, 3, 3, 7], "i4")
    x = np.arange(7 * BLOCK, dtype="f4")
    out = ctx.alloc_zeros(4 * BLOCK)
    ctx.launch(ragged, 4 * BLOCK, [ctx.alloc_upload(bounds), ctx.alloc_upload(x), out], local_size=BLOCK)
    rows = x.reshape(7, BLOCK)[:, ::-1]
    wanted = np.stack([rows[a:b].sum(0) for a, b in pairwise(bounds)])
    wanted[2] = -((np.arange(BLOCK) + 1.0) % BLOCK)
    np.testing.assert_array_equal(out.download(), wanted.ravel())
    theirs = np.zeros(4 * BLOCK, "f4")
    ragged.reference(4 * BLOCK, [bounds, x, theirs], local_size=BLOCK)
    np.testing.assert_array_equal(theirs, wanted.ravel())


@pytest.mark.parametrize("checked", ["0", "1"])
def test_uniform(backend: str, checked: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DL_CHECK", checked)
    with Context(backend) as ctx:
        if ctx.subgroup_size == BLOCK:
            x = ctx.alloc_upload(np.random.default_rng(3).permutation(BLOCK).astype("i4"))
            ctx.launch(exchange_sort, BLOCK, [x], local_size=BLOCK)
            assert x.tolist() == list(range(BLOCK))
        x, out = ctx.alloc_upload(np.full(BLOCK, 9, "i4")), ctx.alloc_zeros(BLOCK, "i32")
        ctx.launch(countdown, BLOCK, [x, out], local_size=BLOCK)
        assert out.tolist() == [5] * BLOCK
        assert x.tolist() == [12] * BLOCK
        x, theirs = np.full(BLOCK, 9, "i4"), np.zeros(BLOCK, "i4")
        countdown.reference(BLOCK, [x, theirs], local_size=BLOCK)
        assert theirs.tolist() == [5] * BLOCK


def test_what_is_not_the_same_is_found_in_the_checked_mode(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DL_CHECK", "1")
    line = not_the_same.python.__code__.co_firstlineno + 2
    with Context("cpu") as ctx:
        args = [ctx.alloc_upload(np.arange(BLOCK, dtype="i4")), ctx.alloc_zeros(BLOCK, "i32")]
        ctx.launch(not_the_same, BLOCK, args, local_size=BLOCK)
        with pytest.raises(RuntimeError, match=rf"barriers\.py:{line}: uniform\(\) of what is not the same in all thr"):
            ctx.sync()
    with pytest.raises(RuntimeError, match=rf"line {line} of not_the_same: uniform\(\) of 0 and of other values"):
        not_the_same.reference(BLOCK, [np.arange(BLOCK, dtype="i4"), np.zeros(BLOCK, "i4")], local_size=BLOCK)


def test_without_a_check_the_first_thread_decides(cpu: Context) -> None:
    args = [cpu.alloc_upload(np.arange(4, 4 + BLOCK, dtype="i4")), cpu.alloc_zeros(BLOCK, "i32")]
    cpu.launch(not_the_same, BLOCK, args, local_size=BLOCK)
    assert args[1].tolist() == [3] * BLOCK


@pytest.mark.parametrize("refused", [written, by_thread, behind_a_branch], ids=lambda each: each.name)
def test_what_is_not_proven_is_refused(refused: object, cpu: Context) -> None:
    args = [cpu.alloc_zeros(BLOCK, "i32") for _ in refused.annotations]  # type: ignore[attr-defined]  # a kernel
    with pytest.raises(KernelSourceError, match=r"not every thread of the block(.|\n)*decide by uniform\(…\)"):
        cpu.launch(refused, BLOCK, args, local_size=BLOCK)  # type: ignore[arg-type]  # a kernel
