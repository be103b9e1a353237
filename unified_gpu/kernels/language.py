"""The names that kernels are written with: types of parameters, and functions that only mean something in a kernel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

from unified_gpu.dtypes import DType, as_dtype
from unified_gpu.errors import with_article
from unified_gpu.structs import Struct, is_struct

from .intrinsic_docs import DOCS


@dataclass(frozen=True, slots=True)
class ArrayType:
    """What a parameter's annotation says of an array; what it leaves out is taken from the argument.

    Attributes:
        dtype: of the elements; None for any.
        ndim: how many axes; None for any number.
        struct: of the elements, where they are structs.
    """

    dtype: DType | None = None
    ndim: int | None = None
    struct: type[Struct] | None = None

    @property
    def fields(self) -> dict[str, ArrayType]:
        """The arrays that one of structs is passed as: one for each of their fields."""
        numbers = {} if self.struct is None else self.struct.fields
        return {name: ArrayType(dtype, self.ndim) for name, dtype in numbers.items()}

    def takes(self, dtype: DType, ndim: int) -> bool:
        """Whether an array of a dtype and some axes is one."""
        return self.dtype in (None, dtype) and self.ndim in (None, ndim)

    def __str__(self) -> str:
        elements = self.dtype if self.struct is None else self.struct.__name__
        parts = [str(part) for part in (elements, self.ndim) if part is not None]
        return f"Array[{', '.join(parts)}]" if parts else "Array"


class Array:
    """The annotation of an array: `Array[f32, 2]`; `Array[f32, ...]` has any number of axes, `Array` also any dtype.

    Its elements are structs where a class of `Struct` stands in place of the dtype.

    `Array[f32]` is `Array[f32, ...]`, and `Array[Any, ...]` is `Array`: type checkers know those with two items.
    """

    def __class_getitem__(cls, key: object) -> ArrayType:
        dtype, ndim = key if isinstance(key, tuple) and len(key) == 2 else (key, ...)
        ndim = None if ndim is ... else ndim
        if ndim is not None and (not isinstance(ndim, int) or ndim < 1):
            raise TypeError(f"Array[dtype, axes] has a number of axes of at least 1, not {ndim!r}")
        if is_struct(dtype):
            return ArrayType(None, ndim, dtype)
        return ArrayType(None if dtype is Any else as_dtype(dtype), ndim)


class Intrinsic:
    """A function that can be called only in a kernel.

    Attributes:
        name: as kernels call it.
        kind: id, lane, subgroup, block, atomic, shared, barrier, uniform or math.
    """

    def __init__(self, name: str, kind: str) -> None:
        self.name = name
        self.kind = kind
        self.__doc__ = DOCS.get(name)  # `help(global_id)` shows it

    def __call__(self, *arguments: Any) -> NoReturn:
        raise TypeError(f"{self.name}() can be called only in a kernel")

    def __repr__(self) -> str:
        return f"<{self.name} of kernels>"


class DeviceFunction:
    """A function that kernels call; `@device` makes it. Its types are those of each call's arguments."""

    def __init__(self, python: Callable[..., Any]) -> None:
        self.python = python
        self.name = python.__name__
        self.__doc__ = python.__doc__

    def __call__(self, *arguments: Any) -> NoReturn:
        raise TypeError(f"{self.name}() is a device function, and can be called only in a kernel")

    def __repr__(self) -> str:
        return f"<device function {self.name}>"


def device(python: Callable[..., Any]) -> DeviceFunction:
    """Make a function callable in kernels.

    Raises:
        TypeError: for anything but a function.
    """
    if not hasattr(python, "__code__"):
        raise TypeError(f"@device decorates a function, not {with_article(type(python).__name__)}")
    return DeviceFunction(python)


global_id, local_id, group_id, local_size, global_size, group_count = (
    Intrinsic(name, "id") for name in ("global_id", "local_id", "group_id", "local_size", "global_size", "group_count")
)
"""Of this thread along an axis: its number in all, in its block, its block's; then how many there are of each."""

barrier = Intrinsic("barrier", "barrier")
"""All threads of a block wait here for each other."""
shared = Intrinsic("shared", "shared")
"""`shared(dtype, shape)`: an array that the threads of a block have in common."""
local = Intrinsic("local", "shared")
"""`local(dtype, shape)`: an array that each thread has for itself."""
uniform = Intrinsic("uniform", "uniform")
"""`uniform(value)` is the value, and says that all threads of the block have the same there."""
atomic_add, atomic_min, atomic_max, atomic_and, atomic_or, atomic_xor, atomic_exchange, atomic_cas = (
    Intrinsic(f"atomic_{name}", "atomic") for name in ("add", "min", "max", "and", "or", "xor", "exchange", "cas")
)
"""`atomic_add(array, index, value)` changes an element, and gives what it was."""
subgroup_size, subgroup_count, subgroup_id, lane_id = (
    Intrinsic(name, "lane") for name in ("subgroup_size", "subgroup_count", "subgroup_id", "lane_id")
)
"""Threads of a subgroup, subgroups of a block, which of them this thread is in, and its number in it."""
subgroup_sum, subgroup_min, subgroup_max, subgroup_any, subgroup_all, subgroup_ballot = (
    Intrinsic(f"subgroup_{name}", "subgroup") for name in ("sum", "min", "max", "any", "all", "ballot")
)
"""`subgroup_sum(value)` gives each thread of a subgroup the sum of what its threads give."""
subgroup_shuffle, subgroup_shuffle_up, subgroup_shuffle_down, subgroup_shuffle_xor = (
    Intrinsic(f"subgroup_shuffle{name}", "subgroup") for name in ("", "_up", "_down", "_xor")
)
"""`subgroup_shuffle(value, lane)` gives each thread of a subgroup the value of another."""
block_sum, block_min, block_max, block_any, block_all = (
    Intrinsic(f"block_{name}", "block") for name in ("sum", "min", "max", "any", "all")
)
"""`block_sum(value)` gives each thread of a block the sum of what its threads give."""
rsqrt = Intrinsic("rsqrt", "math")
"""1 / sqrt(x)."""
bits_of, float_of, floor_of, power_of = (Intrinsic(f"{name}_of", "math") for name in "bits float floor power".split())
"""For `mathematics` only: the bits of an f32 or f64 as a u32 or u64, the reverse, `floor` as a fraction, and the powers
of numbers above 0 alone."""
