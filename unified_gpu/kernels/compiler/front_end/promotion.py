"""Which type an operation has: NumPy's promotion, with numbers of the source weak, as Python's numbers are in NumPy."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

from unified_gpu import dtypes
from unified_gpu.dtypes import DType
from unified_gpu.kernels.compiler.ir import WEAK_FLOAT, WEAK_INT, Expr, is_weak
from unified_gpu.promotion import common_type

COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
BITWISE = ("<<", ">>", "&", "|", "^")

OPERATORS: dict[type[ast.AST], tuple[str, Callable[..., Any]]] = {
    ast.Add: ("+", operator.add), ast.Sub: ("-", operator.sub), ast.Mult: ("*", operator.mul),
    ast.Div: ("/", operator.truediv), ast.FloorDiv: ("//", operator.floordiv), ast.Mod: ("%", operator.mod),
    ast.LShift: ("<<", operator.lshift), ast.RShift: (">>", operator.rshift), ast.BitAnd: ("&", operator.and_),
    ast.BitOr: ("|", operator.or_), ast.BitXor: ("^", operator.xor), ast.Pow: ("**", operator.pow),
    ast.Lt: ("<", operator.lt), ast.LtE: ("<=", operator.le), ast.Gt: (">", operator.gt), ast.GtE: (">=", operator.ge),
    ast.Eq: ("==", operator.eq), ast.NotEq: ("!=", operator.ne), ast.MatMult: ("@", operator.matmul),
}  # fmt: skip
"""How the typed form calls Python's operators, and what computes them of numbers of the source."""
_OF_PYTHON = {bool: dtypes.bool_, int: WEAK_INT, float: WEAK_FLOAT}


def promote(a: DType, b: DType) -> DType:
    """The dtype in which two operands meet."""
    if a is b:
        return a
    if is_weak(a) or is_weak(b):
        return _promote_weak(a, b) if is_weak(a) else _promote_weak(b, a)
    return common_type(a, b)


def _promote_weak(weak: DType, other: DType) -> DType:
    if is_weak(other):
        return WEAK_FLOAT
    if weak is WEAK_INT:
        return dtypes.i32 if other is dtypes.bool_ else other
    return other if other.is_float else dtypes.f64


def default(dtype: DType) -> DType:
    """What a weak number becomes that meets nothing."""
    return dtypes.i32 if dtype is WEAK_INT else dtypes.f32 if dtype is WEAK_FLOAT else dtype


def default_of(e: Expr) -> DType:
    """The same, i64 for a whole number that needs it."""
    if e.type is WEAK_INT and e.is_literal and not -(2**31) <= e.value < 2**31:
        return dtypes.i64 if -(2**63) <= e.value < 2**63 else dtypes.u64
    return default(e.type)


def number(value: Any) -> Expr:
    """The constant for a number of Python's or NumPy's."""
    if type(value) in _OF_PYTHON:
        return Expr("const", _OF_PYTHON[type(value)], value=value)
    return Expr("const", dtypes.as_dtype(value.dtype), value=value.item())


def is_number(value: Any) -> bool:
    """Whether `number` can make a constant of it; NumPy's scalars without importing NumPy."""
    if type(value) in _OF_PYTHON:
        return True
    return (
        type(value).__module__ == "numpy"
        and getattr(value, "ndim", None) == 0
        and hasattr(value, "item")
        and not hasattr(value, "__setitem__")  # an array of no axes, whose number can change
        and (value.dtype.kind in "biuf")
    )


def whole_number(value: Any) -> int | None:
    """The whole number that a value is, where that is known when compiling."""
    return value.value if isinstance(value, Expr) and value.op == "const" and type(value.value) is int else None
