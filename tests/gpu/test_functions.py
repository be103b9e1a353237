"""Elementwise functions and operators against NumPy: dtypes, bits where they are exact, values elsewhere."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import unified_gpu as ug
from tests.gpu.places import skip_on_the_stand_in
from tests.gpu.test_random_operations import ALL, FRACTIONS, NUMPY, TOLERANCE, WHOLE, check_bits, check_close
from unified_gpu import Context

EXACT = {
    "square": ALL,
    "sign": ALL,
    "logical_not": ALL,
    "bitwise_invert": (*WHOLE, "bool"),
    "reciprocal": FRACTIONS,
} | dict.fromkeys("signbit isnan isinf isfinite floor ceil trunc round".split(), ALL)
INEXACT = "sin cos tan asin acos atan sinh cosh asinh acosh atanh exp2 expm1 log2 log10 log1p exp log sqrt tanh".split()
BINARY = {
    "floor_divide": ALL, "remainder": ALL, "copysign": ALL, "bitwise_and": (*WHOLE, "bool"),
    "bitwise_or": (*WHOLE, "bool"), "bitwise_xor": (*WHOLE, "bool"), "bitwise_left_shift": WHOLE,
    "bitwise_right_shift": WHOLE, "logical_and": ALL, "logical_or": ALL, "logical_xor": ALL, "add": ALL, "sub": ALL,
    "mul": ALL, "divide": ALL, "eq": ALL, "lt": ALL, "ge": ALL,
}  # fmt: skip
THEIRS = {
    "asin": "arcsin", "acos": "arccos", "atan": "arctan", "asinh": "arcsinh", "acosh": "arccosh", "atanh": "arctanh",
    "bitwise_left_shift": "left_shift", "bitwise_right_shift": "right_shift", "atan2": "arctan2", "sub": "subtract",
    "mul": "multiply", "eq": "equal", "lt": "less", "ge": "greater_equal",
}  # fmt: skip
NOT_OF_BOOLS = ("square", "sign", "floor_divide", "remainder", "add", "sub", "mul")
SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, 0.5, -0.5, 1.5, 2.5, -2.5, -1.0, 1.0]
PAIRS = [("f32", "f32"), ("i32", "f32"), ("u8", "i8"), ("i32", "i64"), ("u32", "i32"), ("bool", "i16"), ("f16", "i8"),
         ("f64", "f32"), ("i8", "i8"), ("u16", "u16"), ("i64", "i64"), ("bool", "bool"), ("bool", "f32")]  # fmt: skip
COUNT = 200


def data(dtype: str, seed: int = 1) -> Any:
    rng = np.random.default_rng(seed)
    if dtype == "bool":
        return rng.integers(0, 2, COUNT).astype("?")
    if dtype in FRACTIONS:
        x = rng.standard_normal(COUNT) * 3
        return np.where(rng.random(COUNT) < 0.3, rng.choice(SPECIAL, COUNT), x).astype(NUMPY[dtype])
    limits = np.iinfo(NUMPY[dtype])
    few = rng.integers(0 if limits.min == 0 else -7, 7, COUNT).astype(NUMPY[dtype])
    full = rng.integers(limits.min, limits.max, COUNT, NUMPY[dtype], endpoint=True)
    return np.where(rng.random(COUNT) < 0.6, few, full)


def of_numpy(name: str, *operands: Any) -> Any:
    if name == "signbit":
        operands = tuple(x if x.dtype.kind == "f" else x.astype("f8") for x in operands)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return np.asarray(getattr(np, THEIRS.get(name, name))(*operands))


@pytest.mark.quick(8)
@pytest.mark.parametrize("dtype", ("f32", "i32", "u8", "bool", "f16", "f64", "i64", "i8", "i16", "u16", "u32", "u64"))
def test_functions_of_one_array(ctx: Context, dtype: str) -> None:
    skip_on_the_stand_in(ctx.backend_name, unless=dtype == "f32")
    x = data(dtype)
    g = ctx.alloc_upload(x)
    for name, dtypes in EXACT.items():
        if dtype not in dtypes or (dtype == "bool" and name in (*NOT_OF_BOOLS, "round")):
            continue
        check_bits(getattr(ug, name)(g), of_numpy(name, x), f"{name} of {dtype}")
    if dtype in WHOLE:  # large angles are for no device exact
        x = x % np.array(100, x.dtype)
        g = ctx.alloc_upload(x)
    for name in INEXACT:
        wanted = of_numpy(name, x)
        found = getattr(ug, name)(g)
        assert np.asarray(found.download()).dtype == wanted.dtype, name
        check_close(found, wanted, f"{name} of {dtype}", 4 * TOLERANCE[f"f{8 * wanted.dtype.itemsize}"])


@pytest.mark.quick(6)
@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_functions_of_two_arrays(ctx: Context, first: str, second: str) -> None:
    skip_on_the_stand_in(ctx.backend_name, unless=(first, second) == ("i32", "f32"))
    x, y = data(first), data(second, 2)
    g, h = ctx.alloc_upload(x), ctx.alloc_upload(y)
    for name, dtypes in BINARY.items():
        if first not in dtypes or second not in dtypes:
            continue
        if first == second == "bool" and name in NOT_OF_BOOLS:
            with pytest.raises(TypeError, match="not for bool"):
                getattr(ug, name)(g, h)
            continue
        check_bits(getattr(ug, name)(g, h), of_numpy(name, x, y), f"{name} of {first} and {second}")


def test_close_functions_of_two_arrays(ctx: Context) -> None:
    x, y = data("f32"), data("f32", 2)
    for name in ("atan2", "hypot", "logaddexp"):
        found = getattr(ug, name)(ctx.alloc_upload(x), ctx.alloc_upload(y))
        check_close(found, of_numpy(name, x, y), name, 1e-5)


OPERATORS: tuple[Callable[[Any, Any], Any], ...] = (
    operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.and_,
    operator.or_, operator.xor, operator.lshift, operator.rshift, operator.lt, operator.eq,
)  # fmt: skip


@pytest.mark.parametrize(
    ("dtype", "number"), [("i32", 3), ("i32", 2.5), ("u8", 7), ("f32", -3), ("bool", 2), ("f16", 0.5)]
)
def test_operators_with_numbers(ctx: Context, dtype: str, number: Any) -> None:
    skip_on_the_stand_in(ctx.backend_name, unless=dtype == "u8")
    x = data(dtype)
    g = ctx.alloc_upload(x)
    with np.errstate(all="ignore"):
        for operation in OPERATORS:
            for sides, ours in (((x, number), (g, number)), ((number, x), (number, g))):
                try:
                    wanted = operation(*sides)
                except TypeError:
                    with pytest.raises(TypeError):
                        operation(*ours)
                else:
                    check_bits(operation(*ours), wanted, f"{operation} of {sides[0]} and {sides[1]}")


def test_operators_in_place(ctx: Context) -> None:
    skip_on_the_stand_in(ctx.backend_name, unless=False)
    for dtype, operand in (("i32", 3), ("f32", 2), ("f32", np.arange(1, 1 + COUNT, dtype="i4")), ("u8", 3)):
        x = data(dtype)
        g = h = ctx.alloc_upload(x)
        other = operand if isinstance(operand, int) else ctx.alloc_upload(operand)
        names = ["iadd", "isub", "imul", "ifloordiv", "imod"]
        names += ["iand", "ior", "ixor", "ilshift", "irshift"] if dtype != "f32" else ["itruediv"]
        with np.errstate(all="ignore"):
            for name in names:
                x = getattr(operator, name)(x, operand)
                g = getattr(operator, name)(g, other)
                assert g is h
                check_bits(g, x, f"{name} of {dtype}")


def test_signs_and_limits(ctx: Context) -> None:
    x = data("f32")
    g = ctx.alloc_upload(x)
    check_bits(+g, x, "positive")
    check_bits(~(g > 0), ~(x > 0), "not")
    for low, high in ((-1, 1), (None, 0.5), (0, None)):
        check_bits(ug.clip(g, low, high), np.clip(x, low, high), f"clip {low} {high}", signs=False)
    bound = data("f32", 2)
    check_bits(ug.clip(g, ctx.alloc_upload(bound)), np.clip(x, bound, None), "clip", signs=False)
    assert [each.tolist() for each in divmod(ctx.alloc_upload([7, -7]), 2)] == [[3, -4], [1, 1]]


def test_whole_numbers_beyond_a_dtype_are_compared(ctx: Context) -> None:
    x = data("u8")
    g = ctx.alloc_upload(x)
    for number in (-1, 256, 10**30, -(10**30)):
        for compare in (operator.lt, operator.le, operator.eq, operator.ne, operator.gt, operator.ge):
            check_bits(compare(g, number), compare(x, number), f"{compare} {number}")
            check_bits(compare(number, g), compare(number, x), f"{number} {compare}")


def test_i64_and_u64_are_compared_exactly(ctx: Context) -> None:
    skip_on_the_stand_in(ctx.backend_name, unless=False)
    x = np.array([-1, 0, 2**63 - 1, 2**62, 5], "i8")
    y = np.array([2**64 - 1, 0, 2**63, 2**62 + 1, 5], "u8")
    g, h = ctx.alloc_upload(x), ctx.alloc_upload(y)
    for compare in (operator.lt, operator.le, operator.eq, operator.ne, operator.gt, operator.ge):
        check_bits(compare(g, h), compare(x, y), f"{compare}")
        check_bits(compare(h[:, None], g), compare(y[:, None], x), f"{compare}")


def test_bf16(cpu: Context) -> None:
    x = cpu.alloc_upload([1.5, -2.25, 0.5], "bf16")
    assert ug.floor(x).dtype == "bf16"
    assert (x // 1).tolist() == [1, -3, 0]
    assert ug.clip(x, 0, 1).tolist() == [1, 0, 0.5]
    assert ug.isnan(x).tolist() == [False] * 3
    assert (x + cpu.alloc_upload([1, 1, 1], "i8")).dtype == "bf16"
    assert (x + cpu.alloc_upload([1, 1, 1], "f16")).dtype == "f32"
