"""The cffi engine's handles of which one object stands for each pointer: what holds one holds its Python object.

The extension holds what the object stands for. It does not know its class, or attributes that Python gave it.

Static: the same for all packages, and private to the one it lies in.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

from ._cffi_handles import Handle
from ._lifetimes import Tracked

Holder = TypeVar("Holder")
_MOST = 256
"""Objects that a search for a cycle looks at: a step along a chain is not to take longer the longer the chain is.

The collector of cycles releases one that is longer."""


def hold(holder: Holder, entry: int, given: Iterable[object], *, replaces: bool = False) -> Holder:
    """Let an object, or all of a list, hold what a call of one entry was given; 0 is what results keep alive."""
    for each in holder if isinstance(holder, list) else (holder,):
        if isinstance(each, Tracked) and each._h:
            is_new = not entry and not each._is_known  # made by this call: nothing holds it
            held = (each._held or {}).get(entry, {})
            kept = [one for one in _handles(given) if is_new or id(one) in held or not _holds(one, each)]
            _hold(each, entry, kept, replaces=replaces)
    return holder


def _hold(holder: Tracked, entry: int, given: list[Handle], *, replaces: bool) -> None:
    if holder._held is None:
        holder._held = {}
    if replaces:
        holder._held.pop(entry, None)
    holder._held.setdefault(entry, {}).update((id(one), one) for one in given)


def let_go(holder: Tracked, given: Iterable[object] | None = None) -> None:
    """Let an object go of what it was given by any entry, or of all that it was."""
    if holder._held is None:
        return
    gone = None if given is None else [id(one) for one in _handles(given)]
    for entry, held in holder._held.items():
        # What was closed, and is held by the extension alone, may be given again as a new object.
        closed = () if gone is None else [at for at, one in tuple(held.items()) if not one._h]
        for one in () if not entry else tuple(held) if gone is None else (*gone, *closed):
            held.pop(one, None)


def _handles(given: Iterable[object]) -> Iterator[Handle]:
    """The handles among arguments, and in lists of them."""
    for each in given:
        if isinstance(each, Handle):
            yield each
        elif isinstance(each, list | tuple):
            yield from _handles(each)


def _holds(one: Handle, other: Handle) -> bool:
    """Whether a handle is another one, or holds it: if both did, only the collector of cycles would release them."""
    left, seen = [one], set[int]()
    while left and len(seen) < _MOST:
        each = left.pop()
        if each is other:
            return True
        if isinstance(each, Tracked) and each._held and id(each) not in seen:
            seen.add(id(each))
            left += [further for held in tuple(each._held.values()) for further in tuple(held.values())]
    return False
