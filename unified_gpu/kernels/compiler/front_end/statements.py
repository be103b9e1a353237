"""The front end, fourth part: Python's statements."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from unified_gpu.dtypes import DType, as_dtype
from unified_gpu.kernels.compiler import ir
from unified_gpu.kernels.compiler.ir import VOID, Expr, Stmt, TupleType, is_weak
from unified_gpu.kernels.language import barrier, local, shared
from unified_gpu.structs import is_struct

from . import structs
from .calls import Calls
from .hoisting import effects_of
from .promotion import promote, whole_number
from .scope import Value, is_one_number


class Statements(Calls):
    """Statements, which are appended to `stmts`."""

    @contextmanager
    def inner(self) -> Iterator[list[Stmt]]:
        """The statements of a block inside the one at hand."""
        outer, self.stmts = self.stmts, []
        yield self.stmts
        self.stmts = outer

    def block(self, nodes: Sequence[ast.stmt]) -> list[Stmt]:
        with self.inner() as stmts:
            for node in nodes:
                self.visit(node)
                if ends(stmts):
                    break  # what follows is never reached
        return stmts

    # --- assignments

    def visit_Assign(self, node: ast.Assign) -> None:
        call, target = node.value, node.targets[0]
        kind = self.object(call.func) if isinstance(call, ast.Call) else None
        if isinstance(call, ast.Call) and (kind is shared or kind is local):
            if not isinstance(target, ast.Name) or len(node.targets) > 1:
                hint = f"write `tile = {kind.name}(f32, 256)`"
                raise self.error(target, f"an array of {kind.name}() has one name", hint)
            self.declare_array(node, target.id, call, is_local=kind is local)
            return
        value = self.unpacked(node, self.visit(node.value))
        if len(node.targets) > 1 and is_one_number(value) and value.op not in ("const", "var"):
            value = self.named(node, "value", self.typed(value, node))  # which is computed once
        if not is_one_number(value):
            value = self.computed_first(node, value)
        for each in node.targets:
            self.assign(node, each, value)

    def unpacked(self, node: ast.AST, value: Value) -> Value:
        """The items of what a device function has returned; other values as they are."""
        if not (isinstance(value, Expr) and isinstance(value.type, TupleType)):
            return value
        result, type_ = self.named(node, "result", value), value.type
        items = tuple(Expr("item", dtype, (result,), at) for at, dtype in enumerate(type_.items))
        return Expr("struct", type_.names, items) if type_.names else items

    def computed_first(self, node: ast.Assign, value: Value) -> Value:
        """Variables in place of values that the assignments to the targets, one after the other, could change."""
        targets = [n for target in node.targets for n in ast.walk(target)]
        names = {n.id for n in targets if isinstance(n, ast.Name)}
        stores = len(node.targets) > 1 or any(isinstance(n, (ast.Attribute, ast.Subscript)) for n in targets)

        def computed(item: Value) -> Value:
            if isinstance(item, tuple):
                return tuple(map(computed, item))
            if item.op in ("array", "struct"):
                return replace(item, args=computed(item.args))
            changes = any(e.op == "var" and e.value.partition(".")[0] in names for e in item.walk())
            return self.named(node, "swap", item) if changes or (stores and item.touches_memory) else item

        return computed(value)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if not isinstance(node.target, ast.Name) or node.value is None:
            self.generic_visit(node)
        dtype = self.annotation(node.annotation)
        self.assign(node, node.target, self.fit(self.expr(node.value), dtype, node.value, cast=True))

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        """An index that writes, or that what is added could change, is computed before."""
        place, added = self.expr(node.target), self.expr(node.value)
        if place.op == "load" and any(effects_of(e).writes for e in (*place.args, added)):
            place = replace(place, args=tuple(self.named(node, "index", e) for e in place.args))
        value = self.binary(node, node.op, place, added)
        if place.op == "load":
            self.store(node, place.value, place.args, value)
        else:
            self.assign(node, node.target, value)

    def assign(self, node: ast.stmt, target: ast.expr, value: Value) -> None:
        match target:
            case ast.Name():
                self.assign_name(node, target, value)
            case ast.Tuple() | ast.List():
                self.unpack(node, target, value)
            case ast.Subscript() | ast.Attribute():
                self.assign_element(node, target, self.visit(target), value)
            case _:
                raise self.error(target, "a kernel assigns to variables and to elements of arrays")

    def assign_element(self, node: ast.stmt, target: ast.Subscript | ast.Attribute, place: Value, value: Value) -> None:
        """A number to an element of an array or to its field, or a struct to an element of an array of structs."""
        if structs.is_one(place) and place.args[0].op == "load":
            if not structs.is_one(value) or sorted(value.type) != sorted(place.type) or structs.is_array(value):
                given = structs.described(value) if structs.is_one(value) else "none"
                raise self.error(target, f"{ast.unparse(target)} is {structs.described(place)}, and this is {given}")
            index = tuple(self.named(node, "index", e) if e.touches_memory else e for e in place.args[0].args)
            for name, each in zip(place.type, place.args, strict=True):
                self.store(node, each.value, index, value.args[value.type.index(name)])
            return
        place = self.one_number(target, place)
        if place.op != "load" and isinstance(target, ast.Attribute):
            what = "a kernel assigns to variables and to elements of arrays"
            raise self.error(target, what, f"{ast.unparse(target.value)} is a copy" if place.op == "var" else "")
        if place.op != "load":
            raise self.error(target.value, f"{ast.unparse(target.value)} is a tuple, not an array")
        if not is_one_number(value):
            raise self.error(target, f"an element of {place.value} is one {place.type}")
        self.store(node, place.value, place.args, value)

    def store(self, node: ast.stmt, array: str, index: tuple[Expr, ...], value: Expr) -> None:
        value = self.fit(value, self.arrays[array].dtype, getattr(node, "value", node), cast=True)
        self.stmts.append(ir.Store(node, array, index, value))

    def assign_name(self, node: ast.stmt, target: ast.Name, value: Value) -> None:
        name = target.id
        if name in self.arrays:
            raise self.error(target, f"{name} is an array", f"assign to its elements: {name}[i] = …")
        if any(each.startswith(f"{name}.") for each in self.params):
            raise self.error(target, f"{name} is a struct that the call gives", "use another name")
        kind, before = _kind(value), self.values.get(name)
        if kind:
            if name in self.found or (before is not None and _kind(before) != kind):
                raise self.error(target, f"{name} is {kind} here, and something else elsewhere", "use two names")
            self.values[name] = self.held(node, target, name, value)
            self.defined.add(name)
            return
        if before is not None and _kind(before):
            raise self.error(target, f"{name} is a number here, and {_kind(before)} elsewhere", "use two names")
        if name in self.assigned_once and value.is_literal:
            self.values[name] = value
            self.defined.add(name)
        else:
            self.set(node, target, self.own.get(name, name), value)

    def held(self, node: ast.stmt, target: ast.Name, name: str, value: Value) -> Value:
        """The same with its numbers in variables; rows of an array of structs have one place."""
        if structs.is_array(value):
            place = self.held(node, target, name, value.args[0]).args
            return replace(value, args=tuple(replace(each, args=place) for each in value.args))
        items = value if isinstance(value, tuple) else value.args
        for at, item in enumerate(items):
            self.set(node, target, f"{name}.{at}", item)
        items = tuple(self.variable(f"{name}.{at}") for at in range(len(items)))
        return items if isinstance(value, tuple) else replace(value, args=items)

    def set(self, node: ast.stmt, target: ast.AST, name: str, value: Value) -> None:
        if not is_one_number(value):
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
        self.stmts.append(ir.Assign(node, name, value))

    def unpack(self, node: ast.stmt, target: ast.Tuple | ast.List, value: Value) -> None:
        if not isinstance(value, tuple):
            raise self.error(target, "several names are assigned at once from a tuple")
        if len(value) != len(target.elts):
            raise self.error(target, f"{len(target.elts)} names for {len(value)} values")
        for each, item in zip(target.elts, value, strict=True):
            self.assign(node, each, item)

    def annotation(self, node: ast.expr) -> DType:
        found = self.object(node)
        try:
            return as_dtype(found)
        except TypeError:
            raise self.error(node, f"{ast.unparse(node)} is no dtype", "write one such as f32 or i32") from None

    def declare_array(self, node: ast.Assign, name: str, call: ast.Call, *, is_local: bool) -> None:
        """Shared memory of the block, or an array of the thread's own."""
        if not self.is_kernel and not is_local:
            raise self.error(node, "a device function has no shared memory", "pass it an array of the kernel")
        memory = "a thread's array" if is_local else "shared memory"
        if name in self.arrays or name in self.found or name not in self.assigned_once:
            raise self.error(node, f"{name} is used for something else as well", f"give {memory} a name of its own")
        self.count(call, 2)
        if not is_local:
            self.asks_for_block(node, "shared")
        first = call.args[0]
        named = isinstance(first, ast.Attribute) and first.attr == "dtype"
        struct = self.object(first)
        dtype = self.dtype_of(first) if named else None if is_struct(struct) else self.annotation(first)  # type: ignore[arg-type]
        shape = self.visit(call.args[1])
        known = [whole_number(each) for each in (shape if isinstance(shape, tuple) else (shape,))]
        lengths = tuple(length for length in known if length is not None and length > 0)
        if len(lengths) < len(known):
            raise self.error(
                call.args[1],
                f"the shape of {memory} is known when compiling",
                "use numbers, or names of numbers outside",
            )
        own = {f"{name}.{n}": t for n, t in struct.fields.items()} if dtype is None else {name: dtype}
        self.arrays |= {n: ir.ArrayInfo(t, len(lengths), lengths, is_local=is_local) for n, t in own.items()}
        if dtype is None:
            self.values |= structs.grouped({n: Expr("array", self.arrays[n], value=n) for n in own})
            self.defined.add(name)
        self.check_own_arrays(node, is_local=is_local)

    # --- control

    def visit_If(self, node: ast.If) -> None:
        condition = self.condition(node.test)
        if condition.op == "const":
            self.stmts += self.block(node.body if condition.value else node.orelse)
            return
        before = set(self.defined)
        then = self.block(node.body)
        after, self.defined = self.defined, before
        otherwise = self.block(node.orelse)
        if ends(otherwise):
            self.defined = after
        elif not ends(then):
            self.defined &= after
        self.stmts.append(ir.If(node, condition, then, otherwise))

    def visit_While(self, node: ast.While) -> None:
        self.refuse_else(node)
        condition, before = self.condition(node.test), set(self.defined)
        self.stmts.append(ir.While(node, condition, self.block(node.body)))
        self.defined = before

    def refuse_else(self, node: ast.For | ast.While) -> None:
        if node.orelse:
            raise self.error(node.orelse[0], "a loop of a kernel has no else")

    def visit_Break(self, node: ast.Break | ast.Continue) -> None:
        self.stmts.append(ir.Jump(node, type(node).__name__.lower()))

    visit_Continue = visit_Break

    def visit_Pass(self, node: ast.Pass) -> None:
        pass

    def visit_Return(self, node: ast.Return) -> None:
        value = node.value
        if self.is_kernel:
            if value is not None and not (isinstance(value, ast.Constant) and value.value is None):
                raise self.error(value, "a kernel returns nothing", "store the result in an array")
            value = None
        result = None if value is None else self.returned(value)
        type_ = VOID if result is None else result.type
        if self.returns not in (None, type_):
            raise self.error(node, f"this returns {type_}, and an earlier return {self.returns}")
        self.returns = type_
        self.stmts.append(ir.Jump(node, "return", result))

    def returned(self, node: ast.expr) -> Expr:
        value: Value = self.visit(node)
        for item in value if isinstance(value, tuple) else (value,):
            if isinstance(item, tuple) or item.op == "array" or (structs.is_one(item) and item is not value):
                raise self.error(node, "a device function returns numbers, not arrays or tuples of tuples")
        if structs.is_array(value):
            raise self.error(node, "a device function returns numbers, not arrays or tuples of tuples")
        if structs.is_one(value):
            return structs.returned(value)
        if isinstance(value, tuple):
            items = tuple(self.typed(item, node) for item in value)
            return Expr("tuple", TupleType(tuple(item.type for item in items)), items)
        if isinstance(self.returns, DType) and self.returns is not VOID and not isinstance(value.type, TupleType):
            return self.fit(value, self.returns, node, cast=True)
        return self.typed(value, node)

    def visit_Expr(self, node: ast.Expr) -> None:
        match node.value:
            case ast.Constant(value=str()):
                pass
            case ast.Call() as call if self.object(call.func) is barrier:
                if not self.is_kernel:
                    raise self.error(node, "a device function cannot have a barrier", "put it in the kernel")
                self.count(call, 0)
                self.asks_for_block(node, "barrier")
                self.stmts.append(ir.Barrier(node))
            case ast.Call() as call:
                value = self.visit(call)
                if not isinstance(value, Expr) or value.op not in ("atomic", "call", "print"):
                    raise self.error(node, "the result of this is not used, so that it does nothing")
                self.stmts.append(ir.Eval(node, value))
            case _:
                self.generic_visit(node)


def _kind(value: Value) -> str:
    """What a value that is no number is, which its name stays."""
    if isinstance(value, tuple):
        return f"a tuple of {len(value)}"
    if structs.is_one(value):
        whole = f"a part of {value.args[0].value.partition('.')[0]}, structs" if structs.is_array(value) else "a struct"
        return f"{whole} of {', '.join(value.type)}"
    return f"a part of {value.value}, {value.type}," if value.op == "array" else ""


def ends(body: Sequence[Stmt]) -> bool:
    """Whether what follows is never reached."""
    if not body:
        return False
    last = body[-1]
    if isinstance(last, ir.While) and last.condition.op == "const" and last.condition.value:
        return not any(s.kind == "break" for s in ir.own_jumps(last.body))
    return isinstance(last, ir.Jump) or (isinstance(last, ir.If) and ends(last.then) and ends(last.otherwise))
