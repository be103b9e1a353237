"""Records with handles in fields, over both engines: they are told apart by identity.

Static: the same for all packages, and private to the one it lies in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from ._support import with_article

if TYPE_CHECKING:
    from collections.abc import Sequence


def hold(cls: Any, names: Sequence[str], own: Sequence[str]) -> None:
    """Give a class of records what is said of one with handles; `own` are methods of protocols that it has already."""

    def __reduce__(self: Any) -> NoReturn:
        raise TypeError(f"{with_article(cls)} cannot be pickled: its handles stand for objects of this process")

    def __copy__(self: Any) -> Any:
        return cls(*(getattr(self, name) for name in names))

    def __deepcopy__(self: Any, memo: Any) -> Any:
        from copy import deepcopy

        return cls(*(deepcopy(getattr(self, name), memo) for name in names))

    for method in (__reduce__, __copy__, __deepcopy__):
        method.__qualname__ = f"{cls.__name__}.{method.__name__}"
        setattr(cls, method.__name__, method)
    if "__eq__" not in own:
        cls.__eq__ = object.__eq__
    if "__hash__" not in own:
        cls.__hash__ = None
