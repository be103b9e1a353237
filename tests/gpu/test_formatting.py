"""Text of arrays against NumPy's."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

from unified_gpu import Array, ClosedError, Context, f32, global_id, kernel
from unified_gpu.arrays.formatting import described, text

SPECIAL = [0.0, -0.0, float("nan"), float("inf"), float("-inf"), 1e-5, 1e8, 3.4e38, 0.1, 1 / 3, 1e-45]


def drawn(random: Random) -> Any:
    shape = tuple(random.choice((1, 2, 3, 7, 30)) for _ in range(random.choice((0, 1, 1, 2, 3))))
    if np.prod(shape, dtype=int) > 1000:
        shape = shape[:1]
    rng = np.random.default_rng(random.randrange(10**6))
    dtype = random.choice(("f2", "f4", "f8", "i1", "i8", "u4", "?"))
    if dtype[0] != "f":
        return rng.integers(0, 2 if dtype == "?" else random.choice((3, 120)), shape).astype(dtype)
    scale = random.choice((1.0, 1e-3, 1e6, 1e9))
    x = rng.standard_normal(shape) * scale
    if random.random() < 0.4:
        x = np.where(rng.random(shape) < 0.3, rng.choice(SPECIAL, shape), x)
    if random.random() < 0.3:
        x = np.round(x)
    with np.errstate(over="ignore"):
        return x.astype(dtype)


def test_as_numpy_writes_them() -> None:
    names = {"f2": "f16", "f4": "f32", "f8": "f64", "i1": "i8", "i8": "i64", "u4": "u32", "b1": "bool"}
    from unified_gpu.dtypes import as_dtype

    for seed in range(1500):
        x = drawn(Random(seed))
        wanted = np.array2string(x, separator=", ", prefix="GpuArray(", threshold=10**6)
        found = text(x.tolist(), as_dtype(names[x.dtype.str[1:]]), x.shape, "GpuArray(")
        assert found == wanted, f"seed {seed}: {x.dtype} {x.shape}"


def test_repr(ctx: Context) -> None:
    where = f"{ctx.backend_name}:0"
    x = ctx.alloc_upload([[1.5, 2], [3, -4]])
    assert repr(x) == str(x) == f"GpuArray([[ 1.5,  2. ],\n          [ 3. , -4. ]], dtype=f32, device={where})"
    assert repr(x[0, 1]) == f"GpuArray(2., dtype=f32, device={where})"
    assert repr(x.T[:, 1]) == f"GpuArray([ 3., -4.], dtype=f32, device={where})"
    assert repr(ctx.alloc((2, 0), "i8")) == f"GpuArray([], shape=(2, 0), dtype=i8, device={where})"
    assert repr(ctx.alloc_upload([True, False])) == f"GpuArray([ True, False], dtype=bool, device={where})"


def test_only_the_ends_of_large_arrays(ctx: Context) -> None:
    x = np.arange(400_000, dtype="f4").reshape(100, 2, 2000)
    found = repr(ctx.alloc_upload(x))
    with np.printoptions(threshold=1000):
        wanted = np.array2string(x, separator=", ", prefix="GpuArray(")
    assert found.startswith(f"GpuArray({wanted},")
    assert found.endswith(f"shape=(100, 2, 2000), dtype=f32, device={ctx.backend_name}:0)")


@kernel
def beyond(x: Array[f32, 1]):
    x[global_id(0) + 10] = 1


def test_an_error_of_queued_work_is_shown_and_raised_later(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DL_CHECK", "1")
    with Context("cpu") as ctx:
        x = ctx.alloc(3)
        ctx.launch(beyond, 3, [x])
        assert "its values cannot be read: kernel beyond failed at" in repr(x)
        with pytest.raises(RuntimeError, match="kernel beyond failed at"):
            ctx.sync()
        ctx.sync()
        assert repr(x.fill(2)) == "GpuArray([2., 2., 2.], dtype=f32, device=cpu:0)"


def test_values_that_cannot_be_read(backend: str) -> None:
    with Context(backend=backend) as ctx:
        x = ctx.alloc((2, 3), "u8").fill(1)
    found = repr(x)
    assert found.startswith(f"<GpuArray u8 [2, 3] on <Context {backend}:0>; its values cannot be read: <Context")
    assert described(x) == f"{x}"
    with pytest.raises(ClosedError):
        x.tolist()
