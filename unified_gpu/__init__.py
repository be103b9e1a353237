"""One Context for GPU memory, streams, kernels and pipelines, whatever the backend.

from unified_gpu import Context

with Context.default() as ctx:
    a = ctx.alloc_upload([1.0, 2.0, 3.0])
    print((a * 2 + 1).download())
"""

from .arrays import operations
from .arrays.array import GpuArray
from .arrays.operations import (
    add,
    cast,
    div,
    eq,
    exp,
    ge,
    gt,
    le,
    log,
    lt,
    matmul,
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
from .backends import BackendReport, Gpu, GpuBackend, detect_backends, diagnose, preferred_backend
from .config import LocalConfig, load_local_config
from .context import Context, create_context_from_config, from_dlpack
from .dtypes import DType
from .errors import (
    BackendUnavailable,
    ClosedError,
    ConfigError,
    DeviceNotFound,
    EventNotRecorded,
    GpuError,
    KernelCompileError,
    MixedContextsError,
    ProcessGroupError,
)
from .kernels.kernel import Kernel
from .pipelines.multi import MultiContext
from .pipelines.pipeline import Pipeline, PipelineCancelled, PipelineStatistics
from .runtime.event import Event
from .runtime.memory_pool import MemoryStatistics
from .runtime.pinned import PinnedArray
from .runtime.stream import Stream

__all__ = [
    "BackendReport",
    "BackendUnavailable",
    "ClosedError",
    "ConfigError",
    "Context",
    "DType",
    "DeviceNotFound",
    "Event",
    "EventNotRecorded",
    "Gpu",
    "GpuArray",
    "GpuBackend",
    "GpuError",
    "Kernel",
    "KernelCompileError",
    "LocalConfig",
    "MemoryStatistics",
    "MixedContextsError",
    "MultiContext",
    "PinnedArray",
    "Pipeline",
    "PipelineCancelled",
    "PipelineStatistics",
    "ProcessGroupError",
    "Stream",
    "add",
    "cast",
    "create_context_from_config",
    "detect_backends",
    "diagnose",
    "div",
    "eq",
    "exp",
    "from_dlpack",
    "ge",
    "gt",
    "le",
    "load_local_config",
    "log",
    "lt",
    "matmul",
    "maximum",
    "mean",
    "minimum",
    "mul",
    "ne",
    "neg",
    "preferred_backend",
    "relu",
    "sigmoid",
    "sqrt",
    "sub",
    "tanh",
    "where",
]

# They are for `unified_gpu.sum(…)`; `from unified_gpu import *` leaves Python's own functions alone.
abs, max, min = operations.abs, operations.max, operations.min
pow, sum = operations.pow, operations.sum
