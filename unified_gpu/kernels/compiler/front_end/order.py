"""Python's order of evaluation: what C leaves open between operands and arguments is settled by variables.

An atomic, and a call of a device function that writes, is seen by another one and by a load of the same array. Where
one operation has two such operands, they are assigned to variables from left to right before the statement.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from unified_gpu.kernels.compiler.ir import (
    Assign,
    Eval,
    Expr,
    For,
    If,
    Jump,
    Stmt,
    Store,
    While,
    prints,
    reads_memory,
    written_by,
)

_SEQUENCED = ("and", "or", "select")
"""What comes after their first operand is computed after it, or not at all."""
_TWICE = ("isnan",)
"""Printed with the operand twice."""


@dataclass(frozen=True, slots=True)
class _Effects:
    """The arrays that an expression reads and changes."""

    reads: frozenset[str]
    writes: frozenset[str]

    def conflicts(self, other: _Effects) -> bool:
        both = bool(self.writes and other.writes)
        return both or bool(self.writes & other.reads or self.reads & other.writes)


class Order:
    """Settles the order in the statements of one function; `variables` is what was needed for it, by type."""

    def __init__(self, error: Callable[[Stmt], Exception]) -> None:
        """`error` is made of a statement of which the order cannot be settled."""
        self.variables: dict[str, Any] = {}
        self._error = error

    def block(self, stmts: Sequence[Stmt]) -> list[Stmt]:
        return [settled for s in stmts for settled in self._statement(s)]

    def _statement(self, s: Stmt) -> Iterator[Stmt]:
        before: list[Stmt] = []
        match s:
            case Assign() | Eval():
                s = replace(s, value=self._settled(s, s.value, before))
            case Jump() if s.value is not None:
                s = replace(s, value=self._settled(s, s.value, before))
            case Store():
                value, *index = self._operands(s, (s.value, *s.index), before)
                s = replace(s, value=value, index=tuple(index))
            case If():
                condition = self._settled(s, s.condition, before)
                s = replace(s, condition=condition, then=self.block(s.then), otherwise=self.block(s.otherwise))
            case For():
                start, stop = self._operands(s, (s.start, s.stop), before)
                s = replace(s, start=start, stop=stop, body=self.block(s.body))
            case While():
                self._refuse(s, s.condition)
                s = replace(s, body=self.block(s.body))
        yield from before
        yield s

    def _settled(self, s: Stmt, e: Expr, before: list[Stmt]) -> Expr:
        """The expression, after what `before` gets."""
        if not any(x.op in ("atomic", "call") for x in e.walk()):
            return e
        if e.op in _SEQUENCED:
            for arg in e.args[1:]:
                self._refuse(s, arg)
            args = (self._settled(s, e.args[0], before), *e.args[1:])
        else:
            args = self._operands(s, e.args, before, twice=e.op in _TWICE)
        return e if args == e.args else replace(e, args=args)

    def _operands(
        self, s: Stmt, args: tuple[Expr, ...], before: list[Stmt], *, twice: bool = False
    ) -> tuple[Expr, ...]:
        effects = [effects_of(arg) for arg in args]
        result = []
        for at, arg in enumerate(args):
            conflict = any(effects[at].conflicts(other) for place, other in enumerate(effects) if place != at)
            arg = self._settled(s, arg, before)
            if conflict or (twice and effects[at].writes):
                name = f"ordered.made.{len(self.variables)}"
                self.variables[name] = arg.type
                before.append(Assign(s.at, name, arg))
                arg = Expr("var", arg.type, value=name)
            result.append(arg)
        return tuple(result)

    def _refuse(self, s: Stmt, e: Expr) -> None:
        """What is computed in some cases only cannot stand before the statement."""
        before: list[Stmt] = []
        self._settled(s, e, before)
        if before:
            raise self._error(s)


def effects_of(e: Expr) -> _Effects:
    reads: set[str] = set()
    writes: set[str] = set()
    for x in e.walk():
        if x.op == "load":
            reads.add(x.value)
        elif x.op == "atomic":
            writes.add(x.value[1])
        elif x.op == "print" or (x.op == "call" and prints(x.value)):
            writes.add("print")  # as if it were an array: the order of two lines can be seen
        if x.op == "call":
            writes |= written_by(x)
            reads |= {arg.value for arg in x.args if arg.op == "array"} if reads_memory(x.value) else set()
    return _Effects(frozenset(reads), frozenset(writes))
