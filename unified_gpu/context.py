"""Context: a device, and all that was made on it; closing it gives everything back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, SupportsIndex, cast

from . import array_api, library
from .arrays.array import GpuArray
from .backends import DLPACK_VULKAN, Gpu
from .backends.protocols import ModuleDevice
from .config import LocalConfig, load_local_config
from .errors import BackendUnavailable, ConfigError, DeviceNotFound, KernelSourceError, with_article
from .kernels.decorated.definition import PythonKernel
from .kernels.decorated.launch import launch
from .kernels.kernel import CompiledKernel, Kernel, axes, blocks
from .library.creation import CreatingContext
from .runtime.context import current_context
from .runtime.stream import Stream


class Context(CreatingContext):
    """A device to work on: `with Context.default() as ctx:`.

    Several can be open at once, on one device or on several; what was made by one is not used with another. All
    methods can be called from any thread.

    Args:
        backend: `cuda`, `torch`, `vulkan`, `cpu`; the best one here when left out, see `preferred_backend`.
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
        number: which context of this process it is, from 1; two of one device are told apart by it.
    """

    kernels: dict[object, CompiledKernel]
    functions = library
    array_namespace = array_api

    def __init__(
        self, backend: str | None = None, device: int | str | Gpu | None = None, *, dtype: object = "f32"
    ) -> None:
        self.array_type = GpuArray
        super().__init__(backend, device, dtype=dtype)
        if self.device.dlpack_type == DLPACK_VULKAN:
            from .kernels.operations.operations import PythonOperations  # only here, because few contexts need it

            opened = cast(ModuleDevice, self.device)
            opened.use_operations(PythonOperations(opened))

    @classmethod
    def default(cls, backend: str | None = None) -> Context:
        """A context on what the configuration names, else on the best backend here.

        That is what the environment names (DL_BACKEND, DL_DEVICE, DL_DTYPE), then `dl.config.sdn` in this folder or one
        above it, then `preferred_backend()`.

        Args:
            backend: to be used instead of the configuration's, as where `--backend` names it; None names none. The
                device is that of the configuration only where this is for the same backend.

        Raises:
            ConfigError: when the configuration is wrong; names file and line.
            BackendUnavailable, DeviceNotFound, ValueError: as `Context(backend)` does.
        """
        config = load_local_config()
        if backend is not None and backend != config.backend:
            is_its_own = (config.device or "").partition(":")[0] == backend
            origin = {key: place for key, place in (config.origin or {}).items() if key == "device"}
            config = replace(config, backend=backend, device=config.device if is_its_own else None, origin=origin)
        return create_context_from_config(config)

    @staticmethod
    def current() -> Context:
        """The context of the innermost `with ctx:` of this thread or task.

        Raises:
            ClosedError: when there is none.
        """
        context = current_context()
        assert isinstance(context, Context)
        return context

    @property
    def subgroup_size(self) -> int:
        """How many threads of a block form a subgroup in kernels written in Python; in CUDA it is called a warp."""
        return self.device.subgroup_size

    def launch(
        self,
        kernel: Kernel | PythonKernel,
        global_size: SupportsIndex | Iterable[SupportsIndex],
        args: Sequence[Any] | dict[str, Any],
        *,
        local_size: SupportsIndex | Iterable[SupportsIndex] | None = None,
        stream: Stream | None = None,
        shared_bytes: int = 0,
    ) -> None:
        """Queue a kernel on a stream.

        Args:
            global_size: threads in all, along 1 to 3 axes: a whole number or one for each axis, also NumPy's.
            args: arrays for pointers, numbers for the rest, in the order of the source; of a kernel in Python also a
                dict by the names of its parameters, and without those that have a default.
            local_size: threads of a block, with as many axes. Whole blocks run then, so that the last may reach beyond
                `global_size`, and the kernel tests its index. Without it exactly `global_size` threads run; a kernel
                in Python that asks for its block (`shared`, `barrier`, `local_id`, `group_id`, `local_size`,
                `group_count`, `block_sum` and its like, subgroups) needs it.
            stream: the current one by default.
            shared_bytes: dynamic shared memory of a block.

        Raises:
            TypeError: for another number of arguments, or one of another kind or dtype.
            OverflowError: for a number that its parameter cannot hold.
            ValueError: for sizes that no device has, and without a `local_size` that the kernel needs.
            MixedContextsError: for an array or stream of another context.
            KernelCompileError: when it is compiled now and does not.
        """
        try:
            if kernel.__class__ is not Kernel:
                if not isinstance(kernel, PythonKernel):
                    what = with_article(type(kernel).__name__)
                    raise TypeError(f"a kernel is wanted, as @kernel or Kernel.from_source makes it, not {what}")
                if shared_bytes:
                    raise ValueError("a kernel written in Python names its shared memory itself: shared(dtype, shape)")
                return launch(self, kernel, global_size, args, local_size, self.stream_for(stream))
            compiled = self.kernels.get(kernel) or kernel.compile(self)
            if stream.__class__ is not Stream or stream.context is not self:
                stream = self.stream_for(stream)
            grid, block = blocks(
                axes("global_size", global_size), None if local_size is None else axes("local_size", local_size)
            )
            queue = stream.handle
            stream.launched = kernel.name
            arguments = compiled.arguments
            packed = arguments.pack(self, cast(Sequence[Any], args), stream)
            self.device.launch(compiled.handle, grid, block, shared_bytes, packed, arguments.layout.offsets, queue)
        except (KernelSourceError, TypeError, ValueError, OverflowError) as error:
            raise error.with_traceback(None) from None  # the launch is wrong, or a line of the kernel; none of these


def from_dlpack(source: Any, context: Context | None = None) -> GpuArray:
    """`Context.from_dlpack` of `context`, or of the current one."""
    return (context or Context.current()).from_dlpack(source)


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
        if not isinstance(error, ValueError):  # the caller or the configuration may have named what does not fit
            del places[1:]
        raise ConfigError(f"{' and '.join(places)}: {error}") from error
