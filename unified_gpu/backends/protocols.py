"""What a backend has to offer: the Protocols that context, arrays and pipelines are written against.

Everything that takes a `stream` is queued on it and waits for nothing; what fails later is raised by the stream's next
`synchronize` or `query`. Shapes, dtypes and ranges are checked before a backend is called. Outputs are contiguous, but
for that of `assign`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from unified_gpu.dtypes import DType, Number

UnaryOp = Literal["neg", "exp", "log", "relu", "sigmoid", "tanh", "abs", "sqrt"]
BinaryOp = Literal["add", "sub", "mul", "div", "pow", "maximum", "minimum", "eq", "ne", "lt", "le", "gt", "ge"]
DLPACK_CPU, DLPACK_CUDA, DLPACK_VULKAN = 1, 2, 7
"""DLPack's numbers for memory of the CPU, of CUDA, and of Vulkan."""
ReduceOp = Literal["sum", "max", "min", "mean"]
Buffer = Any
"""Anything with the buffer protocol, contiguous; writable where something is copied into it."""


class Memory(Protocol):
    """Memory of a device: the handle of the generated package itself."""

    def pointer(self) -> int: ...
    def close(self) -> None:
        """Release it, after all queued work that uses it."""


class EventHandle(Protocol):
    """A point in a stream's work."""

    def synchronize(self) -> None: ...
    def wait_for(self, milliseconds: int, /) -> bool:
        """`synchronize`, but no longer than so long; whether it is complete."""

    def query(self) -> bool: ...
    def elapsed_time(self, end: Any, /) -> float:
        """Milliseconds from this event to `end`, another of the same backend."""

    def close(self) -> None: ...


class StreamHandle(Protocol):
    """A queue of work that is done in order."""

    def synchronize(self) -> None: ...
    def wait_for(self, milliseconds: int, /) -> bool:
        """`synchronize`, but no longer than so long; whether all is done."""

    def query(self) -> bool: ...
    def wait_event(self, event: Any, /) -> None: ...
    def record(self, event: Any, /) -> None: ...
    def pointer(self) -> int: ...
    def close(self) -> None:
        """Return at once; what is queued is still done."""


class KernelHandle(Protocol):
    """A compiled kernel, ready to launch."""

    def close(self) -> None: ...


class GraphHandle(Protocol):
    """Work that was recorded, ready to launch; it is not closed before all that was launched is done."""

    def launch(self, stream: Any, /) -> None: ...
    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Compiled:
    """A kernel as a backend has compiled it.

    Attributes:
        signature: the type of a pointer to it, as the Itanium C++ ABI mangles it: `PFvPfE` is `void (*)(float *)`.
        is_checked: whether it is launched with the sizes of its arguments' arrays behind its arguments.
    """

    handle: KernelHandle
    signature: str
    is_checked: bool = False


@dataclass(frozen=True, slots=True)
class EndedLoops:
    """Where a kernel writes a number of its own when a device has ended its loops early."""

    address: int
    number: int


class PinnedMemory(Protocol):
    """Pinned memory of the host, with which copies are asynchronous; it stays readable after `close`, unpinned."""

    @property
    def buffer(self) -> memoryview:
        """All of it, as writable bytes (format `B`)."""

    def close(self) -> None: ...


@dataclass(slots=True)
class Operand:
    """A part of a memory seen as an array.

    Attributes:
        memory: what it lies in.
        offset: of its first element, in bytes.
        shape: elements along each axis; () is one element.
        strides: in elements, one an axis; 0 repeats the same element.
    """

    memory: Any
    offset: int
    dtype: DType
    shape: tuple[int, ...]
    strides: tuple[int, ...]


class ArrayOperations(Protocol):
    """The operations on arrays of a device."""

    def assign(self, out: Operand, x: Operand | Number, stream: Any) -> None:
        """Copy `x`, of the same dtype and shape, into an output of any strides; none of those is 0."""

    def cast(self, out: Operand, x: Operand, stream: Any) -> None:
        """Convert as C does; to bool, whatever is not 0 is true. Equal dtypes make a contiguous copy."""

    def unary(self, op: UnaryOp, out: Operand, x: Operand, stream: Any) -> None: ...
    def binary(self, op: BinaryOp, out: Operand, a: Operand | Number, b: Operand | Number, stream: Any) -> None:
        """One of `a` and `b` may be a number. The six comparisons give bool."""

    def where(
        self, out: Operand, condition: Operand, a: Operand | Number, b: Operand | Number, stream: Any
    ) -> None: ...
    def matmul(self, out: Operand, a: Operand, b: Operand, stream: Any) -> None:
        """(m, k) by (k, n) into (m, n); `a` and `b` may have any strides."""

    def reduce(self, op: ReduceOp, out: Operand, x: Operand, axis: int | None, stream: Any) -> None:
        """Along one axis, or over all for None; `out` has the shape without the axis. Raises nothing when empty."""


class Device(ArrayOperations, Protocol):
    """One device of a backend.

    Attributes:
        backend: the backend's name.
        index: the device's number, from 0.
        name: what its maker calls it.
        dlpack_type: DLPACK_CPU, DLPACK_CUDA or DLPACK_VULKAN, where its memory is.
        subgroup_size: how many threads of a block form a subgroup in kernels written in Python: a warp, in CUDA.
    """

    @property
    def backend(self) -> str: ...
    @property
    def index(self) -> int: ...
    @property
    def name(self) -> str: ...
    @property
    def dlpack_type(self) -> int: ...
    @property
    def subgroup_size(self) -> int: ...

    def memory_info(self) -> tuple[int, int]:
        """Bytes that are free, and bytes in all."""

    def allocate(self, size_bytes: int) -> Memory:
        """New memory of at least one byte; raises MemoryError when there is not so much."""

    def wrap(self, pointer: int, size_bytes: int) -> Memory:
        """Memory that someone else owns, for arrays that came by DLPack; closing it releases nothing."""

    def host_pointer(self, memory: Any) -> int:
        """Where the host sees memory of the device, so that other libraries can use it; 0 where it does not."""

    def allocate_pinned(self, size_bytes: int) -> PinnedMemory: ...
    def create_stream(self, priority: int = 0) -> StreamHandle:
        """A stream that waits for no other; lower priorities go first, and are cut to what the device has."""

    def wrap_stream(self, pointer: int) -> StreamHandle:
        """A stream that someone else owns, as DLPack numbers them; raises NotImplementedError where there are none."""

    def create_event(self, timing: bool = True) -> EventHandle: ...
    def synchronize(self) -> None:
        """Wait for all streams of the device."""

    def upload(self, dst: Any, dst_offset: int, src: Buffer, stream: Any) -> None:
        """Copy from the host; ordinary memory is read before the call returns, pinned memory when its turn comes."""

    def download(self, dst: Buffer, src: Any, src_offset: int, stream: Any) -> None:
        """Fill `dst`; ordinary memory before the call returns, pinned memory when its turn comes."""

    def copy(self, dst: Any, dst_offset: int, src: Any, src_offset: int, size_bytes: int, stream: Any) -> None: ...
    def fill(self, out: Operand, value: Number, stream: Any) -> None: ...

    def compile(self, source: str, name: str, options: Sequence[str] = ()) -> Compiled:
        """Compile CUDA C; raises KernelCompileError with the compiler's log."""

    def launch(
        self,
        kernel: Any,
        grid: Sequence[int],
        block: Sequence[int],
        shared_bytes: int,
        arguments: bytes,
        offsets: Sequence[int],
        stream: Any,
    ) -> None:
        """Run a kernel: `grid` and `block` have 3 numbers, `offsets[i]` is where argument i begins in `arguments`."""


class BlockDevice(Device, Protocol):
    """A device whose memory is the CPU's, and which runs whole blocks of a kernel as C++.

    Attributes:
        has_compiler: whether kernels can be compiled; without, there are those that a wheel carries, for any block.
    """

    @property
    def has_compiler(self) -> bool: ...

    def compile_blocks(self, source: str, name: str, *, fast: bool) -> Compiled:
        """Compile C++ that has the interface of kernel_abi.hpp; raises KernelCompileError with the compiler's log."""


class ModuleDevice(Device, Protocol):
    """A device that takes kernels as modules of SPIR-V, and whose operations are such kernels.

    Attributes:
        has_f64: whether it computes with f64.
        subgroup_operations: what the threads of a subgroup can do together: vote, ballot, arithmetic, shuffle, and wide
            for whole numbers of 64 bits.
    """

    @property
    def has_f64(self) -> bool: ...
    @property
    def subgroup_operations(self) -> Collection[str]: ...
    def use_operations(self, operations: ArrayOperations) -> None:
        """Let these be its operations from now on; a context calls it when it opens the device."""

    def ended_loops(self, name: str) -> EndedLoops | None:
        """For a new kernel of that name; None where the device ends no loops."""

    def release(self, memory: Any, stream: Any) -> None:
        """Close memory that work on a stream uses, when that is done; of a recording its graph keeps it."""

    def check_results(self) -> None:
        """Raise, once, when a kernel that is done has no right results, because the device has ended its loops."""

    def compile_module(
        self, module: bytes, name: str, argument_bytes: int, by_address: bool, shared_bytes: int
    ) -> Compiled:
        """Load a module; raises KernelCompileError when it needs what the device does not have.

        Args:
            by_address: whether its push constant is the address of its arguments, instead of these.
            shared_bytes: what a block has of shared memory.
        """

    def launch_whole(
        self, kernel: Any, grid: Sequence[int], block: Sequence[int], arguments: bytes, stream: Any
    ) -> None:
        """`launch` of blocks that have no thread beyond the launch, so that none asks whether it is one."""


class RecordingDevice(Device, Protocol):
    """A device that records by itself; of others a graph has the calls."""

    def begin_capture(self) -> StreamHandle:
        """A new stream; what is queued on it is recorded, and not done."""

    def end_capture(self, stream: Any) -> GraphHandle:
        """What was recorded; the stream is not used any more."""


class Backend(Protocol):
    """A way to reach devices: what `load()` of a backend's module returns.

    Attributes:
        name: as users choose it.
        accelerator: whether its devices are other than the CPU; such backends are preferred.
    """

    @property
    def name(self) -> str: ...
    @property
    def accelerator(self) -> bool: ...
    def device_count(self) -> int: ...
    def open(self, index: int) -> Device: ...
    def versions(self) -> str:
        """What is loaded, in one line: `CUDA runtime 13.0, driver 13.0`."""
