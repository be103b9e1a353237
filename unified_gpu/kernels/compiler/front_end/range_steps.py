"""Loops over a range whose step is known only when the kernel runs: how many turns they have is computed before."""

from __future__ import annotations

from collections.abc import Callable

from unified_gpu import dtypes
from unified_gpu.kernels.compiler.ir import Expr, cast

Named = Callable[[str, Expr], Expr]
"""Gives a variable for a value, which is computed before the loop."""


def turns(start: Expr, stop: Expr, step: Expr, named: Named) -> tuple[Expr, Expr, Expr]:
    """How many turns a loop has, and variables for its start and its step; start, stop and step are of one type.

    Distances are computed unsigned, in which they are exact. A step of 0 makes no turn; it is a division by zero, which
    the checked mode finds.
    """
    type_ = start.type
    wide = dtypes.u64 if type_.size == 8 else dtypes.u32

    def minus(a: Expr, b: Expr) -> Expr:
        return Expr("-", wide, (a, b))

    def either(condition: Expr, a: Expr, b: Expr) -> Expr:
        return Expr("select", a.type, (condition, a, b))

    def test(op: str, a: Expr, b: Expr) -> Expr:
        return Expr(op, dtypes.bool_, (a, b))

    first, last, step = named("first", start), named("last", stop), named("step", step)
    low, high, length = (cast(e, wide) for e in (first, last, step))
    zero, one = (Expr("const", wide, value=value) for value in (0, 1))
    is_ahead, distance = test("<", first, last), minus(minus(high, low), one)
    if type_.kind == "int":
        back = named("back", test("<", step, Expr("const", type_, value=0)))
        is_ahead = either(back, test(">", first, last), is_ahead)
        distance = either(back, minus(minus(low, high), one), distance)
        length = either(back, minus(zero, length), length)
    length = named("length", length)
    whole = named("whole", Expr("//", wide, (distance, length)))  # always computed, so that a step of 0 is always found
    count = Expr("+", wide, (whole, Expr("cast", wide, (test("!=", length, zero),))))
    return named("turns", either(is_ahead, count, zero)), first, step
