"""The front end, third part: what a kernel can call."""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence
from functools import partial, reduce
from typing import Any

from unified_gpu import dtypes
from unified_gpu.dtypes import DType, i32
from unified_gpu.kernels.compiler.ir import VOID, WEAK_FLOAT, ArrayInfo, Expr, cast, is_weak
from unified_gpu.kernels.language import (
    DeviceFunction,
    Intrinsic,
    bits_of,
    float_of,
    floor_of,
    power_of,
    rsqrt,
)
from unified_gpu.kernels.mathematics import blocks
from unified_gpu.structs import is_struct

from . import hints, structs
from .device_calls import DeviceCalls
from .promotion import number, whole_number
from .scope import Value, is_one_number
from .source import MISSING

ONE = (
    "sqrt cbrt sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh exp exp2 expm1 log log2 log10 log1p "
    "erf erfc fabs"
).split()
TWO = "pow atan2 fmod copysign hypot".split()
ROUNDING = "floor ceil trunc".split()
TESTS = "isnan isinf isfinite".split()
_MATH = {name: getattr(math, name) for name in (*ONE, *TWO, *ROUNDING, *TESTS) if hasattr(math, name)}
_FUNCTIONS = {id(function): name for name, function in _MATH.items()} | {
    id(rsqrt): "rsqrt", id(floor_of): "floor", id(bits_of): "bits", id(float_of): "bits",
    id(power_of): "powr", id(abs): "abs", id(min): "min", id(max): "max",
}  # fmt: skip
"""By identity, because not everything that a name can mean has a hash."""
_CASTS = {id(bool): dtypes.bool_, id(int): dtypes.i64, id(float): dtypes.f32}
_WHOLE = ("i32", "u32", "i64", "u64")
_ATOMIC_TYPES = {"add": (*_WHOLE, "f32", "f64"), "exchange": (*_WHOLE, "f32")}
_BITS = {dtypes.f32: dtypes.u32, dtypes.f64: dtypes.u64, dtypes.u32: dtypes.f32, dtypes.u64: dtypes.f64}

_WIDE = {
    dtypes.f16: dtypes.f32, dtypes.i8: dtypes.i32, dtypes.i16: dtypes.i32, dtypes.u8: dtypes.u32,
    dtypes.u16: dtypes.u32, dtypes.bool_: dtypes.u32,
}  # fmt: skip
"""What narrow numbers are exchanged as: no device has all of them."""
_VOTES = ("any", "all", "ballot")
_FOLDS = {
    "block_sum": blocks.fold_sum, "block_min": blocks.fold_min, "block_max": blocks.fold_max,
    "block_any": blocks.fold_max, "block_all": blocks.fold_min,
}  # fmt: skip
MOST_THREADS = 1024
"""Of a block."""
_LANE = Expr("id", dtypes.i32, value=("lane_id", 0))


class Calls(DeviceCalls):
    """Calls of intrinsics, of mathematics, of types, and of device functions."""

    math_names = frozenset(_MATH)

    def visit_Call(self, node: ast.Call) -> Value:
        callee = self.object(node.func)
        if callee is MISSING and isinstance(node.func, ast.Attribute) and node.func.attr == "dtype":
            callee = self.dtype_of(node.func)
        if callee is MISSING:
            if isinstance(node.func, ast.Name) and node.func.id in self.local_names:
                raise self.error(node, f"{node.func.id} is no function")
            if isinstance(node.func, ast.Attribute):
                self.refuse_method(node.func)
            raise self.undefined(node.func)
        if node.keywords and not isinstance(callee, DeviceFunction) and not is_struct(callee):
            raise self.error(node.keywords[0].value, "arguments of this are passed by their place, not by name")
        for each in node.args:
            if isinstance(each, ast.Starred):
                raise self.error(each, "in a kernel arguments are passed one by one")
        if isinstance(callee, Intrinsic) and callee.kind != "math":
            return self.intrinsic(node, callee)
        if isinstance(callee, DeviceFunction):
            return self.device_call(node, callee)
        if is_struct(callee):
            return self.made(node, callee)
        if callee is print:
            return self.printed(node)
        if callee is len:
            return self.length_of(node)
        if dtype := callee if isinstance(callee, DType) else _CASTS.get(id(callee)):
            return self.cast(node, dtype)
        if name := _FUNCTIONS.get(id(callee)):
            return self.mathematics(node, callee, name)
        hint = hints.instead_of(callee, self.math_names)
        if not hint and hasattr(callee, "__code__"):
            hint = "decorate it with @device"
        if hasattr(callee, "is_kernel"):
            hint = "a kernel cannot start a kernel; put what both need into a @device function"
        raise self.error(node, f"a kernel cannot call {ast.unparse(node.func)}", hint)

    def refuse_method(self, node: ast.Attribute) -> None:
        """Arrays have no methods in a kernel."""
        first = node.value
        while isinstance(first, ast.Subscript):
            first = first.value
        is_local = isinstance(first, ast.Name) and first.id in self.local_names
        if not is_local or getattr(self.visit(node.value), "op", "") != "array":
            return
        name, called = ast.unparse(node.value), ast.unparse(node)
        if node.attr in hints.REDUCTIONS:
            outside = f"loop over the elements, or pass what {called}() gives outside"
            raise self.error(node, f"{called}(): arrays have no reductions in a kernel", outside)
        raise self.error(node, f"{called}(): arrays have no methods in a kernel", f"{name} has shape, ndim and dtype")

    def dtype_of(self, node: ast.Attribute) -> DType:
        """`x.dtype`, of an array or a variable."""
        value = self.visit(node.value)
        if not isinstance(value, Expr):
            raise self.error(node, "a tuple has no dtype")
        found: DType = self.arrays[value.value].dtype if value.op == "array" else self.typed(value, node).type
        return found

    def cast(self, node: ast.Call, dtype: DType) -> Expr:
        self.count(node, 1)
        if dtype is dtypes.bf16:
            raise self.error(node, "kernels written in Python cannot compute with bf16", "cast the array to f32 first")
        e = self.expr(node.args[0])
        if dtype is dtypes.bool_:
            return self.condition(node.args[0])
        if e.is_literal:
            value = int(e.value) if not dtype.is_float and math.isfinite(e.value) else e.value
            return Expr("const", dtype, value=self.constant(value, dtype, node))
        return cast(self.settled(e, node), dtype)

    def length_of(self, node: ast.Call) -> Expr:
        self.count(node, 1)
        value = self.visit(node.args[0])
        if isinstance(value, tuple):
            return number(len(value))
        if structs.is_array(value):
            value = value.args[0]
        if value.op != "array":
            raise self.error(node, f"{'a struct' if structs.is_one(value) else f'a {value.type}'} has no length")
        return self.length(value, 0)

    def printed(self, node: ast.Call) -> Expr:
        """A line: texts, numbers, and f-strings of both without formats."""
        texts, values = [""], []
        for at, each in enumerate(node.args):
            texts[-1] += " " if at else ""
            for part in each.values if isinstance(each, ast.JoinedStr) else [each]:
                found = self.text_or_number(part)
                if isinstance(found, str):
                    texts[-1] += found
                else:
                    values.append(found)
                    texts.append("")
        return Expr("print", VOID, tuple(values), tuple(texts))

    def text_or_number(self, part: ast.expr) -> str | Expr:
        """One part of what is printed: what is known now is text."""
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            return part.value
        if isinstance(part, ast.FormattedValue):
            if part.format_spec is not None or part.conversion != -1:
                raise self.error(
                    part.value, "a kernel prints numbers without a format", "leave out what follows : or !"
                )
            part = part.value
        value = self.visit(part)
        if not is_one_number(value):
            raise self.error(part, "a kernel prints texts and numbers", "print the elements one by one")
        if value.is_literal:
            return f"{value.value:g}" if isinstance(value.value, float) else str(value.value)
        return self.typed(value, part)

    # --- what only kernels have

    def intrinsic(self, node: ast.Call, callee: Intrinsic) -> Expr:
        match callee.kind:
            case "id":
                return self.id(node, callee.name)
            case "atomic":
                return self.atomic(node, callee.name.removeprefix("atomic_"))
            case "barrier":
                raise self.error(node, "barrier() is a statement of its own: it gives nothing")
            case "shared":
                hint = f"write `tile = {callee.name}(f32, 256)` as a statement of the kernel"
                raise self.error(node, f"an array of {callee.name}() has a name", hint)
        self.refuse_in_device(node, callee.name)
        self.asks_for_block(node, callee.name)
        if callee.kind == "uniform":
            self.count(node, 1)
            value = self.settled(self.expr(node.args[0]), node)
            return value if value.op == "const" else Expr("subgroup", value.type, (value,), ("uniform", node))
        if callee.kind == "block":
            return self.block_operation(node, callee.name)
        if callee.kind == "subgroup":
            return self.subgroup(node, callee.name.removeprefix("subgroup_"))
        self.count(node, 0)
        return Expr("id", dtypes.i32, value=(callee.name, 0))

    def refuse_in_device(self, node: ast.Call, name: str) -> None:
        if not self.is_kernel:
            message = f"{name} can be called only in a kernel, not in a device function"
            raise self.error(node, message, "pass it as an argument")

    def id(self, node: ast.Call, name: str) -> Expr:
        self.refuse_in_device(node, name)
        self.count(node, 0, 1)
        axis = whole_number(self.expr(node.args[0])) if node.args else 0
        if axis is None or not 0 <= axis < 3:
            raise self.error(node, f"the axis of {name} is 0, 1 or 2", f"write {name}(0)")
        if axis >= self.program.rank:  # the launch has no such axis: a single thread
            return Expr("const", dtypes.i32, value=0 if name.endswith("_id") else 1)
        if not name.startswith("global_"):
            self.asks_for_block(node, name)
        return Expr("id", dtypes.i32, value=(name, axis))

    def atomic(self, node: ast.Call, op: str) -> Expr:
        given = "expected, value" if op == "cas" else "value"
        self.count(node, 4 if op == "cas" else 3, hint=f"atomic_{op}(array, index, {given})")
        array = self.visit(node.args[0])
        if not isinstance(array, Expr) or array.op != "array":
            raise self.error(
                node.args[0], "the first argument is an array, the second the index", f"atomic_{op}(counts, i, 1)"
            )
        if self.arrays[array.value].is_local:
            what = f"{array.value} is an array of this thread alone, which needs no atomics"
            raise self.error(node.args[0], what, f"write {array.value}[i] += …")
        place = self.index(node.args[1], node.args[0], array, node.args[1])
        dtype, fitting = self.arrays[array.value].dtype, _ATOMIC_TYPES.get(op, _WHOLE)
        if dtype.name not in fitting:
            what = f"atomic_{op} is for {' '.join(fitting)}, and {array.value} is {dtype}"
            raise self.error(node, what, hints.instead_of_atomic(op, dtype))
        if len(place) < self.arrays[array.value].ndim:
            what = f"{ast.unparse(node.args[0])} has more axes than this has numbers"
            raise self.error(node.args[1], what, f"write atomic_{op}(array, (i, j), …)")
        values = [self.fit(self.expr(each), dtype, each, cast=True) for each in node.args[2:]]
        return Expr("atomic", dtype, (*place, *values), (op, array.value))

    def subgroup(self, node: ast.Call, op: str) -> Expr:
        """What the threads of a subgroup call together."""
        if op in _VOTES:
            self.count(node, 1)
            condition = self.condition(node.args[0])
            if op == "ballot":
                return Expr("subgroup", dtypes.u64, (Expr("cast", dtypes.u64, (condition,)),), (op, node))
            return Expr("subgroup", dtypes.bool_, (condition,), (op, node))
        shuffles = op.startswith("shuffle")
        self.count(node, 2 if shuffles else 1)
        e = self.shared_value(node, "" if shuffles else f"subgroup_{op}")
        wide, lane = _WIDE.get(e.type, e.type), [self.lane(node.args[1], op)] if shuffles else []
        taken = Expr("subgroup", wide, (cast(e, wide), *lane), ("shuffle" if shuffles else op, node))
        return cast(taken, e.type)

    def shared_value(self, node: ast.Call, name: str) -> Expr:
        """What a thread gives to others, by a function of that name where it is not for bools."""
        given = node.args[0]
        e = self.expr(given)
        if e.type is dtypes.bool_ and name:
            hint = f"convert it, i32(…), or use {name.partition('_')[0]}_any"
            raise self.error(given, f"{name} is not for a bool", hint)
        return self.typed(e, given) if e.is_literal else self.settled(e, given)

    def block_operation(self, node: ast.Call, name: str) -> Expr:
        """What all threads of a block find together, in shared memory that such operations of one type have alone."""
        self.count(node, 1)
        is_vote, fold = name in ("block_any", "block_all"), _FOLDS[name]
        e = cast(self.typed(self.condition(node.args[0]), node), i32) if is_vote else self.shared_value(node, name)
        wide = _WIDE.get(e.type, e.type)
        part = ArrayInfo(wide, 1, (MOST_THREADS,))
        self.arrays[f"block.{wide}"] = part
        self.check_own_arrays(node, is_local=False)
        ids = [
            [Expr("id", i32, value=(kind, n)) for n in range(self.program.rank)] for kind in ("local_id", "local_size")
        ]
        pairs = zip(ids[0][1:], ids[1][1:], strict=True)
        thread = reduce(lambda n, pair: Expr("+", i32, (Expr("*", i32, (n, pair[1])), pair[0])), pairs, ids[0][0])
        threads = reduce(lambda a, b: Expr("*", i32, (a, b)), ids[1])
        types = dict(zip(("part", "thread", "distance", "threads"), (part, i32, i32, i32), strict=True))
        first = Expr("array", part, value=f"block.{wide}"), thread, Expr("const", i32, value=1), threads
        step = Expr("call", VOID, first, self.compiled(node, fold, types))
        found = Expr("subgroup", wide, (cast(e, wide), step), (name, node))
        return Expr("!=", dtypes.bool_, (found, Expr("const", i32, value=0))) if is_vote else cast(found, e.type)

    def lane(self, node: ast.expr, op: str) -> Expr:
        """The lane that a thread reads from; one that is not there stands for its own."""
        e = self.integer(self.expr(node), node)
        if e.type in (dtypes.i64, dtypes.u64):
            raise self.error(node, f"this is {e.type}, where {dtypes.i32} is needed", "convert it: i32(…)")
        number = cast(e, dtypes.i32)
        how = {"shuffle_up": "-", "shuffle_down": "+", "shuffle_xor": "^"}.get(op)
        return Expr(how, dtypes.i32, (_LANE, number)) if how else number

    # --- mathematics

    def mathematics(self, node: ast.Call, callee: Any, name: str) -> Expr:
        args: Sequence[Expr] = [self.expr(each) for each in node.args]
        if name == "bits":
            return Expr("bits", _BITS[args[0].type], (args[0],)) if args[0].type in _BITS else args[0]
        if name in ("min", "max"):
            if len(args) < 2:
                raise self.error(node, f"{name} takes two numbers or more in a kernel")
            return reduce(partial(self.either, node, callee, name), args)
        self.count(node, 2 if name in TWO or name == "powr" else 1)
        if all(arg.is_literal for arg in args):
            return self.folded(node, _rsqrt if callee is rsqrt else callee, args)
        args, meet = self.operands(node, args)
        if name == "abs":
            if meet is dtypes.bool_:
                raise self.error(node, "abs is not for a bool")
            return Expr("abs", meet, (args[0],))
        if not meet.is_float:
            meet = dtypes.f64 if not is_weak(meet) else WEAK_FLOAT
        args = [self.meet(arg, meet, node) for arg in args]
        if name in TESTS:
            return Expr(name, dtypes.bool_, tuple(args))
        if name in ROUNDING and callee is not floor_of:  # Python's give whole numbers
            return Expr("cast", dtypes.i64, (Expr(name, meet, tuple(args)),))
        return Expr({"fabs": "abs"}.get(name, name), meet, tuple(args))

    def either(self, node: ast.Call, callee: Any, name: str, a: Expr, b: Expr) -> Expr:
        """`min` or `max` of two numbers."""
        if a.is_literal and b.is_literal:
            return self.folded(node, callee, (a, b))
        args, meet = self.operands(node, (a, b))
        return Expr(name, meet, tuple(self.meet(arg, meet, node) for arg in args))


def _rsqrt(x: float) -> float:
    return 1 / math.sqrt(x)
