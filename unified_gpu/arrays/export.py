"""Export of arrays to other libraries by DLPack and the array interfaces: without a copy, in the order of streams."""

from __future__ import annotations

from typing import Any

from unified_gpu.backends import DLPACK_CUDA, DLPACK_VULKAN
from unified_gpu.dtypes import bf16
from unified_gpu.errors import ClosedError
from unified_gpu.interop.devices import HOST, dlpack_device
from unified_gpu.shapes import typed

from .layout import Layout
from .transfer import Transfers

_NO_SYNCHRONIZATION = -1
_WITH_FORMAT = 4
"""The flag by which who wants a buffer asks what its elements are."""


class Exporter(Transfers):
    """The part of GpuArray that other libraries see."""

    __slots__ = ()

    def __dlpack_device__(self) -> tuple[int, int]:
        """DLPack's numbers of the device: (1, 0) for memory that the CPU uses, (2, number) for CUDA.

        Memory of Vulkan is such memory where the device shares it, and (7, number) elsewhere.
        """
        return HOST if host_pointer(self) else dlpack_device(self._context.device)

    def __dlpack__(
        self,
        *,
        stream: int | None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        """Export the memory; it lives until the consumer releases it, also when array and context are closed.

        Args:
            stream: the consumer's CUDA stream, which waits for the work queued on this array; None or 1 is the legacy
                default stream, 2 that of the thread, -1 waits for nothing. On the CPU, the work is done on return.
            max_version: of DLPack, that the consumer understands.
            dl_device: must be the array's own.
            copy: whether to export a copy.

        Raises:
            BufferError: when the consumer wants it on another device, and for memory of Vulkan that only a GPU sees.
        """
        from unified_gpu.interop.dlpack import export_capsule

        device = self.__dlpack_device__()
        if device[0] == DLPACK_VULKAN:
            name = self._context.device.name
            raise BufferError(f"the memory of {name} is not the host's, and no other library takes it; use download()")
        if dl_device is not None and tuple(dl_device) != device:
            raise BufferError(f"this array is on DLPack device {device}; download it to have it on the CPU")
        array = self.copy() if copy else self
        synchronize_consumer(array, stream)
        array._allocation.mark_exported()
        versioned = max_version is not None and max_version[0] >= 1
        pointer = host_pointer(array) or array.pointer
        return export_capsule(array._allocation, pointer, device, array._dtype, array._shape, array.strides, versioned)

    @property
    def __array_interface__(self) -> dict[str, Any]:
        """Export the memory to NumPy, on the CPU; queued work on it is done on return."""
        if not host_pointer(self):
            raise AttributeError("only arrays in the memory of the CPU have __array_interface__; use download()")
        return self._interface()

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        """Export the memory to libraries for CUDA, with the stream that they have to wait for."""
        if self._context.device.dlpack_type != DLPACK_CUDA:
            raise AttributeError("only arrays on CUDA have __cuda_array_interface__")
        own = self._allocation.stream
        for other in self._allocation.stream_uses() - {own}:
            other._make_wait(own.handle)
        return self._interface() | {"stream": own.pointer() or 1}

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        """The elements as a NumPy array, for `numpy.asarray` of an array that is not in the memory of the CPU."""
        if copy is False and not host_pointer(self):
            raise ValueError("an array on a device cannot become a NumPy array without a copy")
        data = self.download()
        return data if dtype is None else data.astype(dtype)

    def host_view(self) -> memoryview:
        """The memory itself, on the CPU, with shape and dtype; queued work on it is done on return.

        A memoryview has bf16 as its bits, whole numbers, and f16 too before Python 3.12. From then on,
        `memoryview(array)` and whatever takes a buffer do the same, but for bf16, which is lent as plain bytes only.

        Raises:
            BufferError: when it lies on a device, or is transposed.
            ClosedError: when the context was closed.
        """
        from unified_gpu.interop.dlpack import host_memory

        pointer = host_pointer(self)
        if not pointer:
            raise BufferError(f"an array of {self._context} is not in the memory of the CPU; use download()")
        if not self.is_contiguous:
            raise BufferError("a transposed array is no buffer; use its contiguous() copy")
        synchronize_consumer(self, None)
        self._allocation.mark_exported()
        return typed(host_memory(pointer, self.size_bytes, self._allocation), self._dtype, self._shape)

    def __buffer__(self, flags: int) -> memoryview:
        if self._dtype is bf16 and flags & _WITH_FORMAT:  # NumPy asks __array_interface__ then
            raise BufferError("buffers have no format for bf16; host_view() shows its bits")
        return self.host_view()

    def _interface(self) -> dict[str, Any]:
        pointer = host_pointer(self)
        if pointer:
            synchronize_consumer(self, None)
        self._allocation.mark_exported()
        strides = None if self.is_contiguous else tuple(step * self._dtype.size for step in self.strides)
        return {
            "version": 3,
            "shape": self._shape,
            "typestr": self._dtype.numpy_typestr,
            "data": (pointer or self.pointer, False),
            "strides": strides,
        }


def host_pointer(array: Layout) -> int:
    """The address of an array's first element where the host sees its memory; 0 where it does not."""
    array._context.check_open()
    found = array._context.device.host_pointer(array._allocation.memory)
    return found + array._offset if found else 0


def synchronize_consumer(array: Layout, stream: int | None) -> None:
    """Let a consumer's stream, or on the CPU the caller, wait for all work that is queued on the array."""
    users = array._allocation.stream_uses()
    if host_pointer(array):
        if stream not in (None, _NO_SYNCHRONIZATION):
            raise BufferError("an array in the memory of the CPU has no stream; leave it out")
        for user in users:
            if stream is None and not user.closed:
                user.synchronize()
        if array._context.closed_reason:
            raise ClosedError(array._context.closed_reason)
    elif stream != _NO_SYNCHRONIZATION:
        if stream == 0:
            raise BufferError("stream 0 is not allowed by DLPack; 1 is the legacy default stream, 2 that of the thread")
        consumer = array._context.device.wrap_stream(stream or 1)
        for user in users:
            user._make_wait(consumer)
