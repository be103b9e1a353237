"""A SPIR-V 1.5 module for Vulkan while it is written: types, constants, capabilities, and its words at the end."""

from __future__ import annotations

import struct
from typing import Any

from unified_gpu import dtypes
from unified_gpu.dtypes import DType
from unified_gpu.kernels.compiler.ir import VOID, TupleType

from .opcodes import Op

FUNCTION, INPUT, PUSH_CONSTANT, WORKGROUP, PHYSICAL = 7, 1, 9, 4, 5349
"""Storage classes."""
_SHADER, _ADDRESSES = 1, 5347
_NEEDS = {"f64": 10, "f16": 9, "i64": 11, "u64": 11, "i16": 22, "u16": 22, "i8": 39, "u8": 39}
"""Capabilities of types."""
_STORED = {1: 4448, 2: 4433}
"""Capabilities of elements in buffers, by their bytes."""


def text_words(text: str) -> list[int]:
    raw = text.encode() + b"\0"
    raw = raw.ljust(-(-len(raw) // 4) * 4, b"\0")
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
        self.decorations += [(2 + len(words)) << 16 | Op.DECORATE, target, *words]

    def decorate_member(self, target: int, member: int, *words: int) -> None:
        self.decorations += [(3 + len(words)) << 16 | Op.MEMBER_DECORATE, target, member, *words]

    # --- types; each is made once

    def make(self, opcode: int, *words: int, key: Any = None) -> int:
        key = (opcode, *words) if key is None else key
        if key not in self.known:
            self.known[key] = self.new()
            self.globals += [(2 + len(words)) << 16 | opcode, self.known[key], *words]
        return self.known[key]

    def type(self, t: Any) -> int:
        if t is VOID:
            return self.make(Op.TYPE_VOID)
        if isinstance(t, TupleType):
            return self.make(Op.TYPE_STRUCT, *map(self.type, t.items), key=("tuple", t))
        if t is dtypes.bool_:
            return self.make(Op.TYPE_BOOL)
        if t.name in _NEEDS:
            self.capabilities.add(_NEEDS[t.name])
        return (
            self.make(Op.TYPE_FLOAT, 8 * t.size)
            if t.is_float
            else self.make(Op.TYPE_INT, 8 * t.size, int(t.kind == "int"))
        )

    def pointer(self, storage: int, type_: int) -> int:
        return self.make(Op.TYPE_POINTER, storage, type_)

    def vector(self) -> int:
        """Three u32."""
        return self.make(Op.TYPE_VECTOR, self.type(dtypes.u32), 3)

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
            block = self.make(Op.TYPE_STRUCT, elements, key=("block", element))
            self.decorate(block, 2)
            self.decorate_member(block, 0, 35, 0)
            self.known[key] = self.pointer(PHYSICAL, block)
        return self.known[key]

    def array(self, dtype: DType, count: int) -> int:
        return self.make(Op.TYPE_ARRAY, self.type(dtype), self.constant(dtypes.u32, count))

    # --- constants and variables

    def constant(self, t: DType, value: Any) -> int:
        if t is dtypes.bool_:
            return self.make_constant(t, Op.CONSTANT_TRUE if value else Op.CONSTANT_FALSE, [])
        if t.is_float:
            raw = struct.pack(f"<{t.format}", value).ljust(4, b"\0")
        else:
            raw = int(value).to_bytes(max(4, t.size), "little", signed=value < 0)
        return self.make_constant(t, Op.CONSTANT, list(struct.unpack(f"<{len(raw) // 4}I", raw)))

    def make_constant(self, t: DType, opcode: int, words: list[int]) -> int:
        key = ("constant", t, opcode, *words)
        if key not in self.known:
            type_ = self.type(t)
            self.known[key] = self.new()
            self.globals += [(3 + len(words)) << 16 | opcode, type_, self.known[key], *words]
        return self.known[key]

    def specialization(self, number: int) -> int:
        """A u32 that the pipeline chooses; 1 until then."""
        type_, result = self.type(dtypes.u32), self.new()
        self.globals += [4 << 16 | Op.SPEC_CONSTANT, type_, result, 1]
        self.decorate(result, 1, number)
        return result

    def composite(self, type_: int, parts: list[int]) -> int:
        """A constant of specialization constants."""
        result = self.new()
        self.globals += [(3 + len(parts)) << 16 | Op.SPEC_CONSTANT_COMPOSITE, type_, result, *parts]
        return result

    def variable(self, type_: int, storage: int) -> int:
        pointer, result = self.pointer(storage, type_), self.new()
        self.globals += [4 << 16 | Op.VARIABLE, pointer, result, storage]
        self.interface.append(result)
        return result

    def words(self, main: int, code: list[int]) -> bytes:
        """All of it."""
        extended, name = text_words("GLSL.std.450"), text_words("main")
        extensions: list[int] = []
        for each in sorted(self.extensions):
            words = text_words(each)
            extensions += [(1 + len(words)) << 16 | Op.EXTENSION, *words]
        parts = (
            [0x07230203, 0x00010500, 0, self.bound + 1, 0],
            [word for each in sorted(self.capabilities) for word in (2 << 16 | Op.CAPABILITY, each)],
            extensions,
            [(2 + len(extended)) << 16 | Op.EXT_INST_IMPORT, self.mathematics, *extended],
            [3 << 16 | Op.MEMORY_MODEL, 5348, 1],  # 64-bit addresses, GLSL's memory model
            [(3 + len(name) + len(self.interface)) << 16 | Op.ENTRY_POINT, 5, main, *name, *self.interface],
            self.decorations,
            self.globals,
            code,
        )
        return b"".join(struct.pack(f"<{len(part)}I", *part) for part in parts)
