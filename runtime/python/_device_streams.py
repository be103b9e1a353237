"""Streams of devices, in the cffi engine: by their handles.

Static: the same for all packages, and private to the one it lies in.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any

from ._wire_codec import Call, Codec, Encoded, Refusal, only


class DeviceStream(Codec):
    """The handle of a stream: an int, or an object that has one; None is the default stream, 0."""

    wanted = "an int, an object with __cuda_stream__, or None"
    exact = frozenset({int, type(None)})

    def write(self, values: Sequence[Any], out: Encoded) -> None:
        only({int, type(None)}, values)
        out.parts.append(array("Q", [value or 0 for value in values]))

    def take(self, value: Any, call: Call) -> int:
        handle = handle_of(value)
        if not issubclass(type(handle), int) or isinstance(handle, bool):  # isinstance would ask the object what it is
            raise Refusal(self.wanted, value)
        if not 0 <= handle < 2**64:
            raise Refusal("a handle", handle, "range")
        return int(handle)


def handle_of(value: Any) -> Any:
    """What may be the handle of a stream."""
    if value is None:
        return 0
    protocol = getattr(value, "__cuda_stream__", None)
    if protocol is None or issubclass(type(value), int):
        return value
    _, handle = protocol()
    return handle


def stream_of(value: Any) -> int:
    """The handle that the producers of memory are told."""
    handle = handle_of(value)
    return handle if issubclass(type(handle), int) and 0 <= handle < 2**64 else 0
