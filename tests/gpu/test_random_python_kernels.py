"""Random kernels in Python: the CPU gives the same bits as the reference."""

from __future__ import annotations

import importlib.util
import itertools
import re
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from unified_gpu import Context, KernelSourceError, PythonKernel

QUICK = settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
THOROUGH = settings(QUICK, max_examples=300, derandomize=False)
seeds = st.integers(0, 2**40)
numbers = itertools.count()

HEAD = """\
import math
from unified_gpu import Array, barrier, device, f32, f64, global_id, group_id, i16, i32, i64, kernel, local_id
from unified_gpu import lane_id, local_size, shared, subgroup_all, subgroup_any, subgroup_max, subgroup_min
from unified_gpu import subgroup_shuffle, subgroup_shuffle_down, subgroup_shuffle_up, subgroup_shuffle_xor
from unified_gpu import subgroup_size, subgroup_sum, u8, u32

@device
def mixed(p, q):
    if p < q:
        return p - q
    return p + 1

"""


class Expressions:
    """Draws expressions over the variables of `KERNEL`, of every type and its promotions."""

    whole = ("a[i]", "b[i]", "c[i]", "d[i]", "e[i]", "i", "k", "3", "-7", "i32(99)", "u8(200)", "i64(1 << 40)")
    fractions = ("x[i]", "y[i]", "q", "0.5", "-3.75", "f32(1.25)", "f64(2.5)")

    def __init__(self, random: Random) -> None:
        self.random = random

    def pick(self, *choices: str) -> str:
        return self.random.choice(choices)

    def int(self, depth: int) -> str:
        if depth == 0 or self.random.random() < 0.1:
            return self.pick(*self.whole)
        a, b = self.int(depth - 1), self.int(depth - 1)
        return self.pick(
            f"({a} {self.pick('+', '-', '*')} {b})",
            f"({a} {self.pick('+', '-', '*')} {b})",
            f"({a} {self.pick('//', '%')} i32({b} & 15))",
            f"({a} {self.pick('//', '%')} {self.pick('8', '7', '-4', 'b[i]', 'd[i]')})",
            f"({a} {self.pick('&', '|', '^')} {b})",
            f"({a} {self.pick('<<', '>>')} i32({b} & 63))",
            f"(-({a} + k))",
            f"(~({a} | k))",
            f"abs({a} - e[i])",
            f"({a} if {self.bool(depth - 1)} else {b})",
            f"{self.pick('min', 'max')}({a}, {b})",
            f"mixed({a} + i, {b} + i)" if self.random.random() < 0.3 else f"i16({a} + i)",
        )

    def float(self, depth: int) -> str:
        if depth == 0 or self.random.random() < 0.1:
            return self.pick(*self.fractions)
        a, b = self.float(depth - 1), self.float(depth - 1)
        return self.pick(
            f"({a} {self.pick('+', '-', '*')} {b})",
            f"({a} {self.pick('+', '-', '*')} {self.int(depth - 1)})",
            f"({a} / (abs({b}) + 1.0))",
            f"({a} {self.pick('//', '%')} {self.pick('y[i]', 'x[i]', '0.75', '-2.5')})",
            f"math.sqrt(abs({a}))",
            f"(x[i] * {a}) ** 2",
            f"({a} if {self.bool(depth - 1)} else {b})",
            f"{self.pick('min', 'max')}({a}, {b})",
            f"f32(x[i] + {a})",
        )

    def bool(self, depth: int) -> str:
        a, b, c = (self.pick(self.int(max(depth - 1, 0)), self.float(max(depth - 1, 0))) for _ in range(3))
        compare = ("<", "<=", ">", ">=", "==", "!=")
        if depth <= 0 or self.random.random() < 0.5:
            return f"(i + {a} {self.pick(*compare)} {b})"
        return self.pick(
            f"(i + {a} {self.pick(*compare)} {b} {self.pick(*compare)} {c})",
            f"({self.bool(depth - 1)} {self.pick('and', 'or')} {self.bool(depth - 1)})",
            f"(not {self.bool(depth - 1)})",
        )

    def kernel(self) -> str:
        return "\n".join(
            [
                "@kernel",
                "def drawn(a: Array[i32, 1], b: Array[i32, 1], c: Array[i16, 1], d: Array[u8, 1], e: Array[i64, 1],",
                "          x: Array[f32, 1], y: Array[f64, 1], oi: Array[i64, 2], of: Array[f64, 2], q: f32):",
                "    i = global_id(0)",
                "    k = a[i]",
                f"    oi[0, i] = {self.int(3)}",
                f"    of[0, i] = {self.float(3)}",
                f"    for j in range({self.pick('3', '5', 'd[i] & 3')}):",
                f"        if {self.bool(2)}:",
                f"            k ^= i32({self.int(2)})",
                "            continue",
                f"        elif {self.bool(1)}:",
                "            break",
                f"        k += j * {self.pick('3', '-1', 'k')}",
                f"    oi[1, i] = {self.int(3)} ^ k",
                f"    of[1, i] = {self.float(3)}",
            ]
        )


class Barriers:
    """Draws control flow around barriers: `u` is the same in all threads of a block, `v` is not."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def pick(self, *choices: str) -> str:
        return self.random.choice(choices)

    def number(self) -> str:
        return str(self.random.randint(1, 9))

    def uniform(self) -> str:
        one, other = (
            self.pick("u0", "u1", "u2"),
            self.pick("u0", "u1", "u2", "group_id(0)", "local_size(0)", self.number()),
        )
        return f"(({one} * {self.number()} + {other}) & 63)"

    def varying(self) -> str:
        one, other = self.pick("v0", "v1", "v2", "t"), self.pick("v0", "v1", "v2", "u0", "u1", "t", "global_id(0)")
        return f"(({one} * {self.number()} + {other}) & 1023)"

    def exchange(self) -> str:
        lane = self.pick("1", "v0 & 7", "lane_id() - 2", "t")
        shuffle = f"shuffle{self.pick('_up', '_down', '_xor', '')}({self.varying()}, {lane})"
        return self.pick(
            f"subgroup_{self.pick('sum', 'min', 'max')}({self.varying()})",
            f"subgroup_{shuffle} - v1",
            f"i32(subgroup_{self.pick('any', 'all')}({self.varying()} < 900)) + subgroup_size()",
            f"subgroup_max(v2) + subgroup_sum(subgroup_min({self.varying()}) + u1)",
        )

    def block(self, depth: int, pad: str, uniform: bool, loop: bool) -> list[str]:
        lines: list[str] = []
        inner = f"{pad}    "
        for _ in range(self.random.randint(1, 4)):
            drawn = self.random.random()
            if drawn < 0.2:
                lines.append(f"{pad}{self.pick('v0', 'v1', 'v2')} = {self.varying()}")
            elif drawn < 0.25 and (uniform or self.random.random() < 0.05):  # elsewhere it is refused
                lines.append(f"{pad}{self.pick('v0', 'v1', 'v2')} = {self.exchange()}")
            elif drawn < 0.4:
                name, value = ("u", self.uniform()) if uniform else ("v", self.varying())
                lines.append(f"{pad}{name}{self.pick('0', '1', '2')} = {value}")
            elif drawn < 0.6 and uniform:
                lines += [f"{pad}tile[t] = {self.varying()}", f"{pad}barrier()"]
                lines += [f"{pad}v1 = tile[(t + {self.number()}) % local_size(0)]", f"{pad}barrier()"]
            elif drawn < 0.7 and depth:
                lines += [f"{pad}if {self.uniform()} < 30:", *self.block(depth - 1, inner, uniform, loop)]
                if self.random.random() < 0.5:
                    lines += [f"{pad}else:", *self.block(depth - 1, inner, uniform, loop)]
            elif drawn < 0.8 and depth:
                lines += [f"{pad}if {self.varying()} < 500:", *self.block(depth - 1, inner, False, False)]
            elif drawn < 0.9 and depth:
                name = f"n{next(numbers)}"
                stop = self.pick("3", "u0 & 3") if uniform else "t % 4"
                lines += [f"{pad}for {name} in range({stop}):", f"{inner}v0 += {name}"]
                lines += self.block(depth - 1, inner, uniform, True)
            elif loop:
                test = self.uniform() if uniform else self.varying()
                lines += [f"{pad}if {test} > 20:", f"{inner}{self.pick('break', 'continue')}"]
            elif uniform and self.random.random() < 0.4:
                lines += [f"{pad}if {self.uniform()} > 40:", f"{inner}out[global_id(0)] = v1", f"{inner}return"]
        return lines or [f"{pad}v2 = t"]

    def kernel(self) -> str:
        starts = [f"    u{n} = {self.number()} + group_id(0)" for n in range(3)]
        starts += [f"    v{n} = t * {self.number()}" for n in range(3)]
        body = [*self.block(3, "    ", True, False), *self.block(3, "    ", True, False)]
        end = "    out[global_id(0)] = v0 + 3 * v1 + 5 * v2 + 11 * u0 + 13 * u1 + 17 * u2"
        head = ["@kernel", "def drawn(out: Array[i32, 1]):", "    tile = shared(i32, 48)", "    t = local_id(0)"]
        return "\n".join([*head, *starts, *body, end])


def imported(text: str, folder: Path) -> PythonKernel:
    file = folder / f"drawn{next(numbers)}.py"
    file.write_text(f"{HEAD}{text}\n", encoding="utf-8")
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    made: PythonKernel = module.drawn
    return made


def compare(made: PythonKernel, text: str, size: int, args: Sequence[Any], local_size: int | None) -> None:
    wanted = [arg.copy() if isinstance(arg, np.ndarray) else arg for arg in args]
    made.reference(size, wanted, local_size=local_size)
    with Context("cpu") as ctx:
        places = [ctx.alloc_upload(arg, arg.dtype) if isinstance(arg, np.ndarray) else arg for arg in args]
        ctx.launch(made, size, places, local_size=local_size)
        for place, theirs in zip(places, wanted, strict=True):
            if isinstance(theirs, np.ndarray):
                np.testing.assert_array_equal(place.download(), theirs, err_msg=text)


def check_expressions(seed: int, folder: Path) -> None:
    text = Expressions(Random(seed)).kernel()
    rng = np.random.default_rng(seed)
    size = 48
    a = rng.integers(-(2**31), 2**31, size).astype("i4")
    a[::2] = rng.integers(-1000, 1000, size // 2)
    args = [a, rng.integers(-40, 40, size).astype("i4"), rng.integers(-(2**15), 2**15, size).astype("i2")]
    args += [rng.integers(0, 256, size).astype("u1"), rng.integers(-(2**62), 2**62, size)]
    args += [(rng.standard_normal(size) * 10).astype("f4"), rng.standard_normal(size) * 10]
    args += [np.zeros((2, size), "i8"), np.zeros((2, size), "f8")]
    made = imported(text, folder)
    try:
        compare(made, text, size, [*args, 1.5], None)
    except KernelSourceError as refused:
        assert any(each in str(refused) for each in ("does not fit in", "in the middle of a comparison")), text


def check_barriers(seed: int, folder: Path) -> None:
    text = Barriers(Random(seed)).kernel()
    made = imported(text, folder)
    try:
        made.ir()
    except KernelSourceError as refused:
        assert re.search("not every thread of the block reaches this (barrier|subgroup_)", str(refused)), text
        return
    compare(made, text, 96, [np.zeros(96, "i4")], Random(seed).choice((32, 48, 24)))  # 32 threads form a subgroup


@QUICK
@given(seeds)
def test_random_expressions(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    check_expressions(seed, tmp_path_factory.mktemp("drawn"))


@QUICK
@given(seeds)
def test_random_barriers(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    check_barriers(seed, tmp_path_factory.mktemp("drawn"))


@pytest.mark.slow
@THOROUGH
@given(seeds)
def test_many_random_expressions(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    check_expressions(seed, tmp_path_factory.mktemp("drawn"))


@pytest.mark.long
@THOROUGH
@given(seeds)
def test_many_random_barriers(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    check_barriers(seed, tmp_path_factory.mktemp("drawn"))
