"""Guards of a kernel (`if 0 < i < n:`, `if i >= n: return`, `if t == 0:`) as bounds of the loop over the threads."""

from __future__ import annotations

import functools
from collections.abc import Sequence, Set
from dataclasses import dataclass

from unified_gpu import dtypes
from unified_gpu.kernels.compiler.ir import VARYING_IDS, Assign, Expr, If, Jump, Stmt

Limit = tuple[str, str, Expr]
"""`global_id` or `local_id`, a comparison (< <= > >= ==), and what it is compared with."""
Limits = dict[int, list[Limit]]
"""By axis."""
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "=="}
_OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "!=": "=="}


@dataclass(frozen=True)
class Guards:
    """What is known of a kernel's variables: those `made_again` from ids, and those `private` to a thread."""

    made_again: dict[str, Expr]
    private: Set[str]

    def narrowed(self, stmts: Sequence[Stmt]) -> tuple[Limits, Sequence[Stmt]]:
        """The bounds that the first statements make, and what is left to do within them."""
        limits: Limits = {}
        rest = [s for s in stmts if not (isinstance(s, Assign) and s.name in self.made_again)]
        while rest and isinstance(s := rest[0], If) and not s.otherwise:
            leaves = len(s.then) == 1 and isinstance(s.then[0], Jump) and s.then[0].kind == "return"
            if not leaves and len(rest) > 1:
                break
            kept = self._taken(s.condition, leaves, limits)
            if kept is s.condition:
                break
            if kept is not None:
                rest = [If(s.at, kept, s.then, []), *rest[1:]]
                break
            rest = rest[1:] if leaves else [*s.then]
        return limits, rest

    def _taken(self, condition: Expr, leaves: bool, limits: Limits) -> Expr | None:
        """What is left of a condition, when its bounds are in `limits`."""
        joined = "or" if leaves else "and"
        terms, kept = _split(condition, joined), []
        for term in terms:
            found = self._bound(term, leaves)
            if found is None:
                kept.append(term)
            else:
                limits.setdefault(found[0], []).append(found[1])
        if len(kept) == len(terms):
            return condition
        return functools.reduce(lambda a, b: Expr(joined, dtypes.bool_, (a, b)), kept) if kept else None

    def _bound(self, e: Expr, leaves: bool) -> tuple[int, Limit] | None:
        """The axis and the bound of a term such as `i < n`; of its opposite where it leaves."""
        op = _OPPOSITE.get(e.op) if leaves else e.op
        if op not in _TURNED:
            return None
        first, second = e.args
        for left, right, relation in ((first, second, op), (second, first, _TURNED[op])):
            if left.op == "var":
                left = self.made_again.get(left.value, left)
            is_own = left.op == "id" and left.value[0] in ("local_id", "global_id")
            if is_own and right.type is dtypes.i32 and self.is_uniform(right):
                kind, axis = left.value
                return axis, (kind, relation, right)
        return None

    def is_uniform(self, e: Expr) -> bool:
        """Whether it is the same for all threads, and costs nothing to compute once more."""
        return not any(
            (x.op == "id" and x.value[0] in VARYING_IDS)
            or x.op in ("load", "atomic", "call")
            or (x.op == "var" and x.value in self.private)
            for x in e.walk()
        )


def _split(e: Expr, op: str) -> list[Expr]:
    return [*_split(e.args[0], op), *_split(e.args[1], op)] if e.op == op else [e]
