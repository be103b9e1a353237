"""How the arguments of a kernel written in Python lie in memory."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Self

from unified_gpu.kernels.compiler.ir import Function
from unified_gpu.kernels.compiler.spirv.values import passed_type


@dataclass(frozen=True, slots=True)
class ArgumentLayout:
    """The places of a kernel's arguments.

    Attributes:
        packer: of all of them, in the order of `Function.fields`.
        offsets: where each begins, in bytes.
        is_widened: whether numbers are passed as wider ones than they are, so that `packer` takes what does not fit.
    """

    packer: struct.Struct
    offsets: list[int]
    is_widened: bool

    @classmethod
    def of(cls, function: Function, *, pushed: bool) -> Self:
        """The layout of a C struct, or, when they are `pushed`, of the push constants of Vulkan."""
        codes, offsets = "=", []  # not "@", which makes infinity of a number that is too large
        fields = function.fields()
        for field in fields:
            code = passed_type(field).format if pushed else field.code
            size = struct.calcsize(f"={code}")
            codes += "x" * (-struct.calcsize(codes) % size)
            offsets.append(struct.calcsize(codes))
            codes += code
        numbers = [field for field in fields if not field.is_pointer]
        widened = pushed and any(passed_type(field) is not field.dtype for field in numbers)
        return cls(struct.Struct(codes), offsets, widened)
