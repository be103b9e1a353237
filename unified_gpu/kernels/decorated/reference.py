"""Runs a kernel in Python over NumPy arrays: one thread after the other, with checked indices.

A thread goes on up to each barrier, and up to where the threads of its subgroup exchange values.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

from unified_gpu.dtypes import DType
from unified_gpu.kernels.compiler.ir import (
    ArrayInfo,
    Assign,
    Barrier,
    Eval,
    Exchange,
    Expr,
    For,
    Function,
    If,
    Jump,
    Stmt,
    Store,
    While,
)  # fmt: skip

from .exchange_reference import exchanged

_TEXTS = {
    "and": "({} and {})", "or": "({} or {})", "not": "(not {})", "neg": "(-{})", "inv": "(~{})",
    "select": "({1} if {0} else {2})", "min": "least({}, {})", "max": "most({}, {})", "abs": "abs({})",
    "rsqrt": "(one({0}) / np.sqrt({0}))", "square": "np.square({})", "<<": "np.left_shift({}, {})",
    ">>": "np.right_shift({}, {})", "asin": "np.arcsin({})", "acos": "np.arccos({})", "atan": "np.arctan({})",
    "asinh": "np.arcsinh({})", "acosh": "np.arccosh({})", "atanh": "np.arctanh({})", "atan2": "np.arctan2({}, {})",
    "pow": "np.power({}, {})", "erf": "by_hand(math.erf, {})", "erfc": "by_hand(math.erfc, {})",
}  # fmt: skip


def _name(name: str) -> str:
    return f"v_{name.replace('.', '_of_')}"


class _Printer:
    """A function as Python: the threads of a kernel are generators that stop at barriers and exchanges."""

    def __init__(self, f: Function) -> None:
        self.f = f
        self.constants: dict[str, Any] = {}
        names = [*f.params, *(f.shared if f.is_kernel else ())]
        params = ", ".join([*map(_name, names), *(["ids"] if f.is_kernel else [])])
        self.lines = [f"def f_{f.name.replace('.', '_of_')}({params}):"]
        for name, array in f.local.items():
            self.lines.append(f"    {_name(name)} = np.full({array.shape}, 77, np.{_numpy(array.dtype).__name__})")
        self.block(f.body, 1)
        self.lines.append("    return; yield" if f.is_kernel else "    pass")

    def block(self, stmts: Sequence[Stmt], depth: int) -> None:
        def out(text: str) -> None:
            self.lines.append("    " * depth + text)

        for s in stmts:
            match s:
                case Assign():
                    out(f"{_name(s.name)} = {self.expr(s.value)}")
                case Store():
                    index = self.index(s.array, s.index)
                    out(f"{_name(s.array)}[{index}] = {self.expr(s.value)}")
                case Eval():
                    out(self.expr(s.value))
                case If():
                    out(f"if {self.expr(s.condition)}:")
                    self.block(s.then, depth + 1)
                    out("else:")
                    self.block(s.otherwise, depth + 1)
                case While():
                    out(f"while {self.expr(s.condition)}:")
                    self.block(s.body, depth + 1)
                case For():
                    bounds = f"int({self.expr(s.start)}), int({self.expr(s.stop)}), {s.step}"
                    out(f"for {_name(s.name)} in map(np.{s.start.type.numpy}, range({bounds})):")
                    self.block(s.body, depth + 1)
                case Barrier():
                    out(f"yield {self.f.line(s.at)}, '', ()")
                case Exchange():
                    given = ", ".join(map(self.expr, s.values))
                    out(f"{_name(s.name)} = yield {self.f.line(s.at)}, {s.op!r}, ({given},)")
                case Jump():
                    out(f"{s.kind} {self.expr(s.value) if s.value else ''}")
        out("pass")

    def index(self, array: str, index: Sequence[Expr]) -> str:
        return f"at({_name(array)}, {array!r}, {', '.join(map(self.expr, index))})"

    def expr(self, e: Expr) -> str:
        match e.op:
            case "const":
                name = f"c{len(self.constants)}_{self.f.name.replace('.', '_of_')}"
                self.constants[name] = _numpy(e.type)(e.value)
                return name
            case "var":
                return _name(e.value)
            case "array":
                return _name(e.value)
            case "load":
                return f"{_name(e.value)}[{self.index(e.value, e.args)}]"
            case "shape":
                return f"np.int32({_name(e.value[0])}.shape[{e.value[1]}])"
            case "id":
                return f"ids[{e.value}]"
            case "atomic":
                op, array = e.value
                axes = self.f.arrays[array].ndim
                values = ", ".join(map(self.expr, e.args[axes:]))
                return f"atomic({op!r}, {_name(array)}, {self.index(array, e.args[:axes])}, {values})"
            case "print":
                texts = [f"shown({self.expr(arg)}), {text!r}" for arg, text in zip(e.args, e.value[1:], strict=True)]
                return f"print({', '.join([repr(e.value[0]), *texts])}, sep='')"
        args = [self.expr(arg) for arg in e.args]
        match e.op:
            case "call":
                return f"f_{e.value.name.replace('.', '_of_')}({', '.join(args)})"
            case "item":
                return f"{args[0]}[{e.value}]"
            case "tuple":
                return f"({', '.join(args)},)"
            case "cast":
                return f"cast(np.{e.type.numpy}, {args[0]})"
            case "powi":
                return f"power({args[0]}, {e.value})"
        if e.op in _TEXTS:
            return _TEXTS[e.op].format(*args)
        return f"np.{e.op}({', '.join(args)})" if e.op[0].isalpha() else f"({args[0]} {e.op} {args[1]})"


def _numpy(dtype: DType) -> Any:
    import numpy as np

    return getattr(np, {"bool": "bool_"}.get(str(dtype.numpy), str(dtype.numpy)))


def _at(array: Any, name: str, *index: Any) -> Any:
    for axis, (i, n) in enumerate(zip(index, array.shape, strict=True)):
        if not 0 <= i < n:
            raise IndexError(f"index {int(i)} of axis {axis} of {name}, which has {n} elements")
    return index


def _atomic(op: str, array: Any, place: Any, *values: Any) -> Any:
    old = array[place]
    match op:
        case "add":
            array[place] = old + values[0]
        case "min":
            array[place] = min(old, values[0])
        case "max":
            array[place] = max(old, values[0])
        case "and":
            array[place] = old & values[0]
        case "or":
            array[place] = old | values[0]
        case "xor":
            array[place] = old ^ values[0]
        case "exchange":
            array[place] = values[0]
        case "cas":
            array[place] = values[1] if old == values[0] else old
    return old


def _power(a: Any, n: int) -> Any:
    result = type(a)(1)
    for _ in range(n):
        result = result * a
    return result


def run(
    f: Function,
    grid: Sequence[int],
    block: Sequence[int],
    global_size: Sequence[int],
    args: Sequence[Any],
    subgroup_size: int,
) -> None:
    """Run all blocks, one after the other. Sizes are of the launch's axes, the last one the fastest.

    Raises:
        IndexError: for an index outside an array.
        RuntimeError: when threads of a block wait at different barriers.
    """
    import numpy as np

    names: dict[str, Any] = {
        "np": np, "math": math, "at": _at, "atomic": _atomic, "power": _power,
        "cast": lambda dtype, x: np.asarray(x).astype(dtype)[()], "one": lambda x: type(x)(1),
        "least": lambda a, b: b if b < a else a, "most": lambda a, b: b if b > a else a,
        "shown": lambda x: f"{float(x):g}" if isinstance(x, np.floating) else str(x),
        "by_hand": lambda function, x: type(x)(function(float(x))),
    }  # fmt: skip
    for each in (*f.calls, f):
        printer = _Printer(each)
        names |= printer.constants
        exec("\n".join(printer.lines), names)
    kernel = names[f"f_{f.name}"]
    given = [
        arg if isinstance(type_, ArrayInfo) else _numpy(type_)(arg)
        for arg, type_ in zip(args, f.params.values(), strict=True)
    ]
    sizes = {("global_size", axis): np.int32(n) for axis, n in enumerate(global_size)}
    sizes |= {("local_size", axis): np.int32(n) for axis, n in enumerate(block)}
    sizes |= {("group_count", axis): np.int32(n) for axis, n in enumerate(grid)}
    sizes["subgroup_size", 0] = np.int32(subgroup_size)
    sizes["subgroup_count", 0] = np.int32(-(-math.prod(block) // subgroup_size))
    with np.errstate(all="ignore"):
        for group in itertools.product(*map(range, grid)):
            shared = [np.full(a.shape or (), 77, _numpy(a.dtype)) for a in f.shared.values()]  # nothing is 0 on its own
            threads = []
            for number, local in enumerate(itertools.product(*map(range, block))):
                everywhere = [g * b + i for g, b, i in zip(group, block, local, strict=True)]
                if f.is_free and any(i >= n for i, n in zip(everywhere, global_size, strict=True)):
                    continue
                ids = dict(sizes)
                ids["subgroup_id", 0], ids["lane_id", 0] = map(np.int32, divmod(number, subgroup_size))
                for axis in range(f.rank):
                    ids["group_id", axis] = np.int32(group[axis])
                    ids["local_id", axis] = np.int32(local[axis])
                    ids["global_id", axis] = np.int32(everywhere[axis])
                threads.append(kernel(*given, *shared, ids))
            _run_block(threads, f.name, subgroup_size)


_END = "the end", "", ()
"""Where a thread is when it is done, as the others stop at: a line, an operation of subgroups, and its values."""


def _run_block(threads: list[Any], name: str, subgroup_size: int) -> None:
    taken: list[Any] = [None] * len(threads)
    while threads:
        stops = [_resumed(*each) for each in zip(threads, taken, strict=True)]
        lines = {stop[0] for stop in stops}
        if len(lines) > 1:
            texts = ", ".join(sorted(map(str, lines)))
            raise RuntimeError(f"threads of a block of {name} wait at different barriers: lines {texts}")
        if stops[0] == _END:
            return
        if stops[0][1] == "uniform":
            taken = [stop[2][0] for stop in stops]
            if len({value.tobytes() for value in taken}) > 1:
                raise RuntimeError(f"line {stops[0][0]} of {name}: uniform() of {taken[0]} and of other values")
            continue
        taken = []
        for first in range(0, len(stops), subgroup_size):
            part = stops[first : first + subgroup_size]
            taken += exchanged(part[0][1], [stop[2] for stop in part], subgroup_size)


def _resumed(thread: Any, taken: Any) -> Any:
    try:
        return thread.send(taken)
    except StopIteration:
        return _END
