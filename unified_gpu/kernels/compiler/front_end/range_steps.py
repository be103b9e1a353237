"""Loops over a range whose step is known only when the kernel runs: how many turns they have is computed before."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from unified_gpu import dtypes
from unified_gpu.dtypes import DType
from unified_gpu.kernels.compiler.ir import Assign, Expr, For, Stmt

Fresh = Callable[[str, Any], str]
"""Makes a variable of a type that the source cannot name."""
Body = Callable[[Expr], list[Stmt]]
"""The statements of a turn, for the value that the loop's variable has in it."""


def loop(node: ast.For, start: Expr, stop: Expr, step: Expr, fresh: Fresh, body: Body) -> list[Stmt]:
    """The statements of the loop; start, stop and step are of one type.

    Distances are computed unsigned, in which they are exact. A step of 0 makes no turn; it is a division by zero, which
    the checked mode finds.
    """
    before: list[Stmt] = []
    type_: DType = start.type
    wide = dtypes.u64 if type_.size == 8 else dtypes.u32

    def named(what: str, e: Expr) -> Expr:
        name = fresh(what, e.type)
        before.append(Assign(node, name, e))
        return Expr("var", e.type, value=name)

    def minus(a: Expr, b: Expr) -> Expr:
        return Expr("-", wide, (a, b))

    def either(condition: Expr, a: Expr, b: Expr) -> Expr:
        return Expr("select", a.type, (condition, a, b))

    def test(op: str, a: Expr, b: Expr) -> Expr:
        return Expr(op, dtypes.bool_, (a, b))

    first, last, step = named("first", start), named("last", stop), named("step", step)
    low, high, length = (e if type_ is wide else Expr("cast", wide, (e,)) for e in (first, last, step))
    zero, one = (Expr("const", wide, value=value) for value in (0, 1))
    is_ahead, distance = test("<", first, last), minus(minus(high, low), one)
    if type_.kind == "int":
        back = named("back", test("<", step, Expr("const", type_, value=0)))
        is_ahead = either(back, test(">", first, last), is_ahead)
        distance = either(back, minus(minus(low, high), one), distance)
        length = either(back, minus(zero, length), length)
    length = named("length", length)
    whole = named("whole", Expr("//", wide, (distance, length)))  # always computed, so that a step of 0 is always found
    turns = Expr("+", wide, (whole, Expr("cast", wide, (test("!=", length, zero),))))
    stop = named("turns", either(is_ahead, turns, zero))
    counter = fresh("counter", wide)
    turn = Expr("var", wide, value=counter)
    turn = turn if type_ is wide else Expr("cast", type_, (turn,))
    value = Expr("+", type_, (first, Expr("*", type_, (turn, step))))
    return [*before, For(node, counter, zero, stop, 1, body(value))]
