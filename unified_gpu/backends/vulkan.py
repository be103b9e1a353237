"""The Vulkan backend: devices through the generated package `vulkan_ffi`; kernels are those written in Python.

So are its operations on arrays, which `unified_gpu.kernels.operations` has: a context hands them over when it opens a
device. There is no CUDA C, which no driver of Vulkan compiles.
"""

from __future__ import annotations

import ctypes
import math
import mmap
import warnings
from collections.abc import Sequence
from typing import NoReturn
from weakref import finalize

from unified_gpu.dtypes import Number
from unified_gpu.errors import BackendUnavailable, KernelCompileError

from . import own_packages
from .protocols import DLPACK_VULKAN, ArrayOperations, Buffer, Compiled, EndedLoops, Operand

try:
    import vulkan_ffi as vk
    from vulkan_ffi import VulkanEvent, VulkanGraph, VulkanKernel, VulkanMem, VulkanStream
except ModuleNotFoundError as missing:
    raise BackendUnavailable(f"{missing}; {own_packages.how_to_build('vulkan_ffi')}") from missing


_SUBGROUPS = {
    name: vk.DeviceFeature[f"SUBGROUP_{name.upper()}"] for name in "vote ballot arithmetic shuffle wide".split()
}


_MOST_TURNS = 65_532
"""Of Mesa's lavapipe, without the two that ask whether it has ended loops."""


class VulkanPinned:
    """Memory of the host that the device has imported; after `close` it is readable, but copies with it wait."""

    __slots__ = ("__weakref__", "_unregister", "buffer")

    def __init__(self, size_bytes: int, device: int) -> None:
        pages = mmap.mmap(-1, max(size_bytes, 1))
        self.buffer = memoryview(pages)[:size_bytes]
        vk.host_register(pages, device)
        self._unregister = finalize(self, vk.host_unregister, pages, device)
        self._unregister.atexit = False

    def close(self) -> None:
        self._unregister()


class VulkanRecording:
    """A graph, with the memory that its operations have for themselves."""

    def __init__(self, graph: VulkanGraph, temporary: list[VulkanMem]) -> None:
        self._graph = graph
        self._temporary = temporary

    def launch(self, stream: VulkanStream, /) -> None:
        self._graph.launch(stream)

    def close(self) -> None:
        self._graph.close()
        for memory in self._temporary:
            memory.close()


class VulkanDevice:
    """One device; see `Device`. What the validation layer says, where it is loaded, becomes warnings of Python."""

    backend = "vulkan"
    dlpack_type = DLPACK_VULKAN

    def __init__(self, index: int) -> None:
        self.index = index
        self.name = vk.device_name(index)
        self.has_f64 = vk.device_has(vk.DeviceFeature.F64, index)
        self.subgroup_size = vk.device_limit(vk.DeviceLimit.SUBGROUP_SIZE, index)
        self.subgroup_operations = frozenset(name for name, each in _SUBGROUPS.items() if vk.device_has(each, index))
        self._shared_bytes = vk.device_limit(vk.DeviceLimit.SHARED_BYTES, index)
        self._is_validating = vk.is_validating()
        self._ends_loops = "llvmpipe" in self.name  # Mesa's lavapipe
        self._ended: VulkanMem | None = None
        self._names: list[str] = []
        self._recorded: dict[int, list[VulkanMem]] = {}

    # --- memory

    def memory_info(self) -> tuple[int, int]:
        free, total = vk.mem_get_info(self.index)
        return free, total

    def allocate(self, size_bytes: int) -> VulkanMem:
        return vk.malloc(size_bytes, self.index)

    def wrap(self, pointer: int, size_bytes: int) -> NoReturn:
        raise NotImplementedError("Vulkan cannot use memory of other libraries; bring it over: ctx.alloc_upload(data)")

    def host_pointer(self, memory: VulkanMem) -> int:
        return memory.host_pointer()

    def allocate_pinned(self, size_bytes: int) -> VulkanPinned:
        return VulkanPinned(size_bytes, self.index)

    # --- streams and events

    def create_stream(self, priority: int = 0) -> VulkanStream:
        return vk.stream_create(priority, self.index)

    def wrap_stream(self, pointer: int) -> NoReturn:
        raise NotImplementedError("Vulkan has no streams that several libraries share")

    def create_event(self, timing: bool = True) -> VulkanEvent:
        return vk.event_create(vk.EventFlags.DEFAULT if timing else vk.EventFlags.DISABLE_TIMING, self.index)

    def synchronize(self) -> None:
        vk.device_synchronize(self.index)
        self._warn()

    def _warn(self) -> None:
        """Show what the validation layer has said."""
        if self._is_validating:
            for message in vk.validation_messages():
                warnings.warn(message, RuntimeWarning, stacklevel=3)

    # --- graphs

    def begin_capture(self) -> VulkanStream:
        stream = vk.stream_create(0, self.index)
        stream.begin_capture()
        self._recorded[stream.pointer()] = []
        return stream

    def end_capture(self, stream: VulkanStream) -> VulkanRecording:
        temporary = self._recorded.pop(stream.pointer())
        try:
            return VulkanRecording(stream.end_capture(), temporary)
        finally:
            self._warn()

    def release(self, memory: VulkanMem, stream: VulkanStream) -> None:
        if self._recorded and (recorded := self._recorded.get(stream.pointer())) is not None:
            recorded.append(memory)  # each launch uses it
        else:
            memory.close()

    # --- copies

    def upload(self, dst: VulkanMem, dst_offset: int, src: Buffer, stream: VulkanStream) -> None:
        vk.memcpy_host_to_device_async(dst, src, stream, dst_offset)
        self._warn()

    def download(self, dst: Buffer, src: VulkanMem, src_offset: int, stream: VulkanStream) -> None:
        view = dst if type(dst) is memoryview else memoryview(dst)
        if view.format != "B" or view.ndim != 1:
            view = view.cast("B") if view.nbytes else memoryview(bytearray())
        vk.memcpy_device_to_host_async(view, src, stream, src_offset)
        self._warn()

    def copy(
        self, dst: VulkanMem, dst_offset: int, src: VulkanMem, src_offset: int, size_bytes: int, stream: VulkanStream
    ) -> None:
        vk.memcpy_device_to_device_async(dst, src, size_bytes, stream, dst_offset, src_offset)

    def fill(self, out: Operand, value: Number, stream: VulkanStream) -> None:
        vk.fill_async(out.memory, out.dtype.pack(value), math.prod(out.shape), stream, out.offset)

    # --- operations

    def use_operations(self, operations: ArrayOperations) -> None:
        self.assign, self.cast, self.unary = operations.assign, operations.cast, operations.unary
        self.binary, self.where = operations.binary, operations.where
        self.matmul, self.reduce = operations.matmul, operations.reduce

    # --- kernels

    def compile(self, source: str, name: str, options: Sequence[str] = ()) -> NoReturn:
        raise KernelCompileError(
            f"kernel {name!r} is CUDA C, which Vulkan does not compile; write it in Python: @kernel"
        )

    def ended_loops(self, name: str) -> EndedLoops | None:
        if not self._ends_loops:
            return None
        if self._ended is None:
            self._ended = vk.malloc(ctypes.sizeof(ctypes.c_uint32), self.index)
            self._ended_number().value = 0
        self._names.append(name)
        return EndedLoops(self._ended.pointer(), len(self._names))

    def _ended_number(self) -> ctypes.c_uint32:
        assert self._ended is not None
        return ctypes.c_uint32.from_address(self._ended.host_pointer())

    def check_results(self) -> None:
        if self._ended is None or not (number := self._ended_number()).value:
            return
        name = self._names[number.value - 1]
        number.value = 0
        raise vk.VulkanError(
            f"kernel {name!r} has wrong results: {self.name} ends the loops of threads that run together when "
            f"they have turned more than {_MOST_TURNS:,} times in all; use the cpu backend, or launch parts of the work"
        )

    def compile_module(
        self, module: bytes, name: str, argument_bytes: int, by_address: bool, shared_bytes: int
    ) -> Compiled:
        if shared_bytes > self._shared_bytes:
            raise KernelCompileError(
                f"kernel {name!r} has {shared_bytes} bytes of shared memory a block, and {self.name} has at most "
                f"{self._shared_bytes}"
            )
        try:
            loaded = vk.kernel_load(module, argument_bytes, by_address, self.index)
        except vk.VulkanUnsupported as error:
            raise KernelCompileError(f"kernel {name!r} cannot run here: {error}") from None
        return Compiled(loaded, "")

    def launch(
        self,
        kernel: VulkanKernel,
        grid: Sequence[int],
        block: Sequence[int],
        shared_bytes: int,
        arguments: bytes,
        offsets: Sequence[int],
        stream: VulkanStream,
    ) -> None:
        vk.launch(kernel, grid, block, arguments, stream)
        self._warn()

    def launch_whole(
        self, kernel: VulkanKernel, grid: Sequence[int], block: Sequence[int], arguments: bytes, stream: VulkanStream
    ) -> None:
        vk.launch(kernel, grid, block, arguments, stream, True)
        self._warn()


class VulkanBackend:
    """The devices that drivers of Vulkan offer; see `Backend`."""

    name = "vulkan"

    @property
    def accelerator(self) -> bool:
        return any(vk.device_kind(index) != "cpu" for index in range(vk.device_count()))

    def device_count(self) -> int:
        return vk.device_count()

    def open(self, index: int) -> VulkanDevice:
        return VulkanDevice(index)

    def versions(self) -> str:
        return f"vulkan_ffi {vk.__version__}, {vk.ENGINE} engine"


def load() -> VulkanBackend:
    """Use Vulkan.

    Raises:
        BackendUnavailable: when the package, the loader or all drivers are missing, with the reason.
    """
    if vk.STUB:
        build = own_packages.how_to_build("vulkan_ffi", needs="apt install libvulkan-dev")
        raise BackendUnavailable(f"vulkan_ffi is a stub; {build}")
    try:
        if not vk.device_count() and vk.refused_devices():
            raise BackendUnavailable(f"no device can be used: {'; '.join(vk.refused_devices())}")
    except vk.LibraryUnavailable as missing:
        raise BackendUnavailable(f"the Vulkan loader is missing: {missing}") from missing
    except vk.VulkanError as error:
        raise BackendUnavailable(f"{error}") from error
    return VulkanBackend()
