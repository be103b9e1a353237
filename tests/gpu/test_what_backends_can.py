"""The table of docs/gpu/backends.md: each cell is tried on its backend, and is what it says."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import nullcontext

import numpy as np
import pytest

import unified_gpu
from tests.gpu.places import ROOT
from unified_gpu import (
    Array,
    Context,
    Kernel,
    KernelCompileError,
    KernelSourceError,
    MixedContextsError,
    Pipeline,
    Struct,
    argsort,
    atomic_add,
    barrier,
    block_sum,
    elementwise,
    f16,
    f32,
    f64,
    global_id,
    i32,
    i64,
    kernel,
    local_id,
    shared,
    subgroup_sum,
    u8,
    unique,
)

PAGE = ROOT / "docs" / "gpu" / "backends.md"
HEAD = "| what | cpu | cuda | vulkan |"
TWICE = 'extern "C" __global__ void twice(float *x, int n) { int i = threadIdx.x; if (i < n) x[i] *= 2; }'


class Pair(Struct):
    left: f32
    right: i32


@kernel
def of_f32(x: Array[f32, 1]):
    x[global_id(0)] = math.sqrt(x[global_id(0)]) + 1


@kernel
def of_f64(x: Array[f64, 1]):
    x[global_id(0)] = math.exp(x[global_id(0)])


@kernel
def of_small(x: Array[f16, 1], y: Array[u8, 1], z: Array[i64, 1]):
    i = global_id(0)
    z[i] = i64(x[i]) + y[i]


@kernel
def of_structs(pair: Pair, x: Array[Pair, 1], y: Array[f32, 1]):
    y[global_id(0)] = pair.left + x[global_id(0)].right


@kernel
def of_erf(x: Array[f32, 1]):
    x[global_id(0)] = math.erf(x[global_id(0)])


@kernel
def of_blocks(x: Array[f32, 1]):
    tile = shared(f32, 64)
    t = local_id(0)
    tile[t] = x[t]
    barrier()
    total = block_sum(tile[63 - t])
    x[t] = total


@kernel
def of_subgroups(x: Array[i32, 1]):
    x[global_id(0)] = subgroup_sum(i32(1))


@kernel
def of_atomics(x: Array[i64, 1], y: Array[f32, 1]):
    atomic_add(x, 0, 1)
    atomic_add(y, 0, 1.0)


@kernel
def of_f64_atomics(x: Array[f64, 1]):
    atomic_add(x, 0, 1.0)


@kernel
def of_print(x: Array[f32, 1]):
    if global_id(0) == 0:
        print(f"{x[0]}")


@kernel
def beyond(x: Array[f32, 1]):
    x[global_id(0)] = 1.0


@elementwise
def smooth(x):
    return 1 / (1 + math.exp(-x))


class NothingSaid(Exception):
    """Nothing says that a mistake was made, and nothing should, where the table has `no`."""


def checked(ctx: Context) -> None:
    """Half an array is written as if it was whole, which no other array notices."""
    with pytest.MonkeyPatch.context() as patch, Context(ctx.backend_name) as own:
        patch.setenv("DL_CHECK", "1")
        own.launch(beyond, 8, [own.alloc_zeros(8)[:4]])
        try:
            own.sync()
        except RuntimeError as error:
            assert "index 4 of axis 0 of x" in str(error)
        else:
            raise NothingSaid


def launched(work: object, *dtypes: str, size: int = 8, block: int | None = None) -> Callable[[Context], None]:
    def launch(ctx: Context) -> None:
        ctx.launch(work, size, [ctx.ones(size, dtype) for dtype in dtypes], local_size=block)  # type: ignore[arg-type]
        ctx.sync()

    return launch


def structs(ctx: Context) -> None:
    y = ctx.zeros(2)
    ctx.launch(of_structs, 2, [Pair(1, 2), ctx.upload_structs([Pair(1, 2), Pair(3, 4)], Pair), y])
    assert y.tolist() == [3, 5]


def cuda_c(ctx: Context) -> None:
    x = ctx.ones(8)
    ctx.launch(Kernel.from_source(TWICE, "twice"), 8, [x, 8])
    assert x.tolist() == [2] * 8


def operations(ctx: Context) -> None:
    for dtype in ("f16", "f64", "u8"):  # all of them, with all operations: test_operations.py
        x = ctx.alloc_upload(np.arange(3)).cast(dtype)
        assert (x + x).tolist() == [0, 2, 4]
    assert (ctx.ones((2, 3)) @ ctx.ones((3, 2))).tolist() == [[3, 3], [3, 3]]


def halves(ctx: Context) -> None:
    assert (ctx.ones(3).cast("bf16") + 1).cast("f32").tolist() == [2, 2, 2]


def library(ctx: Context) -> None:
    x = ctx.alloc_upload(np.array([3, 1, 3], "i4"))
    assert argsort(x).tolist() == [1, 0, 2]
    assert unique(x).tolist() == [1, 3]
    assert x[x > 1].tolist() == [3, 3]
    assert x.cast("f64").std().item() == pytest.approx(np.std([3, 1, 3]))


def random_numbers(ctx: Context) -> None:
    ctx.random.seed(7)
    assert ctx.random.integers(0, 10, 5).tolist() == [2, 4, 3, 2, 4]


def graphs(ctx: Context) -> None:
    x = ctx.zeros(3)
    with ctx.record() as graph:
        unified_gpu.add(x, 1.0, out=x)
    graph.launch()
    graph.launch()
    assert x.tolist() == [2, 2, 2]


def streams(ctx: Context) -> None:
    with ctx.create_stream() as stream:
        begin, end = ctx.create_event(), ctx.create_event()
        begin.record(stream)
        ctx.ones(1000)
        end.record(stream)
    end.synchronize()
    assert begin.elapsed_time(end) >= 0


def pinned(ctx: Context) -> None:
    memory = ctx.alloc_pinned(4, "f32")
    memory[2] = 3
    x = ctx.alloc(4).upload(memory, non_blocking=True)
    assert x.tolist()[2] == 3


def pipelines(ctx: Context) -> None:
    with Pipeline(ctx, depth=3) as pipe:
        results = pipe.map((np.full(4, n, "f4") for n in range(5)), lambda x: x * 2)
        assert [result[0] for result in results] == [0, 2, 4, 6, 8]


def dlpack(ctx: Context) -> None:
    with Context(ctx.backend_name) as other:
        assert other.from_dlpack(ctx.ones(3)).tolist() == [1, 1, 1]


TRIES: dict[str, Callable[[Context], None]] = {
    "operations on `f16 f32 f64`, whole numbers and bools; `matmul`": operations,
    "operations on `bf16`": halves,
    "sorting, statistics, masks, arrays as indices": library,
    "`ctx.random`, with the same bits": random_numbers,
    "`@elementwise`": lambda ctx: smooth(ctx.ones(3)).tolist(),
    "`@kernel`": launched(of_f32, "f32"),
    "… with `f64` and its mathematics": launched(of_f64, "f64"),
    "… with `f16`, `u8` and `i64`": launched(of_small, "f16", "u8", "i64"),
    "… with structs and arrays of them": structs,
    "… with `erf`, `erfc` and `cbrt`": launched(of_erf, "f32"),
    "… with `shared`, `barrier` and `block_sum`": launched(of_blocks, "f32", size=64, block=64),
    "… with subgroups": launched(of_subgroups, "i32", size=64, block=64),
    "… with atomics, also of `i64` and `f32`": launched(of_atomics, "i64", "f32"),
    "… with atomics of `f64`": launched(of_f64_atomics, "f64"),
    "… with `print`": launched(of_print, "f32"),
    "kernels in CUDA C": cuda_c,
    "graphs: `ctx.record()`": graphs,
    "streams, and events with times": streams,
    "pinned memory": pinned,
    "pipelines": pipelines,
    "DLPack without a copy, on the same device": dlpack,
    "the checked mode, `DL_CHECK=1`": checked,
}
ERRORS: dict[str, type[Exception]] = {
    "no": NothingSaid,
    "`MixedContextsError`": MixedContextsError,
    "`KernelCompileError`": KernelCompileError,
    "`KernelSourceError`": KernelSourceError,
    "`NotImplementedError`": NotImplementedError,
}


def table() -> Iterator[tuple[str, dict[str, str]]]:
    """The rows: what is tried, and what each backend does then."""
    lines = iter(PAGE.read_text(encoding="utf-8").partition(HEAD)[2].splitlines()[2:])
    names = HEAD.strip("| ").split(" | ")[1:]
    for line in lines:
        if not line.startswith("|"):
            return
        what, *cells = (cell.strip() for cell in line.strip("|").split("|"))
        yield what, dict(zip(names, cells, strict=True))


def test_the_table_has_what_is_tried() -> None:
    assert [what for what, _ in table()] == [*TRIES]


@pytest.mark.parametrize(("what", "cells"), list(table()), ids=lambda each: each if isinstance(each, str) else "")
def test_each_backend_does_what_the_table_says(ctx: Context, what: str, cells: dict[str, str]) -> None:
    if ctx.backend_name not in cells:
        pytest.skip(f"the table has no {ctx.backend_name}")
    said = cells[ctx.backend_name]
    with nullcontext() if said == "yes" else pytest.raises(ERRORS[said]):
        TRIES[what](ctx)
