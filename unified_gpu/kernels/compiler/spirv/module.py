"""A SPIR-V 1.5 module for Vulkan while it is written: types, constants, capabilities, and its words at the end."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from math import prod
from typing import Any

from unified_gpu import dtypes
from unified_gpu.dtypes import DType
from unified_gpu.kernels.compiler.ir import VOID, ArrayInfo, TupleType

from .opcodes import Op

FUNCTION, INPUT, PUSH_CONSTANT, WORKGROUP, PHYSICAL = 7, 1, 9, 4, 5349
"""Storage classes."""
_SHADER, _ADDRESSES, _SPECIALS = 1, 5347, 4466
_PRESERVE_SPECIALS = 4461
"""An execution mode, which the runtime leaves out where a device does not have it."""
_NEEDS = {"f64": 10, "f16": 9, "i64": 11, "u64": 11, "i16": 22, "u16": 22, "i8": 39, "u8": 39}
"""Capabilities of types."""
_STORED = {1: 4448, 2: 4433}
"""Capabilities of elements in buffers, by their bytes."""
_BUILT_IN = {
    "group_count": 24, "group_id": 26, "local_id": 27, "global_id": 28, "subgroup_size": 36, "subgroup_count": 38,
    "subgroup_id": 40, "lane_id": 41,
}  # fmt: skip
Type = DType | TupleType | int
"""Where an instruction wants the id of a type, a type will do."""


def storage_of(array: ArrayInfo) -> int:
    """Of one with a shape."""
    return FUNCTION if array.is_local else WORKGROUP


def instruction(opcode: int, *words: int) -> list[int]:
    return [(1 + len(words)) << 16 | opcode, *words]


def text_words(text: str) -> list[int]:
    raw = text.encode() + b"\0"
    return _words(raw.ljust(-(-len(raw) // 4) * 4, b"\0"))


def _words(raw: bytes) -> list[int]:
    return list(struct.unpack(f"<{len(raw) // 4}I", raw))


class SpirvModule:
    """What is global in a module."""

    def __init__(self) -> None:
        self.bound = 0
        self.capabilities = {_SHADER, _ADDRESSES}
        self.extensions: set[str] = set()
        self.decorations: list[int] = []
        self.globals: list[int] = []
        self.interface: list[int] = []
        self.known: dict[Any, int] = {}
        self.mathematics = self.new()

    def new(self) -> int:
        self.bound += 1
        return self.bound

    def decorate(self, target: int, *words: int) -> None:
        self.decorations += instruction(Op.DECORATE, target, *words)

    # --- types; each is made once

    def make(self, opcode: int, *words: int, key: Any = None) -> int:
        key = (opcode, *words) if key is None else key
        if key not in self.known:
            self.known[key] = self.new()
            self.globals += instruction(opcode, self.known[key], *words)
        return self.known[key]

    def type(self, t: Type) -> int:
        if isinstance(t, int):
            return t
        if t is VOID:
            return self.make(Op.TYPE_VOID)
        if isinstance(t, TupleType):
            return self.make(Op.TYPE_STRUCT, *map(self.type, t.items), key=("tuple", t))
        if t is dtypes.bool_:
            return self.make(Op.TYPE_BOOL)
        if t.name in _NEEDS:
            self.capabilities.add(_NEEDS[t.name])
        if t.is_float:
            return self.make(Op.TYPE_FLOAT, 8 * t.size)
        return self.make(Op.TYPE_INT, 8 * t.size, int(t.kind == "int"))

    def pointer(self, storage: int, type_: Type) -> int:
        return self.make(Op.TYPE_POINTER, storage, self.type(type_))

    def vector(self, count: int) -> int:
        """Of u32."""
        return self.make(Op.TYPE_VECTOR, self.type(dtypes.u32), count)

    def block(self, key: Any, members: Sequence[int], offsets: Sequence[int]) -> int:
        """The struct that a buffer is, with the place of each member."""
        block = self.make(Op.TYPE_STRUCT, *members, key=key)
        self.decorate(block, 2)
        for at, offset in enumerate(offsets):
            self.decorations += instruction(Op.MEMBER_DECORATE, block, at, 35, offset)
        return block

    def element(self, dtype: DType) -> DType:
        """What elements are in a buffer: a bool has no size of its own."""
        return dtypes.u8 if dtype is dtypes.bool_ else dtype

    def buffer(self, dtype: DType) -> int:
        """The pointer to a buffer of elements: to a block that is an array without end."""
        element = self.element(dtype)
        if element.size in _STORED:
            self.capabilities.add(_STORED[element.size])
        key = ("buffer", element)
        if key not in self.known:
            elements = self.make(Op.TYPE_RUNTIME_ARRAY, self.type(element), key=("elements", element))
            self.decorate(elements, 6, element.size)
            self.known[key] = self.pointer(PHYSICAL, self.block(("block", element), [elements], [0]))
        return self.known[key]

    def array(self, array: ArrayInfo) -> int:
        """One with a shape, in shared memory or of a thread."""
        return self.make(Op.TYPE_ARRAY, self.type(array.dtype), self.constant(dtypes.u32, prod(array.shape or ())))

    # --- constants and variables

    def constant(self, t: DType, value: Any) -> int:
        if t is dtypes.bool_:
            opcode, words = Op.CONSTANT_TRUE if value else Op.CONSTANT_FALSE, []
        elif t.is_float:
            opcode, words = Op.CONSTANT, _words(struct.pack(f"<{t.format}", value).ljust(4, b"\0"))
        else:
            opcode, words = Op.CONSTANT, _words(int(value).to_bytes(max(4, t.size), "little", signed=value < 0))
        key = ("constant", t, opcode, *words)
        if key not in self.known:
            self.known[key] = self.define(opcode, t, *words)
        return self.known[key]

    def define(self, opcode: int, type_: Type, *words: int) -> int:
        """A constant or a variable."""
        type_, result = self.type(type_), self.new()
        self.globals += instruction(opcode, type_, result, *words)
        return result

    def specialization(self, number: int) -> int:
        """A u32 that the pipeline chooses; 1 until then."""
        result = self.define(Op.SPEC_CONSTANT, dtypes.u32, 1)
        self.decorate(result, 1, number)
        return result

    def variable(self, type_: int, storage: int) -> int:
        result = self.define(Op.VARIABLE, self.pointer(storage, type_), storage)
        self.interface.append(result)
        return result

    def built_in(self, kind: str, type_: int) -> int:
        """The variable in which a thread finds a number of its own."""
        key = ("built-in", kind)
        if key not in self.known:
            self.known[key] = self.variable(type_, INPUT)
            self.decorate(self.known[key], 11, _BUILT_IN[kind])
        return self.known[key]

    def words(self, main: int, code: list[int], *, exact: bool) -> bytes:
        """All of it; where it is `exact`, arithmetic with -0.0, infinities and NaN is not simplified."""
        widths = [width for width in (16, 32, 64) if exact and (Op.TYPE_FLOAT, width) in self.known]
        self.capabilities |= {_SPECIALS} if widths else set()
        parts = (
            [0x07230203, 0x00010500, 0, self.bound + 1, 0],
            *(instruction(Op.CAPABILITY, each) for each in sorted(self.capabilities)),
            *(instruction(Op.EXTENSION, *text_words(each)) for each in sorted(self.extensions)),
            instruction(Op.EXT_INST_IMPORT, self.mathematics, *text_words("GLSL.std.450")),
            instruction(Op.MEMORY_MODEL, 5348, 1),  # 64-bit addresses, GLSL's memory model
            instruction(Op.ENTRY_POINT, 5, main, *text_words("main"), *self.interface),
            *(instruction(Op.EXECUTION_MODE, main, _PRESERVE_SPECIALS, width) for width in widths),
            self.decorations,
            self.globals,
            code,
        )
        return b"".join(struct.pack(f"<{len(part)}I", *part) for part in parts)
