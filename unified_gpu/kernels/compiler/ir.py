"""The typed form of a kernel: trees of expressions, and statements that keep their structure.

There are no jumps but `break`, `continue` and `return`, because SPIR-V wants structured control flow, and because the
printer for the CPU cuts a kernel at its barriers. Variables are named places with one type each.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any, TypeVar, dataclass_transform

from unified_gpu import dtypes
from unified_gpu.dtypes import DType
from unified_gpu.kernels.arguments.layout import Field, Parameter

_Class = TypeVar("_Class")

WEAK_INT = DType("whole number", 0, "", None, "", 0, "int")
"""The type of a whole number of the source: it takes the type of what it meets."""
WEAK_FLOAT = DType("fraction", 0, "", None, "", 0, "float")
VOID = DType("nothing", 0, "", None, "void", 0, "bool")
"""The type of a call that gives nothing."""


SUBGROUP_IDS = ("subgroup_size", "subgroup_count", "subgroup_id", "lane_id")
VARYING_IDS = ("local_id", "global_id", "subgroup_id", "lane_id")
"""The kinds of ids that differ between the threads of a block."""


def is_weak(dtype: object) -> bool:
    return dtype is WEAK_INT or dtype is WEAK_FLOAT


@dataclass(frozen=True, slots=True)
class TupleType:
    """What a device function gives that returns several values; those of a struct have names."""

    items: tuple[DType, ...]
    names: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"({', '.join(map(str, self.items))})"


@dataclass(frozen=True, slots=True)
class ArrayInfo:
    """An array as a kernel is compiled for it.

    Attributes:
        shape: of one in shared memory; None for an argument.
        strided: whether its elements do not lie in order, so that its strides are arguments too.
        is_local: whether each thread has its own, of a shape.
    """

    dtype: DType
    ndim: int
    shape: tuple[int, ...] | None = None
    strided: bool = False
    is_local: bool = False

    def __str__(self) -> str:
        return f"Array[{self.dtype}, {self.ndim}]"


@dataclass_transform(frozen_default=True, eq_default=False, field_specifiers=(field,))
def node(cls: type[_Class]) -> type[_Class]:
    """A dataclass that only type checkers see frozen: a kernel has hundreds, and a frozen one takes twice as long."""
    return dataclass(slots=True, eq=False)(cls)


@node
class Expr:
    """One operation.

    `op` is const, var, load, shape, id, atomic, subgroup, call, print, item, cast, select, and, or, not, neg, inv, an
    operator of Python or a function of mathematics. `value` is what it needs besides `args`: the number, the name of a
    variable or of an array, (array, axis), (kind, axis) of an id, (operation, array) of an atomic, (operation, place in
    the source) of a subgroup, a Function, the texts around what is printed, or the number of an item. No subgroup is
    left in a finished function: see `Exchange`.
    """

    op: str
    type: Any
    args: tuple[Expr, ...] = ()
    value: Any = None

    def walk(self) -> Iterator[Expr]:
        """All inside it, from the outermost on."""
        left = [self]
        while left:
            e = left.pop()
            yield e
            left += e.args[::-1]

    @property
    def is_literal(self) -> bool:
        """Whether it is a number of the source, without a type of its own."""
        return self.op == "const" and is_weak(self.type)

    @property
    def touches_memory(self) -> bool:
        return any(e.op in ("load", "atomic", "call") for e in self.walk())


def cast(e: Expr, dtype: DType) -> Expr:
    return e if e.type is dtype else Expr("cast", dtype, (e,))


@node
class Stmt:
    """`at` is where it stands in the source."""

    at: ast.AST = field(repr=False)


@node
class Assign(Stmt):
    name: str
    value: Expr


@node
class Store(Stmt):
    array: str
    index: tuple[Expr, ...]
    value: Expr


@node
class Eval(Stmt):
    value: Expr


@node
class If(Stmt):
    condition: Expr
    then: Sequence[Stmt]
    otherwise: Sequence[Stmt]


@node
class While(Stmt):
    condition: Expr
    body: Sequence[Stmt]


@node
class For(Stmt):
    """`name` is a counter of its own, that nothing else assigns to."""

    name: str
    start: Expr
    stop: Expr
    step: int
    body: Sequence[Stmt]


@node
class Jump(Stmt):
    """`kind` is break, continue or return."""

    kind: str
    value: Expr | None = None


@node
class Barrier(Stmt):
    """`name` is what kernels call the function that it is a part of."""

    name: str = "barrier"


@node
class Exchange(Stmt):
    """Threads of a subgroup do something together: each gives `values`, which are variables, and gets `name`.

    `op` is sum, min, max, any, all, ballot or shuffle; the second value of a shuffle is the lane to read from. Values
    are i32 u32 i64 u64 f32 f64, those of any and all bools, and those of ballot u64. Nothing else assigns to `name`.
    It is also uniform, of any values: all threads of the block give the same, which they get.
    """

    name: str
    op: str
    values: tuple[Expr, ...]

    @property
    def of_subgroup(self) -> bool:
        return self.op != "uniform"


def called(op: str) -> str:
    """What kernels call an operation of an Exchange."""
    return op if op == "uniform" or op.startswith("block_") else f"subgroup_{op}"


@dataclass(frozen=True, eq=False)
class Function:
    """A kernel, or a device function, for certain types of its arguments.

    Attributes:
        params: scalars and arrays by name, in order.
        returns: a dtype or TupleType; VOID when nothing.
        arrays: those of `params`, the shared ones, and those of a thread.
        variables: with the scalars of `params`.
        calls: the device functions it needs, each after those that it calls itself.
        rank: axes of the launch; axis `rank - 1` is the fastest.
        file: where it stands.
    """

    name: str
    is_kernel: bool
    params: dict[str, DType | ArrayInfo]
    returns: Any
    arrays: dict[str, ArrayInfo]
    variables: dict[str, Any]
    body: Sequence[Stmt]
    calls: tuple[Function, ...]
    rank: int
    file: str
    first_line: int

    @property
    def shared(self) -> dict[str, ArrayInfo]:
        return {name: a for name, a in self._own_arrays.items() if not a.is_local}

    @property
    def local(self) -> dict[str, ArrayInfo]:
        """The arrays that each thread has for itself."""
        return {name: a for name, a in self._own_arrays.items() if a.is_local}

    @property
    def _own_arrays(self) -> dict[str, ArrayInfo]:
        return {name: a for name, a in self.arrays.items() if a.shape is not None and name not in self.params}

    @cached_property
    def everything(self) -> tuple[Expr, ...]:
        """All expressions: many ask for them."""
        return tuple(all_expressions(self.body))

    @property
    def reached(self) -> Iterator[Expr]:
        """With those of the device functions that it calls."""
        return (e for f in (*self.calls, self) for e in f.everything)

    @cached_property
    def ids(self) -> set[str]:
        """The kinds of ids that it asks for."""
        return {e.value[0] for e in all_expressions(self) if e.op == "id"}

    @property
    def is_free(self) -> bool:
        """Whether no thread can see how threads form blocks, so that any blocks will do."""
        return not self.shared and not threads_meet(self.body) and self.ids <= {"global_id", "global_size"}

    @property
    def uses_subgroups(self) -> bool:
        """Whether a kernel asks for its place in a subgroup, or exchanges values with the threads of it."""
        exchanges = any(isinstance(s, Exchange) and s.of_subgroup for s in walk(self.body))
        return exchanges or not self.ids.isdisjoint(SUBGROUP_IDS)

    @property
    def numbers_subgroups(self) -> bool:
        """Whether it asks which subgroup of its block a thread is in, or how many there are."""
        return not self.ids.isdisjoint(("subgroup_id", "subgroup_count"))

    @property
    def axes_used(self) -> int:
        """How many axes of the launch it asks for."""
        return max((e.value[1] + 1 for e in all_expressions(self) if e.op == "id"), default=0)

    @property
    def parameters(self) -> list[Parameter]:
        return [_parameter(name, type_) for name, type_ in self.params.items()]

    def fields(self) -> list[Field]:
        """What is passed for the parameters, one by one, then the sizes of the launch that a free kernel keeps to."""
        fields = [field for parameter in self.parameters for field in parameter.fields]
        if self.is_kernel and ("global_size" in self.ids or self.is_free):
            fields += [Field(f"global_size.{axis}", dtypes.i32) for axis in range(self.rank)]
        return fields

    def line(self, at: ast.AST) -> int:
        return int(self.first_line + getattr(at, "lineno", 1) - 1)


def _parameter(name: str, type_: DType | ArrayInfo) -> Parameter:
    """Of an array in shared memory the address is passed alone."""
    if isinstance(type_, DType):
        return Parameter(name, type_)
    axes = type_.ndim if type_.shape is None else 0
    return Parameter(name, type_.dtype, pointer=True, axes=axes, strided=type_.strided)


def passed(call: Expr) -> Iterator[Expr | str]:
    """What a device function gets: numbers, and of each array the names of its fields."""
    for arg, parameter in zip(call.args, call.value.parameters, strict=True):
        if arg.op == "array":
            yield from (arg.value + field.name.removeprefix(parameter.name) for field in parameter.fields)
        else:
            yield arg


def parts(s: Stmt) -> tuple[Sequence[Stmt], ...]:
    """The lists of statements inside a statement."""
    if isinstance(s, If):
        return s.then, s.otherwise
    return (s.body,) if isinstance(s, (While, For)) else ()


def walk(stmts: Sequence[Stmt]) -> Iterator[Stmt]:
    left = [*reversed(stmts)]
    while left:
        s = left.pop()
        yield s
        for inner in reversed(parts(s)):
            left += reversed(inner)


def own_jumps(stmts: Sequence[Stmt]) -> Iterator[Jump]:
    """Those that do not belong to a loop inside."""
    for s in stmts:
        if isinstance(s, Jump):
            yield s
        for inner in parts(s) if isinstance(s, If) else ():
            yield from own_jumps(inner)


def expressions(s: Stmt) -> list[Expr]:
    """Those of the statement itself, not of the statements inside it, in the order in which Python computes them."""
    match s:
        case Store():
            return [s.value, *s.index]
        case Assign() | Eval() | Jump() if s.value is not None:
            return [s.value]
        case Exchange():
            return [*s.values]
        case If() | While():
            return [s.condition]
        case For():
            return [s.start, s.stop]
    return []


def all_expressions(of: Function | Sequence[Stmt]) -> Iterable[Expr]:
    """All of a function, or of statements, from the outermost to the innermost."""
    if isinstance(of, Function):
        return of.everything
    return (x for s in walk(of) for e in expressions(s) for x in e.walk())


def assigned(stmts: Sequence[Stmt]) -> set[str]:
    return {s.name for s in walk(stmts) if isinstance(s, (Assign, For))}


def threads_meet(stmts: Sequence[Stmt]) -> bool:
    """Whether threads of a block wait for each other, at a barrier or to exchange values."""
    return any(isinstance(s, (Barrier, Exchange)) for s in walk(stmts))


def written_arrays(f: Function) -> set[str]:
    """The arrays that a function may change, also through those that it calls."""
    found = {s.array for s in walk(f.body) if isinstance(s, Store)}
    for e in all_expressions(f):
        if e.op == "atomic":
            found.add(e.value[1])
        elif e.op == "call":
            found |= written_by(e)
    return found


def written_by(call: Expr) -> set[str]:
    """The arrays that a call of a device function may change."""
    inner = written_arrays(call.value)
    return {
        arg.value for arg, name in zip(call.args, call.value.params, strict=True) if arg.op == "array" and name in inner
    }


def arrays_used(stmts: Sequence[Stmt]) -> set[str]:
    """The arrays that statements read, write, or pass to a function."""
    used = {s.array for s in walk(stmts) if isinstance(s, Store)}
    return used | {e.value for e in all_expressions(stmts) if e.op in ("load", "array")}


def reaches(of: Function | Sequence[Stmt], *ops: str) -> bool:
    """Whether a function or statements have one of these operations, or a device function that they call has."""
    own = [*all_expressions(of)]
    called = {e.value for e in own if e.op == "call"}
    return any(e.op in ops for e in chain(own, *(f.reached for f in called)))
