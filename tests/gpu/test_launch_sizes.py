"""`global_size` and `local_size`: what they may be, and which kernels need the latter; the same on every backend."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from unified_gpu import (
    Array,
    Context,
    Kernel,
    atomic_add,
    barrier,
    f32,
    global_id,
    global_size,
    group_count,
    group_id,
    i32,
    kernel,
    local_id,
    local_size,
    shared,
)


@kernel
def scale(x: Array[f32, 1], factor: f32):
    x[global_id(0)] *= factor


@kernel
def numbered(x: Array[i32, 2]):
    x[global_id(0), global_id(1)] = 10 * global_id(0) + global_id(1) + 100 * global_size(1)


@kernel
def total(x: Array[f32, 1], result: Array[f32, 1]):
    part = shared(f32, 128)  # line of shared
    t = local_id(0)
    part[t] = x[global_id(0)] if global_id(0) < x.shape[0] else 0
    half = local_size(0) // 2
    while half > 0:
        barrier()
        if t < half:
            part[t] += part[t + half]
        half //= 2
    if t == 0:
        atomic_add(result, 0, part[0])


@kernel
def added(x: Array[f32, 2], result: Array[f32, 1]):
    i = global_id(0)
    for j in range(x.shape[1]):
        result[i] += x[i, j]


@kernel
def waiting(x: Array[f32, 1]):
    barrier()  # line of barrier
    x[global_id(0)] = 1


@kernel
def by_place(x: Array[f32, 1]):
    x[global_id(0)] = local_id(0)  # line of local_id


@kernel
def by_block(x: Array[f32, 1]):
    x[global_id(0)] = group_id(0)  # line of group_id


@kernel
def by_length(x: Array[f32, 1]):
    x[global_id(0)] = local_size(0)  # line of local_size


@kernel
def by_count(x: Array[f32, 1]):
    x[global_id(0)] = group_count(0)  # line of group_count


IN_C = Kernel.from_source('extern "C" __global__ void nothing(float *x) {}', "nothing")

WRONG = {
    "no axis": (((), None), ValueError, "global_size []: it has 1 to 3 axes of at least one thread"),
    "no axis in an array": ((np.zeros(0, int), None), ValueError, "global_size []: it has 1 to 3 axes"),
    "four axes": (([1, 2, 3, 64], None), ValueError, "global_size [1, 2, 3, 64]: it has 1 to 3 axes"),
    "no threads": (((4, 0), None), ValueError, "global_size [4, 0]: it has 1 to 3 axes of at least one thread"),
    "other axes": (((4, 5), 4), ValueError, "local_size [4] does not go with global_size [4, 5]"),
    "no threads of a block": (((4, 5), (4, 0)), ValueError, "local_size [4, 0] does not go with global_size [4, 5]"),
    "large block": (((64, 64), (64, 32)), ValueError, "local_size [64, 32]: a block has at most 1024 threads"),
    "a bool": ((True, None), TypeError, "global_size is a whole number, or one for each of up to 3 axes, not True"),
    "a bool among numbers": (((1, True), None), TypeError, "global_size is a whole number"),
    "a bool of NumPy": (((np.True_,), None), TypeError, "global_size is a whole number"),
    "a bool as block": ((1, True), TypeError, "local_size is a whole number"),
    "a fraction": ((np.float32(4), None), TypeError, "global_size is a whole number"),
    "fractions": ((np.ones(2), None), TypeError, "global_size is a whole number"),
    "text": (("4", None), TypeError, "global_size is a whole number, or one for each of up to 3 axes, not '4'"),
    "nothing": ((None, None), TypeError, "global_size is a whole number"),
}


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
@pytest.mark.parametrize("checked", ["", "1"], ids=["plain", "checked"])
def test_wrong_sizes_are_refused_before_compiling(
    ctx: Context, wrong, checked: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (threads, block), error, message = wrong
    monkeypatch.setenv("DL_CHECK", checked)
    x = ctx.alloc_zeros(4)
    for _ in range(2):
        with pytest.raises(error, match=re.escape(message)):
            ctx.launch(scale, threads, [x, 2.0], local_size=block)
        with pytest.raises(error, match=re.escape(message)):
            scale.reference(threads, [np.zeros(4, "f4"), 2.0], local_size=block)
    assert not ctx.kernels


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
def test_kernels_in_c_refuse_the_same(cpu: Context, wrong) -> None:
    (threads, block), error, message = wrong
    x = cpu.alloc_zeros(4)
    cpu.launch(IN_C, 1, [x], local_size=1)
    cpu.launch(IN_C, (1, 1), [x])
    with pytest.raises(error, match=re.escape(message)):
        cpu.launch(IN_C, threads, [x], local_size=block)


def test_sizes_are_whole_numbers_of_any_kind(ctx: Context) -> None:
    for size in (8, np.int64(8), (np.uint8(8),), [8], np.array([8]), np.array(8), iter([8])):
        x = ctx.alloc_upload(np.ones(8, "f4"))
        ctx.launch(scale, size, [x, 3.0])
        assert x.tolist() == [3.0] * 8
    for block in (4, np.int32(4), [np.int64(4)], np.array(4)):
        x = ctx.alloc_upload(np.ones(8, "f4"))
        ctx.launch(scale, np.int64(8), [x, 3.0], local_size=block)
        assert x.tolist() == [3.0] * 8
        host = np.ones(8, "f4")
        scale.reference(np.int64(8), [host, 3.0], local_size=block)
        assert host.tolist() == [3.0] * 8
    for size in ((2, 3), [np.int64(2), 3], np.array([2, 3])):
        y = ctx.alloc_zeros((2, 3), "i32")
        ctx.launch(numbered, size, [y])
        assert y.tolist() == [[300, 301, 302], [310, 311, 312]]


def test_kernels_in_c_take_whole_numbers_of_any_kind(cpu: Context) -> None:
    source = 'extern "C" __global__ void one(float *x) { x[blockIdx.x * blockDim.x + threadIdx.x] += 1; }'
    x = cpu.alloc_zeros(8)
    for size, block in ((np.int64(8), None), ([8], np.int32(4)), (np.array([8]), (np.int64(2),)), (8, np.array([4]))):
        cpu.launch(Kernel.from_source(source, "one"), size, [x], local_size=block)
    assert x.tolist() == [4.0] * 8


@pytest.mark.parametrize(
    ("made", "asks"),
    [
        (total, "shared"),
        (waiting, "barrier"),
        (by_place, "local_id"),
        (by_block, "group_id"),
        (by_length, "local_size"),
        (by_count, "group_count"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_kernel_that_sees_blocks_needs_local_size(ctx: Context, made, asks: str) -> None:
    x = ctx.alloc_upload(np.ones(1000, "f4"))
    args = [x, ctx.alloc_zeros(1)] if made is total else [x]
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    line = next(n for n, text in enumerate(lines, 1) if text.endswith(f"# line of {asks}"))
    message = rf"{made.name} needs local_size, .* it uses {asks} at .*{Path(__file__).name}:{line}$"
    with pytest.raises(ValueError, match=message):
        ctx.launch(made, 1000, args)
    assert x.tolist() == [1.0] * 1000
    ctx.launch(made, 1000, args, local_size=100 if made is not total else 128)
    with pytest.raises(ValueError, match=message):  # also when it is compiled
        ctx.launch(made, 1000, args)
    with pytest.raises(ValueError, match=message):
        made.reference(4, [np.ones(4, "f4") for _ in args])
    if made is total:
        assert args[1].item() == 1000.0


def test_the_cpu_shares_out_few_threads_that_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    with Context("cpu") as ctx:
        blocks: list[tuple[tuple[int, ...], tuple[int, ...]]] = []
        launch = ctx.device.launch

        def noted(kernel: object, grid: tuple[int, ...], block: tuple[int, ...], *others: object) -> None:
            blocks.append((grid, block))
            launch(kernel, grid, block, *others)  # type: ignore[arg-type]  # what the launch has passed

        monkeypatch.setattr(ctx.device, "launch", noted)
        x, result = ctx.alloc((4096, 3)).fill(1), ctx.alloc_zeros(4096)
        ctx.launch(added, 4096, [x, result])
        ctx.launch(scale, 4096, [result, 2.0])
        assert result.tolist() == [6.0] * 4096
        assert blocks == [((16, 1, 1), (256, 1, 1)), ((4, 1, 1), (1024, 1, 1))]
