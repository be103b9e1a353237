"""What the front end knows while it goes through a function: names, types, and how a value becomes another type."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import reduce
from math import prod
from typing import Any, ClassVar, NoReturn

from unified_gpu import dtypes
from unified_gpu.dtypes import DType
from unified_gpu.errors import KernelSourceError
from unified_gpu.kernels.compiler.ir import VOID, ArrayInfo, Assign, Expr, Function, Stmt, TupleType, is_weak
from unified_gpu.kernels.language import DeviceFunction, Intrinsic
from unified_gpu.kernels.outside_values import OutsideValues
from unified_gpu.promotion import is_same_kind
from unified_gpu.structs import is_struct

from . import hints, structs
from .promotion import default_of, is_number, number
from .source import MISSING, Source

_VISITORS = {node: f"visit_{name}" for name, node in vars(ast).items() if isinstance(node, type)}
_MOST_BYTES = (48 << 10, 1 << 10)
"""What every device has of shared memory for a block; and what a thread has, of whose arrays the CPU keeps 1,024."""
Value = Any
"""An Expr, or a tuple of Values: tuples exist only while compiling."""


@dataclass
class Program:
    """What the functions of one kernel have in common.

    Attributes:
        build: compiles a function for the types of its parameters.
        rank: axes of the launch.
        functions: device functions that were compiled, by function and types.
        active: those that are being compiled, to find recursion.
        outside: values of names outside that were compiled in.
        asks_for_block: what of a kernel depends on how threads form blocks, first of all, and in which line it stands.
    """

    build: Callable[..., Function]
    rank: int
    functions: dict[Any, Function] = field(default_factory=dict)
    active: list[DeviceFunction] = field(default_factory=list)
    outside: OutsideValues = field(default_factory=OutsideValues)
    asks_for_block: tuple[str, int] = ("", 0)


@dataclass(eq=False)
class Scope(ast.NodeVisitor):
    """One pass over one function, whose nodes it visits.

    Attributes:
        types: of the function's variables, as far as earlier passes have found them.
        strict: whether this is the last pass, in which `types` are what the variables have.
        returns: what the function gives, as far as it is known.
    """

    source: Source
    program: Program
    params: dict[str, Any]
    is_kernel: bool
    types: dict[str, Any]
    strict: bool = False
    returns: Any = None

    math_names: ClassVar[frozenset[str]] = frozenset()
    """The functions of `math` that kernels have."""

    def __post_init__(self) -> None:
        params = self.params
        self.error = self.source.error
        self.stmts: list[Stmt] = []
        """Of the block at hand."""
        self.counters = 0
        self.arrays: dict[str, ArrayInfo] = {n: t for n, t in params.items() if isinstance(t, ArrayInfo)}
        self.values: dict[str, Value] = {}
        """Of names that are no variables, but numbers of the source, tuples or rows of arrays."""
        for name, array in self.arrays.items():  # a row is passed as its array, and then its place there
            if place := tuple(Expr("var", t, value=n) for n, t in params.items() if n.startswith(f"{name}.at")):
                self.values[name] = Expr("array", row_type(array, len(place)), place, name)
        self.values |= structs.grouped({n: self.param(n) for n in params if n.partition(".")[0] not in params})
        self.found: dict[str, Any] = {n: t for n, t in params.items() if not isinstance(t, ArrayInfo)}
        self.defined = {*self.found, *self.values}
        stores = self.source.stores
        self.local_names = {*stores, *params, *self.values}
        self.own = {n: f"{n}.own" for n in stores if n in self.found}
        """Parameters that are assigned to are copied to variables, so that parameters never change."""
        self.fixed = {own: params[n] for n, own in self.own.items()}
        self.found |= self.fixed
        self.defined |= self.fixed.keys()
        self.assigned_once = self.source.once - params.keys()

    def param(self, name: str) -> Expr:
        """What a parameter is in the function: its own, or a row of the array that is passed for it."""
        kind = "array" if name in self.arrays else "var"
        return self.values.get(name) or Expr(kind, self.params[name], value=name)

    def asks_for_block(self, node: ast.AST, name: str) -> None:
        if not self.program.asks_for_block[0]:
            self.program.asks_for_block = name, self.source.line(node)

    def visit(self, node: ast.AST) -> Any:
        """As the base class has it, which puts the name together each time."""
        return getattr(self, _VISITORS[node.__class__], self.generic_visit)(node)

    def generic_visit(self, node: ast.AST) -> NoReturn:
        kind = type(node).__name__
        what = hints.REFUSED.get(kind, "this" if isinstance(node, ast.stmt) else f"`{kind}`")
        raise self.error(node, f"a kernel cannot have {what}", hints.ELSEWHERE.get(kind, ""))

    def check_own_arrays(self, node: ast.AST, *, is_local: bool) -> None:
        own = [a for a in self.arrays.values() if a.shape is not None and a.is_local == is_local]
        total, most = sum(prod(a.shape or ()) * a.dtype.size for a in own), _MOST_BYTES[is_local]
        if total > most:
            what = "the arrays of a thread are" if is_local else "the shared memory of a block is"
            raise self.error(node, f"{what} {total} bytes, and {most} are the most")

    # --- names

    def object(self, node: ast.expr) -> Any:
        """The Python object that a name of the surroundings means; MISSING when it is none."""
        name = _dotted(node)
        if not name or name.partition(".")[0] in self.local_names:
            return MISSING
        found = self.source.lookup(name)
        if isinstance(found, (tuple, DeviceFunction)) or is_number(found) or is_struct(found) or _is_alias(name, found):
            self.program.outside.add(self.source, name, found)
        return found

    def undefined(self, node: ast.expr) -> KernelSourceError:
        import difflib

        name = ast.unparse(node)
        near = difflib.get_close_matches(name, [*self.local_names, *self.source.known_names()], 1)
        hint = hints.undefined(name, self.math_names) or (f"is it {near[0]}?" if near else "")
        return self.error(node, f"{name} is not defined", hint)

    def fresh(self, what: str, type_: Any) -> Expr:
        """A variable that the source cannot name: the items of a tuple are called `name.0`."""
        self.counters += 1
        return Expr("var", type_, value=f"{what}.made.{self.counters}")

    def named(self, node: ast.AST, what: str, e: Expr) -> Expr:
        """A variable for a value, which is computed here."""
        variable = self.fresh(what, e.type)
        self.found[variable.value] = e.type
        self.stmts.append(Assign(node, variable.value, e))
        return variable

    # --- types

    def expr(self, node: ast.expr) -> Expr:
        """A single number."""
        return self.one_number(node, self.visit(node))

    def one_number(self, node: ast.expr, value: Value) -> Expr:
        if isinstance(value, tuple) or isinstance(value.type, TupleType):
            raise self.error(node, "a tuple cannot be used as a number", "take one of its items, as in pair[0]")
        if value.op == "array":
            name = ast.unparse(node)
            raise self.error(node, f"{name} is an array, and a number is needed", f"index it: {name}[i]")
        if value.op == "struct":
            name, what = ast.unparse(node), "an array of structs" if structs.is_array(value) else "a struct"
            raise self.error(node, f"{name} is {what}, and a number is needed", f"take a field: {name}.{value.type[0]}")
        if value.type is VOID:
            raise self.error(node, f"{ast.unparse(node)} gives nothing, and a number is needed")
        assert isinstance(value, Expr)
        return value

    def fit(self, e: Expr, dtype: DType, node: ast.AST, *, cast: bool = False) -> Expr:
        """The expression as `dtype`: a number of the source becomes it, another type must be it, or is cast."""
        if e.type is dtype:
            return e
        if not is_weak(e.type):
            if cast and isinstance(e.type, DType) and is_same_kind(e.type, dtype):
                return Expr("cast", dtype, (e,))
            raise self.error(node, f"this is {e.type}, where {dtype} is needed", f"convert it: {dtype.name}(…)")
        if e.op == "select":
            return Expr("select", dtype, (e.args[0], *(self.fit(arg, dtype, node) for arg in e.args[1:])))
        if not e.is_literal:
            return Expr("cast", dtype, (e,))  # of an early pass, in which not all types are known yet
        return Expr("const", dtype, value=self.constant(e.value, dtype, node))

    def constant(self, value: Any, dtype: DType, node: ast.AST) -> Any:
        if dtype.is_float:
            try:
                dtype.pack(value)
            except OverflowError:
                raise self.error(node, f"{value} does not fit in {dtype}") from None
            return float(value)
        if dtype is dtypes.bool_:
            raise self.error(node, f"{value} is no bool", "compare it, or write True or False")
        low, high = dtype.limits
        if isinstance(value, float):
            raise self.error(
                node, f"{value} is a fraction, and {dtype} is needed", f"convert it: {dtype.name}({value})"
            )
        if not low <= value <= high:
            raise self.error(node, f"{value} does not fit in {dtype}, which goes from {low} to {high}")
        return value

    def typed(self, e: Expr, node: ast.AST) -> Expr:
        """The expression with a type of its own: i32 or f32 for numbers of the source."""
        return self.fit(e, default_of(e), node) if is_weak(e.type) else e

    def settled(self, e: Expr, node: ast.AST) -> Expr:
        """The same for a choice between numbers of the source, which has nothing to take its type from."""
        return self.typed(e, node) if is_weak(e.type) and _is_choice(e) else e

    def integer(self, e: Expr, node: ast.AST) -> Expr:
        if e.type.kind not in ("int", "uint"):
            raise self.error(node, f"a whole number is needed here, and this is {e.type}", "convert it: i32(…)")
        return self.typed(e, node)

    def condition(self, node: ast.expr) -> Expr:
        """As `if` takes it: a number counts as true when it is not 0."""
        if isinstance(node, ast.BoolOp):
            return self.chain(type(node.op).__name__.lower(), [self.condition(each) for each in node.values])
        e = self.expr(node)
        if e.op == "const":
            return number(bool(e.value))
        e = self.typed(e, node)
        return e if e.type is dtypes.bool_ else Expr("!=", dtypes.bool_, (e, self.fit(number(0), e.type, node)))

    @staticmethod
    def negated(e: Expr) -> Expr:
        return number(not e.value) if e.op == "const" else Expr("not", dtypes.bool_, (e,))

    @staticmethod
    def chain(op: str, terms: list[Expr]) -> Expr:
        """`and` or `or` of conditions, of which constants are already decided."""
        kept: list[Expr] = []
        for term in terms:
            if term.op != "const":
                kept.append(term)
            elif bool(term.value) != (op == "and"):
                kept.append(term)
                break
        return reduce(lambda a, b: Expr(op, dtypes.bool_, (a, b)), kept) if kept else number(op == "and")


def is_one_number(value: Value) -> bool:
    return isinstance(value, Expr) and isinstance(value.type, DType) and value.type is not VOID


def row_type(array: ArrayInfo, axes: int) -> ArrayInfo:
    """What is left of an array behind the first axes."""
    return replace(array, ndim=array.ndim - axes, shape=array.shape and array.shape[axes:])


def _dotted(node: ast.AST) -> str:
    """`name` or `module.name`; empty for what is neither."""
    if isinstance(node, ast.Attribute):
        outer = _dotted(node.value)
        return f"{outer}.{node.attr}" if outer else ""
    return node.id if isinstance(node, ast.Name) else ""


def _is_alias(name: str, value: Any) -> bool:
    """Whether a name of the surroundings can mean another dtype or function soon: it is not the one's own."""
    own = getattr(value, "name", None) or getattr(value, "__name__", None)
    is_callee = isinstance(value, (DType, Intrinsic)) or callable(value)
    return is_callee and name.rpartition(".")[2] != own


def _is_choice(e: Expr) -> bool:
    return e.op == "select" and all(each.op == "const" or _is_choice(each) for each in e.args[1:])
