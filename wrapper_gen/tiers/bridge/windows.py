"""How the call of a stream is lent its input and its room: by C structs of its own, or by members of the handle."""

from __future__ import annotations

from collections.abc import Iterator

from wrapper_gen.model import Streaming, Window

SINK_ARGUMENT = "WG_PLAIN(&wg_sink)"
SOURCE_ARGUMENT = "WG_PLAIN(&wg_source)"


def lent(streaming: Streaming | None) -> Iterator[str]:
    """The statements that declare what lends the room, `wg_sink`, and what lends the input, `wg_source`."""
    if streaming is None:
        return
    for name, window in (("wg_sink", streaming.stream.output), ("wg_source", source(streaming))):
        if window is None:
            yield f"auto &{name} = wg_sink;"
        else:
            yield f"{window.cpp_type} {name}{{}};" if window.cpp_type else f"auto &{name} = wg::object(wg_h.inner);"


def source(streaming: Streaming) -> Window | None:
    """The window of the input, where the call has one."""
    return streaming.stream.input if streaming.input else None


def stream_arguments(streaming: Streaming, parameter: str) -> list[str]:
    """What stands in the call for a parameter of a stream's own; for none, where there is no input."""
    if parameter != streaming.input:
        return []
    own = source(streaming)
    arguments = [SINK_ARGUMENT] * bool(streaming.stream.output.cpp_type)
    return arguments + [SOURCE_ARGUMENT] * bool(own and own.cpp_type)


def type_of(window: Window | None, name: str) -> str:
    """The C++ type of a window, over what lends it."""
    if window is None:
        return "wg::NoWindow"
    own = f"std::decay_t<decltype({name})>"
    return f"wg::Window<{', '.join(f'&{own}::{member}' for member in window.members)}>"
