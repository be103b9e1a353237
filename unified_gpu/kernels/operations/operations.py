"""The operations of a device that takes kernels as modules: which kernel, over which axes, with which arguments."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import product as pairs
from typing import Any

from unified_gpu import dtypes
from unified_gpu.backends.protocols import BinaryOp, Memory, ModuleDevice, Operand, ReduceOp, UnaryOp
from unified_gpu.dtypes import DType, Number
from unified_gpu.errors import KernelSourceError
from unified_gpu.kernels.arguments.layout import ArgumentLayout
from unified_gpu.kernels.compiler.spirv.values import pushed
from unified_gpu.kernels.decorated.definition import PythonKernel
from unified_gpu.kernels.decorated.modules import compile_module
from unified_gpu.kernels.decorated.sizes import launch_sizes

from . import formulas, templates
from .axes import inner_of, merged, part_of

_BLOCK = 256
_PIECE = (1 << 15, 1 << 15, 1 << 23)
"""Threads of a launch along each axis: a device need not run more than 65,535 blocks."""
_PARTS = 4096
"""Threads that share a reduction to one element."""
_TURNS = 1 << 15
"""How often the loops of a thread turn at most: Mesa's lavapipe ends them all after 65,535 turns, and says nothing."""
_LEAST_OF_TILES = 64
"""Rows, columns and products from which on a product is computed in tiles: their kernel takes a second to compile."""

Argument = Operand | tuple[DType, Number]


@dataclass(frozen=True, slots=True)
class _Compiled:
    handle: Any
    layout: ArgumentLayout
    rank: int


class PythonOperations:
    """The operations of a device that has none of its own: `ArrayOperations`."""

    def __init__(self, device: ModuleDevice) -> None:
        self._device = device
        self._has_f64 = device.has_f64
        self._compiled: dict[Any, _Compiled] = {}

    # --- elementwise

    def assign(self, out: Operand, x: Operand | Number, stream: Any) -> None:
        if isinstance(x, Operand):
            self._each(templates.converted(_bits(out.dtype)), [_as_bits(out), _as_bits(x)], stream)
        else:
            value = _number(out.dtype, x)
            self._each((templates.number_in_order, templates.number_strided), [out, (out.dtype, value)], stream)

    def cast(self, out: Operand, x: Operand, stream: Any) -> None:
        if out.dtype is x.dtype:
            self.assign(out, x, stream)
        else:
            self._each(templates.converted(out.dtype), [out, x], stream)

    def unary(self, op: UnaryOp, out: Operand, x: Operand, stream: Any) -> None:
        self._each(templates.unary(formulas.UNARY[op], _wide(x.dtype)), [out, x], stream)

    def binary(self, op: BinaryOp, out: Operand, a: Operand | Number, b: Operand | Number, stream: Any) -> None:
        dtype = a.dtype if isinstance(a, Operand) else b.dtype if isinstance(b, Operand) else out.dtype
        formula = formulas.BINARY[op]
        if not dtype.is_float:
            formula = formulas.OF_WHOLE_NUMBERS.get(op, formula)
        both = templates.binary(formula, _wide(dtype), isinstance(a, Operand), isinstance(b, Operand))
        self._each(both, [out, _argument(dtype, a), _argument(dtype, b)], stream)

    def where(self, out: Operand, condition: Operand, a: Operand | Number, b: Operand | Number, stream: Any) -> None:
        choices: list[Argument] = []
        with ExitStack() as temporary:
            for value in (a, b):
                if not isinstance(value, Operand):
                    memory = self._allocate(out.dtype.size, temporary, stream)
                    self._device.fill(Operand(memory, 0, out.dtype, (), ()), value, stream)
                    value = Operand(memory, 0, out.dtype, out.shape, (0,) * len(out.shape))
                choices.append(_as_bits(value))
            both = templates.select_in_order, templates.select_strided
            self._each(both, [_as_bits(out), condition, *choices], stream)

    def _allocate(self, size_bytes: int, temporary: ExitStack, stream: Any) -> Memory:
        """Memory that is released with `temporary`: the device does so after the work that uses it."""
        memory = self._device.allocate(size_bytes)
        temporary.callback(self._device.release, memory, stream)
        return memory

    def _each(self, both: tuple[PythonKernel, PythonKernel], arguments: Sequence[Argument], stream: Any) -> None:
        """Run a kernel for each element; the first argument is the output."""
        shape, strides = merged([each for each in arguments if isinstance(each, Operand)])
        rows = iter(strides)
        views = [
            replace(each, shape=shape, strides=next(rows)) if isinstance(each, Operand) else each for each in arguments
        ]
        if len(shape) == 1 and all(row == (1,) for row in strides):
            for start in range(0, shape[0], _PIECE[2]):
                part = [part_of(each, (start,), (_PIECE[2],)) for each in views]
                self._run(both[0], part[0].shape, part, stream, strided=False)
            return
        for outer in pairs(*map(range, shape[:-3])):
            inner = [inner_of(each, outer) for each in views]
            sizes = inner[0].shape
            for starts in pairs(*(range(0, n, piece) for n, piece in zip(sizes, _PIECE, strict=True))):
                part = [part_of(each, starts, _PIECE) for each in inner]
                self._run(both[1], part[0].shape, part, stream, strided=True)

    # --- products and reductions

    def matmul(self, out: Operand, a: Operand, b: Operand, stream: Any) -> None:
        wide = dtypes.f64 if out.dtype is dtypes.f64 else dtypes.f32
        if a.shape[1] > _TURNS:
            self._long_products(out, a, b, wide, stream)
            return
        for rows in range(0, out.shape[0], _PIECE[0]):
            left = part_of(a, (rows, 0), (_PIECE[0], a.shape[1]))
            piece = part_of(out, (rows, 0), (_PIECE[0], out.shape[1]))
            kernel, sizes = templates.product, piece.shape
            if min(*sizes, a.shape[1]) >= _LEAST_OF_TILES:
                kernel, sizes = templates.product_of_tiles, tuple(-(-n // templates.TILE) for n in sizes)
            self._run(kernel, sizes, [piece, left, b, (wide, 0.0)], stream, strided=True)

    def _long_products(self, out: Operand, a: Operand, b: Operand, wide: DType, stream: Any) -> None:
        """Of rows and columns in pieces, which are added up."""
        (rows, length), columns = a.shape, b.shape[1]
        pieces = -(-length // _TURNS)
        with ExitStack() as temporary:
            memory = self._allocate(pieces * rows * columns * wide.size, temporary, stream)
            partial = Operand(memory, 0, wide, (pieces, rows, columns), (rows * columns, columns, 1))
            for piece in range(pieces):
                left = part_of(a, (0, piece * _TURNS), (rows, _TURNS))
                right = part_of(b, (piece * _TURNS, 0), (_TURNS, columns))
                target = part_of(partial, (piece, 0, 0), (1, rows, columns))
                self.matmul(replace(target, shape=(rows, columns), strides=(columns, 1)), left, right, stream)
            total = Operand(memory, 0, wide, (rows, columns), (columns, 1))  # each thread has read what it writes over
            self.reduce("sum", total, partial, 0, stream)
            self.cast(out, total, stream)

    def reduce(self, op: ReduceOp, out: Operand, x: Operand, axis: int | None, stream: Any) -> None:
        combine, is_mean, wide = formulas.COMBINED[op], op == "mean", self._reduced_as(op, out, x)
        count = math.prod(x.shape) if axis is None else x.shape[axis]
        with ExitStack() as temporary:
            if axis is None:
                x = self._flat(x, temporary, stream)
                size = x.shape[0]
                if size > _PARTS:
                    parts = max(_PARTS, -(-size // _TURNS))
                    memory = self._allocate(parts * wide.size, temporary, stream)
                    partial = Operand(memory, 0, wide, (parts,), (1,))
                    self._run(templates.parts(combine, wide), (parts,), [partial, x], stream, strided=False)
                    x, size = partial, parts
                x = replace(x, shape=(1, size, 1), strides=(0, 1, 0))
            else:
                x = self._three_axes(x, axis, temporary, stream)
            target = replace(out, shape=(x.shape[0], x.shape[2]), strides=(x.shape[2], 1))
            number = (wide, float(count) if wide.is_float else count if is_mean else 1)
            while x.shape[1] > _TURNS:
                x = self._shortened(templates.along(combine, wide, wide, False), x, number, temporary, stream)
            self._along(templates.along(combine, wide, out.dtype, is_mean), target, x, number, stream)

    def _along(self, kernel: PythonKernel, out: Operand, x: Operand, number: tuple[DType, Number], stream: Any) -> None:
        """Combine the second of three axes."""
        for rows in range(0, x.shape[0], _PIECE[0]):
            piece = part_of(out, (rows, 0), (_PIECE[0], x.shape[2]))
            views = [piece, part_of(x, (rows, 0, 0), (_PIECE[0], *x.shape[1:])), number]
            self._run(kernel, piece.shape, views, stream, strided=True)

    def _shortened(
        self, kernel: PythonKernel, x: Operand, number: tuple[DType, Number], temporary: ExitStack, stream: Any
    ) -> Operand:
        """The same with pieces of the second of three axes combined to one element each."""
        before, length, behind = x.shape
        pieces = -(-length // _TURNS)
        memory = self._allocate(before * pieces * behind * number[0].size, temporary, stream)
        steps = (pieces * behind, behind, 1)
        shorter = Operand(memory, 0, number[0], (before, pieces, behind), steps)
        for piece in range(pieces):
            target = part_of(shorter, (0, piece, 0), (before, 1, behind))
            target = replace(target, shape=(before, behind), strides=(steps[0], 1))
            part = part_of(x, (0, piece * _TURNS, 0), (before, _TURNS, behind))
            self._along(kernel, target, part, number, stream)
        return shorter

    def _reduced_as(self, op: ReduceOp, out: Operand, x: Operand) -> DType:
        """What a reduction is computed with: sums of floats with the most that the device has."""
        wide = x.dtype if op in ("max", "min") else out.dtype
        if wide.is_float and op in ("sum", "mean"):
            return dtypes.f64 if self._has_f64 else dtypes.f32
        return wide

    def _flat(self, x: Operand, temporary: ExitStack, stream: Any) -> Operand:
        """All elements in order, copied where they are not."""
        shape, (strides,) = merged([x])
        if len(shape) > 1 or strides != (1,):
            x = self._copied(x, temporary, stream)
        return replace(x, shape=(math.prod(x.shape),), strides=(1,))

    def _three_axes(self, x: Operand, axis: int, temporary: ExitStack, stream: Any) -> Operand:
        """Seen with what is before and behind an axis as one axis each; copied where that cannot be."""
        before, (first,) = merged([replace(x, shape=x.shape[:axis], strides=x.strides[:axis])])
        behind, (last,) = merged([replace(x, shape=x.shape[axis + 1 :], strides=x.strides[axis + 1 :])])
        if len(before) > 1 or len(behind) > 1:
            return self._three_axes(self._copied(x, temporary, stream), axis, temporary, stream)
        shape = before[0], x.shape[axis], behind[0]
        return replace(x, shape=shape, strides=(first[0], x.strides[axis], last[0]))

    def _copied(self, x: Operand, temporary: ExitStack, stream: Any) -> Operand:
        memory = self._allocate(math.prod(x.shape) * x.dtype.size, temporary, stream)
        steps = tuple(math.prod(x.shape[axis + 1 :]) for axis in range(len(x.shape)))
        copied = Operand(memory, 0, x.dtype, x.shape, steps)
        self.assign(copied, x, stream)
        return copied

    # --- launches

    def _run(
        self, kernel: PythonKernel, sizes: tuple[int, ...], arguments: Sequence[Argument], stream: Any, *, strided: bool
    ) -> None:
        types = tuple(
            (each.dtype, len(each.shape), strided) if isinstance(each, Operand) else each[0] for each in arguments
        )
        compiled = self._compiled.get((kernel, types)) or self._compile(kernel, types, len(sizes))
        values: list[Any] = []
        for each in arguments:
            if isinstance(each, Operand):
                values += [each.memory.pointer() + each.offset, *each.shape, *(each.strides if strided else ())]
            else:
                values.append(each[1])
        values += sizes[: len(compiled.layout.offsets) - len(values)]  # where they are passed
        blocks = launch_sizes(sizes, None, _BLOCK, True)
        grid, block = blocks.device_grid, blocks.device_block
        packed = compiled.layout.packer.pack(*values)
        if blocks.are_whole:
            self._device.launch_whole(compiled.handle, grid, block, packed, stream)
        else:
            self._device.launch(compiled.handle, grid, block, 0, packed, compiled.layout.offsets, stream)

    def _compile(self, kernel: PythonKernel, types: tuple[Any, ...], rank: int) -> _Compiled:
        if any(dtypes.bf16 in (each if isinstance(each, tuple) else (each,)) for each in types):
            raise NotImplementedError("the Vulkan backend has no operations on bf16; keep such arrays as f32 or f16")
        made = kernel.specialised(types, rank)
        try:
            loaded = compile_module(self._device, kernel, made)
        except KernelSourceError as error:
            raise NotImplementedError(f"the Vulkan backend does not have this operation: {error}") from None
        compiled = _Compiled(loaded.handle, pushed(made.function), rank)
        return self._compiled.setdefault((kernel, types), compiled)


def _argument(dtype: DType, value: Operand | Number) -> Argument:
    return value if isinstance(value, Operand) else (dtype, _number(dtype, value))


def _number(dtype: DType, value: Number) -> Number:
    """A number as the dtype has it; raises OverflowError where it has not."""
    return dtype.unpack(dtype.pack(value))


def _wide(dtype: DType) -> DType:
    """What is computed with: halves are rounded once, at the end."""
    return dtypes.f32 if dtype is dtypes.f16 else dtype


_OF_SIZE = {1: dtypes.u8, 2: dtypes.u16, 4: dtypes.u32, 8: dtypes.u64}


def _bits(dtype: DType) -> DType:
    return _OF_SIZE[dtype.size]


def _as_bits(operand: Operand) -> Operand:
    """The same elements as unsigned numbers, of which nothing is lost in a copy."""
    return replace(operand, dtype=_bits(operand.dtype))
