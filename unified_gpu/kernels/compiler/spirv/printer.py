"""Prints a kernel as SPIR-V for Vulkan.

Its arguments are push constants, with arrays as addresses; more than 128 bytes of them lie in memory, and their address
is the push constant. Specialization constants 0, 1 and 2 are the size of a block for the device; 3 is 0 where no thread
of the blocks is beyond the launch, so that none of them asks; 4 is how many threads a block has along the first axis,
and the device may have more.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Sequence
from typing import Any

from unified_gpu import dtypes
from unified_gpu.backends.protocols import EndedLoops
from unified_gpu.kernels.arguments.layout import Field
from unified_gpu.kernels.compiler import ir
from unified_gpu.kernels.compiler.analysis.ranges import Ranges
from unified_gpu.kernels.language import device

from .functions import built_function
from .module import FUNCTION, PHYSICAL, PUSH_CONSTANT, WORKGROUP, Type, instruction, storage_of
from .opcodes import Op
from .subgroups import Subgroups
from .values import MOST_PUSHED, pushed

_ALIASED = 20


@device
def _turns_missing(blocks: Any) -> Any:
    """How many turns a loop has not had, of two as there are `blocks`, which no compiler knows."""
    missing = min(blocks, 1) * 2
    while missing > 0:
        missing -= 1
    return missing


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
        turning, void, main = built_function(_turns_missing, u32), m.type(ir.VOID), m.new()
        self.functions[turning] = m.new()
        self.function(turning)
        self.op(Op.FUNCTION, void, main, 0, m.make(Op.TYPE_FUNCTION, void))
        self.label(m.new())
        self.value(Op.FUNCTION_CALL, void, kernel)
        missing = self.value(Op.FUNCTION_CALL, u32, self.functions[turning], self.part("group_count", 0))
        report_it, merge = m.new(), m.new()
        self.branch_if(self.test("!=", u32, missing, m.constant(u32, 0)), report_it, merge, merge)
        self.label(report_it)
        place = self.value(Op.CONVERT_U_TO_PTR, m.pointer(PHYSICAL, u32), m.constant(dtypes.u64, report.address))
        self.op(Op.STORE, place, m.constant(u32, report.number), 2, 4)
        self.label(merge)
        self.leave(Op.RETURN)
        self.op(Op.FUNCTION_END)
        return main

    def arguments(self) -> None:
        m, layout = self.module, pushed(self.kernel)
        types = [m.buffer(field.dtype) if field.is_pointer else m.type(dtype) for field, dtype, _ in layout.places]
        for at, (field, dtype, _) in enumerate(layout.places):
            self.passed[field.name] = at, field, dtype, types[at]
        if types:
            block = m.block("push constants", types, layout.offsets)
            if layout.size > MOST_PUSHED:
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
        self.fields |= {name: self.variable(m.array(array)) for name, array in f.local.items()}
        if f.is_kernel:
            self.leave_outside()
        self.block(f.body)
        if self.open:
            self.leave(Op.UNREACHABLE if f.returns is not ir.VOID else Op.RETURN)
        self.op(Op.FUNCTION_END)
        self.code[start:start] = self.declared  # all variables stand first

    def parameter_type(self, field: Field) -> int:
        m, array = self.module, self.f.arrays.get(field.name)
        if array is None:
            return m.type(field.dtype)
        return m.buffer(array.dtype) if array.shape is None else m.pointer(storage_of(array), m.array(array))

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

    def variable(self, type_: Type) -> int:
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
                self.loop(s.condition, s.body)
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
        t, op = s.start.type, "+" if s.step > 0 else "-"
        counter, stop = (ir.Expr("var", t, value=name) for name in (s.name, f"{s.name}.stop"))
        self.variables |= {each.value: self.variable(t) for each in (counter, stop)}
        self.block([ir.Assign(s.at, counter.value, s.start), ir.Assign(s.at, stop.value, s.stop)])
        if self.ranges.ends_within(s):
            following = ir.Expr(op, t, (counter, ir.Expr("const", t, value=abs(s.step))))
        else:  # what is left decides, because the last addition can overflow
            unsigned = {1: dtypes.u8, 2: dtypes.u16, 4: dtypes.u32, 8: dtypes.u64}[t.size]
            here, end = ir.cast(counter, unsigned), ir.cast(stop, unsigned)
            size = ir.Expr("const", unsigned, value=abs(s.step))
            left = ir.Expr("-", unsigned, (end, here) if s.step > 0 else (here, end))
            goes_on = ir.Expr(">", dtypes.bool_, (left, size))
            following = ir.cast(ir.Expr("select", unsigned, (goes_on, ir.Expr(op, unsigned, (here, size)), end)), t)
        test = ir.Expr("<" if s.step > 0 else ">", dtypes.bool_, (counter, stop))
        self.loop(test, s.body, [ir.Assign(s.at, counter.value, following)])

    def loop(self, test: ir.Expr, body: Sequence[ir.Stmt], step: Sequence[ir.Stmt] = ()) -> None:
        self.has_loops = True
        head, check, inside, again, merge = (self.module.new() for _ in range(5))
        self.label(head)
        self.op(Op.LOOP_MERGE, merge, again, 0)
        self.label(check)
        self.branch_if(self.expr(test), inside, merge)
        self.label(inside)
        self.loops.append((merge, again))
        self.block(body)
        self.loops.pop()
        self.label(again)
        self.block(step)
        self.branch(head)
        self.label(merge)
