"""Random operations on arrays against NumPy: all dtypes, views of all sorts, on every backend.

A seed draws an array, a view of it that can have gaps, be transposed or be repeated, and what is done with it. Whole
numbers, comparisons, copies and what IEEE 754 rounds exactly have NumPy's bits; sums and functions of mathematics its
value, as closely as the dtype has it. What is done is an operation of two dtypes, too, or one that is written as a
kernel: functions of elements, statistics, indexing by arrays, other shapes, sorting.
"""

from __future__ import annotations

import operator
import os
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest

import unified_gpu as gpu
from unified_gpu import Context, GpuArray

WHOLE = ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64")
FRACTIONS = ("f16", "f32", "f64")
ALL = (*WHOLE, *FRACTIONS, "bool")
NUMPY = {"bool": "?", **{name: name[0] + str(int(name[1:]) // 8) for name in (*WHOLE, *FRACTIONS)}}
SPECIAL = (0.0, -0.0, 1.0, -1.0, float("inf"), float("-inf"), float("nan"), 0.5)
TOLERANCE = {"f16": 4e-3, "f32": 3e-6, "f64": 1e-12}
COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")


def drawn_array(random: Random, rng: Any, dtype: str) -> Any:
    shape = tuple(random.choice((1, 2, 3, 5, 17)) for _ in range(random.choice((1, 1, 2, 2, 3))))
    if random.random() < 0.1:
        shape = (random.choice((1000, 70_001)),)
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype("?")
    if dtype in WHOLE:
        limits = np.iinfo(NUMPY[dtype])
        few = rng.integers(0, 5, shape).astype(NUMPY[dtype])
        return np.where(
            rng.random(shape) < 0.5, few, rng.integers(limits.min, limits.max, shape, NUMPY[dtype], endpoint=True)
        )
    x = (rng.standard_normal(shape) * 3).astype(NUMPY[dtype])
    return np.where(rng.random(shape) < 0.2, rng.choice(SPECIAL, shape).astype(NUMPY[dtype]), x)


def drawn_view(random: Random, x: Any, g: GpuArray) -> tuple[Any, GpuArray]:
    """The same part of both."""
    for _ in range(random.choice((0, 0, 1, 2))):
        drawn = random.random()
        if drawn < 0.4:
            axis, step = random.randrange(x.ndim), random.choice((1, 2, 3))
            start = random.randrange(x.shape[axis])
            key = tuple(slice(start, None, step) if each == axis else slice(None) for each in range(x.ndim))
            x, g = x[key], g[key]
        elif drawn < 0.6 and x.ndim == 2:
            x, g = x.T, g.T
        elif drawn < 0.8 and x.ndim > 1:
            key = (slice(None),) * random.randrange(x.ndim) + (random.randrange(1),)
            x, g = x[key], g[key]
        else:
            x, g = x[None], g[None]
    return x, g


def check_bits(found: GpuArray, wanted: Any, told: str, *, signs: bool = True) -> None:
    """`signs`: of zeros, where that is not the backend's choice: which of two is the greater, what a product sums."""
    there = np.asarray(found.download())
    assert there.shape == wanted.shape, f"{told}: shape {there.shape} for {wanted.shape}"
    assert there.dtype == wanted.dtype, f"{told}: {there.dtype} for {wanted.dtype}"
    same = there == wanted
    if there.dtype.kind == "f" and not signs:
        same |= np.isnan(there) & np.isnan(wanted)
    elif there.dtype.kind == "f":
        same = (same & (np.signbit(there) == np.signbit(wanted))) | (np.isnan(there) & np.isnan(wanted))
    at = np.flatnonzero(~same.ravel())[:4]
    assert same.all(), f"{told}: {there.ravel()[at]} for {wanted.ravel()[at]} at {at}"


def check_close(found: GpuArray, wanted: Any, told: str, tolerance: float) -> None:
    there = np.asarray(found.download())
    assert there.shape == np.shape(wanted), told
    np.testing.assert_allclose(there, wanted, rtol=tolerance, atol=tolerance, err_msg=told)


def whole_division(a: Any, b: Any) -> Any:
    """Towards 0, and 0 for a division by 0."""
    safe = np.where(b == 0, 1, b).astype(a.dtype)
    quotient = np.floor_divide(a, safe)
    rest = a - quotient * safe
    quotient = np.where((rest != 0) & ((a < 0) != (safe < 0)), quotient + a.dtype.type(1), quotient)
    return np.where(b == 0, 0, quotient).astype(a.dtype)


def greatest(a: Any, b: Any) -> Any:
    return np.where((b > a) | (b != b), b, a)


def least(a: Any, b: Any) -> Any:
    return np.where((b < a) | (b != b), b, a)


Check = Callable[[Random, Any, Context], None]


class Operations:
    """One random operation of a seed."""

    def __init__(self, ctx: Context, seed: int) -> None:
        self.ctx, self.random = ctx, Random(seed)
        self.rng = np.random.default_rng(seed)
        self.dtype = self.random.choice(ALL)
        self.kind = "fraction" if self.dtype in FRACTIONS else "bool" if self.dtype == "bool" else "whole"
        x = drawn_array(self.random, self.rng, self.dtype)
        self.x, self.g = drawn_view(self.random, x, ctx.alloc_upload(x))
        self.told = f"seed {seed}: {self.dtype} {self.x.shape} {self.x.strides}"

    def check(self) -> None:
        choices: list[Callable[[], None]] = [
            self.mixed,
            self.of_elements,
            self.summary,
            self.pick,
            self.reorder,
            self.order,
        ]
        choices += [self.compare, self.assign, self.choose, self.convert, self.reduce, self.compare_with_number]
        if self.kind != "bool":
            choices += [self.arithmetic, self.arithmetic, self.unary, self.in_place]
        if self.kind == "fraction":
            choices += [self.product, self.mathematics]
        with np.errstate(all="ignore"):
            self.random.choice(choices)()

    def other(self) -> tuple[Any, GpuArray]:
        """An array of the same dtype that can be combined with it."""
        shape = [length if self.random.random() < 0.7 else 1 for length in self.x.shape]
        y = drawn_array(self.random, self.rng, self.dtype).ravel()
        y = np.resize(y, shape[self.random.randrange(len(shape)) :] if shape else ())
        return y, self.ctx.alloc_upload(y)

    def number(self) -> Any:
        if self.kind == "fraction":
            return self.random.choice((0.0, -0.0, 1.5, -2, 3))
        low = 0 if self.dtype.startswith("u") else -3
        return self.random.choice((low, 0, 1, 2, 7))

    def sides(self) -> tuple[Any, Any, Any, Any]:
        """NumPy's two operands, and ours."""
        if self.random.random() < 0.6:
            y, h = self.other()
            return self.x, y, self.g, h
        n = self.number()
        y = self.x.dtype.type(n)
        return (self.x, y, self.g, n) if self.random.random() < 0.7 else (y, self.x, n, self.g)

    def arithmetic(self) -> None:
        a, b, g, h = self.sides()
        name = self.random.choice(("add", "sub", "mul", "div", "maximum", "minimum"))
        compute: Any = {
            "add": np.add, "sub": np.subtract, "mul": np.multiply, "maximum": greatest, "minimum": least,
            "div": np.divide if self.kind == "fraction" else whole_division,
        }[name]  # fmt: skip
        wanted = np.asarray(compute(a, b)).astype(self.x.dtype)
        signs = name not in ("maximum", "minimum")
        check_bits(getattr(gpu, name)(g, h), wanted, f"{self.told} {name}", signs=signs)

    def compare(self) -> None:
        y, h = self.other()
        name = self.random.choice(COMPARISONS)
        check_bits(getattr(gpu, name)(self.g, h), getattr(operator, name)(self.x, y), f"{self.told} {name}")

    def compare_with_number(self) -> None:
        name = self.random.choice(COMPARISONS)
        n = self.number() if self.kind != "bool" else self.random.choice((0, 1, 2, -1, 0.5, float("nan"), True, 1e30))
        compare = getattr(operator, name)
        if self.random.random() < 0.7:
            check_bits(getattr(gpu, name)(self.g, n), compare(self.x, n), f"{self.told} {name} {n}")
        else:
            check_bits(getattr(gpu, name)(n, self.g), compare(n, self.x), f"{n} {name} {self.told}")

    def unary(self) -> None:
        name = self.random.choice(("neg", "abs", "relu"))
        zero = self.x.dtype.type(0)
        wanted = {
            "neg": lambda: np.negative(self.x),
            "abs": lambda: np.abs(self.x),
            "relu": lambda: np.where((self.x > 0) | (self.x != self.x), self.x, zero),
        }[name]()
        check_bits(getattr(gpu, name)(self.g), wanted, f"{self.told} {name}", signs=name != "relu")

    def mathematics(self) -> None:
        name = self.random.choice(("sqrt", "exp", "tanh", "log"))
        wanted = getattr(np, name)(self.x.astype("f8")).astype(self.x.dtype)
        check_close(getattr(gpu, name)(self.g), wanted, f"{self.told} {name}", 4 * TOLERANCE[self.dtype])

    def in_place(self) -> None:
        x, g = np.ascontiguousarray(self.x), self.g.copy()
        n, name = self.number(), self.random.choice(("iadd", "isub", "imul"))
        wanted = getattr(operator, name)(x.copy(), self.x.dtype.type(n))
        check_bits(getattr(operator, name)(g, n), wanted, f"{self.told} {name} {n}")

    def assign(self) -> None:
        x = np.zeros((4, *self.x.shape), self.x.dtype)
        g = self.ctx.alloc_upload(x)
        if self.random.random() < 0.5:
            x[1:3], g[1:3] = self.x, self.g
        else:
            n = self.number() if self.kind != "bool" else True
            x[::2], g[::2] = n, n
        check_bits(g, x, f"{self.told} assigned")

    def choose(self) -> None:
        mask = self.rng.integers(0, 2, self.x.shape).astype("?")
        a, b, g, h = self.sides() if self.kind != "bool" else (self.x, ~self.x, self.g, self.ctx.alloc_upload(~self.x))
        wanted = np.where(mask, a, b).astype(self.x.dtype)
        check_bits(gpu.where(self.ctx.alloc_upload(mask), g, h), wanted, f"{self.told} where")

    def convert(self) -> None:
        to = self.random.choice(ALL)
        x, g = self.x, self.g
        if self.kind == "fraction" and to in WHOLE:  # what does not fit is the device's choice
            x = np.where(np.isfinite(x), np.abs(np.trunc(x)), 0).astype(x.dtype) % x.dtype.type(100)
            g = self.ctx.alloc_upload(x)
        check_bits(g.cast(to), x.astype(NUMPY[to]), f"{self.told} to {to}")

    def reduce(self) -> None:
        name = self.random.choice(("sum", "mean", "max", "min"))
        axis = self.random.choice((None, *range(self.x.ndim)))
        found, told = getattr(gpu, name)(self.g, axis), f"{self.told} {name} {axis}"
        if name in ("max", "min"):
            check_bits(found, np.asarray(getattr(self.x, name)(axis)), told, signs=False)
        elif self.kind == "fraction":
            wanted = getattr(self.x.astype("f8"), name)(axis)
            scale = np.abs(np.where(np.isfinite(self.x), self.x, 0)).sum(dtype="f8") + 1
            finite = np.isfinite(wanted)
            there = np.asarray(found.download())
            assert (np.isfinite(there) == finite).all() or self.dtype == "f16", told
            close = np.abs(there.astype("f8") - wanted)[finite] <= TOLERANCE[self.dtype] * scale
            assert np.all(close), f"{told}: {there} for {wanted}"
        elif name == "sum":
            check_bits(found, np.asarray(self.x.sum(axis, "u8" if self.dtype.startswith("u") else "i8")), told)
        else:
            wanted = self.x.astype("f8").mean(axis)
            scale = np.abs(self.x.astype("f8")).mean(axis) + 1
            there = np.asarray(found.download())
            assert there.dtype == np.float32, told
            assert np.all(np.abs(there - wanted) <= 1e-6 * scale), f"{told}: {there} for {wanted}"

    def product(self) -> None:
        rows, inner, columns = (self.random.choice((1, 2, 5, 33)) for _ in range(3))
        a = self.rng.integers(-3, 4, (inner, rows, 2)).astype(self.x.dtype)
        b = self.rng.integers(-3, 4, (inner, columns)).astype(self.x.dtype)
        g, h = self.ctx.alloc_upload(a), self.ctx.alloc_upload(b)
        if self.random.random() < 0.5:
            told = f"{self.told} product {rows} {inner} {columns}"
            check_bits(g[:, :, 0].T @ h, a[:, :, 0].T @ b, told, signs=False)
        else:  # vectors, whose elements lie apart
            check_bits(g[:, 0, 1] @ h, a[:, 0, 1] @ b, f"{self.told} row {inner} {columns}", signs=False)
            check_bits(h.T @ g[:, 0, 1], b.T @ a[:, 0, 1], f"{self.told} column {inner} {columns}", signs=False)

    # what is written as kernels

    def mixed(self) -> None:
        """With an array of another dtype."""
        dtype = self.random.choice(ALL)
        y = np.resize(drawn_array(self.random, self.rng, dtype).ravel(), self.x.shape[-1:])
        h = self.ctx.alloc_upload(y)
        names = ["add", "sub", "mul", "divide", "floor_divide", "remainder", "lt", "eq", "logical_xor"]
        if np.result_type(self.x, y).kind != "f":
            names += ["bitwise_and", "bitwise_or", "bitwise_xor"]
        if self.kind == "bool" or dtype == "bool":
            names = [name for name in names if name in ("eq", "lt", "logical_xor", "bitwise_and", "divide")]
        name = self.random.choice(names)
        theirs = {"sub": "subtract", "mul": "multiply", "lt": "less", "eq": "equal"}.get(name, name)
        wanted = np.asarray(getattr(np, theirs)(self.x, y))
        check_bits(getattr(gpu, name)(self.g, h), wanted, f"{self.told} {name} {dtype}")

    def of_elements(self) -> None:
        name = self.random.choice(
            ("isnan", "isinf", "isfinite", "sign", "floor", "trunc", "round", "logical_not", "square")
        )
        if self.kind == "bool" and name in ("sign", "square", "round"):
            return
        check_bits(getattr(gpu, name)(self.g), np.asarray(getattr(np, name)(self.x)), f"{self.told} {name}")

    def axes(self) -> Any:
        found = [axis for axis in range(self.x.ndim) if self.random.random() < 0.5]
        return self.random.choice((None, tuple(found), self.random.randrange(self.x.ndim)))

    def summary(self) -> None:
        name, axis = self.random.choice(("any", "all", "argmax", "argmin", "max", "min", "cumulative_sum")), self.axes()
        keepdims = self.random.random() < 0.5
        told = f"{self.told} {name} {axis}"
        if name == "cumulative_sum":
            if self.kind != "fraction":
                axis = self.random.randrange(self.x.ndim)
                check_bits(gpu.cumulative_sum(self.g, axis), self.x.cumsum(axis), told)
            return
        if name in ("argmax", "argmin"):
            axis = axis[0] if isinstance(axis, tuple) and axis else None if isinstance(axis, tuple) else axis
        wanted = np.asarray(getattr(np, name)(self.x, axis, keepdims=keepdims))
        check_bits(getattr(gpu, name)(self.g, axis, keepdims=keepdims), wanted, told, signs=False)

    def uploaded(self, data: Any) -> GpuArray:
        return self.ctx.alloc_upload(data) if data.size else self.ctx.alloc(data.shape, str(data.dtype))

    def slice_of(self, length: int) -> slice:
        """In both directions; also of nothing, and beyond the ends."""
        ends = (None, None, *range(-length - 2, length + 3)) if length < 100 else (None, 7, -7)
        return slice(self.random.choice(ends), self.random.choice(ends), self.random.choice((None, 1, 2, -1, -2, -3)))

    def places(self, shape: tuple[int, ...], length: int) -> tuple[Any, Any]:
        """An array of places along an axis, for NumPy and for us: a list, or an array of the host or the device."""
        dtype = self.random.choice(("i8", "i4", "i2", "u1", "u8"))
        limit = min(length, 100)
        found = self.rng.integers(0 if dtype[0] == "u" else -limit, limit, shape).astype(dtype)
        return found, self.random.choice((found, self.uploaded(found), found.tolist()))

    def mask(self, shape: tuple[int, ...], count: int) -> tuple[Any, Any]:
        """A mask of so many elements, or of one where there are not so many."""
        flat = np.zeros(int(np.prod(shape)), "?")
        flat[self.rng.choice(flat.size, count if count <= flat.size else 1, replace=False)] = True
        found = flat.reshape(shape)
        return found, self.random.choice((found, self.uploaded(found), found.tolist()))

    def key(self) -> tuple[Any, Any]:
        """What stands between brackets, for NumPy and for us: integers, slices, `...`, None, places and masks."""
        count, outer, axis = self.random.choice((0, 1, 2, 3)), self.random.choice(((), (), (1,), (2,))), 0
        pairs: list[tuple[Any, Any]] = []
        kinds = ["slice", "slice", "integer", "places", "places", "mask", "masks", "None", "..."]
        while axis < self.x.ndim:
            length, kind = self.x.shape[axis], self.random.choice(kinds)
            if kind == "slice":
                pairs.append((self.slice_of(length),) * 2)
            elif kind == "integer":
                at = self.random.randrange(-length, length)
                pairs.append((at, self.random.choice((at, np.int64(at)))))
            elif kind == "places":
                shape = self.random.choice(((*outer, count), (count,), (1,)))
                pairs.append(self.places(shape, length))
            elif kind in ("mask", "masks"):
                shape = self.x.shape[axis : axis + (2 if kind == "masks" else 1)]
                pairs.append(self.mask(shape, count))
                axis += len(shape) - 1
            elif kind == "None":
                pairs.append((None, None))
            else:
                kinds.remove("...")
                pairs.append((Ellipsis, Ellipsis))
                axis += self.random.randrange(self.x.ndim - axis + 1)
            axis += kind not in ("None", "...")
            if "..." in kinds and self.random.random() < 0.15:
                break  # the axes behind it are whole
        theirs, ours = zip(*pairs, strict=True)
        return (theirs[0], ours[0]) if len(pairs) == 1 and self.random.random() < 0.5 else (theirs, ours)

    def pick(self) -> None:
        """What a key selects; and the same set, or computed with in place, in an array or in a view with gaps."""
        key, there = self.key()
        told = f"{self.told} [{key}]"
        wanted = np.asarray(self.x[key])
        check_bits(self.g[there], wanted, told)
        base = np.zeros((*self.x.shape, self.random.choice((1, 2))), self.x.dtype)
        base[..., 0] = self.x
        device = self.ctx.alloc_upload(base)
        y, h = base[..., 0], device[..., 0]
        shape = tuple(length if self.random.random() < 0.7 else 1 for length in wanted.shape)
        data = np.resize(drawn_array(self.random, self.rng, self.dtype), shape[self.random.randrange(len(shape) + 1) :])
        number = self.number() if self.kind != "bool" else self.random.choice((True, False))
        value, ours = self.random.choice(((data, data), (data, self.uploaded(data)), (number, number)))
        if self.kind != "bool" and self.random.random() < 0.5:
            ours = self.uploaded(data) if value is data else number
            y[key] += value
            h[there] += ours
            told += " +="
        else:
            y[key] = value
            h[there] = ours
            told += " ="
        check_bits(device, base, told)

    def reorder(self) -> None:
        x, g, axis = self.x, self.g, self.random.randrange(self.x.ndim)
        name = self.random.choice(("flip", "roll", "concatenate", "stack", "repeat", "tile"))
        shift = self.random.randrange(-5, 6)
        made: dict[str, tuple[Any, Callable[[], GpuArray]]] = {
            "flip": (np.flip(x, axis), lambda: gpu.flip(g, axis)),
            "roll": (np.roll(x, shift, axis), lambda: gpu.roll(g, shift, axis)),
            "concatenate": (np.concatenate([x, x[::1]], axis), lambda: gpu.concatenate([g, g], axis)),
            "stack": (np.stack([x, x], axis), lambda: gpu.stack([g, g], axis)),
            "repeat": (np.repeat(x, 2, axis), lambda: gpu.repeat(g, 2, axis)),
            "tile": (np.tile(x, (2, 1)), lambda: gpu.tile(g, (2, 1))),
        }
        wanted, compute = made[name]
        check_bits(compute(), wanted, f"{self.told} {name} {axis}")

    def order(self) -> None:
        axis = self.random.randrange(self.x.ndim)
        check_bits(
            gpu.sort(self.g, axis), np.sort(self.x, axis, kind="stable"), f"{self.told} sort {axis}", signs=False
        )
        wanted = np.argsort(self.x, axis, kind="stable")
        check_bits(gpu.argsort(self.g, axis), wanted, f"{self.told} argsort {axis}")


SEEDS = {"cpu": (40, 3000), "torch": (40, 3000), "vulkan": (20, 500), "cuda": (4, 60)}
"""In `make test` and in `make test-slow`: the stand-in for CUDA compiles each kernel for a second."""


def test_random_operations(ctx: Context) -> None:
    for seed in range(SEEDS[ctx.backend_name][0]):
        Operations(ctx, seed).check()


def test_random_keys(ctx: Context) -> None:
    for seed in range(SEEDS[ctx.backend_name][0]):
        with np.errstate(all="ignore"):
            Operations(ctx, seed).pick()


def many_seeds(ctx: Context) -> range:
    first = int(os.environ.get("OPERATIONS_SEED", "1000"))
    return range(first, first + int(os.environ.get("OPERATIONS", SEEDS[ctx.backend_name][1])))


@pytest.mark.slow
def test_many_random_operations(ctx: Context) -> None:
    for seed in many_seeds(ctx):
        Operations(ctx, seed).check()


@pytest.mark.slow
def test_many_random_keys(ctx: Context) -> None:
    for seed in many_seeds(ctx):
        with np.errstate(all="ignore"):
            Operations(ctx, seed).pick()
