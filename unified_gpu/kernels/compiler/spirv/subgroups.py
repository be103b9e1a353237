"""What the threads of a subgroup do together, in SPIR-V: its size is the device's, and which threads it has, too."""

from __future__ import annotations

from unified_gpu import dtypes
from unified_gpu.kernels.compiler.ir import Exchange

from .module import INPUT
from .opcodes import Op
from .values import Values

_BUILTINS = {"subgroup_size": 36, "subgroup_count": 38, "subgroup_id": 40, "lane_id": 41}
_BASIC, _VOTE, _ARITHMETIC, _BALLOT, _SHUFFLE = 61, 62, 63, 64, 65
"""Capabilities."""
_REDUCTIONS = {
    "sum": {"int": 349, "uint": 349, "float": 350},
    "min": {"int": 353, "uint": 354, "float": 355},
    "max": {"int": 356, "uint": 357, "float": 358},
}
_REDUCE = 0
_NEEDS = {"any": ("vote",), "all": ("vote",), "ballot": ("ballot",), "shuffle": ("shuffle", "ballot")}


def needs(s: Exchange) -> tuple[str, ...]:
    """What a device must have for it: vote, ballot, shuffle, arithmetic, and wide for whole numbers of 64 bits."""
    dtype = s.values[0].type
    wide = ("wide",) if dtype.size == 8 and not dtype.is_float and s.op != "ballot" else ()
    return (*_NEEDS.get(s.op, ("arithmetic",)), *wide)


class Subgroups(Values):
    """Values of threads that belong together, as instructions of the block that is open."""

    def id(self, kind: str, axis: int) -> int:
        return self.number(kind, dtypes.i32) if kind in _BUILTINS else super().id(kind, axis)

    def number(self, kind: str, dtype: dtypes.DType) -> int:
        """A number of the subgroup, as u32 or i32."""
        self.module.capabilities.add(_BASIC)
        type_, key = self.module.type(dtypes.u32), ("id", kind)
        if key not in self.module.known:
            self.module.known[key] = self.module.variable(type_, INPUT)
            self.module.decorate(self.module.known[key], 11, _BUILTINS[kind])
        return self.convert(self.value(Op.LOAD, type_, self.module.known[key]), dtypes.u32, dtype)

    def exchanged(self, s: Exchange) -> int:
        """What a thread gets."""
        m, dtype = self.module, s.values[0].type
        type_, given = m.type(dtype), self.expr(s.values[0])
        m.capabilities.add(_BASIC)
        match s.op:
            case "any" | "all":
                m.capabilities.add(_VOTE)
                return self.value(
                    Op.GROUP_NON_UNIFORM_ANY if s.op == "any" else Op.GROUP_NON_UNIFORM_ALL, type_, self.scope, given
                )
            case "ballot":
                votes = self.ballot(self.convert(given, dtypes.u64, dtypes.bool_))
                low, high = (self.value(Op.COMPOSITE_EXTRACT, m.type(dtypes.u32), votes, part) for part in range(2))
                low, high = (self.convert(part, dtypes.u32, dtypes.u64) for part in (low, high))
                high = self.operator("<<", dtypes.u64, dtypes.u64, high, m.constant(dtypes.u32, 32))
                return self.operator("|", dtypes.u64, dtypes.u64, low, high)
            case "shuffle":
                m.capabilities.add(_SHUFFLE)
                return self.value(
                    Op.GROUP_NON_UNIFORM_SHUFFLE, type_, self.scope, given, self.lane(self.expr(s.values[1]))
                )
        m.capabilities.add(_ARITHMETIC)
        return self.value(_REDUCTIONS[s.op][dtype.kind], type_, self.scope, _REDUCE, given)

    @property
    def scope(self) -> int:
        return self.module.constant(dtypes.u32, 3)

    def ballot(self, vote: int) -> int:
        """Four u32, with a bit for each lane."""
        self.module.capabilities.add(_BALLOT)
        return self.value(
            Op.GROUP_NON_UNIFORM_BALLOT,
            self.module.make(Op.TYPE_VECTOR, self.module.type(dtypes.u32), 4),
            self.scope,
            vote,
        )

    def lane(self, source: int) -> int:
        """The lane to read from: a thread's own where there is no thread at that of `source`."""
        own, boolean = self.number("lane_id", dtypes.u32), self.module.type(dtypes.bool_)
        lane = self.convert(source, dtypes.i32, dtypes.u32)
        within = self.test("<", dtypes.u32, lane, self.number("subgroup_size", dtypes.u32))
        lane = self.select(dtypes.u32, within, lane, own)
        there = self.ballot(self.module.constant(dtypes.bool_, True))
        return self.select(
            dtypes.u32, self.value(Op.GROUP_NON_UNIFORM_BALLOT_BIT_EXTRACT, boolean, self.scope, there, lane), lane, own
        )
