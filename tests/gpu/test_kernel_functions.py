"""Functions of fractions in kernels: which there are, which are exact, and how large the error of the others is."""

from __future__ import annotations

import math
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests import processes
from tests.gpu.places import ROOT
from unified_gpu import Array, Context, KernelSourceError, PythonKernel, dtypes, f32, f64, global_id, kernel, rsqrt
from unified_gpu.kernels.compiler.front_end.calls import ONE, ROUNDING, TESTS, TWO
from unified_gpu.kernels.decorated.definition import Mathematics

OVER_VULKAN = pytest.mark.parametrize("backend", ["vulkan"], indirect=True)
"""Elsewhere the functions are the platform's."""
EXACT = "// % fmod copysign".split()


@kernel
def divisions(a: Array, b: Array, out: Array):
    i = global_id(0)
    out[0, i] = a[i] // b[i]
    out[1, i] = a[i] % b[i]
    out[2, i] = math.fmod(a[i], b[i])
    out[3, i] = math.copysign(a[i], b[i])


@kernel(math="fast")
def fast_divisions(a: Array[f32, 1], b: Array[f32, 1], out: Array[f32, 2]):
    i = global_id(0)
    out[0, i] = a[i] // b[i]
    out[1, i] = a[i] % b[i]


def operands(dtype: str) -> tuple[Any, Any]:
    """Special values with each other, pairs of usual numbers, of numbers of any size, and large whole quotients."""
    rng, limits = np.random.default_rng(3), np.finfo(dtype)
    special = [0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 3, 0.1, -0.3, limits.max, -limits.max, limits.tiny, limits.eps]
    some = np.array([*special, limits.smallest_subnormal, -limits.smallest_subnormal, limits.tiny * 3 / 2], dtype)
    bits = rng.integers(0, 256, (2, 2000 * some.itemsize), "u1").view(dtype)
    tenth = np.array(0.1, dtype)
    whole = rng.integers(1, 600, 1000).astype(dtype)
    a = [np.repeat(some, len(some)), rng.standard_normal(2000).astype(dtype) * 50, bits[0], whole * tenth]
    b = [np.tile(some, len(some)), rng.standard_normal(2000).astype(dtype), bits[1], np.full(1000, tenth)]
    with np.errstate(all="ignore"):
        return np.concatenate(a), np.concatenate(b)


def bits(a: Any) -> Any:
    """The bits of numbers; every NaN is the same."""
    a = np.where(np.isnan(a), np.array(np.nan, a.dtype), a)
    return a.view(f"u{a.itemsize}")


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_divisions_of_fractions_give_the_bits_of_numpy(ctx: Context, dtype: str) -> None:
    a, b = operands(dtype)
    out = ctx.alloc_zeros((4, len(a)), a.dtype)
    ctx.launch(divisions, len(a), [ctx.alloc_upload(a), ctx.alloc_upload(b), out])
    with np.errstate(all="ignore"):
        wanted = [a // b, a % b, np.fmod(a, b), np.copysign(a, b)]
    for name, found, right in zip(EXACT, out.download(), wanted, strict=True):
        wrong = np.flatnonzero(bits(found) != bits(right))[:3]
        assert not len(wrong), f"{name}: {[(a[k], b[k], found[k], right[k]) for k in wrong]}"


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_the_reference_divides_as_numpy_does(dtype: str) -> None:
    a, b = (each[::7] for each in operands(dtype))
    out = np.zeros((4, len(a)), dtype)
    divisions.reference(len(a), [a, b, out])
    with np.errstate(all="ignore"):
        wanted = np.stack([a // b, a % b, np.fmod(a, b), np.copysign(a, b)])
    np.testing.assert_array_equal(bits(out), bits(wanted))


def test_divisions_of_fast_mathematics(ctx: Context) -> None:
    a, b = np.array([1.0, -7.0, 6.5, 1e6], "f4"), np.array([0.1, 2.0, -2.0, 0.3], "f4")
    out = ctx.alloc_zeros((2, 4))
    ctx.launch(fast_divisions, 4, [ctx.alloc_upload(a), ctx.alloc_upload(b), out])
    np.testing.assert_allclose(out.download(), [a // b, a % b], rtol=1e-6)


# --- the error of the others


def applied(function: Any, two: bool) -> PythonKernel:
    """A kernel that applies a function to each element."""

    @kernel
    def of_two(x: Array, y: Array, out: Array):
        i = global_id(0)
        out[i] = function(x[i], y[i])

    @kernel
    def of_one(x: Array, y: Array, out: Array):
        i = global_id(0)
        out[i] = function(x[i])

    return of_two if two else of_one


ALL = np.concatenate([np.linspace(-10, 10, 2001), np.geomspace(1e-30, 1e30, 601), -np.geomspace(1e-30, 1e30, 601)])
WITHIN = np.concatenate([np.linspace(-1, 1, 2001), np.geomspace(1e-30, 1, 301), -np.geomspace(1e-30, 1, 301)])
POWERS = np.concatenate([np.linspace(-85, 85, 2001), np.geomspace(1e-30, 80, 301), -np.geomspace(1e-30, 80, 301)])
POSITIVE = np.concatenate([np.geomspace(1e-37, 1e38, 2001), np.linspace(0.5, 2, 1001)])
ANGLES = np.concatenate([np.linspace(-10, 10, 2001), np.geomspace(1e-30, 1, 301)])
ERRORS: dict[str, tuple[Any, float]] = {
    "asin": (WITHIN, 4), "acos": (WITHIN, 4), "atan": (ALL, 4), "tanh": (ALL, 4), "asinh": (ALL, 4),
    "acosh": (np.concatenate([1 + np.geomspace(1e-7, 10, 500), np.geomspace(1, 1e38, 500)]), 4), "atanh": (WITHIN, 4),
    "expm1": (POWERS / 40, 4), "log1p": (np.concatenate([WITHIN[WITHIN > -0.999], POSITIVE]), 4),
    "sinh": (POWERS, 4), "cosh": (POWERS, 4), "exp": (POWERS, 4), "exp2": (POWERS, 10),
    "sin": (ANGLES, 4), "cos": (ANGLES, 4), "tan": (ANGLES, 4), "hypot": (ALL * 1e8, 4), "atan2": (ALL, 4),
    "log": (POSITIVE, 4), "log2": (POSITIVE, 4), "log10": (POSITIVE, 4), "pow": (np.geomspace(0.01, 100, 2001), 16),
}  # fmt: skip
"""For which arguments, and how many units in the last place: what docs/gpu/kernels.md says."""
NUMPY = {name: f"arc{name[1:]}" for name in "asin acos atan atan2 asinh acosh atanh".split()} | {"pow": "power"}


@OVER_VULKAN
@pytest.mark.parametrize("name", ERRORS)
def test_errors_are_as_documented(ctx: Context, name: str) -> None:
    places, allowed = ERRORS[name]
    x = places.astype("f4")
    y = np.random.default_rng(1).permutation(x) if name != "pow" else np.random.default_rng(1).uniform(-1, 1, len(x))
    y = y.astype("f4")
    out = ctx.alloc_zeros(len(x))
    ctx.launch(applied(getattr(math, name), name in TWO), len(x), [ctx.alloc_upload(x), ctx.alloc_upload(y), out])
    with np.errstate(all="ignore"):
        args = (x.astype("f8"), y.astype("f8"))[: 1 + (name in TWO)]
        right = getattr(np, NUMPY.get(name, name))(*args)
        unit = np.spacing(np.abs(right).astype("f4")).astype("f8")
        found = out.download().astype("f8")
        error = np.abs(found - right)
        worst = np.where(found == right.astype("f4"), 0, error / unit)
        worst[(np.abs(right) < 2e-38)] = 0  # may be 0
    at = int(np.argmax(np.where(np.isnan(worst), np.inf, worst)))
    assert worst[at] <= allowed, f"{name}({x[at]}, {y[at]}) is {right[at]}, not {found[at]}: {worst[at]:.1f} ulp"


@OVER_VULKAN
def test_hypot_of_f64_does_not_overflow(ctx: Context) -> None:
    x = np.concatenate([np.geomspace(1e-300, 1e300, 2001), [3.0, 0.0, 5e-324, 1.7e308]])
    y = np.concatenate([np.random.default_rng(1).permutation(x[:2001]), [4.0, 0.0, 0.0, 1e307]])
    out = ctx.alloc_zeros(len(x), "f64")
    ctx.launch(applied(math.hypot, True), len(x), [ctx.alloc_upload(x), ctx.alloc_upload(y), out])
    np.testing.assert_allclose(out.download(), np.hypot(x, y), rtol=1e-15, atol=0)


WIDE = np.concatenate([np.linspace(-10, 10, 2001), np.geomspace(1e-300, 1e300, 601), -np.geomspace(1e-300, 1e300, 601)])
PART = np.concatenate([np.linspace(-1, 1, 2001), np.geomspace(1e-300, 1, 301), -np.geomspace(1e-300, 1, 301)])
EXPONENTS = np.concatenate([np.linspace(-705, 705, 2001), np.linspace(-3, 3, 1001), np.geomspace(1e-300, 700, 301)])
SIZES = np.concatenate([np.geomspace(1e-307, 1e308, 2001), np.linspace(0.5, 2, 1001), np.geomspace(5e-324, 1e-307, 50)])
TURNS = np.concatenate(
    [np.linspace(-1e6, 1e6, 2001), np.arange(-999, 999) * (math.pi / 2), np.geomspace(1e-300, 2e9, 999)]
)
OF_F64: dict[str, Any] = {
    "asin": PART, "acos": PART, "atan": WIDE, "atan2": WIDE, "tanh": WIDE, "asinh": WIDE, "atanh": PART,
    "acosh": np.concatenate([1 + np.geomspace(1e-15, 10, 500), np.geomspace(1, 1e308, 500)]),
    "sin": TURNS, "cos": TURNS, "tan": TURNS, "sinh": EXPONENTS, "cosh": EXPONENTS, "exp": EXPONENTS,
    "exp2": EXPONENTS * 1.4, "expm1": EXPONENTS, "log": SIZES, "log2": SIZES, "log10": SIZES,
    "log1p": np.concatenate([PART[PART > -0.9999], SIZES]), "pow": np.geomspace(1e-300, 1e300, 3001),
}  # fmt: skip


@OVER_VULKAN
@pytest.mark.skipif(np.finfo(np.longdouble).nmant < 63, reason="no numbers here that are longer than f64")
@pytest.mark.parametrize("name", OF_F64)
def test_errors_of_f64_are_at_most_4_ulp(ctx: Context, name: str) -> None:
    x, rng = OF_F64[name], np.random.default_rng(1)
    y = rng.permutation(x)
    if name == "pow":  # results of all sizes
        y = rng.uniform(-700, 700, len(x)) / np.maximum(np.abs(np.log(x)), 1e-3)
    out = ctx.alloc_zeros(len(x), "f64")
    ctx.launch(applied(getattr(math, name), name in TWO), len(x), [ctx.alloc_upload(x), ctx.alloc_upload(y), out])
    found = out.download()
    with np.errstate(all="ignore"):
        right = getattr(np, NUMPY.get(name, name))(*(each.astype("g") for each in (x, y)[: 1 + (name in TWO)]))
        nearest = right.astype("f8")
        error = np.abs((found.astype("g") - right) / np.spacing(np.abs(nearest))).astype("f8")
    error = np.where(found == nearest, 0, np.where(np.isnan(error), np.inf, error))
    at = int(np.argmax(error))
    assert error[at] <= 4, f"{name}({x[at]}, {y[at]}) is {right[at]}, not {found[at]}: {error[at]:.1f} ulp"


@OVER_VULKAN
@pytest.mark.parametrize("name", OF_F64)
def test_special_values_of_f64(ctx: Context, name: str) -> None:
    special = [*SPECIAL, 2.0, -2.0, 0.5, -0.5, 3.0, -3.0, 5e-324, -5e-324, 1.7e308, -1.7e308, 1e200, -1e200]
    special = [each for each in special if name not in ("sin", "cos", "tan") or not 1e199 < abs(each) < math.inf]
    x, y = (each.ravel() for each in np.meshgrid(*[np.array(special)] * 2))
    out = ctx.alloc_zeros(len(x), "f64")
    ctx.launch(applied(getattr(math, name), name in TWO), len(x), [ctx.alloc_upload(x), ctx.alloc_upload(y), out])
    with np.errstate(all="ignore"):
        right = getattr(np, NUMPY.get(name, name))(*(x, y)[: 1 + (name in TWO)])
    np.testing.assert_allclose(out.download(), right, rtol=1e-15)
    zeros = right == 0
    np.testing.assert_array_equal(np.signbit(out.download()[zeros]), np.signbit(right[zeros]))


@OVER_VULKAN
def test_angles_beyond_the_reduction(ctx: Context) -> None:
    """The error grows with the angle, as the page says."""
    x = np.geomspace(3e9, 1e14, 300)
    out = ctx.alloc_zeros(len(x), "f64")
    ctx.launch(applied(math.sin, False), len(x), [ctx.alloc_upload(x), ctx.alloc_upload(x), out])
    assert np.all(np.abs(out.download() - np.sin(x)) <= x * 2.0**-54 + 1e-15)


SPECIAL = [0.0, -0.0, math.inf, -math.inf, math.nan, 1.0, -1.0]


@OVER_VULKAN
@pytest.mark.parametrize(
    "name", "asin acos atan tanh asinh acosh atanh expm1 log1p sinh cosh exp log log2 log10 hypot atan2".split()
)
def test_special_values(ctx: Context, name: str) -> None:
    x, y = (each.ravel() for each in np.meshgrid(*[np.array(SPECIAL, "f4")] * 2))
    out = ctx.alloc_zeros(len(x))
    ctx.launch(applied(getattr(math, name), name in TWO), len(x), [ctx.alloc_upload(x), ctx.alloc_upload(y), out])
    with np.errstate(all="ignore"):
        right = getattr(np, NUMPY.get(name, name))(*(x, y)[: 1 + (name in TWO)])
    np.testing.assert_allclose(out.download(), right, rtol=1e-6)
    zeros = right == 0
    np.testing.assert_array_equal(np.signbit(out.download()[zeros]), np.signbit(right[zeros]))


def test_the_page_names_what_vulkan_has() -> None:
    text = (ROOT / "docs" / "gpu" / "kernels.md").read_text(encoding="utf-8")
    rows = text.split("| functions of `math` | cpu, CUDA | Vulkan |\n|---|---|---|\n")[1].split("\n\n")[0].splitlines()
    named: dict[str, list[str]] = {}
    for row in rows:
        functions, _, vulkan = (cell.strip().strip("`") for cell in row.strip("|").split("|"))
        for name in functions.replace("`, with `rsqrt` of `unified_gpu", " rsqrt").split():
            named[name] = vulkan.split()
    assert sorted(named) == sorted((*ONE, *TWO, *ROUNDING, *TESTS, "rsqrt"))
    for name, types in named.items():
        made = applied(rsqrt if name == "rsqrt" else getattr(math, name), name in TWO)
        assert [each for each in ("f16", "f32", "f64") if _is_on_vulkan(made, name, each)] == types, name


@pytest.mark.parametrize("math_", ["exact", "fast"])
def test_modules_with_functions_of_f64_are_valid(math_: Mathematics, tmp_path: Path) -> None:
    validator = shutil.which("spirv-val")
    if validator is None:
        pytest.skip("no spirv-val here; apt install spirv-tools")

    @kernel(math=math_)
    def everything(x: Array[f64, 1], y: Array[f64, 1]):
        i = global_id(0)
        a = math.sin(x[i]) + math.cos(x[i]) + math.tan(x[i]) + math.atan2(x[i], y[i]) + math.pow(x[i], y[i])
        a += math.asin(x[i]) + math.acos(x[i]) + math.sinh(x[i]) + math.cosh(x[i]) + math.tanh(x[i]) + math.asinh(a)
        a += math.acosh(x[i]) + math.atanh(x[i]) + math.exp2(x[i]) + math.expm1(x[i]) + math.log1p(x[i])
        y[i] = a + math.log2(x[i]) + math.log10(x[i])

    file = tmp_path / "kernel.spv"
    file.write_bytes(everything.spirv())
    done = processes.run([validator, "--target-env", "vulkan1.2", str(file)])
    assert (done.returncode, done.stderr) == (0, "")


def _is_on_vulkan(made: PythonKernel, name: str, of: str) -> bool:
    dtype = dtypes.DTYPES[of]
    gives = dtypes.i64 if name in ROUNDING else dtypes.bool_ if name in TESTS else dtype
    types = tuple((each, 1, False) for each in (dtype, dtype, gives))
    made.printed(made.specialised(types, 1), "cuda")
    try:
        made.module(made.specialised(types, 1))
    except KernelSourceError as error:
        assert f"Vulkan has no {name} for {of}" in str(error)
        return False
    return True
