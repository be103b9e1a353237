"""What a kernel takes, which values are passed for it, and where each of them lies; knows no arrays of the runtime."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from dataclasses import dataclass

from unified_gpu import dtypes
from unified_gpu.dtypes import DType

MOST = 2**31 - 2**20
"""More threads or elements along one axis cannot be passed to a kernel, so that a little more is still an i32."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a kernel.

    Attributes:
        dtype: of the number, or of what the pointer points to; None for `void *`, which takes every dtype.
        pointer: whether it takes an array.
        lanes: how many elements the pointer points to at once: 4 for `float4 *`.
        axes: of an array whose lengths are passed too, as to kernels written in Python.
        strided: whether its strides are as well.
    """

    name: str
    dtype: DType | None
    pointer: bool = False
    lanes: int = 1
    axes: int = 0
    strided: bool = False

    def __str__(self) -> str:
        times = f"x{self.lanes}" if self.lanes > 1 else ""
        return f"{self.dtype or 'void'}{times}{' *' if self.pointer else ' '}{self.name}"

    @property
    def fields(self) -> list[Field]:
        """The values that are passed for it: of an array the address, then its lengths, then its strides."""
        lengths = [Field(f"{self.name}.n{axis}", dtypes.i32) for axis in range(self.axes)]
        strides = [Field(f"{self.name}.s{axis}", dtypes.i64) for axis in range(self.axes if self.strided else 0)]
        return [Field(self.name, self.dtype or dtypes.u8, self.pointer), *lengths, *strides]


@dataclass(frozen=True, slots=True)
class Field:
    """One value that is passed: an address (`dtype` is that of the elements), or a number."""

    name: str
    dtype: DType
    is_pointer: bool = False

    @property
    def passed(self) -> DType:
        """The type that it is passed as: u64 for addresses."""
        return dtypes.u64 if self.is_pointer else self.dtype

    @property
    def pushed(self) -> DType:
        """The same over Vulkan, where narrow numbers take 4 bytes."""
        dtype = self.passed
        if dtype.size < 4:
            return dtypes.f32 if dtype.is_float else dtypes.i32 if dtype.kind == "int" else dtypes.u32
        return dtype


class ArgumentLayout:
    """The places of the values that are passed: those of a C struct, or, when pushed, of the push constants of Vulkan.

    Attributes:
        places: each value, the type that it is passed as, and where it begins, in bytes.
        offsets: where each begins.
        packer: of all of them.
        size: of all of them, in bytes.
        is_pushed: whether they are push constants.
        is_widened: whether numbers are passed as wider ones than they are, so that `packer` takes what does not fit.
    """

    def __init__(self, fields: Iterable[Field], *, is_pushed: bool = False) -> None:
        self.places: list[tuple[Field, DType, int]] = []
        codes = "="  # not "@", which makes infinity of a number that is too large
        for field in fields:
            dtype = field.pushed if is_pushed else field.passed
            codes += "x" * (-struct.calcsize(codes) % dtype.size)
            self.places.append((field, dtype, struct.calcsize(codes)))
            codes += dtype.format
        self.offsets = [at for _, _, at in self.places]
        self.packer = struct.Struct(codes)
        self.size = self.packer.size
        self.is_pushed = is_pushed
        self.is_widened = any(dtype is not field.passed for field, dtype, _ in self.places)
