"""Random kernels in Python give what NumPy gives: an oracle of its own, which knows nothing of the kernel compiler.

A drawn program is a tree of our own. It is written as a kernel, and computed by NumPy for all threads at once; where
only some threads are, a mask says which. What a kernel computes is compared bit by bit, with the signs of zeros.
"""

from __future__ import annotations

import importlib.util
import itertools
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from unified_gpu import Context, PythonKernel

THREADS, BLOCK = 96, 48
WHOLE = {"i16": np.int16, "i32": np.int32, "i64": np.int64, "u8": np.uint8, "u32": np.uint32}
FRACTIONS = {"f32": np.float32, "f64": np.float64}
TYPES: dict[str, Any] = WHOLE | FRACTIONS
ARRAYS = {name: f"in_{name}" for name in TYPES}
LOCALS = {"k": "i64", "m": "i32", "v": "f32", "w": "f64"}
"""Variables of a kernel, which keep their type."""
numbers = itertools.count()
Values = dict[str, Any]
"""What names mean in all threads, by name."""

HEAD = """\
import math
from unified_gpu import Array, barrier, f32, f64, global_id, group_id, i16, i32, i64, kernel, local_id, shared, u8, u32

@kernel
def drawn({params}):
    i = global_id(0)
    t = local_id(0)
    tile = shared(f64, {block})
"""


@dataclass(frozen=True)
class Term:
    """An expression: as a kernel has it, and how NumPy computes it of what names mean."""

    text: str
    compute: Callable[[Values], Any]


@dataclass
class Lines:
    """Statements: as a kernel has them, and what they do to the threads of a mask."""

    text: list[str] = field(default_factory=list)
    steps: list[Callable[[Values, Any], None]] = field(default_factory=list)

    def add(self, text: list[str], step: Callable[[Values, Any], None]) -> None:
        self.text += text
        self.steps.append(step)

    def run(self, values: Values, mask: Any) -> None:
        for step in self.steps:
            step(values, mask)


def assign(values: Values, name: str, value: Any, mask: Any) -> None:
    """To the threads of the mask alone."""
    values[name] = np.where(mask, np.asarray(value).astype(TYPES[LOCALS[name]]), values[name])


class Drawn:
    """Draws a kernel."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def pick(self, *choices: Any) -> Any:
        return self.random.choice(choices)

    # --- expressions

    def leaf(self, fraction: bool) -> Term:
        types = FRACTIONS if fraction else WHOLE
        drawn = self.random.random()
        if drawn < 0.5:
            name = self.pick(*types)
            return Term(f"in_{name}[i]", lambda values: values[f"in_{name}"])
        if drawn < 0.75:
            name = self.pick("v", "w") if fraction else self.pick("k", "m", "i", "t")
            return Term(name, lambda values: values[name])
        number = self.pick(0, 1, 2, 7, 100)
        if drawn < 0.9:
            name = self.pick(*types)
            number = self.pick(-0.0, 0.0, 0.5, -1.0, 2.5) if fraction else number
            return Term(f"{name}({number})", lambda values: types[name](number))
        return Term(str(number), lambda values: number)  # which takes the type of what it meets

    def whole(self, depth: int) -> Term:
        if depth == 0:
            return self.leaf(False)
        a, b = self.whole(depth - 1), self.whole(depth - 1)
        drawn = self.random.random()
        if drawn < 0.45:
            return self.operator(self.pick("+", "-", "*", "&", "|", "^"), self.fixed(a), b)
        if drawn < 0.6:
            return self.operator(self.pick("//", "%"), self.fixed(a), self.fixed(b))
        if drawn < 0.7:
            a = self.fixed(a)
            count = self.pick(0, 1, 3, 7)
            return self.operator(self.pick("<<", ">>"), a, Term(f"i32({count})", lambda values: np.int32(count)))
        if drawn < 0.8:
            return self.either(depth, self.fixed(a), self.fixed(b))
        if drawn < 0.9:
            return self.extreme(self.fixed(a), self.fixed(b))
        a = self.fixed(a)
        name = self.pick(*WHOLE)
        return Term(f"{name}({a.text})", lambda values: np.asarray(a.compute(values)).astype(TYPES[name])[()])

    def fraction(self, depth: int) -> Term:
        if depth == 0:
            return self.leaf(True)
        a, b = self.fraction(depth - 1), self.fraction(depth - 1)
        drawn = self.random.random()
        if drawn < 0.4:
            return self.operator(self.pick("+", "-", "*", "/"), self.fixed(a, True), b)
        if drawn < 0.5:
            return self.operator(self.pick("+", "-", "*", "/"), self.fixed(a, True), self.fixed(self.whole(depth - 1)))
        if drawn < 0.6:
            return self.operator(self.pick("//", "%"), self.fixed(a, True), self.fixed(b, True))
        if drawn < 0.7:
            return self.either(depth, self.fixed(a, True), self.fixed(b, True))
        if drawn < 0.8:
            return self.extreme(self.fixed(a, True), self.fixed(b, True))
        a = self.fixed(a, True)
        if drawn < 0.85:
            return Term(f"math.sqrt(abs({a.text}))", lambda values: np.sqrt(np.abs(a.compute(values))))
        if drawn < 0.9:
            return Term(f"(-{a.text})", lambda values: -a.compute(values))
        if drawn < 0.95:
            return Term(f"abs({a.text})", lambda values: np.abs(a.compute(values)))
        name = self.pick(*FRACTIONS)
        number = self.fixed(self.whole(depth - 1)) if self.random.random() < 0.5 else a
        return Term(f"{name}({number.text})", lambda values: np.asarray(number.compute(values)).astype(TYPES[name])[()])

    def fixed(self, term: Term, fraction: bool = False) -> Term:
        """With a type of its own, since two numbers of the source are computed by the compiler."""
        if not term.text.lstrip("-").isdigit():
            return term
        name = self.pick(*(FRACTIONS if fraction else WHOLE))
        return Term(f"{name}({term.text})", lambda values: TYPES[name](term.compute(values)))

    @staticmethod
    def operator(op: str, a: Term, b: Term) -> Term:
        compute = {
            "+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide, "//": np.floor_divide, "%": np.remainder,
            "&": np.bitwise_and, "|": np.bitwise_or, "^": np.bitwise_xor, "<<": np.left_shift, ">>": np.right_shift,
            "<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal, "==": np.equal,
            "!=": np.not_equal,
        }[op]  # fmt: skip
        return Term(f"({a.text} {op} {b.text})", lambda values: compute(a.compute(values), b.compute(values)))

    def either(self, depth: int, a: Term, b: Term) -> Term:
        test = self.condition(depth - 1)
        return Term(
            f"({a.text} if {test.text} else {b.text})",
            lambda values: np.where(test.compute(values), a.compute(values), b.compute(values)),
        )

    def extreme(self, a: Term, b: Term) -> Term:
        """Python's: the first, unless the second is beyond it."""
        name = self.pick("min", "max")
        beyond = np.less if name == "min" else np.greater

        def compute(values: Values) -> Any:
            x, y = a.compute(values), b.compute(values)
            return np.where(beyond(y, x), y, x)

        return Term(f"{name}({a.text}, {b.text})", compute)

    def condition(self, depth: int) -> Term:
        drawn = self.random.random()
        if depth > 0 and drawn < 0.3:
            a, b = self.condition(depth - 1), self.condition(depth - 1)
            name, join = self.pick(("and", np.logical_and), ("or", np.logical_or))
            return Term(f"({a.text} {name} {b.text})", lambda values: join(a.compute(values), b.compute(values)))
        if depth > 0 and drawn < 0.4:
            inner = self.condition(depth - 1)
            return Term(f"(not {inner.text})", lambda values: np.logical_not(inner.compute(values)))
        side = self.whole if self.random.random() < 0.5 else self.fraction
        is_fraction = side == self.fraction
        a, b = self.fixed(side(max(depth, 0)), is_fraction), side(max(depth, 0))
        return self.operator(self.pick("<", "<=", ">", ">=", "==", "!="), a, b)

    # --- statements

    def statements(self, depth: int, pad: str, in_all: bool) -> Lines:
        lines = Lines()
        for _ in range(self.random.randint(2, 4)):
            drawn = self.random.random()
            if drawn < 0.2 and in_all:
                self.exchange(lines, pad)
            elif drawn < 0.45 and depth:
                self.branch(lines, depth, pad)
            elif drawn < 0.65 and depth:
                self.loop(lines, depth, pad, in_all)
            else:
                self.assignment(lines, pad)
        return lines

    def assignment(self, lines: Lines, pad: str) -> None:
        name = self.pick(*LOCALS)
        value = (self.fraction if LOCALS[name] in FRACTIONS else self.whole)(2)
        lines.add(
            [f"{pad}{name} = {LOCALS[name]}({value.text})"],
            lambda values, mask: assign(values, name, value.compute(values), mask),
        )

    def branch(self, lines: Lines, depth: int, pad: str) -> None:
        test = self.condition(1)
        then, otherwise = (self.statements(depth - 1, f"{pad}    ", False) for _ in range(2))

        def step(values: Values, mask: Any) -> None:
            found = np.broadcast_to(test.compute(values), mask.shape)
            then.run(values, mask & found)
            otherwise.run(values, mask & ~found)

        lines.add([f"{pad}if {test.text}:", *then.text, f"{pad}else:", *otherwise.text], step)

    def loop(self, lines: Lines, depth: int, pad: str, in_all: bool) -> None:
        """A thread turns as often as it says itself, or all of a block as often as an array says, with barriers."""
        name, inner = f"n{next(numbers)}", f"{pad}    "
        by_block = in_all and self.random.random() < 0.6
        stop = "turns[group_id(0)]" if by_block else "(in_u8[i] & 3)"
        body = self.statements(depth - 1, inner, by_block)
        leave = self.condition(1) if not by_block and self.random.random() < 0.5 else None
        text = [f"{pad}for {name} in range({stop}):", f"{inner}k += {name}", *body.text]
        text += [f"{inner}if {leave.text}:", f"{inner}    {self.pick('break', 'break')}"] if leave else []

        def step(values: Values, mask: Any) -> None:
            left = values["turns"][np.arange(THREADS) // BLOCK] if by_block else values["in_u8"] & 3
            inside = mask.copy()
            for turn in range(4):
                inside &= turn < left
                assign(values, "k", values["k"] + turn, inside)
                body.run(values, inside)
                if leave:
                    inside &= ~np.broadcast_to(leave.compute(values), inside.shape)

        lines.add(text, step)

    def exchange(self, lines: Lines, pad: str) -> None:
        """The neighbours of a block read what each has written."""
        value, distance = self.fixed(self.fraction(1), True), self.random.randint(1, 40)
        text = [
            f"{pad}tile[t] = f64({value.text})",
            f"{pad}barrier()",
            f"{pad}w = tile[(t + {distance}) % {BLOCK}]",
            f"{pad}barrier()",
        ]

        def step(values: Values, mask: Any) -> None:
            given = np.broadcast_to(np.asarray(value.compute(values)).astype("f8"), THREADS).reshape(-1, BLOCK)
            assign(values, "w", np.roll(given, -distance, axis=1).ravel(), mask)

        lines.add(text, step)

    def kernel(self) -> Lines:
        lines = Lines()
        for name, dtype in LOCALS.items():
            lines.add([f"    {name} = {dtype}(0)"], lambda values, mask, name=name: assign(values, name, 0, mask))
        body = self.statements(2, "    ", True)
        ends = [f"    out_{name}[i] = {name}" for name in LOCALS]
        return Lines([*lines.text, *body.text, *ends], [*lines.steps, *body.steps])


def inputs(seed: int) -> Values:
    rng = np.random.default_rng(seed)
    special = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 0.5, -2.5]
    values: Values = {}
    for name, dtype in WHOLE.items():
        limits = np.iinfo(dtype)
        values[f"in_{name}"] = rng.integers(limits.min, limits.max, THREADS, dtype, endpoint=True)
        values[f"in_{name}"][::3] = rng.integers(0, 9, len(values[f"in_{name}"][::3])).astype(dtype)
    for name, dtype in FRACTIONS.items():
        values[f"in_{name}"] = (rng.standard_normal(THREADS) * 10).astype(dtype)
        values[f"in_{name}"][::4] = rng.choice(special, len(values[f"in_{name}"][::4])).astype(dtype)
    values["turns"] = np.arange(THREADS // BLOCK, dtype="i4") + 1
    return values


def imported(text: str, folder: Path) -> PythonKernel:
    file = folder / f"drawn{next(numbers)}.py"
    file.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    made: PythonKernel = module.drawn
    return made


def check(ctx: Context, seed: int, folder: Path) -> None:
    lines = Drawn(Random(seed)).kernel()
    params = [f"in_{name}: Array[{name}, 1]" for name in TYPES] + ["turns: Array[i32, 1]"]
    params += [f"out_{name}: Array[{dtype}, 1]" for name, dtype in LOCALS.items()]
    text = HEAD.format(params=", ".join(params), block=BLOCK) + "\n".join(lines.text) + "\n"
    values = inputs(seed)
    places = [ctx.alloc_upload(values[f"in_{name}"], name) for name in TYPES] + [
        ctx.alloc_upload(values["turns"], "i32")
    ]
    outs = [ctx.alloc_zeros(THREADS, dtype) for dtype in LOCALS.values()]
    ctx.launch(imported(text, folder), THREADS, [*places, *outs], local_size=BLOCK)
    threads = np.arange(THREADS, dtype="i4")
    values |= {"i": threads, "t": threads % BLOCK}
    values |= {name: np.zeros(THREADS, TYPES[dtype]) for name, dtype in LOCALS.items()}
    with np.errstate(all="ignore"):
        lines.run(values, np.ones(THREADS, bool))
    for out, (name, dtype) in zip(outs, LOCALS.items(), strict=True):
        found, wanted = np.asarray(out.download()), values[name]
        bits = f"u{found.itemsize}"
        same = (found.view(bits) == wanted.view(bits)) | ((found != found) & (wanted != wanted))
        where = np.flatnonzero(~same)
        where = where[:5]
        told = f"seed {seed}: {name} ({dtype}) of threads {where} is {found[where]} for {wanted[where]}\n{text}"
        assert same.all(), told


@pytest.mark.parametrize("seed", range(4))
def test_random_kernels(ctx: Context, tmp_path: Path, seed: int) -> None:
    check(ctx, seed, tmp_path)


@pytest.mark.slow
def test_many_random_kernels(ctx: Context, tmp_path: Path) -> None:
    first = int(os.environ.get("KERNELS_SEED", "1000"))
    for seed in range(first, first + int(os.environ.get("KERNELS", "100"))):
        check(ctx, seed, tmp_path)
