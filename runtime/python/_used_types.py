"""Handle classes of other packages in the cffi engine: cells cross from one package's cffi to the other's.

Static: the same for all packages, and private to the one it lies in.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ._support import ClosedHandleError

if TYPE_CHECKING:
    from ._cffi_support import Bridge
    from ._wire_codec import Codec


class UsedType:
    """A class of another package; `pointer` is what the functions of this one take."""

    def __init__(self, bridge: Bridge, kind: Any, pointer: str, *, lends: bool = False) -> None:
        ffi = bridge.ffi
        self._cells: Any = _cells() if lends else None
        self._bridge, self._kind = bridge, kind
        self._cast, self._pointer, self._address = ffi.cast, ffi.typeof(pointer), ffi.typeof("uintptr_t")
        self._pointers = f"{pointer}*"
        self._is_stub = _is_stub(bridge)

    def cell(self, value: Any) -> Any:
        """The cell of an object, which may be closed."""
        if self._is_stub:
            return self._bridge.ffi.NULL
        raw = self._cast(self._pointer, value._h)
        if self._cells is not None:
            self._cells[int(self._cast(self._address, raw))] = value
        return raw

    def cell_or_null(self, value: Any, what: str) -> Any:
        """The same of one that may be missing, and that another argument's conversion must not have closed."""
        if value is None:
            return self._bridge.ffi.NULL
        if value.closed:
            raise ClosedHandleError(f"{what}: this {type(value).__name__} is closed")
        return self.cell(value)

    def take(self, value: Any, what: str) -> Any:
        """The argument, if it is an open object of the class."""
        return value if self._is_stub else self._bridge.handle_in(value, self._kind, what)

    def take_all(self, values: Iterable[Any], what: str) -> list[Any]:
        """The same of a sequence."""
        return list(values) if self._is_stub else self._bridge.handles_in(values, self._kind, what)

    def give(self, raw: Any) -> Any:
        """The object of a cell that a call gave."""
        return self._kind._own_address(int(self._cast(self._address, raw)))

    # --- as a class that lends others: `_lifetimes.Tracked` ---

    @property
    def _give_again(self) -> Any:
        return getattr(self._kind, "_give_again", None)

    def _closed(self) -> Any:
        make = getattr(self._kind, "_closed", None)
        return make() if make else None

    def _own_address(self, address: int) -> Any:
        return self._kind._own_address(address)

    def give_all(self, buffer: Any) -> list[Any]:
        """The objects of a list of cells."""
        return [self.give(raw) for raw in self._bridge.list_out_of(buffer, self._pointers)]


def _is_stub(bridge: Bridge) -> bool:
    """Whether no call needs a cell: the classes may then be those of another engine."""
    return bool(bridge.function("is_stub")())


def used_codec(bridge: Bridge, kind: Any, package: str, name: str) -> Codec:
    """The codec of a record of another package: its own; in a stub any, which no call needs."""
    if not _is_stub(bridge) or sys.modules[package].ENGINE == "cffi":
        found: Codec = getattr(import_module(f"{package}._cffi_engine"), name)
        return found
    from ._wire_codec import Codec

    class Anything(Codec):
        wanted = kind.__name__
        exact = frozenset({kind})

        def write(self, values: Sequence[Any], out: Any) -> None:
            pass

        def take(self, value: Any, call: Any) -> Any:
            return value

    return Anything()


def _cells() -> Any:
    """Objects that lend others, by their cells; imported only where there are some."""
    from ._lifetimes import CELLS

    return CELLS
