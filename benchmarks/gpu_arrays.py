"""Measures operations of arrays, the checked mode and Vulkan's operations, beside NumPy, torch and kernels; exits 0.

python benchmarks/gpu_arrays.py [--rounds 5] [--short] [--json FILE]

torch is measured where it is installed, Vulkan where there is a driver.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from common import SPREAD, Wanted, machine, publish, ratios, summarize, table, write_json
from gpu_plain_kernels import reduction, saxpy, stencil

from unified_gpu import (
    Array,
    BackendUnavailable,
    Context,
    exp,
    f32,
    global_id,
    kernel,
    where,
)
from unified_gpu.backends.checked_mode import VARIABLE

SMALL, MILLION, SIDE, BLOCK = 16, 1_000_000, 1000, 256
MATRIX = 512
REPEATS = 5
"""Of each measurement in a round, of which the shortest counts."""

NOTES = f"""\
{SPREAD} In a round the shortest of {REPEATS} runs counts. All run on the
threads that there are, ours until it is done; results are new arrays on each side. Small operations are of {SMALL} f32,
and counted by the hundred; the others are of a million elements, {SIDE} x {SIDE} where there are axes: ours are shared
among threads, and take up to twice as long where others use the machine. The checked mode is
`DL_CHECK=1`, in which each index is looked at; the sum is of blocks of {BLOCK} threads with barriers. A slice over
Vulkan is every second element of both axes, copied, beside a kernel in Python that does so; the driver is Mesa's
lavapipe, unless `VK_ICD_FILENAMES` chooses another."""


@dataclass(frozen=True)
class Row:
    """One comparison: what is called for it, and for its peer, and how many times the peer's time it may take."""

    what: str
    peer: str
    bound: float
    ours: Callable[[], object]
    theirs: Callable[[], object]
    calls: int = 1


def shortest(call: Callable[[], object], calls: int) -> float:
    """Seconds of one call."""
    best = float("inf")
    for _ in range(REPEATS):
        start = time.perf_counter()
        for _ in range(calls):
            call()
        best = min(best, (time.perf_counter() - start) / calls)
    return best


def measure(rows: list[Row], rounds: int) -> dict[str, list[tuple[float, float]]]:
    found: dict[str, list[tuple[float, float]]] = {}
    for row in rows:
        for call in (row.ours, row.theirs):
            call()  # compiles what has to be
    for _ in range(rounds):
        for row in rows:
            pair = shortest(row.ours, row.calls), shortest(row.theirs, row.calls)
            found.setdefault(f"{row.what}, time of {row.peer}", []).append(pair)
    return found


# --- what is measured ----------------------------------------------------------------------------------------


def small_rows(ctx: Context) -> list[Row]:
    """Until they are queued, as torch counts on its CPU, where nothing is queued: ours compute at once, too."""
    try:
        import torch
    except ImportError:
        print("not available: torch, which small operations are measured beside", file=sys.stderr)
        return []
    numbers = np.linspace(-1, 1, SMALL, dtype="f4")
    x, other = ctx.alloc_upload(numbers), torch.from_numpy(numbers)
    is_positive, theirs_positive = x > 0, other > 0
    pairs: dict[str, tuple[Callable[[], object], Callable[[], object]]] = {
        "x + 1": (lambda: x + 1, lambda: other + 1),
        "x.sum()": (lambda: x.sum(), lambda: other.sum()),
        "sin(x)": (lambda: ctx.functions.sin(x), lambda: torch.sin(other)),
        "where(x > 0, x, 0)": (
            lambda: where(is_positive, x, 0),
            lambda: torch.where(theirs_positive, other, 0),
        ),
    }
    return [Row(f"small: {name}", "torch", 1.5, *both, calls=100) for name, both in pairs.items()]


def large_rows(ctx: Context) -> list[Row]:
    rng = np.random.default_rng(1)
    data: dict[str, Any] = {name: rng.random(MILLION).astype(name) + 0.5 for name in ("f4", "f8")}
    data |= {name: rng.integers(-(2**30), 2**30, MILLION).astype(name) for name in ("i4", "i8")}
    ours = {name: ctx.alloc_upload(each) for name, each in data.items()}
    table_of, ours_of = data["f4"].reshape(SIDE, SIDE), ours["f4"].reshape(SIDE, SIDE)
    functions = ctx.functions

    def done(call: Callable[[], object]) -> Callable[[], None]:
        def run() -> None:
            call()
            ctx.sync()

        return run

    rows = [
        Row("exp of f64", "NumPy", 1.2, done(lambda: exp(ours["f8"])), lambda: np.exp(data["f8"])),
        Row("sum of columns, f32", "NumPy", 1.2, done(lambda: ours_of.sum(0)), lambda: table_of.sum(0)),
        Row("greatest of columns, f32", "NumPy", 1.2, done(lambda: ours_of.max(0)), lambda: table_of.max(0)),
    ]
    for name, dtype in (("f4", "f32"), ("f8", "f64")):
        x, theirs = ours[name], data[name]
        rows.append(Row(f"x ** 1.5 of {dtype}", "NumPy", 1.2, done(lambda x=x: x**1.5), lambda y=theirs: y**1.5))
    for name, dtype in (("f4", "f32"), ("i4", "i32"), ("i8", "i64")):
        x, theirs = ours[name], data[name]
        rows.append(
            Row(f"sort of {dtype}", "NumPy", 1.5, done(lambda x=x: functions.sort(x)), lambda y=theirs: np.sort(y))
        )
    for name, dtype in (("f4", "f32"), ("i4", "i32"), ("i8", "i64")):
        x, theirs = ours[name], data[name]
        ours_sums, their_sums = done(lambda x=x: functions.cumulative_sum(x)), lambda y=theirs: np.cumsum(y)
        rows.append(Row(f"running sum of {dtype}", "NumPy", 1.5, ours_sums, their_sums))
    return rows


def launches(ctx: Context) -> dict[str, Callable[[], None]]:
    """Kernels that are launched, and waited for."""
    x, y = ctx.ones(MILLION), ctx.ones(MILLION)
    matrix, result = ctx.ones((SIDE, SIDE)), ctx.ones((SIDE, SIDE))
    blocks = MILLION // BLOCK
    out = ctx.ones(blocks)

    def run(kernel: Any, sizes: Any, args: list[Any], local_size: int | None = None) -> Callable[[], None]:
        def call() -> None:
            ctx.launch(kernel, sizes, args, local_size=local_size)
            ctx.sync()

        return call

    return {
        "saxpy": run(saxpy, MILLION, [2.0, x, y]),
        "stencil": run(stencil, (SIDE, SIDE), [matrix, result]),
        "sums with barriers": run(reduction, blocks * BLOCK, [x, out], BLOCK),
    }


@contextmanager
def checked() -> Iterator[None]:
    os.environ[VARIABLE] = "1"
    try:
        yield
    finally:
        del os.environ[VARIABLE]


def checked_rows(ctx: Context, looking: Context) -> list[Row]:
    plain = launches(ctx)
    with checked():
        slow = launches(looking)
        for call in slow.values():
            call()  # compiled with checks, and kept by its context
    return [Row(f"checked mode: {name}", "the same without checks", 20, slow[name], plain[name]) for name in plain]


@kernel
def every_second(out: Array[f32, 2], x: Array[f32, 2]):
    i, j = global_id(0), global_id(1)
    out[i, j] = x[2 * i, 2 * j]


def vulkan_rows(ctx: Context, cpu: Context) -> list[Row]:
    x, half = ctx.ones((SIDE, SIDE)), ctx.zeros((SIDE // 2, SIDE // 2))
    matrix, cpus = ctx.ones((MATRIX, MATRIX)), cpu.ones((MATRIX, MATRIX))

    def sliced() -> None:
        half[...] = x[::2, ::2]
        ctx.sync()

    def launched() -> None:
        ctx.launch(every_second, half.shape, [half, x])
        ctx.sync()

    def product() -> None:
        matrix @ matrix
        ctx.sync()

    def product_of_cpu() -> None:
        cpus @ cpus
        cpu.sync()

    return [
        Row("Vulkan: copy of a slice", "a kernel", 2, sliced, launched),
        Row(f"Vulkan: product of {MATRIX} x {MATRIX}", "the cpu backend", 4, product, product_of_cpu),
    ]


# --- the page --------------------------------------------------------------------------------------------------


def bounds_of(rows: list[Row], found: Mapping[str, list[tuple[float, float]]]) -> list[Wanted]:
    wanted = []
    for row in rows:
        what = f"{row.what}, time of {row.peer}"
        ours, theirs = zip(*found[what], strict=True)
        wanted.append(Wanted(what, row.bound, ratios(ours, theirs)))
    return wanted


def shown(rows: list[Row], found: Mapping[str, list[tuple[float, float]]]) -> str:
    def cell(values: tuple[float, ...]) -> str:
        return f"{summarize(values).median * 1e6:,.1f}"

    lines = []
    for row in rows:
        ours, theirs = zip(*found[f"{row.what}, time of {row.peer}"], strict=True)
        lines.append([row.what, row.peer, cell(ours), cell(theirs)])
    return table(("operation", "peer", "ours, µs", "the peer's, µs"), lines, texts=2)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure operations of arrays.")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--short", action="store_true", help="3 rounds, for a quick look")
    parser.add_argument("--json", type=Path, help="write every single figure to this file")
    options = parser.parse_args()
    if options.short:
        options.rounds = 3
    if options.rounds < 1:
        parser.error("rounds start at 1")
    return options


def main() -> None:
    options = arguments()
    with Context("cpu") as cpu, Context("cpu") as looking:
        rows = [*small_rows(cpu), *large_rows(cpu), *checked_rows(cpu, looking)]
        facts: dict[str, Any] = dict(machine())
        try:
            vulkan = Context("vulkan")
        except BackendUnavailable as error:
            print(f"not available: Vulkan: {error}", file=sys.stderr)
            found = measure(rows, options.rounds)
        else:
            with vulkan:
                facts["Vulkan"] = vulkan.device.name
                rows += vulkan_rows(vulkan, cpu)
                found = measure(rows, options.rounds)
        bounds = bounds_of(rows, found)
    page = publish("Arrays of unified_gpu", facts, [NOTES, shown(rows, found)], bounds)
    write_json(options.json, facts, page, bounds, found)


if __name__ == "__main__":
    main()
