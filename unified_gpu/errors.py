"""The exceptions of unified_gpu; beside them, ValueError, TypeError and MemoryError mean what they always do."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn


def count_of(number: int, noun: str) -> str:
    """`1 argument`, `2 arguments`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def with_article(noun: str) -> str:
    """As messages have a noun: "an int", "a list"."""
    return f"{'an' if noun[:1] in 'aeiouAEIO' else 'a'} {noun}"


def refuse_to_set(name: str, instead: str) -> Callable[[object, object], NoReturn]:
    """What sets a property that cannot be set: it says what to do instead."""

    def refuse(of: object, value: object) -> NoReturn:
        raise AttributeError(f"{name} of a {type(of).__name__} cannot be set; {instead}", name=name, obj=of)

    return refuse


class GpuError(RuntimeError):
    """The base of all errors that only this library raises."""


class BackendUnavailable(GpuError):
    """A backend cannot be used here; the message names the reason, and what to install or choose."""


class DeviceNotFound(GpuError):
    """The backend has no device of that number."""


class ClosedError(GpuError, ValueError):
    """A context, stream, event or array is used after it, or its context, was closed, or in a forked process."""


class MixedContextsError(GpuError, ValueError):
    """Arrays, streams, events or kernels of different contexts meet in one call."""

    @classmethod
    def between(cls, theirs: object, ours: object, message: str) -> MixedContextsError | ClosedError:
        """The error about two contexts: where one is closed, that; where both are of one device, with their numbers."""
        for context in (theirs, ours):
            if reason := getattr(context, "closed_reason", ""):
                return ClosedError(f"{message}; {reason}")
        if str(theirs) == str(ours):
            numbers = [getattr(context, "number", "?") for context in (theirs, ours)]
            message += (
                f"; these are two Contexts of one device, {numbers[0]} and {numbers[1]} by ctx.number, and share "
                "nothing: do all of it with one of them, such as array.context"
            )
        return cls(message)


class RecordingError(GpuError):
    """A recording, `with ctx.record() as graph:`, has what no graph can have, or a graph has nothing to launch."""


class EventNotRecorded(GpuError):
    """An event is waited for or measured that no stream has recorded."""


class ProcessGroupError(GpuError):
    """Processes could not combine their arrays: one of them has ended or cannot be reached, or they do not agree."""


class ConfigError(GpuError, ValueError):
    """A configuration file or an environment variable has an invalid value; the message names file and line."""


class KernelCompileError(GpuError):
    """A kernel's source does not compile.

    Attributes:
        log: the compiler's messages, with the line numbers of the source.
    """

    def __init__(self, message: str, log: str = "") -> None:
        super().__init__(f"{message}\n{log}" if log else message)
        self.log = log


class KernelSourceError(KernelCompileError):
    """A kernel written in Python cannot be compiled; the message shows the file, the line and the place in it."""
