"""Prints a kernel as SPIR-V for Vulkan.

Its arguments are push constants, with arrays as addresses; more than 128 bytes of them lie in memory, and their address
is the push constant. Specialization constants 0, 1 and 2 are the size of a block for the device; 3 is 0 where no thread
of the blocks is beyond the launch, so that none of them asks; 4 is how many threads a block has along the first axis,
and the device may have more.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Sequence

from unified_gpu import dtypes
from unified_gpu.backends.protocols import EndedLoops
from unified_gpu.dtypes import DType
from unified_gpu.kernels.compiler import ir
from unified_gpu.kernels.compiler.analysis.ranges import Ranges

from .module import FUNCTION, PHYSICAL, PUSH_CONSTANT, WORKGROUP, instruction
from .opcodes import Op
from .subgroups import Subgroups
from .values import is_passed_by_address, push_constants

_ALIASED = 20


class SpirvPrinter(Subgroups):
    """A kernel and its device functions."""

    has_loops = False

    def words(self) -> bytes:
        """The module."""
        m = self.module
        self.size = [m.specialization(number) for number in range(3)]
        size = m.define(Op.SPEC_CONSTANT_COMPOSITE, m.vector(3), *self.size)
        m.decorate(size, 11, 25)  # the built-in size of a block
        self.width = m.specialization(4)
        self.arguments()
        for f in (*self.kernel.calls, self.kernel):
            self.functions[f] = m.new()
            self.function(f)
        main = self.functions.pop(self.kernel)
        printed = set(self.kernel.calls)
        while waiting := [f for f in self.functions if f not in printed]:  # `helped` has added them
            for f in waiting:
                self.function(f)
            printed |= set(waiting)
        if self.ended_loops is not None and self.has_loops:
            main = self.asking_whether_loops_ended(main, self.ended_loops)
        return m.words(main, self.code, exact=self.exact)

    def asking_whether_loops_ended(self, kernel: int, report: EndedLoops) -> int:
        """A kernel that calls it, and then turns twice in a loop: a device that has ended loops ends this one too."""
        m, u32 = self.module, dtypes.u32
        void, main = m.type(ir.VOID), m.new()
        two, zero = m.constant(u32, 2), m.constant(u32, 0)
        self.declared = []
        self.op(Op.FUNCTION, void, main, 0, m.make(Op.TYPE_FUNCTION, void))
        self.label(m.new())
        start, turns = len(self.code), self.variable(u32)

        def now() -> int:
            return self.value(Op.LOAD, u32, turns)

        def step() -> None:
            self.op(Op.STORE, turns, self.operator("+", u32, u32, now(), m.constant(u32, 1)))

        self.value(Op.FUNCTION_CALL, void, kernel)
        self.op(Op.STORE, turns, zero)
        wanted = self.select(
            u32, self.test("!=", u32, self.part("group_count", 0), zero), two, zero
        )  # not known before
        self.loop(lambda: self.test("<", u32, now(), wanted), [], step)
        report_it, merge = m.new(), m.new()
        self.branch_if(self.test("<", u32, now(), wanted), report_it, merge, merge)
        self.label(report_it)
        place = self.value(Op.CONVERT_U_TO_PTR, m.pointer(PHYSICAL, u32), m.constant(dtypes.u64, report.address))
        self.op(Op.STORE, place, m.constant(u32, report.number), 2, 4)
        self.label(merge)
        self.leave(Op.RETURN)
        self.op(Op.FUNCTION_END)
        self.code[start:start] = self.declared
        return main

    def arguments(self) -> None:
        m, pushed = self.module, push_constants(self.kernel)
        types = [m.buffer(field.dtype) if field.is_pointer else m.type(dtype) for field, dtype, _ in pushed]
        for at, (field, dtype, _) in enumerate(pushed):
            self.passed[field.name] = at, field, dtype, types[at]
        if types:
            block = m.block("push constants", types, [offset for _, _, offset in pushed])
            if is_passed_by_address(self.kernel):
                self.in_memory = m.pointer(PHYSICAL, block)
                block = m.block("address of arguments", [self.in_memory], [0])
            self.push = m.variable(block, PUSH_CONSTANT)
        self.shared = {name: m.variable(m.array(array), WORKGROUP) for name, array in self.kernel.shared.items()}

    # --- functions

    def function(self, f: ir.Function) -> None:
        m = self.module
        self.f, self.ranges = f, Ranges(f)
        self.variables, self.fields, self.declared, self.loops = {}, {}, [], []
        fields = [] if f.is_kernel else f.fields()
        types = [self.parameter_type(field) for field in fields]
        returns = m.type(f.returns)
        self.op(Op.FUNCTION, returns, self.functions[f], 0, m.make(Op.TYPE_FUNCTION, returns, *types))
        for field, type_ in zip(fields, types, strict=True):
            self.fields[field.name] = self.value(Op.FUNCTION_PARAMETER, type_)
            if field.is_pointer and f.arrays[field.name].shape is None:
                m.decorate(self.fields[field.name], _ALIASED)
        self.label(m.new())
        start = len(self.code)
        for name, type_ in f.variables.items():
            if name not in f.params:
                self.variables[name] = self.variable(type_)
        if f.is_kernel:
            self.leave_outside()
        self.block(f.body)
        if self.open:
            self.leave(Op.UNREACHABLE if f.returns is not ir.VOID else Op.RETURN)
        self.op(Op.FUNCTION_END)
        self.code[start:start] = self.declared  # all variables stand first

    def parameter_type(self, field: ir.Field) -> int:
        m, array = self.module, self.f.arrays.get(field.name)
        if array is None:
            return m.type(field.dtype)
        return m.buffer(array.dtype) if array.shape is None else m.pointer(WORKGROUP, m.array(array))

    def leave_outside(self) -> None:
        """Threads that the device has beyond a block, and those of a free kernel beyond the launch, do nothing."""
        u32, i32, m = dtypes.u32, dtypes.i32, self.module
        beyond_block = self.test(">=", u32, self.part("local_id", 0), self.width)
        self.leave_if(self.test("!=", u32, self.width, self.size[0]), beyond_block)
        if self.f.is_free:
            ends = [(self.id("global_id", axis), self.id("global_size", axis)) for axis in range(self.f.rank)]
            beyond = functools.reduce(self.either, [self.test(">=", i32, *each) for each in ends])
            self.leave_if(self.test("!=", u32, m.specialization(3), m.constant(u32, 0)), beyond)

    def leave_if(self, may_be: int, condition: int) -> None:
        self.choice(self.both(may_be, condition), [ir.Jump(ast.Pass(), "return")], [])

    def variable(self, type_: DType | ir.TupleType) -> int:
        pointer, result = self.module.pointer(FUNCTION, type_), self.module.new()
        self.declared += instruction(Op.VARIABLE, pointer, result, FUNCTION)
        return result

    # --- statements

    def block(self, stmts: Sequence[ir.Stmt]) -> None:
        for s in stmts:
            self.statement(s)

    def statement(self, s: ir.Stmt) -> None:
        m, self.line = self.module, self.f.line(s.at)
        match s:
            case ir.Assign():
                self.op(Op.STORE, self.variables[s.name], self.expr(s.value))
            case ir.Store():
                value, t = self.expr(s.value), self.f.arrays[s.array].dtype
                pointer, aligned = self.place(s.array, s.index)
                value = self.convert(value, t, m.element(t)) if aligned else value
                self.op(Op.STORE, pointer, value, *aligned)
            case ir.Eval():
                self.expr(s.value)
            case ir.If():
                self.choice(self.expr(s.condition), s.then, s.otherwise)
            case ir.While():
                self.loop(lambda: self.expr(s.condition), s.body)
            case ir.For():
                self.counted(s)
            case ir.Barrier():
                workgroup = m.constant(dtypes.u32, 2)
                self.op(Op.CONTROL_BARRIER, workgroup, workgroup, m.constant(dtypes.u32, 0x148))
            case ir.Exchange():
                self.op(Op.STORE, self.variables[s.name], self.exchanged(s))
            case ir.Jump(kind="return", value=None):
                self.leave(Op.RETURN)
            case ir.Jump(kind="return", value=ir.Expr() as value):
                self.leave(Op.RETURN_VALUE, self.expr(value))
            case ir.Jump():
                self.branch(self.loops[-1][s.kind == "continue"])

    def leave(self, opcode: int, *words: int) -> None:
        """Ends a block, and what no block goes on with."""
        self.op(opcode, *words)
        self.open = False

    def choice(self, condition: int, then: Sequence[ir.Stmt], otherwise: Sequence[ir.Stmt]) -> None:
        first, merge = self.module.new(), self.module.new()
        second = self.module.new() if otherwise else merge
        self.branch_if(condition, first, second, merge)
        goes_on = not otherwise
        for label, body in ((first, then), (second, otherwise)):
            if label != merge:
                self.label(label)
                self.block(body)
                goes_on |= self.open
                self.branch(merge)
        self.label(merge)
        if not goes_on:
            self.leave(Op.UNREACHABLE)

    def counted(self, s: ir.For) -> None:
        t, within = s.start.type, self.ranges.ends_within(s)
        unsigned = {1: dtypes.u8, 2: dtypes.u16, 4: dtypes.u32, 8: dtypes.u64}[t.size]
        start, stop = self.expr(s.start), self.expr(s.stop)
        counter = self.variables[s.name] = self.variable(t)
        self.op(Op.STORE, counter, start)

        def now() -> int:
            return self.value(Op.LOAD, t, counter)

        def step() -> None:
            name = "+" if s.step > 0 else "-"
            if within:
                self.op(Op.STORE, counter, self.operator(name, t, t, now(), self.module.constant(t, abs(s.step))))
                return
            # What is left decides, because the last addition can overflow.
            here, end = self.convert(now(), t, unsigned), self.convert(stop, t, unsigned)
            left = self.operator("-", unsigned, unsigned, *((end, here) if s.step > 0 else (here, end)))
            size = self.module.constant(unsigned, abs(s.step))
            following = self.operator(name, unsigned, unsigned, here, size)
            chosen = self.select(unsigned, self.test(">", unsigned, left, size), following, end)
            self.op(Op.STORE, counter, self.convert(chosen, unsigned, t))

        self.loop(lambda: self.test("<" if s.step > 0 else ">", t, now(), stop), s.body, step)

    def loop(self, test: Callable[[], int], body: Sequence[ir.Stmt], step: Callable[[], None] | None = None) -> None:
        self.has_loops = True
        head, check, inside, again, merge = (self.module.new() for _ in range(5))
        self.label(head)
        self.op(Op.LOOP_MERGE, merge, again, 0)
        self.label(check)
        self.branch_if(test(), inside, merge)
        self.label(inside)
        self.loops.append((merge, again))
        self.block(body)
        self.loops.pop()
        self.label(again)
        if step:
            step()
        self.branch(head)
        self.label(merge)
