"""The cffi engine's handle types that extend others: results are of the class that C++ knows their objects to be.

Static: the same for all packages, and private to the one it lies in.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ._cffi_handles import Handle

if TYPE_CHECKING:
    from ._cffi_support import Bridge


def inherit(bridge: Bridge, classes: Mapping[int, tuple[type[Handle], Any]]) -> None:
    """Let these classes, by the numbers that the extension knows them by, make objects of one another.

    Their cells are `void *`: functions take those of all classes that extend what they declare.
    """
    number, own, cast = bridge.function("number"), bridge.own, bridge.ffi.cast

    def take(raw: Any) -> Any:
        kind, drop = classes[number(raw)]
        return own(kind, cast("void *", raw), drop)

    def take_address(at: int) -> Any:
        return take(cast("void *", at))

    for kind, _ in classes.values():
        kind._own, kind._own_address, kind._nearest = staticmethod(take), staticmethod(take_address), kind
