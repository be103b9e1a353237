"""What kernels written in Python tell about themselves: lines that they print, and races in the checked mode."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tests.gpu.python_kernels import CASES, Case
from unified_gpu import (
    Array,
    Context,
    KernelSourceError,
    atomic_add,
    atomic_max,
    barrier,
    device,
    f16,
    f32,
    global_id,
    group_id,
    i32,
    i64,
    kernel,
    local_id,
    shared,
    subgroup_sum,
    u8,
)
from unified_gpu.kernels.decorated.definition import PythonKernel


@pytest.fixture(scope="module")
def cpu() -> Iterator[Context]:
    with Context("cpu") as context:
        yield context


@pytest.fixture
def checked(monkeypatch: pytest.MonkeyPatch) -> Iterator[Context]:
    monkeypatch.setenv("DL_CHECK", "1")
    with Context("cpu") as context:
        yield context


# --- printing --------------------------------------------------------------------------------------------------------


@device
def loud(x: f32) -> f32:
    print("loud", x)
    return x + f32(0.5)


@kernel
def talks(x: Array[f32, 1], small: Array[u8, 1], large: Array[i64, 1], half: f16, flag: bool):
    i = global_id(0)
    if i == 1:
        print()
        print(f"100% of x[{i}] = {x[i]}", small[0], large[0], half, flag, 0.25, -3, 'ä"\t\\ ??/')
        print(loud(1.0) + loud(2.0), math.isnan(loud(3.0)))


LINES = r"""
100% of x[1] = 0.333333 200 -9223372036854775808 0.5 True 0.25 -3 ä"	\ ??/
loud 1
loud 2
loud 3
4 False
"""


def arguments() -> list[Any]:
    x, small = np.arange(2, dtype="f4") / 3, np.array([200], "u1")
    return [x, small, np.array([-(2**63)]), 0.5, True]


@pytest.mark.parametrize("mode", ["0", "1"])
def test_lines_are_printed(mode: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("DL_CHECK", mode)
    with Context("cpu") as context:
        given = [context.alloc_upload(each) if isinstance(each, np.ndarray) else each for each in arguments()]
        context.launch(talks, 2, given)
        context.sync()
    assert capfd.readouterr().out == LINES


def test_the_reference_prints_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    talks.reference(2, arguments())
    assert capsys.readouterr().out == LINES


@kernel
def formats(x: Array[f32, 1]):
    print(f"{x[0]:.3f}")


@kernel
def prints_an_array(x: Array[f32, 1]):
    print("x is", x)


@kernel
def prints_by_name(x: Array[f32, 1]):
    print(x[0], end="")


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (formats, r"numbers without a format(.|\n)*hint: leave out what follows : or !"),
        (prints_an_array, r"prints texts and numbers(.|\n)*hint: print the elements one by one"),
        (prints_by_name, "passed by their place"),
    ],
    ids=str,
)
def test_what_cannot_be_printed(made: PythonKernel, message: str) -> None:
    with pytest.raises(KernelSourceError, match=message):
        made.source("cuda")


def test_vulkan_cannot_print() -> None:
    with pytest.raises(KernelSourceError, match=r"test_python_kernel_checks\.py:\d+: Vulkan cannot print"):
        loud_alone.spirv()


@kernel
def loud_alone(x: Array[f32, 1]):
    x[0] = loud(x[0])


# --- races -----------------------------------------------------------------------------------------------------------


@kernel
def reads_too_early(x: Array[i32, 1]):
    tile = shared(i32, 64)
    t = local_id(0)
    tile[t] = x[t]
    x[t] = tile[63 - t]


@kernel
def writes_too_early(x: Array[i32, 1]):
    tile = shared(i32, (8, 8))
    t = local_id(0)
    tile[t // 8, t % 8] = x[t]
    barrier()
    before = tile[t % 8, t // 8]
    tile[t // 8, t % 8] = before


@kernel
def all_write_one(x: Array[i32, 1]):
    last = shared(i32, 1)
    last[0] = x[local_id(0)]
    barrier()
    x[local_id(0)] = last[0]


@kernel
def reads_what_atomics_change(x: Array[i32, 1]):
    total = shared(i32, 1)
    t = local_id(0)
    if t == 0:
        total[0] = 0
    barrier()
    atomic_add(total, 0, x[t])
    x[t] = total[0]


@kernel
def late_in_a_loop(x: Array[i32, 1]):
    tile = shared(i32, 64)
    t = local_id(0)
    tile[t] = x[t]
    barrier()
    for turn in range(3):
        if turn == 2 and t == 5:
            tile[6] = 1
        x[t] = tile[t]
        barrier()


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (reads_too_early, r"this thread (reads|writes) element \d+ of tile, which another one (reads|writes) at"),
        (writes_too_early, r"this thread (reads|writes) element \d+ of tile, which another one (reads|writes) at"),
        (all_write_one, r"this thread writes element 0 of last, which another one writes at"),
        (reads_what_atomics_change, r"this thread \w+ element 0 of total, which another one (reads|writes) at"),
        (late_in_a_loop, r"this thread (reads|writes) element 6 of tile, which another one (writes|reads) at"),
    ],
    ids=str,
)
def test_races_are_found(checked: Context, made: PythonKernel, message: str) -> None:
    place = r" test_python_kernel_checks\.py:\d+, with no barrier\(\) between, in thread \("
    with pytest.raises(RuntimeError, match=rf"kernel {made.name} failed at test_\w+\.py:\d+: {message}{place}"):
        checked.launch(made, 64, [checked.alloc_zeros(64, "i32")], local_size=64)
        checked.sync()


@kernel
def no_race(x: Array[i32, 1], most: Array[i32, 1]):
    tile = shared(i32, 64)
    total = shared(i32, 2)
    t = local_id(0)
    if t < 2:
        total[t] = 0
    tile[t] = x[global_id(0)]
    tile[t] += 1
    barrier()
    atomic_add(total, 0, tile[63 - t])
    atomic_max(total, 1, tile[t])
    barrier()
    if t == 0:
        most[group_id(0)] = total[0] + total[1]


def test_the_blocks_of_a_launch_are_no_race(checked: Context) -> None:
    x, most = checked.alloc_upload(np.arange(256, dtype="i4")), checked.alloc_zeros(4, "i32")
    for _ in range(2):
        checked.launch(no_race, 256, [x, most], local_size=64)
    wanted = [sum(range(64 * g + 1, 64 * g + 65)) + 64 * g + 64 for g in range(4)]
    assert most.tolist() == wanted


SHARING = [case for case in CASES if str(case) in ("block_sum", "scan", "transpose", "histogram", "an operator of C++")]
SHARING += [case for case in CASES if str(case) in ("subgroup_votes", "subgroup_turns 4")]  # each is compiled for long


@pytest.mark.parametrize("case", SHARING, ids=str)
def test_kernels_without_races_pass(checked: Context, case: Case) -> None:
    made = case.make(np.random.default_rng(0))
    given = [checked.alloc_upload(each, each.dtype) if isinstance(each, np.ndarray) else each for each in made]
    checked.launch(case.kernel, case.global_size, given, local_size=case.local_size)
    checked.sync()
    case.kernel.reference(case.global_size, made, local_size=case.local_size)
    for mine, right in zip(given, made, strict=True):
        if isinstance(right, np.ndarray):
            np.testing.assert_array_equal(mine.download(), right)


@kernel
def exchanged_too_early(x: Array[i32, 1]):
    tile = shared(i32, 64)
    t = local_id(0)
    tile[t] = subgroup_sum(x[t])
    x[t] = tile[63 - t]


def test_an_exchange_is_no_barrier(checked: Context) -> None:
    with pytest.raises(RuntimeError, match=r"element \d+ of tile, which another one (reads|writes) at"):
        checked.launch(exchanged_too_early, 64, [checked.alloc_zeros(64, "i32")], local_size=64)
        checked.sync()
