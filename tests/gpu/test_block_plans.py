"""How whole blocks of a kernel run on the CPU is planned before anything is printed."""

from __future__ import annotations

from collections.abc import Sequence

from unified_gpu import Array, barrier, f32, global_id, i32, kernel, local_id, shared, subgroup_sum
from unified_gpu.kernels.compiler.analysis.blocks import BlockPlan, ThreadLoop, planned
from unified_gpu.kernels.compiler.analysis.ranges import Ranges
from unified_gpu.kernels.compiler.ir import For, Stmt
from unified_gpu.kernels.decorated.definition import PythonKernel


@kernel
def neighbours(x: Array[f32, 1], n: i32):
    i = global_id(0)
    t = local_id(0)
    tile = shared(f32, 64)
    half = n // 2
    value = 0.0
    if i < n:
        value = x[i]
        tile[t] = value
    barrier()
    other = tile[63 - t]
    if i < n:
        x[i] = value + other * f32(half)


@kernel
def sums(x: Array[f32, 1], rounds: i32):
    i = global_id(0)
    for _ in range(rounds):
        x[i] = subgroup_sum(x[i])


@kernel
def powers(x: Array[f32, 1], rounds: i32):
    i = global_id(0)
    if i < len(x):
        value = x[i]
        for _ in range(rounds):
            value *= value
        x[i] = value


def plan_of(made: PythonKernel) -> BlockPlan:
    specialised = made._for_types((), None)
    return planned(specialised.function, specialised.divergence, Ranges(specialised.function))


def kinds(stmts: Sequence[Stmt]) -> list[str]:
    return [type(s).__name__ for s in stmts]


def test_variables_live_where_they_are_needed() -> None:
    plan = plan_of(neighbours)
    assert plan.uniform == {"half"}
    assert plan.private == {"i", "t", "value", "other"}
    assert plan.again.keys() == {"i", "t"}
    assert plan.spread == {"value"}  # `other` is of one loop


def test_loops_over_the_threads_end_at_a_barrier() -> None:
    assert kinds(plan_of(neighbours).body) == ["ThreadLoop", "Assign", "ThreadLoop", "Barrier", "ThreadLoop"]


def test_a_loop_of_the_whole_block_has_loops_over_the_threads_inside() -> None:
    plan = plan_of(sums)
    _, loop = plan.body
    assert isinstance(loop, For) and kinds(loop.body) == ["Assign", "ThreadLoop", "Exchange", "ThreadLoop"]
    (exchange,) = (s for s in loop.body if kinds([s]) == ["Exchange"])
    assert plan.spread == {exchange.name, *(each.value for each in exchange.values)}


def test_a_guard_and_a_loop_that_all_threads_turn_alike_are_found() -> None:
    (loop,) = plan_of(powers).body
    assert isinstance(loop, ThreadLoop)
    assert [(kind, relation) for kind, relation, _ in loop.limits[0]] == [("global_id", "<")]
    assert kinds(loop.body) == ["Assign", "For", "Store"] and loop.inner is loop.body[1]
