"""The front end, fifth part: loops with `for`, over a range, or over a tuple, whose turns are compiled one by one."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from unified_gpu import dtypes
from unified_gpu.kernels.compiler import ir
from unified_gpu.kernels.compiler.ir import Expr, cast, is_weak

from .promotion import number, promote, whole_number
from .scope import Value
from .statements import Statements, ends

_MOST_TURNS = 256
"""Of a loop over a tuple."""


class Loops(Statements):
    """What compiles a function.

    Attributes:
        turned: turns of loops over tuples, so far.
    """

    turned = 0

    def visit_For(self, node: ast.For) -> None:
        self.refuse_else(node)
        call = node.iter
        if not isinstance(call, ast.Call) or self.object(call.func) is not range:
            self.unroll(node, self.items(call))
            return
        if not isinstance(node.target, ast.Name):
            raise self.error(node.target, "the variable of a range is one name")
        start, stop, step = self.range_of(call)
        if isinstance(step, int):
            counter = value = self.fresh("counter", start.type)
        else:
            stop, first, by = turns(start, stop, step, partial(self.named, node))
            counter = self.fresh("counter", stop.type)
            value = Expr("+", start.type, (first, Expr("*", start.type, (cast(counter, start.type), by))))
            start, step = Expr("const", stop.type, value=0), 1
        before = set(self.defined)
        with self.inner() as body:
            self.set(node, node.target, node.target.id, value)
            body += self.block(node.body)
        self.defined = before
        self.stmts.append(ir.For(node, counter.value, start, stop, step, body))

    def items(self, node: ast.expr) -> tuple[Value, ...]:
        """What a loop goes over that is no range: a tuple, also by `enumerate` and `zip`."""
        called = self.object(node.func) if isinstance(node, ast.Call) else None
        if isinstance(node, ast.Call) and (called is enumerate or called is zip):
            strict = [each for each in node.keywords if called is zip and each.arg == "strict"]
            if node.keywords != strict:
                raise self.error(node.keywords[0].value, f"{called.__name__} has no such keyword in a kernel")
            self.count(node, 1, 1 if called is enumerate else max(1, len(node.args)))
            rows = list(map(self.items, node.args))
            if called is enumerate:
                rows.insert(0, tuple(map(number, range(len(rows[0])))))
            if any(self.condition(each.value).value for each in strict) and len(set(map(len, rows))) > 1:
                raise self.error(node, f"zip of {' and '.join(str(len(row)) for row in rows)} items, and strict")
            return tuple(zip(*rows, strict=False))
        value = self.unpacked(node, self.visit(node))
        if not isinstance(value, tuple):
            raise self.error(node, "a loop of a kernel goes over a range, or a tuple", "write `for i in range(n)`")
        return value

    def unroll(self, node: ast.For, items: Sequence[Value]) -> None:
        """The turns of a loop over a tuple, one after the other."""
        self.turned += len(items)
        if max(len(items), self.turned // 16) > _MOST_TURNS:
            what = f"a loop over {len(items)} items, of which each turn is compiled: {_MOST_TURNS} are the most"
            if len(items) <= _MOST_TURNS:
                what = (
                    f"{self.turned} turns of loops over tuples, which are all compiled: {16 * _MOST_TURNS} are the most"
                )
            raise self.error(node.iter, what, "pass the items in an array")
        items = [self.computed(node, item) for item in items]
        bound = set[str]()
        for turn in range(len(items)):
            bound |= self.bind(node, node.target, items, turn)
            body = self.block(node.body)
            jump = body.pop() if body and isinstance(body[-1], ir.Jump) and body[-1].kind != "return" else None
            for each in ir.own_jumps(body):
                if each.kind != "return":
                    what = f"`{each.kind}` under a condition of the kernel, in a loop over a tuple, is not compiled"
                    raise self.error(each.at, what, "put what follows under an `if`, or loop over a range")
            self.stmts += body
            if ends(body) or (isinstance(jump, ir.Jump) and jump.kind == "break"):
                break
        self.defined -= bound
        self.values = {name: value for name, value in self.values.items() if name not in bound}

    def computed(self, node: ast.stmt, item: Value) -> Value:
        """An item as it is before a loop: a number of the source, an array, or a variable."""
        if isinstance(item, tuple):
            return tuple(self.computed(node, each) for each in item)
        if item.op in ("array", "struct"):
            return replace(item, args=self.computed(node, item.args))
        return item if _is_known(item) else self.named(node, "item", item)

    def bind(self, node: ast.stmt, target: ast.expr, items: Sequence[Value], turn: int) -> set[str]:
        """Let the variables of a loop be an item; those that are known in all turns are none of the kernel.

        They are returned: nothing has their value behind the loop, which may stand in a branch.
        """
        if isinstance(target, ast.Name) and target.id in self.source.looped and all(map(_is_known, items)):
            self.values[target.id] = items[turn]
            self.defined.add(target.id)
            return {target.id}
        columns = len(target.elts) if isinstance(target, ast.Tuple) else 0
        if isinstance(target, ast.Tuple) and all(isinstance(item, tuple) and len(item) == columns for item in items):
            parts = [[item[at] for item in items] for at in range(columns)]
            found = [self.bind(node, each, part, turn) for each, part in zip(target.elts, parts, strict=True)]
            return set().union(*found)
        self.assign(node, target, items[turn])
        return set()

    def range_of(self, call: ast.Call) -> tuple[Expr, Expr, Expr | int]:
        """Start, stop and step of a range, of one type; a number where the step is known now."""
        self.count(call, 1, 3)
        bounds = [self.expr(each) for each in call.args]
        step: Expr | int = 1
        if len(bounds) == 3:
            last = bounds.pop()
            known = whole_number(last)  # which may be larger than any type
            if known == 0:
                raise self.error(call.args[2], "the step of a range is not 0")
            step = self.integer(last, call.args[2]) if known is None else known
        for each, bound in zip(call.args, bounds, strict=False):
            self.integer(bound, each)
        stop = bounds[-1]
        zero = Expr("const", dtypes.i32 if is_weak(stop.type) else stop.type, value=0)
        start = bounds[0] if len(bounds) == 2 else zero
        meet = promote(start.type, stop.type)
        if is_weak(meet):
            meet = promote(self.typed(start, call).type, self.typed(stop, call).type)
        if isinstance(step, Expr) and not meet.is_float:
            meet = promote(meet, step.type)
        if meet.is_float:
            raise self.error(call, "u64 and a signed number have no common range", "convert one of them")
        start, stop = self.meet(start, meet, call), self.meet(stop, meet, call)
        if isinstance(step, Expr):
            return start, stop, self.meet(step, meet, call)
        farthest = 2 ** (8 * meet.size) - 1  # one turn, whatever the bounds are
        return start, stop, max(-farthest, min(step, farthest))


def _is_known(item: Value) -> bool:
    """Whether nothing in the kernel can change it."""
    return all(map(_is_known, item)) if isinstance(item, tuple) else item.is_literal or item.op in ("array", "struct")


def turns(start: Expr, stop: Expr, step: Expr, named: Callable[[str, Expr], Expr]) -> tuple[Expr, Expr, Expr]:
    """How many turns a loop has whose step is known when the kernel runs, and variables for its start and its step.

    All three are of one type; `named` gives a variable for a value, which is computed before the loop. Distances are
    computed unsigned, in which they are exact. A step of 0 makes no turn; it is a division by zero, which the checked
    mode finds.
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
