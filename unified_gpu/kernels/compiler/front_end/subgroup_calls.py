"""The front end: the functions that the threads of a subgroup call together."""

from __future__ import annotations

import ast

from unified_gpu import dtypes
from unified_gpu.dtypes import DType
from unified_gpu.kernels.compiler.ir import VOID, Expr, cast, is_weak
from unified_gpu.kernels.language import Intrinsic

from .calls import Calls

_WIDE = {
    dtypes.f16: dtypes.f32, dtypes.i8: dtypes.i32, dtypes.i16: dtypes.i32, dtypes.u8: dtypes.u32,
    dtypes.u16: dtypes.u32, dtypes.bool_: dtypes.u32,
}  # fmt: skip
"""What narrow numbers are exchanged as: no device has all of them."""
_VOTES = ("any", "all", "ballot")
_LANE = Expr("id", dtypes.i32, value=("lane_id", 0))


class SubgroupCalls(Calls):
    """Calls of `subgroup_sum` and its like, and the numbers of threads in a subgroup."""

    def intrinsic(self, node: ast.Call, callee: Intrinsic) -> Expr:
        if callee.kind not in ("lane", "subgroup"):
            return super().intrinsic(node, callee)
        self.refuse_in_device(node, callee.name)
        self.asks_for_block(node, callee.name)
        if callee.kind == "lane":
            self.count(node, 0)
            return Expr("id", dtypes.i32, value=(callee.name, 0))
        op = callee.name.removeprefix("subgroup_")
        if op in _VOTES:
            self.count(node, 1)
            condition = self.condition(node.args[0])
            if op == "ballot":
                return Expr("subgroup", dtypes.u64, (Expr("cast", dtypes.u64, (condition,)),), (op, node))
            return Expr("subgroup", dtypes.bool_, (condition,), (op, node))
        self.count(node, 2 if op.startswith("shuffle") else 1)
        value = self.exchangeable(node.args[0], op)
        if op.startswith("shuffle"):
            return self.exchange(node, "shuffle", value, self.lane(node.args[1], op))
        return self.exchange(node, op, value)

    def exchangeable(self, node: ast.expr, op: str) -> Expr:
        """The value that a thread gives."""
        e = self.expr(node)
        if not isinstance(e.type, DType) or e.type is VOID:
            raise self.error(node, f"subgroup_{op} cannot be used with {e.type}")
        if e.type is dtypes.bool_ and not op.startswith("shuffle"):
            raise self.error(node, f"subgroup_{op} is not for a bool", "convert it, i32(…), or use subgroup_any")
        return e if is_weak(e.type) and e.op != "const" else self.typed(e, node)

    def lane(self, node: ast.expr, op: str) -> Expr:
        """The lane that a thread reads from; one that is not there stands for its own."""
        e = self.integer(self.expr(node), node)
        if e.type in (dtypes.i64, dtypes.u64):
            raise self.error(node, f"this is {e.type}, where {dtypes.i32} is needed", "convert it: i32(…)")
        number = self.fit(e, dtypes.i32, node) if is_weak(e.type) or e.type is dtypes.i32 else cast(e, dtypes.i32)
        how = {"shuffle_up": "-", "shuffle_down": "+", "shuffle_xor": "^"}.get(op)
        return Expr(how, dtypes.i32, (_LANE, number)) if how else number

    @staticmethod
    def exchange(node: ast.Call, op: str, value: Expr, *source: Expr) -> Expr:
        wide = _WIDE.get(value.type, value.type)
        taken = Expr("subgroup", wide, (cast(value, wide), *source), (op, node))
        return cast(taken, value.type)
