"""Context: a device, and all that was made on it; closing it gives everything back."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from operator import index
from threading import RLock
from typing import Any, Self, TypeVar

from .arrays.array import GpuArray
from .arrays.host_data import Casting, host_data
from .arrays.ranges import check_range
from .backends import Device, Gpu, GpuBackend, StreamHandle, choose_device, open_device
from .backends.checked_mode import is_checked
from .config import LocalConfig, load_local_config
from .dtypes import DType, as_dtype
from .errors import BackendUnavailable, ClosedError, ConfigError, DeviceNotFound, MixedContextsError
from .interop.imports import from_dlpack
from .kernels.kernel import CompiledKernel, Kernel, axes, blocks
from .runtime.current import chosen_stream, contexts, current_context
from .runtime.event import Event
from .runtime.lifetime import (
    AFTER_A_FORK,
    LiveObjects,
    ProcessLocal,
    check_not_forked,
    close_at_exit,
    wait_for_other_threads,
)
from .runtime.memory_pool import MemoryPool, MemoryStatistics
from .runtime.pinned import PinnedArray
from .runtime.redzones import CheckedMemoryPool
from .runtime.stream import Stream
from .runtime.waiting import wait
from .shapes import element_count, lengths_of

Made = TypeVar("Made")


class Context(ProcessLocal):
    """A device to work on: `with Context.default() as ctx:`.

    Several can be open at once, on one device or on several; what was made by one is not used with another. All
    methods can be called from any thread.

    Args:
        backend: `cuda`, `torch`, `cpu`; the best one here when left out, see `preferred_backend`.
        device: its number, or `cuda:1`, or one of the devices that `diagnose()` lists.
        dtype: what floating point data becomes where no dtype is named.

    Raises:
        BackendUnavailable: when the backend cannot be used here, with the reason.
        DeviceNotFound: when it has no such device.
        ValueError: when there is no such backend, or `device` is not one of it.
        TypeError: for a dtype that does not exist, or a device that is neither a name nor a number.

    Attributes:
        device: what the backend offers, see `unified_gpu.backends.Device`.
        memory_pool: gives out the device's memory, and keeps it for the next array.
        default_stream: what is used where no stream is named or chosen.
        kernels: those that were compiled for it.
        closed_reason: why it cannot be used any more; empty while it is open.
    """

    def __init__(
        self, backend: str | None = None, device: int | str | Gpu | None = None, *, dtype: object = "f32"
    ) -> None:
        check_not_forked()
        name, number = choose_device(backend, device)
        self.dtype = as_dtype(dtype)
        self.device: Device = open_device(name, number)
        self.closed_reason = ""
        self._closing = RLock()
        self._released = False
        self._stopped: list[StreamHandle] = []
        self._made: LiveObjects[Any] = LiveObjects()
        self.kernels: dict[object, CompiledKernel] = {}
        on_the_cpu = self.device.dlpack_type == 1
        self.memory_pool = (CheckedMemoryPool if on_the_cpu and is_checked() else MemoryPool)(self.device)
        self.default_stream = Stream(self, free_lists=self.memory_pool.default_free_lists)
        close_at_exit(self)

    @classmethod
    def default(cls) -> Context:
        """A context on what the configuration names, else on the best backend here.

        That is what the environment says (DL_BACKEND, DL_DEVICE, DL_DTYPE), then `dl.config.sdn` in this folder or one
        above it, then `preferred_backend()`.

        Raises:
            ConfigError: when the configuration is wrong; names file and line.
        """
        return create_context_from_config()

    @staticmethod
    def current() -> Context:
        """The context of the innermost `with ctx:` of this thread or task.

        Raises:
            ClosedError: when there is none.
        """
        return current_context()

    # what it is

    @property
    def backend_name(self) -> str:
        return self.device.backend

    @property
    def device_id(self) -> int:
        return self.device.index

    @property
    def device_name(self) -> str:
        """What the device's maker calls it."""
        return self.device.name

    @property
    def gpu(self) -> Gpu:
        """Its device, in words."""
        return Gpu(GpuBackend(self.device.backend), self.device.index, self.device.name)

    @property
    def closed(self) -> bool:
        return bool(self.closed_reason)

    def memory_info(self) -> tuple[int, int]:
        """Bytes of the device that are free, and bytes that it has."""
        self.check_open()
        return self.device.memory_info()

    def memory_statistics(self) -> MemoryStatistics:
        """What the context's memory pool holds."""
        self.check_open()
        return self.memory_pool.statistics()

    def trim(self) -> int:
        """Give the memory that arrays no longer use back to the device; returns how many bytes that were."""
        self.check_open()
        return self.memory_pool.trim()

    # arrays

    def alloc(self, shape: int | Sequence[int], dtype: object = None, *, stream: Stream | None = None) -> GpuArray:
        """A new array; what it holds is not defined.

        Args:
            shape: how many elements, or how many along each axis.
            dtype: one of `f16 bf16 f32 f64 i8 i16 i32 i64 u8 u16 u32 u64 bool`, or NumPy's or torch's; by default the
                context's.
            stream: whose work uses it first; the current one by default.

        Raises:
            MemoryError: when the device has too little left, with the numbers.
            ValueError: for a negative length.
            ClosedError: after the context was closed.
        """
        found = self.dtype if dtype is None else as_dtype(dtype)
        if stream is None:
            stream = chosen_stream(self)
        elif stream.__class__ is not Stream or stream.context is not self:
            stream = self.stream_for(stream)
        if shape.__class__ is int and shape >= 0:
            return GpuArray(self, self.memory_pool.allocate(shape * found.size, stream), found, (shape,))
        return self.empty(lengths_of(shape), found, stream)

    def empty(self, shape: tuple[int, ...], dtype: DType, stream: Stream) -> GpuArray:
        """The same for a shape, a dtype and a stream that were looked at already."""
        return GpuArray(self, self.memory_pool.allocate(element_count(shape) * dtype.size, stream), dtype, shape)

    def alloc_zeros(
        self, shape: int | Sequence[int], dtype: object = None, *, stream: Stream | None = None
    ) -> GpuArray:
        """A new array of zeros; otherwise like `alloc`."""
        return self.alloc(shape, dtype, stream=stream).fill(0, stream=stream)

    def alloc_upload(
        self,
        data: Any,
        dtype: object = None,
        *,
        casting: Casting = "checked",
        stream: Stream | None = None,
        non_blocking: bool = False,
    ) -> GpuArray:
        """A new array of the shape, dtype and elements of `data`.

        Args:
            data: a NumPy array, a buffer, a tensor in the memory of the CPU, or (nested) lists of numbers: floats
                become the context's dtype, ints i64 and bools bool, where `dtype` does not say otherwise.
            dtype: convert to this one, on the device.
            casting: "checked" looks at the data first when `dtype` may not hold it; "unsafe" converts as `cast` does,
                so that an integer wraps around, and a float that is too large becomes infinite.
            non_blocking: return when the copy is queued, see `GpuArray.upload`.

        Raises:
            ValueError: for empty or ragged data, or another casting.
            TypeError: for data of no dtype that arrays can have, or a fraction for whole numbers.
            OverflowError: for a number that `dtype` cannot hold.
            MemoryError, ClosedError: as `alloc` does.
        """
        wanted = None if dtype is None else as_dtype(dtype)
        if casting not in ("checked", "unsafe"):
            raise ValueError(f"casting is 'checked' or 'unsafe', not {casting!r}")
        buffer, found, shape = host_data(data, wanted, self.dtype, casting)
        if not element_count(shape):
            raise ValueError(f"there is no data in an array of shape {list(shape)}; ctx.alloc makes an empty array")
        if wanted is not None and found is not wanted and casting == "checked":
            try:
                check_range(buffer, found, wanted)
            except (OverflowError, TypeError) as error:
                raise type(error)(f"{error}; casting='unsafe' converts it nevertheless") from None
        array = self.alloc(shape, found, stream=stream)
        array._upload(buffer, self.stream_for(stream), non_blocking)
        return array if wanted is None else array.cast(wanted, stream=stream)

    def alloc_pinned(self, shape: int | Sequence[int], dtype: object = None) -> PinnedArray:
        """A new array in pinned memory of the host, between which and the device copies run beside Python.

        Raises:
            MemoryError: when so much cannot be pinned.
            ValueError, ClosedError: as `alloc` does.
        """
        self.check_open()
        pinned = PinnedArray(self.device, lengths_of(shape), self.dtype if dtype is None else as_dtype(dtype))
        self.register(pinned.pin)
        return pinned

    def from_dlpack(self, source: Any) -> GpuArray:
        """An array over the memory of another library's array, without a copy; see `unified_gpu.from_dlpack`."""
        return from_dlpack(source, self)

    # streams and kernels

    @property
    def current_stream(self) -> Stream:
        """The stream of the innermost `with stream:` of this thread or task, else the default stream."""
        return chosen_stream(self)

    def create_stream(self, priority: int = 0) -> Stream:
        """A queue of its own, which waits for no other.

        Args:
            priority: lower numbers go first, where the device has priorities.
        """
        self.check_open()
        return Stream(self, index(priority))

    def create_event(self, timing: bool = True) -> Event:
        """A point in a stream's work; without `timing` it is cheaper, and has no time."""
        self.check_open()
        return Event(self, timing)

    def stream_for(self, stream: Stream | None) -> Stream:
        """`stream`, or the current one.

        Raises:
            MixedContextsError: when it is of another context.
            TypeError: when it is no stream.
        """
        if stream is None:
            return chosen_stream(self)
        if stream.__class__ is not Stream:
            raise TypeError(f"a stream is wanted, as ctx.create_stream() makes it, not a {type(stream).__name__}")
        if stream.context is not self:
            message = f"a stream of {stream.context} cannot be used for work of {self}"
            raise MixedContextsError.between(stream.context, self, message)
        return stream

    def launch(
        self,
        kernel: Kernel,
        global_size: int | Sequence[int],
        args: Sequence[Any],
        *,
        local_size: int | Sequence[int] | None = None,
        stream: Stream | None = None,
        shared_bytes: int = 0,
    ) -> None:
        """Queue a kernel on a stream.

        Args:
            global_size: threads in all, along up to 3 axes.
            args: arrays for pointers, numbers for the rest, in the order of the source.
            local_size: threads of a block. Without it exactly `global_size` threads run, in blocks of a size that
                divides it; with it the last block may reach beyond, and the kernel has to look.
            stream: the current one by default.
            shared_bytes: dynamic shared memory of a block.

        Raises:
            TypeError: for another number of arguments, or one of another kind or dtype.
            OverflowError: for a number that its parameter cannot hold.
            ValueError: for sizes that no device has.
            MixedContextsError: for an array or stream of another context.
            KernelCompileError: when it is compiled now and does not.
        """
        if kernel.__class__ is not Kernel:
            what = type(kernel).__name__
            raise TypeError(f"a kernel is wanted, as Kernel.from_source makes it, not a {what}")
        compiled = self.kernels.get(kernel) or kernel.compile(self)
        if stream.__class__ is not Stream or stream.context is not self:
            stream = self.stream_for(stream)
        try:
            grid, block = blocks(global_size, local_size)
        except TypeError:  # a list is no key of the cache
            local_size = None if local_size is None else axes("local_size", local_size)
            grid, block = blocks(axes("global_size", global_size), local_size)
        queue = stream.handle
        arguments = compiled.pack(self, args, stream)
        self.device.launch(compiled.handle, grid, block, shared_bytes, arguments, compiled.offsets, queue)

    def sync(self) -> None:
        """Wait for all work of the context, on all of its streams; raises what queued work has raised."""
        self.check_open()
        for stream in self._live(Stream):
            if not stream.closed:
                stream.synchronize()
        self.memory_pool.wait_for_pending_streams()

    # the end

    def check_open(self) -> None:
        if self.closed_reason:
            raise ClosedError(self.closed_reason)

    def close(self) -> None:
        """Wait for all work and give everything back; closing it again does nothing.

        Arrays, streams and events raise ClosedError from its begin on, in all threads; what they had queued is done
        when it returns. Memory that was lent to other libraries lives until they let go of it. Work that fails now is
        not reported; call `sync` before, to know. After an interrupt, closing it again goes on.
        """
        with self._closing:
            if not self._released:
                self._stop_streams()
                wait_for_other_threads(_CLOSING)
                self._stop_streams()  # of streams that were being made
                self._finish()

    def _stop_streams(self) -> None:
        """Let nobody queue anything from now on."""
        self.closed_reason = self.closed_reason or f"{self} was closed, and all that was made by it"
        for stream in self._live(Stream):
            if handle := stream.stop():
                self._stopped.append(handle)

    def _finish(self) -> None:
        """Wait for what is queued, and release everything."""
        handles = [*self._stopped, *(stream.handle for stream in list(self.memory_pool.pending_streams))]
        for handle in handles:
            with suppress(Exception):  # reported to nobody: what matters here is that it is over
                wait(handle)
        self._released = True
        for handle in handles:
            handle.close()
        for made in self._made:
            made.release() if isinstance(made, Stream) else made.close()
        for kernel in self.kernels.values():
            kernel.close()
        self.kernels.clear()
        self.memory_pool.close()
        self._stopped.clear()
        self.memory_pool.pending_streams.clear()

    def __del__(self) -> None:
        """Finish what is queued of a context that nobody can close any more; no other thread has it either."""
        if not getattr(self, "_released", True):
            try:
                self._stop_streams()
                if handle := self.default_stream.stop():  # weak references to it are gone already
                    self._stopped.append(handle)
                self._finish()
            except AttributeError:  # it was never opened
                pass

    def __enter__(self) -> Self:
        self.check_open()
        contexts.set((self, contexts.get()))
        return self

    def __exit__(self, *exc: object) -> None:
        current = contexts.get()
        contexts.set(current[1] if current else None)
        self.close()

    def __repr__(self) -> str:
        return f"<Context {self.device.backend}:{self.device.index}>"

    def register(self, made: Any) -> None:
        """Remember something to be closed with the context, as long as it lives."""
        self._made.add(made)

    def _live(self, kind: type[Made]) -> list[Made]:
        return [made for made in self._made if isinstance(made, kind)]

    def abandon(self) -> object:
        """Leave everything behind in a forked process; returns what must never be released there."""
        if self.closed_reason:
            return None
        self.closed_reason = f"{self} was made before this process was forked; {AFTER_A_FORK}"
        self._released = True
        self._closing = RLock()  # another thread of the parent may have held it
        return [self.kernels, self.memory_pool.abandon(), [made.abandon() for made in list(self._made)]]


_CLOSING = {Context.close.__code__, Context.__exit__.__code__, Context.__del__.__code__}
"""In these a thread waits for another one that closes the context."""


def create_context_from_config(config: LocalConfig | None = None) -> Context:
    """A context on what `config` names, or the configuration of this folder; else on the best backend here.

    Raises:
        ConfigError: when it names a device that is not here, with file and line.
    """
    config = config or load_local_config()
    device: int | str | None = config.device
    if isinstance(device, str) and device.isdecimal():
        device = int(device)
    try:
        return Context(config.backend, device, dtype=config.dtype or "f32")
    except (BackendUnavailable, DeviceNotFound, ValueError) as error:
        order = ("backend", "device") if isinstance(error, BackendUnavailable) else ("device", "backend")
        places = [place for key in order if (place := (config.origin or {}).get(key))]
        if not places:
            raise
        if not isinstance(error, ValueError):  # which two that do not go together may be the fault of either
            del places[1:]
        raise ConfigError(f"{' and '.join(places)}: {error}") from error
