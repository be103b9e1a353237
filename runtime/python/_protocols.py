"""The cffi engine's part of classes with methods of Python's protocols, or with constructors.

Static: the same for all packages, and private to the one it lies in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from ._cffi_handles import Handle
from ._support import kind_of, with_article

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Self

T = TypeVar("T")


class Constructed(Handle):
    """A handle whose class is called to make one: it is closed until `__init__` was called, which is once."""

    __slots__ = ()

    def __new__(cls, *_args: object, **_kwargs: object) -> Self:
        if cls._nearest is not None and "__init__" not in vars(cls._nearest):
            return super().__new__(cls)  # refuses: a base's constructor makes objects of the base
        self = object.__new__(cls)
        self._start()
        self._h = self._unmade
        return self

    def _become(self, made: Handle) -> None:
        """Take over what was made."""
        if self._h is not self._unmade:
            made.close()
            raise TypeError(f"this {_own_class(self).__name__} is initialized already")
        if self._nearest is not None and not isinstance(made, self._nearest):
            made.close()
            raise TypeError(f"{type(made).__name__}.__init__() does not make {with_article(type(self))}")
        self._take(made)


def _own_class(handle: Handle) -> type[Handle]:
    """The class of the spec, which a Python class may extend."""
    return next(kind for kind in type(handle).__mro__ if "_own" in vars(kind))


def spread(key: Any, count: int, handle: Handle) -> Any:
    """The items of a key."""
    if not issubclass(type(key), tuple) or len(key) != count:
        given = f"one of {len(key)}" if issubclass(type(key), tuple) else kind_of(key)
        raise TypeError(f"{type(handle).__name__}: a key is a tuple of {count}, not {given}")
    return key


def itself(iterator: T) -> T:
    """`__iter__` of what is its own iterator."""
    return iterator


def over_items(indexed: Any) -> Iterator[Any]:
    """`__iter__` of what has items at positions, as Python iterates over classes that say nothing of it."""
    position = 0
    while True:
        try:
            item = indexed[position]
        except (IndexError, StopIteration):
            return
        yield item
        position += 1


def unless_ended(element: T | None) -> T:
    """An element that `__next__` returns; nothing is the end."""
    if element is None:
        raise StopIteration
    return element


def missing(error: BaseException, key: object) -> BaseException:
    """What C++ says of a key that is not there, as Python says it of a dict."""
    return KeyError(key) if type(error) is IndexError else error
