"""Guards of a kernel (`if i < n:`, `if i >= n: return`, `if t == 0:`) as bounds of the loop over the threads."""

from __future__ import annotations

from collections.abc import Sequence, Set

from unified_gpu import dtypes

from .ir import Assign, Expr, If, Jump, Stmt

Limits = dict[int, list[tuple[str, Expr]]]
"""By axis: `global_id` or `local_id` is less than an expression, or, for `==`, the local one is equal to it."""


class Guards:
    """What is known of a kernel's variables: those `made_again` from ids, and those `private` to a thread."""

    def __init__(self, made_again: dict[str, Expr], private: Set[str]) -> None:
        self._made_again = made_again
        self._private = private

    def narrowed(self, stmts: Sequence[Stmt]) -> tuple[Limits, Sequence[Stmt]]:
        """The bounds that the first statements make, and what is left to do within them."""
        limits: Limits = {}
        rest = [s for s in stmts if not (isinstance(s, Assign) and s.name in self._made_again)]
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
            if found is None or any(kind == "==" for kind, _ in limits.get(found[0], ())):
                kept.append(term)
            else:
                limits.setdefault(found[0], []).append(found[1])
        if len(kept) == len(terms):
            return condition
        result = kept[0] if kept else None
        for term in kept[1:]:
            assert result is not None
            result = Expr(joined, dtypes.bool_, (result, term))
        return result

    def _bound(self, e: Expr, leaves: bool) -> tuple[int, tuple[str, Expr]] | None:
        """The axis and the bound of a term such as `i < n`; `i >= n` where it leaves."""
        if e.op not in ((">=",) if leaves else ("<", "==")) or e.args[1].type is not dtypes.i32:
            return None
        left = e.args[0]
        if left.op == "var":
            left = self._made_again.get(left.value, left)
        if left.op != "id" or left.value[0] not in ("local_id", "global_id"):
            return None
        for x in e.args[1].walk():
            varying = x.op == "id" and x.value[0] in ("local_id", "global_id")
            if varying or x.op in ("load", "atomic", "call") or (x.op == "var" and x.value in self._private):
                return None
        kind, axis = left.value
        if e.op == "==":
            return (axis, ("==", e.args[1])) if kind == "local_id" else None
        return axis, (kind, e.args[1])


def _split(e: Expr, op: str) -> list[Expr]:
    return [*_split(e.args[0], op), *_split(e.args[1], op)] if e.op == op else [e]
