"""What the threads of a subgroup do together, as far as devices differ: how many they are, and what they can do."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from tests.gpu.python_kernels import subgroup_block_sum, subgroup_scan, subgroup_votes
from unified_gpu import (
    Array,
    Context,
    KernelSourceError,
    PythonKernel,
    global_id,
    i32,
    i64,
    kernel,
    subgroup_ballot,
    subgroup_count,
    subgroup_max,
    subgroup_size,
    subgroup_sum,
)
from unified_gpu.backends.protocols import ModuleDevice
from unified_gpu.kernels.decorated.modules import check_subgroups

OVER_VULKAN = pytest.mark.parametrize("backend", ["vulkan"], indirect=True)
ALL = {"vote", "ballot", "arithmetic", "shuffle", "wide"}


@kernel
def sizes(out: Array[i32, 1]):
    out[global_id(0)] = 1000 * subgroup_count() + subgroup_size()


@kernel
def sum_of_wide(x: Array[i64, 1], out: Array[i64, 1]):
    i = global_id(0)
    out[i] = subgroup_sum(x[i]) + subgroup_max(i)


@kernel
def ballots(x: Array[i32, 1], out: Array[i64, 1]):
    i = global_id(0)
    out[i] = i64(subgroup_ballot(x[i] > 0))


@kernel
def sums_of_fractions(x, out):
    i = global_id(0)
    out[i] = subgroup_sum(x[i])


def test_the_context_knows_the_size(ctx: Context) -> None:
    out = ctx.alloc_zeros(256, "i32")
    ctx.launch(sizes, 256, [out], local_size=128)
    assert ctx.subgroup_size in (8, 32)  # of lavapipe on this machine, and of the others
    assert set(out.tolist()) == {1000 * (128 // ctx.subgroup_size) + ctx.subgroup_size}


@pytest.mark.quick(1)
def test_a_sum_over_a_block_does_not_depend_on_the_size(ctx: Context) -> None:
    x = np.arange(1, 1001, dtype="i4")
    out = ctx.alloc_zeros(4, "i32")
    ctx.launch(subgroup_block_sum, 1024, [ctx.alloc_upload(x), out], local_size=256)
    assert out.tolist() == [int(x[first : first + 256].sum()) for first in range(0, 1000, 256)]
    for size in (1, 2, 8, 16, 32, 64, 128):
        found = np.zeros(4, "i4")
        subgroup_block_sum.reference(1024, [x, found], local_size=256, subgroup_size=size)
        assert found.tolist() == out.tolist()


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_sums_of_fractions_are_close(ctx: Context, dtype: str) -> None:
    x = np.random.default_rng(5).standard_normal(256).astype(dtype)
    out = ctx.alloc_zeros(256, x.dtype)
    ctx.launch(sums_of_fractions, 256, [ctx.alloc_upload(x, x.dtype), out], local_size=64)
    size = ctx.subgroup_size
    wanted = np.repeat(x.astype("f8").reshape(-1, size).sum(axis=1), size)
    np.testing.assert_allclose(out.download(), wanted, rtol=0, atol=20 * np.finfo(dtype).eps * size)


@OVER_VULKAN
def test_blocks_whose_subgroups_vulkan_does_not_number(ctx: Context) -> None:
    size = ctx.subgroup_size
    x, out = ctx.alloc_zeros(100, "i32"), ctx.alloc_zeros(100, "i32")
    with pytest.raises(
        ValueError, match=rf"local_size \[{size + 1}\]: sizes asks for .* ctx.subgroup_size, which is {size}"
    ):
        ctx.launch(sizes, 100, [out], local_size=size + 1)
    ctx.launch(sizes, 3 * size, [out], local_size=size)
    with pytest.raises(ValueError, match="numbers subgroups only where the last axis"):
        ctx.launch(sizes, (4, 4), [out], local_size=(4, size // 2))
    ctx.launch(subgroup_scan, size + 1, [x, out], local_size=size + 1)  # it does not ask for the number


def device(operations: set[str], size: int = 32) -> ModuleDevice:
    return cast(ModuleDevice, SimpleNamespace(name="a device", subgroup_operations=operations, subgroup_size=size))


@pytest.mark.parametrize(
    ("made", "missing", "message"),
    [
        (subgroup_votes, "vote", "has no votes of subgroups"),
        (subgroup_votes, "ballot", "has no ballots of subgroups"),
        (subgroup_votes, "arithmetic", "has no sums and extremes of subgroups"),
        (subgroup_scan, "shuffle", "has no shuffles of subgroups"),
        (sum_of_wide, "wide", "has no subgroup operations of i64 and u64"),
    ],
    ids=str,
)
def test_what_a_device_lacks_names_the_line(made: PythonKernel, missing: str, message: str) -> None:
    found = made._for_types((), None)
    check_subgroups(device(ALL), made, found)
    with pytest.raises(KernelSourceError, match=rf"\.py:\d+: a device {message}(.|\n)*\^(.|\n)*shared memory"):
        check_subgroups(device(ALL - {missing}), made, found)


def test_a_ballot_of_more_than_64_threads() -> None:
    found = ballots._for_types((), None)
    check_subgroups(device(ALL, 64), ballots, found)
    with pytest.raises(KernelSourceError, match="a subgroup of a device has 128 threads, and a ballot at most 64"):
        check_subgroups(device(ALL, 128), ballots, found)


def test_sizes_that_no_subgroup_has() -> None:
    for size in (0, 129, -1):
        with pytest.raises(ValueError, match=f"subgroup_size {size}: a subgroup has 1 to 128 threads"):
            sizes.reference(4, [np.zeros(4, "i4")], local_size=4, subgroup_size=size)


def test_a_launch_needs_a_block(cpu: Context) -> None:
    with pytest.raises(ValueError, match=r"sizes needs local_size.*: it uses subgroup_count at"):
        cpu.launch(sizes, 4, [cpu.alloc_zeros(4, "i32")])


def test_only_kernels_that_use_them_have_their_functions() -> None:
    assert "k_subgroup_sum" in sum_of_wide.source("cpu")
    assert "__shfl_sync" in sum_of_wide.source("cuda")

    @kernel
    def plain(x: Array[i32, 1]):
        x[global_id(0)] += 1

    assert "k_subgroup" not in plain.source("cpu") + plain.source("cuda")


def test_a_choice_between_numbers_of_the_source_has_a_type() -> None:
    @kernel
    def chosen(out: Array[i32, 1]):
        out[0] = subgroup_max(1 if out[0] > 1 else 2)

    assert "given.exchanged.0: i32 = select(" in chosen.ir()
