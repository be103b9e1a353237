"""What the threads of a subgroup do together, in SPIR-V: its size is the device's, and which threads it has, too."""

from __future__ import annotations

from unified_gpu import dtypes
from unified_gpu.kernels.compiler.ir import Exchange

from .opcodes import Op
from .values import SUBGROUPS_BASIC, Values

_VOTE, _ARITHMETIC, _BALLOT, _SHUFFLE = 62, 63, 64, 65
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

    def together(self, capability: int, opcode: int, t: dtypes.DType | int, *words: int) -> int:
        """An instruction of all threads of a subgroup."""
        self.module.capabilities |= {SUBGROUPS_BASIC, capability}
        return self.value(opcode, t, self.module.constant(dtypes.u32, 3), *words)

    def exchanged(self, s: Exchange) -> int:
        """What a thread gets."""
        dtype, u32, u64 = s.values[0].type, dtypes.u32, dtypes.u64
        given = self.expr(s.values[0])
        match s.op:
            case "uniform":
                return given
            case "any":
                return self.together(_VOTE, Op.GROUP_NON_UNIFORM_ANY, dtype, given)
            case "all":
                return self.together(_VOTE, Op.GROUP_NON_UNIFORM_ALL, dtype, given)
            case "ballot":
                votes = self.ballot(self.convert(given, u64, dtypes.bool_))
                low, high = (self.value(Op.COMPOSITE_EXTRACT, u32, votes, part) for part in range(2))
                low, high = (self.convert(part, u32, u64) for part in (low, high))
                high = self.operator("<<", u64, u64, high, self.module.constant(u32, 32))
                return self.operator("|", u64, u64, low, high)
            case "shuffle":
                lane = self.lane(self.expr(s.values[1]))
                return self.together(_SHUFFLE, Op.GROUP_NON_UNIFORM_SHUFFLE, dtype, given, lane)
        return self.together(_ARITHMETIC, _REDUCTIONS[s.op][dtype.kind], dtype, _REDUCE, given)

    def ballot(self, vote: int) -> int:
        """Four u32, with a bit for each lane."""
        return self.together(_BALLOT, Op.GROUP_NON_UNIFORM_BALLOT, self.module.vector(4), vote)

    def lane(self, source: int) -> int:
        """The lane to read from: a thread's own where there is no thread at that of `source`."""
        u32, own = dtypes.u32, self.subgroup_id("lane_id")
        lane = self.convert(source, dtypes.i32, u32)
        lane = self.select(u32, self.test("<", u32, lane, self.subgroup_id("subgroup_size")), lane, own)
        there = self.ballot(self.module.constant(dtypes.bool_, True))
        is_there = self.together(_BALLOT, Op.GROUP_NON_UNIFORM_BALLOT_BIT_EXTRACT, dtypes.bool_, there, lane)
        return self.select(u32, is_there, lane, own)
