"""The cffi engine's handles that lend others, or are lent: each finds the object that is its owner.

Static: the same for all packages, and private to the one it lies in.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import RLock
from typing import TYPE_CHECKING, Any, ClassVar, cast
from weakref import WeakValueDictionary

from ._cffi_handles import Handle
from ._support import ClosedHandleError, another_made

if TYPE_CHECKING:
    from typing import Self

    from ._cffi_support import Bridge


class Tracked(Handle):
    """A handle that lends others, or is lent: then it holds on to its owner."""

    __slots__ = ("_held", "_is_known", "_owned_others", "_owner")

    _held: dict[int, dict[int, Handle]] | None
    """What it holds, by the entry that it was given to, where Python has to hold that: _held_objects.py."""
    _is_known: bool
    _owned_others: bool
    """Whether it owned itself before it came to belong to its owner: what belonged to it finds that by it."""
    _owner: Tracked | None
    """None where it owns itself, or is closed."""
    _close_lent: ClassVar[Callable[[Any], None] | None] = None
    """Closes what it has lent, where the spec says that `close()` does."""
    _give_again: ClassVar[Callable[[Any], bool] | None] = None
    """Counts a cell that no call has returned as if one had; false where nothing in Python had it any more."""
    _ask_owner: ClassVar[Callable[[Any], Any] | None] = None
    """Finds the owner of what owns itself: that may have come to belong to another one."""
    _end: ClassVar[Callable[[Any], None] | None] = None
    """Closes the cell of what lends, which a running call may use longer: whose owner it is then finds this object."""

    def _start(self) -> None:
        super()._start()
        self._owner, self._held, self._is_known, self._owned_others = None, None, False, False

    def _take(self, made: Handle) -> None:
        super()._take(made)
        CELLS[type(self)._address(self._h)] = self
        self._owner, cast("Tracked", made)._owner = cast("Tracked", made)._owner, None

    @classmethod
    def _adopt(cls, made: Handle) -> Self:
        if not isinstance(made, cls) and cast("Tracked", made)._is_known:
            raise another_made(cls, type(made))
        return super()._adopt(made)

    def close(self) -> None:
        """Release the handle now; closing it again does nothing."""
        close_lent = type(self)._close_lent
        if close_lent is not None:
            close_lent(self._h)
        raw, end = self._h, type(self)._end
        super().close()
        if end is not None and raw and type(self)._uses is None:
            end(raw)
        self._held = None
        if not self._owned_others:
            self._owner = None

    def _find_owner(self, name: str) -> Any:
        """Its owner, or itself."""
        owner = self._owner
        if not self._h:
            raise ClosedHandleError(f"{name}: this handle is closed")
        ask = type(self)._ask_owner
        if ask is not None and owner is not None:
            owner = ask(self._h)
        return self if owner is None else owner

    @classmethod
    def _track(
        cls,
        bridge: Bridge,
        *,
        lender: Any = None,
        lends: bool = True,
        closes_lent: bool = False,
        has_identity: bool = False,
    ) -> None:
        """Let objects of this class be found by their cells, and find their owners.

        A cell is dropped once for each time that the extension gave it. With `has_identity`, it may give one again. So
        does what looks for an owner without an object that is found: the collector of cycles hides what it is about to
        finalize, and a finalizer may use that all the same.
        """
        is_found = lends or has_identity
        if closes_lent:
            cls._close_lent = staticmethod(bridge.function("close_lent"))
        if is_found:
            cls._end = staticmethod(bridge.function("close"))
        own = cls._own
        address: Callable[[Any], int] = cls._address
        owner_of, is_closed = bridge.function("owner"), bridge.function("is_closed")
        cls._give_again = staticmethod(bridge.function("give_again")) if is_found else None
        drop, cell_at = cls._drop, cls._cell_at

        def find_owner(raw: Any) -> Any:
            cell = owner_of(raw) if lender else None
            if not cell or lender is None:
                return None
            at = address(cell)
            found = CELLS.get(at)
            if found is not None and (found._h or is_closed(cell)):
                return found
            give_again = lender._give_again
            if is_closed(cell) or give_again is None or not give_again(cell):
                return lender._closed()
            return lender._own_address(at)

        def settle(made: Tracked, at: int) -> Tracked:
            made._owner, made._held, made._is_known, made._owned_others = find_owner(made._h), None, False, False
            if has_identity:
                with _SETTLING:
                    found = _there(at)
                    if found is not None:  # another thread was first; what is made here is dropped
                        found._is_known = True
                        return found
                    CELLS[at] = made
            elif is_found:
                CELLS[at] = made
            return made

        def take(raw: Any) -> Tracked:
            at = address(raw)
            found = _there(at)
            if found is None:
                return settle(own(raw), at)
            found._is_known = found._is_known or has_identity
            if cls._ask_owner is not None and found._owner is None:
                found._owner = find_owner(found._h)
                found._owned_others = found._owner is not None
            drop(raw)
            return found

        if isinstance(lender, type) and issubclass(cls, lender):  # one of another package is no class here
            cls._ask_owner = staticmethod(find_owner)
        cls._own, cls._own_address = staticmethod(take), staticmethod(lambda at: take(cell_at(at)))

    @classmethod
    def _closed(cls) -> Self:
        """An owner that was closed, and of which nothing in Python was left."""
        made = object.__new__(cls)
        made._h, made._owner, made._held, made._is_known, made._owned_others = cls._null, None, None, False, False
        return made


class Perishable(Tracked):
    """A handle that a call on another object may end: the extension knows whether one has."""

    __slots__ = ("_raw",)

    _raw: Any
    _is_closed: ClassVar[Callable[[Any], bool]]

    @property
    def _h(self) -> Any:  # in other handles it is an attribute, which nobody else changes
        raw = self._raw
        return self._null if raw and type(self)._is_closed(raw) else raw

    @_h.setter
    def _h(self, raw: Any) -> None:
        self._raw = raw

    def close(self) -> None:
        """Release the handle now; closing it again does nothing."""
        super().close()
        if self._raw:  # a call has ended it
            self._raw = self._null

    @classmethod
    def _track(cls, bridge: Bridge, **about: Any) -> None:
        super()._track(bridge, **about)
        cls._is_closed = staticmethod(bridge.function("is_closed"))


CELLS: WeakValueDictionary[int, Handle] = WeakValueDictionary()
"""Objects that lend others, by the addresses of their cells; a closed one may have an address that another has now."""

_SETTLING = RLock()
"""One thread at a time says which object a cell has. The collector may run meanwhile, and call what makes others."""


def _there(at: int) -> Tracked | None:
    """The object of this cell: made before where something that it lends came first in a result, or with identity."""
    found = cast("Tracked | None", CELLS.get(at))
    return found if found is not None and found._h else None
