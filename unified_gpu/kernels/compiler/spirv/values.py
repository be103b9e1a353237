"""The values of a kernel in SPIR-V: arguments, elements of arrays, the numbers of threads, and expressions of them."""

from __future__ import annotations

import functools

from unified_gpu import dtypes
from unified_gpu.backends.protocols import EndedLoops
from unified_gpu.dtypes import DType
from unified_gpu.errors import KernelSourceError
from unified_gpu.kernels.arguments.layout import ArgumentLayout, Field
from unified_gpu.kernels.compiler.front_end.promotion import COMPARISONS
from unified_gpu.kernels.compiler.ir import SUBGROUP_IDS, ArrayInfo, Expr, Function, passed
from unified_gpu.kernels.language import DeviceFunction

from .functions import built_function, computed_as, written_function
from .module import PHYSICAL, PUSH_CONSTANT, SpirvModule, Type, storage_of
from .opcodes import Op
from .operations import ATOMICS, OPERATORS, Operations

MOST_PUSHED = 128
"""Bytes of push constants that every device has room for; more arguments lie in memory, and their address is pushed."""
SUBGROUPS_BASIC = 61
"""A capability."""


def pushed(f: Function) -> ArgumentLayout:
    """The places of a kernel's arguments, as push constants or in memory."""
    return ArgumentLayout(f.fields(), is_pushed=True)


def _apart(e: Expr) -> tuple[Expr, int]:
    """An index of i32 as what varies and the number that is added to it."""
    if e.op in ("+", "-") and e.type is dtypes.i32 and e.args[1].op == "const":
        number = int(e.args[1].value)
        if number != -(2**31):
            return e.args[0], number if e.op == "+" else -number
    return e, 0


class Values(Operations):
    """Values of the function `f`, as instructions of the block that is open.

    Attributes:
        passed: by the name of an argument of the kernel, its number, the type that it is passed as, and that one's id.
        fields: the arguments of a device function, and a thread's own arrays.
    """

    def __init__(self, f: Function, *, exact: bool = True, ended_loops: EndedLoops | None = None) -> None:
        super().__init__(SpirvModule(), exact=exact)
        self.ended_loops = ended_loops
        self.kernel = self.f = f
        self.functions: dict[Function, int] = {}
        self.fields: dict[str, int] = {}
        self.variables: dict[str, int] = {}
        self.passed: dict[str, tuple[int, Field, DType, int]] = {}
        self.push = self.in_memory = 0
        self.shared: dict[str, int] = {}
        self.size: list[int] = []
        self.width = 0
        self.declared: list[int] = []
        self.loops: list[tuple[int, int]] = []
        self.here, self.open = 0, False
        self.line = 0

    def field(self, name: str) -> int:
        """An argument, or an array in shared memory; an argument of a kernel is read where it is used."""
        if (known := self.fields.get(name) or self.shared.get(name)) is not None:
            return known
        at, field, dtype, type_ = self.passed[name]
        member, storage, arguments, aligned = self.module.constant(dtypes.i32, at), PUSH_CONSTANT, self.push, []
        if self.in_memory:
            place = self.element(PUSH_CONSTANT, self.in_memory, self.push, self.module.constant(dtypes.i32, 0))
            storage, arguments, aligned = PHYSICAL, self.value(Op.LOAD, self.in_memory, place), [2, dtype.size]
        found = self.value(Op.LOAD, type_, self.element(storage, type_, arguments, member), *aligned)
        return found if field.is_pointer else self.convert(found, dtype, field.dtype)

    def element(self, storage: int, type_: Type, base: int, *places: int) -> int:
        """The pointer to a member of a struct, or to an element of an array."""
        return self.value(Op.ACCESS_CHAIN, self.module.pointer(storage, type_), base, *places)

    # --- blocks

    def label(self, label: int) -> None:
        """Starts a block, with which an open one goes on."""
        self.branch(label)
        self.op(Op.LABEL, label)
        self.here, self.open = label, True

    def leave(self, opcode: int, *words: int) -> None:
        """Ends a block, and what no block goes on with."""
        self.op(opcode, *words)
        self.open = False

    def branch(self, label: int) -> None:
        if self.open:
            self.leave(Op.BRANCH, label)

    def branch_if(self, condition: int, then: int, otherwise: int, merge: int = 0) -> None:
        """`merge` is the block where both ways meet, where that is not the end of a loop."""
        if merge:
            self.op(Op.SELECTION_MERGE, merge, 0)
        self.leave(Op.BRANCH_CONDITIONAL, condition, then, otherwise)

    # --- elements

    def place(self, name: str, index: tuple[Expr, ...]) -> tuple[int, list[int]]:
        """The pointer to an element, and what a load or store says of its alignment."""
        array = self.f.arrays[name]
        offset = self.distance(name, index) if array.strided else self.offset(name, array, index)
        if array.shape is not None:
            return self.element(storage_of(array), array.dtype, self.field(name), offset), []
        element, first = self.module.element(array.dtype), self.module.constant(dtypes.i32, 0)
        return self.element(PHYSICAL, element, self.field(name), first, offset), [2, element.size]

    def distance(self, name: str, index: tuple[Expr, ...]) -> int:
        """The number of an element of an array with strides."""
        number = dtypes.i64
        terms = [self.convert(self.expr(each), each.type, number) for each in index]
        strides = [self.field(f"{name}.s{axis}") for axis in range(len(index))]
        terms = [self.operator("*", number, number, *pair) for pair in zip(terms, strides, strict=True)]
        return functools.reduce(lambda a, b: self.operator("+", number, number, a, b), terms)

    def offset(self, name: str, array: ArrayInfo, index: tuple[Expr, ...]) -> int:
        """The number of an element of an array in order.

        What is added to an index is added last: then neighbours such as x[i - 1, j] and x[i + 1, j] share the rest, and
        drivers do not find that by themselves. Whatever overflows, the sum is the same.
        """
        number = dtypes.i32
        offset = added = 0  # no `added` is 0
        for axis, each in enumerate(index):
            variable, constant = _apart(each)
            term = self.convert(self.expr(variable), variable.type, number)
            more = self.module.constant(number, constant) if constant else 0
            if axis:
                length = (
                    self.module.constant(number, array.shape[axis]) if array.shape else self.field(f"{name}.n{axis}")
                )
                term = self.operator("+", number, number, self.operator("*", number, number, offset, length), term)
                if added:
                    added = self.operator("*", number, number, added, length)
            offset = term
            added = self.operator("+", number, number, added, more) if added and more else added or more
        return self.operator("+", number, number, offset, added) if added else offset

    def id(self, kind: str, axis: int) -> int:
        if kind in SUBGROUP_IDS:
            return self.convert(self.subgroup_id(kind), dtypes.u32, dtypes.i32)
        component = self.f.rank - 1 - axis
        if kind == "global_size":
            return self.field(f"global_size.{axis}")
        u32 = dtypes.u32
        if kind == "local_size":
            number = self.size[component] if component else self.width
        elif kind == "global_id" and component == 0:
            first = self.operator("*", u32, u32, self.part("group_id", 0), self.width)
            number = self.operator("+", u32, u32, first, self.part("local_id", 0))
        else:
            number = self.part(kind, component)
        return self.value(Op.BITCAST, dtypes.i32, number)

    def part(self, kind: str, component: int) -> int:
        """A number that the device gives a thread, along an axis of the device, as u32."""
        vector = self.module.vector(3)
        loaded = self.value(Op.LOAD, vector, self.module.built_in(kind, vector))
        return self.value(Op.COMPOSITE_EXTRACT, dtypes.u32, loaded, component)

    def subgroup_id(self, kind: str) -> int:
        """A number that has to do with the subgroup, as u32."""
        self.module.capabilities.add(SUBGROUPS_BASIC)
        return self.value(Op.LOAD, dtypes.u32, self.module.built_in(kind, self.module.type(dtypes.u32)))

    def atomic(self, e: Expr) -> int:
        op, name = e.value
        axes, t = self.f.arrays[name].ndim, e.type
        values = [self.expr(arg) for arg in e.args[axes:]]
        pointer, aligned = self.place(name, e.args[:axes])
        scope, relaxed = (self.module.constant(dtypes.u32, number) for number in (1 if aligned else 2, 0))
        if t.size == 8 and not t.is_float:
            self.module.capabilities.add(12)
        if op == "add" and t.is_float:
            self.module.capabilities.add(6033 if t is dtypes.f32 else 6034)
            self.module.extensions.add("SPV_EXT_shader_atomic_float_add")
        words = (relaxed, relaxed, values[1], values[0]) if op == "cas" else (relaxed, values[0])
        return self.value(ATOMICS[op][t.kind], t, pointer, scope, *words)

    # --- expressions

    def expr(self, e: Expr) -> int:
        match e.op:
            case "const" if self.exact and e.type.is_float:
                return self.unknown(e.type, self.module.constant(e.type, e.value))
            case "const":
                return self.module.constant(e.type, e.value)
            case "var":
                if e.value in self.f.params:
                    return self.field(e.value)
                return self.value(Op.LOAD, e.type, self.variables[e.value])
            case "shape":
                return self.field(f"{e.value[0]}.n{e.value[1]}")
            case "load":
                pointer, aligned = self.place(e.value, e.args)
                element = self.module.element(e.type) if aligned else e.type
                return self.convert(self.value(Op.LOAD, element, pointer, *aligned), element, e.type)
            case "id":
                return self.id(*e.value)
            case "atomic":
                return self.atomic(e)
            case "call":
                args = [self.field(each) if isinstance(each, str) else self.expr(each) for each in passed(e)]
                return self.value(Op.FUNCTION_CALL, e.type, self.functions[e.value], *args)
            case "print":
                raise self.error("Vulkan cannot print", "leave it out; cuda and the CPU print")
            case "and" | "or" | "select" if any(arg.touches_memory for arg in e.args[1:]):
                return self.branching(e)
            case "<<" | ">>":
                return self.shifted(e)
        found = self.computed(e, [self.operand(e, arg) for arg in e.args])
        if self.exact and e.op == "cast" and e.type.is_float and _may_be_known(e.args[0]):
            return self.unknown(e.type, found)
        return found

    def operand(self, e: Expr, arg: Expr) -> int:
        """An operand of an operation: a number that no driver can make a zero of may be seen by it."""
        if arg.op == "const" and arg.type.is_float:
            beside = arg.value != 0 and e.op != "select" and any(each.op != "const" for each in e.args)
            if beside or e.op in COMPARISONS:
                return self.module.constant(arg.type, arg.value)
        return self.expr(arg)

    def unknown(self, t: DType, number: int) -> int:
        """A fraction that drivers do not know: Mesa's lavapipe makes x of x + 0.0, and 0.0 of x * 0.0."""
        u32 = dtypes.u32
        blocks = self.operator("&", u32, u32, self.part("group_count", 1), self.part("group_count", 2))
        nothing = self.operator("&", u32, u32, blocks, self.module.constant(u32, 3 << 30))  # no launch has 2**60 blocks
        return self.by_bits("^", t, number, nothing)

    def error(self, message: str, hint: str) -> KernelSourceError:
        return KernelSourceError(f"{self.f.file}:{self.line}: {message}\nhint: {hint}")

    def shifted(self, e: Expr) -> int:
        a, count = e.args
        if count.op == "const" and 0 <= count.value < 8 * e.type.size:
            return self.operator(e.op, e.type, e.type, self.expr(a), self.module.constant(e.type, count.value))
        while count.op == "cast" and _only_widens(count.args[0].type, count.type):
            count = count.args[0]
        return self.shift(e.op, e.type, self.expr(a), self.expr(count), count.type)

    def computed(self, e: Expr, args: list[int]) -> int:
        operand = e.args[0].type
        known = e.args[1].value if len(e.args) > 1 and e.args[1].op == "const" else None
        match e.op:
            case "item":
                return self.value(Op.COMPOSITE_EXTRACT, e.type, args[0], e.value)
            case "tuple":
                return self.value(Op.COMPOSITE_CONSTRUCT, e.type, *args)
            case "cast" if operand is dtypes.i32 and e.type.size == 8 and not e.type.is_float:
                return self.widened(args[0], e.type)
            case "cast":
                return self.convert(args[0], operand, e.type)
            case "isfinite":
                either = self.either(self.test("isnan", operand, *args), self.test("isinf", operand, *args))
                return self.test("not", e.type, either)
            case "//" | "%" if not operand.is_float:
                return self.division(e.op, e.type, args[0], args[1], known)
            case "min" | "max" if operand is dtypes.bool_:
                return self.both(*args) if e.op == "min" else self.either(*args)
            case "min" | "max":  # Python's, also for NaN
                pair = args[::-1] if e.op == "min" else args
                return self.select(e.type, self.test("<", e.type, *pair), args[1], args[0])
            case "powi":
                result = args[0]
                for _ in range(e.value - 1):
                    result = self.operator("*", e.type, e.type, result, args[0])
                return result
            case "<" | "<=" | ">" | ">=" if operand is dtypes.bool_:
                args = [self.convert(arg, operand, dtypes.u32) for arg in args]
                operand = dtypes.u32
        written = written_function(e.op, operand, exact=self.exact)
        if written is not None:
            return self.helped(written, e.type, args)
        if e.op in OPERATORS:
            return self.operator(e.op, e.type, operand, *args)
        found = self.called(e.op, e.type, args)
        if found is None:
            raise self.error(f"Vulkan has no {e.op} for {e.type}", "convert its argument: f32(…)")
        return found

    def helped(self, written: DeviceFunction, t: DType, args: list[int]) -> int:
        """A call of a function that was written for this; what it needs is printed behind the kernel."""
        computed = computed_as(t)
        f = built_function(written, computed)
        for each in (*f.calls, f):
            self.functions.setdefault(each, self.module.new())
        passed = [self.convert(arg, t, computed) for arg in args]
        return self.convert(self.value(Op.FUNCTION_CALL, computed, self.functions[f], *passed), computed, t)

    def branching(self, e: Expr) -> int:
        """`and`, `or` and choices with a side that must not be computed in vain: it loads, or calls."""
        merge, first, second = (self.module.new() for _ in range(3))
        condition = self.expr(e.args[0])
        sides, pairs = [(first, e.args[1])], [condition, self.here]
        if e.op == "select":
            sides, pairs = [(first, e.args[1]), (second, e.args[2])], []
            self.branch_if(condition, first, second, merge)
        else:
            self.branch_if(condition, *((first, merge) if e.op == "and" else (merge, first)), merge)
        for label, side in sides:
            self.label(label)
            pairs += [self.expr(side), self.here]
            self.branch(merge)
        self.label(merge)
        return self.value(Op.PHI, e.type, *pairs)


def _may_be_known(e: Expr) -> bool:
    """Whether a driver can know a whole number or a bool: it knows no memory."""
    return not e.type.is_float and e.op not in ("load", "id", "shape", "atomic")


def _only_widens(a: DType, b: DType) -> bool:
    """Whether a conversion keeps every whole number."""
    return a.kind in ("int", "uint") and a.size < b.size and not (a.kind == "int" and b.kind == "uint")
