"""The CUDA backend: devices through the CUDA runtime, over the generated package `cuda_ffi`, and no other library.

Operations are kernels that NVRTC compiles when they are first used; see `unified_gpu.backends.cuda_kernels`.
"""

from __future__ import annotations

import math
import mmap
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import RLock
from typing import Any
from weakref import WeakKeyDictionary, finalize

from unified_gpu.dtypes import Number
from unified_gpu.errors import BackendUnavailable

from . import own_packages
from .protocols import DLPACK_CUDA, Buffer, Compiled, Operand

try:
    import cuda_ffi as cuda

    from unified_gpu.backends.cuda_kernels.compiler import compile_image, compile_kernel, nvrtc_version
    from unified_gpu.backends.cuda_kernels.operations import Operations
except ModuleNotFoundError as missing:
    raise BackendUnavailable(f"{missing}; {own_packages.how_to_build('cuda_ffi', 'nvrtc_ffi')}") from missing

_SHARED_BYTES = 48 << 10
"""Dynamic shared memory that every kernel may have without asking."""


class CudaPinned:
    """Pinned memory of the host, with which copies are asynchronous; after `close` it is readable, but not pinned."""

    __slots__ = ("__weakref__", "_unpin", "buffer")

    def __init__(self, size_bytes: int) -> None:
        pages = mmap.mmap(-1, max(size_bytes, 1))
        self.buffer = memoryview(pages)[:size_bytes]
        cuda.host_register(pages)
        self._unpin = finalize(self, _unpin, pages)
        self._unpin.atexit = False  # the driver takes all pins off when the process ends

    def close(self) -> None:
        self._unpin()


_still_pinned: list[mmap.mmap] = []
"""What could not be unpinned: its addresses must not be given to others."""


def _unpin(pages: mmap.mmap) -> None:
    try:
        cuda.host_unregister(pages)
    except cuda.CudaError:
        _still_pinned.append(pages)


class CudaRecording:
    """A graph, with the stream that it was recorded on, whose memory for reductions it uses."""

    def __init__(self, graph: cuda.CudaGraph, stream: cuda.CudaStream) -> None:
        self._graph = graph
        self._stream = stream

    def launch(self, stream: cuda.CudaStream, /) -> None:
        self._graph.launch(stream)

    def close(self) -> None:
        self._graph.close()
        self._stream.close()


class CudaDevice:
    """One device; it is made current for a call that needs it, where it is not."""

    backend = "cuda"
    dlpack_type = DLPACK_CUDA
    subgroup_size = 32

    def __init__(self, index: int, is_only: bool) -> None:
        self.index = index
        self.name = cuda.device_name(index)
        self._is_only = is_only
        self._shared_bytes: WeakKeyDictionary[Any, int] = WeakKeyDictionary()
        self._sharing = RLock()
        ask = cuda.DeviceAttribute
        major = cuda.device_attribute(ask.COMPUTE_CAPABILITY_MAJOR, index)
        self.compute_capability = 10 * major + cuda.device_attribute(ask.COMPUTE_CAPABILITY_MINOR, index)
        operations = Operations(self, cuda.device_attribute(ask.MULTIPROCESSOR_COUNT, index))
        self._fill, self.assign, self.cast = operations.fill, operations.assign, operations.cast
        self.unary, self.binary, self.where = operations.unary, operations.binary, operations.where
        self.matmul, self.reduce = operations.matmul, operations.reduce

    @contextmanager
    def _current(self) -> Iterator[None]:
        """Make the device the thread's current one for a while: other libraries rely on what they made current."""
        before = cuda.get_device()
        if before == self.index:
            yield
            return
        cuda.set_device(self.index)
        try:
            yield
        finally:
            cuda.set_device(before)

    # --- memory

    def memory_info(self) -> tuple[int, int]:
        with self._current():
            free, total = cuda.mem_get_info()
        return free, total

    def allocate(self, size_bytes: int) -> cuda.CudaDeviceMem:
        with self._current():
            return cuda.malloc(size_bytes)

    def wrap(self, pointer: int, size_bytes: int) -> cuda.CudaDeviceMem:
        return cuda.device_mem_from_pointer(pointer, size_bytes, self.index)

    def host_pointer(self, memory: cuda.CudaDeviceMem) -> int:
        return 0

    def allocate_pinned(self, size_bytes: int) -> CudaPinned:
        with self._current():
            return CudaPinned(size_bytes)

    # --- streams and events

    def create_stream(self, priority: int = 0) -> cuda.CudaStream:
        with self._current():
            return cuda.stream_create(cuda.StreamFlags.NON_BLOCKING, priority)

    def wrap_stream(self, pointer: int) -> cuda.CudaStream:
        return cuda.stream_from_pointer(pointer)

    def create_event(self, timing: bool = True) -> cuda.CudaEvent:
        with self._current():
            return cuda.event_create(cuda.EventFlags.DEFAULT if timing else cuda.EventFlags.DISABLE_TIMING)

    def synchronize(self) -> None:
        with self._current():
            cuda.device_synchronize()

    # --- graphs

    def begin_capture(self) -> cuda.CudaStream:
        stream = self.create_stream()
        stream.begin_capture()
        return stream

    def end_capture(self, stream: cuda.CudaStream) -> CudaRecording:
        with self._current():
            return CudaRecording(stream.end_capture(), stream)

    # --- copies; they go to the stream's device, whichever is current

    def upload(self, dst: cuda.CudaDeviceMem, dst_offset: int, src: Buffer, stream: cuda.CudaStream) -> None:
        cuda.memcpy_host_to_device_async(dst, src, stream, dst_offset)

    def download(self, dst: Buffer, src: cuda.CudaDeviceMem, src_offset: int, stream: cuda.CudaStream) -> None:
        view = dst if type(dst) is memoryview else memoryview(dst)
        if view.format != "B" or view.ndim != 1:
            view = view.cast("B") if view.nbytes else memoryview(bytearray())
        cuda.memcpy_device_to_host_async(view, src, stream, src_offset)

    def copy(
        self,
        dst: cuda.CudaDeviceMem,
        dst_offset: int,
        src: cuda.CudaDeviceMem,
        src_offset: int,
        size_bytes: int,
        stream: cuda.CudaStream,
    ) -> None:
        if dst.device() == src.device():
            cuda.memcpy_device_to_device_async(dst, src, size_bytes, stream, dst_offset, src_offset)
        else:
            cuda.memcpy_peer_async(dst, src, size_bytes, stream, dst_offset, src_offset)

    def fill(self, out: Operand, value: Number, stream: cuda.CudaStream) -> None:
        pattern = out.dtype.pack(value)
        if pattern.count(pattern[0]) == len(pattern):  # zeros need no kernel
            cuda.memset_async(out.memory, pattern[0], math.prod(out.shape) * len(pattern), stream, out.offset)
        else:
            self._fill(out, value, stream)

    # --- kernels

    def compile(self, source: str, name: str, options: Sequence[str] = ()) -> Compiled:
        image, found, signature = compile_kernel(source, name, self.compute_capability, options)
        with self._current():
            return Compiled(cuda.library_load(image).kernel(found), signature)

    def load_kernels(self, source: str, name: str) -> Callable[[str], cuda.CudaKernel]:
        """Compile several kernels at once; the result gives each of them by its name."""
        (image,) = compile_image(source, (), self.compute_capability, title=name)
        with self._current():
            library = cuda.library_load(image)

        def kernel(name: str) -> cuda.CudaKernel:
            with self._current():
                return library.kernel(name)

        return kernel

    def launch(
        self,
        kernel: cuda.CudaKernel,
        grid: Sequence[int],
        block: Sequence[int],
        shared_bytes: int,
        arguments: bytes,
        offsets: Sequence[int],
        stream: cuda.CudaStream,
    ) -> None:
        if shared_bytes <= _SHARED_BYTES and (self._is_only or cuda.get_device() == self.index):
            cuda.launch(kernel, grid, block, shared_bytes, arguments, offsets, stream)
            return
        with self._current():
            self._allow_shared_bytes(kernel, shared_bytes)
            cuda.launch(kernel, grid, block, shared_bytes, arguments, offsets, stream)

    def _allow_shared_bytes(self, kernel: cuda.CudaKernel, shared_bytes: int) -> None:
        """Let a kernel have so much; never less than before, because another thread may be about to launch it."""
        with self._sharing:
            if shared_bytes > self._shared_bytes.get(kernel, _SHARED_BYTES):
                kernel.allow_shared_memory(shared_bytes)
                self._shared_bytes[kernel] = shared_bytes


class CudaBackend:
    """The devices that the driver finds; see `Backend`."""

    name = "cuda"
    accelerator = True

    def device_count(self) -> int:
        return cuda.device_count()

    def open(self, index: int) -> CudaDevice:
        return CudaDevice(index, is_only=cuda.device_count() == 1)

    def versions(self) -> str:
        runtime, driver = (f"{number // 1000}.{number % 1000 // 10}" for number in _versions())
        return f"CUDA runtime {runtime}, driver {driver}, {nvrtc_version()}, {cuda.ENGINE} engine"


def load() -> CudaBackend:
    """Use CUDA.

    Raises:
        BackendUnavailable: when the package, the runtime or the driver is missing, with the reason.
    """
    if cuda.STUB:
        headers = "pip install nvidia-cuda-runtime nvidia-cuda-crt"
        build = own_packages.how_to_build("cuda_ffi", "nvrtc_ffi", needs=headers)
        raise BackendUnavailable(f"cuda_ffi is a stub; {build}")
    try:
        runtime, driver = _versions()
    except cuda.LibraryUnavailable as missing:
        way = own_packages.how_to_install("cuda", "nvidia-cuda-runtime", "nvidia-cuda-nvrtc")
        raise BackendUnavailable(f"the CUDA runtime is missing: {missing}; {way}") from missing
    if driver < runtime // 1000 * 1000:
        has = f"knows CUDA {driver // 1000}.{driver % 1000 // 10} only" if driver else "is not installed"
        raise BackendUnavailable(f"the NVIDIA driver {has}; the CUDA runtime needs {runtime // 1000}.0")
    return CudaBackend()


def _versions() -> tuple[int, int]:
    return cuda.runtime_version(), cuda.driver_version()
