"""Torch's GPUs, or the CPU without one, through the generated package torch_ffi: memory and operations are torch's.

The package loads torch's libraries. Torch's Python is not used, and imported only where it adds devices to torch.
"""

from __future__ import annotations

import ctypes
import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from unified_gpu import dtypes
from unified_gpu.dtypes import Number
from unified_gpu.errors import BackendUnavailable, KernelCompileError

from . import cpu_kernels, torch_build, torch_package
from .cpu_kernels import compile_blocks, compile_kernel, symbol
from .protocols import DLPACK_CPU, DLPACK_CUDA, BinaryOp, Buffer, Compiled, Device, Operand, ReduceOp, UnaryOp

torch_package.add_to_path(build=False)
if torch_build.has_extension():
    importlib.import_module("torch")  # which loads it
try:
    import torch_ffi as torch
    from torch_ffi import TorchEvent, TorchKernel, TorchMem, TorchPinned, TorchQueue, TorchTensor
except ImportError as missing:
    raise BackendUnavailable(torch_build.explained(missing)) from missing

_NAMES = {"f": "FLOAT", "bf": "BFLOAT", "i": "INT", "u": "UINT", "bool": "BOOL"}
_DTYPES = {
    dtype: torch.DType[_NAMES[name.rstrip("0123456789")] + name.lstrip("abcdefghijklmnopqrstuvwxyz")]
    for name, dtype in dtypes.DTYPES.items()
}
_UNARY = {op.name.lower(): op for op in torch.UnaryOp}
_BINARY = {op.name.lower(): op for op in torch.BinaryOp}
_REDUCE = {op.name.lower(): op for op in torch.ReduceOp}
_LEVELS = {"AVX2": "v3", "AVX512": "v4"}
"""What torch calls the instructions of the processor, and the level of x86-64 that has them."""
_LOWEST_PRIORITY = -100


class Pinned:
    """Pinned memory of the host; it lives as long as a view of it."""

    def __init__(self, handle: TorchPinned) -> None:
        memory = (ctypes.c_ubyte * handle.size()).from_address(handle.pointer())
        memory.owner = handle  # type: ignore[attr-defined]  # every view of the buffer keeps it
        self.buffer = memoryview(memory).cast("B")

    def close(self) -> None:
        """Nothing: it goes with the last view of the buffer."""


class TorchDevice:
    """A device of torch's, known by torch's name of it; the CPU, or one that queues its own kernels; see `Device`."""

    backend = "torch"
    dlpack_type = DLPACK_CPU
    subgroup_size = 32

    def __init__(self, index: int, called: str) -> None:
        self.index = index
        self._called = called
        self.name = "CPU" if called == "cpu" else called

    # --- memory, streams, events

    def memory_info(self) -> tuple[int, int]:
        free, total = torch.memory_info(self._called)
        return free, total

    def allocate(self, size_bytes: int) -> TorchMem:
        return torch.malloc(size_bytes, self._called)

    def wrap(self, pointer: int, size_bytes: int) -> TorchMem:
        return torch.mem_from_pointer(pointer, size_bytes, self._called)

    def host_pointer(self, memory: TorchMem) -> int:
        return memory.pointer() if self.dlpack_type == DLPACK_CPU else 0

    def allocate_pinned(self, size_bytes: int) -> Pinned:
        return Pinned(torch.malloc_pinned(size_bytes, self._called))

    def create_stream(self, priority: int = 0) -> TorchQueue:
        return torch.queue_create(self._called, max(_LOWEST_PRIORITY, min(priority, 0)))

    def wrap_stream(self, pointer: int) -> TorchQueue:
        return torch.queue_from_pointer(pointer, self._called)

    def create_event(self, timing: bool = True) -> TorchEvent:
        return torch.event_create(self._called, timing)

    def synchronize(self) -> None:
        torch.device_synchronize(self._called)

    # --- copies

    def upload(self, dst: TorchMem, dst_offset: int, src: Buffer, stream: TorchQueue) -> None:
        torch.memcpy_host_to_device_async(dst, src, stream, dst_offset)

    def download(self, dst: Buffer, src: TorchMem, src_offset: int, stream: TorchQueue) -> None:
        view = memoryview(dst)
        flat = view if (view.format == "B" and view.ndim == 1) or not view.nbytes else view.cast("B")
        torch.memcpy_device_to_host_async(flat, src, stream, src_offset)

    def copy(
        self, dst: TorchMem, dst_offset: int, src: TorchMem, src_offset: int, size_bytes: int, stream: TorchQueue
    ) -> None:
        torch.memcpy_device_to_device_async(dst, src, size_bytes, stream, dst_offset, src_offset)

    # --- operations

    def fill(self, out: Operand, value: Number, stream: TorchQueue) -> None:
        stream.fill(_view(out), torch.element(out.dtype.pack(value), _DTYPES[out.dtype]))

    def assign(self, out: Operand, x: Operand | Number, stream: TorchQueue) -> None:
        if isinstance(x, Operand):
            stream.cast(_view(out), _view(x))
        else:
            self.fill(out, x, stream)

    def cast(self, out: Operand, x: Operand, stream: TorchQueue) -> None:
        stream.cast(_view(out), _view(x))

    def unary(self, op: UnaryOp, out: Operand, x: Operand, stream: TorchQueue) -> None:
        stream.unary(_UNARY[op], _view(out), _view(x))

    def binary(self, op: BinaryOp, out: Operand, a: Operand | Number, b: Operand | Number, stream: TorchQueue) -> None:
        stream.binary(_BINARY[op], _view(out), *_inputs(a, b, out))

    def where(
        self, out: Operand, condition: Operand, a: Operand | Number, b: Operand | Number, stream: TorchQueue
    ) -> None:
        stream.where(_view(out), _view(condition), *_inputs(a, b, out))

    def matmul(self, out: Operand, a: Operand, b: Operand, stream: TorchQueue) -> None:
        stream.matmul(_view(out), _view(a), _view(b))

    def reduce(self, op: ReduceOp, out: Operand, x: Operand, axis: int | None, stream: TorchQueue) -> None:
        stream.reduce(_REDUCE[op], _view(out), _view(x), axis)

    # --- kernels

    def compile(self, source: str, name: str, options: Sequence[str] = ()) -> Compiled:
        if self._called != "cpu":
            raise KernelCompileError(
                f"kernels are compiled for CUDA and for the CPU, and this device is {self._called}"
            )
        prelude = Path(torch.__file__).parent / "sources"
        path = compile_kernel(source, name, options, prelude, _LEVELS.get(torch.cpu_capability(), "baseline"))
        with torch.library_load(str(path)) as library:
            kernel = library.kernel(symbol(name))
            return Compiled(kernel, kernel.signature(), kernel.is_checked())

    @property
    def has_compiler(self) -> bool:
        return cpu_kernels.has_compiler()

    def compile_blocks(self, source: str, name: str, *, fast: bool) -> Compiled:
        level = _LEVELS.get(torch.cpu_capability(), "baseline")
        path, called = compile_blocks(source, name, Path(torch.__file__).parent / "sources", level, fast=fast)
        with torch.library_load(str(path)) as library:
            return Compiled(library.kernel(called), "")

    def launch(
        self,
        kernel: TorchKernel,
        grid: Sequence[int],
        block: Sequence[int],
        shared_bytes: int,
        arguments: bytes,
        offsets: Sequence[int],
        stream: TorchQueue,
    ) -> None:
        torch.launch(kernel, grid, block, shared_bytes, arguments, offsets, stream)


class CudaTorchDevice(TorchDevice):
    """A GPU, whose kernels are compiled and launched by the `cuda` backend on torch's streams."""

    dlpack_type = DLPACK_CUDA

    def __init__(self, index: int, called: str) -> None:
        super().__init__(index, called)
        self._cuda: Device | str = _cuda_device(index)
        if not isinstance(self._cuda, str):
            self.name = self._cuda.name

    def compile(self, source: str, name: str, options: Sequence[str] = ()) -> Compiled:
        if isinstance(self._cuda, str):
            raise BackendUnavailable(f"kernels for a GPU of torch's are compiled by the cuda backend: {self._cuda}")
        return self._cuda.compile(source, name, options)

    def launch(
        self,
        kernel: Any,
        grid: Sequence[int],
        block: Sequence[int],
        shared_bytes: int,
        arguments: bytes,
        offsets: Sequence[int],
        stream: TorchQueue,
    ) -> None:
        assert not isinstance(self._cuda, str)  # it has compiled the kernel
        theirs = self._cuda.wrap_stream(stream.pointer())
        self._cuda.launch(kernel, grid, block, shared_bytes, arguments, offsets, theirs)


class TorchBackend:
    """The devices of torch's accelerator, or the CPU; see `Backend`."""

    name = "torch"

    def __init__(self) -> None:
        self._kind = torch.accelerator()
        self.accelerator = self._kind != ""

    def device_count(self) -> int:
        return torch.device_count() if self.accelerator else 1

    def open(self, index: int) -> TorchDevice:
        if not self.accelerator:
            return TorchDevice(index, "cpu")
        return (CudaTorchDevice if self._kind == "cuda" else TorchDevice)(index, f"{self._kind}:{index}")

    def versions(self) -> str:
        return f"torch {torch.version()}, torch_ffi {torch.__version__}, {torch.ENGINE} engine"


def load() -> TorchBackend:
    """The backend.

    Raises:
        BackendUnavailable: when torch_ffi was built as a stub.
    """
    if torch.STUB:
        raise BackendUnavailable(torch_build.explained("torch_ffi is a stub"))
    return TorchBackend()


def _cuda_device(index: int) -> Device | str:
    """The same device of the cuda backend, or why there is none."""
    from . import load_backend

    try:
        return load_backend("cuda").open(index)
    except BackendUnavailable as error:
        return f"{error}"


def _view(operand: Operand) -> TorchTensor:
    view: TorchTensor = operand.memory.view(_DTYPES[operand.dtype], operand.shape, operand.strides, operand.offset)
    return view


def _inputs(a: Operand | Number, b: Operand | Number, out: Operand) -> tuple[TorchTensor, TorchTensor]:
    """Both as tensors: a number takes the dtype of the other one, two numbers that of the output."""
    if isinstance(a, Operand):
        return _view(a), _view(b) if isinstance(b, Operand) else torch.element(a.dtype.pack(b), _DTYPES[a.dtype])
    dtype = b.dtype if isinstance(b, Operand) else out.dtype
    first = torch.element(dtype.pack(a), _DTYPES[dtype])
    return first, _view(b) if isinstance(b, Operand) else torch.element(dtype.pack(b), _DTYPES[dtype])
