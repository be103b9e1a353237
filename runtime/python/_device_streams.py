"""Streams of devices, in the cffi engine: by their handles.

Static: the same for all packages, and private to the one it lies in.
"""

from __future__ import annotations

import sys
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
    if issubclass(type(value), int):
        return value
    if protocol is None:  # torch's streams have had it for some time only
        return getattr(value, "cuda_stream", value)
    _, handle = protocol()
    return handle


def current(value: Any, *memory: Any) -> Any:
    """The stream of a call. Where that is None: torch's current one, if the first memory is torch's, on a device."""
    tensors = getattr(sys.modules.get("torch"), "Tensor", None) if value is None else None
    first: Any = next((each for each in memory if each is not None), None)
    if tensors is not None and isinstance(first, tensors) and first.is_cuda:
        return sys.modules["torch"].cuda.current_stream(first.device)
    return value


def told(value: Any, *memory: Any) -> tuple[int, int]:
    """What producers of memory are told: the handle of the stream, and the number of its device, or -1."""
    stream = current(value, *memory)
    handle = handle_of(stream)
    found = (getattr(stream, name, None) for name in ("device_index", "device_id"))
    number = next((each for each in found if isinstance(each, int) and each >= 0), -1)
    return (handle if issubclass(type(handle), int) and 0 <= handle < 2**64 else 0), number
