"""Operations of the CPU device agree with NumPy's, for all dtypes, shapes and strides."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.behaviour.packages import Package
from tests.cpu.arrays import ALL, FLOATS, INTEGERS, NUMBERS, Array, Session, numpy_dtype, samples, units_apart
from tests.cpu.build import ROOT

SIZES = (0, 1, 7, 1023, 1025, 100_003)
"""Around a tile, and more than a part."""


@pytest.fixture
def on(cpu: Any) -> Session:
    return Session(cpu)


def truncated(a: Array, b: Array) -> Array:
    """The quotient towards zero of integers, 0 for a division by 0, in Python's own numbers."""

    def quotient(x: int, y: int) -> int:
        return 0 if y == 0 else abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)

    exact = [quotient(int(x), int(y)) for x, y in zip(a.ravel(), b.ravel(), strict=True)]
    bits = 8 * a.dtype.itemsize
    wrapped = np.array([value % (1 << bits) for value in exact], "u8").astype(f"u{a.dtype.itemsize}")
    return wrapped.view(a.dtype).reshape(a.shape)


BINARY: dict[str, Any] = {
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


@pytest.mark.parametrize("name", NUMBERS)
def test_binary_operations_of_every_dtype(on: Session, name: str) -> None:
    a, b = samples(name, (2000,), 1), samples(name, (2000,), 2)
    with np.errstate(over="ignore"):
        for op, function in BINARY.items():
            np.testing.assert_array_equal(on.binary(op, a, b), function(a, b), err_msg=op)
            np.testing.assert_array_equal(on.binary(op, a, b[3]), function(a, b[3]), err_msg=f"{op} of a number")
            np.testing.assert_array_equal(on.binary(op, a[3], b), function(a[3], b), err_msg=f"a number {op}")


@pytest.mark.parametrize("name", NUMBERS)
def test_powers_of_every_dtype(on: Session, name: str) -> None:
    a = samples(name, (2000,), 1)
    b = np.random.default_rng(3).integers(0, 20, a.shape).astype(a.dtype)
    with np.errstate(all="ignore"):
        rtol = 2e-3 if name == "f16" else 1e-6 if a.dtype.kind == "f" else 0
        np.testing.assert_allclose(on.binary("pow", a, b), a**b, rtol=rtol)
        np.testing.assert_allclose(on.binary("pow", a, b[3]), a ** b[3], rtol=rtol)
        np.testing.assert_allclose(on.binary("pow", a[3], b), a[3] ** b, rtol=rtol)


def test_powers_of_f32_are_those_of_f64_rounded(on: Session) -> None:
    """In blocks that are all ordinary, and in one that has what is not."""
    rng = np.random.default_rng(5)
    bases = rng.uniform(0, 2, 4096).astype("f4") * np.float32(10.0) ** rng.integers(-30, 30, 4096).astype("f4")
    exponents = rng.uniform(-3, 3, 4096).astype("f4")
    special = np.array([0, -0.0, -2, np.inf, -np.inf, np.nan, 1e-40, 1], "f4")
    bases[-8:], exponents[-16:-8] = special, special
    with np.errstate(all="ignore"):
        for a, b in (
            (bases, exponents),
            (bases, np.float32(1.5)),
            (bases, np.float32(-40)),
            (np.float32(0.3), exponents),
        ):
            wanted = np.power(a, b, dtype="f8").astype("f4")
            np.testing.assert_array_max_ulp(on.binary("pow", a, b), wanted, 1)


def test_exponentials_of_f64_are_within_a_unit(on: Session) -> None:
    x = np.concatenate([np.random.default_rng(6).uniform(-745, 709.7, 4096), [0, -0.0, 1e-300, -708.4, -745.14, -746]])
    wanted = np.exp(x.astype("g"))
    found = on.unary("exp", x)
    normal = wanted > 3e-308
    assert np.max(np.abs(found - wanted)[normal] / np.spacing(wanted[normal].astype("f8"))) < 1
    np.testing.assert_allclose(found[~normal], wanted[~normal].astype("f8"), atol=5e-324, rtol=0)
    special = np.array([np.inf, -np.inf, np.nan, 709.79, 1e300, -1e300])
    np.testing.assert_array_equal(on.unary("exp", special), [np.inf, 0, np.nan, np.inf, np.inf, 0])


@pytest.mark.parametrize("name", FLOATS)
def test_division_of_floats(on: Session, name: str) -> None:
    a = np.array([1, -1, 0, 7, np.nan, np.inf], name[0] + str(int(name[1:]) // 8))
    b = np.array([0, 0, 0, 2, 1, 3], a.dtype)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(on.binary("div", a, b), a / b)


@pytest.mark.parametrize("name", INTEGERS)
def test_division_of_integers_never_traps(on: Session, name: str) -> None:
    limits = np.iinfo(numpy_dtype(name))
    special = [limits.min, limits.min + 1, limits.max, 0, 1, 7, limits.max // 3]
    special += [-1, -7] if limits.min else []
    pairs = np.array([(x, y) for x in special for y in special], numpy_dtype(name))
    a = np.concatenate([pairs[:, 0], samples(name, (1500,), 1)])
    b = np.concatenate([pairs[:, 1], samples(name, (1500,), 2)])
    np.testing.assert_array_equal(on.binary("div", a, b), truncated(a, b))
    for number in special:
        repeated = np.full_like(a, number)
        np.testing.assert_array_equal(on.binary("div", a, number), truncated(a, repeated))
        np.testing.assert_array_equal(on.binary("div", number, a), truncated(repeated, a))


def test_comparisons_of_bool(on: Session) -> None:
    a, b = samples("bool", (1000,), 1), samples("bool", (1000,), 2)
    for op in ("maximum", "minimum", "eq", "ne", "lt", "le", "gt", "ge"):
        np.testing.assert_array_equal(on.binary(op, a, b), BINARY[op](a, b), err_msg=op)
    for op in ("add", "sub", "mul", "div"):
        with pytest.raises(ValueError, match="bool"):
            on.binary(op, a, b)
    with pytest.raises(ValueError, match="bool"):
        on.unary("neg", a)


def test_nan_stays_nan(on: Session) -> None:
    a = np.array([np.nan, 1, np.nan, -0.0], "f4")
    b = np.array([1, np.nan, np.nan, 0.0], "f4")
    for op in ("maximum", "minimum"):
        np.testing.assert_array_equal(np.isnan(on.binary(op, a, b)), [True, True, True, False])
    for op in ("exp", "log", "relu", "sigmoid", "tanh", "sqrt", "neg", "abs"):
        assert np.isnan(on.unary(op, a)[0]), op
    for op in ("sum", "max", "min", "mean"):
        assert np.isnan(on.reduce(op, np.repeat(a, 1000), None, a.dtype)), op


@pytest.mark.parametrize("name", NUMBERS)
def test_unary_operations_of_every_dtype(on: Session, name: str) -> None:
    x = samples(name, (2000,))
    np.testing.assert_array_equal(on.unary("neg", x), np.negative(x))
    np.testing.assert_array_equal(on.unary("abs", x), np.abs(x))
    np.testing.assert_array_equal(on.unary("relu", x), np.maximum(x, x.dtype.type(0)))


EXACT: dict[str, Any] = {
    "exp": np.exp,
    "log": np.log,
    "sigmoid": lambda x: np.where(x < 0, np.exp(x) / (1 + np.exp(x)), 1 / (1 + np.exp(-np.abs(x)))),
    "tanh": np.tanh,
    "sqrt": np.sqrt,
}


@pytest.mark.parametrize("op", EXACT)
@pytest.mark.parametrize(("name", "units"), [("f16", 1.0), ("f32", 2.5), ("f64", 2.5)])
def test_functions_are_accurate(on: Session, op: str, name: str, units: float) -> None:
    generator = np.random.default_rng(3)
    bits = {"f16": "u2", "f32": "u4", "f64": "u8"}[name]
    everything = generator.integers(0, np.iinfo(bits).max, 100_000, bits).view(numpy_dtype(name))  # NaN and inf too
    special = np.array([0.0, -0.0, 1, -1, np.inf, -np.inf, np.nan, 88.7, -87.4, -103, 104, 1e-30, 3e-39, -1e-5], "f8")
    with np.errstate(all="ignore"):
        x = np.concatenate([everything, special.astype(everything.dtype), samples(name, (100_000,)) / 4])
        wide = x.astype("g" if name == "f64" else "f8")
        wanted = EXACT[op](wide).astype("f8")
        assert units_apart(on.unary(op, x), wanted) <= units
        ordinary = np.abs(x[-100_000:])  # nothing that needs care is near them
        assert units_apart(on.unary(op, ordinary), EXACT[op](np.abs(wide[-100_000:])).astype("f8")) <= units


@pytest.mark.parametrize("cache", ["0", "1000"], ids=["past-caches", "caches"])
@pytest.mark.parametrize("level", ["baseline", "v3", "v4"])
def test_every_level_of_instructions_agrees(cpu_package: Package, level: str, cache: str) -> None:
    program = """
import json, sys
import numpy as np, cpu_ffi
sys.path.insert(0, ROOT)
from tests.cpu.arrays import NUMBERS, Session, samples
on = Session(cpu_ffi)
rows = {}
for name in NUMBERS:
    a, b = samples(name, (3000,), 1), samples(name, (3000,), 2)
    found = [on.binary(op, *pair) for op in BINARY for pair in ((a, b), (a, 3), (3, a))]
    found += [on.unary(op, a) for op in ("neg", "abs", "relu")]
    found += [on.cast(a.clip(0, 100), np.dtype(to)) for to in ("f4", "f2", "i8", "u8", "i4")]
    found += [on.reduce(op, a.reshape(3, 1000), axis, a.dtype) for op in ("max", "min") for axis in (0, 1, None)]
    rows[name] = [each.tobytes().hex() for each in found]
matrix = samples("f32", (50, 70))
exact = matrix.astype("f8") @ matrix.T.astype("f8")
rows["matmul"] = bool(np.allclose(on.matmul(matrix, matrix.T), exact, rtol=1e-5, atol=1e-2))
x = samples("f32", (1000,))
rows["exp"] = bool(np.allclose(on.unary("exp", x), np.exp(x), rtol=1e-6))
print(json.dumps(rows))
"""
    code = f"ROOT, BINARY = {str(ROOT)!r}, {[*BINARY, 'div']!r}\n{program}"
    rows = json.loads(cpu_package.python(code, CPU_FFI_CPU=level, CPU_FFI_CACHE_MB=cache).stdout)
    assert rows == json.loads(cpu_package.python(code).stdout)
    assert rows["matmul"] and rows["exp"]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", ["f16", "f32", "i64"])
def test_every_size(on: Session, name: str, size: int) -> None:
    a, b = samples(name, (size,), 1), samples(name, (size,), 2)
    np.testing.assert_array_equal(on.binary("sub", a, b), a - b)
    np.testing.assert_array_equal(on.binary("sub", a, 3), a - a.dtype.type(3))


def views() -> list[Array]:
    """The same shape in different layouts."""
    block = samples("f32", (60, 50, 40))
    return [
        block[10:20, 10:25, 5:25],
        block[::3, ::3, ::-2][:10, :15, :20],
        block.transpose(2, 1, 0)[:10, :15, :20],
        np.broadcast_to(block[0, 0, :20], (10, 15, 20)),
        np.broadcast_to(block[0, :15, :1], (10, 15, 20)),
        np.broadcast_to(block[:10, :1, :1], (10, 15, 20)),
        np.broadcast_to(block[3, 3, 3:4], (10, 15, 20)),
    ]


@pytest.mark.parametrize("a", range(7))
@pytest.mark.parametrize("b", range(7))
def test_any_strides(on: Session, a: int, b: int) -> None:
    left, right = views()[a], views()[b]
    np.testing.assert_array_equal(on.binary("mul", left, right), left * right)


@pytest.mark.parametrize("view", range(7))
def test_reductions_of_any_strides(on: Session, view: int) -> None:
    x = views()[view]
    for axis in (0, 1, 2, None):
        np.testing.assert_array_equal(on.reduce("max", x, axis, x.dtype), x.max(axis))
        np.testing.assert_allclose(on.reduce("sum", x, axis, x.dtype), x.astype("f8").sum(axis), rtol=2e-7, atol=1e-6)
    np.testing.assert_array_equal(on.cast(x, np.dtype("f8")), x.astype("f8"))
    np.testing.assert_array_equal(on.unary("neg", x), -x)


PARTS: list[Callable[[Array], Array]] = [
    lambda block: block[10:20, 10:25, 5:25],
    lambda block: block[::3, ::3, ::-2][:10, :15, :20],
    lambda block: block.transpose(2, 1, 0)[:10, :15, :20],
    lambda block: block.reshape(-1)[1:2].reshape(1, 1, 1),
]


@pytest.mark.parametrize("part", range(len(PARTS)))
def test_assignments_to_any_strides(on: Session, part: int) -> None:
    for value in (*views(), 7):
        block = samples("f32", (60, 50, 40), 1)
        out = PARTS[part](block)
        given = value[: len(out), : out.shape[1], : out.shape[2]] if isinstance(value, np.ndarray) else value
        got = on.assign(out, given)
        out[...] = given
        np.testing.assert_array_equal(got, block)


@pytest.mark.parametrize("name", ALL)
def test_assignments_of_every_dtype(on: Session, name: str) -> None:
    block, value = samples(name, (300, 200), 1), samples(name, (300, 100), 2)
    got = on.assign(block[:, ::2], value)
    block[:, ::2] = value
    np.testing.assert_array_equal(got, block)


def test_assignments_that_are_refused(cpu: Any, on: Session) -> None:
    memory, dtype = cpu.malloc(400), cpu.DType.F32
    number = (None, 0, [], bytes(4))
    for strides, offset, message in (
        ([0, 1], 0, "its stride of dimension 0 is 0"), ([20, 10], 0, "does not lie in its memory"),
        ([10, 1], 40, "does not lie in its memory"), ([10, 1], 2, "not a multiple"), ([1], 0, "needs as many strides"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=message):
            cpu.assign(dtype, memory, offset, strides, *number, [10, 10], on.stream)


def test_results_may_take_the_place_of_inputs(cpu: Any, on: Session) -> None:
    a, b = samples("f32", (100_000,), 1), samples("f32", (100_000,), 2)
    memory, offset, strides = on.place(a)
    operation, dtype = cpu.BinaryOp.ADD, cpu.DType.F32
    cpu.binary(operation, dtype, memory, 0, memory, offset, strides, b"", *on.place(b), b"", a.shape, on.stream)
    np.testing.assert_array_equal(on.read(memory, a.dtype, a.shape), a + b)


@pytest.mark.parametrize("name", [*ALL])
def test_where(on: Session, name: str) -> None:
    condition = samples("bool", (3000,))
    a, b = samples(name, (3000,), 1), samples(name, (3000,), 2)
    np.testing.assert_array_equal(on.where(condition, a, b, a.dtype), np.where(condition, a, b))
    np.testing.assert_array_equal(on.where(condition, 1, b, a.dtype), np.where(condition, a.dtype.type(1), b))
    np.testing.assert_array_equal(on.where(condition, a, 0, a.dtype), np.where(condition, a, a.dtype.type(0)))


@pytest.mark.parametrize("to", ALL)
@pytest.mark.parametrize("name", ALL)
def test_casts(on: Session, name: str, to: str) -> None:
    x = samples(name, (2000,))
    if name in FLOATS and to in INTEGERS:
        x = np.abs(x)  # what does not fit is tested below
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(on.cast(x, numpy_dtype(to)), x.astype(numpy_dtype(to)))


@pytest.mark.parametrize("to", INTEGERS)
@pytest.mark.parametrize("name", FLOATS)
def test_floats_that_are_no_such_integer(on: Session, name: str, to: str) -> None:
    limits = np.iinfo(numpy_dtype(to))
    x = np.array([np.nan, np.inf, -np.inf, 3.9, -3.9], numpy_dtype(name))
    wanted = [0, limits.max, limits.min, 3, max(-3, limits.min)]
    np.testing.assert_array_equal(on.cast(x, numpy_dtype(to)), np.array(wanted, numpy_dtype(to)))


def test_every_f16_and_its_neighbours(on: Session) -> None:
    halves = np.arange(1 << 16, dtype="u2").view("f2")
    wide = on.cast(halves, np.dtype("f4"))
    np.testing.assert_array_equal(wide, halves.astype("f4"))
    finite = wide[np.isfinite(wide)].astype("f8")
    between = np.concatenate(
        [finite, finite * (1 + 2.0**-11), finite * (1 + 2.0**-12), finite + 2.0**-25, [65520, 1e9]]
    )
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(on.cast(between, np.dtype("f2")), between.astype("f2"))
        np.testing.assert_array_equal(on.cast(between.astype("f4"), np.dtype("f2")), between.astype("f4").astype("f2"))


def test_f64_is_rounded_to_f16_once(on: Session) -> None:
    x = np.array([1 + 2.0**-11 + 2.0**-40, 1 + 2.0**-11 - 2.0**-40, -1 - 2.0**-11 - 2.0**-40], "f8")
    np.testing.assert_array_equal(on.cast(x, np.dtype("f2")), x.astype("f2"))


def test_bf16(cpu: Any, on: Session) -> None:
    x = np.concatenate([samples("f32", (3000,)), np.array([0, -0.0, np.inf, -np.inf, np.nan, 3.4e38, 1e-40], "f4")])
    bits = x.view("u4").astype("u8")
    rounded = ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype("u2")
    memory, out = cpu.malloc(2 * x.size), cpu.malloc(4 * x.size)
    cpu.cast(cpu.DType.BF16, memory, 0, cpu.DType.F32, *on.place(x), x.shape, on.stream)
    found = on.read(memory, np.dtype("u2"), x.shape)
    known = ~np.isnan(x)
    np.testing.assert_array_equal(found[known], rounded[known])
    cpu.cast(cpu.DType.F32, out, 0, cpu.DType.BF16, memory, 0, [1], x.shape, on.stream)
    wide = on.read(out, np.dtype("f4"), x.shape)
    np.testing.assert_array_equal(wide.view("u4")[known], (rounded[known].astype("u4") << 16))
    assert np.isnan(wide[~known]).all()
    cpu.binary(cpu.BinaryOp.ADD, cpu.DType.BF16, memory, 0, *[memory, 0, [1], b""] * 2, x.shape, on.stream)
    cpu.cast(cpu.DType.F32, out, 0, cpu.DType.BF16, memory, 0, [1], x.shape, on.stream)
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(on.read(out, np.dtype("f4"), x.shape)[known][:3000], (wide + wide)[known][:3000])


@pytest.mark.parametrize("name", ALL)
def test_reductions_of_every_dtype(on: Session, name: str) -> None:
    x = samples(name, (37, 1500))
    floats = name in FLOATS
    total = x.dtype if floats else np.dtype("u8" if x.dtype.kind == "u" else "i8")
    mean = x.dtype if floats else np.dtype("f4")
    wide = x.astype("f8") if floats else x
    for axis in (0, 1, None):
        np.testing.assert_array_equal(on.reduce("max", x, axis, x.dtype), x.max(axis))
        np.testing.assert_array_equal(on.reduce("min", x, axis, x.dtype), x.min(axis))
        sums = on.reduce("sum", x, axis, total)
        means = on.reduce("mean", x, axis, mean)
        if floats:
            tolerance = 2 * float(np.finfo(x.dtype).eps)
            scale = np.abs(wide).sum(axis).max() * 1e-15
            np.testing.assert_allclose(sums.astype("f8"), wide.sum(axis), rtol=tolerance, atol=scale)
            np.testing.assert_allclose(means.astype("f8"), wide.mean(axis), rtol=tolerance, atol=scale)
        else:
            np.testing.assert_array_equal(sums, wide.sum(axis, dtype=total))
            np.testing.assert_allclose(means, wide.mean(axis, dtype="f8"), rtol=1e-6)  # where a sum of integers wraps


def test_sums_of_many_small_numbers(on: Session) -> None:
    x = np.full(3_000_000, 0.1, "f4")
    assert on.reduce("sum", x, None, x.dtype) == np.float32(x.astype("f8").sum())
    columns = on.reduce("sum", x.reshape(-1, 3), 0, x.dtype)
    np.testing.assert_array_equal(columns, x.reshape(-1, 3).astype("f8").sum(0).astype("f4"))


def test_reductions_of_nothing(on: Session) -> None:
    nothing = np.empty((3, 0), "f4")
    np.testing.assert_array_equal(on.reduce("sum", nothing, 1, nothing.dtype), [0, 0, 0])
    assert on.reduce("sum", nothing, None, nothing.dtype) == 0
    assert np.isnan(on.reduce("mean", nothing, 1, nothing.dtype)).all()
    assert on.reduce("max", nothing, 0, nothing.dtype).shape == (0,)
    for axis in (1, None):
        with pytest.raises(ValueError, match="nothing"):
            on.reduce("max", nothing, axis, nothing.dtype)
    with pytest.raises(ValueError, match="axis 2"):
        on.reduce("sum", nothing, 2, nothing.dtype)


@pytest.mark.parametrize("sizes", [(1, 1, 1), (7, 5, 3), (64, 64, 64), (100, 300, 50), (5, 1000, 1600), (200, 0, 3)])
@pytest.mark.parametrize("name", FLOATS)
def test_matmul(on: Session, name: str, sizes: tuple[int, int, int]) -> None:
    m, k, n = sizes
    a, b = samples(name, (m, k), 1) / 100, samples(name, (k, n), 2) / 100
    wanted = a.astype("f8") @ b.astype("f8")
    scale = (np.abs(a).astype("f8") @ np.abs(b).astype("f8")).max(initial=1e-9)
    tolerance = max(float(np.finfo(a.dtype).eps), 1e-6 if name == "f16" else 0) * (k**0.5 + 2)
    for left in (a, np.asfortranarray(a)):
        for right in (b, np.asfortranarray(b)):
            found = on.matmul(left, right)
            np.testing.assert_allclose(found.astype("f8"), wanted, atol=scale * tolerance, rtol=tolerance)


def test_matmul_of_views(on: Session) -> None:
    block = samples("f32", (80, 90)) / 10
    a, b = block[::2, 5:65:3], block.T[10:30, ::-1]
    np.testing.assert_allclose(on.matmul(a, b), a @ b, rtol=1e-4, atol=1e-4)
    row = np.broadcast_to(block[0, :20], (40, 20))
    np.testing.assert_allclose(on.matmul(row, b), row @ b, rtol=1e-4, atol=1e-4)
    with pytest.raises(ValueError, match="i32"):
        on.matmul(np.ones((2, 2), "i4"), np.ones((2, 2), "i4"))


@pytest.mark.parametrize("size", [1, 2, 4, 8])
def test_fill(cpu: Any, on: Session, size: int) -> None:
    value = bytes(range(1, size + 1))
    memory = cpu.malloc(1000 * size)
    cpu.memset_async(memory, 0, memory.size(), on.stream)
    cpu.fill(memory, 10 * size, 900, value, on.stream)
    found = on.read(memory, np.dtype("u1"), (1000 * size,)).tobytes()
    assert found == bytes(10 * size) + value * 900 + bytes(90 * size)
    with pytest.raises(ValueError, match="do not fit"):
        cpu.fill(memory, 10 * size, 991, value, on.stream)
    with pytest.raises(ValueError, match="3"):
        cpu.fill(memory, 0, 1, b"abc", on.stream)


def test_arrays_that_are_not_possible(cpu: Any, on: Session) -> None:
    memory, dtype, negate = cpu.malloc(400), cpu.DType.F32, cpu.UnaryOp.NEG

    def unary(offset: int, strides: list[int], shape: list[int], out_offset: int = 0) -> None:
        cpu.unary(negate, dtype, memory, out_offset, memory, offset, strides, shape, on.stream)

    unary(0, [1], [100])
    for offset, strides, shape in [
        (4, [1], [100]),
        (0, [2], [51]),
        (0, [-1], [2]),
        (2, [1], [10]),
        (0, [1], [10, 10]),
        (0, [2**62], [3]),
        (0, [1] * 9, [1] * 9),
        (0, [1], [-1]),
        (0, [1, 1, 1], [2**31, 2**31, 2**31]),
    ]:
        with pytest.raises(ValueError):
            unary(offset, strides, shape)
    with pytest.raises(ValueError, match="multiple"):
        unary(0, [1], [10], 2)
    with pytest.raises(ValueError, match="do not fit"):
        unary(0, [1], [10], 364)
    with pytest.raises(ValueError, match="i32"):
        on.unary("exp", np.ones(3, "i4"))
    with pytest.raises(ValueError, match="4 bytes"):
        cpu.binary(cpu.BinaryOp.ADD, dtype, memory, 0, memory, 0, [1], b"", None, 0, [], b"12", [10], on.stream)
