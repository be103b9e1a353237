"""What can differ between the threads of a block, and the proof that all of them reach each barrier.

Where threads of a subgroup exchange values is a barrier, too. A variable is varying when it is assigned from a thread's
number, an element of an array, an atomic or such an exchange, or where only some threads are. Only some threads are
behind a varying condition, and behind a `return`, `break` or `continue` of theirs.

Where threads meet at all, an element of an array is the same for all of them if they read it at the same index, and the
kernel writes to no such array. `uniform` says it of what cannot be proven.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from unified_gpu.kernels.compiler import ir


class Divergence:
    """The result for a kernel.

    Attributes:
        varying: variables that can differ between threads.
        jumps: those that all threads which are still there take together.
    """

    def __init__(self, function: ir.Function, error: Callable[[ir.Barrier | ir.Exchange, ir.Stmt], Exception]) -> None:
        """Raises what `error` makes of a barrier and what decides who reaches it, where that is not all threads."""
        self.varying: set[str] = set()
        self.jumps: set[ir.Jump] = set()
        self._error = error
        self._written = ir.written_arrays(function) | function.shared.keys() | function.local.keys()
        self._meet = ir.threads_meet(function.body)
        self._check = False
        while True:
            before = len(self.varying)
            self._returned: ir.Stmt | None = None
            self._left: ir.Stmt | None = None
            self._visit(function.body, None)
            if self._check:
                return
            self._check = len(self.varying) == before

    def is_varying(self, e: ir.Expr) -> bool:
        return any(
            x.op == "atomic"
            or (x.op == "load" and not (self._meet and x.value not in self._written))
            or (x.op == "call" and ir.reaches(x.value, "load", "atomic") and not (self._meet and self._only_reads(x)))
            or (x.op == "id" and x.value[0] in ir.VARYING_IDS)
            or (x.op == "var" and x.value in self.varying)
            for x in e.walk()
        )

    def _only_reads(self, call: ir.Expr) -> bool:
        """Whether a device function gets only arrays that the kernel never writes to."""
        return all(arg.value not in self._written for arg in call.args if arg.op == "array")

    def _visit(self, stmts: Sequence[ir.Stmt], why: ir.Stmt | None) -> None:
        """`why` is the statement through which only some threads come here."""
        for s in stmts:
            here = why or self._left or self._returned
            match s:
                case ir.Assign():
                    if here or self.is_varying(s.value):
                        self.varying.add(s.name)
                case ir.If():
                    inner = here or (s if self.is_varying(s.condition) else None)
                    self._visit(s.then, inner)
                    self._visit(s.otherwise, inner)
                case ir.While() | ir.For():
                    self._loop(s, here)
                case ir.Jump():
                    self._jump(s, here)
                case ir.Barrier() | ir.Exchange() if here and self._check:
                    raise self._error(s, here)
                case ir.Exchange() if s.of_subgroup:
                    self.varying.add(s.name)

    def _loop(self, s: ir.While | ir.For, here: ir.Stmt | None) -> None:
        outer, self._left = self._left, None
        inner = here or (s if any(map(self.is_varying, ir.expressions(s))) else None)
        for _ in range(2):  # what some threads leave makes the next turn divergent
            why = inner or self._left or self._returned
            if isinstance(s, ir.For) and why:
                self.varying.add(s.name)
            self._visit(s.body, why)
        self._left = outer

    def _jump(self, s: ir.Jump, here: ir.Stmt | None) -> None:
        if here is None:
            self.jumps.add(s)
            return
        self.jumps.discard(s)
        if s.kind == "return":
            self._returned = self._returned or here
        else:
            self._left = self._left or here
