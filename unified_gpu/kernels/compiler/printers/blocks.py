"""Prints a kernel as C++ for the CPU that runs whole blocks, as `analysis.blocks` has planned it."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from unified_gpu.kernels.compiler import ir
from unified_gpu.kernels.compiler.analysis.blocks import ThreadLoop, planned
from unified_gpu.kernels.compiler.analysis.divergence import Divergence

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
        self.plan = planned(f, divergence, self.ranges)
        self.sizes = None if block is None else dict(zip(AXES[3 - f.rank :], block, strict=True))
        self.counters = counters.found(f, self.ranges)
        self.flat = (
            f.is_free and f.rank == 1 and not self.plan.spread
        )  # whose elements are for the threads of one block
        self.threads_of_block = " * ".join(f"size_{axis}" for axis in "xyz"[: f.rank])
        self.ids = _IDS | {
            "lane_id": f"(({_THREAD[f.rank]}) & 31)", "subgroup_id": f"(({_THREAD[f.rank]}) >> 5)",
            "subgroup_count": f"(({self.threads_of_block} + 31) >> 5)",
        }  # fmt: skip
        self.in_loop = False
        """Whether it is in a loop over the threads."""
        self.turning: ir.For | None = None
        self.number = 0

    def inner(self, f: ir.Function) -> CPrinter:
        return CpuPrinter(f, exact=self.exact)

    def text(self) -> str:
        f = self.f
        self.lines += ['#include "kernel_halves.hpp"'] if uses_halves(f) else []
        self.lines += ["#include <cstdio>"] if ir.reaches(f, "print") else []  # which takes the compiler long
        self.lines += [helpers("cpu"), helpers("arithmetic"), helpers("cpu_atomics")]
        self.lines += [helpers("cpu_subgroups")] if f.uses_subgroups else []
        self.lines += [helpers("cpu_counters")] if self.counters else []
        self.functions()
        self.head()
        self.block(self.plan.body)
        sizes = ", ".join(f"{field.passed.size}u" for field in f.fields())
        is_short = short.is_short(f, self.plan.spread, self.counters)
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
        self.declare_arrays(self.f.shared, "alignas(64) ")
        self.declare_arrays(sorted(self.plan.spread & self.f.local.keys()), "alignas(64) ", " * 1024")
        self.declare(self.plan.uniform)
        for name in sorted(self.plan.spread - self.f.local.keys()):
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

    def statement(self, s: ir.Stmt) -> None:
        if isinstance(s, ThreadLoop):
            self.threads(s)
        elif isinstance(s, ir.Exchange):
            self.exchange(s)
        elif not isinstance(s, ir.Barrier):
            super().statement(s)

    def exchange(self, s: ir.Exchange) -> None:
        name, given = c_name(s.name), [c_name(each.value) for each in s.values]
        if s.of_subgroup:
            self.out(f"k_subgroup_{s.op}({', '.join([*given, name])}, {self.threads_of_block});")
        else:
            self.out(f"for (int k = 0; k < {self.threads_of_block}; ++k) {name}[k] = {given[0]}[0];")

    # --- loops over the threads

    def threads(self, loop: ThreadLoop) -> None:
        inner = loop.inner
        if inner is None:
            self.thread_loop(loop, loop.body)
            return
        type_, counter = c_type(inner.start.type), c_name(inner.name)
        first, stop = self.expr(inner.start), self.expr(inner.stop)
        self.out(f"{{ const {type_} {counter}_first = {first}, {counter}_stop = {stop};")
        self.out(f"if ({counter}_first {'<' if inner.step > 0 else '>'} {counter}_stop) {{")
        rest = [s for s in loop.body if s is not inner]
        for turning, stmts, end in ((inner, loop.body, "} else {"), (None, rest, "} }")):
            self.turning, self.depth = turning, self.depth + 1
            self.thread_loop(loop, stmts)
            self.depth -= 1
            self.out(end)

    def counted(self, s: ir.For) -> None:
        if s is not self.turning:
            super().counted(s)
            return
        counter, sign, change = c_name(s.name), *(("<", "+") if s.step > 0 else (">", "-"))
        turned = f"}} while (({counter} {change}= {abs(s.step)}) {sign} {counter}_stop); }}"
        self.nested(f"{{ {c_type(s.start.type)} {counter} = {counter}_first; do", s.body, end=turned)

    def thread_loop(self, loop: ThreadLoop, stmts: Sequence[ir.Stmt]) -> None:
        """`stmts` are those of its body that it has here."""
        plan, self.number = self.plan, self.number + 1
        self.loop_heads(loop, is_independent=not ir.reaches(stmts, "atomic"))
        self.depth += 1
        if not plan.spread.isdisjoint(loop.names):
            self.out(f"const int thread = {_THREAD[self.f.rank]};")
        self.declare((loop.names & plan.private) - plan.spread)
        self.declare_arrays(sorted((loop.names & self.f.local.keys()) - plan.spread))
        self.in_loop = True
        for name, value in plan.again.items():
            if name in loop.names:
                self.out(f"{c_name(name)} = {self.expr(value)};")
        self.block(stmts)
        self.in_loop = False
        self.depth -= 1
        self.out(f"next{self.number}:; }}")

    def loop_heads(self, loop: ThreadLoop, *, is_independent: bool) -> None:
        for axis, letter in enumerate(AXES[3 - self.f.rank :]):
            name = "flat" if self.flat else f"local_{letter}"
            start, stop = ("begin", "end") if self.flat else ("0", f"size_{letter}")
            outside = "" if self.flat else f"group_{letter} * size_{letter}"
            if self.f.is_free and not self.flat:
                stop = f"k_least({stop}, global_size_{axis} - {outside})"
            for kind, relation, bound in loop.limits.get(axis, ()):
                limit = f"(long long){self.expr(bound)}"
                limit += f" - {outside}" if kind == "global_id" and outside else ""
                if relation in ("<", "<=", "=="):
                    stop = f"k_least({stop}, {limit}{'' if relation == '<' else ' + 1'})"
                if relation in (">", ">=", "=="):
                    start = f"k_most({start}, {limit}{' + 1' if relation == '>' else ''})"
            if letter == "x" and is_independent:
                self.out("#pragma GCC ivdep")
            head = f"for (int {name} = {start}, stop_{name} = {stop}; {name} < stop_{name}; ++{name})"
            self.out(head + (" {" if letter == "x" else ""))

    # --- what is different inside

    def atomic(self, op: str, array: str, at: str, values: list[str]) -> str:
        if array in self.counters:
            return counters.counted(array, at, values[0])
        return super().atomic(op, array, at, values)

    def used(self, name: str, offset: str, use: str) -> str:
        return f"{self.of_thread(name)}{offset}"

    def passed(self, name: str) -> str:
        return f"{self.of_thread(name)}{c_name(name)}"

    def of_thread(self, name: str) -> str:
        """What is added to the place of an element where an array is kept for all threads."""
        return f"thread * {prod(self.f.arrays[name].shape or ())} + " if name in self.plan.spread else ""

    def variable(self, name: str) -> str:
        if name not in self.plan.spread:
            return c_name(name)
        return f"{c_name(name)}[{'thread' if self.in_loop else '0'}]"

    def id(self, kind: str, axis: int) -> str:
        return "flat" if kind == "global_id" and self.flat else super().id(kind, axis)

    def jump(self, s: ir.Jump) -> None:
        end = f"next{self.number}" if self.in_loop else "done"
        self.out(f"goto {end};" if s.kind == "return" else f"{s.kind};")
