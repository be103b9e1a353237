"""Prints a kernel as SPIR-V for Vulkan.

Its arguments are push constants, with arrays as addresses; more than 128 bytes of them lie in memory, and their address
is the push constant. Specialization constants 0, 1 and 2 are the size of a block; 3 is 0 where no thread of the blocks
is beyond the launch, so that none of them asks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

from unified_gpu import dtypes
from unified_gpu.dtypes import DType
from unified_gpu.kernels.compiler.analysis.ranges import Ranges
from unified_gpu.kernels.compiler.ir import (
    VOID,
    Assign,
    Barrier,
    Eval,
    Exchange,
    Field,
    For,
    Function,
    If,
    Jump,
    Stmt,
    Store,
    TupleType,
    While,
)

from .module import FUNCTION, PHYSICAL, PUSH_CONSTANT, WORKGROUP
from .opcodes import Op
from .subgroups import Subgroups
from .values import is_passed_by_address, push_constants

_ALIASED = 20


class SpirvPrinter(Subgroups):
    """A kernel and its device functions."""

    def words(self) -> bytes:
        """The module."""
        m = self.module
        self.size = [m.specialization(number) for number in range(3)]
        m.decorate(m.composite(m.vector(), self.size), 11, 25)  # the built-in size of a block
        self.arguments()
        for f in self.kernel.calls:
            self.functions[f] = m.new()
            self.function(f, self.functions[f])
        main = m.new()
        self.function(self.kernel, main)
        printed = set(self.kernel.calls)
        while waiting := [f for f in self.functions if f not in printed]:  # `helped` has added them
            for f in waiting:
                self.function(f, self.functions[f])
            printed |= set(waiting)
        return m.words(main, self.code)

    def arguments(self) -> None:
        m = self.module
        self.passed = {
            field.name: (at, field, dtype) for at, (field, dtype, _) in enumerate(push_constants(self.kernel))
        }
        types = [
            m.buffer(field.dtype) if field.is_pointer else m.type(dtype) for _, field, dtype in self.passed.values()
        ]
        self.block_types = types
        self.push = 0
        if types:
            block = m.make(Op.TYPE_STRUCT, *types, key="push constants")
            m.decorate(block, 2)
            for at, (_, _, offset) in enumerate(push_constants(self.kernel)):
                m.decorate_member(block, at, 35, offset)
            if is_passed_by_address(self.kernel):
                self.in_memory = m.pointer(PHYSICAL, block)
                block = m.make(Op.TYPE_STRUCT, self.in_memory, key="address of arguments")
                m.decorate(block, 2)
                m.decorate_member(block, 0, 35, 0)
            self.push = m.variable(block, PUSH_CONSTANT)
        self.shared = {
            name: m.variable(m.array(array.dtype, prod(array.shape or ())), WORKGROUP)
            for name, array in self.kernel.shared.items()
        }

    # --- functions

    def function(self, f: Function, result: int) -> None:
        m = self.module
        self.f, self.variables, self.fields, self.declared, self.loops = f, {}, {}, [], []
        self.ranges = Ranges(f)
        fields = [] if f.is_kernel else f.fields()
        types = [self.parameter_type(field) for field in fields]
        returns = m.type(f.returns)
        self.op(Op.FUNCTION, returns, result, 0, m.make(Op.TYPE_FUNCTION, returns, *types))
        for field, type_ in zip(fields, types, strict=True):
            self.fields[field.name] = self.value(Op.FUNCTION_PARAMETER, type_)
            if field.is_pointer and self.info(field.name).shape is None:
                m.decorate(self.fields[field.name], _ALIASED)
        self.label(m.new())
        start = len(self.code)
        for name, type_ in f.variables.items():
            if name not in f.params:
                self.variables[name] = self.variable(type_)
        if f.is_kernel and f.is_free:
            self.leave_outside()
        self.block(f.body)
        if self.open:
            self.op(Op.UNREACHABLE if f.returns is not VOID else Op.RETURN)
        self.op(Op.FUNCTION_END)
        self.code[start:start] = self.declared  # all variables stand first

    def parameter_type(self, field: Field) -> int:
        if not field.is_pointer:
            return self.module.type(field.dtype)
        array = self.info(field.name)
        if array.shape is None:
            return self.module.buffer(array.dtype)
        return self.module.pointer(WORKGROUP, self.module.array(array.dtype, prod(array.shape)))

    def leave_outside(self) -> None:
        """The threads of the last blocks that are beyond the launch do nothing; there may be none."""
        m, beyond = self.module, 0
        for axis in range(self.f.rank):
            here = self.test(">=", dtypes.i32, self.id("global_id", axis), self.id("global_size", axis))
            beyond = self.either(beyond, here) if beyond else here
        may_be = self.test("!=", dtypes.u32, m.specialization(3), m.constant(dtypes.u32, 0))
        beyond = self.both(may_be, beyond)
        leave, stay = m.new(), m.new()
        self.op(Op.SELECTION_MERGE, stay, 0)
        self.op(Op.BRANCH_CONDITIONAL, beyond, leave, stay)
        self.label(leave)
        self.op(Op.RETURN)
        self.label(stay)

    def variable(self, type_: DType | TupleType) -> int:
        pointer, result = self.module.pointer(FUNCTION, self.module.type(type_)), self.module.new()
        self.declared += [4 << 16 | Op.VARIABLE, pointer, result, FUNCTION]
        return result

    # --- statements

    def block(self, stmts: Sequence[Stmt]) -> None:
        for s in stmts:
            if not self.open:
                return  # behind a jump
            self.statement(s)

    def statement(self, s: Stmt) -> None:
        self.line = self.f.line(s.at)
        match s:
            case Assign():
                self.op(Op.STORE, self.variables[s.name], self.expr(s.value))
            case Store():
                value, t = self.expr(s.value), self.info(s.array).dtype
                pointer, aligned = self.place(s.array, s.index)
                self.op(
                    Op.STORE, pointer, self.convert(value, t, self.module.element(t)) if aligned else value, *aligned
                )
            case Eval():
                self.expr(s.value)
            case If():
                self.choice(s)
            case While():
                self.loop(lambda: self.expr(s.condition), s.body)
            case For():
                self.counted(s)
            case Barrier():
                workgroup, memory = self.module.constant(dtypes.u32, 2), self.module.constant(dtypes.u32, 0x148)
                self.op(Op.CONTROL_BARRIER, workgroup, workgroup, memory)
            case Exchange():
                self.op(Op.STORE, self.variables[s.name], self.exchanged(s))
            case Jump(kind="return"):
                if s.value is None:
                    self.op(Op.RETURN)
                else:
                    self.op(Op.RETURN_VALUE, self.expr(s.value))
                self.open = False
            case Jump():
                self.branch(self.loops[-1][s.kind == "continue"])

    def choice(self, s: If) -> None:
        condition = self.expr(s.condition)
        then, otherwise, merge = (self.module.new() for _ in range(3))
        self.op(Op.SELECTION_MERGE, merge, 0)
        self.op(Op.BRANCH_CONDITIONAL, condition, then, otherwise if s.otherwise else merge)
        never = bool(s.otherwise)
        for label, body in ((then, s.then), (otherwise, s.otherwise)):
            if label == then or body:
                self.label(label)
                self.block(body)
                never = never and not self.open
                self.branch(merge)
        self.label(merge)
        if never:
            self.op(Op.UNREACHABLE)
            self.open = False

    def counted(self, s: For) -> None:
        t, within = s.start.type, self.ranges.ends_within(s)
        unsigned = {1: dtypes.u8, 2: dtypes.u16, 4: dtypes.u32, 8: dtypes.u64}[t.size]
        start, stop = self.expr(s.start), self.expr(s.stop)
        counter = self.variables[s.name] = self.variable(t)
        self.op(Op.STORE, counter, start)

        def now() -> int:
            return self.value(Op.LOAD, self.module.type(t), counter)

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
            chosen = self.value(
                Op.SELECT, self.module.type(unsigned), self.test(">", unsigned, left, size), following, end
            )
            self.op(Op.STORE, counter, self.convert(chosen, unsigned, t))

        self.loop(lambda: self.test("<" if s.step > 0 else ">", t, now(), stop), s.body, step)

    def loop(self, test: Callable[[], int], body: Sequence[Stmt], step: Callable[[], None] | None = None) -> None:
        head, check, inside, again, merge = (self.module.new() for _ in range(5))
        self.branch(head)
        self.label(head)
        self.op(Op.LOOP_MERGE, merge, again, 0)
        self.branch(check)
        self.label(check)
        self.op(Op.BRANCH_CONDITIONAL, test(), inside, merge)
        self.label(inside)
        self.loops.append((merge, again))
        self.block(body)
        self.loops.pop()
        self.branch(again)
        self.label(again)
        if step:
            step()
        self.branch(head)
        self.label(merge)
