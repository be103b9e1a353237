"""The cffi engine's arguments that are memory of several dimensions, or with strides.

Static: the same for all packages, and private to the one it lies in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._cffi_numbers import NUMBERS

if TYPE_CHECKING:
    from typing import Self


class _View(tuple[Any, Any]):
    """The address, and the extents and strides, of memory that is exported as long as this is referred to."""

    owner: Any

    def __new__(cls, address: Any, layout: Any, owner: Any) -> Self:
        self = super().__new__(cls, (address, layout))
        self.owner = owner
        return self


_PLACES = ("", "cuda", "cpu | cuda")
"""Where memory has to lie, as the extension numbers them."""


def view_in(
    extension: Any,
    value: Any,
    what: str,
    kind: str,
    writable: bool,
    dimensions: int,
    order: str,
    device: str = "",
    stream: tuple[int, int] | None = None,
) -> Any:
    """What the call is given; the extension looks at the memory. Producers of that of a device are told the stream."""
    view = getattr(extension, "view", None)
    if view is None:
        raise TypeError(f"{what}: memory of several dimensions needs CPython")
    ffi = extension.ffi
    address, layout, owner = view(value, what, kind, writable, dimensions, order, _PLACES.index(device), stream)
    return _View(ffi.cast(f"{NUMBERS[kind].c} *", address), ffi.from_buffer("int64_t[]", layout), owner)
