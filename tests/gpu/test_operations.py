"""Operations, checked against NumPy, over every dtype that has them."""

from __future__ import annotations

import builtins
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import unified_gpu as ug
from unified_gpu import Context, GpuArray
from unified_gpu.dtypes import DTYPES

NUMBERS = [name for name, dtype in DTYPES.items() if dtype.numpy and name != "bool"]
FLOATS = ["f32", "f64"]
INTS = [name for name, dtype in DTYPES.items() if dtype.kind in ("int", "uint")]
RTOL = {"f16": 4e-3, "f32": 3e-6, "f64": 1e-12}


def data(name: str, *shape: int, seed: int = 0) -> np.ndarray:
    """Random numbers, negative ones too where there are any, none of them 0."""
    low = 1 if DTYPES[name].kind == "uint" else -9
    values = np.random.default_rng(seed).integers(low, 10, shape)
    values[values == 0] = 3
    return (values / 4 if DTYPES[name].is_float else values).astype(DTYPES[name].numpy)


def close(ours: GpuArray, theirs: Any, factor: float = 1) -> None:
    down = ours.download()
    theirs = np.asarray(theirs)
    assert down.shape == theirs.shape
    rtol = RTOL.get(ours.dtype.name, 0) * factor
    np.testing.assert_allclose(down, theirs, rtol=rtol, atol=rtol)


BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}


@pytest.mark.quick(131)
@pytest.mark.parametrize("op", BINARY)
@pytest.mark.parametrize("name", NUMBERS)
def test_binary(ctx: Context, op: str, name: str) -> None:
    a, b = data(name, 6, 50), data(name, 6, 50, seed=1)
    b[0] = a[0]
    ours = getattr(ug, op)(ctx.alloc_upload(a), ctx.alloc_upload(b))
    expected = BINARY[op](a, b)
    assert ours.dtype.numpy == expected.dtype.name
    close(ours, expected)


@pytest.mark.parametrize("op", BINARY)
def test_with_numbers(ctx: Context, op: str) -> None:
    a = data("f32", 100)
    up = ctx.alloc_upload(a)
    close(getattr(ug, op)(up, 1.5), BINARY[op](a, np.float32(1.5)))
    close(getattr(ug, op)(1.5, up), BINARY[op](np.float32(1.5), a))


@pytest.mark.parametrize("name", NUMBERS)
def test_powers(ctx: Context, name: str) -> None:
    a = data(name, 6, 50)
    up = ctx.alloc_upload(a)
    with np.errstate(over="ignore"):
        for exponent in range(6):
            close(up**exponent, a**exponent, 4)
        exponents = np.random.default_rng(2).integers(0, 5, a.shape).astype(a.dtype)
        close(up ** ctx.alloc_upload(exponents), a**exponents, 4)
        close(ug.pow(2, ctx.alloc_upload(exponents)), np.full_like(a, 2) ** exponents)
    if DTYPES[name].is_float:
        close(abs(up) ** 0.5, np.abs(a) ** a.dtype.type(0.5), 4)
        close(up**-2, a ** a.dtype.type(-2), 4)
    else:
        with pytest.raises(ValueError, match=rf"{name} to the power of -1 is no whole number; convert: array.cast"):
            up**-1
        assert (up**0.5).dtype == "f64"
    if DTYPES[name].kind == "int":
        bases, powers = ([1, -1, -1, 2, 0, 3], [-3, -3, -2, -1, -1, -2])
        assert (ctx.alloc_upload(bases, name) ** ctx.alloc_upload(powers, name)).tolist() == [1, -1, 1, 0, 0, 0]
    other = ctx.alloc_upload(a)
    other **= 2
    close(other, a**2, 4)


def test_operations_as_methods(ctx: Context) -> None:
    a = np.abs(data("f32", 50)) - 1
    up, out = ctx.alloc_upload(a), ctx.alloc(50)
    for name in ("abs", "relu", "exp", "tanh", "sigmoid"):
        assert getattr(up, name)().tolist() == getattr(ug, name)(up).tolist()
        assert getattr(up, name)(out=out) is out
    close(up.exp().log().abs().sqrt().pow(2), np.abs(a), 40)
    close(up.maximum(0.25).minimum(1), np.clip(a, 0.25, 1))


def test_data_of_the_host_is_no_operand(ctx: Context) -> None:
    up, host = ctx.alloc_zeros(3), np.ones(3, "f4")
    for operand in (host, [1, 2, 3], (1.0,)):
        for operation in (operator.add, operator.mul, operator.eq, operator.ne, operator.lt, operator.pow):
            with pytest.raises(TypeError, match=r"not an array of a device; bring it there: ctx.alloc_upload\(data\)"):
                operation(up, operand)
    for operation in (operator.add, operator.mul, operator.sub, operator.truediv, operator.eq):
        with pytest.raises(TypeError, match=r"bring it there: ctx.alloc_upload\(data\)"):
            operation(host, up)
    assert (up == "text", up != None) == (False, True)  # noqa: E711 -- what it is compared with has no elements


@pytest.mark.parametrize("name", FLOATS)
def test_division(ctx: Context, name: str) -> None:
    a, b = data(name, 100), data(name, 100, seed=1)
    up, other = ctx.alloc_upload(a), ctx.alloc_upload(b)
    close(up / other, a / b)
    close(up / 3, a / 3)
    close(3 / up, 3 / a)
    assert ug.div(ctx.alloc_upload([1.0, -1.0, 0.0]), 0).tolist()[:2] == [math.inf, -math.inf]
    assert math.isnan(ug.div(ctx.alloc_upload([0.0]), 0).item())


@pytest.mark.parametrize("name", INTS)
def test_whole_division_rounds_to_zero_and_survives_zero(ctx: Context, name: str) -> None:
    low, high = DTYPES[name].limits
    signed = low < 0
    a = [7, -7 if signed else 9, high, low, 5, low]
    b = [2, 2, 1, 3, 0, -1 if signed else 1]
    ours = ug.div(ctx.alloc_upload(a, name), ctx.alloc_upload(b, name)).tolist()
    assert ours[:5] == [3, -3 if signed else 4, high, -(-low // 3), 0]
    assert ours[5] in (low, high)
    assert (ctx.alloc_upload(a, name) / 2).tolist() == [each / 2 for each in a]


@pytest.mark.parametrize("name", INTS)
def test_integers_wrap_around(ctx: Context, name: str) -> None:
    low, high = DTYPES[name].limits
    top, bottom = ctx.alloc_upload([high], name), ctx.alloc_upload([low], name)
    assert ((top + 1).item(), (bottom - 1).item()) == (low, high)
    assert (-bottom).item() == low


UNARY: dict[str, Callable[[Any], Any]] = {
    "exp": np.exp,
    "log": lambda x: np.log(x),
    "sqrt": np.sqrt,
    "tanh": np.tanh,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "relu": lambda x: np.maximum(x, 0),
    "abs": np.abs,
    "neg": np.negative,
}


@pytest.mark.parametrize("op", UNARY)
@pytest.mark.parametrize("name", ["f16", *FLOATS])
def test_unary_of_floats(ctx: Context, op: str, name: str) -> None:
    a = data(name, 7, 33)
    if op in ("log", "sqrt"):
        a = np.abs(a)
    close(getattr(ug, op)(ctx.alloc_upload(a)), UNARY[op](a.astype("f8")).astype(a.dtype), 2)


@pytest.mark.parametrize("op", ["relu", "abs", "neg"])
@pytest.mark.parametrize("name", INTS)
def test_unary_of_integers(ctx: Context, op: str, name: str) -> None:
    a = data(name, 77)
    close(getattr(ug, op)(ctx.alloc_upload(a)), UNARY[op](a))


def test_what_is_not_finite(ctx: Context) -> None:
    odd = ctx.alloc_upload([math.nan, math.inf, -math.inf, -1.0, 0.0])
    assert str(ug.sqrt(odd).tolist()[:2]) == "[nan, inf]"
    assert math.isnan(ug.sqrt(odd).tolist()[3])
    assert ug.log(odd).tolist()[4] == -math.inf
    assert ug.sigmoid(odd).tolist()[1:3] == [1, 0]
    assert ug.tanh(odd).tolist()[1:3] == [1, -1]
    assert math.isnan(ug.maximum(odd, 0).tolist()[0])
    assert math.isnan(odd.max().item())
    assert odd.eq(odd).tolist() == [False, True, True, True, True]


def test_comparisons_are_operators(ctx: Context) -> None:
    a, b = ctx.alloc_upload([1.0, 2.0, 3.0]), ctx.alloc_upload([1.0, 0.0, 4.0])
    assert (a == b).tolist() == (a <= np.float32(1)).tolist() == [True, False, False]
    assert (a != b).tolist() == (np.float32(1) < a).tolist() == [False, True, True]
    assert (a < b).tolist() == (a >= 3).tolist() == [False, False, True]
    assert (a > b).tolist() == (a == 2).tolist() == [False, True, False]
    assert ((a >= b).tolist(), (b <= a).tolist()) == ([True, True, False],) * 2
    assert {a: 1, b: 2}[b] == 2
    assert (a == None, a != "text") == (False, True)  # noqa: E711 -- what is no number
    with pytest.raises(ValueError, match="neither true nor false"):
        assert 0 < a < 2
    with pytest.raises(TypeError, match="an operand is a str"):
        assert a < "text"  # type: ignore[operator]
    with pytest.raises(ValueError, match="cannot be combined"):
        assert a == ctx.alloc(4)


@pytest.mark.parametrize("name", FLOATS)
def test_matmul(ctx: Context, name: str) -> None:
    for m, k, n in ((1, 1, 1), (3, 4, 5), (33, 65, 17), (128, 70, 130)):
        a, b = data(name, m, k), data(name, k, n, seed=1)
        up, other = ctx.alloc_upload(a), ctx.alloc_upload(b)
        close(up @ other, a @ b, 20)
        close(ug.matmul(ctx.alloc_upload(np.ascontiguousarray(a.T)).T, other), a @ b, 20)
        close(ug.matmul(up, ctx.alloc_upload(np.ascontiguousarray(b.T)).T, out=ctx.alloc((m, n), name)), a @ b, 20)


def test_matmul_of_vectors(ctx: Context) -> None:
    a, v, w = data("f32", 4, 3), data("f32", 3), data("f32", 4)
    up = ctx.alloc_upload(a)
    close(up @ ctx.alloc_upload(v), a @ v)
    close(ctx.alloc_upload(w) @ up, w @ a)
    close(ctx.alloc_upload(v) @ ctx.alloc_upload(v), v @ v)
    assert (ctx.alloc((2, 0)) @ ctx.alloc((0, 3))).tolist() == [[0, 0, 0], [0, 0, 0]]


@pytest.mark.parametrize("shapes", [((2, 3), (2, 3)), ((3,), (4,)), ((2, 2, 2), (3, 2)), ((), (2,))])
def test_matmul_of_shapes_that_do_not_fit(ctx: Context, shapes: tuple[tuple[int, ...], ...]) -> None:
    with pytest.raises(ValueError, match="have no matrix product; it is"):
        _ = ctx.alloc(shapes[0]) @ ctx.alloc(shapes[1])
    with pytest.raises(TypeError, match="matmul is for numbers, not for bool"):
        _ = ctx.alloc((2, 2), "bool") @ ctx.alloc((2, 2), "bool")


REDUCTIONS = {"sum": np.sum, "max": np.max, "min": np.min, "mean": np.mean}


@pytest.mark.quick(47)
@pytest.mark.parametrize("op", REDUCTIONS)
@pytest.mark.parametrize("name", NUMBERS)
def test_reductions(ctx: Context, op: str, name: str) -> None:
    a = data(name, 5, 7, 9)
    up = ctx.alloc_upload(a)
    for axis in (None, 0, 1, 2, -1):
        ours = getattr(up, op)(axis)
        expected = REDUCTIONS[op](a.astype("f8") if op == "mean" or DTYPES[name].is_float else a, axis=axis)
        rtol = max(RTOL.get(ours.dtype.name, 0), RTOL["f32"] if op == "mean" else 0) * 20
        np.testing.assert_allclose(ours.download().astype("f8"), expected, rtol=rtol, atol=rtol)
    wanted = {"sum": {"int": "i64", "uint": "u64"}, "mean": {"int": "f32", "uint": "f32"}}.get(op, {})
    assert getattr(up, op)().dtype.name == wanted.get(DTYPES[name].kind, name)


def test_reductions_of_many(ctx: Context) -> None:
    a = np.random.default_rng(0).random((1000, 1003), "f4")
    up = ctx.alloc_upload(a)
    close(up.sum(), a.sum(dtype="f8"), 10)
    close(up.sum(0), a.sum(0, dtype="f8"), 10)
    close(up.mean(1), a.mean(1, dtype="f8"), 10)
    close(up.T.sum(0), a.sum(1, dtype="f8"), 10)
    assert ctx.alloc_upload(a > 0.5).sum().item() == (a > 0.5).sum()
    assert up.max().item() == a.max()


def test_reductions_of_nothing(ctx: Context) -> None:
    empty = ctx.alloc((0, 3))
    assert (empty.sum().item(), empty.sum(0).tolist(), empty.sum(1).shape) == (0, [0, 0, 0], (0,))
    assert math.isnan(empty.mean().item())
    assert [math.isnan(mean) for mean in empty.mean(0).tolist()] == [True] * 3
    assert empty.mean(1).shape == (0,)
    assert math.isnan(ctx.alloc(0, "i32").mean().item())
    for op in ("max", "min"):
        with pytest.raises(ValueError, match=rf"{op} of an empty array, of shape \[0, 3\], is not defined"):
            getattr(empty, op)()
    with pytest.raises(ValueError, match=r"an array of shape \[0, 3\] has no axis 2"):
        empty.sum(2)
    for axis in ("x", (0.5,), 0.0):
        with pytest.raises(TypeError, match="an axis is a whole number, or None for all elements, not"):
            empty.sum(axis)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("left", "right"),
    [((4, 3), (3,)), ((4, 1), (1, 3)), ((2, 1, 3), (4, 1)), ((), (2, 3)), ((1,), (5,)), ((1, 1), (1,)), ((0, 3), (3,))],
)
def test_broadcasting(ctx: Context, left: tuple[int, ...], right: tuple[int, ...]) -> None:
    a, b = data("f32", *left), data("f32", *right, seed=1)
    up, other = ctx.alloc_upload(a) if a.size else ctx.alloc(left), ctx.alloc_upload(b)
    close(up + other, a + b)
    close(other - up, b - a)
    close(ug.where(up.gt(0), up, other), np.where(a > 0, a, b))


@pytest.mark.parametrize("shapes", [((2, 3), (2,)), ((4,), (3,)), ((2, 3), (3, 2))])
def test_shapes_that_do_not_fit(ctx: Context, shapes: tuple[tuple[int, ...], ...]) -> None:
    with pytest.raises(ValueError, match="cannot be combined: along each axis, lengths are equal or 1"):
        _ = ctx.alloc(shapes[0]) + ctx.alloc(shapes[1])


@pytest.mark.parametrize("name", [name for name in DTYPES if DTYPES[name].numpy])
def test_where(ctx: Context, name: str) -> None:
    choice = np.arange(30) % 3 == 0
    a, b = (data(name if name != "bool" else "u8", 30, seed=seed).astype(DTYPES[name].numpy) for seed in (0, 1))
    condition, up, other = (ctx.alloc_upload(x) for x in (choice, a, b))
    close(ug.where(condition, up, other), np.where(choice, a, b))
    close(ug.where(condition, up, 1), np.where(choice, a, np.array(1, a.dtype)))
    close(ug.where(condition, 0, other), np.where(choice, np.array(0, a.dtype), b))


def test_where_of_numbers(ctx: Context) -> None:
    ours = ug.where(ctx.alloc_upload([True, False]), 1, 2.5)
    assert (ours.dtype.name, ours.tolist()) == ("f32", [1, 2.5])
    with pytest.raises(TypeError, match=r"the condition is an array of f32; make it one of bool"):
        ug.where(ours, 1, 2)


@pytest.mark.quick(177)
@pytest.mark.parametrize("to", DTYPES)
@pytest.mark.parametrize("name", DTYPES)
def test_cast(ctx: Context, name: str, to: str) -> None:
    values = [0, 1, 2, 100]
    ours = ctx.alloc_upload(values, name).cast(to)
    assert ours.dtype.name == to
    expected = [bool(value) for value in values] if "bool" in (name, to) else values
    assert ours.tolist() == expected


def test_cast_cuts_fractions_and_wraps(ctx: Context) -> None:
    assert ctx.alloc_upload([1.9, -1.9]).cast("i32").tolist() == [1, -1]
    assert ctx.alloc_upload([257, -1], "i32").cast("u8").tolist() == [1, 255]
    assert ctx.alloc_upload([0.5, 0.0]).cast("bool").tolist() == [True, False]
    a = ctx.alloc(3)
    assert a.cast("f32") is a
    assert ug.cast(a, "f32") is not a


def test_out_and_in_place(ctx: Context) -> None:
    a = ctx.alloc_upload([1.0, 2.0, 3.0])
    out = ctx.alloc(3)
    assert ug.add(a, 1, out=out) is out
    assert ug.exp(a, out=a) is a
    close(a, np.exp([1.0, 2.0, 3.0]))
    a.fill(2)
    a += out
    a *= 2
    a -= 1
    a /= 7
    close(a, (np.array([2, 3, 4]) + 2) * 2 / 7 - 1 / 7)
    assert ug.sum(out, 0, out=ctx.alloc(())).item() == 9


def test_results_are_not_written_over_what_is_still_read(ctx: Context) -> None:
    x = ctx.alloc_upload(np.arange(16, dtype="f4").reshape(4, 4))
    before = x.tolist()
    uses: list[Callable[[], object]] = [
        lambda: ug.matmul(x, x, out=x), lambda: ug.matmul(x[:2], x, out=x[2:]), lambda: ug.add(x[:3], 1, out=x[1:]),
        lambda: ug.add(x, x.T, out=x), lambda: ug.sub(x, x[0], out=x), lambda: ug.max(x, 0, out=x[3]),
        lambda: x[:3].copy_to(x[1:]), lambda: x.T.copy_to(x), lambda: ug.exp(x[1:], out=x[:3]),
    ]  # fmt: skip
    for use in uses:
        with pytest.raises(ValueError, match=r"would be written over an operand that is still read; give its copy\(\)"):
            use()
    assert x.copy_to(x).tolist() == before
    assert ug.add(x[:2], x[2:], out=x[:2]).tolist() == [[8, 10, 12, 14], [16, 18, 20, 22]]
    assert ug.sum(x[0], out=x[3][0]).item() == 44


@pytest.mark.parametrize(
    ("shape", "dtype", "error", "message"),
    [
        (4, "f32", ValueError, r"the result has shape \[3\], and `out` has \[4\]"),
        ((3, 1), "f32", ValueError, r"the result has shape \[3\], and `out` has \[3, 1\]"),
        (3, "f64", TypeError, r"the result is f32, and `out` has f64; make it by ctx.alloc\(shape, 'f32'\)"),
    ],
)
def test_outputs_that_do_not_fit(ctx: Context, shape: object, dtype: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        ug.add(ctx.alloc(3), 1, out=ctx.alloc(shape, dtype))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="`out` is transposed"):
        ug.add(ctx.alloc((3, 2)), 1, out=ctx.alloc((2, 3)).T)


def test_what_dtypes_do_not_have(ctx: Context) -> None:
    with pytest.raises(TypeError, match="add is for numbers, not for bool"):
        _ = ctx.alloc(3, "bool") + ctx.alloc(3, "bool")
    with pytest.raises(OverflowError, match="300 does not fit in u8"):
        _ = ctx.alloc(3, "u8") + 300
    with pytest.raises(TypeError, match=r"f64 is not assigned to i32; convert it: array.cast\('i32'\)"):
        ctx.alloc(3, "i32").__itruediv__(2)
    with pytest.raises(TypeError, match="bitwise_and is for whole numbers and bools, not for f32"):
        _ = ctx.alloc(3) & 1
    with pytest.raises(TypeError, match="bitwise_left_shift is for whole numbers, not for bool"):
        _ = ctx.alloc(3, "bool") << ctx.alloc(3, "bool")


@pytest.mark.parametrize("wrong", ["a", None, [1, 2, 3], np.ones(3, "f4")])
def test_operands_that_are_no_arrays(ctx: Context, wrong: Any) -> None:
    is_data = wrong is not None and not isinstance(wrong, str)
    told = r"not an array of a device; bring it there: ctx.alloc_upload\(data\)"
    if not is_data:
        told = f"is {'a str' if wrong else None}, neither an array of a device nor a number"
    with pytest.raises(TypeError, match=told):
        _ = ctx.alloc(3) + wrong
    with pytest.raises(TypeError, match=told):
        ug.exp(wrong)


def test_importing_all_leaves_the_functions_of_python() -> None:
    names: dict[str, object] = {}
    exec("from unified_gpu import *", names)
    assert not [name for name in names if name in vars(builtins) and not name.startswith("__")]
    assert {"Context", "exp", "maximum"} <= names.keys()


def test_numpys_numbers_are_numbers(ctx: Context) -> None:
    a = ctx.alloc_upload([1.0, 2.0])
    assert (a + np.float32(1)).tolist() == (np.float32(1) + a).tolist() == [2, 3]
    assert (np.int64(2) * a).tolist() == [2, 4]
    i = ctx.alloc_upload([1, 2], "i32")
    assert (i + np.int8(1)).tolist() == [2, 3]


def test_operations_go_on_the_stream_that_is_named(ctx: Context) -> None:
    stream = ctx.create_stream()
    a = ctx.alloc(1_000_000, stream=stream).fill(1, stream=stream)
    b = ug.add(a, a, stream=stream)
    assert b._allocation.stream is stream
    np.testing.assert_allclose(ug.exp(b, stream=stream).download(stream=stream), math.exp(2), rtol=1e-6)
    made = [b.sum(stream=stream), b.mean(stream=stream), b.max(0, stream=stream), b.min(stream=stream)]
    assert [each.item(stream=stream) for each in made] == [2_000_000, 2, 2, 2]
    where = ctx.alloc(1_000_000, "bool", stream=stream)
    assert b.gt(1, out=where, stream=stream) is where
    assert where[-2:].tolist(stream=stream) == [True, True]
    assert {each._allocation.stream for each in (*made, where)} == {stream}


@pytest.mark.parametrize("name", ["f16", "bf16"])
def test_halves_compute(ctx: Context, name: str) -> None:
    a = ctx.alloc_upload([1.0, 2.0, -3.0], name)
    assert (a + a).tolist() == [2, 4, -6]
    assert (a * 0.5).tolist() == [0.5, 1, -1.5]
    assert ug.relu(a).tolist() == [1, 2, 0]
    assert a.sum().item() == 0
    assert a.gt(0).tolist() == [True, True, False]


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_powers_of_zeros_infinities_and_nan(ctx: Context, dtype: str) -> None:
    numbers = np.array([0.0, -0.0, 1, -1, 2, -2, 3, -3, 0.5, -0.5, np.inf, -np.inf, np.nan], dtype)
    a, b = (each.copy() for each in np.meshgrid(numbers, numbers))
    with np.errstate(all="ignore"):
        wanted = a**b
    found = (ctx.alloc_upload(a) ** ctx.alloc_upload(b)).download()
    np.testing.assert_allclose(found, wanted, rtol=1e-5)
    is_plain = ~np.isnan(wanted)
    assert np.signbit(found)[is_plain].tolist() == np.signbit(wanted)[is_plain].tolist()
