"""One Context for GPU memory, streams, kernels and pipelines, whatever the backend.

from unified_gpu import Context

with Context.default() as ctx:
    a = ctx.alloc_upload([1.0, 2.0, 3.0])
    print((a * 2 + 1).download())
"""

from typing import TYPE_CHECKING

from . import elsewhere, library
from .arrays import operations
from .arrays.array import GpuArray
from .arrays.operations import (
    add,
    cast,
    div,
    divide,
    eq,
    exp,
    ge,
    gt,
    le,
    log,
    lt,
    maximum,
    mean,
    minimum,
    mul,
    ne,
    neg,
    relu,
    sigmoid,
    sqrt,
    sub,
    tanh,
    where,
)
from .arrays.products import matmul
from .backends import BackendReport, Gpu, GpuBackend, detect_backends, diagnose, preferred_backend
from .config import LocalConfig, load_local_config
from .context import Context, create_context_from_config, from_dlpack
from .dtypes import DType
from .elementwise.definition import Elementwise, elementwise
from .errors import (
    BackendUnavailable,
    ClosedError,
    ConfigError,
    DeviceNotFound,
    EventNotRecorded,
    GpuError,
    KernelCompileError,
    KernelSourceError,
    MixedContextsError,
    ProcessGroupError,
    RecordingError,
)
from .kernels.decorated.definition import PythonKernel, kernel
from .kernels.kernel import Kernel
from .library import *  # noqa: F403 -- its `__all__` is a part of this one
from .pipelines.multi import MultiContext
from .pipelines.pipeline import Pipeline, PipelineCancelled, PipelineStatistics
from .runtime.event import Event
from .runtime.graph import Graph
from .runtime.memory_pool import MemoryStatistics
from .runtime.pinned import PinnedArray
from .runtime.stream import Stream
from .structs import Struct

if TYPE_CHECKING:  # a dtype is a class there, by which annotations of kernels are checked
    from typing import Annotated as Array

    from .kernels.names import (
        atomic_add,
        atomic_and,
        atomic_cas,
        atomic_exchange,
        atomic_max,
        atomic_min,
        atomic_or,
        atomic_xor,
        barrier,
        block_all,
        block_any,
        block_max,
        block_min,
        block_sum,
        device,
        f16,
        f32,
        f64,
        global_id,
        global_size,
        group_count,
        group_id,
        i8,
        i16,
        i32,
        i64,
        lane_id,
        local,
        local_id,
        local_size,
        philox,
        rsqrt,
        shared,
        subgroup_all,
        subgroup_any,
        subgroup_ballot,
        subgroup_count,
        subgroup_id,
        subgroup_max,
        subgroup_min,
        subgroup_shuffle,
        subgroup_shuffle_down,
        subgroup_shuffle_up,
        subgroup_shuffle_xor,
        subgroup_size,
        subgroup_sum,
        u8,
        u16,
        u32,
        u64,
        uniform,
    )
else:
    from .dtypes import f16, f32, f64, i8, i16, i32, i64, u8, u16, u32, u64
    from .kernels.language import (
        Array,
        atomic_add,
        atomic_and,
        atomic_cas,
        atomic_exchange,
        atomic_max,
        atomic_min,
        atomic_or,
        atomic_xor,
        barrier,
        block_all,
        block_any,
        block_max,
        block_min,
        block_sum,
        device,
        global_id,
        global_size,
        group_count,
        group_id,
        lane_id,
        local,
        local_id,
        local_size,
        rsqrt,
        shared,
        subgroup_all,
        subgroup_any,
        subgroup_ballot,
        subgroup_count,
        subgroup_id,
        subgroup_max,
        subgroup_min,
        subgroup_shuffle,
        subgroup_shuffle_down,
        subgroup_shuffle_up,
        subgroup_shuffle_xor,
        subgroup_size,
        subgroup_sum,
        uniform,
    )
    from .library.random_kernels import philox

__all__ = [
    "Array",
    "BackendReport",
    "BackendUnavailable",
    "ClosedError",
    "ConfigError",
    "Context",
    "DType",
    "DeviceNotFound",
    "Elementwise",
    "Event",
    "EventNotRecorded",
    "Gpu",
    "GpuArray",
    "GpuBackend",
    "GpuError",
    "Graph",
    "Kernel",
    "KernelCompileError",
    "KernelSourceError",
    "LocalConfig",
    "MemoryStatistics",
    "MixedContextsError",
    "MultiContext",
    "PinnedArray",
    "Pipeline",
    "PipelineCancelled",
    "PipelineStatistics",
    "ProcessGroupError",
    "PythonKernel",
    "RecordingError",
    "Stream",
    "Struct",
    "add",
    "atomic_add",
    "atomic_and",
    "atomic_cas",
    "atomic_exchange",
    "atomic_max",
    "atomic_min",
    "atomic_or",
    "atomic_xor",
    "barrier",
    "block_all",
    "block_any",
    "block_max",
    "block_min",
    "block_sum",
    "cast",
    "create_context_from_config",
    "detect_backends",
    "device",
    "diagnose",
    "div",
    "divide",
    "elementwise",
    "eq",
    "exp",
    "f16",
    "f32",
    "f64",
    "from_dlpack",
    "ge",
    "global_id",
    "global_size",
    "group_count",
    "group_id",
    "gt",
    "i8",
    "i16",
    "i32",
    "i64",
    "kernel",
    "lane_id",
    "le",
    "load_local_config",
    "local",
    "local_id",
    "local_size",
    "log",
    "lt",
    "matmul",
    "maximum",
    "mean",
    "minimum",
    "mul",
    "ne",
    "neg",
    "philox",
    "preferred_backend",
    "relu",
    "rsqrt",
    "shared",
    "sigmoid",
    "sqrt",
    "sub",
    "subgroup_all",
    "subgroup_any",
    "subgroup_ballot",
    "subgroup_count",
    "subgroup_id",
    "subgroup_max",
    "subgroup_min",
    "subgroup_shuffle",
    "subgroup_shuffle_down",
    "subgroup_shuffle_up",
    "subgroup_shuffle_xor",
    "subgroup_size",
    "subgroup_sum",
    "tanh",
    "u8",
    "u16",
    "u32",
    "u64",
    "uniform",
    "where",
]

__all__ += library.__all__

# They are for `unified_gpu.sum(…)`; `from unified_gpu import *` leaves Python's own functions alone.
abs, max, min = operations.abs, operations.max, operations.min
pow, sum = operations.pow, operations.sum
all, any, round = library.all, library.any, library.round

if not TYPE_CHECKING:  # type checkers report a name that does not exist

    def __getattr__(name: str) -> object:
        instead = elsewhere.FUNCTIONS.get(name)
        raise AttributeError(f"module 'unified_gpu' has no {name!r}{f'; use {instead}' if instead else ''}")
