"""Arrays borrowed from other libraries, without a copy and with the order of streams kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unified_gpu.arrays.array import GpuArray
from unified_gpu.arrays.export import CUDA, dlpack_device
from unified_gpu.errors import MixedContextsError
from unified_gpu.runtime.current import current_context
from unified_gpu.shapes import contiguous_strides

if TYPE_CHECKING:
    from unified_gpu.context import Context


def from_dlpack(source: Any, context: Context | None = None) -> GpuArray:
    """An array over the memory of another library's array, which both then read and write.

    Args:
        source: a NumPy, torch, CuPy or JAX array, or any with `__dlpack__`, on the context's own device.
        context: the current one by default.

    Raises:
        MixedContextsError: when it lies on another device; upload it instead.
        BufferError: when it is read-only, or has negative strides; copy it first.
        TypeError: when it has no `__dlpack__`, or elements of no dtype here.
    """
    from .dlpack import import_tensor  # with much of ctypes, which most programs never need

    context = context or current_context()
    context.check_open()
    if not hasattr(source, "__dlpack__"):
        raise TypeError(f"a {type(source).__name__} has no __dlpack__; use ctx.alloc_upload(data) for a copy")
    ours, theirs = dlpack_device(context.device), tuple(map(int, source.__dlpack_device__()))
    if ours != theirs:
        raise MixedContextsError(
            f"this {type(source).__name__} lies on DLPack device {theirs}, and {context} is device {ours}; "
            "copy it over: ctx.alloc_upload(array in the memory of the CPU)"
        )
    stream = context.current_stream
    tensor = import_tensor(source, (stream.pointer() or 1) if ours[0] == CUDA else None)
    if tensor.read_only:
        raise BufferError("this array is read-only, and arrays here are not; use ctx.alloc_upload(data) for a copy")
    if any(stride < 0 for stride in tensor.strides):
        raise BufferError("this array has negative strides; make it contiguous first")
    allocation = context.memory_pool.wrap_external(
        context.device.wrap(tensor.pointer, tensor.span_bytes), tensor.span_bytes, stream, tensor.owner
    )
    strides = None if tensor.strides == contiguous_strides(tensor.shape) else tensor.strides
    return GpuArray(context, allocation, tensor.dtype, tensor.shape, 0, strides)
