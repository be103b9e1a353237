"""Plans how whole blocks of a kernel run on the CPU: what the block does as a whole, and loops over the threads.

A barrier is only where all threads come, so that what is around one is decided once for the block. So it is where the
threads of a subgroup exchange values: the block does that at once, for arrays of them. A variable is then

- uniform: one for the block;
- made again in each loop, when it follows from the thread's numbers alone;
- of one loop only, and lives there; else it is spread: an array with an element for each thread.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cache
from itertools import groupby

from unified_gpu.kernels.compiler import ir

from .divergence import Divergence
from .guards import Guards, Limits
from .ranges import Ranges


@ir.node
class ThreadLoop(ir.Stmt):
    """What the threads of a block do one after the other.

    Attributes:
        names: the variables that it uses, and those that these are made of; and the threads' own arrays.
        limits: between which threads it runs.
        body: what is left to do there.
        inner: the one loop of the body, where all threads turn as often in it and stay to its end; None for others.
    """

    names: Set[str]
    limits: Limits
    body: Sequence[ir.Stmt]
    inner: ir.For | None


@dataclass(frozen=True, slots=True)
class BlockPlan:
    """A kernel for whole blocks.

    Attributes:
        body: its statements, of which those that are not for the block as a whole stand in a ThreadLoop.
        uniform: the variables that a block has once.
        private: those that threads have each.
        again: what those of them are that each loop makes again.
        spread: those of them with an element for each thread, and arrays of a thread that are kept for all of them.
    """

    body: Sequence[ir.Stmt]
    uniform: Set[str]
    private: Set[str]
    again: Mapping[str, ir.Expr]
    spread: Set[str]


def planned(f: ir.Function, divergence: Divergence, ranges: Ranges) -> BlockPlan:
    """The plan of a kernel."""
    p = _Planner(f, divergence, ranges)
    body = p.region(f.body)
    several = {name for name, loops in p.uses.items() if loops > 1}
    spread = (several & p.incoming | p.outside | p.exchanged) - p.again.keys()
    spread |= {name for name in f.local if p.uses[name] > 1 or ir.threads_meet(f.body)}
    return BlockPlan(body, p.own - p.private, p.private, p.again, spread)


class _Planner:
    """What the plan of a kernel is found with; `uses`, `incoming` and `outside` fill as its loops are made."""

    def __init__(self, f: ir.Function, divergence: Divergence, ranges: Ranges) -> None:
        self.f, self.divergence, self.ranges = f, divergence, ranges
        self.is_structure = cache(self._is_structure)
        self.own = f.variables.keys() - f.params.keys()
        # A call is made by each thread, also where all of them get the same.
        loose = [s for s in self.loose(f.body) if not isinstance(s, ir.Assign) or s.value.touches_memory]
        met = [s for s in ir.walk(f.body) if isinstance(s, ir.Exchange)]
        self.exchanged = {name for s in met for name in (s.name, *(each.value for each in s.values))}
        self.private = self.own & (divergence.varying | ir.assigned(loose) | self.exchanged)
        self.again = self.made_again()
        self.guards = Guards(self.again, self.private)
        self.uses = Counter[str]()
        """In how many loops each private variable is used."""
        self.incoming: set[str] = set()
        """Read by a loop before it sets them."""
        self.outside: set[str] = set()
        """Set in a loop, the same in all threads, and read by the block as a whole."""

    def _is_structure(self, s: ir.Stmt) -> bool:
        """Whether the whole block takes part in a statement, rather than thread after thread."""
        own = {*ir.own_jumps([s])}
        return any(
            isinstance(x, (ir.Barrier, ir.Exchange))
            or (isinstance(x, ir.Jump) and x in self.divergence.jumps and (x.kind == "return" or x in own))
            for x in ir.walk([s])
        )

    def loose(self, stmts: Sequence[ir.Stmt]) -> list[ir.Stmt]:
        """The statements that do not take part in the structure, wherever they stand in it."""
        result = []
        for s in stmts:
            result += [y for inner in ir.parts(s) for y in self.loose(inner)] if self.is_structure(s) else [s]
        return result

    def made_again(self) -> dict[str, ir.Expr]:
        """Variables that follow from the thread's numbers and from what never changes."""
        times = [s.name for s in ir.walk(self.f.body) if isinstance(s, (ir.Assign, ir.For))]
        known: dict[str, ir.Expr] = {}
        for s in self.f.body:
            if not (isinstance(s, ir.Assign) and times.count(s.name) == 1 and s.name in self.private - self.exchanged):
                continue
            if all(
                x.op not in ("load", "atomic", "call")
                and (x.op != "var" or x.value in known or (x.value in self.f.params and x.value not in times))
                for x in s.value.walk()
            ):
                known[s.name] = s.value
        return known

    # --- statements

    def region(self, stmts: Sequence[ir.Stmt]) -> list[ir.Stmt]:
        """What the block does as a whole, and between that loops over the threads."""
        result: list[ir.Stmt] = []
        for is_whole, group in groupby(stmts, self.is_whole):
            part = [*group]
            result += map(self.whole, part) if is_whole else [self.thread_loop(part)]
        return result

    def is_whole(self, s: ir.Stmt) -> bool:
        once = isinstance(s, ir.Assign) and s.name not in self.private and not s.value.touches_memory
        return once or self.is_structure(s)

    def whole(self, s: ir.Stmt) -> ir.Stmt:
        """The same statement, with the plan of those inside it."""
        self.outside |= _read(ir.expressions(s)) & self.private
        if isinstance(s, ir.If):
            return replace(s, then=self.region(s.then), otherwise=self.region(s.otherwise))
        return replace(s, body=self.region(s.body)) if isinstance(s, (ir.While, ir.For)) else s

    def thread_loop(self, stmts: Sequence[ir.Stmt]) -> ThreadLoop:
        names, fresh = set[str](), set[str]()
        for s in stmts:
            read, written = _read(e for y in ir.walk([s]) for e in ir.expressions(y)), ir.assigned([s])
            names |= read | written
            self.incoming |= (read | written if ir.parts(s) else read) - fresh
            fresh |= written if isinstance(s, ir.Assign) else set()
        for name, value in reversed(self.again.items()):
            if name in names:
                names |= _read([value])
        names |= ir.arrays_used(stmts) & self.f.local.keys()
        self.uses.update(names & (self.private | self.f.local.keys()))
        limits, body = self.guards.narrowed(stmts)
        return ThreadLoop(stmts[0].at, names, limits, body, self.only_loop(body))

    def only_loop(self, stmts: Sequence[ir.Stmt]) -> ir.For | None:
        """The one loop in a loop over the threads, where all of them turn as often in it and stay to its end.

        Compilers vectorise the outer one when the inner one has at least one turn, and is written so.
        """
        loops = [s for s in ir.walk(stmts) if isinstance(s, (ir.For, ir.While))]
        if len(loops) != 1 or not isinstance(s := loops[0], ir.For) or s not in stmts:
            return None
        leaves = any(isinstance(x, ir.Jump) for x in ir.walk(s.body))
        same = self.guards.is_uniform(s.start) and self.guards.is_uniform(s.stop)
        return s if same and not leaves and self.ranges.ends_within(s) and self.steps_are_known(s) else None

    def steps_are_known(self, s: ir.For) -> bool:
        """Whether a turn of a loop goes on by a constant distance in memory: g++ vectorises no others around it."""
        changing = ir.assigned(s.body) | {s.name}
        stmts = list(ir.walk(s.body))
        used = [(x.value, x.args) for y in stmts for e in ir.expressions(y) for x in e.walk() if x.op == "load"]
        used += [(y.array, y.index) for y in stmts if isinstance(y, ir.Store)]
        for array, index in used:
            info = self.f.arrays[array]
            fixed = index if info.strided else index[:-1] if info.shape is None else ()
            loads = any(x.op == "load" for each in index for x in each.walk())
            if loads or not changing.isdisjoint(_read(fixed)):
                return False
        return True


def _read(expressions: Iterable[ir.Expr]) -> set[str]:
    """The variables in expressions."""
    return {x.value for e in expressions for x in e.walk() if x.op == "var"}
