"""The front end, first part: Python's expressions become typed expressions."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import reduce
from typing import Any

from unified_gpu import dtypes
from unified_gpu.dtypes import DType
from unified_gpu.errors import with_article
from unified_gpu.kernels.compiler.ir import WEAK_FLOAT, ArrayInfo, Expr, TupleType, cast, is_weak

from . import hints, structs
from .hoisting import effects_of
from .promotion import BITWISE, COMPARISONS, OPERATORS, is_number, number, promote, whole_number
from .scope import Scope, Value, is_one_number, row_type
from .source import MISSING

_MOST_MULTIPLICATIONS = 16


class Expressions(Scope):
    """Expressions become values; calls are in `Calls`."""

    def visit_Constant(self, node: ast.Constant) -> Value:
        return self.from_python(node, node.value)

    def visit_Tuple(self, node: ast.Tuple) -> Value:
        return tuple(map(self.visit, node.elts))

    def visit_BinOp(self, node: ast.BinOp) -> Expr:
        return self.binary(node, node.op, self.expr(node.left), self.expr(node.right))

    # --- names

    def visit_Name(self, node: ast.Name) -> Value:
        name = node.id
        if name in self.arrays:
            return self.values.get(name, Expr("array", self.arrays[name], value=name))
        if name not in self.local_names:
            return self.from_python(node, self.object(node))
        if name not in self.defined:
            raise self.error(
                node, f"{name} has no value on some way to here", "assign to it before the branch or the loop"
            )
        if name in self.values:
            return self.values[name]
        return self.variable(self.own.get(name, name))

    def variable(self, name: str) -> Expr:
        return Expr("var", self.types.get(name) or self.found[name], value=name)

    def visit_Attribute(self, node: ast.Attribute) -> Value:
        found = self.object(node)
        if found is not MISSING:
            return self.from_python(node, found)
        if self.object(node.value) is not MISSING:
            raise self.error(node, f"{ast.unparse(node.value)} has no {node.attr}")
        outer = self.visit(node.value)
        if structs.is_one(outer):
            if node.attr in outer.type:
                return outer.args[outer.type.index(node.attr)]
            if not structs.is_array(outer) or node.attr not in ("shape", "ndim"):
                raise self.error(node, f"a struct has no {node.attr} in a kernel", f"it has {', '.join(outer.type)}")
            outer = outer.args[0]
        array = outer.type if isinstance(outer, Expr) else None
        if not isinstance(array, ArrayInfo):
            hint = "assign it to a variable first" if isinstance(getattr(outer, "type", None), TupleType) else ""
            raise self.error(node, f"a kernel cannot take `.{node.attr}` of this", hint)
        if node.attr == "shape":
            return tuple(self.length(outer, axis) for axis in range(array.ndim))
        if node.attr == "ndim":
            return number(array.ndim)
        raise self.error(node, f"an array has no {node.attr} in a kernel", "it has shape, ndim and dtype")

    @staticmethod
    def length(array: Expr, axis: int) -> Expr:
        if array.type.shape is not None:
            return number(array.type.shape[axis])
        return Expr("shape", dtypes.i32, value=(array.value, axis + len(array.args)))

    def from_python(self, node: ast.expr, value: Any) -> Value:
        """A number or a tuple of the surroundings, as it is now."""
        if is_number(value):
            return number(value)
        if isinstance(value, tuple):
            return tuple(self.from_python(node, each) for each in value)
        name = ast.unparse(node)
        if value is MISSING:
            raise self.undefined(node)
        if hasattr(value, "shape") and hasattr(value, "dtype"):
            raise self.error(node, f"{name} is an array of the surroundings", "pass it as an argument of the kernel")
        what = "a text" if isinstance(value, str) else with_article(type(value).__name__)
        hint = hints.uncalled(value) or "numbers and tuples of them can be used"
        raise self.error(node, f"{name} is {what}, which a kernel cannot use", hint)

    # --- operators

    def binary(self, node: ast.AST, operator: ast.operator | ast.cmpop, a: Expr, b: Expr) -> Expr:
        if type(operator) not in OPERATORS:
            raise self.error(node, "a kernel has no `is`, `in` or their opposites")
        op, function = OPERATORS[type(operator)]
        if op == "@":
            raise self.error(node, "a kernel has no operator `@`", "write a loop")
        if a.is_literal and b.is_literal:
            if op in ("<<", "**") and abs(b.value) > 1024:
                raise self.error(node, "the result is too large")
            return self.folded(node, function, (a, b))
        (a, b), meet = self.operands(node, (a, b))
        if op in COMPARISONS:
            if {a.type, b.type} == {dtypes.i64, dtypes.u64}:
                raise self.error(node, "i64 and u64 cannot be compared", "convert one of them")
            a, b = self.meet(a, meet, node), self.meet(b, meet, node)
            return Expr(op, dtypes.bool_, (a, b))
        if meet is dtypes.bool_ and op not in ("&", "|", "^"):
            raise self.error(node, f"{op} is not for two bools", "convert them: i32(…)")
        if op in BITWISE and meet.is_float:
            whole = not a.type.is_float and not b.type.is_float
            what = f"{a.type} and {b.type}, which meet in {meet}" if whole else meet
            raise self.error(node, f"{op} is not for {what}", "convert one of them" if whole else "")
        if op == "/" and not meet.is_float and not is_weak(meet):
            meet = dtypes.f64
        if op == "**":
            return self.power(node, self.meet(a, meet, node), b, meet)
        return Expr(op, meet, (self.meet(a, meet, node), self.meet(b, meet, node)))

    def operands(self, node: ast.AST, args: Sequence[Expr]) -> tuple[Sequence[Expr], DType]:
        """The operands of an operation, and the type in which they meet."""
        if all(is_weak(arg.type) for arg in args):
            args = [self.settled(arg, node) for arg in args]
        return args, reduce(promote, (arg.type for arg in args))

    def meet(self, e: Expr, dtype: DType, node: ast.AST) -> Expr:
        if is_weak(dtype):
            return e
        return self.fit(e, dtype, node) if is_weak(e.type) else cast(e, dtype)

    def folded(self, node: ast.AST, function: Callable[..., Any], args: Iterable[Expr]) -> Expr:
        try:
            result = function(*(arg.value for arg in args))
            if isinstance(result, complex):
                raise ArithmeticError("the result is a complex number")
            return number(result)
        except (ArithmeticError, TypeError, ValueError) as error:
            raise self.error(node, str(error)) from None

    def power(self, node: ast.AST, a: Expr, b: Expr, meet: DType) -> Expr:
        """Small whole exponents are products, as in NumPy's `x**2`; whole numbers have no other powers."""
        exponent = b.value if b.op == "const" else None
        if meet.is_float and exponent not in (1, 2):
            return Expr("pow", meet, (a, self.meet(b, meet, node)))
        if exponent not in range(_MOST_MULTIPLICATIONS + 1):
            raise self.error(
                node, f"the exponent of {meet} is a number from 0 to {_MOST_MULTIPLICATIONS}", "convert: f32(…) ** …"
            )
        if exponent == 0:
            return Expr("const", meet, value=1)
        return a if exponent == 1 else Expr("square" if exponent == 2 else "powi", meet, (a,), exponent)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Expr:
        if isinstance(node.op, ast.Not):
            return self.negated(self.condition(node.operand))
        e = self.settled(self.expr(node.operand), node)
        if isinstance(node.op, ast.UAdd):
            return e
        if isinstance(node.op, ast.USub):
            if e.type is dtypes.bool_:
                raise self.error(node, "- is not for a bool", "write not, or convert it: i32(…)")
            return number(-e.value) if e.is_literal else Expr("neg", e.type, (e,))
        if e.type is dtypes.bool_:
            return self.negated(e)
        if e.is_literal and e.type is WEAK_FLOAT:
            raise self.error(node, "~ is not for fractions")
        if e.is_literal:
            return number(~e.value)
        return Expr("inv", e.type, (e if is_weak(e.type) else self.integer(e, node),))

    def visit_BoolOp(self, node: ast.BoolOp) -> Expr:
        """`and` and `or` between bools; between numbers they would give one of them."""
        op, terms = type(node.op).__name__.lower(), []
        for each in node.values:
            term = self.expr(each)
            if term.type is not dtypes.bool_:
                raise self.error(
                    each,
                    f"`{op}` gives one of its sides in Python, and this side is {term.type}",
                    "compare it, as in != 0",
                )
            terms.append(term)
        return self.chain(op, terms)

    def visit_Compare(self, node: ast.Compare) -> Expr:
        """A chain: what stands in the middle is computed twice, which nothing can see but an atomic."""
        sides = [self.expr(each) for each in (node.left, *node.comparators)]
        for middle, side in zip(node.comparators[:-1], sides[1:-1], strict=True):
            if any(e.op in ("atomic", "call") for e in side.walk()):
                raise self.error(middle, "a call in the middle of a comparison", "assign it to a variable first")
        pairs = zip(node.ops, sides, sides[1:], strict=False)
        return self.chain("and", [self.binary(node, op, a, b) for op, a, b in pairs])

    def visit_IfExp(self, node: ast.IfExp) -> Value:
        condition = self.condition(node.test)
        if condition.op == "const":
            return self.visit(node.body if condition.value else node.orelse)
        a, b = self.expr(node.body), self.expr(node.orelse)
        meet = promote(a.type, b.type)
        return Expr("select", meet, (condition, self.meet(a, meet, node), self.meet(b, meet, node)))

    # --- elements

    def visit_Subscript(self, node: ast.Subscript) -> Value:
        outer = self.visit(node.value)
        if isinstance(outer, tuple):
            index = whole_number(self.expr(node.slice))
            if index is None:
                raise self.error(node.slice, "an item of a tuple is taken by a number that is known when compiling")
            if not -len(outer) <= index < len(outer):
                raise self.error(node.slice, f"{ast.unparse(node.value)} has {len(outer)} items, from 0")
            return outer[index]
        if structs.is_array(outer):
            place = self.index(node, node.value, outer.args[0], node.slice)
            if any(effects_of(each).writes for each in place):
                raise self.error(node.slice, "an index of structs that writes", "assign it to a variable first")
            return replace(outer, args=tuple(self.element(each.value, place) for each in outer.args))
        if outer.op != "array":
            what = "a struct, and is not indexed" if outer.op == "struct" else f"{outer.type}, not an array"
            raise self.error(node.value, f"{ast.unparse(node.value)} is {what}")
        return self.element(outer.value, self.index(node, node.value, outer, node.slice))

    def element(self, array: str, place: tuple[Expr, ...]) -> Expr:
        """A number, or a row of an array."""
        info = self.arrays[array]
        if len(place) == info.ndim:
            return Expr("load", info.dtype, place, array)
        return Expr("array", row_type(info, len(place)), place, array)

    def index(self, node: ast.AST, of: ast.expr, outer: Expr, index: ast.expr) -> tuple[Expr, ...]:
        """The index of an element, or of a row, in the whole array of which `outer` may be a row itself."""
        array, name = outer.type, ast.unparse(of)
        values: list[tuple[ast.expr, Value]] = []
        for each in index.elts if isinstance(index, ast.Tuple) else [index]:
            if isinstance(each, ast.Slice):
                raise self.error(each, "a kernel takes single elements, not slices")
            found = self.visit(each)
            values += [(each, item) for item in found] if isinstance(found, tuple) else [(each, found)]
        if not 0 < len(values) <= array.ndim:
            axes = "1 axis" if array.ndim == 1 else f"{array.ndim} axes"
            numbers = "1 number" if len(values) == 1 else f"{len(values)} numbers"
            raise self.error(node, f"{name} has {axes}, and is indexed by {numbers}")
        result = [*outer.args]
        for axis, (each, value) in enumerate(values):
            if not is_one_number(value):
                raise self.error(each, "an index is a whole number")
            known = whole_number(value)
            if known is not None and known < 0:
                raise self.error(each, f"{known} is before the first element", f"write {name}.shape[{axis}] - {-known}")
            if known is not None and array.shape is not None and known >= array.shape[axis]:
                raise self.error(each, f"{name} has {array.shape[axis]} elements along axis {axis}")
            result.append(self.integer(value, each))
        return tuple(result)
