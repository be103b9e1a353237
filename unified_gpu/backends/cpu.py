"""The CPU as a device, through the generated package cpu_ffi: streams are threads, memory is the machine's."""

from __future__ import annotations

import math
import mmap
import struct
from collections.abc import Sequence
from pathlib import Path

from unified_gpu import dtypes
from unified_gpu.dtypes import DType, Number
from unified_gpu.errors import BackendUnavailable

from . import cpu_kernels, own_packages
from .cpu_kernels import compile_blocks, compile_kernel, symbol
from .protocols import DLPACK_CPU, BinaryOp, Buffer, Compiled, Operand, ReduceOp, UnaryOp

try:
    import cpu_ffi as cpu
    from cpu_ffi import CpuEvent, CpuMem, CpuStream
except ModuleNotFoundError as missing:
    raise BackendUnavailable(f"{missing}; {own_packages.how_to_build('cpu_ffi')}") from missing

_DTYPES = {dtype: cpu.DType[dtype.name.upper()] for dtype in dtypes.DTYPES.values()}
_UNARY = {op.name.lower(): op for op in cpu.UnaryOp}
_BINARY = {op.name.lower(): op for op in cpu.BinaryOp}
_REDUCE = {op.name.lower(): op for op in cpu.ReduceOp}

_PACK_FLOAT = {each: struct.Struct(f"={each.format}").pack for each in (dtypes.f16, dtypes.f32, dtypes.f64)}

_Input = tuple[CpuMem | None, int, Sequence[int], bytes]
"""Memory, offset and strides, or the bytes of a number."""


class Pinned:
    """Pinned memory of the host."""

    def __init__(self, size_bytes: int) -> None:
        self.buffer = memoryview(mmap.mmap(-1, max(size_bytes, 1)))[:size_bytes]
        self._registered = size_bytes > 0
        if self._registered:
            cpu.host_register(self.buffer)

    def close(self) -> None:
        if self._registered:
            self._registered = False
            cpu.host_unregister(self.buffer)


class CpuDevice:
    """One device of the CPU backend; see `Device`."""

    backend = "cpu"
    dlpack_type = DLPACK_CPU
    subgroup_size = 32

    def __init__(self, index: int) -> None:
        self.index = index
        self.name = cpu.device_name(index)

    # --- memory, streams, events

    def memory_info(self) -> tuple[int, int]:
        free, total = cpu.mem_get_info(self.index)
        return free, total

    def allocate(self, size_bytes: int) -> CpuMem:
        return cpu.malloc(size_bytes, self.index)

    def wrap(self, pointer: int, size_bytes: int) -> CpuMem:
        return cpu.wrap(pointer, size_bytes, self.index)

    def host_pointer(self, memory: CpuMem) -> int:
        return memory.pointer()

    def allocate_pinned(self, size_bytes: int) -> Pinned:
        return Pinned(size_bytes)

    def create_stream(self, priority: int = 0) -> CpuStream:
        return cpu.stream_create(cpu.StreamFlags.NON_BLOCKING, priority, self.index)

    def wrap_stream(self, pointer: int) -> CpuStream:
        raise NotImplementedError("the CPU has no streams that several libraries share")

    def create_event(self, timing: bool = True) -> CpuEvent:
        return cpu.event_create(cpu.EventFlags.DEFAULT if timing else cpu.EventFlags.DISABLE_TIMING)

    def synchronize(self) -> None:
        cpu.device_synchronize(self.index)

    # --- copies

    def upload(self, dst: CpuMem, dst_offset: int, src: Buffer, stream: CpuStream) -> None:
        cpu.memcpy_host_to_device_async(dst, src, stream, dst_offset)

    def download(self, dst: Buffer, src: CpuMem, src_offset: int, stream: CpuStream) -> None:
        cpu.memcpy_device_to_host_async(_bytes(dst), src, stream, src_offset)

    def copy(
        self, dst: CpuMem, dst_offset: int, src: CpuMem, src_offset: int, size_bytes: int, stream: CpuStream
    ) -> None:
        cpu.memcpy_device_to_device_async(dst, src, size_bytes, stream, dst_offset, src_offset)

    # --- operations

    def fill(self, out: Operand, value: Number, stream: CpuStream) -> None:
        cpu.fill(out.memory, out.offset, math.prod(out.shape), out.dtype.pack(value), stream)

    def assign(self, out: Operand, x: Operand | Number, stream: CpuStream) -> None:
        dtype = _DTYPES[out.dtype]
        cpu.assign(dtype, out.memory, out.offset, out.strides, *_input(x, out.dtype), out.shape, stream)

    def cast(self, out: Operand, x: Operand, stream: CpuStream) -> None:
        to, dtype = _DTYPES[out.dtype], _DTYPES[x.dtype]
        cpu.cast(to, out.memory, out.offset, dtype, x.memory, x.offset, x.strides, out.shape, stream)

    def unary(self, op: UnaryOp, out: Operand, x: Operand, stream: CpuStream) -> None:
        dtype = _DTYPES[x.dtype]
        cpu.unary(_UNARY[op], dtype, out.memory, out.offset, x.memory, x.offset, x.strides, out.shape, stream)

    def binary(self, op: BinaryOp, out: Operand, a: Operand | Number, b: Operand | Number, stream: CpuStream) -> None:
        left_strides: Sequence[int]
        if isinstance(a, Operand):  # the usual case, quicker than a call
            dtype = a.dtype
            left, left_offset, left_strides, left_number = a.memory, a.offset, a.strides, b""
        else:
            dtype = b.dtype if isinstance(b, Operand) else out.dtype
            left, left_offset, left_strides, left_number = _input(a, dtype)
        right, right_offset, right_strides, right_number = _input(b, dtype)
        cpu.binary(
            _BINARY[op], _DTYPES[dtype], out.memory, out.offset,
            left, left_offset, left_strides, left_number,
            right, right_offset, right_strides, right_number,
            out.shape, stream,
        )  # fmt: skip

    def where(
        self, out: Operand, condition: Operand, a: Operand | Number, b: Operand | Number, stream: CpuStream
    ) -> None:
        cpu.where(
            _DTYPES[out.dtype],
            out.memory,
            out.offset,
            condition.memory,
            condition.offset,
            condition.strides,
            *_input(a, out.dtype),
            *_input(b, out.dtype),
            out.shape,
            stream,
        )

    def matmul(self, out: Operand, a: Operand, b: Operand, stream: CpuStream) -> None:
        rows, inner = a.shape
        columns = b.shape[1]
        cpu.matmul(
            _DTYPES[out.dtype],
            out.memory,
            out.offset,
            a.memory,
            a.offset,
            a.strides,
            b.memory,
            b.offset,
            b.strides,
            rows,
            inner,
            columns,
            stream,
        )

    def reduce(self, op: ReduceOp, out: Operand, x: Operand, axis: int | None, stream: CpuStream) -> None:
        cpu.reduce(
            _REDUCE[op],
            _DTYPES[x.dtype],
            out.memory,
            out.offset,
            x.memory,
            x.offset,
            x.strides,
            x.shape,
            axis,
            stream,
        )

    # --- kernels

    def compile(self, source: str, name: str, options: Sequence[str] = ()) -> Compiled:
        prelude = Path(cpu.__file__).parent / "sources"
        path = compile_kernel(source, name, options, prelude, cpu.instruction_level())
        with cpu.library_load(str(path)) as library:
            kernel = library.kernel(symbol(name))
            return Compiled(kernel, kernel.signature(), kernel.is_checked())

    @property
    def has_compiler(self) -> bool:
        return cpu_kernels.has_compiler()

    def compile_blocks(self, source: str, name: str, *, fast: bool) -> Compiled:
        path, called = compile_blocks(
            source, name, Path(cpu.__file__).parent / "sources", cpu.instruction_level(), fast=fast
        )
        with cpu.library_load(str(path)) as library:
            return Compiled(library.kernel(called), "")

    launch = staticmethod(cpu.launch)


class CpuBackend:
    """The CPU; see `Backend`."""

    name = "cpu"
    accelerator = False

    def device_count(self) -> int:
        return cpu.device_count()

    def open(self, index: int) -> CpuDevice:
        return CpuDevice(index)

    def versions(self) -> str:
        return f"cpu_ffi {cpu.__version__}, {cpu.ENGINE} engine"


def load() -> CpuBackend:
    """The backend.

    Raises:
        BackendUnavailable: when cpu_ffi was built as a stub.
    """
    if cpu.STUB:
        raise BackendUnavailable(f"cpu_ffi is a stub; {own_packages.how_to_build('cpu_ffi')}")
    return CpuBackend()


def _bytes(buffer: Buffer) -> memoryview:
    view = memoryview(buffer)
    if (view.format == "B" and view.ndim == 1) or not view.nbytes:
        return view if view.nbytes else memoryview(bytearray())
    return view.cast("B")


def _input(value: Operand | Number, dtype: DType) -> _Input:
    if isinstance(value, Operand):
        return value.memory, value.offset, value.strides, b""
    pack = _PACK_FLOAT.get(dtype) if type(value) is float else None  # the usual case, quicker than `dtype.pack`
    try:
        return None, 0, (), pack(value) if pack else dtype.pack(value)
    except OverflowError:
        return None, 0, (), dtype.pack(value)  # its message names the value
