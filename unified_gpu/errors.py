"""The exceptions of unified_gpu; beside them, ValueError, TypeError and MemoryError mean what they always do."""

from __future__ import annotations


class GpuError(RuntimeError):
    """The base of all errors that only this library raises."""


class BackendUnavailable(GpuError):
    """A backend cannot be used here; the message says why, and what to install or choose."""


def not_importable(missing: ImportError, mend: str) -> BackendUnavailable:
    """Why a package cannot be used; one that is there, but not built, says itself what to do."""
    return BackendUnavailable(f"{missing}; {mend}" if isinstance(missing, ModuleNotFoundError) else f"{missing}")


class DeviceNotFound(GpuError):
    """The backend has no device of that number."""


class ClosedError(GpuError, ValueError):
    """A context, stream, event or array is used after it, or its context, was closed, or in a forked process."""


class MixedContextsError(GpuError, ValueError):
    """Arrays, streams, events or kernels of different contexts meet in one call."""


class EventNotRecorded(GpuError):
    """An event is waited for or measured that no stream was ever told to record."""


class ProcessGroupError(GpuError):
    """Processes could not combine their arrays: one of them has ended or cannot be reached, or they do not agree."""


class ConfigError(GpuError, ValueError):
    """A configuration file or an environment variable says something that is not understood; names file and line."""


class KernelCompileError(GpuError):
    """A kernel's source does not compile.

    Attributes:
        log: the compiler's messages, with the line numbers of the source.
    """

    def __init__(self, message: str, log: str = "") -> None:
        super().__init__(f"{message}\n{log}" if log else message)
        self.log = log
