"""Prints a kernel as SPIR-V for Vulkan.

Its arguments are push constants, with arrays as addresses; specialization constants 0, 1 and 2 are the size of a block.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

from unified_gpu import dtypes
from unified_gpu.dtypes import DType
from unified_gpu.errors import KernelSourceError

from .ir import (
    VOID,
    ArrayInfo,
    Assign,
    Barrier,
    Eval,
    Expr,
    Field,
    For,
    Function,
    If,
    Jump,
    Stmt,
    Store,
    TupleType,
    While,
    array_fields,
)  # fmt: skip
from .spirv_module import FUNCTION, INPUT, PHYSICAL, PUSH_CONSTANT, WORKGROUP, SpirvModule
from .spirv_operations import ATOMICS, Operations

_BUILTINS = {"group_count": 24, "group_id": 26, "local_id": 27, "global_id": 28}
_ALIASED = 20


def push_constants(f: Function) -> list[tuple[Field, DType, int]]:
    """Each argument, the type that it is passed as (u64 for addresses), and its place; narrow numbers take 4 bytes."""
    result, at = [], 0
    for field in f.fields():
        dtype = dtypes.u64 if field.is_pointer else field.dtype
        if dtype.size < 4:
            dtype = dtypes.f32 if dtype.is_float else dtypes.i32 if dtype.kind == "int" else dtypes.u32
        at = -(-at // dtype.size) * dtype.size
        result.append((field, dtype, at))
        at += dtype.size
    return result


class SpirvPrinter(Operations):
    """A kernel and its device functions."""

    def __init__(self, f: Function, *, exact: bool = True) -> None:
        super().__init__(SpirvModule(), exact=exact)
        self.kernel = self.f = f
        self.functions: dict[Function, int] = {}
        self.fields: dict[str, int] = {}
        self.variables: dict[str, int] = {}
        self.arrays: dict[str, int] = {}
        self.declared: list[int] = []
        self.loops: list[tuple[int, int]] = []
        self.here, self.open = 0, False
        self.line = 0

    def words(self) -> bytes:
        """The module."""
        m = self.module
        self.size = [m.specialization(number) for number in range(3)]
        m.decorate(m.composite(m.vector(), self.size), 11, 25)  # the built-in size of a block
        self.arguments()
        for f in self.kernel.calls:
            self.functions[f] = m.new()
            self.function(f, self.functions[f])
        main = m.new()
        self.function(self.kernel, main)
        return m.words(main, self.code)

    def arguments(self) -> None:
        m = self.module
        self.passed = {
            field.name: (at, field, dtype) for at, (field, dtype, _) in enumerate(push_constants(self.kernel))
        }
        types = [
            m.buffer(field.dtype) if field.is_pointer else m.type(dtype) for _, field, dtype in self.passed.values()
        ]
        self.block_types = types
        self.push = 0
        if types:
            block = m.make(30, *types, key="push constants")
            m.decorate(block, 2)
            for at, (_, _, offset) in enumerate(push_constants(self.kernel)):
                m.decorate_member(block, at, 35, offset)
            self.push = m.variable(block, PUSH_CONSTANT)
        self.shared = {
            name: m.variable(m.array(array.dtype, prod(array.shape or ())), WORKGROUP)
            for name, array in self.kernel.shared.items()
        }

    # --- functions

    def function(self, f: Function, result: int) -> None:
        m = self.module
        self.f, self.variables, self.fields, self.declared, self.loops = f, {}, {}, [], []
        fields = [] if f.is_kernel else f.fields()
        types = [self.parameter_type(field) for field in fields]
        returns = m.type(f.returns)
        self.op(54, returns, result, 0, m.make(33, returns, *types))
        for field, type_ in zip(fields, types, strict=True):
            self.fields[field.name] = self.value(55, type_)
            if field.is_pointer and self.info(field.name).shape is None:
                m.decorate(self.fields[field.name], _ALIASED)
        self.label(m.new())
        start = len(self.code)
        for name, type_ in f.variables.items():
            if name not in f.params:
                self.variables[name] = self.variable(type_)
        if f.is_kernel and f.is_free:
            self.leave_outside()
        self.block(f.body)
        if self.open:
            self.op(255 if f.returns is not VOID else 253)
        self.op(56)
        self.code[start:start] = self.declared  # all variables stand first

    def info(self, name: str) -> ArrayInfo:
        return self.f.arrays[name]

    def parameter_type(self, field: Field) -> int:
        if not field.is_pointer:
            return self.module.type(field.dtype)
        array = self.info(field.name)
        if array.shape is None:
            return self.module.buffer(array.dtype)
        return self.module.pointer(WORKGROUP, self.module.array(array.dtype, prod(array.shape)))

    def leave_outside(self) -> None:
        """The threads of the last blocks that are beyond the launch do nothing."""
        for axis in range(self.f.rank):
            beyond = self.test(">=", dtypes.i32, self.id("global_id", axis), self.id("global_size", axis))
            leave, stay = self.module.new(), self.module.new()
            self.op(247, stay, 0)
            self.op(250, beyond, leave, stay)
            self.label(leave)
            self.op(253)
            self.label(stay)

    def field(self, name: str) -> int:
        """An argument; of a kernel it is read where it is used."""
        if name in self.fields:
            return self.fields[name]
        at, field, dtype = self.passed[name]
        type_ = self.block_types[at]
        place = self.value(
            65, self.module.pointer(PUSH_CONSTANT, type_), self.push, self.module.constant(dtypes.i32, at)
        )
        found = self.value(61, type_, place)
        return found if field.is_pointer else self.convert(found, dtype, field.dtype)

    def variable(self, type_: DType | TupleType) -> int:
        pointer, result = self.module.pointer(FUNCTION, self.module.type(type_)), self.module.new()
        self.declared += [4 << 16 | 59, pointer, result, FUNCTION]
        return result

    def label(self, label: int) -> None:
        self.op(248, label)
        self.here, self.open = label, True

    def branch(self, label: int) -> None:
        if self.open:
            self.op(249, label)
        self.open = False

    # --- statements

    def block(self, stmts: Sequence[Stmt]) -> None:
        for s in stmts:
            if not self.open:
                return  # behind a jump
            self.statement(s)

    def statement(self, s: Stmt) -> None:
        self.line = self.f.line(s.at)
        match s:
            case Assign():
                self.op(62, self.variables[s.name], self.expr(s.value))
            case Store():
                value, t = self.expr(s.value), self.info(s.array).dtype
                pointer, aligned = self.place(s.array, s.index)
                self.op(62, pointer, self.convert(value, t, self.module.element(t)) if aligned else value, *aligned)
            case Eval():
                self.expr(s.value)
            case If():
                self.choice(s)
            case While():
                self.loop(lambda: self.expr(s.condition), s.body)
            case For():
                self.counted(s)
            case Barrier():
                workgroup, memory = self.module.constant(dtypes.u32, 2), self.module.constant(dtypes.u32, 0x148)
                self.op(224, workgroup, workgroup, memory)
            case Jump(kind="return"):
                if s.value is None:
                    self.op(253)
                else:
                    self.op(254, self.expr(s.value))
                self.open = False
            case Jump():
                self.branch(self.loops[-1][s.kind == "continue"])

    def choice(self, s: If) -> None:
        condition = self.expr(s.condition)
        then, otherwise, merge = (self.module.new() for _ in range(3))
        self.op(247, merge, 0)
        self.op(250, condition, then, otherwise if s.otherwise else merge)
        never = bool(s.otherwise)
        for label, body in ((then, s.then), (otherwise, s.otherwise)):
            if label == then or body:
                self.label(label)
                self.block(body)
                never = never and not self.open
                self.branch(merge)
        self.label(merge)
        if never:
            self.op(255)
            self.open = False

    def counted(self, s: For) -> None:
        t = s.start.type
        start, stop = self.expr(s.start), self.expr(s.stop)
        counter = self.variables[s.name] = self.variable(t)
        self.op(62, counter, start)

        def now() -> int:
            return self.value(61, self.module.type(t), counter)

        def step() -> None:
            name = "+" if s.step > 0 else "-"
            self.op(62, counter, self.operator(name, t, t, now(), self.module.constant(t, abs(s.step))))

        self.loop(lambda: self.test("<" if s.step > 0 else ">", t, now(), stop), s.body, step)

    def loop(self, test: Callable[[], int], body: Sequence[Stmt], step: Callable[[], None] | None = None) -> None:
        head, check, inside, again, merge = (self.module.new() for _ in range(5))
        self.branch(head)
        self.label(head)
        self.op(246, merge, again, 0)
        self.branch(check)
        self.label(check)
        self.op(250, test(), inside, merge)
        self.label(inside)
        self.loops.append((merge, again))
        self.block(body)
        self.loops.pop()
        self.branch(again)
        self.label(again)
        if step:
            step()
        self.branch(head)
        self.label(merge)

    # --- elements

    def place(self, name: str, index: tuple[Expr, ...]) -> tuple[int, list[int]]:
        """The pointer to an element, and what a load or store says of its alignment."""
        array = self.info(name)
        number = dtypes.i64 if array.strided else dtypes.i32
        terms = [self.convert(self.expr(each), each.type, number) for each in index]
        if array.strided:
            strides = [self.field(f"{name}.s{axis}") for axis in range(array.ndim)]
            terms = [self.operator("*", number, number, *pair) for pair in zip(terms, strides, strict=True)]
        offset = terms[0]
        for axis, term in enumerate(terms[1:], 1):
            if not array.strided:
                known = (
                    self.module.constant(number, array.shape[axis]) if array.shape else self.field(f"{name}.n{axis}")
                )
                offset = self.operator("*", number, number, offset, known)
            offset = self.operator("+", number, number, offset, term)
        if array.shape is not None:
            base = self.fields[name] if name in self.fields else self.shared[name]
            return self.value(65, self.module.pointer(WORKGROUP, self.module.type(array.dtype)), base, offset), []
        element = self.module.element(array.dtype)
        pointer = self.module.pointer(PHYSICAL, self.module.type(element))
        first = self.module.constant(dtypes.i32, 0)
        return self.value(65, pointer, self.field(name), first, offset), [2, element.size]

    def id(self, kind: str, axis: int) -> int:
        component, whole = self.f.rank - 1 - axis, self.module.type(dtypes.i32)
        if kind == "global_size":
            return self.field(f"global_size.{axis}")
        if kind == "local_size":
            return self.value(124, whole, self.size[component])
        vector, key = self.module.vector(), ("id", kind)
        if key not in self.module.known:
            self.module.known[key] = self.module.variable(vector, INPUT)
            self.module.decorate(self.module.known[key], 11, _BUILTINS[kind])
        loaded = self.value(61, vector, self.module.known[key])
        return self.value(124, whole, self.value(81, self.module.type(dtypes.u32), loaded, component))

    def atomic(self, e: Expr) -> int:
        op, name = e.value
        array, t = self.info(name), e.type
        values = [self.expr(arg) for arg in e.args[array.ndim :]]
        pointer, aligned = self.place(name, e.args[: array.ndim])
        scope = self.module.constant(dtypes.u32, 1 if aligned else 2)
        relaxed = self.module.constant(dtypes.u32, 0)
        if t.size == 8 and not t.is_float:
            self.module.capabilities.add(12)
        if ATOMICS[op][t.kind] == 6035:
            self.module.capabilities.add(6033 if t is dtypes.f32 else 6034)
            self.module.extensions.add("SPV_EXT_shader_atomic_float_add")
        words = (relaxed, relaxed, values[1], values[0]) if op == "cas" else (relaxed, values[0])
        return self.value(ATOMICS[op][t.kind], self.module.type(t), pointer, scope, *words)

    # --- expressions

    def expr(self, e: Expr) -> int:
        match e.op:
            case "const":
                return self.module.constant(e.type, e.value)
            case "var":
                if e.value in self.f.params:
                    return self.field(e.value)
                return self.value(61, self.module.type(e.type), self.variables[e.value])
            case "shape":
                return self.field(f"{e.value[0]}.n{e.value[1]}")
            case "load":
                pointer, aligned = self.place(e.value, e.args)
                element = self.module.element(e.type) if aligned else e.type
                return self.convert(self.value(61, self.module.type(element), pointer, *aligned), element, e.type)
            case "id":
                return self.id(*e.value)
            case "atomic":
                return self.atomic(e)
            case "call":
                return self.value(57, self.module.type(e.type), self.functions[e.value], *self.call_arguments(e))
            case "and" | "or" | "select" if any(arg.touches_memory for arg in e.args[1:]):
                return self.branching(e)
            case "<<" | ">>":
                return self.shifted(e)
        args = [self.expr(arg) for arg in e.args]
        return self.computed(e, args)

    def shifted(self, e: Expr) -> int:
        a, count = e.args
        if count.op == "const" and 0 <= count.value < 8 * e.type.size:
            return self.operator(e.op, e.type, e.type, self.expr(a), self.module.constant(e.type, count.value))
        while count.op == "cast" and _only_widens(count.args[0].type, count.type):
            count = count.args[0]
        return self.shift(e.op, e.type, self.expr(a), self.expr(count), count.type)

    def call_arguments(self, e: Expr) -> list[int]:
        result = []
        for arg, (name, type_) in zip(e.args, e.value.params.items(), strict=True):
            if arg.op != "array":
                result.append(self.expr(arg))
                continue
            for field in array_fields(name, type_):
                own = arg.value + field.name.removeprefix(name)
                result.append(self.shared[own] if own in self.shared and own not in self.fields else self.field(own))
        return result

    def computed(self, e: Expr, args: list[int]) -> int:
        type_ = self.module.type(e.type)
        operand = e.args[0].type
        known = e.args[1].value if len(e.args) > 1 and e.args[1].op == "const" else None
        match e.op:
            case "item":
                return self.value(81, type_, args[0], e.value)
            case "tuple":
                return self.value(80, type_, *args)
            case "cast":
                return self.convert(args[0], operand, e.type)
            case "select":
                return self.value(169, type_, *args)
            case "and" | "or":
                return self.value(167 if e.op == "and" else 166, type_, *args)
            case "isnan" | "isinf":
                return self.value(156 if e.op == "isnan" else 157, type_, *args)
            case "isfinite":
                either = self.value(166, type_, self.value(156, type_, *args), self.value(157, type_, *args))
                return self.value(168, type_, either)
            case "//" | "%" if operand.is_float:
                return self.float_division(e.op, e.type, *args)
            case "//" | "%":
                return self.division(e.op, e.type, args[0], args[1], known)
            case "min" | "max":
                return self.least(e.op, e.type, *args)
            case "powi":
                result = args[0]
                for _ in range(e.value - 1):
                    result = self.operator("*", e.type, e.type, result, args[0])
                return result
            case "<" | "<=" | ">" | ">=" if operand is dtypes.bool_:
                args = [self.convert(arg, operand, dtypes.u32) for arg in args]
                operand = dtypes.u32
        if e.op[0].isalpha() and e.op not in ("neg", "inv", "not"):
            found = self.called(e.op, e.type, args)
            if found is None:
                raise KernelSourceError(
                    f"{self.f.file}:{self.line}: Vulkan has no {e.op} for {e.type}\nhint: convert its argument: f32(…)"
                )
            return found
        return self.operator(e.op, e.type, operand, *args)

    def branching(self, e: Expr) -> int:
        """`and`, `or` and choices with a side that must not be computed in vain: it loads, or calls."""
        merge, first, second = (self.module.new() for _ in range(3))
        condition = self.expr(e.args[0])
        came_from = self.here
        self.op(247, merge, 0)
        pairs: list[int] = []
        if e.op == "select":
            self.op(250, condition, first, second)
            sides = [(first, e.args[1]), (second, e.args[2])]
        else:
            self.op(250, condition, *((first, merge) if e.op == "and" else (merge, first)))
            sides, pairs = [(first, e.args[1])], [condition, came_from]
        for label, side in sides:
            self.label(label)
            pairs += [self.expr(side), self.here]
            self.branch(merge)
        self.label(merge)
        return self.value(245, self.module.type(e.type), *pairs)


def _only_widens(a: DType, b: DType) -> bool:
    """Whether a conversion keeps every whole number."""
    return a.kind in ("int", "uint") and a.size < b.size and not (a.kind == "int" and b.kind == "uint")
