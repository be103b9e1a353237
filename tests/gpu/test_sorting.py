"""Sorting, searching and random numbers, against NumPy and against each other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import unified_gpu as ug
from tests.gpu.places import skip_on_the_stand_in
from tests.gpu.test_random_operations import check_bits
from unified_gpu import Context, Random


def data(dtype: str, *shape: int) -> Any:
    rng = np.random.default_rng(len(shape))
    x = rng.integers(0, 2 if dtype == "?" else 100, shape).astype(dtype)
    if x.dtype.kind == "f":
        x[rng.random(shape) < 0.05] = np.nan
        x[rng.random(shape) < 0.05] = -np.inf
    return x


@pytest.mark.parametrize("dtype", ["f4", "i4", "u1", "?"])
def test_sort(ctx: Context, dtype: str) -> None:
    skip_on_the_stand_in(ctx.backend_name, unless=dtype == "f4")
    for shape in ((1,), (7,), (16,), (33,), (3, 40, 5), (1000,), (2, 1025), (0, 3), (3, 0)):
        x = data(dtype, *shape)
        g = ctx.alloc(shape, {"f4": "f32", "i4": "i32", "u1": "u8", "?": "bool"}[dtype])
        if x.size:
            g.upload(x)
        for axis in range(-x.ndim, x.ndim):
            check_bits(ug.sort(g, axis), np.sort(x, axis), f"{dtype} {shape} {axis}")
            order = np.argsort(x, axis, kind="stable")
            check_bits(ug.argsort(g, axis), order, f"{dtype} {shape} {axis}")
            if dtype != "?":
                key = x.astype("f8")
                key = np.where(np.isnan(key), -np.inf, np.where(np.isinf(key), 1e9, -key))
                order = np.argsort(key, axis, kind="stable")
                check_bits(g.argsort(axis, descending=True), order, f"{dtype} {shape} {axis} down")
    check_bits(ug.sort(g.T, 0), np.sort(x.T, 0), "transposed")


def test_sort_many(ctx: Context) -> None:
    x = np.random.default_rng(1).standard_normal(100_001).astype("f4")
    check_bits(ug.sort(ctx.alloc_upload(x)), np.sort(x), "many")


@pytest.mark.parametrize("dtype", ["f4", "i8"])
def test_search(ctx: Context, dtype: str) -> None:
    skip_on_the_stand_in(ctx.backend_name, unless=dtype == "f4")
    x, values = np.sort(data(dtype, 300)), data(dtype, 4, 50)
    for side in ("left", "right"):
        found = ug.searchsorted(ctx.alloc_upload(x), ctx.alloc_upload(values), side=side)  # type: ignore[arg-type]
        check_bits(found, np.searchsorted(x, values, side), side)  # type: ignore[call-overload]
    with pytest.raises(ValueError, match="one axis is searched"):
        ug.searchsorted(ctx.alloc_upload(values), ctx.alloc_upload(values))


@pytest.mark.parametrize("dtype", ["f4", "i4", "?"])
def test_unique(ctx: Context, dtype: str) -> None:
    skip_on_the_stand_in(ctx.backend_name, unless=dtype == "f4")
    x = data(dtype, 30, 40)
    wanted = np.unique(x, return_index=True, return_inverse=True, return_counts=True)
    found = ug.unique(ctx.alloc_upload(x), return_index=True, return_inverse=True, return_counts=True)
    for ours, theirs, told in zip(found, wanted, ("values", "index", "inverse", "counts"), strict=True):
        check_bits(ours, theirs, told)
    nan = np.unique(x, equal_nan=False)
    check_bits(ug.unique(ctx.alloc_upload(x), equal_nan=False), nan, "NaN")
    assert ug.unique(ctx.alloc((0,))).shape == (0,)


PHILOX = [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]
"""Of counter 0 and key 0, as the known answers of Random123 have it."""


def test_bits_are_those_of_philox(ctx: Context) -> None:
    random = Random(ctx, 0)
    assert random.bits(4).tolist() == PHILOX
    random.seed(0)
    assert random.bits(3).tolist() + random.bits(2).tolist()[:1] != PHILOX
    generator = np.random.Philox(key=7, counter=[2**64 - 1] * 4)
    assert generator is not None
    ctx.random.seed(7)
    again = ctx.random.bits((5, 3)).tolist()
    ctx.random.seed(7)
    assert ctx.random.bits((5, 3)).tolist() == again
    assert ctx.random.bits(0).shape == (0,)
    with pytest.raises(ValueError, match="a seed is a whole number"):
        ctx.random.seed(-1)


def test_the_same_numbers_on_every_device(ctx: Context, cpu: Context) -> None:
    for context in (ctx, cpu):
        context.random.seed(12345)
    for draw in (
        lambda r: r.uniform((3, 5)),
        lambda r: r.uniform(7, -1, 3, "f64"),
        lambda r: r.normal(1001),
        lambda r: r.normal(11, 5, 2, "f64"),
        lambda r: r.integers(-5, 5, (2, 9), "i8"),
        lambda r: r.permutation(100),
    ):
        check_bits(draw(ctx.random), np.asarray(draw(cpu.random).download()), "random")


def test_distributions(cpu: Context) -> None:
    random = Random(cpu, 3)
    x = random.uniform(100_000, 2, 4).download()
    assert (x.min() >= 2, x.max() < 4) == (True, True)
    assert abs(x.mean() - 3) < 0.01
    y = random.normal(100_000, 1, 2).download()
    assert abs(y.mean() - 1) < 0.03
    assert abs(y.std() - 2) < 0.03
    i = random.integers(-2, 3, 100_000).download()
    assert np.abs(np.bincount(i + 2) - 20_000).max() < 700
    assert sorted(random.permutation(1000).tolist()) == list(range(1000))
    for wrong in (lambda: random.integers(3, 3, 1), lambda: random.integers(0, 2**70, 1)):
        with pytest.raises(ValueError, match="there are no whole numbers, or too many"):
            wrong()
    with pytest.raises(OverflowError, match="does not fit in u8"):
        random.integers(0, 300, 4, "u8")
    with pytest.raises(TypeError, match="fractions are not i32"):
        random.uniform(3, dtype="i32")


def test_many_rows(ctx: Context) -> None:
    """More than one launch has."""
    skip_on_the_stand_in(ctx.backend_name, unless=False)
    x = np.random.default_rng(1).integers(0, 100, (70_000, 20)).astype("i4")
    g = ctx.alloc_upload(x)
    check_bits(ug.sort(g, 1), np.sort(x, 1), "sort")
    check_bits(ug.argsort(g[:, ::2], 1), np.argsort(x[:, ::2], 1, kind="stable"), "argsort")
    check_bits(ug.prod(g, 1), x.prod(1), "prod")
    check_bits(g.argmax(1), x.argmax(1), "argmax")
    check_bits(ug.cumulative_sum(g, 1), x.cumsum(1), "cumulative_sum")
    check_bits(ug.flip(g, 0), np.flip(x, 0), "flip")
    check_bits(g[g[:, 0] > 50], x[x[:, 0] > 50], "mask")
    check_bits(g[:, :3].mT @ g[:, 3:5], x[:, :3].T @ x[:, 3:5], "product")
    check_bits((g[:, :2] + g[:, 2:4]) // 3, (x[:, :2] + x[:, 2:4]) // 3, "elements")
