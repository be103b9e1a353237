"""Launches kernels written in Python: compiles them for a context, and packs their arguments."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, SupportsIndex, cast

from unified_gpu.backends import DLPACK_CPU, DLPACK_VULKAN, KernelHandle
from unified_gpu.backends.checked_mode import CHECKS_ITSELF, is_checked
from unified_gpu.backends.protocols import BlockDevice, Compiled, ModuleDevice
from unified_gpu.kernels.arguments.layout import ArgumentLayout
from unified_gpu.kernels.arguments.reader import LaunchArguments, check_list, kinds
from unified_gpu.kernels.compiler.printers.short import loops
from unified_gpu.kernels.kernel import axes, global_axes
from unified_gpu.runtime.context import StreamContext
from unified_gpu.runtime.stream import Stream

from .definition import PythonKernel, Specialised
from .sizes import launch_sizes

_MOST_BYTES = 4096
"""Of the arguments of a kernel, in CUDA."""
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
        function = made.function
        layout = ArgumentLayout(function.fields(), is_pushed=pushed)
        if layout.size > _MOST_BYTES:
            raise TypeError(f"the arguments of {kernel.name} take {layout.size} bytes, and {_MOST_BYTES} are the most")
        self.made = made
        self.outside = made.program.outside
        self.block = block
        """How many threads its blocks have, where it is for those alone."""
        self.handle = handle
        self.arguments = LaunchArguments(kernel.name, function.parameters, layout, in_python=True, is_checked=checked)
        self.is_free = function.is_free
        self.preferred = preferred
        self.pushed = pushed
        self.whole_row = subgroup_size if pushed and function.numbers_subgroups else 1
        self._name = kernel.name
        self._closed = False

    def check_row(self, block: Block) -> None:
        """Raises ValueError for a block whose subgroups Vulkan does not number."""
        if block[-1] % self.whole_row:
            raise ValueError(
                f"local_size {list(block)}: {self._name} asks for subgroup_id or subgroup_count, and Vulkan "
                f"numbers subgroups only where the last axis of a block is a multiple of ctx.subgroup_size, which is "
                f"{self.whole_row}"
            )

    def close(self) -> None:
        """Release it, when no queued launch and no graph needs it; a context has it under several keys."""
        if not self._closed:
            self._closed = True
            self.handle.close()


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
    made = kernel.specialised(types, rank)
    key = (made, block is None)
    found: CompiledPythonKernel | None = context.kernels.get(key)
    if found is None:
        context.check_open()
        kind = context.device.dlpack_type
        if kind != DLPACK_CPU or is_checked() or made.function.is_free or lacks_compiler(context):
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
    if context.device.dlpack_type == DLPACK_VULKAN:
        from .modules import compile_module

        return compile_module(cast(ModuleDevice, context.device), kernel, made)
    from unified_gpu.kernels.compiler.printers.c_printer import entry_name

    name, exact = entry_name(kernel.name), kernel.mathematics == "exact"
    options = ["--fmad=false"] if exact else ["--use_fast_math"]
    if context.device.dlpack_type != DLPACK_CPU:
        return context.device.compile(kernel.printed(made, "cuda"), name, options)
    if is_checked():
        return context.device.compile(kernel.printed(made, "cuda", check=True), name, [*options, CHECKS_ITSELF])
    return cast(BlockDevice, context.device).compile_blocks(
        kernel.printed(made, "cpu", block=block), name, fast=not exact
    )


def lacks_compiler(context: StreamContext) -> bool:
    """Whether the kernels of the CPU are those alone that a wheel carries."""
    device = context.device
    return device.dlpack_type == DLPACK_CPU and not cast(BlockDevice, device).has_compiler


def launch(
    context: StreamContext,
    kernel: PythonKernel,
    global_size: SupportsIndex | Iterable[SupportsIndex],
    args: Any,
    local_size: SupportsIndex | Iterable[SupportsIndex] | None,
    stream: Stream,
) -> None:
    """Queue a kernel on a stream; see `Context.launch`."""
    sizes = global_axes(global_size)
    local = None if local_size is None else axes("local_size", local_size)
    rank = len(sizes)
    given = args
    if kernel.defaults or args.__class__ is dict or kernel.structs:
        args = kernel.bound(args)
    check_list(kernel.name, args)
    key = kernel, rank, kinds(args)
    compiled: CompiledPythonKernel | None = context.kernels.get(key)
    if compiled is None or compiled.outside.are_outdated():
        if kernel.structs and kernel.renew_structs():
            launch(context, kernel, global_size, given, local_size, stream)
            return
        types = kernel.types_of(args)
        kernel.specialised(types, rank).check_block(local)
        block = launch_sizes(sizes, local, _CPU_BLOCK).block  # wrong sizes are found before anything is compiled
        compiled = compiled_for(context, kernel, types, rank, block)
        context.kernels[key] = compiled
    if local is None and not compiled.is_free:
        compiled.made.check_block(None)
    blocks = launch_sizes(sizes, local, compiled.preferred, compiled.pushed)
    if compiled.block is not None and compiled.block != blocks.block:  # further sizes have one that is for all
        made, compiled = compiled.made, context.kernels.get((key, None))
        if compiled is None or compiled.made is not made:
            compiled = compiled_for(context, kernel, kernel.types_of(args), rank)
            context.kernels[key, None] = compiled
    if compiled.whole_row != 1:
        compiled.check_row(blocks.block)
    queue = stream.handle
    stream.launched = kernel.name
    packed = compiled.arguments.pack(context, args, stream, sizes)
    grid, block = blocks.device_grid, blocks.device_block
    if compiled.pushed and blocks.are_whole:
        cast(ModuleDevice, context.device).launch_whole(compiled.handle, grid, block, packed, queue)
    else:
        context.device.launch(compiled.handle, grid, block, 0, packed, compiled.arguments.layout.offsets, queue)
