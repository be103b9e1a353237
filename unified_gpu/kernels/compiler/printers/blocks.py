"""Prints a kernel as C++ for the CPU that runs whole blocks: what stands between barriers is a loop over the threads.

A barrier is only where all threads come, so that what is around one is decided once for the block. So it is where the
threads of a subgroup exchange values: the block does that at once, for arrays of them. A variable is then

- uniform: one for the block;
- made again in each loop, when it follows from the thread's numbers alone;
- of one loop only, and lives there; else it is an array with an element for each thread.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

from unified_gpu.kernels.compiler import ir
from unified_gpu.kernels.compiler.analysis.divergence import Divergence
from unified_gpu.kernels.compiler.analysis.guards import Guards, Limits

from . import counters, short
from .c_printer import AXES, CPrinter, c_name, c_type, entry_name
from .cuda import uses_halves
from .helpers import helpers

_LOOPING, _STRAIGHT, _COUNTING = 256, 4096, 1 << 16
_IDS = {
    "local_id": "local_{}", "group_id": "group_{}", "local_size": "size_{}", "group_count": "count_{}",
    "global_id": "(group_{0} * size_{0} + local_{0})", "global_size": "global_size_{axis}", "subgroup_size": "32",
}  # fmt: skip
_GROUPS = {
    1: ["const int group_x = first;"],
    2: ["const int group_x = first % count_x, group_y = first / count_x;"],
    3: [
        "const int group_x = first % count_x;",
        "const int group_y = first / count_x % count_y, group_z = first / count_x / count_y;",
    ],
}
_THREAD = {1: "local_x", 2: "local_y * size_x + local_x", 3: "(local_z * size_y + local_y) * size_x + local_x"}
"""By how many axes the launch has."""


class CpuPrinter(CPrinter):
    """A device function on the CPU."""

    mathematics = "__builtin_"
    flush = "fflush(stdout)"

    def atomic(self, op: str, array: str, at: str, values: list[str]) -> str:
        dtype, shape = self.f.arrays[array].dtype, self.f.arrays[array].shape
        how = "atomic" if shape is None else "plain"  # a block runs on one thread of the CPU
        exact = "" if op == "add" else f"<{c_type(dtype)}>"
        return f"k_{how}_{op}{exact}({at}, {', '.join(values)})"


class BlockPrinter(CpuPrinter):
    """A kernel, with the interface of kernel_abi.hpp."""

    def __init__(
        self, f: ir.Function, divergence: Divergence, *, exact: bool = True, block: Sequence[int] | None = None
    ) -> None:
        """`block` is how many threads a block always has, by the axes of the launch, where that is known."""
        super().__init__(f, exact=exact)
        self.divergence = divergence
        self.is_structure = functools.cache(self._is_structure)
        self.has_atomic = functools.cache(self._has_atomic)
        self.reads = functools.cache(lambda s: {e.value for e in ir.all_expressions([s]) if e.op == "var"})
        self.writes = functools.cache(lambda s: ir.assigned([s]))
        self.sizes = None if block is None else dict(zip(AXES[3 - f.rank :], block, strict=True))
        self.counters = counters.found(f, self.ranges)
        self.flat = f.is_free and f.rank == 1
        self.threads_of_block = " * ".join(f"size_{axis}" for axis in "xyz"[: f.rank])
        self.ids = _IDS | {
            "lane_id": f"(({_THREAD[f.rank]}) & 31)", "subgroup_id": f"(({_THREAD[f.rank]}) >> 5)",
            "subgroup_count": f"(({self.threads_of_block} + 31) >> 5)",
        }  # fmt: skip
        self.own = f.variables.keys() - f.params.keys()
        # A call is made by each thread, also where all of them get the same.
        loose = [s for s in self.loose(f.body) if not isinstance(s, ir.Assign) or s.value.touches_memory]
        met = [s for s in ir.walk(f.body) if isinstance(s, ir.Exchange)]
        self.exchanged = {name for s in met for name in (s.name, *(each.value for each in s.values))}
        self.private = self.own & (divergence.varying | ir.assigned(loose) | self.exchanged)
        self.again = self.made_again()
        self.guards = Guards(self.again, self.private)
        self.uses: dict[str, set[int]] = {}
        self.incoming: set[str] = set()  # read by a loop before it sets them
        self.outside: set[str] = set()  # set in a loop, the same in all threads, and read by the block as a whole
        self.spread: set[str] = set()
        self.in_loop: set[str] | None = None
        self.turning: ir.For | None = None
        self.number = 0
        self.is_draft = False
        """Whether what is printed only shows how variables are used."""

    def inner(self, f: ir.Function) -> CPrinter:
        return CpuPrinter(f, exact=self.exact)

    def text(self) -> str:
        f = self.f
        self.depth = 2
        self.is_draft = ir.threads_meet(f.body)
        self.region(f.body)  # which shows in which loops a variable is used
        several = {name for name, loops in self.uses.items() if len(loops) > 1}
        self.spread = (several & self.incoming | self.outside | self.exchanged) - self.again.keys()
        self.flat = self.flat and not self.spread  # which have an element for each thread of one block
        if self.spread or self.is_draft:
            self.is_draft, self.lines, self.number = False, [], 0
            self.region(f.body)
        body, self.lines, self.depth = self.lines, [], 0
        self.lines += ['#include "kernel_halves.hpp"'] if uses_halves(f) else []
        self.lines += ["#include <cstdio>"] if ir.prints(f) else []  # a header of the system takes the compiler long
        self.lines += [helpers("cpu"), helpers("arithmetic"), helpers("cpu_atomics")]
        self.lines += [helpers("cpu_subgroups")] if f.uses_subgroups else []
        self.lines += [helpers("cpu_counters")] if self.counters else []
        self.functions()
        self.head()
        self.lines += body
        sizes = ", ".join(f"{field.passed.size}u" for field in f.fields())
        is_short = short.is_short(f, self.spread, self.counters)
        name = f"cpu_kernel_{entry_name(f.name)}"
        return "\n".join([
            *self.lines, "    done:;", "    }", *counters.at_end(self.counters), "}",
            f"static const unsigned k_sizes[] = {{{sizes}}};",
            'static const char* k_signature() { return "PFvvE"; }',
            f'extern "C" __attribute__((visibility("default"))) const cpu_kernel {name};',
            f'extern "C" const cpu_kernel {name} = '
            f"{{CPU_KERNEL_VERSION, 0, {self.threads_at_once()}, {is_short:d}, {len(f.fields())}, "
            "k_sizes, k_signature, k_run};", "",
        ])  # fmt: skip

    def threads_at_once(self) -> int:
        """How many threads of the kernel are worth one of the CPU: few with loops, many whose sums have tables."""
        return _LOOPING if short.loops(self.f) else _COUNTING if self.counters else _STRAIGHT

    def head(self) -> None:
        self.out(
            "static void k_run(const unsigned* grid, const unsigned* block, unsigned long long first, "
            "unsigned long long last, const void* const* argument, cpu_kernel_check*) {"
        )
        self.depth = 1
        for i, field in enumerate(self.f.fields()):
            type_ = self.field_type(field)
            pointer = "const*" if field.is_pointer else "*"
            constant = "" if field.is_pointer else "const "
            self.out(f"{constant}{type_} {c_name(field.name)} = *({constant}{type_} {pointer})argument[{i}];")
        for i, axis in enumerate("xyz"[: self.f.rank]):
            size = f"block[{i}]" if self.sizes is None else self.sizes[axis]
            self.out(f"const int size_{axis} = {size}, count_{axis} = grid[{i}];")
        for name, array in self.f.shared.items():
            self.out(f"alignas(64) {self.shared_array(name, array)};")
        self.declare(self.own - self.private)
        for name in sorted(self.spread):
            self.out(f"alignas(64) {c_type(self.f.variables[name])} {c_name(name)}[1024];")
        for line in counters.at_start(self.f, self.counters):
            self.out(line)
        if self.flat:
            self.out("const int begin = first * size_x, end = k_least(last * (long long)size_x, global_size_0);")
            self.out("last = first + 1;")
        self.out("for (; first < last; ++first) {")
        self.depth = 2
        if not self.flat:
            for line in _GROUPS[self.f.rank]:
                self.out(line)

    # --- the block as a whole

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

    def region(self, stmts: Sequence[ir.Stmt]) -> None:
        loop: list[ir.Stmt] = []
        for s in stmts:
            together = isinstance(s, ir.Jump) and s in self.divergence.jumps
            once = isinstance(s, ir.Assign) and s.name not in self.private and not s.value.touches_memory
            if together or once or self.is_structure(s):
                self.threads(loop)
                loop = []
                self.once(s)
            else:
                loop.append(s)
        self.threads(loop)

    def once(self, s: ir.Stmt) -> None:
        if isinstance(s, ir.Jump):
            self.out("goto done;" if s.kind == "return" else f"{s.kind};")
        elif isinstance(s, ir.Exchange) and not s.of_subgroup:
            name, given = c_name(s.name), c_name(s.values[0].value)
            self.out(f"for (int k = 0; k < {self.threads_of_block}; ++k) {name}[k] = {given}[0];")
        elif isinstance(s, ir.Exchange):
            arrays = ", ".join(c_name(name) for name in (*(each.value for each in s.values), s.name))
            self.out(f"k_subgroup_{s.op}({arrays}, {self.threads_of_block});")
        elif not isinstance(s, ir.Barrier):
            self.statement(s)

    def block(self, stmts: Sequence[ir.Stmt]) -> None:
        if self.in_loop is None:
            self.region(stmts)
        else:
            super().block(stmts)

    # --- loops over the threads

    def threads(self, stmts: Sequence[ir.Stmt]) -> None:
        if not stmts:
            return
        self.number += 1
        names = set[str]().union(*map(self.reads, stmts), *map(self.writes, stmts))
        for name, value in reversed(self.again.items()):
            if name in names:
                names |= {x.value for x in value.walk() if x.op == "var"}
        self.note(stmts, names & self.private)
        limits, stmts = self.guards.narrowed(stmts)
        inner = self.only_loop(stmts)
        if inner is None:
            self.thread_loop(stmts, limits, names)
            return
        type_, counter = c_type(inner.start.type), c_name(inner.name)
        first, stop = self.expr(inner.start), self.expr(inner.stop)
        self.out(f"{{ const {type_} {counter}_first = {first}, {counter}_stop = {stop};")
        self.out(f"if ({counter}_first {'<' if inner.step > 0 else '>'} {counter}_stop) {{")
        self.depth += 1
        self.turning = inner
        self.thread_loop(stmts, limits, names)
        self.turning = None
        self.depth -= 1
        self.out("} else {")
        self.depth += 1
        self.number += 1
        self.thread_loop([s for s in stmts if s is not inner], limits, names)
        self.depth -= 1
        self.out("} }")

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
            if loads or any(x.op == "var" and x.value in changing for each in fixed for x in each.walk()):
                return False
        return True

    def counted(self, s: ir.For) -> None:
        if s is not self.turning:
            super().counted(s)
            return
        counter, sign, change = c_name(s.name), *(("<", "+") if s.step > 0 else (">", "-"))
        turned = f"}} while (({counter} {change}= {abs(s.step)}) {sign} {counter}_stop); }}"
        self.nested(f"{{ {c_type(s.start.type)} {counter} = {counter}_first; do", s.body, end=turned)

    def thread_loop(self, stmts: Sequence[ir.Stmt], limits: Limits, names: set[str]) -> None:
        self.loop_heads(stmts, limits)
        if self.is_draft:
            return
        self.depth += 1
        if names & self.spread:
            self.out(f"const int thread = {_THREAD[self.f.rank]};")
        self.declare((names & self.private) - self.spread)
        self.in_loop = names
        for name, value in self.again.items():
            if name in names:
                self.out(f"{c_name(name)} = {self.expr(value)};")
        for s in stmts:
            if not (isinstance(s, ir.Assign) and s.name in self.again):
                self.statement(s)
        self.in_loop = None
        self.depth -= 1
        self.out(f"next{self.number}:; }}")

    def note(self, stmts: Sequence[ir.Stmt], names: set[str]) -> None:
        """Which variables come into a loop from an earlier one."""
        fresh: set[str] = set()
        for s in stmts:
            self.incoming |= (self.reads(s) | (self.writes(s) if ir.parts(s) else set())) - fresh
            fresh |= {s.name} if isinstance(s, ir.Assign) else set()
        for name in names:
            self.uses.setdefault(name, set()).add(self.number)

    def loop_heads(self, stmts: Sequence[ir.Stmt], limits: Limits) -> None:
        for axis, letter in enumerate(AXES[3 - self.f.rank :]):
            name = "flat" if self.flat else f"local_{letter}"
            start, stop = ("begin", "end") if self.flat else ("0", f"size_{letter}")
            outside = "" if self.flat else f"group_{letter} * size_{letter}"
            if self.f.is_free and not self.flat:
                stop = f"k_least({stop}, global_size_{axis} - {outside})"
            for kind, relation, bound in limits.get(axis, ()):
                limit = f"(long long){self.expr(bound)}"
                limit += f" - {outside}" if kind == "global_id" and outside else ""
                if relation in ("<", "<=", "=="):
                    stop = f"k_least({stop}, {limit}{'' if relation == '<' else ' + 1'})"
                if relation in (">", ">=", "=="):
                    start = f"k_most({start}, {limit}{' + 1' if relation == '>' else ''})"
            if letter == "x" and not any(map(self.has_atomic, stmts)):
                self.out("#pragma GCC ivdep")
            head = f"for (int {name} = {start}, stop_{name} = {stop}; {name} < stop_{name}; ++{name})"
            self.out(head + (" {" if letter == "x" else ""))

    @staticmethod
    def _has_atomic(s: ir.Stmt) -> bool:
        """Whether there is an atomic, also in the device functions that are called."""
        own = list(ir.all_expressions([s]))
        called = (y for x in own if x.op == "call" for y in x.value.reached)
        return any(x.op == "atomic" for x in (*own, *called))

    # --- what is different inside

    def atomic(self, op: str, array: str, at: str, values: list[str]) -> str:
        if array in self.counters:
            return counters.counted(array, at, values[0])
        return super().atomic(op, array, at, values)

    def variable(self, name: str) -> str:
        if self.in_loop is None and name in self.private:
            self.outside.add(name)
        if name not in self.spread:
            return c_name(name)
        return f"{c_name(name)}[{'0' if self.in_loop is None else 'thread'}]"

    def id(self, kind: str, axis: int) -> str:
        return "flat" if kind == "global_id" and self.flat else super().id(kind, axis)

    def jump(self, s: ir.Jump) -> None:
        self.out(f"goto next{self.number};" if s.kind == "return" else f"{s.kind};")
