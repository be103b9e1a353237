"""`@elementwise`: functions of numbers that are applied to arrays."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import unified_gpu as ug
from tests.limits import HANGS
from unified_gpu import Context, KernelSourceError, MixedContextsError, elementwise, f32, f64

SLOPE = 0.25


@elementwise
def gelu(x: float) -> float:
    return 0.5 * x * (1 + math.tanh(0.79788456 * (x + 0.044715 * x * x * x)))


@elementwise
def sum_and_order(a, b=2.0):
    return a + b, a > b


@elementwise
def leaky(x, slope: f32 = SLOPE):
    return x if x > 0 else slope * x


@elementwise(math="fast")
def axpy(a, x, y):
    return a * x + y


def data(*shape: int) -> Any:
    return np.random.default_rng(1).standard_normal(shape).astype("f4")


def gelu_of(x: Any) -> Any:
    return 0.5 * x * (1 + np.tanh(0.79788456 * (x + 0.044715 * x * x * x)))


def test_any_rank(ctx: Context) -> None:
    for shape in ((), (7,), (3, 5), (2, 3, 4), (2, 1, 3, 2, 2)):
        x = data(*shape)
        found = gelu(ctx.alloc_upload(x) if shape else ctx.alloc(1).fill(x.item())[0])
        assert found.shape == shape
        np.testing.assert_allclose(found.download(), gelu_of(x), rtol=1e-5, atol=1e-6)
    assert gelu(ctx.alloc((0, 3))).shape == (0, 3)


def test_views_and_broadcasting(ctx: Context) -> None:
    x, y = data(40, 50, 6), data(50, 6)
    g, h = ctx.alloc_upload(x), ctx.alloc_upload(y)
    twice = elementwise(lambda a, b: a * b - 1)
    for key in (slice(3, None, 2), (slice(None), slice(None, None, 7)), (..., 1), (None, slice(None))):
        np.testing.assert_array_equal(twice(g[key], 2).download(), x[key] * np.float32(2) - 1)
    np.testing.assert_array_equal(twice(g, h).download(), x * y - 1)
    np.testing.assert_array_equal(twice(g[:, :, :1], h[:1]).download(), x[:, :, :1] * y[:1] - 1)
    np.testing.assert_array_equal(twice(h.T, h[0, 0]).download(), y.T * y[0, 0] - 1)
    six = ctx.alloc_upload(data(2, 3, 2, 3, 2, 3))
    wanted = six.download()[:, ::2, :, ::2, :, ::2] * np.float32(3) - 1
    np.testing.assert_array_equal(twice(six[:, ::2, :, ::2, :, ::2], 3).download(), wanted)
    with pytest.raises(ValueError, match=r"shapes \[40, 50, 6\] and \[6, 50\] cannot be combined"):
        twice(g, h.T)


def test_several_results(ctx: Context) -> None:
    x = data(9)
    total, order = sum_and_order(ctx.alloc_upload(x))
    np.testing.assert_array_equal(total.download(), x + np.float32(2))
    np.testing.assert_array_equal(order.download(), x > 2)
    outs = ctx.alloc(9), ctx.alloc(9, "bool")
    assert sum_and_order(b=0, a=ctx.alloc_upload(x), out=outs) == outs
    np.testing.assert_array_equal(outs[1].download(), x > 0)
    with pytest.raises(TypeError, match="sum_and_order has 2 results, and `out` 1 arrays"):
        sum_and_order(ctx.alloc_upload(x), out=outs[0])


def test_dtypes_follow_numpy(ctx: Context) -> None:
    i, f = ctx.alloc_upload([1, 2], "i32"), ctx.alloc_upload([0.5, 1.5], "f32")
    add = elementwise(lambda a, b: a + b)
    assert add(i, f).dtype == f64
    assert add(i, 1).dtype == "i32"
    assert add(i, 1.5).tolist() == [2.5, 3.5]
    assert add(f, 1).dtype == f32
    assert add(i.cast("u8"), i.cast("i8")).dtype == "i16"
    assert leaky(i - 2).tolist() == [-0.25, 0.0]
    assert leaky(ctx.alloc_upload([-2, 2], "f16"), 0.5).tolist() == [-1, 2]


def test_half_floats_of_other_kinds(cpu: Context) -> None:
    x = cpu.alloc_upload([-1.0, 2.0], "bf16")
    found = leaky(x, 0.5)
    assert (found.dtype, found.tolist()) == ("bf16", [-0.5, 2])
    assert leaky(x, out=x) is x


def test_in_place(ctx: Context) -> None:
    x = data(30)
    g = ctx.alloc_upload(x)
    assert axpy(2, g, 1, out=g) is g
    np.testing.assert_allclose(g.download(), x * 2 + 1, rtol=1e-6, atol=1e-6)
    with pytest.raises(ValueError, match="written over an operand"):
        axpy(2, g[1:], 1, out=g[:-1])
    with pytest.raises(TypeError, match="the result is f32, and `out` has f64"):
        axpy(2, g, 1, out=ctx.alloc(30, "f64"))
    with pytest.raises(ValueError, match="two results of <lambda> would be written over each other"):
        elementwise(lambda x: (x, x + 1))(g, out=(g, g.reshape(30)))


def test_lambdas(ctx: Context) -> None:
    x = ctx.alloc_upload([-1.0, 2.0])
    first, second = elementwise(lambda x: x + 1), elementwise(lambda x: x if x > 0 else 0 * x)
    assert (first(x).tolist(), second(x).tolist()) == ([0, 3], [0, 2])
    factor = 3.0
    inner = [elementwise(lambda x: x * factor), elementwise(lambda x, y: (x, y))]
    assert inner[0](x).tolist() == [-3, 6]
    assert [each.tolist() for each in inner[1](x, x + 1)] == [[-1, 2], [0, 3]]
    made = elementwise((lambda: lambda x: -x)())
    assert made(x).tolist() == [1, -2]


def test_what_cannot_be(ctx: Context) -> None:
    x = ctx.alloc_upload([1.0])
    with pytest.raises(TypeError, match=r"gelu\(x: 'float'\) -> 'float': missing a required argument: 'x'"):
        gelu()
    with pytest.raises(TypeError, match="none of the operands is an array"):
        gelu(1.0)
    with pytest.raises(TypeError, match="an operand is a ndarray, not an array of a device"):
        sum_and_order(x, np.ones(1))
    with pytest.raises(TypeError, match="`slope` of leaky takes f32, and the array is f64"):
        leaky(x, ctx.alloc(1, "f64"))
    with pytest.raises(OverflowError, match="does not fit in f32"):
        sum_and_order(x, 1e300)
    with pytest.raises(KernelSourceError, match=r"(?s)nothing is not defined.*lambda x: x \+ nothing"):
        elementwise(lambda x: x + nothing)(x)  # type: ignore[name-defined] # noqa: F821
    with pytest.raises(TypeError, match="@elementwise decorates a function, not an int"):
        elementwise(3)  # type: ignore[call-overload]
    with pytest.raises(ValueError, match="the mathematics of a kernel is 'exact' or 'fast'"):
        elementwise(math="quick")  # type: ignore[call-overload]
    with Context(backend=ctx.backend_name) as other, pytest.raises(MixedContextsError):
        sum_and_order(x, other.alloc(1))


def test_a_function_without_a_result(ctx: Context) -> None:
    @elementwise
    def nothing(x):
        x = x + 1

    with pytest.raises(KernelSourceError, match="nothing returns nothing"):
        nothing(ctx.alloc(1))


TYPED = """
from __future__ import annotations

import math
from unified_gpu import Context, GpuArray, elementwise

@elementwise
def gelu(x: float) -> float:
    return 0.5 * x * (1 + math.erf(x / math.sqrt(2)))

@elementwise
def both(x: float, y: float = 1.0) -> tuple[float, float]:
    return x + y, x - y

def use(ctx: Context) -> None:
    y: GpuArray = gelu(ctx.alloc(3))
    a, b = both(y, 2.0)
    c: GpuArray = (a + b) // 2 & ctx.alloc(3)
    c[c > 0], c[::-1], c[[0, 1]] = 1, c, c[:2]
    print(c[:, None, [0]].argmax(0), c.sum((0, 1), keepdims=True), c.sort(), divmod(7, c))
    print(c, elementwise(lambda x: x + 1)(y).shape, elementwise(lambda x: (x, x + 1))(y)[0].shape)
"""


def test_types_check(tmp_path: Path) -> None:
    (tmp_path / "typed.py").write_text(TYPED, encoding="utf-8")
    for command in (["mypy", "--strict"], ["pyright"]):
        done = subprocess.run(
            [sys.executable, "-m", *command, str(tmp_path / "typed.py")],
            capture_output=True, text=True, timeout=HANGS, check=False,
        )  # fmt: skip
        if "No module named" in done.stderr:
            continue
        assert done.returncode == 0, done.stdout


def test_large_arrays_take_several_launches(cpu: Context) -> None:
    x = cpu.alloc((40_000, 2, 2)).fill(3)
    found = elementwise(lambda x: x + 1)(x[:, :, 0], out=cpu.alloc((40_000, 2)))
    assert (found.min().item(), found.max().item()) == (4, 4)
    assert ug.sum(found).item() == 320_000
