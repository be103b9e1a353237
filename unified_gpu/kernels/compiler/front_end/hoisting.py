"""Moves parts of expressions to statements before: what cannot stay among operands, of which C leaves the order open.

An atomic, and a call of a device function that writes, is seen by another one and by a load of the same array. Where
one operation has two such operands, they are assigned to variables from left to right, as Python computes them.

What the threads of a subgroup do together becomes a statement of its own: a place where all threads of a block come,
which the divergence analysis proves, and where the printer for the CPU cuts a kernel as it does at a barrier.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from unified_gpu import dtypes
from unified_gpu.kernels.compiler import ir
from unified_gpu.kernels.compiler.ir import Expr, Stmt

_SEQUENCED = ("and", "or", "select")
"""What comes after their first operand is computed after it, or not at all."""
_TWICE = ("isnan",)
"""Printed with the operand twice."""
_ORDER = "atomics, or calls that write, in one part of a condition that is not always computed, or of a `while`"


@dataclass(frozen=True, slots=True)
class _Effects:
    """The arrays that an expression reads and changes."""

    reads: set[str]
    writes: set[str]

    def conflicts(self, other: _Effects) -> bool:
        both = bool(self.writes and other.writes)
        return both or bool(self.writes & other.reads or self.reads & other.writes)


class Hoisting:
    """Does so in one function; `variables` is what was needed for it, by type."""

    def __init__(self, error: Callable[[ast.AST, str, str], Exception]) -> None:
        """`error` is made of a place in the source, a message and a hint, for what cannot be moved."""
        self.variables: dict[str, Any] = {}
        self._error = error
        self._before: list[Stmt] = []
        self._exchanged: dict[Expr, Expr] = {}  # the middle of a comparison stands in two expressions

    def block(self, stmts: Sequence[Stmt]) -> list[Stmt]:
        result: list[Stmt] = []
        for s in stmts:
            before = self._before = list[Stmt]()
            self._exchanged.clear()
            if isinstance(s, ir.While):
                s = _asking_inside(s)
                hint = "assign it to a variable, before the loop and at its end"
                values: tuple[Expr, ...] = (self._in_place(s, s.condition, "the condition of a `while`", hint),)
            else:
                values = self._operands(s, tuple(ir.expressions(s)))
            s = _rebuilt(s, values, self.block)
            result += [*before, s]
        return result

    def _operands(self, s: Stmt, args: tuple[Expr, ...], *, twice: bool = False) -> tuple[Expr, ...]:
        """The operands, after what is moved to before the statement."""
        if not any(x.op in ("atomic", "call", "subgroup") for arg in args for x in arg.walk()):
            return args
        effects = [effects_of(arg) for arg in args]
        result = []
        for at, (arg, own) in enumerate(zip(args, effects, strict=True)):
            conflict = any(own.conflicts(other) for other in effects[:at] + effects[at + 1 :])
            arg = self._settled(s, arg)
            if conflict or (twice and own.writes):
                arg = self._assigned(s.at, "ordered.made", arg)
            result.append(arg)
        return tuple(result)

    def _settled(self, s: Stmt, e: Expr) -> Expr:
        if e in self._exchanged:
            return self._exchanged[e]
        if e.op == "subgroup":
            op, at = e.value
            if op.startswith("block_"):
                found = self._exchanged[e] = self._folded(s, e)
                return found
            named = zip(("given", "lane"), e.args, strict=False)
            given = [self._assigned(at, f"{name}.exchanged", self._settled(s, arg)) for name, arg in named]
            taken = self._exchanged[e] = self._variable("taken.exchanged", e.type)
            self._before.append(ir.Exchange(at, taken.value, op, tuple(given)))
            return taken
        if e.op in _SEQUENCED:
            hint = "assign it to a variable first"
            rest = (self._in_place(s, arg, "a part that is not always computed", hint) for arg in e.args[1:])
            args = (self._settled(s, e.args[0]), *rest)
        else:
            args = self._operands(s, e.args, twice=e.op in _TWICE)
        return e if args == e.args else replace(e, args=args)

    def _folded(self, s: Stmt, e: Expr) -> Expr:
        """What the threads of a block find together: each gives a value; after each barrier half as many go on."""
        (op, at), (given, step) = e.value, e.args
        (part, thread, _, threads), i32 = step.args, dtypes.i32
        distance, taken = self._variable("distance.exchanged", i32), self._variable("taken.exchanged", e.type)
        fold = replace(step, args=(part, thread, distance, threads))
        double = Expr("*", i32, (distance, Expr("const", i32, value=2)))
        turn = [ir.Barrier(at, op), ir.Eval(at, fold), ir.Assign(at, distance.value, double)]
        goes_on = Expr("<", dtypes.bool_, (distance, threads))
        self._before += [
            ir.Store(at, part.value, (thread,), self._settled(s, given)),
            ir.Assign(at, distance.value, Expr("const", i32, value=1)), ir.While(at, goes_on, turn), ir.Barrier(at, op),
        ]  # fmt: skip
        first = self._assigned(at, "first.exchanged", Expr("load", e.type, (Expr("const", i32, value=0),), part.value))
        self._before += [ir.Barrier(at, op), ir.Exchange(at, taken.value, "uniform", (first,))]
        return taken

    def _in_place(self, s: Stmt, e: Expr, where: str, hint: str) -> Expr:
        """An expression of which nothing can be moved, because it is computed in some cases only."""
        for x in e.walk():
            if x.op == "subgroup" and x not in self._exchanged:
                op, at = x.value
                raise self._error(at, f"{ir.called(op)} stands in {where}, and all threads have to reach it", hint)
        moved = len(self._before)
        e = self._settled(s, e)
        if len(self._before) > moved:
            raise self._error(s.at, _ORDER, "assign them to variables first, one after the other")
        return e

    def _assigned(self, at: ast.AST, what: str, value: Expr) -> Expr:
        variable = self._variable(what, value.type)
        self._before.append(ir.Assign(at, variable.value, value))
        return variable

    def _variable(self, what: str, type_: Any) -> Expr:
        """A variable that the source cannot name: the items of a tuple are called `name.0`."""
        name = f"{what}.{len(self.variables)}"
        self.variables[name] = type_
        return Expr("var", type_, value=name)


def _rebuilt(s: Stmt, values: Sequence[Expr], block: Callable[[Sequence[Stmt]], list[Stmt]]) -> Stmt:
    """A statement with other expressions, as `expressions` has them, and what `block` makes of the lists inside it."""
    match s:
        case ir.Store():
            return replace(s, value=values[0], index=tuple(values[1:]))
        case ir.If():
            return replace(s, condition=values[0], then=block(s.then), otherwise=block(s.otherwise))
        case ir.While():
            return replace(s, condition=values[0], body=block(s.body))
        case ir.For():
            return replace(s, start=values[0], stop=values[1], body=block(s.body))
        case ir.Assign() | ir.Eval() | ir.Jump() if values:
            return replace(s, value=values[0])
    return s


def _asking_inside(s: ir.While) -> ir.While:
    """A loop whose condition, if all threads have the same, is the first statement inside: others can precede it."""
    together = [x.value[0] for x in s.condition.walk() if x.op == "subgroup"]
    if not together or any(op != "uniform" and not op.startswith("block_") for op in together):
        return s
    leave = ir.If(s.at, Expr("not", dtypes.bool_, (s.condition,)), [ir.Jump(s.at, "break")], [])
    return ir.While(s.at, Expr("const", dtypes.bool_, value=True), [leave, *s.body])


def effects_of(e: Expr) -> _Effects:
    effects = _Effects(set(), set())
    for x in e.walk():
        if x.op == "load":
            effects.reads.add(x.value)
        elif x.op == "atomic":
            effects.writes.add(x.value[1])
        elif x.op == "print" or (x.op == "call" and ir.reaches(x.value, "print")):
            effects.writes.add("print")  # as if it were an array: the order of two lines can be seen
        if x.op == "call":
            effects.writes.update(ir.written_by(x))
            if ir.reaches(x.value, "load", "atomic"):
                effects.reads.update(arg.value for arg in x.args if arg.op == "array")
    return effects
