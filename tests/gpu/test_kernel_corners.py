"""Kernels written in Python that a backend once got wrong: each gives what the reference gives, on all of them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from tests.gpu.python_kernels import Case, of, whole, zeros
from tests.gpu.test_python_kernels import check
from unified_gpu import Array, Context, PythonKernel, device, f32, f64, global_id, i32, i64, kernel, u64


@kernel
def loops_after_each_other(c: Array[i32, 1], d: Array[i32, 1]):
    i = global_id(0)
    while c[i] < 4:
        c[i] += 1
    for _ in range(3):
        while d[i] % 5 < 4:
            d[i] += 1
        d[i] += 1


@device
def tick(c, i):
    c[i] += 1
    return c[i] - 1


@kernel
def loop_of_one_thread(c: Array[i32, 1]):
    while tick(c, 0) < 4:
        c[1] += 1
    for _ in range(tick(c, 2), 5):
        c[3] += tick(c, 4)


@kernel
def order_of_widened_numbers(a: Array[i32, 1], out: Array[i64, 2], large: Array[u64, 1]):
    i = global_id(0)
    x = i64(a[i])
    out[i, 0] = 1 if x < 0 else 0
    out[i, 1] = 1 if x >= 5 else 0
    out[i, 2] = abs(x)
    out[i, 3] = max(-100, min(100, x))
    out[i, 4] = x // 3
    out[i, 5] = 1 if i64(a[i]) > -3 else 0
    large[i] = 1 if u64(a[i]) > 7 else 0


@kernel
def guarded_by_a_wide_number(x: Array[f32, 1]):
    i = i64(global_id(0))
    if i < 5:
        x[i] = f32(i)


@kernel
def extremes_of_bools(a: Array[bool, 1], b: Array[bool, 1], out: Array[bool, 2]):
    i = global_id(0)
    out[i, 0] = min(a[i], b[i])
    out[i, 1] = max(a[i], b[i])


MINUS_ZERO, LARGEST = -0.0, 3.4028235e38  # which f32 rounds to its largest number


@kernel
def signs_of_constants(out: Array[f32, 1], wide: Array[f64, 1]):
    out[0] = -f32(MINUS_ZERO)
    out[1] = f32(MINUS_ZERO)
    out[2] = LARGEST
    wide[0] = -f64(-0.0)


def bools(size: int) -> Any:
    return lambda rng: rng.integers(0, 2, size).astype(bool)


CORNERS = [
    *(
        Case(loops_after_each_other, size, of(*[zeros(size, dtype="i4")] * 2), local, name=f"loops of {size}, {local}")
        for size, local in ((3, None), (10, None), (257, None), (20, 10), (5, 1))
    ),
    Case(loop_of_one_thread, 1, of(zeros(5, dtype="i4"))),
    Case(order_of_widened_numbers, 40, of(whole(-9, 9, 40), zeros(40, 6, dtype="i8"), zeros(40, dtype="u8"))),
    Case(guarded_by_a_wide_number, 9, of(zeros(9))),
    Case(extremes_of_bools, 30, of(bools(30), bools(30), zeros(30, 2, dtype="bool"))),
    Case(signs_of_constants, 1, of(zeros(3), zeros(1, dtype="f8"))),
]


@pytest.mark.parametrize("case", CORNERS, ids=str)
def test_the_same_as_the_reference(ctx: Context, case: Case) -> None:
    check(ctx, case)


@kernel
def powers(x: Array[f32, 1], y: Array[f32, 1], out: Array[f32, 2]):
    i = global_id(0)
    out[i, 0] = x[i] ** y[i]
    out[i, 1] = x[i] ** 3
    out[i, 2] = x[i] ** -1
    out[i, 3] = x[i] ** 0


def test_powers_of_negative_numbers_and_of_none(ctx: Context) -> None:
    """As Python and NumPy have them; what a driver has of powers is for numbers above 0 only."""
    numbers = [0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 0.5, -3.0, math.inf, -math.inf, math.nan]
    exponents = [0.0, 1.0, -1.0, 2.0, 3.0, -3.0, 0.5, -0.5, 16777216.0, math.inf, -math.inf, math.nan]
    x, y = (each.ravel().astype("f4") for each in np.meshgrid(numbers, exponents))
    out = ctx.alloc_zeros((x.size, 4))
    ctx.launch(powers, x.size, [ctx.alloc_upload(x), ctx.alloc_upload(y), out])
    with np.errstate(all="ignore"):
        wanted = np.stack([x**y, x ** np.float32(3), x ** np.float32(-1), x ** np.float32(0)], axis=1)
    found = np.asarray(out.download())
    np.testing.assert_allclose(found, wanted, rtol=3e-6)
    np.testing.assert_array_equal(np.signbit(found[~np.isnan(found)]), np.signbit(wanted[~np.isnan(wanted)]))


def test_a_module_asks_that_zeros_and_infinities_are_kept() -> None:
    """Of the widths of fractions that it has, where its mathematics is exact."""

    def half(x: Array, n: int):
        x[global_id(0)] *= 0.5

    def modes(made: PythonKernel, dtype: Any) -> set[int]:
        words = np.frombuffer(made.spirv(Array[dtype, 1], i32), np.uint32)
        return {
            int(words[at + 3]) for at in range(len(words) - 3) if words[at] == 4 << 16 | 16 and words[at + 2] == 4461
        }

    assert modes(kernel(half), f32) == {32} and modes(kernel(half), f64) == {64}
    assert modes(kernel(math="fast")(half), f32) == set()
