"""The front end, third part: Python's statements."""

from __future__ import annotations

import ast
import copy
from collections.abc import Sequence
from math import prod
from typing import Any

from unified_gpu import dtypes
from unified_gpu.dtypes import DType, as_dtype
from unified_gpu.kernels.compiler.ir import (
    VOID,
    ArrayInfo,
    Assign,
    Barrier,
    Eval,
    Expr,
    For,
    If,
    Jump,
    Stmt,
    Store,
    TupleType,
    While,
    is_weak,
    own_jumps,
)
from unified_gpu.kernels.language import barrier, shared

from . import range_steps
from .expressions import BINARY, tuple_items
from .hoisting import effects_of
from .promotion import promote
from .scope import Value
from .subgroup_calls import SubgroupCalls

MOST_SHARED_BYTES = 48 << 10
"""What every device has of shared memory for a block."""
_NAMES = {
    "FunctionDef": "a function", "AsyncFunctionDef": "a function", "ClassDef": "a class", "With": "`with`",
    "Try": "`try`", "Raise": "`raise`", "Delete": "`del`", "Import": "`import`", "ImportFrom": "`import`",
    "Assert": "`assert`", "Match": "`match`", "Global": "`global`", "Nonlocal": "`nonlocal`",
}  # fmt: skip
_HINTS = {
    "FunctionDef": "define it outside, with @device", "Global": "a kernel gives its results in arrays",
    "Import": "import it outside", "ImportFrom": "import it outside",
}  # fmt: skip


class Statements(SubgroupCalls):
    """Statements; `returns` is what the function gives, as far as it is known."""

    returns: Any = None
    is_kernel = True
    counters = 0

    def block(self, nodes: Sequence[ast.stmt]) -> list[Stmt]:
        result: list[Stmt] = []
        for node in nodes:
            result += self.statement(node)
            if ends(result):
                break  # what follows is never reached
        return result

    def statement(self, node: ast.stmt) -> list[Stmt]:
        match node:
            case ast.Assign():
                return self.assignment(node)
            case ast.AnnAssign(target=ast.Name() as target) if node.value is not None:
                dtype = self.annotation(node.annotation)
                return self.assign(node, target, self.fit(self.expr(node.value), dtype, node.value, cast=True))
            case ast.AugAssign():
                return self.changed(node)
            case ast.If():
                return self.branch(node)
            case ast.While(orelse=[]):
                condition = self.condition(node.test)
                return [While(node, condition, self.body(node.body))]
            case ast.For(orelse=[]):
                return self.loop(node)
            case ast.While() | ast.For():
                raise self.error(node.orelse[0], "a loop of a kernel has no else")
            case ast.Break() | ast.Continue():
                return [Jump(node, type(node).__name__.lower())]
            case ast.Return():
                return self.returned(node)
            case ast.Pass() | ast.Expr(value=ast.Constant(value=str())):
                return []
            case ast.Expr(value=ast.Call() as call):
                return self.called(node, call)
        what = _NAMES.get(
            type(node).__name__, "an expression that is not used" if isinstance(node, ast.Expr) else "this"
        )
        raise self.error(node, f"a kernel cannot have {what}", _HINTS.get(type(node).__name__, ""))

    def annotation(self, node: ast.expr) -> DType:
        found = self.object(node)
        try:
            return as_dtype(found)
        except TypeError:
            raise self.error(node, f"{ast.unparse(node)} is no dtype", "write one such as f32 or i32") from None

    # --- assignments

    def assignment(self, node: ast.Assign) -> list[Stmt]:
        call, target = node.value, node.targets[0]
        if isinstance(call, ast.Call) and self.object(call.func) is shared:
            if not isinstance(target, ast.Name) or len(node.targets) > 1:
                raise self.error(target, "shared memory has one name", "write `tile = shared(f32, 256)`")
            self.declare_shared(node, target.id, call)
            return []
        value = self.value(node.value)
        before: list[Stmt] = []
        if isinstance(value, Expr) and isinstance(value.type, TupleType):
            before, value = self.named_tuple(node, value)
        if len(node.targets) > 1 and isinstance(value, Expr) and value.op not in ("const", "var"):
            raise self.error(node, "a value that is computed is assigned to one name at a time in a kernel")
        return before + [s for each in node.targets for s in self.assign(node, each, value)]

    def named_tuple(self, node: ast.AST, value: Expr) -> tuple[list[Stmt], Value]:
        """A variable for what a device function has returned, and its items."""
        name = self.fresh("result", value.type)
        return [Assign(node, name, value)], tuple_items(Expr("var", value.type, value=name))

    def fresh(self, what: str, type_: Any) -> str:
        """A variable that the source cannot name: the items of a tuple are called `name.0`."""
        self.counters += 1
        name = f"{what}.made.{self.counters}"
        self.found[name] = type_
        self.defined.add(name)
        return name

    def assign(self, node: ast.stmt, target: ast.expr, value: Value) -> list[Stmt]:
        match target:
            case ast.Name(id=name):
                return self.assign_name(node, target, name, value)
            case ast.Tuple() | ast.List():
                return self.unpack(node, target, value)
            case ast.Subscript():
                array, index = self.element(target)
                dtype = self.arrays[array].dtype
                if not isinstance(value, Expr) or not isinstance(value.type, DType):
                    raise self.error(target, f"an element of {array} is one {dtype}")
                return [Store(node, array, index, self.fit(value, dtype, getattr(node, "value", node), cast=True))]
        raise self.error(target, "a kernel assigns to variables and to elements of arrays")

    def assign_name(self, node: ast.stmt, target: ast.expr, name: str, value: Value) -> list[Stmt]:
        if name in self.arrays:
            raise self.error(target, f"{name} is an array", f"assign to its elements: {name}[i] = …")
        if isinstance(value, tuple):
            if name in self.found or (name in self.tuples and len(self.tuples[name]) != len(value)):
                raise self.error(target, f"{name} is a tuple here, and something else elsewhere", "use two names")
            kept, stmts = [], []
            for at, item in enumerate(value):
                stmts += self.set(node, target, f"{name}.{at}", item)
                kept.append(
                    self.constants.get(f"{name}.{at}")
                    or (Expr("var", self.type_of(f"{name}.{at}"), value=f"{name}.{at}"))
                )
            self.tuples[name] = tuple(kept)
            self.defined.add(name)
            return stmts
        if value.op == "array":
            raise self.error(target, "an array has only the name of its parameter in a kernel")
        if name in self.tuples:
            raise self.error(target, f"{name} is a number here, and a tuple elsewhere", "use two names")
        if name in self.assigned_once and value.op == "const" and is_weak(value.type):
            self.constants[name] = value
            self.defined.add(name)
            return []
        return self.set(node, target, self.own.get(name, name), value)

    def type_of(self, name: str) -> Any:
        return self.types.get(name) or self.found[name]

    def set(self, node: ast.stmt, target: ast.AST, name: str, value: Value) -> list[Stmt]:
        if not isinstance(value, Expr) or not isinstance(value.type, DType) or value.type is VOID:
            raise self.error(target, "a variable of a kernel is a number, or a tuple of numbers")
        known = self.fixed.get(name) or (self.types.get(name) if self.strict else None)
        if known is not None:
            if not is_weak(value.type) and value.type is not known:
                raise self.error(
                    target,
                    f"{name.partition('.')[0]} is {known}, and cannot become {value.type}",
                    f"convert it, {known.name}(…), or begin with {value.type.name}(…), or use another name",
                )
            value = self.fit(value, known, getattr(node, "value", node))
            self.found[name] = known
        else:
            before = self.found.get(name)
            if before is None or is_weak(before):  # else the first type counts, and others are errors in the last pass
                self.found[name] = value.type if before is None else promote(before, value.type)
        self.defined.add(name)
        return [Assign(node, name, value)]

    def unpack(self, node: ast.stmt, target: ast.Tuple | ast.List, value: Value) -> list[Stmt]:
        if not isinstance(value, tuple):
            raise self.error(target, "several names are assigned at once from a tuple")
        if len(value) != len(target.elts):
            raise self.error(target, f"{len(target.elts)} names for {len(value)} values")
        stmts: list[Stmt] = []
        items: list[Value] = []
        changed = {n.id for n in ast.walk(target) if isinstance(n, ast.Name)}
        for item in value:  # all are computed before the first is assigned
            reads = isinstance(item, Expr) and any(
                (e.op == "var" and e.value in changed) or e.op in ("load", "atomic", "call") for e in item.walk()
            )
            if reads and len(value) > 1:
                name = self.fresh("swap", item.type)
                stmts.append(Assign(node, name, item))
                item = Expr("var", item.type, value=name)
            items.append(item)
        for each, item in zip(target.elts, items, strict=True):
            stmts += self.assign(node, each, item)
        return stmts

    def changed(self, node: ast.AugAssign) -> list[Stmt]:
        """`x += 1`. An index that writes, or that what is added could change, is computed before."""
        left = copy.deepcopy(node.target)
        for each in ast.walk(left):
            if hasattr(each, "ctx"):
                each.ctx = ast.Load()
        before = self.expr(left)
        added = self.expr(node.value)
        value = self.binary(node, BINARY[type(node.op)], before, added)
        if before.op != "load" or not any(_writes(e) for e in (*before.args, added)):
            return self.assign(node, node.target, value)
        stmts: list[Stmt] = []
        index = []
        for term in before.args:
            name = self.fresh("index", term.type)
            stmts.append(Assign(node, name, term))
            index.append(Expr("var", term.type, value=name))
        place = Expr("load", before.type, tuple(index), before.value)
        value = self.fit(self.binary(node, BINARY[type(node.op)], place, added), before.type, node.value, cast=True)
        return [*stmts, Store(node, before.value, place.args, value)]

    def declare_shared(self, node: ast.Assign, name: str, call: ast.Call) -> None:
        if not self.is_kernel:
            raise self.error(node, "a device function has no shared memory", "pass it an array of the kernel")
        if name in self.arrays or name in self.found or name not in self.assigned_once:
            raise self.error(node, f"{name} is used for something else as well", "give shared memory a name of its own")
        self.count(call, 2)
        self.asks_for_block(node, "shared")
        first = call.args[0]
        named = isinstance(first, ast.Attribute) and first.attr == "dtype"
        dtype = self.dtype_of(first) if named else self.annotation(first)  # type: ignore[arg-type]
        shape = self.value(call.args[1])
        lengths = [each.value for each in (shape if isinstance(shape, tuple) else (shape,))]
        if not all(type(length) is int and length > 0 for length in lengths):
            raise self.error(
                call.args[1],
                "the shape of shared memory is known when compiling",
                "use numbers, or names of numbers outside",
            )
        self.arrays[name] = ArrayInfo(dtype, len(lengths), tuple(lengths))
        total = sum(prod(a.shape) * a.dtype.size for a in self.arrays.values() if a.shape is not None)
        if total > MOST_SHARED_BYTES:
            raise self.error(
                node, f"the shared memory of a block is {total} bytes, and {MOST_SHARED_BYTES} are the most"
            )

    # --- control

    def branch(self, node: ast.If) -> list[Stmt]:
        condition = self.condition(node.test)
        if condition.op == "const":
            return self.block(node.body if condition.value else node.orelse)
        before = set(self.defined)
        then = self.block(node.body)
        after, self.defined = self.defined, set(before)
        otherwise = self.block(node.orelse)
        if ends(otherwise):
            self.defined = after
        elif not ends(then):
            self.defined &= after
        return [If(node, condition, then, otherwise)]

    def body(self, nodes: Sequence[ast.stmt]) -> list[Stmt]:
        before = set(self.defined)
        result = self.block(nodes)
        self.defined = before
        return result

    def loop(self, node: ast.For) -> list[Stmt]:
        call = node.iter
        if not isinstance(call, ast.Call) or self.object(call.func) is not range:
            raise self.error(call, "a loop of a kernel goes over a range", "write `for i in range(n)`")
        if not isinstance(node.target, ast.Name):
            raise self.error(node.target, "the variable of a range is one name")
        self.count(call, 1, 3)
        bounds = [self.expr(each) for each in call.args]
        step, open_step = 1, None
        if len(bounds) == 3:
            last = bounds.pop()
            if last.op != "const" or type(last.value) is not int:  # a constant may be larger than any type
                open_step = self.integer(last, call.args[2])
            elif last.value == 0:
                raise self.error(call.args[2], "the step of a range is not 0")
            else:
                step = last.value
        start, stop = bounds if len(bounds) == 2 else (Expr("const", dtypes.i32, value=0), *bounds)
        if len(bounds) == 1 and not is_weak(stop.type) and stop.type.kind in ("int", "uint"):
            start = Expr("const", stop.type, value=0)
        for each, bound in zip(call.args, bounds, strict=False):
            self.integer(bound, each)
        meet = promote(start.type, stop.type)
        if meet.is_float:
            raise self.error(call, "u64 and a signed number have no common range", "convert one of them")
        if is_weak(meet):
            meet = promote(self.typed(start, call).type, self.typed(stop, call).type)
        if open_step is not None:
            meet = promote(meet, open_step.type)
            if meet.is_float:
                raise self.error(call, "u64 and a signed number have no common range", "convert one of them")
        start, stop = self.meet(start, meet, call), self.meet(stop, meet, call)
        if open_step is not None:
            before = set(self.defined)
            loop = range_steps.loop(
                node, start, stop, self.meet(open_step, meet, call), self.fresh, lambda value: self.turn(node, value)
            )
            self.defined = before
            return loop
        farthest = 2 ** (8 * meet.size) - 1  # one turn, whatever the bounds are
        step = max(-farthest, min(step, farthest))
        counter, before = self.fresh("counter", meet), set(self.defined)
        body = self.turn(node, Expr("var", meet, value=counter))
        self.defined = before
        return [For(node, counter, start, stop, step, body)]

    def turn(self, node: ast.For, value: Expr) -> list[Stmt]:
        """What a loop does in each turn, with the value of its variable."""
        assert isinstance(node.target, ast.Name)
        return [*self.set(node, node.target, node.target.id, value), *self.block(node.body)]

    def returned(self, node: ast.Return) -> list[Stmt]:
        if self.is_kernel:
            if node.value is not None and not (isinstance(node.value, ast.Constant) and node.value.value is None):
                raise self.error(node.value, "a kernel returns nothing", "store the result in an array")
            return [Jump(node, "return")]
        if node.value is None:
            self.returns_as(node, VOID)
            return [Jump(node, "return")]
        value = self.value(node.value)
        before: list[Stmt] = []
        if isinstance(value, tuple):
            items = tuple(self.typed(item, node.value) for item in value)
            value = Expr("tuple", TupleType(tuple(item.type for item in items)), items)
        elif not isinstance(value.type, TupleType):
            if value.op == "array":
                raise self.error(node.value, "a device function returns numbers, not arrays")
            value = (
                self.typed(value, node.value)
                if self.returns in (None, VOID) or not isinstance(self.returns, DType)
                else self.fit(value, self.returns, node.value, cast=True)
            )
        self.returns_as(node, value.type)
        return [*before, Jump(node, "return", value)]

    def returns_as(self, node: ast.AST, type_: Any) -> None:
        if self.returns is None:
            self.returns = type_
        elif self.returns != type_:
            raise self.error(node, f"this returns {type_}, and an earlier return {self.returns}")

    def called(self, node: ast.Expr, call: ast.Call) -> list[Stmt]:
        if self.object(call.func) is barrier:
            if not self.is_kernel:
                raise self.error(node, "a device function cannot have a barrier", "put it in the kernel")
            self.count(call, 0)
            self.asks_for_block(node, "barrier")
            return [Barrier(node)]
        value = self.value(call)
        if not isinstance(value, Expr) or value.op not in ("atomic", "call", "print"):
            raise self.error(node, "the result of this is not used, so that it does nothing")
        return [Eval(node, value)]


def _writes(e: Expr) -> bool:
    """Whether computing it can be seen."""
    return bool(effects_of(e).writes)


def ends(body: Sequence[Stmt]) -> bool:
    """Whether what follows is never reached."""
    if not body:
        return False
    last = body[-1]
    if isinstance(last, While) and last.condition.op == "const" and last.condition.value:
        return not any(s.kind == "break" for s in own_jumps(last.body))
    return isinstance(last, Jump) or (isinstance(last, If) and ends(last.then) and ends(last.otherwise))
