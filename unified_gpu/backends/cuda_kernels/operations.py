"""The built-in operations of the CUDA backend: which kernel, with which grid and arguments."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sequence
from functools import lru_cache
from threading import RLock
from typing import Any, Protocol
from weakref import WeakKeyDictionary

from unified_gpu.backends.cuda_kernels import Family, source
from unified_gpu.backends.protocols import BinaryOp, Operand, ReduceOp, UnaryOp
from unified_gpu.dtypes import DType, Number, bool_

_THREADS = 256
_BLOCK = (_THREADS, 1, 1)
_TILE = 64  # of a product of matrices; see matmul.cu
_MOST_AXES = 8  # see numbers.cuh
_SCRATCH_BYTES = 1 << 19
_MOST_CHUNKS = _SCRATCH_BYTES // 8
_WORTH_A_CHUNK = 2048
"""Elements; dividing fewer among blocks costs more than it brings."""
_FOR_ONE_THREAD = 64
"""Elements; dividing fewer among threads does."""

_NO_NUMBER = {size: bytes(size) for size in (1, 2, 4, 8)}

Shape = tuple[int, ...]
_UNARY = struct.Struct("=QQq")
_BINARY = struct.Struct("=QQQq")
_WHERE = struct.Struct("=QQQQq")
_FILL = struct.Struct("=Qq")
_REDUCE = struct.Struct("=QQQqqq")
_CHUNKS = struct.Struct("=QQqqq")
_MATMUL = struct.Struct("=QQQ8q")


class KernelLauncher(Protocol):
    """What the operations need of a device."""

    def load_kernels(self, source: str, name: str) -> Callable[[str], Any]: ...
    def launch(
        self,
        kernel: Any,
        grid: Sequence[int],
        block: Sequence[int],
        shared_bytes: int,
        arguments: bytes,
        offsets: Sequence[int],
        stream: Any,
    ) -> None: ...
    def allocate(self, size_bytes: int) -> Any: ...


class Operations:
    """The operations of one device, whose kernels are compiled when they are first used."""

    def __init__(self, launcher: KernelLauncher, multiprocessors: int) -> None:
        self._launcher = launcher
        self._blocks = 16 * multiprocessors
        """As many as keep the device busy; each does several elements when there are more."""
        self._kernels: dict[tuple[Family, DType | None, str], Any] = {}
        self._families: dict[tuple[Family, DType | None], Callable[[str], Any]] = {}
        self._scratch: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()
        self._loading = RLock()  # a finalizer or a signal handler may come between, and compute something

    def fill(self, out: Operand, value: Number, stream: Any) -> None:
        bits = out.dtype.pack(value)
        name = f"fill_u{8 * len(bits)}"
        size = math.prod(out.shape)
        self._launch("select", None, name, size, _FILL.pack(_address(out), size) + bits, (0, 8, 16), stream)

    def assign(self, out: Operand, x: Operand | Number, stream: Any) -> None:
        size, width = math.prod(out.shape), out.dtype.size
        number = bytes(width) if isinstance(x, Operand) else out.dtype.pack(x)
        layout = strided_layout(out.shape, out.strides, _strides(x)) or _layout((size,), ((1,), (1,)))
        arguments = _UNARY.pack(_address(out), _address(x), size) + layout + number
        offsets = (0, 8, 16, 24 + len(layout), 24)
        self._launch("select", None, f"assign_u{8 * width}_strided", size, arguments, offsets, stream)

    def cast(self, out: Operand, x: Operand, stream: Any) -> None:
        self._map("cast", x.dtype, f"to_{_name(out.dtype)}", out, x, stream)

    def unary(self, op: UnaryOp, out: Operand, x: Operand, stream: Any) -> None:
        self._map("unary", x.dtype, op, out, x, stream)

    def _map(self, family: Family, dtype: DType, name: str, out: Operand, x: Operand, stream: Any) -> None:
        size = math.prod(out.shape)
        arguments = _UNARY.pack(_address(out), _address(x), size)
        layout = strided_layout(out.shape, x.strides)
        if layout is None:
            self._launch(family, dtype, f"{name}_flat", size, arguments, (0, 8, 16), stream)
        else:
            self._launch(family, dtype, f"{name}_strided", size, arguments + layout, (0, 8, 16, 24), stream)

    def binary(self, op: BinaryOp, out: Operand, a: Operand | Number, b: Operand | Number, stream: Any) -> None:
        if isinstance(a, Operand):
            dtype = a.dtype
            number = _NO_NUMBER[dtype.size] if isinstance(b, Operand) else dtype.pack(b)
        else:
            assert isinstance(b, Operand), "one of a and b is an array"
            dtype = b.dtype
            number = dtype.pack(a)
        size = math.prod(out.shape)
        arguments = _BINARY.pack(_address(out), _address(a), _address(b), size)
        layout = strided_layout(out.shape, _strides(a), _strides(b))
        if layout is None:
            self._launch("binary", dtype, f"{op}_flat", size, arguments + number, (0, 8, 16, 24, 32), stream)
        else:
            offsets = (0, 8, 16, 24, 32 + len(layout), 32)
            self._launch("binary", dtype, f"{op}_strided", size, arguments + layout + number, offsets, stream)

    def where(self, out: Operand, condition: Operand, a: Operand | Number, b: Operand | Number, stream: Any) -> None:
        size, width = math.prod(out.shape), out.dtype.size
        numbers = b"".join(bytes(width) if isinstance(x, Operand) else out.dtype.pack(x) for x in (a, b))
        arguments = _WHERE.pack(_address(out), _address(condition), _address(a), _address(b), size)
        layout = strided_layout(out.shape, condition.strides, _strides(a), _strides(b)) or b""
        end = 40 + len(layout)
        offsets = (0, 8, 16, 24, 32, end, end + width, *((40,) if layout else ()))
        name = f"where_u{8 * width}_{'strided' if layout else 'flat'}"
        self._launch("select", None, name, size, arguments + layout + numbers, offsets, stream)

    def matmul(self, out: Operand, a: Operand, b: Operand, stream: Any) -> None:
        arguments = _MATMUL.pack(_address(out), _address(a), _address(b), *a.shape, *a.strides, *b.shape, *b.strides)
        rows, columns = out.shape
        grid = (-(-rows // _TILE) * -(-columns // _TILE), 1, 1)
        if grid[0]:
            kernel = self._kernel("matmul", out.dtype, "matmul")
            self._launcher.launch(kernel, grid, _BLOCK, 0, arguments, (0, 8, 16, 24, 56), stream)

    def reduce(self, op: ReduceOp, out: Operand, x: Operand, axis: int | None, stream: Any) -> None:
        plan = plan_reduction(x.shape, x.strides, axis, self._blocks)
        if plan.kept == 0:
            return
        kernel = self._kernel("reduce", x.dtype, f"{op}_{'columns' if plan.by_columns else 'rows'}")
        grid = (min(plan.blocks, 0x7FFFFFFF), 1, 1)
        offsets = (0, 8, 16, 24, 32, 40, 48, 48 + len(plan.outer))

        def start(partial: int) -> None:
            sizes = (plan.kept, plan.length, plan.chunks)
            arguments = _REDUCE.pack(_address(out), partial, _address(x), *sizes) + plan.outer + plan.inner
            self._launcher.launch(kernel, grid, _BLOCK, 0, arguments, offsets, stream)

        if plan.chunks == 1:
            start(0)
            return
        finish = self._kernel("reduce", x.dtype, f"{op}_chunks")
        scratch = self._scratch.pop(stream, None) or self._launcher.allocate(_SCRATCH_BYTES)
        partial = int(scratch.pointer())  # ours alone until both are queued
        start(partial)
        arguments = _CHUNKS.pack(_address(out), partial, plan.kept, plan.length, plan.chunks)
        grid = (min(plan.kept, self._blocks), 1, 1)
        self._launcher.launch(finish, grid, _BLOCK, 0, arguments, (0, 8, 16, 24, 32), stream)
        self._scratch[stream] = scratch  # for the next one there; it goes when the stream does

    def _launch(
        self, family: Family, dtype: DType | None, name: str, size: int, arguments: bytes, offsets: Shape, stream: Any
    ) -> None:
        if size:
            kernel = self._kernels.get((family, dtype, name)) or self._kernel(family, dtype, name)
            blocks = min(-(-size // _THREADS), self._blocks)
            self._launcher.launch(kernel, (blocks, 1, 1), _BLOCK, 0, arguments, offsets, stream)

    def _kernel(self, family: Family, dtype: DType | None, name: str) -> Any:
        kernel = self._kernels.get((family, dtype, name))
        if kernel is None:
            with self._loading:
                find = self._families.get((family, dtype))
                if find is None:
                    title = f"{family} of {dtype}" if dtype else family
                    find = self._families[family, dtype] = self._launcher.load_kernels(source(family, dtype), title)
                kernel = self._kernels[family, dtype, name] = find(name)
        return kernel


class ReductionPlan:
    """How a reduction is divided: `kept` results of `length` elements, each in `chunks`; see reduce.cuh."""

    __slots__ = ("blocks", "by_columns", "chunks", "inner", "kept", "length", "outer")

    def __init__(self, outer: Shape, outer_strides: Shape, inner: Shape, inner_strides: Shape, wanted: int) -> None:
        self.kept, self.length = math.prod(outer), math.prod(inner)
        self.outer = _layout(*_merged(outer, (outer_strides,)))
        self.inner = _layout(*_merged(inner, (inner_strides,)))
        step = inner_strides[-1] if inner_strides else 1
        side_by_side = outer_strides[-1] < step if outer_strides else False
        self.by_columns = side_by_side or self.length <= _FOR_ONE_THREAD
        busy = wanted * _THREADS if self.by_columns else wanted
        worth = self.length // (_FOR_ONE_THREAD if self.by_columns else _WORTH_A_CHUNK)
        self.chunks = max(1, min(busy // max(1, self.kept), worth, _MOST_CHUNKS // max(1, self.kept)))
        tasks = self.kept * self.chunks
        self.blocks = -(-tasks // _THREADS) if self.by_columns else tasks


@lru_cache(maxsize=512)
def plan_reduction(shape: Shape, strides: Shape, axis: int | None, blocks: int) -> ReductionPlan:
    """The plan for reducing an operand along an axis, or over all for None, on a device that `blocks` keep busy."""
    if axis is None:
        return ReductionPlan((), (), shape, strides, blocks)
    outer = shape[:axis] + shape[axis + 1 :]
    outer_strides = strides[:axis] + strides[axis + 1 :]
    return ReductionPlan(outer, outer_strides, (shape[axis],), (strides[axis],), blocks)


@lru_cache(maxsize=2048)
def strided_layout(shape: Shape, *strides: Shape | None) -> bytes | None:
    """The Layout of numbers.cuh for arrays of one shape; None when all of them are contiguous.

    Args:
        shape: of all of them.
        strides: of each, or None for a number, which has no place.

    Raises:
        ValueError: when they have more than 8 axes that cannot be seen as fewer.
    """
    merged, merged_strides = _merged(shape, tuple(one for one in strides if one is not None))
    if len(merged) <= 1 and all(one in ((), (1,)) for one in merged_strides):
        return None
    left = iter(merged_strides)
    return _layout(merged, tuple((0,) * len(merged) if one is None else next(left) for one in strides))


def _merged(shape: Shape, strides: tuple[Shape, ...]) -> tuple[Shape, tuple[Shape, ...]]:
    """The same arrays with as few axes as possible: without those of length 1, and neighbours made one."""
    axes: list[tuple[int, Shape]] = []
    for axis, size in enumerate(shape):
        if size == 1:
            continue
        steps = tuple(one[axis] for one in strides)
        if axes and axes[-1][1] == tuple(step * size for step in steps):
            axes[-1] = (axes[-1][0] * size, steps)
        else:
            axes.append((size, steps))
    return tuple(size for size, _ in axes), tuple(tuple(steps[i] for _, steps in axes) for i in range(len(strides)))


def _layout(shape: Shape, strides: tuple[Shape, ...]) -> bytes:
    if len(shape) > _MOST_AXES:
        raise ValueError(f"arrays of {len(shape)} axes in such an order cannot be used; copy them to contiguous ones")
    rows = [shape, *strides]
    return struct.pack("=q", len(shape)) + b"".join(struct.pack("=8q", *_padded(row)) for row in rows)


def _padded(row: Shape) -> Shape:
    return row + (0,) * (_MOST_AXES - len(row))


def _address(x: Operand | Number) -> int:
    return int(x.memory.pointer()) + x.offset if isinstance(x, Operand) else 0


def _strides(x: Operand | Number) -> Shape | None:
    return x.strides if isinstance(x, Operand) else None


def _name(dtype: DType) -> str:
    return "boolean" if dtype is bool_ else dtype.name
