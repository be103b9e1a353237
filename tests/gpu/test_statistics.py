"""Statistics of arrays against NumPy: all axes, several, none; views; large arrays; NaN and what is empty."""

from __future__ import annotations

import warnings
from itertools import combinations
from typing import Any

import numpy as np
import pytest

import unified_gpu as ug
from tests.gpu.places import skip_on_the_stand_in
from tests.gpu.test_random_operations import check_bits
from unified_gpu import Context, GpuArray

SPECIAL = [0.0, -0.0, np.nan, np.inf]


def drawn(dtype: str, shape: tuple[int, ...], *, special: bool = False) -> Any:
    rng = np.random.default_rng(len(shape))
    if dtype == "?":
        return rng.integers(0, 2, shape).astype("?")
    x = rng.integers(-3 if dtype[0] != "u" else 0, 4, shape).astype(dtype)
    return np.where(rng.random(shape) < 0.05, rng.choice(SPECIAL, shape), x).astype(dtype) if special else x


def views(ctx: Context, x: Any) -> list[tuple[Any, GpuArray]]:
    g = ctx.alloc_upload(x)
    found = [(x, g)]
    if x.ndim > 1:
        found += [(x[..., ::2], g[..., ::2]), (x.swapaxes(-1, -2), g.mT)]
    return found


def axes_of(ndim: int) -> list[Any]:
    return [None, *range(-ndim, ndim), *combinations(range(ndim), 2), ()]


@pytest.mark.parametrize("dtype", ["f4", "i4", "?", "u1"])
def test_of_axes(ctx: Context, dtype: str) -> None:
    skip_on_the_stand_in(ctx.backend_name, unless=dtype == "f4")
    for x, g in views(ctx, drawn(dtype, (3, 4, 5))):
        for axis in axes_of(3):
            for keepdims in (False, True):
                for name in ("any", "all", "max", "min"):
                    wanted = np.asarray(getattr(x, name)(axis, keepdims=keepdims))
                    told = f"{name} {axis} of {x.strides}"
                    check_bits(getattr(ug, name)(g, axis, keepdims=keepdims), wanted, told, signs=False)
                for name in ("sum", "prod"):
                    wanted = np.asarray(getattr(x, name)(axis, keepdims=keepdims))
                    check_bits(getattr(ug, name)(g, axis, keepdims=keepdims), wanted, f"{name} {axis}", signs=False)


@pytest.mark.parametrize("dtype", ["f4", "i4", "f2", "f8"])
def test_variance(ctx: Context, dtype: str) -> None:
    skip_on_the_stand_in(ctx.backend_name, unless=dtype == "f4")
    tolerance = {"f2": 3e-3, "f4": 2e-6}.get(dtype, 1e-12)
    for x, g in views(ctx, drawn(dtype, (3, 4, 5))):
        for axis in axes_of(3)[:-1]:
            for name in ("var", "std"):
                for correction in (0, 1):
                    wanted = np.asarray(getattr(x, name)(axis, ddof=correction))
                    found = np.asarray(getattr(g, name)(axis, correction=correction).download())
                    assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
                    np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("dtype", ["f4", "i4", "u1", "?"])
def test_places_of_extremes(ctx: Context, dtype: str) -> None:
    skip_on_the_stand_in(ctx.backend_name, unless=dtype == "f4")
    for shape in ((7,), (3, 4, 5), (2, 3000), (3000, 2), (70_001,)):
        for x, g in views(ctx, drawn(dtype, shape, special=dtype == "f4")):
            for axis in (None, *range(-x.ndim, x.ndim)):
                for name in ("argmax", "argmin"):
                    wanted = np.asarray(getattr(x, name)(axis))
                    check_bits(getattr(g, name)(axis), wanted, f"{name} {axis} of {dtype} {x.shape}")
    kept = ctx.alloc_upload(drawn(dtype, (3, 4))).argmax(1, keepdims=True)
    assert kept.shape == (3, 1)


@pytest.mark.parametrize("dtype", ["f4", "i4", "?", "f2", "u2"])
def test_running_totals(ctx: Context, dtype: str) -> None:
    skip_on_the_stand_in(ctx.backend_name, unless=dtype == "f4")
    for shape in ((7,), (3, 4, 5), (2, 3000), (100_001,)):
        data = drawn(dtype, shape if dtype != "f2" else tuple(min(n, 100) for n in shape))
        for x, g in views(ctx, data):
            for axis in range(-x.ndim, x.ndim):
                wanted = x.cumsum(axis, dtype={"f": x.dtype, "u": "u8"}.get(x.dtype.kind, "i8"))
                check_bits(ug.cumulative_sum(g, axis), wanted, f"{dtype} {x.shape} {axis}", signs=False)
    x = drawn(dtype, (3, 4))
    g = ctx.alloc_upload(x)
    found = ug.cumulative_sum(g, 1, include_initial=True, dtype="f32")
    wanted = np.concatenate([np.zeros((3, 1)), x.cumsum(1, dtype="f4")], 1).astype("f4")
    check_bits(found, wanted, "with a 0 before", signs=False)
    check_bits(ug.cumulative_prod(g, 0, dtype="f32"), x.cumprod(0, dtype="f4"), "products", signs=False)
    with pytest.raises(ValueError, match=r"an array of shape \[3, 4\] needs an axis"):
        ug.cumulative_sum(g)


def test_large_arrays(ctx: Context) -> None:
    rng = np.random.default_rng(3)
    x = rng.integers(0, 2, 200_003).astype("i4")
    g = ctx.alloc_upload(x)
    check_bits(ug.prod(g * 2 - 1), np.asarray((x * 2 - 1).prod()), "prod")
    assert (g.any().item(), g.all().item(), (g < 2).all().item()) == (True, False, True)
    check_bits(ug.cumulative_sum(g), x.cumsum(dtype="i8"), "cumsum")
    np.testing.assert_allclose(g.cast("f32").var().item(), x.var(), rtol=1e-5)


def test_nothing(ctx: Context) -> None:
    empty = ctx.alloc((3, 0))
    assert ug.prod(empty, 1).tolist() == [1, 1, 1]
    assert (empty.any().item(), empty.all(1).tolist()) == (False, [True] * 3)
    assert ug.prod(empty, 0).shape == (0,)
    assert ug.cumulative_sum(empty, 1).shape == (3, 0)
    with pytest.raises(ValueError, match=r"argmax of an empty array, of shape \[3, 0\], is not defined"):
        empty.argmax(1)
    with warnings.catch_warnings():
        assert np.isnan(empty.var(1).download()).all()


def test_single_elements(ctx: Context) -> None:
    x = ctx.alloc_upload([2.5])[0]
    assert (ug.prod(x).item(), x.any().item(), x.argmax().item(), x.var().item()) == (2.5, True, 0, 0)
    with pytest.raises(ValueError, match="has no axis 0"):
        ug.prod(x, 0)
    with pytest.raises(ValueError, match=r"an axis is named twice in \(0, -1\)"):
        ctx.alloc(3).sum((0, -1))
