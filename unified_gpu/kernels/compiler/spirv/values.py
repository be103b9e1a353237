"""The values of a kernel in SPIR-V: arguments, elements of arrays, the numbers of threads, and expressions of them."""

from __future__ import annotations

from unified_gpu import dtypes
from unified_gpu.dtypes import DType
from unified_gpu.errors import KernelSourceError
from unified_gpu.kernels.compiler.ir import ArrayInfo, Expr, Field, Function, array_fields
from unified_gpu.kernels.language import DeviceFunction

from .functions import built_function, computed_as, written_function
from .module import INPUT, PHYSICAL, PUSH_CONSTANT, WORKGROUP, SpirvModule
from .opcodes import Op
from .operations import ATOMICS, Operations

_BUILTINS = {"group_count": 24, "group_id": 26, "local_id": 27, "global_id": 28}


MOST_PUSHED = 128
"""Bytes of push constants that every device has room for; more arguments lie in memory, and their address is pushed."""


def passed_type(field: Field) -> DType:
    """The type that an argument is passed as: u64 for addresses, and narrow numbers take 4 bytes."""
    dtype = dtypes.u64 if field.is_pointer else field.dtype
    if dtype.size < 4:
        return dtypes.f32 if dtype.is_float else dtypes.i32 if dtype.kind == "int" else dtypes.u32
    return dtype


def push_constants(f: Function) -> list[tuple[Field, DType, int]]:
    """Each argument, the type that it is passed as, and its place."""
    result, at = [], 0
    for field in f.fields():
        dtype = passed_type(field)
        at = -(-at // dtype.size) * dtype.size
        result.append((field, dtype, at))
        at += dtype.size
    return result


def argument_bytes(f: Function) -> int:
    """The size of all arguments."""
    places = push_constants(f)
    return places[-1][2] + places[-1][1].size if places else 0


def is_passed_by_address(f: Function) -> bool:
    """Whether the arguments lie in memory, since they are more than a device need have room for."""
    return argument_bytes(f) > MOST_PUSHED


def _apart(e: Expr) -> tuple[Expr, int]:
    """An index of i32 as what varies and the number that is added to it."""
    if e.op in ("+", "-") and e.type is dtypes.i32 and e.args[1].op == "const":
        number = int(e.args[1].value)
        if number != -(2**31):
            return e.args[0], number if e.op == "+" else -number
    return e, 0


class Values(Operations):
    """Values of the function `f`, as instructions of the block that is open."""

    def __init__(self, f: Function, *, exact: bool = True) -> None:
        super().__init__(SpirvModule(), exact=exact)
        self.kernel = self.f = f
        self.functions: dict[Function, int] = {}
        self.fields: dict[str, int] = {}
        self.variables: dict[str, int] = {}
        self.passed: dict[str, tuple[int, Field, DType]] = {}
        self.block_types: list[int] = []
        self.push = self.in_memory = 0
        self.shared: dict[str, int] = {}
        self.size: list[int] = []
        self.declared: list[int] = []
        self.loops: list[tuple[int, int]] = []
        self.here, self.open = 0, False
        self.line = 0

    def info(self, name: str) -> ArrayInfo:
        return self.f.arrays[name]

    def field(self, name: str) -> int:
        """An argument; of a kernel it is read where it is used."""
        if name in self.fields:
            return self.fields[name]
        at, field, dtype = self.passed[name]
        type_, member = self.block_types[at], self.module.constant(dtypes.i32, at)
        if self.in_memory:
            here = self.module.pointer(PUSH_CONSTANT, self.in_memory)
            first = self.value(Op.ACCESS_CHAIN, here, self.push, self.module.constant(dtypes.i32, 0))
            arguments = self.value(Op.LOAD, self.in_memory, first)
            place = self.value(Op.ACCESS_CHAIN, self.module.pointer(PHYSICAL, type_), arguments, member)
            found = self.value(Op.LOAD, type_, place, 2, dtype.size)
        else:
            place = self.value(Op.ACCESS_CHAIN, self.module.pointer(PUSH_CONSTANT, type_), self.push, member)
            found = self.value(Op.LOAD, type_, place)
        return found if field.is_pointer else self.convert(found, dtype, field.dtype)

    def label(self, label: int) -> None:
        self.op(Op.LABEL, label)
        self.here, self.open = label, True

    def branch(self, label: int) -> None:
        if self.open:
            self.op(Op.BRANCH, label)
        self.open = False

    # --- elements

    def place(self, name: str, index: tuple[Expr, ...]) -> tuple[int, list[int]]:
        """The pointer to an element, and what a load or store says of its alignment."""
        array = self.info(name)
        number = dtypes.i64 if array.strided else dtypes.i32
        if array.strided:
            terms = [self.convert(self.expr(each), each.type, number) for each in index]
            strides = [self.field(f"{name}.s{axis}") for axis in range(array.ndim)]
            terms = [self.operator("*", number, number, *pair) for pair in zip(terms, strides, strict=True)]
            offset = terms[0]
            for term in terms[1:]:
                offset = self.operator("+", number, number, offset, term)
        else:
            offset = self.offset(name, array, index)
        if array.shape is not None:
            base = self.fields[name] if name in self.fields else self.shared[name]
            pointer = self.module.pointer(WORKGROUP, self.module.type(array.dtype))
            return self.value(Op.ACCESS_CHAIN, pointer, base, offset), []
        element = self.module.element(array.dtype)
        pointer = self.module.pointer(PHYSICAL, self.module.type(element))
        first = self.module.constant(dtypes.i32, 0)
        return self.value(Op.ACCESS_CHAIN, pointer, self.field(name), first, offset), [2, element.size]

    def offset(self, name: str, array: ArrayInfo, index: tuple[Expr, ...]) -> int:
        """The number of an element of an array in order.

        What is added to an index is added last: then neighbours such as x[i - 1, j] and x[i + 1, j] share the rest, and
        drivers do not find that by themselves. Whatever overflows, the sum is the same.
        """
        number = dtypes.i32
        offset = added = 0
        for axis, each in enumerate(index):
            variable, constant = _apart(each)
            term = self.convert(self.expr(variable), variable.type, number)
            if axis == 0:
                offset, added = term, self.constant_or_none(constant)
                continue
            length = self.module.constant(number, array.shape[axis]) if array.shape else self.field(f"{name}.n{axis}")
            offset = self.operator("+", number, number, self.operator("*", number, number, offset, length), term)
            more = self.constant_or_none(constant)
            if added:
                added = self.operator("*", number, number, added, length)
            added = self.operator("+", number, number, added, more) if added and more else added or more
        return self.operator("+", number, number, offset, added) if added else offset

    def constant_or_none(self, value: int) -> int:
        return self.module.constant(dtypes.i32, value) if value else 0

    def id(self, kind: str, axis: int) -> int:
        component, whole = self.f.rank - 1 - axis, self.module.type(dtypes.i32)
        if kind == "global_size":
            return self.field(f"global_size.{axis}")
        if kind == "local_size":
            return self.value(Op.BITCAST, whole, self.size[component])
        vector, key = self.module.vector(), ("id", kind)
        if key not in self.module.known:
            self.module.known[key] = self.module.variable(vector, INPUT)
            self.module.decorate(self.module.known[key], 11, _BUILTINS[kind])
        loaded = self.value(Op.LOAD, vector, self.module.known[key])
        number = self.value(Op.COMPOSITE_EXTRACT, self.module.type(dtypes.u32), loaded, component)
        return self.value(Op.BITCAST, whole, number)

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
                return self.value(Op.LOAD, self.module.type(e.type), self.variables[e.value])
            case "shape":
                return self.field(f"{e.value[0]}.n{e.value[1]}")
            case "load":
                pointer, aligned = self.place(e.value, e.args)
                element = self.module.element(e.type) if aligned else e.type
                return self.convert(self.value(Op.LOAD, self.module.type(element), pointer, *aligned), element, e.type)
            case "id":
                return self.id(*e.value)
            case "atomic":
                return self.atomic(e)
            case "call":
                return self.value(
                    Op.FUNCTION_CALL, self.module.type(e.type), self.functions[e.value], *self.call_arguments(e)
                )
            case "print":
                place = f"{self.f.file}:{self.line}"
                raise KernelSourceError(f"{place}: Vulkan cannot print\nhint: leave it out; cuda and the CPU print")
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
                return self.value(Op.COMPOSITE_EXTRACT, type_, args[0], e.value)
            case "tuple":
                return self.value(Op.COMPOSITE_CONSTRUCT, type_, *args)
            case "cast":
                return self.convert(args[0], operand, e.type)
            case "select":
                return self.value(Op.SELECT, type_, *args)
            case "and" | "or":
                return self.both(*args) if e.op == "and" else self.either(*args)
            case "isnan" | "isinf":
                return self.value(Op.IS_NAN if e.op == "isnan" else Op.IS_INF, type_, *args)
            case "isfinite":
                either = self.either(self.value(Op.IS_NAN, type_, *args), self.value(Op.IS_INF, type_, *args))
                return self.value(Op.LOGICAL_NOT, type_, either)
            case "bits":
                return self.value(Op.BITCAST, type_, *args)
            case "//" | "%" if not operand.is_float:
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
        written = written_function(e.op, operand, exact=self.exact)
        if written is not None:
            return self.helped(written, e.type, args)
        if e.op[0].isalpha() and e.op not in ("neg", "inv", "not"):
            found = self.called(e.op, e.type, args)
            if found is None:
                raise KernelSourceError(
                    f"{self.f.file}:{self.line}: Vulkan has no {e.op} for {e.type}\nhint: convert its argument: f32(…)"
                )
            return found
        return self.operator(e.op, e.type, operand, *args)

    def helped(self, written: DeviceFunction, t: DType, args: list[int]) -> int:
        """A call of a function that was written for this; what it needs is printed behind the kernel."""
        computed = computed_as(t)
        f = built_function(written, computed)
        for each in (*f.calls, f):
            self.functions.setdefault(each, self.module.new())
        result = self.value(
            57, self.module.type(computed), self.functions[f], *(self.convert(arg, t, computed) for arg in args)
        )
        return self.convert(result, computed, t)

    def branching(self, e: Expr) -> int:
        """`and`, `or` and choices with a side that must not be computed in vain: it loads, or calls."""
        merge, first, second = (self.module.new() for _ in range(3))
        condition = self.expr(e.args[0])
        came_from = self.here
        self.op(Op.SELECTION_MERGE, merge, 0)
        pairs: list[int] = []
        if e.op == "select":
            self.op(Op.BRANCH_CONDITIONAL, condition, first, second)
            sides = [(first, e.args[1]), (second, e.args[2])]
        else:
            self.op(Op.BRANCH_CONDITIONAL, condition, *((first, merge) if e.op == "and" else (merge, first)))
            sides, pairs = [(first, e.args[1])], [condition, came_from]
        for label, side in sides:
            self.label(label)
            pairs += [self.expr(side), self.here]
            self.branch(merge)
        self.label(merge)
        return self.value(Op.PHI, self.module.type(e.type), *pairs)


def _only_widens(a: DType, b: DType) -> bool:
    """Whether a conversion keeps every whole number."""
    return a.kind in ("int", "uint") and a.size < b.size and not (a.kind == "int" and b.kind == "uint")
