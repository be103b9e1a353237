"""Between which numbers a whole number lies, so that arithmetic which cannot overflow is written plainly.

Signed overflow is undefined in C, so arithmetic is done unsigned where it could overflow. Compilers vectorise the plain
form better. What a launch allows bounds the numbers of threads and the lengths of arrays.
"""

from __future__ import annotations

import operator
from collections.abc import Callable

from unified_gpu.dtypes import DType, bool_
from unified_gpu.kernels.arguments.layout import MOST
from unified_gpu.kernels.compiler.ir import Assign, Expr, For, Function, walk

Range = tuple[int, int]
_IDS = {
    "local_id": (0, 1023), "local_size": (1, 1024), "subgroup_size": (1, 128), "subgroup_count": (1, 1024),
    "subgroup_id": (0, 1023), "lane_id": (0, 127),
}  # fmt: skip
_CORNERS: dict[str, Callable[[int, int], int]] = {"+": operator.add, "-": operator.sub, "*": operator.mul}


class Ranges:
    """The ranges of a function's expressions."""

    def __init__(self, function: Function) -> None:
        self._variables: dict[str, Range] = {}
        self._known: dict[Expr, Range] = {}
        stmts = list(walk(function.body))
        names = [s.name for s in stmts if isinstance(s, (Assign, For))]
        for s in stmts:  # a variable is assigned before it is used
            if isinstance(s, For):
                low, high = self.of(s.start), self.of(s.stop)
                self._variables[s.name] = (low[0], high[1]) if s.step > 0 else (high[0], low[1])
            elif isinstance(s, Assign) and names.count(s.name) == 1 and _is_whole(s.value.type):
                self._variables[s.name] = self.of(s.value)

    def of(self, e: Expr) -> Range:
        """The least and the greatest number that it can be."""
        found = self._known.get(e)
        if found is None:
            found = self._known[e] = self._of(e)
        return found

    def is_safe(self, e: Expr) -> bool:
        """Whether +, - or * of two numbers, or - of one, cannot overflow."""
        low, high = self._exact(e)
        least, most = e.type.limits
        return bool(least <= low and high <= most)

    def ends_within(self, s: For) -> bool:
        """Whether the counter cannot overflow when a loop ends."""
        least, most = s.start.type.limits
        if abs(s.step) == 1:
            return True
        low, high = self.of(s.stop)
        return bool(abs(s.step) <= most and least <= low + 1 + s.step and high - 1 + s.step <= most)

    def _of(self, e: Expr) -> Range:
        if e.op == "const":
            return int(e.value), int(e.value)
        least, most = limits = (0, 1) if e.type is bool_ else e.type.limits
        match e.op:
            case "+" | "-" | "*" | "neg":
                low, high = self._exact(e)
            case "cast" if _is_whole(e.args[0].type) or e.args[0].type is bool_:
                low, high = self.of(e.args[0])
            case "var":
                return self._variables.get(e.value, limits)
            case "id":
                return _IDS.get(e.value[0], (0, MOST))
            case "shape":
                return 0, MOST
            case "%" if e.args[1].op == "const" and e.args[1].value > 0:
                return 0, e.args[1].value - 1
            case _:
                return limits
        return (low, high) if least <= low and high <= most else limits

    def _exact(self, e: Expr) -> Range:
        ranges = [self.of(arg) for arg in e.args]
        if e.op == "neg":
            return -ranges[0][1], -ranges[0][0]
        corners = [_CORNERS[e.op](x, y) for x in ranges[0] for y in ranges[1]]
        return min(corners), max(corners)


def _is_whole(type_: object) -> bool:
    return isinstance(type_, DType) and type_.kind in ("int", "uint")
