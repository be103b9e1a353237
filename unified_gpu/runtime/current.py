"""What `with` has made current in a thread or task: a context, and streams."""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING

from unified_gpu.errors import ClosedError

if TYPE_CHECKING:
    from unified_gpu.context import Context

    from .stream import Stream

Contexts = tuple["Context", "Contexts"] | None
Streams = tuple["Stream", "Streams"] | None
"""Those of `with`, the innermost first."""

contexts: ContextVar[Contexts] = ContextVar("unified_gpu_contexts", default=None)
streams: ContextVar[Streams] = ContextVar("unified_gpu_streams", default=None)


def current_context() -> Context:
    """The context of the innermost `with ctx:` of this thread or task.

    Raises:
        ClosedError: when there is none.
    """
    current = contexts.get()
    if current is None:
        raise ClosedError("no context is current here; use `with Context.default() as ctx:`")
    return current[0]


def chosen_stream(context: Context) -> Stream:
    """The innermost stream of `context` that this thread or task has chosen by `with stream:`, else the default one."""
    chosen = streams.get()
    while chosen is not None:
        if chosen[0].context is context:
            return chosen[0]
        chosen = chosen[1]
    return context.default_stream
