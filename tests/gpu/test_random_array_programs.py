"""Random programs of arrays against NumPy: what is made in one step is read, viewed and written in later ones.

A seed draws a program of some twenty steps over arrays that grow in number: operations, views of all sorts that share
memory, assignments through them, functions that are written as kernels. Every step rounds as IEEE 754
has it, so that all arrays have NumPy's bits at the end; single operations, also others, are in test_random_operations.
"""

from __future__ import annotations

import operator
import os
from random import Random
from typing import Any

import numpy as np
import pytest

import unified_gpu as gpu
from tests.gpu.test_random_operations import check_bits
from unified_gpu import Context, GpuArray

DTYPES = {"i32": "i4", "i64": "i8", "u8": "u1", "f32": "f4", "f64": "f8", "bool": "?"}
STEPS = 20
MOST = 4096
"""Elements of an array that a step makes."""
Pair = tuple[Any, GpuArray]
"""The same array on both sides."""


class Program:
    """One random program; `told` has what was done, for messages."""

    def __init__(self, ctx: Context, seed: int) -> None:
        self.ctx, self.random, self.rng = ctx, Random(seed), np.random.default_rng(seed)
        self.told = [f"seed {seed}"]
        self.has_signs = ctx.backend_name != "torch"
        """Whether a zero of a product has the sign of IEEE 754: torch chooses, and there nothing is divided."""
        self.roots = ("sqrt",) if self.has_signs else ()
        """Torch's roots of f32 are within a unit in the last place."""
        self.shape = tuple(self.random.choice((1, 2, 3, 4, 7)) for _ in range(self.random.choice((1, 2, 2, 3))))
        self.pairs: list[Pair] = [self.new(self.random.choice(list(DTYPES)), self.shape) for _ in range(3)]

    def check(self) -> None:
        steps = (
            self.combine, self.combine, self.compare, self.of_one, self.view, self.view, self.view, self.assign,
            self.assign, self.assign_some, self.augment, self.choose, self.join, self.move, self.summarise, self.order,
            self.find, self.convert, self.take,
        )  # fmt: skip
        with np.errstate(all="ignore"):
            for _ in range(STEPS):
                self.random.choice(steps)()
        for at, (x, g) in enumerate(self.pairs):
            check_bits(g, np.asarray(x), f"array {at} of {'; '.join(self.told)}", signs=self.has_signs)

    # what is drawn

    def new(self, dtype: str, shape: tuple[int, ...]) -> Pair:
        if dtype == "bool":
            x = self.rng.integers(0, 2, shape).astype("?")
        elif dtype.startswith("f"):
            x = (self.rng.standard_normal(shape) * 4).round(2)
            special = self.random.choice((0.0, -0.0, 1.0, float("inf"), float("nan")))
            x = np.where(self.rng.random(shape) < 0.1, special, x).astype(DTYPES[dtype])
        else:
            x = self.rng.integers(0 if dtype == "u8" else -9, 10, shape).astype(DTYPES[dtype])
        return x, self.upload(x)

    def upload(self, x: Any) -> GpuArray:
        return self.ctx.alloc_upload(x) if x.size else self.ctx.alloc(x.shape, x.dtype)

    def one(self, *kinds: str) -> Pair:
        """One of those that there are, or a new one where none is of such a kind."""
        found = [pair for pair in self.pairs if not kinds or pair[0].dtype.kind in kinds]
        dtype = {"b": "bool", "i": "i32", "u": "u8", "f": "f64"}[self.random.choice(kinds or ("i",))]
        return self.random.choice(found) if found else self.new(dtype, self.shape)

    def fitting(self, pair: Pair, shape: tuple[int, ...], *, new: bool = False) -> Pair:
        """One of the dtype of another that can be repeated to a shape."""
        found = [
            each for each in self.pairs if each[0].dtype == pair[0].dtype and repeated(each[0].shape, shape) and not new
        ]
        if found:
            return self.random.choice(found)
        dtype = next(name for name, code in DTYPES.items() if np.dtype(code) == pair[0].dtype)
        return self.new(dtype, shape[self.random.randrange(len(shape) + 1) :])

    def number(self, x: Any) -> Any:
        if x.dtype.kind == "b":
            return self.random.choice((True, False))
        if x.dtype.kind == "f":
            return self.random.choice((0.0, -0.0, 1.5, -2.25, 3))
        return self.random.choice((0, 1, 2, 5)) if x.dtype.kind == "u" else self.random.choice((-3, 0, 1, 2))

    def key(self, shape: tuple[int, ...]) -> Any:
        """Integers and slices of both directions for the first axes."""
        parts: list[Any] = []
        for length in shape[: self.random.randrange(len(shape) + 1)]:
            if length and self.random.random() < 0.25:
                parts.append(self.random.randrange(-length, length))
            else:
                bounds = [
                    self.random.choice((None, None, self.random.randrange(-length - 1, length + 2))) for _ in "ab"
                ]
                parts.append(slice(*bounds, self.random.choice((None, 1, 2, -1, -2))))
        if self.random.random() < 0.2:
            parts.append(...)
        elif self.random.random() < 0.1:
            parts.insert(self.random.randrange(len(parts) + 1), None)
        return tuple(parts)

    def keep(self, x: Any, g: GpuArray, told: str) -> None:
        """A result is one of the arrays from now on, in place of an older one where there are many."""
        self.told.append(told)
        x = np.asarray(x)
        assert (g.shape, str(g.dtype)) == (x.shape, next(n for n, c in DTYPES.items() if np.dtype(c) == x.dtype)), (
            self.told
        )
        if len(self.pairs) > 7:
            self.pairs.pop(self.random.randrange(len(self.pairs)))
        self.pairs.append((x, g))

    def of(self, *pairs: Pair) -> str:
        """Which arrays, for `told`."""
        return ", ".join(f"{x.dtype}{list(x.shape)}" for x, _ in pairs)

    # the steps

    def combine(self) -> None:
        """Two arrays, or one and a number, of any two dtypes that meet in one of ours."""
        x, g = self.one("i", "u", "f")
        others = ["bitwise_and", "bitwise_xor", "floor_divide"] if x.dtype.kind != "f" else []
        names = ["add", "sub", "mul", *others, *(["divide"] if x.dtype.kind == "f" and self.has_signs else [])]
        name = self.random.choice(names)
        compute = getattr(np, {"sub": "subtract", "mul": "multiply"}.get(name, name))
        if self.random.random() < 0.4:
            n = self.number(x)
            self.keep(compute(x, x.dtype.type(n)), getattr(gpu, name)(g, n), f"{name} {self.of((x, g))} {n}")
            return
        y, h = self.fitting((x, g), x.shape)
        self.keep(compute(x, y), getattr(gpu, name)(g, h), f"{name} {self.of((x, g), (y, h))}")

    def compare(self) -> None:
        x, g = self.one("i", "u", "f")
        y, h = self.fitting((x, g), x.shape)
        name = self.random.choice(("eq", "ne", "lt", "le", "gt", "ge"))
        self.keep(getattr(operator, name)(x, y), getattr(gpu, name)(g, h), f"{name} {self.of((x, g), (y, h))}")

    def of_one(self) -> None:
        x, g = self.one("i", "u", "f")
        name = self.random.choice(
            ("neg", "abs", "square", *(("floor", "trunc", *self.roots) if x.dtype.kind == "f" else ()))
        )
        self.keep(
            getattr(np, {"neg": "negative"}.get(name, name))(x), getattr(gpu, name)(g), f"{name} {self.of((x, g))}"
        )

    def view(self) -> None:
        """Of the same memory, but where a slice goes backwards, which copies here."""
        x, g = self.one()
        drawn = self.random.random()
        if drawn < 0.2 and x.ndim > 1:
            order = self.random.sample(range(x.ndim), x.ndim)
            self.keep(x.transpose(order), g.permute_dims(order), f"permuted {self.of((x, g))} {order}")
        elif drawn < 0.3 and x.flags.c_contiguous and g.is_contiguous:
            self.keep(x.reshape(-1), g.reshape(-1), f"flat {self.of((x, g))}")
        else:
            key = self.key(x.shape)
            copies = any(isinstance(part, slice) and (part.step or 1) < 0 for part in key)
            part = x[key].copy() if copies else x[key]
            if np.ndim(part):
                self.keep(part, g[key], f"{self.of((x, g))}[{key}]")

    def assign(self) -> None:
        x, g = self.one()
        if not writable(x):
            return
        key = self.key(x.shape)
        if self.random.random() < 0.4:
            n = self.number(x)
            self.told.append(f"{self.of((x, g))}[{key}] = {n}")
            x[key], g[key] = n, n
            return
        y, h = self.fitting((x, g), np.shape(x[key]))
        self.told.append(f"{self.of((x, g))}[{key}] = {self.of((y, h))}")
        x[key] = y.copy()
        g[key] = h

    def assign_some(self) -> None:
        """By a mask, or by an array of indices along an axis."""
        x, g = self.one()
        if not writable(x) or not x.ndim:
            return
        n = self.number(x)
        if self.random.random() < 0.5:
            mask = self.rng.random(x.shape) < 0.4
            self.told.append(f"{self.of((x, g))}[mask] = {n}")
            x[mask], g[self.upload(mask)] = n, n
            return
        axis = self.random.randrange(x.ndim)
        if x.shape[axis]:
            places = self.rng.integers(-x.shape[axis], x.shape[axis], 3)
            steps = [slice(None, None, self.random.choice((None, None, 2, -1, -2))) for _ in x.shape]
            before, behind = steps[:axis], steps[axis + 1 :]
            self.told.append(f"{self.of((x, g))}[{before}, {places.tolist()}, {behind}] = {n}")
            x[(*before, places, *behind)] = n
            g[(*before, self.upload(places), *behind)] = n

    def augment(self) -> None:
        x, g = self.one("i", "u", "f")
        if not writable(x):
            return
        name = self.random.choice(("iadd", "isub", "imul"))
        y, h = self.fitting((x, g), x.shape)
        if self.random.random() < 0.5 or np.shares_memory(x, y):
            n = self.number(x)
            self.told.append(f"{name} {self.of((x, g))} {n}")
            getattr(operator, name)(x, x.dtype.type(n))
            getattr(operator, name)(g, n)
            return
        self.told.append(f"{name} {self.of((x, g), (y, h))}")
        getattr(operator, name)(x, y)
        getattr(operator, name)(g, h)

    def choose(self) -> None:
        x, g = self.one()
        y, h = self.fitting((x, g), x.shape)
        mask = self.rng.random(x.shape) < 0.5
        self.keep(np.where(mask, x, y), gpu.where(self.upload(mask), g, h), f"where {self.of((x, g), (y, h))}")

    def join(self) -> None:
        x, g = self.one()
        if not x.ndim or x.size > MOST // 2:
            return
        axis = self.random.randrange(x.ndim)
        if self.random.random() < 0.5:
            self.keep(
                np.concatenate([x, x], axis), gpu.concatenate([g, g], axis), f"concatenate {self.of((x, g))} {axis}"
            )
        elif x.ndim < 3:
            self.keep(np.stack([x, x], axis), gpu.stack([g, g], axis), f"stack {self.of((x, g))} {axis}")

    def move(self) -> None:
        x, g = self.one()
        if not x.ndim:
            return
        axis, by = self.random.randrange(x.ndim), self.random.randrange(-5, 6)
        if self.random.random() < 0.5:
            self.keep(np.roll(x, by, axis), gpu.roll(g, by, axis), f"roll {self.of((x, g))} {by} {axis}")
        else:
            self.keep(np.flip(x, axis).copy(), gpu.flip(g, axis), f"flip {self.of((x, g))} {axis}")

    def summarise(self) -> None:
        x, g = self.one("i", "u")
        if not x.size:
            return
        axis = self.random.choice((None, *range(x.ndim)))
        name = self.random.choice(("sum", "max", "min", "argmax", "cumulative_sum", "count_nonzero"))
        told = f"{name} {self.of((x, g))} {axis}"
        if name == "cumulative_sum":
            if x.ndim and x.dtype.kind == "i":
                along = self.random.randrange(x.ndim)
                self.keep(x.cumsum(along, "i8"), gpu.cumulative_sum(g, along), told)
        elif name == "sum" and x.dtype.kind == "u":
            return  # to u64, which is none of these
        elif name == "count_nonzero":
            self.keep(np.asarray(np.count_nonzero(x, axis)), gpu.count_nonzero(g, axis), told)
        else:
            self.keep(np.asarray(getattr(np, name)(x, axis)), getattr(gpu, name)(g, axis), told)

    def order(self) -> None:
        x, g = self.one("i", "u")
        if x.ndim:
            axis = self.random.randrange(x.ndim)
            name = self.random.choice(("sort", "argsort"))
            wanted = getattr(np, name)(x, axis, kind="stable")
            self.keep(wanted, getattr(gpu, name)(g, axis), f"{name} {self.of((x, g))} {axis}")

    def find(self) -> None:
        x, g = self.one("i", "u", "b")
        if not x.ndim:
            return
        axis = self.random.randrange(x.ndim)
        for told, wanted, found in zip("abc", np.nonzero(x), gpu.nonzero(g), strict=False):
            if told == "a" and wanted.size:
                self.keep(wanted, found, f"nonzero {self.of((x, g))} {axis}")

    def convert(self) -> None:
        """To a dtype that has all numbers of the array."""
        x, g = self.one("i", "u", "b")
        to = self.random.choice(("i64", "f64") if x.dtype.kind != "b" else ("u8", "i32", "f32"))
        self.keep(x.astype(DTYPES[to], copy=False), g.cast(to), f"{self.of((x, g))} to {to}")

    def take(self) -> None:
        x, g = self.one()
        if not x.ndim:
            return
        axis = self.random.randrange(x.ndim)
        if x.shape[axis]:
            places = self.rng.integers(0, x.shape[axis], self.random.choice((1, 4)))
            taken = gpu.take(g, self.ctx.alloc_upload(places), axis)
            self.keep(np.take(x, places, axis), taken, f"take {self.of((x, g))} {places.tolist()} {axis}")


def repeated(shape: tuple[int, ...], to: tuple[int, ...]) -> bool:
    """Whether an array of a shape can be repeated to another."""
    if len(shape) > len(to):
        return False
    return all(a in (1, b) for a, b in zip(shape[::-1], to[::-1], strict=False))


def writable(x: Any) -> bool:
    """Whether each element lies in a place of its own."""
    return bool(x.flags.writeable) and all(step or length < 2 for step, length in zip(x.strides, x.shape, strict=True))


PROGRAMS: dict[str, tuple[int, int]] = {"cpu": (60, 5000), "torch": (20, 1000), "vulkan": (20, 300), "cuda": (0, 5)}
"""In `make test` and in `make test-slow`; `PROGRAMS` asks for more, from `PROGRAMS_SEED` on."""


def test_random_programs(ctx: Context) -> None:
    for seed in range(PROGRAMS[ctx.backend_name][0]):
        Program(ctx, seed).check()


@pytest.mark.slow
def test_many_random_programs(ctx: Context) -> None:
    first = int(os.environ.get("PROGRAMS_SEED", "1000"))
    for seed in range(first, first + int(os.environ.get("PROGRAMS", PROGRAMS[ctx.backend_name][1]))):
        Program(ctx, seed).check()
