"""NumPy arrays on the CPU device, for tests that compare the two."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

NUMBERS = ("f16", "f32", "f64", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64")
FLOATS = ("f16", "f32", "f64")
INTEGERS = tuple(name for name in NUMBERS if name not in FLOATS)
ALL = (*NUMBERS, "bool")


def numpy_dtype(name: str) -> np.dtype[Any]:
    return np.dtype(name if name == "bool" else f"{name[0]}{int(name[1:]) // 8}")


def name_of(dtype: np.dtype[Any]) -> str:
    return "bool" if dtype == np.bool_ else f"{dtype.kind}{8 * dtype.itemsize}"


class Session:
    """One stream, and operations on it that take and give NumPy arrays, views of any strides as they are."""

    def __init__(self, cpu: Any) -> None:
        self.cpu = cpu
        self.stream = cpu.stream_create()

    def dtype(self, dtype: np.dtype[Any]) -> Any:
        return self.cpu.DType[name_of(dtype).upper()]

    def place(self, array: Array) -> tuple[Any, int, list[int]]:
        """Memory, offset and strides of a copy of all that the array is a view of."""
        base = array
        while isinstance(base.base, np.ndarray):
            base = base.base
        memory = self.cpu.malloc(base.nbytes)
        self.cpu.memcpy_host_to_device_async(memory, base if base.flags.c_contiguous else base.T, self.stream)
        offset = array.__array_interface__["data"][0] - base.__array_interface__["data"][0]
        return memory, offset, [stride // array.itemsize for stride in array.strides]

    def source(self, value: Any, dtype: np.dtype[Any]) -> tuple[Any, int, list[int], bytes]:
        if isinstance(value, np.ndarray):
            return (*self.place(value), b"")
        return None, 0, [], np.array(value, dtype).tobytes()

    def read(self, memory: Any, dtype: np.dtype[Any], shape: tuple[int, ...]) -> Array:
        result = np.empty(shape, dtype)
        if result.nbytes:
            self.cpu.memcpy_device_to_host_async(result.reshape(-1).view(np.uint8), memory, self.stream)
        self.stream.synchronize()
        return result

    def result(self, dtype: np.dtype[Any], shape: tuple[int, ...]) -> Any:
        return self.cpu.malloc(int(np.prod(shape)) * dtype.itemsize)

    def unary(self, op: str, x: Array) -> Array:
        out = self.result(x.dtype, x.shape)
        operation = self.cpu.UnaryOp[op.upper()]
        self.cpu.unary(operation, self.dtype(x.dtype), out, 0, *self.place(x), x.shape, self.stream)
        return self.read(out, x.dtype, x.shape)

    def binary(self, op: str, a: Any, b: Any) -> Array:
        array = a if isinstance(a, np.ndarray) else b
        dtype = np.dtype(bool) if op in ("eq", "ne", "lt", "le", "gt", "ge") else array.dtype
        out = self.result(dtype, array.shape)
        sources = (*self.source(a, array.dtype), *self.source(b, array.dtype))
        operation = self.cpu.BinaryOp[op.upper()]
        self.cpu.binary(operation, self.dtype(array.dtype), out, 0, *sources, array.shape, self.stream)
        return self.read(out, dtype, array.shape)

    def where(self, condition: Array, a: Any, b: Any, dtype: np.dtype[Any]) -> Array:
        out = self.result(dtype, condition.shape)
        sources = (*self.place(condition), *self.source(a, dtype), *self.source(b, dtype))
        self.cpu.where(self.dtype(dtype), out, 0, *sources, condition.shape, self.stream)
        return self.read(out, dtype, condition.shape)

    def assign(self, out: Array, x: Any) -> Array:
        """The base of `out` after the assignment of `x`, an array of the same shape or a number, to `out`."""
        memory, offset, strides = self.place(out)
        dtype = self.dtype(out.dtype)
        self.cpu.assign(dtype, memory, offset, strides, *self.source(x, out.dtype), out.shape, self.stream)
        base = out.base if isinstance(out.base, np.ndarray) else out
        return self.read(memory, base.dtype, base.shape)

    def cast(self, x: Array, dtype: np.dtype[Any]) -> Array:
        out = self.result(dtype, x.shape)
        self.cpu.cast(self.dtype(dtype), out, 0, self.dtype(x.dtype), *self.place(x), x.shape, self.stream)
        return self.read(out, dtype, x.shape)

    def reduce(self, op: str, x: Array, axis: int | None, dtype: np.dtype[Any]) -> Array:
        shape = () if axis is None else tuple(size for i, size in enumerate(x.shape) if i != axis)
        out = self.result(dtype, shape)
        operation = self.cpu.ReduceOp[op.upper()]
        self.cpu.reduce(operation, self.dtype(x.dtype), out, 0, *self.place(x), x.shape, axis, self.stream)
        return self.read(out, dtype, shape)

    def matmul(self, a: Array, b: Array) -> Array:
        shape = (a.shape[0], b.shape[1])
        out = self.result(a.dtype, shape)
        sizes = (a.shape[0], a.shape[1], b.shape[1])
        self.cpu.matmul(self.dtype(a.dtype), out, 0, *self.place(a), *self.place(b), *sizes, self.stream)
        return self.read(out, a.dtype, shape)


def samples(name: str, shape: tuple[int, ...], seed: int = 0) -> Array:
    """Numbers of all sizes; of floats none that overflow when multiplied."""
    generator = np.random.default_rng(seed)
    dtype = numpy_dtype(name)
    if dtype.kind == "f":
        return (generator.standard_normal(shape) * 10).astype(dtype)
    if dtype.kind == "b":
        return generator.integers(0, 2, shape).astype(dtype)
    limits = np.iinfo(dtype)
    values = generator.integers(limits.min, limits.max, shape, dtype, endpoint=True)
    return np.where(generator.random(shape) < 0.5, values, values % 5).astype(dtype)


def units_apart(got: Array, wanted: Array) -> float:
    """The largest difference to f64 values, in units in the last place of `got`'s dtype."""
    rounded = wanted.astype(got.dtype)
    same = (got == rounded) | (np.isnan(got) & np.isnan(rounded))
    spacing = np.spacing(np.abs(np.where(np.isfinite(rounded), rounded, 1)).astype(got.dtype)).astype("f8")
    with np.errstate(invalid="ignore"):
        apart = np.abs(got.astype("f8") - wanted) / spacing
    return float(np.max(np.where(same, 0, np.where(np.isfinite(apart), apart, np.inf)), initial=0))
