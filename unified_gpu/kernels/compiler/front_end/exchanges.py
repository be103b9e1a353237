"""Moves what the threads of a subgroup do together out of expressions, into statements of their own.

Then each is a place where all threads of a block come, which the divergence analysis proves, and where the printer for
the CPU cuts a kernel as it does at a barrier.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from unified_gpu.kernels.compiler.ir import Assign, Eval, Exchange, Expr, For, If, Jump, Stmt, Store, While

_SEQUENCED = ("and", "or", "select")
"""What comes after their first operand is not always computed."""


class Exchanges:
    """Does so in one function; `variables` is what was needed for it, by type."""

    def __init__(self, error: Callable[[ast.AST, str, str], Exception]) -> None:
        """`error` is made of a place in the source, a message and a hint, for what cannot be moved."""
        self.variables: dict[str, Any] = {}
        self._error = error
        self._known: dict[Expr, Expr] = {}  # the middle of a comparison stands in two expressions

    def block(self, stmts: Sequence[Stmt]) -> list[Stmt]:
        return [moved for s in stmts for moved in self._statement(s)]

    def _statement(self, s: Stmt) -> Iterator[Stmt]:
        before: list[Stmt] = []
        match s:
            case Assign() | Eval():
                s = replace(s, value=self._moved(s.value, before))
            case Jump() if s.value is not None:
                s = replace(s, value=self._moved(s.value, before))
            case Store():
                value = self._moved(s.value, before)
                s = replace(s, value=value, index=tuple(self._moved(each, before) for each in s.index))
            case If():
                condition = self._moved(s.condition, before)
                s = replace(s, condition=condition, then=self.block(s.then), otherwise=self.block(s.otherwise))
            case For():
                start, stop = self._moved(s.start, before), self._moved(s.stop, before)
                s = replace(s, start=start, stop=stop, body=self.block(s.body))
            case While():
                what = "the condition of a `while`"
                self._refuse(s.condition, what, "assign it to a variable, before the loop and at its end")
                s = replace(s, body=self.block(s.body))
        self._known.clear()
        yield from before
        yield s

    def _moved(self, e: Expr, before: list[Stmt]) -> Expr:
        """The expression, after what `before` gets."""
        if not _has_one(e):
            return e
        if e.op == "subgroup":
            return self._exchanged(e, before)
        if e.op in _SEQUENCED:
            return replace(e, args=(self._moved(e.args[0], before), *map(self._moved_already, e.args[1:])))
        return replace(e, args=tuple(self._moved(arg, before) for arg in e.args))

    def _moved_already(self, e: Expr) -> Expr:
        """A part that is not always computed: it may have what the part before it has, as in `0 < maximum < 9`."""
        if e in self._known or not _has_one(e):
            return self._known.get(e, e)
        if e.op == "subgroup":
            self._refuse(e, "a part that is not always computed", "assign it to a variable first")
        return replace(e, args=tuple(map(self._moved_already, e.args)))

    def _exchanged(self, e: Expr, before: list[Stmt]) -> Expr:
        found = self._known.get(e)
        if found is None:
            op, at = e.value
            given = [
                self._assigned(at, name, arg, before) for name, arg in zip(("given", "lane"), e.args, strict=False)
            ]
            found = self._known[e] = self._variable("taken", e.type)
            before.append(Exchange(at, found.value, op, tuple(given)))
        return found

    def _assigned(self, at: ast.AST, name: str, value: Expr, before: list[Stmt]) -> Expr:
        value = self._moved(value, before)
        variable = self._variable(name, value.type)
        before.append(Assign(at, variable.value, value))
        return variable

    def _variable(self, name: str, type_: Any) -> Expr:
        """A variable that the source cannot name: the items of a tuple are called `name.0`."""
        name = f"{name}.exchanged.{len(self.variables)}"
        self.variables[name] = type_
        return Expr("var", type_, value=name)

    def _refuse(self, e: Expr, where: str, hint: str) -> None:
        for each in e.walk():
            if each.op == "subgroup":
                op, at = each.value
                raise self._error(at, f"subgroup_{op} stands in {where}, and all threads have to reach it", hint)


def _has_one(e: Expr) -> bool:
    return any(each.op == "subgroup" for each in e.walk())
