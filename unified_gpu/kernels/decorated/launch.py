"""Launches kernels written in Python: compiles them for a context, and packs their arguments."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from typing import Any, SupportsIndex, cast

from unified_gpu.arrays.array import GpuArray
from unified_gpu.backends import DLPACK_CPU, DLPACK_VULKAN, KernelHandle
from unified_gpu.backends.checked_mode import is_checked
from unified_gpu.backends.protocols import BlockDevice, Compiled, ModuleDevice
from unified_gpu.dtypes import DType
from unified_gpu.errors import MixedContextsError
from unified_gpu.kernels.compiler.analysis.ranges import MOST
from unified_gpu.kernels.compiler.printers.c_printer import entry_name
from unified_gpu.kernels.compiler.printers.short import loops
from unified_gpu.kernels.kernel import axes, global_axes, not_a_list
from unified_gpu.runtime.context import StreamContext
from unified_gpu.runtime.stream import Stream

from .arguments import ArgumentLayout
from .definition import PythonKernel, Specialised
from .modules import compile_module
from .sizes import launch_sizes

_MOST_BYTES = 4096
"""Of the arguments of a kernel, in CUDA."""
_MOST_PUSHED = 2**31 - 1
"""Elements of an array with several axes over Vulkan, where the place of one is an i32."""
_CPU_BLOCK, _GPU_BLOCK, _LOOPING_BLOCK = 1024, 256, 256
"""How many threads a block has where any will do. Those of a loop are worth a part of the CPU's work by 256."""
Block = tuple[int, ...]
"""How many threads a block has, by axes."""


class CompiledPythonKernel:
    """A kernel for certain types as one context has it."""

    def __init__(
        self,
        kernel: PythonKernel,
        made: Specialised,
        handle: KernelHandle,
        checked: bool,
        preferred: int,
        pushed: bool,
        block: Block | None,
        subgroup_size: int,
    ) -> None:
        self.made = made
        self.block = block
        """How many threads its blocks have, where it is for those alone."""
        self.handle = handle
        self._kernel = kernel
        self._params = list(made.function.params.items())
        self._are_numbers = [isinstance(type_, DType) for _, type_ in self._params]
        fields = made.function.fields()
        layout = ArgumentLayout.of(made.function, pushed=pushed)
        self._packer, self.offsets, self._widened = layout.packer, layout.offsets, layout.is_widened
        if self._packer.size > _MOST_BYTES:
            raise TypeError(
                f"the arguments of {kernel.name} take {self._packer.size} bytes, and {_MOST_BYTES} are the most"
            )
        self._pointers = [field.is_pointer for field in fields] if checked else None
        self._sizes = sum(field.name.startswith("global_size.") for field in fields)

        self.is_free = made.function.is_free
        self.preferred = preferred
        self.pushed = pushed
        self.whole_row = subgroup_size if pushed and made.function.numbers_subgroups else 1
        self._closed = False

    def check_row(self, block: Block) -> None:
        """Raises ValueError for a block whose subgroups Vulkan does not number."""
        if block[-1] % self.whole_row:
            raise ValueError(
                f"local_size {list(block)}: {self._kernel.name} asks for subgroup_id or subgroup_count, and Vulkan "
                f"numbers subgroups only where the last axis of a block is a multiple of ctx.subgroup_size, which is "
                f"{self.whole_row}"
            )

    def close(self) -> None:
        """Release it, when no queued launch needs it any more; a context has it under several keys."""
        if not self._closed:
            self._closed = True
            self.handle.close()

    def pack(self, context: StreamContext, args: Sequence[Any], stream: Stream, sizes: Sequence[int]) -> bytes:
        """The arguments, each at its place in `offsets`; the arrays count as used by the stream."""
        values: list[Any] = []
        for is_number, arg in zip(self._are_numbers, args):  # noqa: B905 -- they are as many, and zip is slower with it
            if is_number:
                values.append(arg)
                continue
            if arg.__class__ is not GpuArray or arg.context is not context or self._is_too_large(arg):
                raise self._refusal(context, args)
            allocation = arg._allocation
            if allocation.stream is not stream:
                allocation.record_stream(stream)
            values.append(allocation.memory.pointer() + arg._offset)
            values += arg.shape
            if arg._strides is not None:
                values += arg._strides
        values += sizes[: self._sizes]
        try:
            packed = self._packer.pack(*(self._checked(values) if self._widened else values))
        except (struct.error, OverflowError, TypeError):
            packed = self._packer.pack(*self._checked(values))
        if self._pointers is None:
            return packed
        arrays = iter([arg for arg, is_number in zip(args, self._are_numbers, strict=True) if not is_number])
        extents = [_extent(next(arrays)) if is_pointer else 0 for is_pointer in self._pointers]
        return packed + struct.pack(f"={len(extents)}Q", *extents)

    def _refusal(self, context: StreamContext, args: Sequence[Any]) -> Exception:
        """Why one of the arguments, which are of the right types, cannot be passed."""
        for (name, type_), arg in zip(self._params, args, strict=True):
            where = f"`{name}` of {self._kernel.name}"
            if isinstance(type_, DType):
                continue
            if arg.__class__ is not GpuArray:
                what = type(arg).__name__
                return TypeError(
                    f"{where} is an array of this library, and a {what} was given; bring it to the device by "
                    "ctx.alloc_upload"
                )
            if arg.context is not context:
                return MixedContextsError.between(arg.context, context, f"{where}: {arg} cannot be used in {context}")
            if max(arg.shape) > MOST:
                return ValueError(f"{where}: an axis has at most {MOST} elements in a kernel")
            if self._is_too_large(arg):
                what = f"an array with several axes has at most {_MOST_PUSHED} elements in a kernel over Vulkan"
                return ValueError(f"{where}: {what}; pass parts of it")
        raise AssertionError("all of them can be passed")

    def _is_too_large(self, array: GpuArray) -> bool:
        if max(array.shape) > MOST:
            return True
        return self.pushed and len(array.shape) > 1 and array._strides is None and array.size > _MOST_PUSHED

    def _checked(self, values: Sequence[Any]) -> list[Any]:
        """The same, with an error that names the number that does not fit."""
        fields = self.made.function.fields()
        return [
            self._kernel.check_number(field.name, field.dtype, value)
            if field.name in self.made.function.params and not field.is_pointer
            else value
            for field, value in zip(fields, values, strict=True)
        ]


def compiled_for(
    context: StreamContext, kernel: PythonKernel, types: tuple[Any, ...], rank: int, block: Block | None = None
) -> CompiledPythonKernel:
    """The kernel for the types of its arguments, compiled for a context if that was not done before.

    Args:
        block: the blocks that it is launched with first; None for any.

    Raises:
        KernelSourceError: for what a kernel cannot have.
        KernelCompileError: when the device's compiler refuses it.
    """
    key = (kernel, types, rank, block is None)
    found: CompiledPythonKernel | None = context.kernels.get(key)
    if found is None:
        context.check_open()
        made = kernel.specialised(types, rank)
        kind = context.device.dlpack_type
        if kind != DLPACK_CPU or is_checked() or made.function.is_free:
            block = None
        compiled = _compile(context, kernel, made, block)
        on_cpu = _LOOPING_BLOCK if rank == 1 and loops(made.function) else _CPU_BLOCK
        preferred = on_cpu if kind == DLPACK_CPU else _GPU_BLOCK
        pushed = kind == DLPACK_VULKAN
        made_now = CompiledPythonKernel(
            kernel, made, compiled.handle, compiled.is_checked, preferred, pushed, block, context.device.subgroup_size
        )
        found = context.kernels.setdefault(key, made_now)
    return found


def _compile(context: StreamContext, kernel: PythonKernel, made: Specialised, block: Block | None) -> Compiled:
    name, exact = entry_name(kernel.name), kernel.mathematics == "exact"
    options = ["--fmad=false"] if exact else ["--use_fast_math"]
    if context.device.dlpack_type == DLPACK_VULKAN:
        return compile_module(cast(ModuleDevice, context.device), kernel, made)
    if context.device.dlpack_type != DLPACK_CPU:
        return context.device.compile(kernel.printed(made, "cuda"), name, options)
    if is_checked():
        return context.device.compile(kernel.printed(made, "cuda", check=True), name, options)
    return cast(BlockDevice, context.device).compile_blocks(
        kernel.printed(made, "cpu", block=block), name, fast=not exact
    )


def launch(
    context: StreamContext,
    kernel: PythonKernel,
    global_size: SupportsIndex | Iterable[SupportsIndex],
    args: Sequence[Any],
    local_size: SupportsIndex | Iterable[SupportsIndex] | None,
    stream: Stream,
) -> None:
    """Queue a kernel on a stream; see `Context.launch`."""
    sizes = global_axes(global_size)
    local = None if local_size is None else axes("local_size", local_size)
    rank = len(sizes)
    if isinstance(args, GpuArray):
        raise TypeError(not_a_list(kernel.name, args))
    try:
        # what `types_of` depends on, but quicker
        key = (
            kernel,
            rank,
            *[
                (arg.dtype, len(arg.shape), arg._strides is not None) if arg.__class__ is GpuArray else arg.__class__
                for arg in args
            ],
        )
        compiled: CompiledPythonKernel | None = context.kernels.get(key)
    except TypeError:
        kernel.types_of(args)
        raise
    if compiled is None:
        types = kernel.types_of(args)
        kernel.specialised(types, rank).check_block(local)
        block = launch_sizes(sizes, local, _CPU_BLOCK).block  # wrong sizes are found before anything is compiled
        compiled = compiled_for(context, kernel, types, rank, block)
        context.kernels[key] = compiled
    compiled.made.check_frozen()
    if local is None and not compiled.is_free:
        compiled.made.check_block(None)
    blocks = launch_sizes(sizes, local, compiled.preferred, compiled.pushed)
    if compiled.block is not None and compiled.block != blocks.block:  # further sizes have one that is for all
        compiled = context.kernels.get((key, None)) or compiled_for(context, kernel, kernel.types_of(args), rank)
        context.kernels[key, None] = compiled
    if compiled.whole_row != 1:
        compiled.check_row(blocks.block)
    queue = stream.handle
    stream.launched = kernel.name
    arguments = compiled.pack(context, args, stream, sizes)
    grid, block = blocks.device_grid, blocks.device_block
    if compiled.pushed and blocks.are_whole:
        cast(ModuleDevice, context.device).launch_whole(compiled.handle, grid, block, arguments, queue)
    else:
        context.device.launch(compiled.handle, grid, block, 0, arguments, compiled.offsets, queue)


def _extent(array: GpuArray) -> int:
    """The bytes from its first element to behind its last."""
    last = sum((n - 1) * s for n, s in zip(array.shape, array.strides, strict=True))
    return (last + 1) * array.dtype.size if array.size else 0
